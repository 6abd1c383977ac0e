//! How games end: mate, repetition, perpetual check, declaration, impasse, the move limit.

use super::position;
use tesuji_core::{GameRules, Outcome, Position, Rules, Side, game};
use tesuji_games::shogi::{Five, Geometry, Nine, ShogiGame, ShogiPosition};

fn play<G: Geometry>(rules: Rules, start: &str, cycle: &[&str], times: usize) -> ShogiPosition<G> {
    let line = format!("{start} moves {}", vec![cycle.join(" "); times].join(" "));
    game::parse_line(&ShogiGame::<G>::new(rules), &line).unwrap()
}

fn end<G: Geometry>(position: &ShogiPosition<G>) -> Option<(Outcome, &'static str)> {
    let mut moves = Vec::new();
    assert_eq!(position.expand(&mut moves), position.outcome());
    assert_eq!(moves.is_empty(), position.outcome().is_some());
    position.outcome().map(|outcome| (outcome, position.ending()))
}

const FIRST: Outcome = Outcome::Win(Side::First);
const SECOND: Outcome = Outcome::Win(Side::Second);

#[test]
fn mate_loses() {
    let mated = position::<Nine>("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
    assert_eq!(end(&mated), Some((FIRST, "checkmate")));
    // No move and no check: lost as well.
    let stuck = position::<Five>("4k/3R1/5/5/K4 w - 1");
    assert_eq!(end(&stuck), None);
    let stuck = position::<Five>("4k/2R2/3R1/5/K4 w - 1");
    assert_eq!(end(&stuck), Some((FIRST, "no legal move")));
}

#[test]
fn the_fourth_occurrence_ends_the_game() {
    let cycle = ["5i5h", "5a5b", "5h5i", "5b5a"];
    for rules in Rules::ALL {
        assert_eq!(end(&play::<Nine>(rules, "startpos", &cycle, 2)), None);
        assert_eq!(end(&play::<Nine>(rules, "startpos", &cycle, 3)), Some((Outcome::Draw, "fourfold repetition")));
    }
    let cycle = ["4e4d", "2a2b", "4d4e", "2b2a"];
    for rules in Rules::ALL {
        assert_eq!(end(&play::<Five>(rules, "startpos", &cycle, 2)), None);
        assert_eq!(end(&play::<Five>(rules, "startpos", &cycle, 3)), Some((SECOND, "fourfold repetition")));
    }
}

#[test]
fn perpetual_check_loses_for_the_checker() {
    // The rook checks from file 5 and 6 in turn; the king steps to and fro.
    let start = "4k4/9/9/9/9/9/9/9/K2R5 b - 1";
    let cycle = ["6i5i", "5a6a", "5i6i", "6a5a"];
    assert_eq!(end(&play::<Nine>(Rules::Official, start, &cycle, 2)), None);
    assert_eq!(end(&play::<Nine>(Rules::Official, start, &cycle, 3)), Some((SECOND, "perpetual check")));
    assert_eq!(end(&play::<Nine>(Rules::Paper, start, &cycle, 3)), Some((Outcome::Draw, "fourfold repetition")));
    // The same by the second player, who is also the one that an ordinary repetition would favour in minishogi.
    let start = "k2r1/5/5/5/K4 b - 1";
    let cycle = ["5e4e", "2a4a", "4e5e", "4a2a"];
    let checks_every_second_move = play::<Five>(Rules::Official, start, &cycle, 3);
    assert_eq!(end(&checks_every_second_move), Some((SECOND, "fourfold repetition")));
    let start = "kr3/5/5/5/1K3 b - 1";
    let cycle = ["4e3e", "4a3a", "3e4e", "3a4a"];
    assert_eq!(end(&play::<Five>(Rules::Official, start, &cycle, 2)), None);
    assert_eq!(end(&play::<Five>(Rules::Official, start, &cycle, 3)), Some((FIRST, "perpetual check")));
    assert_eq!(end(&play::<Five>(Rules::Paper, start, &cycle, 3)), Some((SECOND, "fourfold repetition")));
}

#[test]
fn the_declaration_needs_king_pieces_and_points() {
    // First player: king and ten pieces in the zone; a rook, a bishop and eight others there make 18 points, the rest
    // is in hand.
    let board = |hand: &str| position::<Nine>(&format!("GGGGSSSSK/RB7/9/9/9/9/9/9/4k4 b {hand} 1"));
    assert_eq!(end(&board("RB")), Some((FIRST, "declaration")));
    assert_eq!(end(&board("10P")), Some((FIRST, "declaration")));
    assert_eq!(end(&board("9P")), None);
    let nine = position::<Nine>("GGGGSSS1K/RB7/9/9/9/9/9/9/4k4 b RB18P 1");
    assert_eq!(end(&nine), None);
    let outside = position::<Nine>("GGGGSSSS1/RB7/9/8K/9/9/9/9/4k4 b RB18P 1");
    assert_eq!(end(&outside), None);
    let in_check = position::<Nine>("GGGGSSSSK/RB7/9/9/9/9/9/9/4k3r b B18P 1");
    assert_eq!(end(&in_check), None);
    // 27 points are enough for the second player.
    let second = position::<Nine>("4K4/9/9/9/9/9/9/7br/kssssgggg w 9p 1");
    assert_eq!(end(&second), Some((SECOND, "declaration")));
    // Only the side to move declares, and only by official rules.
    let waiting = position::<Nine>("GGGGSSSSK/RB7/9/9/9/9/9/9/4k4 w RB 1");
    assert_eq!(end(&waiting), None);
}

#[test]
fn papers_call_two_entered_kings_a_draw() {
    let paper = ShogiGame::<Nine>::new(Rules::Paper);
    let both = paper.parse_position("4K4/9/9/9/9/9/9/9/4k4 b - 1").unwrap();
    assert_eq!(end(&both), Some((Outcome::Draw, "impasse")));
    let one = paper.parse_position("9/9/9/4K4/9/9/9/9/4k4 b - 1").unwrap();
    assert_eq!(end(&one), None);
    let in_check = paper.parse_position("4K3r/9/9/9/9/9/9/9/4k4 b - 1").unwrap();
    assert_eq!(end(&in_check), None);
    let cannot = paper.parse_position("4K4/9/9/9/9/9/9/9/4k4 w 2g 1").unwrap();
    assert_eq!(end(&cannot), Some((Outcome::Draw, "impasse")));
    let can_mate = paper.parse_position("4K4/r8/9/9/9/9/9/9/4k4 w r 1").unwrap();
    assert_eq!(end(&can_mate), None);
    assert_eq!(end(&position::<Nine>("4K4/9/9/9/9/9/9/9/4k4 b - 1")), None);
}

#[test]
fn the_minishogi_paper_stops_after_256_plies() {
    let paper = ShogiGame::<Five>::new(Rules::Paper);
    let at = |number: u32| paper.parse_position(&format!("4k/5/5/5/K4 b G {number}")).unwrap();
    assert_eq!(end(&at(256)), None);
    assert_eq!(end(&at(257)), Some((Outcome::Draw, "move limit")));
    // A mate on the last move counts.
    let mated = paper.parse_position("4k/4G/4P/5/K4 w - 257").unwrap();
    assert_eq!(end(&mated), Some((FIRST, "checkmate")));
    assert_eq!(end(&position::<Five>("4k/5/5/5/K4 b G 1000")), None);
}
