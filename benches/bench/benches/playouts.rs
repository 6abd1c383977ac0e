//! Random games to the end: what rollouts cost.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tesuji_bench::ours::playout_work;
use tesuji_core::Rules;

fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("playouts");
    for game in tesuji_games::names() {
        const GAMES: u64 = 10;
        let mut work =
            playout_work(game, "startpos", Rules::Official, GAMES).unwrap_or_else(|error| panic!("{game}: {error}"));
        group.throughput(Throughput::Elements(GAMES));
        group.bench_function(*game, |bencher| bencher.iter(&mut work));
    }
    group.finish();
}

criterion_group!(benches, playouts);
criterion_main!(benches);
