use super::view::cell;
use super::*;
use crate::geometry::Geometry;
use crate::position::ShogiPosition;
use crate::{Five, Minishogi, Move, Nine, Shogi, ShogiGame};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tesuji_core::{Encoder, Encoders, GameRules, MoveList, Pairs, Position, Rules, Shape, Stream};

fn encoded<G: Geometry>(encoder: &dyn Encoder<ShogiPosition<G>>, position: &ShogiPosition<G>) -> Vec<f32> {
    let mut out = vec![f32::NAN; encoder.shape().len()];
    encoder.encode(position, 0, &mut out);
    assert!(out.iter().all(|number| number.is_finite()), "{} leaves gaps", encoder.name());
    out
}

/// The USI names of the squares that are not 0 in a plane that is seen by the first player.
fn squares<G: Geometry>(planes: &[f32], plane: usize) -> Vec<String> {
    G::squares()
        .filter(|&square| planes[plane * G::SQUARES + cell::<G>(square)] != 0.0)
        .map(crate::usi::format_square::<G>)
        .collect()
}

fn sum(planes: &[f32], plane: usize, squares: usize) -> f32 {
    planes[plane * squares..][..squares].iter().sum()
}

#[test]
fn shapes_and_policies_are_the_papers() {
    let five = <Fixed as Encoder<ShogiPosition<Five>>>::shape(&Fixed);
    assert_eq!(five, Shape { planes: 31, height: 5, width: 5 });
    assert_eq!(<Fixed as Encoder<ShogiPosition<Five>>>::policy_len(&Fixed), 1500);
    let shape = |layout| <Dqn as Encoder<ShogiPosition<Nine>>>::shape(&Dqn { layout });
    assert_eq!(shape(Layout::Channels), Shape { planes: 63, height: 9, width: 9 });
    assert_eq!(shape(Layout::Image), Shape { planes: 9, height: 63, width: 9 });
    let pairs: &dyn Pairs<ShogiPosition<Nine>> = &Dqn { layout: Layout::Channels };
    assert_eq!((pairs.what_len(), pairs.where_len()), (88, 81));
    assert_eq!(<Planes as Encoder<ShogiPosition<Nine>>>::policy_len(&Planes), 2187);
    assert_eq!(<Planes as Encoder<ShogiPosition<Five>>>::policy_len(&Planes), 525);
}

#[test]
fn the_dqn_planes_stand_in_the_papers_order() {
    let game = Shogi::new(Rules::Official);
    let encoder = Dqn { layout: Layout::Channels };
    // Black's bishop has promoted, and black holds a pawn.
    let position = game.parse_position("lnsgkgsnl/1r5+B1/pppppp1pp/9/9/2P6/PP1PPPP1P/7R1/LNSGKGSNL b P 5").unwrap();
    let planes = encoded(&encoder, &position);
    assert_eq!(sum(&planes, 0, 81), 8.0, "own pawns");
    assert_eq!(squares::<Nine>(&planes, 5), ["2h"], "own rook");
    assert_eq!(squares::<Nine>(&planes, 7), ["5i"], "own king");
    assert_eq!(squares::<Nine>(&planes, 8 + 7), ["4h", "5h", "6h"], "where it can move");
    assert_eq!(squares::<Nine>(&planes, 16 + 5), ["8b"], "the opponent's rook");
    assert_eq!(
        squares::<Nine>(&planes, 24 + 5),
        ["2b", "3b", "4b", "5b", "6b", "7b", "9b"],
        "where it can move, the horse included"
    );
    assert_eq!(squares::<Nine>(&planes, 32 + 4), ["2b"], "own horse");
    assert!(squares::<Nine>(&planes, 38 + 4).contains(&"1a".to_owned()), "where it can move");
    assert!((44..56).all(|plane| sum(&planes, plane, 81) == 0.0), "no promoted pieces of the opponent");
    // A pawn can be dropped on the second file only, not on the first rank.
    assert_eq!(squares::<Nine>(&planes, 56), ["2d", "2e", "2f", "2g"].map(str::to_owned));
    assert!((57..63).all(|plane| sum(&planes, plane, 81) == 0.0));
}

#[test]
fn the_image_is_the_planes_below_each_other() {
    let position = Shogi::new(Rules::Official).start();
    let planes = encoded(&Dqn { layout: Layout::Channels }, &position);
    let image = encoded(&Dqn { layout: Layout::Image }, &position);
    for (plane, rank, file) in [(0, 6, 0), (5, 7, 1), (7, 8, 4), (23, 0, 4), (8, 5, 8)] {
        assert_eq!(planes[(plane * 9 + rank) * 9 + file], 1.0);
        assert_eq!(image[(file * 63 + plane) * 9 + rank], 1.0);
    }
    assert_eq!(planes.iter().sum::<f32>(), image.iter().sum::<f32>());
}

#[test]
fn the_minishogi_paper_sees_the_board_as_it_lies() {
    let game = Minishogi::new(Rules::Paper);
    let black = encoded(&Fixed, &game.parse_position("rb1gk/4p/5/P4/KGSB1 b Rs 3").unwrap());
    let white = encoded(&Fixed, &game.parse_position("rb1gk/4p/5/P4/KGSB1 w Rs 3").unwrap());
    assert_eq!(black[..30 * 25], white[..30 * 25]);
    assert_eq!((sum(&black, 30, 25), sum(&white, 30, 25)), (25.0, 0.0));
    assert_eq!(squares::<Five>(&black, 0), ["1b"], "white's pawn");
    assert_eq!(squares::<Five>(&black, 5), ["1a"], "white's king");
    assert_eq!(squares::<Five>(&black, 10), ["5d"], "black's pawn");
    assert_eq!(squares::<Five>(&black, 15), ["5e"], "black's king");
    assert_eq!(sum(&black, 20 + 1, 25), 25.0, "white holds a silver");
    assert_eq!(sum(&black, 25 + 3, 25), 25.0, "black holds a rook");
    assert_eq!(black[20 * 25..30 * 25].iter().sum::<f32>(), 50.0);
}

#[test]
fn planes_know_check_and_repetition() {
    let game = Minishogi::new(Rules::Official);
    let flags = |line: &str| {
        let planes = encoded(&Planes, &tesuji_core::game::parse_line(&game, line).unwrap());
        [32, 33, 34, 35].map(|plane| sum(&planes, plane, 25) as u32 / 25)
    };
    assert_eq!(flags("startpos"), [0, 1, 0, 0]);
    let round = "5e4d 1a2b 4d5e 2b1a";
    assert_eq!(flags(&format!("startpos moves {round}")), [0, 1, 1, 0]);
    assert_eq!(flags(&format!("startpos moves {round} {round}")), [0, 1, 1, 1]);
    assert_eq!(flags("4k/5/4R/5/K4 w - 1"), [1, 0, 0, 0]);
}

/// The board after random moves.
fn random_position<G: Geometry>(game: &ShogiGame<G>, seed: u64, plies: u32) -> ShogiPosition<G> {
    let mut position = game.start();
    position.playout(&mut Stream::new(seed, "test", 0), plies);
    position
}

/// What must hold of every encoder at a position whose game goes on.
fn check<G: Geometry>(position: &ShogiPosition<G>) {
    let mut moves = MoveList::new();
    position.movements(&mut moves);
    for encoder in ShogiGame::<G>::new(Rules::Official).encoders() {
        let indices: BTreeSet<usize> = moves.iter().map(|&mv| encoder.index(position, mv).1).collect();
        assert_eq!(indices.len(), moves.len(), "{} is not injective", encoder.name());
        assert!(indices.iter().all(|&index| index < encoder.policy_len()));
        encoded(&*encoder, position);
    }
    // The pairs of what and where name every move, less the promotions that may be declined.
    let pairs: &dyn Pairs<ShogiPosition<G>> = &Dqn { layout: Layout::Channels };
    let named: BTreeSet<(usize, usize)> = moves.iter().map(|&mv| pairs.pair(position, mv)).collect();
    for &pair in &named {
        assert!(pair.0 < pairs.what_len() && pair.1 < pairs.where_len());
        let mv = pairs.move_of(position, &moves, pair).expect("the pair of a legal move");
        assert_eq!(pairs.pair(position, mv), pair);
        let promotion = mv.from().map(|from| Move::new(from, mv.to(), true));
        assert!(mv.is_promotion() || promotion.is_none_or(|promotion| !moves.contains(&promotion)));
    }
    let declined = moves
        .iter()
        .filter(|mv| {
            !mv.is_promotion() && mv.from().is_some_and(|from| moves.contains(&Move::new(from, mv.to(), true)))
        })
        .count();
    assert_eq!(named.len(), moves.len() - declined);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn moves_have_places_of_their_own(seed: u64, plies in 0..150_u32) {
        let position = random_position(&Shogi::new(Rules::Official), seed, plies);
        if position.outcome().is_none() {
            check(&position);
        }
        let position = random_position(&Minishogi::new(Rules::Official), seed, plies);
        if position.outcome().is_none() {
            check(&position);
        }
    }
}
