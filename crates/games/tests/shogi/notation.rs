//! SFEN and USI: what is written is read, and what is wrong is refused with the reason.

use super::{position, random_boards};
use proptest::prelude::*;
use tesuji_core::{GameRules, Move as _, Place, Position, Rules};
use tesuji_games::shogi::{Board, Five, Geometry, Minishogi, Move, Nine, Setup, Shogi, usi};

#[test]
fn sfen_reads_what_it_writes() {
    fn check<G: Geometry>(board: &Board<G>) {
        let setup = Setup::of(board, 77);
        assert_eq!(setup.to_string().parse(), Ok(setup));
    }
    random_boards::<Nine>(20, 200, check);
    random_boards::<Five>(100, 60, check);
}

#[test]
fn sfen_is_written_as_usual() {
    for sfen in [
        Nine::START,
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    ] {
        assert_eq!(position::<Nine>(sfen).sfen(), sfen);
    }
    assert_eq!(position::<Five>("startpos moves 1e1c").sfen(), "rbsgk/4p/4R/P4/KGSB1 w - 2");
}

#[test]
fn impossible_positions_are_refused_with_the_reason() {
    let shogi = Shogi::new(Rules::Official);
    for (sfen, reason) in [
        ("9/9/9/9/9/9/9/9/4K4 b - 1", "the second player has no king"),
        ("4k4/9/9/9/9/9/9/9/9 b - 1", "the first player has no king"),
        ("4k4/9/9/9/9/9/9/9/3KK4 b - 1", "the first player has 2 kings"),
        ("4k4/9/9/9/4R4/9/9/9/4K4 b - 1", "the second player is in check but not to move"),
        ("4k4/9/9/9/P8/P8/9/9/4K4 b - 1", "the first player has two unpromoted pawns on file 9"),
        ("P3k4/9/9/9/9/9/9/9/4K4 b - 1", "the first player's P on 9a can never move"),
        ("4k4/1N7/9/9/9/9/9/9/4K4 b - 1", "the first player's N on 8b can never move"),
        ("4k4/9/9/9/9/9/9/9/l3K4 b - 1", "the second player's L on 9i can never move"),
        ("4k4/9/9/9/9/9/9/RRR6/4K4 b - 1", "3 pieces of kind R, the set has 2"),
        ("4k4/9/9/9/9/9/9/R8/4K4 b Rr 1", "3 pieces of kind R, the set has 2"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 10P10p 1", "20 pieces of kind P, the set has 18"),
    ] {
        assert_eq!(shogi.parse_position(sfen).unwrap_err().problem(), reason, "{sfen}");
    }
}

#[test]
fn malformed_text_is_refused_with_the_place() {
    let shogi = Shogi::new(Rules::Official);
    for (sfen, place, reason) in [
        ("", 1, "the board is missing"),
        ("9/9", 4, "the side to move is missing"),
        ("4k4/9/9/9/9/9/9/9/4K4 b", 24, "the hands are missing"),
        ("4k5/9/9/9/9/9/9/9/4K4 b - 1", 3, "rank 1 has more than 9 squares"),
        ("4k4p/9/9/9/9/9/9/9/4K4 b - 1", 4, "rank 1 has more than 9 squares"),
        ("4k3/9/9/9/9/9/9/9/4K4 b - 1", 4, "rank 1 has 8 squares, not 9"),
        ("4k4/9/9/9/9/9/9/9/4K3 b - 1", 22, "rank 9 has 8 squares, not 9"),
        ("4k4/9/9/9/9/9/9/4K4 b - 1", 20, "the board has 8 ranks, not 9"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 b - 1", 20, "more than 9 ranks"),
        ("4k4/9/9/9/9/9/9/9/4X4 b - 1", 20, "no such piece"),
        ("4k4/9/9/9/9/9/9/9/4+K4 b - 1", 21, "this piece does not promote"),
        ("4k4/9/9/9/9/9/9/9/4++P4 b - 1", 21, "a piece must follow `+`"),
        ("4k4/9/9/9/9/9/9/9/4+ b - 1", 21, "a piece must follow `+`"),
        ("4k4/9/9/9/9/9/9/9/4K4 x - 1", 23, "the side to move must be `b` or `w`"),
        ("4k4/9/9/9/9/9/9/9/4K4 b K 1", 25, "no such piece in hand"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 5 1", 26, "a piece must follow the number"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 19P 1", 26, "no hand has that many pieces of a kind"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 0P 1", 25, "no hand has that many pieces of a kind"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 9R 1", 26, "no hand has that many pieces of this kind"),
        ("4k4/9/9/9/9/9/9/9/4K4 b PP 1", 26, "this kind of piece was given before"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 0", 27, "the move number must be from 1 to 1000000"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 99999999999999999999", 27, "the move number must be from 1 to 1000000"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1 x", 29, "nothing may follow the move number"),
    ] {
        let error = shogi.parse_position(sfen).unwrap_err();
        assert_eq!((error.place(), error.problem()), (Some(Place::Character(place)), reason), "{sfen}");
    }
    let mini = Minishogi::new(Rules::Official);
    assert_eq!(mini.parse_position("rbsgk/4n/5/P4/KGSBR b - 1").unwrap_err().problem(), "no such piece");
    assert_eq!(mini.parse_position("rbsgk/4p/5/P4/KGSBR b L 1").unwrap_err().problem(), "no such piece in hand");
}

#[test]
fn a_mate_problem_needs_only_the_defenders_king() {
    let problem: Setup<Nine> = "4k4/9/9/9/9/9/9/9/9 b G 1".parse().unwrap();
    assert!(problem.mate_problem().is_ok());
    let turned: Setup<Nine> = "4k4/9/9/9/9/9/9/9/9 w G 1".parse().unwrap();
    assert!(turned.mate_problem().is_err());
}

#[test]
fn usi_moves_read_what_they_write() {
    let all = (0..=u32::from(u16::MAX)).filter_map(Move::from_bits);
    for mv in all {
        assert_eq!(usi::parse_move::<Nine>(&usi::format_move::<Nine>(mv)).unwrap(), mv);
    }
}

#[test]
fn malformed_and_illegal_moves_are_told_apart() {
    let start = position::<Nine>("startpos");
    for (text, problem) in [
        ("", "bad move: expected a move such as 2d2c, 2d2c+ or P*2c"),
        ("7g7", "bad move \"7g7\": expected a move such as 2d2c, 2d2c+ or P*2c"),
        ("7g7f=", "bad move \"7g7f=\": expected a move such as 2d2c, 2d2c+ or P*2c"),
        ("0g7f", "bad move \"0g7f\": squares are 1a to 9i"),
        ("7g7j", "bad move \"7g7j\": squares are 1a to 9i"),
        ("7g7g", "bad move \"7g7g\": the piece must move"),
        ("K*5e", "bad move \"K*5e\": no such piece to drop"),
        ("7g7e", "illegal move \"7g7e\""),
        ("P*5e", "illegal move \"P*5e\""),
    ] {
        assert_eq!(start.parse_move(text).unwrap_err().to_string(), problem);
    }
    assert!(position::<Five>("startpos").parse_move("6a5a").is_err());
    assert!(position::<Five>("startpos").parse_move("L*3c").is_err());
    // A move of the large board is no move of the small one, and saying so must not panic.
    let far = usi::parse_move::<Nine>("9i9h").unwrap();
    assert!(position::<Five>("startpos").try_play(far).is_err());
}

proptest! {
    #[test]
    fn no_text_makes_the_parsers_panic(text in "[0-9a-zA-Z+/ *-]{0,60}|.{0,20}") {
        let _ = text.parse::<Setup<Nine>>().map(|setup| (setup.board(), setup.mate_problem()));
        let _ = text.parse::<Setup<Five>>().map(|setup| (setup.board(), setup.mate_problem()));
        let _ = usi::parse_move::<Nine>(&text);
        let _ = usi::parse_move::<Five>(&text);
    }

    #[test]
    fn no_board_makes_validation_panic(
        board in "([1-4+]|[plnsbrgkPLNSBRGK]){5}(/([1-4+]|[plnsbrgkPLNSBRGK]){1,5}){4}", hand in "[1-9PSGBRpsgbr]{0,6}|-"
    ) {
        if let Ok(setup) = format!("{board} b {hand} 1").parse::<Setup<Five>>() {
            for board in [setup.board(), setup.mate_problem()].into_iter().flatten() {
                prop_assert_eq!(Setup::of(&board, 1), setup);
            }
        }
    }
}
