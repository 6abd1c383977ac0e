use super::*;
use crate::DrawRules;
use tesuji_core::{Outcome, Side};

/// Outcome and ending; and whether `expand`, `moves`, `is_legal` and `try_play` agree with them.
fn ending(position: &ChessPosition) -> (Option<Outcome>, &'static str) {
    let mut moves = MoveList::new();
    let mut steps = MoveList::new();
    position.movements(&mut steps);
    assert_eq!(position.expand(&mut moves), position.outcome());
    assert_eq!(moves.is_empty(), position.outcome().is_some());
    for &mv in &steps {
        assert_eq!(position.is_legal(mv), moves.contains(&mv));
        assert_eq!(position.clone().try_play(mv).is_ok(), moves.contains(&mv));
    }
    (position.outcome(), position.ending())
}

const GOES_ON: (Option<Outcome>, &str) = (None, "");
const DRAW: Option<Outcome> = Some(Outcome::Draw);

#[test]
fn mates_and_stalemates_end_the_game() {
    let white = Some(Outcome::Win(Side::First));
    let black = Some(Outcome::Win(Side::Second));
    for (text, outcome, reason) in [
        ("startpos moves f2f3 e7e5 g2g4 d8h4", black, "checkmate"),
        ("startpos moves e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", white, "checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", DRAW, "stalemate"),
        // Mate on the hundredth halfmove comes before the fifty-move rule.
        ("7k/8/6K1/8/8/8/Q7/8 w - - 99 90 moves a2a8", white, "checkmate"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 99 90 moves f1f7", DRAW, "stalemate"),
    ] {
        let position = line(text);
        assert_eq!(ending(&position), (outcome, reason), "{text}");
        assert_eq!(position.count_movements(), 0);
    }
}

#[test]
fn fifty_moves_without_progress_are_a_draw() {
    let position = line("7k/8/8/8/8/8/R7/K7 w - - 98 80 moves a2b2");
    assert_eq!(ending(&position), GOES_ON);
    let position = line("7k/8/8/8/8/8/R7/K7 w - - 98 80 moves a2b2 h8g8");
    assert_eq!(ending(&position), (DRAW, "fifty-move rule"));
    assert!(position.count_movements() > 0, "the rules of movement know nothing of the clock");
    assert_eq!(ending(&line("7k/8/8/8/8/8/P7/K7 w - - 99 80 moves a2a3")), GOES_ON);
}

#[test]
fn the_third_occurrence_is_a_draw() {
    let twice = "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
    assert_eq!(ending(&line(twice)), GOES_ON);
    assert_eq!(line(twice).repetitions(), 1);
    let thrice = line(&format!("{twice} f6g8"));
    assert_eq!(thrice.repetitions(), 2);
    assert_eq!(ending(&thrice), (DRAW, "threefold repetition"));
}

#[test]
fn castling_rights_make_positions_different() {
    let shuffle = "h1g1 h8g8 g1h1 g8h8";
    let start = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
    // The start, with all rights, is another position than the first one after the shuffle.
    assert_eq!(ending(&line(&format!("{start} moves {shuffle} {shuffle}"))), GOES_ON);
    assert_eq!(ending(&line(&format!("{start} moves {shuffle} {shuffle} {shuffle}"))), (DRAW, "threefold repetition"));
}

#[test]
fn en_passant_makes_positions_different_only_if_legal() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8";
    // After 3. e4 Black could capture on e3, later no more.
    let legal = format!("startpos moves a2a3 d7d5 a3a4 d5d4 e2e4 {}", "g8f6 g1f3 f6g8 f3g1 ".repeat(2));
    assert_eq!(ending(&line(&legal)), GOES_ON);
    // After 1. e4 nobody could.
    let illegal = format!("startpos moves e2e4 {}", "g8f6 g1f3 f6g8 f3g1 ".repeat(2));
    assert_eq!(ending(&line(&illegal)), (DRAW, "threefold repetition"));
    assert_eq!(ending(&line(&format!("startpos moves {shuffle}"))), GOES_ON);
}

#[test]
fn a_pawn_move_between_ends_the_count() {
    let position = line("startpos moves g1f3 g8f6 f3g1 f6g8 e2e4 e7e5 g1f3 g8f6 f3g1 f6g8");
    assert_eq!(position.repetitions(), 1);
    assert_eq!(ending(&position), GOES_ON);
}

#[test]
fn material_that_cannot_mate_is_a_draw() {
    for (board, drawn) in [
        ("8/8/4k3/8/8/3K4/8/8", true),
        ("8/8/4k3/8/8/3KN3/8/8", true),
        ("8/8/4k3/8/8/3KB3/8/8", true),
        ("8/8/2b1k3/8/8/3K4/2B5/8", true),
        ("8/8/3bk3/8/8/3K4/2B5/8", false),
        ("8/8/3nk3/8/8/3K4/2B5/8", false),
        ("8/8/4k3/8/8/3KNN2/8/8", false),
        ("8/8/4k3/8/8/3K4/4P3/8", false),
        ("8/8/4k3/8/8/3K4/5R2/8", false),
    ] {
        let position = position(&format!("{board} w - - 0 1"));
        let expected = if drawn { (DRAW, "insufficient material") } else { GOES_ON };
        assert_eq!(ending(&position), expected, "{board}");
    }
}

#[test]
fn without_draw_rules_the_game_goes_on() {
    let chess = Chess::with_draws(Rules::Official, DrawRules::NONE);
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(30);
    for text in [format!("startpos moves {shuffle}"), "8/8/4k3/8/8/3K4/8/8 w - - 120 90".to_owned()] {
        assert_eq!(ending(&tesuji_core::game::parse_line(&chess, &text).unwrap()), GOES_ON);
    }
}

#[test]
fn limits_can_be_set() {
    let fivefold = DrawRules { halfmoves: Some(150), occurrences: Some(5), dead_material: false };
    let chess = Chess::with_draws(Rules::Official, fivefold);
    let play = |times: usize| format!("startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(times));
    assert_eq!(ending(&tesuji_core::game::parse_line(&chess, &play(3)).unwrap()), GOES_ON);
    assert_eq!(ending(&tesuji_core::game::parse_line(&chess, &play(4)).unwrap()).0, DRAW);
}
