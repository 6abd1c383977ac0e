//! Single rules of movement, one position each.

use super::{board, moves, position, random_boards};
use tesuji_core::Position;
use tesuji_games::shogi::{Board, Five, Geometry, Nine, Setup};

fn has<G: Geometry>(sfen: &str, mv: &str) -> bool {
    moves::<G>(sfen).iter().any(|text| text == mv)
}

#[test]
fn a_pawn_drop_must_not_mate() {
    let mini = "3pk/5/3G1/5/K4 b P 1";
    assert_eq!(moves::<Five>(mini).len(), 26);
    assert!(!has::<Nine>("k8/9/9/9/9/9/1+r7/9/K8 w p 1", "P*9h"));
    // Mate it is not if the king can take the pawn, or another piece can.
    assert!(has::<Nine>("k8/9/9/9/9/9/9/9/K8 w p 1", "P*9h"));
    assert!(!has::<Nine>("kn7/1p7/1G7/9/9/9/9/9/K8 b P 1", "P*9b"));
    assert!(has::<Nine>("kn7/8r/G8/9/9/9/9/9/K8 b P 1", "P*9b"));
    assert!(has::<Nine>("kg7/9/G8/9/9/9/9/9/K8 b P 1", "P*9b"));
    // The gold that could take is pinned by the rook, but along the rank; the pawn would be mate.
    assert!(!has::<Nine>("kg6R/1p7/1G7/9/9/9/9/9/K8 b P 1", "P*9b"));
    // A pawn that mates by moving is allowed.
    assert!(has::<Nine>("kn7/1p7/PG7/9/9/9/9/9/K8 b - 1", "9c9b"));
}

#[test]
fn two_unpromoted_pawns_on_a_file_are_forbidden() {
    let sfen = "4k4/9/9/9/9/9/4P4/3+P5/4K4 b P 1";
    assert!(!has::<Nine>(sfen, "P*5e"));
    assert!(has::<Nine>(sfen, "P*6e"));
    let drops = moves::<Nine>(sfen).iter().filter(|mv| mv.starts_with("P*")).count();
    assert_eq!(drops, 8 * 8 - 1);
    let edge = moves::<Nine>("p3k4/9/9/9/9/9/9/9/4K3P w p 1");
    assert!(edge.iter().all(|mv| !mv.starts_with("P*9")));
    assert!(edge.iter().any(|mv| mv == "P*1h"));
}

#[test]
fn pieces_that_could_never_move_again_must_promote_or_stay_away() {
    let sfen = "9/PL6k/9/N8/1L7/9/9/9/4K4 b PLN 1";
    for (mv, legal) in [
        ("9b9a", false),
        ("9b9a+", true),
        ("8e8c", true),
        ("8e8c+", true),
        ("8b8a", false),
        ("8b8a+", true),
        ("9d8b", false),
        ("P*5a", false),
        ("L*5a", false),
        ("L*5b", true),
        ("N*5b", false),
        ("N*5c", true),
    ] {
        assert_eq!(has::<Nine>(sfen, mv), legal, "{mv}");
    }
    let knight = "8k/9/9/N8/9/9/9/9/4K4 b - 1";
    assert!(!has::<Nine>(knight, "9d8b"));
    assert!(has::<Nine>(knight, "9d8b+"));
}

#[test]
fn pieces_promote_on_entering_and_on_leaving_the_zone() {
    let sfen = "8k/9/S8/1S7/9/9/9/9/4K4 b - 1";
    for mv in ["9c8b+", "9c9b+", "8d7c+", "8d7c", "9c9b"] {
        assert!(has::<Nine>(sfen, mv), "{mv}");
    }
    assert!(!has::<Nine>(sfen, "8d9e+"));
    assert!(has::<Nine>("8k/9/1S7/9/9/9/9/9/4K4 b - 1", "8c9d+"));
    assert!(has::<Five>("1S2k/5/5/5/K4 b - 1", "4a5b+"));
    assert!(!has::<Five>("4k/1S3/5/5/K4 b - 1", "4b5c+"));
}

#[test]
fn pinned_pieces_stay_on_the_line() {
    let sfen = "4r3k/9/9/9/4S4/9/9/9/4K4 b - 1";
    let silver: Vec<String> = moves::<Nine>(sfen).into_iter().filter(|mv| mv.starts_with("5e")).collect();
    assert_eq!(silver, ["5e5d"]);
    let pawn = "4l3k/9/9/9/4P4/9/9/9/4K4 b - 1";
    assert!(has::<Nine>(pawn, "5e5d"));
    let knight = "4l3k/9/9/9/4N4/9/9/9/4K4 b - 1";
    assert!(moves::<Nine>(knight).iter().all(|mv| !mv.starts_with("5e")));
    let diagonal = "b7k/9/9/9/4P4/9/9/9/8K b - 1";
    assert!(moves::<Nine>(diagonal).iter().all(|mv| !mv.starts_with("5e")));
}

#[test]
fn only_the_king_moves_out_of_a_double_check() {
    // The rook on the file and the horse next to the king.
    let sfen = "4r3k/9/9/9/9/9/9/3+b5/4K4 b RG 1";
    assert!(moves::<Nine>(sfen).iter().all(|mv| mv.starts_with("5i")));
    assert!(position::<Nine>(sfen).in_check());
}

#[test]
fn a_check_from_afar_is_answered_by_going_between() {
    let sfen = "4r3k/9/9/9/9/9/9/9/4K4 b PG 1";
    let drops = moves::<Nine>(sfen).iter().filter(|mv| mv.starts_with("G*")).count();
    assert_eq!(drops, 7);
    let drops = moves::<Nine>(sfen).iter().filter(|mv| mv.starts_with("P*")).count();
    assert_eq!(drops, 7);
}

#[test]
fn keys_do_not_depend_on_the_path() {
    fn check<G: Geometry>(board: &Board<G>) {
        let sfen = Setup::of(board, 1).to_string();
        let read: Board<G> = self::board(&sfen);
        assert_eq!(read, *board, "{sfen}");
        assert_eq!(read.key(), board.key(), "{sfen}");
    }
    random_boards::<Nine>(20, 200, check);
    random_boards::<Five>(100, 100, check);
}

#[test]
fn keys_differ_by_hand_side_and_square() {
    let keys = [
        "4k4/9/9/9/9/9/9/9/4K4 b - 1",
        "4k4/9/9/9/9/9/9/9/4K4 w - 1",
        "4k4/9/9/9/9/9/9/9/4K4 b P 1",
        "4k4/9/9/9/9/9/9/9/4K4 b p 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 2P 1",
        "4k4/9/9/9/9/9/9/9/3K5 b - 1",
    ]
    .map(|sfen| board::<Nine>(sfen).key());
    for (n, key) in keys.iter().enumerate() {
        assert!(!keys[..n].contains(key), "position {n}");
    }
    // Hand dominance looks positions up without their hands.
    let [without, with] = ["4k4/9/9/9/9/9/9/9/4K4 b - 1", "4k4/9/9/9/9/9/9/9/4K4 b P 1"].map(board::<Nine>);
    assert_eq!(without.board_key(), with.board_key());
}
