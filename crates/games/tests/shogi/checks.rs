//! Checking moves and mates in one, on positions made for them.

use super::board;
use tesuji_core::MoveList;
use tesuji_games::shogi::{Geometry, Nine, usi};

fn checks<G: Geometry>(sfen: &str) -> Vec<String> {
    let mut checks = MoveList::new();
    board::<G>(sfen).checks(&mut checks);
    let mut texts: Vec<String> = checks.into_iter().map(usi::format_move::<G>).collect();
    texts.sort_unstable();
    texts
}

fn mate<G: Geometry>(sfen: &str) -> Option<String> {
    board::<G>(sfen).mate_in_one().map(usi::format_move::<G>)
}

#[test]
fn uncovered_checks_are_found() {
    // The silver leaves the file of the rook; along the file it would check by itself only next to the king.
    let found = checks::<Nine>("4k4/9/9/4S4/9/9/9/4R4/K8 b - 1");
    assert_eq!(found, ["5d4c", "5d4c+", "5d4e", "5d6c", "5d6c+", "5d6e"]);
    // The king uncovers, too, but not along the line.
    let found = checks::<Nine>("4k4/9/9/9/9/4K4/9/4R4/9 b - 1");
    assert!(found.iter().filter(|mv| mv.starts_with("5f")).count() == 6, "{found:?}");
}

#[test]
fn mates_are_found_also_by_a_side_in_check() {
    assert_eq!(mate::<Nine>("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").as_deref(), Some("G*5b"));
    // The king is in check from the rook: only capturing it with mate helps.
    assert_eq!(mate::<Nine>("3gkg3/3p1p3/9/9/9/9/9/9/3RK3r b - 1"), None);
    // The check is answered by a drop that mates.
    let sfen = "3nkn3/3p1p3/4G4/9/9/9/9/9/K3r4 b G 1";
    assert_eq!(mate::<Nine>(sfen), None);
}
