use super::*;
use crate::encoder::{PaperPlanes, Planes};
use shakmaty::{EnPassantMode, Position as _};
use std::collections::HashSet;
use tesuji_core::Encoder;

/// The position with colours swapped and the board mirrored; moves of one are moves of the other, mirrored.
fn swapped(position: &ChessPosition) -> ChessPosition {
    let setup = position.board().to_shakmaty().to_setup(EnPassantMode::Legal).into_mirrored();
    let board = setup.position(shakmaty::CastlingMode::Standard).unwrap();
    ChessPosition::new(board, position.draw_rules())
}

fn mirrored(mv: ChessMove) -> ChessMove {
    let (from, to) = (mv.from().flip_vertical(), mv.to().flip_vertical());
    mv.promotion().map_or(ChessMove::new(from, to), |role| ChessMove::promoting(from, to, role))
}

fn encoded(encoder: &dyn Encoder<ChessPosition>, position: &ChessPosition) -> Vec<f32> {
    let mut out = vec![f32::NAN; encoder.shape().len()];
    encoder.encode(position, 0, &mut out);
    out
}

/// The planes whose 64 numbers are not all alike or not 0, as sets of squares or their value.
fn plane(out: &[f32], number: usize) -> Vec<(usize, f32)> {
    let plane = &out[number * 64..][..64];
    plane.iter().copied().enumerate().filter(|&(_, value)| value != 0.0).collect()
}

#[test]
fn indices_are_injective_and_colour_blind() {
    for encoder in Chess::new(Rules::Official).encoders() {
        for seed in 300..304 {
            random_game(seed, 250, |position, moves| {
                let indices: HashSet<usize> = moves.iter().map(|&mv| encoder.index(position, mv).1).collect();
                assert_eq!(indices.len(), moves.len());
                assert!(indices.iter().all(|&index| index < encoder.policy_len()));
                // A position read anew has forgotten its repetitions.
                if position.repetitions() == 0 {
                    let other = swapped(position);
                    assert_eq!(encoded(encoder.as_ref(), position), encoded(encoder.as_ref(), &other));
                    for &mv in moves {
                        assert_eq!(encoder.index(position, mv), encoder.index(&other, mirrored(mv)));
                    }
                }
            });
        }
    }
}

#[test]
fn indices_are_injective_where_pawns_promote() {
    let position = position("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1");
    let mut moves = MoveList::new();
    position.movements(&mut moves);
    for encoder in Chess::new(Rules::Official).encoders() {
        let indices: HashSet<usize> = moves.iter().map(|&mv| encoder.index(&position, mv).1).collect();
        assert_eq!(indices.len(), 24);
    }
}

#[test]
fn the_paper_planes_are_one_hot() {
    let out = encoded(&PaperPlanes, &line("startpos moves e2e4"));
    for square in 0..64 {
        assert_eq!((0..13).map(|plane| out[plane * 64 + square]).sum::<f32>(), 1.0);
    }
    // Black to move: the opponent's king's pawn stands on its fourth rank, which Black sees as the fifth.
    assert_eq!(plane(&out, 6).len(), 8);
    assert!(plane(&out, 6).contains(&(4 * 8 + 4, 1.0)));
    assert_eq!(plane(&out, 12).len(), 32);
}

#[test]
fn the_planes_tell_rights_and_counters() {
    let position = line("r3k2r/8/8/8/3p4/8/4P3/R3K3 w Qk - 9 20 moves e2e4");
    let out = encoded(&Planes, &position);
    let whole: Vec<f32> = [12, 13, 14, 15, 17, 18, 19].iter().map(|plane| out[plane * 64]).collect();
    assert_eq!(whole, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    // e3, as Black sees it.
    assert_eq!(plane(&out, 16), [(5 * 8 + 4, 1.0)]);

    let repeated = line("startpos moves g1f3 g8f6 f3g1 f6g8");
    let out = encoded(&Planes, &repeated);
    assert_eq!(out[17 * 64..][..64], [1.0; 64]);
    assert_eq!(out[18 * 64..][..64], [0.04; 64]);
}

#[test]
fn indices_are_fixed() {
    let start = line("startpos");
    let index = |text| Planes.index(&start, start.parse_move(text).unwrap()).1;
    // Two squares north from e2; north-north-east from g1, north-north-west from b1.
    assert_eq!(index("e2e4"), 64 + 12);
    assert_eq!(index("g1h3"), 56 * 64 + 6);
    assert_eq!(index("b1a3"), 63 * 64 + 1);
    let promoting = position("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1");
    let index = |text| Planes.index(&promoting, promoting.parse_move(text).unwrap()).1;
    assert_eq!(index("a7a8q"), 48);
    assert_eq!(index("a7b8q"), 7 * 64 + 48);
    assert_eq!(index("a7a8n"), 65 * 64 + 48);
    assert_eq!(index("a7b8r"), 72 * 64 + 48);
    let index = |text| PaperPlanes.index(&promoting, promoting.parse_move(text).unwrap()).1;
    assert_eq!(index("a7a8q"), 48 * 64 + 56);
    assert_eq!(index("a7b8r"), 4096 + 16 * 3 + 2);
}

#[test]
fn the_heuristic_is_colour_blind_and_counts_material() {
    let chess = Chess::new(Rules::Official);
    assert_eq!(chess.heuristic(&line("startpos")), 0);
    for seed in 400..404 {
        random_game(seed, 200, |position, _| {
            assert_eq!(chess.heuristic(position), -chess.heuristic(&swapped(position)));
        });
    }
    let queen_up = position("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(chess.heuristic(&queen_up) > 700);
    let rook_down = position("4k2r/8/8/8/8/8/8/4K3 w k - 0 1");
    assert!(chess.heuristic(&rook_down) < -300);
}
