//! Perft beside peers: bulk counting and playing every move.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tesuji_bench::ours::{Work, perft_work};
use tesuji_bench::{CHESS, MINISHOGI, Mode, SHOGI, peers};

/// The name of a program and what it does.
type Entry = (&'static str, Result<Work, String>);

/// Measures programs on the same work, after checking that they agree on its size.
fn group(criterion: &mut Criterion, name: &str, entries: Vec<Entry>) {
    let mut group = criterion.benchmark_group(name);
    let mut nodes = None;
    for (program, work) in entries {
        let mut work = work.unwrap_or_else(|error| panic!("{name} {program}: {error}"));
        let counted = work();
        assert_eq!(*nodes.get_or_insert(counted), counted, "{name}: {program} counts otherwise");
        group.throughput(Throughput::Elements(counted));
        group.bench_function(program, |bencher| bencher.iter(&mut work));
    }
    group.finish();
}

fn shogi(criterion: &mut Criterion) {
    for (name, text, depth) in SHOGI {
        for mode in Mode::ALL {
            let entries = vec![
                ("tesuji", perft_work("shogi", text, depth, mode)),
                ("haitaka", peers::haitaka(text, depth, mode)),
                ("rsshogi", peers::rsshogi(text, depth, mode)),
            ];
            group(criterion, &format!("shogi {name} {}", mode.name()), entries);
        }
    }
}

fn minishogi(criterion: &mut Criterion) {
    for mode in Mode::ALL {
        let entries = vec![("tesuji", perft_work("minishogi", MINISHOGI, 5, mode))];
        group(criterion, &format!("minishogi {}", mode.name()), entries);
    }
}

fn chess(criterion: &mut Criterion) {
    for (name, text, depth) in CHESS {
        for mode in Mode::ALL {
            let entries = vec![
                ("tesuji", perft_work("chess", text, depth, mode)),
                ("shakmaty", peers::shakmaty(text, depth, mode)),
                ("cozy-chess", peers::cozy_chess(text, depth, mode)),
            ];
            group(criterion, &format!("chess {name} {}", mode.name()), entries);
        }
    }
}

fn lines(criterion: &mut Criterion) {
    for (game, depth) in [("bingo3d", 5), ("connect4", 7)] {
        for mode in Mode::ALL {
            let entries = vec![("tesuji", perft_work(game, "startpos", depth, mode))];
            group(criterion, &format!("{game} {}", mode.name()), entries);
        }
    }
}

criterion_group!(benches, shogi, minishogi, chess, lines);
criterion_main!(benches);
