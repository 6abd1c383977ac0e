use super::*;
use crate::{Board, movegen};
use shakmaty::Position as _;
use tesuji_core::Move;
use tesuji_core::perft::{perft, perft_playing};

/// Positions in which captures, promotions, castling, en passant and pins abound.
const CROWDED: [&str; 8] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/2R1K2R w Kkq - 0 1",
    "1k6/1b6/8/8/7R/8/8/4K2R b K - 0 1",
    "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
];

#[test]
fn perft_agrees_with_the_published_counts() {
    let suite = include_str!("../../../../../tests/perft/chess.epd");
    for line in suite.lines() {
        let (fen, counts) = line.split_once(" ;").unwrap();
        let start = position(fen);
        for count in counts.split(" ;") {
            let (depth, nodes) = count.strip_prefix('D').unwrap().split_once(' ').unwrap();
            let (depth, nodes): (u32, u64) = (depth.parse().unwrap(), nodes.parse().unwrap());
            // Deeper counts are there for the command line and the benchmarks.
            if nodes <= 500_000 {
                assert_eq!(perft(&start, depth), nodes, "{fen} depth {depth}");
            }
            if nodes <= 10_000 {
                assert_eq!(perft_playing(&start, depth), nodes, "{fen} depth {depth}, last ply played");
            }
        }
    }
}

/// Everything about one position that shakmaty can also say.
fn agrees_with_shakmaty(position: &ChessPosition, moves: &[ChessMove]) {
    let board = position.board();
    let fen = crate::fen::format(board);
    let peer = board.to_shakmaty();
    assert_eq!(*board, Board::new(&peer), "there and back: {fen}");
    assert_eq!(position.in_check(), peer.is_check(), "{fen}");
    assert_eq!(board.is_dead(), peer.is_insufficient_material(), "{fen}");
    let theirs = peer.legal_moves();

    let mut ours = moves.to_vec();
    let mut expected: Vec<ChessMove> = theirs.iter().map(|&mv| movegen::narrow(mv)).collect();
    ours.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ours, expected, "{fen}");
    assert_eq!(position.count_movements(), moves.len(), "{fen}");

    for &wide in &theirs {
        let mv = movegen::narrow(wide);
        assert_eq!(movegen::widen(board, mv), wide, "{fen} {mv}");
        assert_eq!(position.is_attack(mv), wide.is_capture(), "{fen} {mv}");
        // Pieces, key, castling rights, en passant and counters.
        let (mut child, mut peer) = (*board, peer.clone());
        child.play(mv);
        peer.play_unchecked(wide);
        assert_eq!(child, Board::new(&peer), "{fen} {mv}");
    }
    let mut checks = MoveList::new();
    position.checks(&mut checks);
    let gives_check = |mv: &ChessMove| {
        let mut child = position.clone();
        child.play(*mv);
        child.in_check()
    };
    let mut expected: Vec<ChessMove> = moves.iter().copied().filter(gives_check).collect();
    checks.sort_unstable();
    expected.sort_unstable();
    assert_eq!(checks, expected, "checks of {fen}");
}

#[test]
fn random_games_agree_with_shakmaty() {
    for seed in 0..12 {
        random_game(seed, 300, agrees_with_shakmaty);
    }
}

#[test]
fn crowded_positions_agree_with_shakmaty() {
    for fen in CROWDED {
        let root = position(fen);
        let mut moves = MoveList::new();
        let mut replies = MoveList::new();
        root.movements(&mut moves);
        agrees_with_shakmaty(&root, &moves);
        for &mv in &moves {
            let mut child = root.clone();
            child.play(mv);
            child.movements(&mut replies);
            agrees_with_shakmaty(&child, &replies);
            for &reply in &replies {
                let mut grandchild = child.clone();
                grandchild.play(reply);
                let mut answers = MoveList::new();
                grandchild.movements(&mut answers);
                agrees_with_shakmaty(&grandchild, &answers);
            }
        }
    }
}

#[test]
fn every_numeric_form_is_legal_only_if_listed() {
    let codes: Vec<ChessMove> = (0..=u32::from(u16::MAX)).filter_map(ChessMove::from_bits).collect();
    for fen in CROWDED {
        let position = position(fen);
        let mut moves = MoveList::new();
        position.movements(&mut moves);
        let legal: Vec<ChessMove> = codes.iter().copied().filter(|&mv| position.is_legal(mv)).collect();
        moves.sort_unstable();
        let mut sorted = legal.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, moves, "{fen}");
    }
}

#[test]
fn the_greatest_number_of_moves_fits() {
    assert_eq!(position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").count_movements(), 218);
}

#[test]
fn clone_from_takes_everything() {
    let source = line("startpos moves e2e4 e7e5 g1f3 b8c6 f3g1 c6b8");
    let mut target = line("startpos moves d2d4 g8f6 c2c4 e7e6 b1c3 f8b4");
    target.clone_from(&source);
    assert_eq!(target.key(), source.key());
    assert_eq!(target.ply(), 6);
    for mv in ["g1f3", "b8c6", "f3g1", "c6b8"] {
        let mv = target.parse_move(mv).unwrap();
        target.play(mv);
    }
    assert_eq!(target.ending(), "threefold repetition");
}
