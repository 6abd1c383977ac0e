//! KIF and CSA records: read, written, refused.

use super::{EndRules, Five, Geometry, Minishogi, Nine, Shogi, ShogiGame, csa, kif, transcript};
use proptest::prelude::*;
use tesuji_core::{GameRecord, GameRules, Move as _, MoveList, Outcome, Place, Position, Rules, Side, Stream};

fn shogi() -> Shogi {
    Shogi::new(Rules::Official)
}

/// A file that another program wrote, in `tests/kifu`.
macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../../tests/kifu/", $name))
    };
}

/// The moves of a record in USI.
fn usi<G: Geometry>(record: &GameRecord) -> String {
    let text = |bits| super::usi::format_move::<G>(super::Move::from_bits(bits).unwrap());
    record.moves.iter().map(|played| text(played.bits)).collect::<Vec<_>>().join(" ")
}

fn tag<'a>(record: &'a GameRecord, name: &str) -> Option<&'a str> {
    record.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
}

const SAMPLE: &str = "\
# ----  Kifu for Windows V7  ----
開始日時：2026/01/02 03:04:05
棋戦：練習対局
手合割：平手　　
先手：先手 太郎
後手：後手：花子
*a comment at the head
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:16/00:00:16)+
*a comment
   2 ３四歩(33)   ( 0:00/00:00:00)
&a bookmark
   3 ２二角成(88)   ( 0:00/00:00:16)
   4 同　銀(31)
   5 ４五角打
   6 ５四角打
   7 同　角(45)
   8 同　歩(53)
   9 1五角打
  10 ６二玉(51)
  11 ３三角不成(15)
  12 同　銀(22)
  13 投了
まで12手で後手の勝ち

変化：1手
   1 ２六歩(27)
";

#[test]
fn kif_forms_are_read() {
    let record = kif::read(&shogi(), SAMPLE.as_bytes()).unwrap();
    assert_eq!(usi::<Nine>(&record), "7g7f 3c3d 8h2b+ 3a2b B*4e B*5d 4e5d 5c5d B*1e 5a6b 1e3c 2b3c");
    assert_eq!((record.outcome, record.ending.as_str()), (Some(Outcome::Win(Side::Second)), "resignation"));
    assert_eq!(record.start, "startpos");
    assert_eq!(tag(&record, "Black"), Some("先手 太郎"));
    assert_eq!(tag(&record, "White"), Some("後手：花子"));
    assert_eq!(tag(&record, "Event"), Some("練習対局"));
    assert_eq!(tag(&record, "Date"), Some("2026/01/02 03:04:05"));
    record.replay(shogi().start(), |_, _, _| {}).unwrap();
}

#[test]
fn encodings_and_line_endings_do_not_matter() {
    let record = kif::read(&shogi(), SAMPLE.as_bytes()).unwrap();
    let windows = SAMPLE.replace('\n', "\r\n");
    let shift_jis = transcript::to_shift_jis(&windows).unwrap();
    let marked = [b"\xef\xbb\xbf", windows.as_bytes()].concat();
    for bytes in [windows.as_bytes(), &shift_jis, &marked] {
        assert_eq!(kif::read(&shogi(), bytes).as_ref(), Ok(&record));
    }
    assert!(kif::read(&shogi(), b"\xff\xff\xff\n").unwrap_err().problem().contains("Shift-JIS"));
    assert!(transcript::to_shift_jis("a🎲").unwrap_err().problem().contains('🎲'));
}

#[test]
fn files_of_another_program_are_read() {
    let game = kif::read(&shogi(), file!("cshogi.kif")).unwrap();
    assert_eq!(usi::<Nine>(&game), String::from_utf8_lossy(file!("cshogi.usi")).trim());
    let handicap = kif::read(&shogi(), file!("cshogi-handicap.kifu")).unwrap();
    assert_eq!(usi::<Nine>(&handicap), String::from_utf8_lossy(file!("cshogi-handicap.usi")).trim());
    assert!(handicap.start.starts_with("lnsgkgsnl/9/ppp"));
    assert_eq!(handicap.outcome, Some(Outcome::Draw));
    let [first, second] = &csa::read(&shogi(), file!("cshogi.csa")).unwrap()[..] else { panic!("two games") };
    assert_eq!(first.moves, game.moves);
    assert_eq!(first.outcome, game.outcome);
    assert_eq!((tag(first, "Black"), tag(first, "Event")), (Some("先手太郎"), Some("test")));
    assert_eq!(usi::<Nine>(second), String::from_utf8_lossy(file!("cshogi-2.usi")).trim());
    assert_eq!(second.start, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
    assert_eq!(second.outcome, None);
}

#[test]
fn csa_forms_are_read() {
    let text = "'comment\nV2.2\nN+A, B\nN-C\n$SITE:here: or there\n$X:y\nPI82HI22KA\n-\n-5142OU,T12\n+7776FU,'a, b\n\
                -4251OU,T1,+2726FU\n%+ILLEGAL_ACTION\n/\nP1 *  *  *  * -OU\nP5+OU\nP+00FU\nP-00AL\n+\n";
    let error = csa::read(&shogi(), text.as_bytes()).unwrap_err();
    assert!(error.problem().contains("too short"), "{error}");
    let [game] = &csa::read(&shogi(), text.split('/').next().unwrap().as_bytes()).unwrap()[..] else { panic!() };
    assert_eq!(usi::<Nine>(game), "5a4b 7g7f 4b5a 2g2f");
    assert_eq!(game.start, "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
    assert_eq!((game.outcome, game.ending.as_str()), (Some(Outcome::Win(Side::Second)), "illegal move"));
    assert_eq!(
        (tag(game, "Black"), tag(game, "Site"), tag(game, "X")),
        (Some("A, B"), Some("here: or there"), Some("y"))
    );
    // Single pieces, and the rest in hand.
    let [game] = &csa::read(&shogi(), b"P-51OU\nP+59OU00HI\nP-00AL\n+\n+0052HI\n%TSUMI\n").unwrap()[..] else {
        panic!()
    };
    assert_eq!(game.start, "4k4/9/9/9/9/9/9/9/4K4 b Rr2b4g4s4n4l18p 1");
    assert_eq!(game.moves.len(), 1);
}

#[test]
fn ends_are_told_apart() {
    let kif =
        |word: &str| kif::read(&shogi(), format!("手合割：平手\n   1 ７六歩(77)\n   2 {word}\n").as_bytes()).unwrap();
    let csa = |word: &str| csa::read(&shogi(), format!("PI\n+\n+7776FU\n%{word}\n").as_bytes()).unwrap().remove(0);
    let (first, second) = (Some(Outcome::Win(Side::First)), Some(Outcome::Win(Side::Second)));
    let cases = [
        ("投了", "TORYO", first, "resignation"),
        ("詰み", "TSUMI", first, "checkmate"),
        ("切れ負け", "TIME_UP", first, "out of time"),
        ("反則負け", "ILLEGAL_MOVE", first, "illegal move"),
        ("反則負け", "-ILLEGAL_ACTION", first, "illegal move"),
        ("反則勝ち", "+ILLEGAL_ACTION", second, "illegal move"),
        ("入玉勝ち", "KACHI", second, "declaration"),
        ("持将棋", "JISHOGI", Some(Outcome::Draw), "impasse"),
        ("千日手", "SENNICHITE", Some(Outcome::Draw), "fourfold repetition"),
        ("最大手数", "MAX_MOVES", Some(Outcome::Draw), "move limit"),
        ("引き分け", "HIKIWAKE", Some(Outcome::Draw), "draw"),
        ("中断", "CHUDAN", None, ""),
    ];
    for (word, csa_word, outcome, ending) in cases {
        for record in [kif(word), csa(csa_word)] {
            assert_eq!((record.outcome, record.ending.as_str()), (outcome, ending), "{word} {csa_word}");
            // Written and read again, it is the same.
            let text = kif::write(&shogi(), &record).unwrap();
            assert_eq!(kif::read(&shogi(), text.as_bytes()).as_ref(), Ok(&record), "{text}");
            let text = csa::write(&shogi(), &record).unwrap();
            assert_eq!(csa::read(&shogi(), text.as_bytes()).unwrap(), [record], "{text}");
        }
    }
    assert_eq!(kif("不戦敗").outcome, first);
    assert_eq!(kif("不戦勝").outcome, second);
}

#[test]
fn results_without_a_word_for_them_survive_in_kif() {
    let mut record = kif::read(&shogi(), "手合割：平手\n   1 ７六歩(77)\n   2 中断\n".as_bytes()).unwrap();
    record.outcome = Some(Outcome::Win(Side::Second));
    record.ending = "adjudication".to_owned();
    let text = kif::write(&shogi(), &record).unwrap();
    assert_eq!(kif::read(&shogi(), text.as_bytes()).unwrap().outcome, record.outcome);
}

#[test]
fn an_illegal_move_is_an_error_unless_it_lost_the_game() {
    let text = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ８三角(88)\n";
    let lost = kif::read(&shogi(), format!("{text}   4 反則勝ち\n").as_bytes()).unwrap();
    assert_eq!((lost.moves.len(), lost.outcome), (2, Some(Outcome::Win(Side::Second))));
    let error = kif::read(&shogi(), format!("{text}   4 ８四歩(83)\n").as_bytes()).unwrap_err();
    assert_eq!(error.place(), Some(Place::Line(4)), "{error}");
    let error = csa::read(&shogi(), b"PI\n+\n+7776FU\n-3334FU\n+8811KA\n").unwrap_err();
    assert_eq!(error.place(), Some(Place::Line(5)), "{error}");
    let lost = csa::read(&shogi(), b"PI\n+\n+7776FU\n-3334FU\n+8811KA\n%ILLEGAL_MOVE\n").unwrap();
    assert_eq!((lost[0].moves.len(), lost[0].outcome), (2, Some(Outcome::Win(Side::Second))));
}

#[test]
fn errors_name_the_line() {
    let kif = |line: usize, text: &str| {
        let error = kif::read(&shogi(), text.as_bytes()).expect_err(text);
        assert_eq!(error.place(), Some(Place::Line(line)), "{error}");
    };
    let csa = |line: usize, text: &str| {
        let error = csa::read(&shogi(), text.as_bytes()).expect_err(text);
        assert_eq!(error.place(), Some(Place::Line(line)), "{error}");
    };
    kif(1, "");
    kif(1, "hello\n");
    kif(1, "手合割：百枚落ち\n");
    kif(2, "手合割：平手\n   1 ７六歩(76)\n");
    kif(2, "手合割：平手\n   1 同　歩(77)\n");
    kif(2, "手合割：平手\n   1 ７六歩\n");
    kif(2, "手合割：平手\n   1 ７六\n");
    kif(2, "手合割：平手\n   1 ７六象(77)\n");
    kif(2, "手合割：平手\n   1 ７十歩(77)\n");
    kif(2, "手合割：平手\n   1 ５五玉打\n");
    kif(3, "手合割：平手\n   1 投了\n   2 ７六歩(77)\n");
    kif(3, "手合割：平手\n   1 ７六歩(77)\nhello\n");
    kif(1, "先手の持駒：歩十九\n");
    kif(1, "先手の持駒：歩　歩\n");
    kif(2, "先手の持駒：なし\n|v香v桂v銀v金v玉v金v銀v桂|一\n");
    kif(2, "|v香v桂v銀v金v玉v金v銀v桂v香|一\n   1 ７六歩(77)\n");
    csa(1, "");
    csa(1, "hello\n");
    csa(1, "+7776FU\n");
    csa(3, "PI\n+\n-3334FU\n");
    csa(3, "PI\n+\n+7776KA\n");
    csa(3, "PI\n+\n+7776XX\n");
    csa(3, "PI\n+\n+77é\n");
    csa(3, "PI\n+\n+\n");
    csa(3, "PI\n+\n%NONSENSE\n");
    csa(3, "PI\n+\nN+too late\n");
    csa(4, "PI\n+\n%TORYO\n+7776FU\n");
    csa(1, "PI55FU\n");
    csa(1, "P0\n");
    csa(1, "P\n");
    csa(1, "P+é\n");
    csa(1, "P+00ALFU\n");
    csa(2, "P+00FU\n+\n");
    csa(1, "+\n");
    csa(2, "N+A\n/\n");
}

#[test]
fn diagrams_are_read_as_they_are_written() {
    for sfen in [
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L11P 1",
        "4k4/9/9/9/+p+l+n+s+b+r3/9/9/9/4K4 b 10P 1",
    ] {
        let mut record = GameRecord::new("shogi", Rules::Official, 1, sfen);
        record.rules_version = shogi().rules_version();
        let text = kif::write(&shogi(), &record).unwrap();
        assert_eq!(kif::read(&shogi(), text.as_bytes()).unwrap().start, sfen, "{text}");
        let text = csa::write(&shogi(), &record).unwrap();
        assert_eq!(csa::read(&shogi(), text.as_bytes()).unwrap()[0].start, sfen, "{text}");
    }
}

#[test]
fn tags_cannot_break_a_record() {
    let mut record = GameRecord::new("shogi", Rules::Official, shogi().rules_version(), "startpos");
    for (name, value) in [
        ("Black", "two\nlines"),
        ("手合割", "香落ち"),
        ("1", "x"),
        ("a\nb", "c"),
        ("", ""),
        ("先手の持駒", "歩"),
        ("a:b", "c"),
        ("変化", "1手"),
        ("*", "|"),
        ("+", "-"),
    ] {
        record.tags.push((name.to_owned(), value.to_owned()));
    }
    let text = kif::write(&shogi(), &record).unwrap();
    let read = kif::read(&shogi(), text.as_bytes()).unwrap();
    assert_eq!((read.start.as_str(), tag(&read, "Black")), ("startpos", Some("two lines")), "{text}");
    let text = csa::write(&shogi(), &record).unwrap();
    let read = csa::read(&shogi(), text.as_bytes()).unwrap().remove(0);
    assert_eq!((read.start.as_str(), tag(&read, "Black")), ("startpos", Some("two lines")), "{text}");
}

#[test]
fn records_that_do_not_fit_are_refused() {
    let mini = GameRecord::new("minishogi", Rules::Official, 1, "startpos");
    assert!(kif::write(&shogi(), &mini).is_err());
    let mut broken = GameRecord::new("shogi", Rules::Official, 1, "startpos");
    broken.moves.push(tesuji_core::record::Played { bits: 5, thought: None });
    assert!(csa::write(&shogi(), &broken).unwrap_err().problem().contains("move 1"));
}

/// A random game as a record.
fn random_game<G: Geometry>(game: &ShogiGame<G>, start: &str, seed: u64, plies: u32) -> GameRecord {
    let mut random = Stream::new(seed, "test", 0);
    let mut position = tesuji_core::game::parse_line(game, start).unwrap();
    let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), start);
    record.tags.push(("Black".to_owned(), "random".to_owned()));
    let mut moves = MoveList::new();
    for _ in 0..plies {
        if position.expand(&mut moves).is_some() {
            break;
        }
        let mv = moves[random.below(moves.len())];
        record.push(mv);
        position.play(mv);
    }
    record.outcome = position.outcome();
    record.ending = position.ending().to_owned();
    record
}

fn round_trip<G: Geometry>(game: &ShogiGame<G>, record: &GameRecord) {
    let text = kif::write(game, record).unwrap();
    assert_eq!(kif::read(game, text.as_bytes()).as_ref(), Ok(record), "{text}");
    let text = csa::write(game, record).unwrap();
    assert_eq!(csa::read(game, text.as_bytes()).as_deref(), Ok(std::slice::from_ref(record)), "{text}");
}

#[test]
fn minishogi_has_both_forms() {
    let game = Minishogi::new(Rules::Official);
    let record = random_game(&game, "startpos", 3, 20);
    let text = kif::write(&game, &record).unwrap();
    assert!(text.contains("手合割：５五将棋\n"), "{text}");
    round_trip(&game, &record);
    // The fourth occurrence loses for the first player there.
    let shuffle = "   1 ４四玉(55)\n   2 ２二玉(11)\n   3 ５五玉(44)\n   4 １一玉(22)\n".repeat(3);
    let record = kif::read(&game, format!("手合割：5五将棋\n{shuffle}  13 千日手\n").as_bytes()).unwrap();
    assert_eq!(record.outcome, Some(Outcome::Win(Side::Second)));
    assert_eq!(record.ending, "fourfold repetition");
    round_trip(&game, &record);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn games_come_back_as_they_were_written(seed: u64, plies in 0..300_u32) {
        round_trip(&shogi(), &random_game(&shogi(), "startpos", seed, plies));
        let handicap = "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        round_trip(&shogi(), &random_game(&shogi(), handicap, seed, plies));
        for rules in Rules::ALL {
            let game = Minishogi::new(rules);
            round_trip(&game, &random_game(&game, "startpos", seed, plies));
            round_trip(&game, &random_game(&game, "2k2/5/5/5/2K2 b RBGSPrbgsp 1", seed, plies));
        }
    }

    #[test]
    fn no_bytes_make_the_readers_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = kif::read(&shogi(), &bytes);
        let _ = csa::read(&shogi(), &bytes);
    }

    #[test]
    fn no_damage_makes_the_readers_panic(at in 0..2000_usize, cut in 0..8_usize, insert in "\\PC{0,6}") {
        let damage = |text: &str| {
            let from = text.char_indices().map(|(index, _)| index).nth(at % text.chars().count()).unwrap_or(0);
            let rest: String = text[from..].chars().skip(cut).collect();
            format!("{}{insert}{rest}", &text[..from])
        };
        let csa_text = csa::write(&shogi(), &kif::read(&shogi(), SAMPLE.as_bytes()).unwrap()).unwrap();
        let diagram = "後手の持駒：飛　歩十八\n|v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・|二\n| ・ ・ ・ ・ ・|三\n\
                       | ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ 玉|五\n先手の持駒：なし\n後手番\n   1 ５五飛打\n";
        let position = "P1-OU *  *  * +TO\nP2 *  *  *  *  * \nP3 *  *  *  *  * \nP4 *  *  *  *  * \nP5 *  *  *  * +OU\n\
                        P+00HI\nP-00AL\n+\n+0055HI\n";
        let _ = kif::read(&shogi(), damage(SAMPLE).as_bytes());
        let _ = csa::read(&shogi(), damage(&csa_text).as_bytes());
        let mini = ShogiGame::<Five>::new(Rules::Paper);
        let _ = kif::read(&mini, damage(diagram).as_bytes());
        let _ = csa::read(&mini, damage(position).as_bytes());
    }
}

#[test]
fn huge_files_are_refused_and_long_ones_are_quick() {
    let huge = vec![b'*'; transcript::LONGEST_FILE + 1];
    assert!(kif::read(&shogi(), &huge).unwrap_err().problem().contains("longer"));
    // Twenty thousand moves, mostly repetitions, which real records may go on after.
    let shuffle = "+5948OU\n-5142OU\n+4859OU\n-4251OU\n".repeat(5000);
    let games = csa::read(&shogi(), format!("PI\n+\n{shuffle}%CHUDAN\n").as_bytes()).unwrap();
    assert_eq!(games[0].moves.len(), 20_000);
}

#[test]
fn games_may_go_on_where_the_rules_end_them() {
    let shuffle = "+5948OU\n-5142OU\n+4859OU\n-4251OU\n".repeat(4);
    let record = csa::read(&shogi(), format!("PI\n+\n{shuffle}%TORYO\n").as_bytes()).unwrap().remove(0);
    assert_eq!((record.moves.len(), record.outcome), (16, Some(Outcome::Draw)), "the last position is a repetition");
    assert!(record.replay(shogi().start(), |_, _, _| {}).is_err());
    let endless = Shogi::with_ends(Rules::Official, EndRules::NONE);
    assert_eq!(record.replay(endless.start(), |_, _, _| {}).unwrap().outcome(), None);
    round_trip(&shogi(), &record);
    let resigned = csa::read(&endless, format!("PI\n+\n{shuffle}%TORYO\n").as_bytes()).unwrap().remove(0);
    assert_eq!(resigned.outcome, Some(Outcome::Win(Side::Second)));
}

#[test]
fn handicaps_keep_their_names() {
    let names = ["香", "右香", "角", "飛車", "飛香", "二枚", "三枚", "四枚", "五枚", "左五枚", "六枚", "八枚", "十枚"];
    for name in names {
        let text = format!("手合割：{name}落ち\n   1 投了\n");
        let record = kif::read(&shogi(), text.as_bytes()).unwrap();
        assert_eq!(record.outcome, Some(Outcome::Win(Side::First)), "the stronger player begins");
        assert!(kif::write(&shogi(), &record).unwrap().contains(&format!("手合割：{name}落ち\n")));
        round_trip(&shogi(), &record);
    }
}
