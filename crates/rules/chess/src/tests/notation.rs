use super::*;
use crate::{Board, fen, san};
use proptest::prelude::*;
use tesuji_core::{Place, Style};

#[test]
fn moves_are_read_as_they_are_written() {
    for seed in 100..104 {
        random_game(seed, 200, |position, moves| {
            for &mv in moves {
                assert_eq!(position.parse_move(&position.format_move(mv)).unwrap(), mv);
                let text = san::format(position.board(), mv);
                assert_eq!(position.parse_move(&text).unwrap(), mv, "{text}");
            }
        });
    }
}

#[test]
fn san_is_written_as_the_standard_says() {
    for (fen, uci, expected) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "O-O"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", "O-O-O"),
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "axb8=Q+"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("4k3/8/8/8/8/8/8/RN2KN1R w KQ - 0 1", "b1d2", "Nbd2"),
        ("R7/7k/8/8/8/8/8/R3K3 w - - 0 1", "a1a4", "R1a4"),
        ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", "Rd8#"),
    ] {
        let position = position(fen);
        let mv = position.parse_move(uci).unwrap();
        assert_eq!(san::format(position.board(), mv), expected);
        assert_eq!(position.parse_move(expected).unwrap(), mv);
    }
}

#[test]
fn moves_are_also_read_from_loose_san() {
    let castling = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for (text, uci) in [("0-0", "e1g1"), ("0-0-0+", "e1c1"), ("O-O!?", "e1g1"), ("Ra1b1", "a1b1"), ("Rxa8#", "a1a8")] {
        assert_eq!(castling.format_move(castling.parse_move(text).unwrap()), uci);
    }
}

#[test]
fn other_moves_are_refused_in_one_line() {
    let start = line("startpos");
    let long = "x".repeat(10_000);
    for text in ["", " ", "e2e5", "e7e5", "Ke2", "e9", "O-O", "--", "Q@e4", "e1h1", "e2e4q", "é", "\0", "moves", &long]
    {
        let error = start.parse_move(text).unwrap_err().to_string();
        assert!(!error.contains('\n') && error.len() < 300, "{error}");
    }
    let two = position("4k3/8/8/8/8/8/8/RN2KN1R w KQ - 0 1");
    assert!(two.parse_move("Nd2").unwrap_err().to_string().contains("ambiguous"));
}

#[test]
fn positions_are_read_as_they_are_written() {
    let chess = Chess::new(Rules::Official);
    for seed in 200..208 {
        random_game(seed, 200, |position, moves| {
            let text = chess.format_position(position);
            let again = chess.parse_position(&text).unwrap();
            assert_eq!(chess.format_position(&again), text);
            assert_eq!(again.key(), position.key());
            assert_eq!(again.ply(), position.ply());
            let mut listed = MoveList::new();
            again.movements(&mut listed);
            assert_eq!(listed, moves);
        });
    }
}

#[test]
fn fen_is_taken_in_its_usual_forms() {
    for (text, written) in [
        ("4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("  4k3/8/8/8/8/8/8/4K2R  b  -  -  7  0 ", "4k3/8/8/8/8/8/8/4K2R b - - 7 1"),
        // An en passant square that nobody can use is forgotten.
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b kqKQ e3 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        ),
    ] {
        assert_eq!(fen::format(&Board::new(&fen::parse(text).unwrap())), written);
    }
    assert_eq!(position("4k3/8/8/8/8/8/8/4K2R b - - 0 20").ply(), 39);
}

#[test]
fn bad_fen_is_refused_with_place_and_problem() {
    for (text, place, problem) in [
        ("", None, "found 0"),
        ("8/8/8/8/8/8/8/8 w", None, "found 2"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 extra", None, "more than six"),
        ("4k3/8/8/8/8/8/8/4KX2 w - - 0 1", Some(19), "no such piece 'X'"),
        ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", Some(5), "no such piece '9'"),
        ("4k3/7/8/8/8/8/8/4K3 w - - 0 1", Some(6), "rank 7 has 7 squares"),
        ("4k3/44p/8/8/8/8/8/4K3 w - - 0 1", Some(7), "rank 7 has more than eight"),
        ("4k3/8/8/8/8/8/8/4K3/8 w - - 0 1", Some(20), "more than eight ranks"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", Some(18), "ends on rank 2"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", Some(21), "`w` or `b`"),
        ("4k3/8/8/8/8/8/8/4K3 w X - 0 1", Some(23), "KQkq"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", Some(23), "rook on h1"),
        ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", Some(25), "twice"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", Some(25), "en passant"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", None, "en passant"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", Some(27), "halfmove clock"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 +1", Some(29), "move number"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 99999999999 1", Some(27), "halfmove clock"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", None, "White has no king"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", None, "Black has no king"),
        ("4kk2/8/8/8/8/8/8/4K3 w - - 0 1", None, "Black has 2 kings"),
        ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", None, "pawn stands on h1"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", None, "not to move is in check"),
        ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", None, "promotions"),
        ("4k3/8/3N1N2/8/8/8/8/4K3 b - - 0 1", None, "no move can have given"),
    ] {
        let error = fen::parse(text).unwrap_err();
        assert!(error.problem().contains(problem), "{text:?}: {error}");
        assert_eq!(error.place(), place.map(Place::Character), "{text:?}: {error}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parsers_panic(text in "[ -~éß0-9/a-hKQRBNPkqrbnpwx=+#-]{0,90}") {
        let _ = fen::parse(&text);
        let _ = line("startpos").parse_move(&text);
    }

    #[test]
    fn damaged_fen_never_panics(at in 0_usize..70, letter in any::<char>()) {
        let mut text: Vec<char> = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".chars().collect();
        let at = at % text.len();
        text[at] = letter;
        let text: String = text.into_iter().collect();
        if let Ok(board) = fen::parse(&text) {
            fen::parse(&fen::format(&Board::new(&board))).unwrap();
        }
    }
}

#[test]
fn the_board_is_drawn() {
    let chess = Chess::new(Rules::Official);
    let board = chess.render(&line("startpos moves e2e4"), Style::default());
    let expected = "\
8  r n b q k b n r
7  p p p p p p p p
6  . . . . . . . .
5  . . . . . . . .
4  . . . . P . . .
3  . . . . . . . .
2  P P P P . P P P
1  R N B Q K B N R
   a b c d e f g h";
    assert_eq!(board, expected);
    let colored = chess.render(&line("startpos"), Style { color: true, ..Style::default() });
    assert_eq!(colored.matches('\u{265a}').count(), 2);
    assert_eq!(colored.matches("48;5;180").count(), 32);
}
