//! Perft against the values on which independent programs agree.

use super::position;
use tesuji_core::perft::{perft, perft_playing};
use tesuji_games::shogi::{Five, Geometry, Nine};

fn check<G: Geometry>(line: &str, counts: &[u64]) {
    let position = position::<G>(line);
    for (depth, &count) in (1..).zip(counts) {
        assert_eq!(perft(&position, depth), count, "{line} depth {depth}");
        if count < 1_000_000 {
            assert_eq!(perft_playing(&position, depth), count, "{line} depth {depth}, playing");
        }
    }
}

#[test]
fn shogi_start() {
    check::<Nine>("startpos", &[30, 900, 25470, 719731]);
}

#[test]
fn shogi_most_moves() {
    check::<Nine>("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", &[593, 105677]);
}

#[test]
fn minishogi_start() {
    check::<Five>("startpos", &[14, 181, 2512, 35401, 533203]);
}

#[test]
fn minishogi_pawn_drop_mate() {
    assert_eq!(perft(&position::<Five>("r3k/P+S3/1b1gp/3S1/K4 b GBr 25"), 3), 40729);
}
