//! KIF (柿木形式) game records: `７六歩(77)`.
//!
//! Written here because the published parsers do not serve: `shogi-kifu-converter` 0.2.2 stops without a word at the
//! first line that it does not understand, does not say where an error is, loses the order of the headers, and knows
//! neither 5x5 boards nor legality.
//!
//! Read: headers, handicaps, board diagrams, every move of the main line, the end. Times, comments, bookmarks and
//! variations are passed over. Files may be in UTF-8 or Shift-JIS, with either kind of line ending. Minishogi differs
//! only by its `手合割：５五将棋` and the size of diagrams.
//!
//! The well-known headers become the tags that PGN gives the same things ([`TAGS`]); others keep their names.
//! Players need not stop where our rules end a game, so the moves of a record may go on there: replay them with
//! [`EndRules::NONE`](super::EndRules::NONE).

use super::board::Board;
use super::game::ShogiGame;
use super::geometry::Geometry;
use super::hand::Hand;
use super::kanji::{
    DIAGRAM, KANJI_DIGITS, NAMES, WIDE_DIGITS, digit_in, hand_words, read_origin, read_target, split_kind,
};
use super::mv::Move;
use super::piece::{Kind, Piece};
use super::setup::Setup;
use super::square::Square;
use super::transcript::{self, End, Line, Transcript, one_line};
use tesuji_core::{GameRecord, Outcome, ParseError, Side};

const KIND: &str = "KIF";

/// Headers and the tags that they become; the first name of each tag is written.
pub const TAGS: [(&str, &str); 12] = [
    ("棋戦", "Event"),
    ("場所", "Site"),
    ("開始日時", "Date"),
    ("対局日", "Date"),
    ("終了日時", "EndTime"),
    ("持ち時間", "TimeControl"),
    ("戦型", "Opening"),
    ("表題", "Title"),
    ("先手", "Black"),
    ("下手", "Black"),
    ("後手", "White"),
    ("上手", "White"),
];

/// How games end; the first word of each end is written.
const ENDS: [(&str, End); 16] = [
    ("投了", End::Resignation),
    ("詰み", End::Checkmate),
    ("切れ負け", End::Time),
    ("反則負け", End::Illegal),
    ("反則勝ち", End::OpponentIllegal),
    ("入玉勝ち", End::Declaration),
    ("入玉宣言", End::Declaration),
    ("不戦敗", End::Forfeit),
    ("不戦勝", End::OpponentForfeit),
    ("持将棋", End::Impasse),
    ("千日手", End::Repetition),
    ("最大手数", End::MoveLimit),
    ("引き分け", End::Draw),
    ("中断", End::Interrupted),
    ("不詰", End::Interrupted),
    ("詰", End::Checkmate),
];

/// Handicaps of the 9x9 game and where they begin; the second player moves first.
const HANDICAPS: [(&str, &str); 13] = [
    ("香落ち", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("右香落ち", "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("角落ち", "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("飛車落ち", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("飛香落ち", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("二枚落ち", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("三枚落ち", "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("四枚落ち", "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("五枚落ち", "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("左五枚落ち", "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("六枚落ち", "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("八枚落ち", "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("十枚落ち", "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
];

/// The name of the ordinary start.
const fn even<G: Geometry>() -> &'static str {
    if G::SIZE == 9 { "平手" } else { "５五将棋" }
}

/// Reads a game.
///
/// # Errors
/// If the file is not a KIF record of this game, or a move is illegal and the record does not say that it lost; the
/// error names the line.
pub fn read<G: Geometry>(game: &ShogiGame<G>, bytes: &[u8]) -> Result<GameRecord, ParseError> {
    let text = transcript::decode(KIND, bytes)?;
    let mut head = Head::<G>::default();
    let mut transcript: Option<Transcript<G>> = None;
    let mut stated = None;
    let mut last = Line { kind: KIND, number: 1, text: "" };
    for (number, text) in text.lines().enumerate() {
        let line = Line { kind: KIND, number: number + 1, text: text.trim() };
        last = line;
        match Part::of(line.text) {
            Part::Nothing => (),
            // Variations stand behind the whole main line.
            Part::Variation => break,
            Part::Numbered(words) => {
                let transcript = match &mut transcript {
                    Some(transcript) => transcript,
                    None => transcript.insert(head.begin(game, &line)?),
                };
                read_move(words, transcript, &line)?;
            }
            Part::Result => stated = read_result(line.text),
            Part::Other if transcript.is_none() => head.read(&line)?,
            Part::Other => return Err(line.wrong("expected a move")),
        }
    }
    let transcript = match transcript {
        Some(transcript) => transcript,
        None if head.is_empty() => return Err(last.wrong("no game")),
        None => head.begin(game, &last)?,
    };
    transcript.finish(stated)
}

/// What a line is, by its beginning.
enum Part<'a> {
    /// Empty, a comment, a bookmark or the title of the columns.
    Nothing,
    Variation,
    /// What stands behind a move number.
    Numbered(&'a str),
    Result,
    /// A header or a line of the diagram.
    Other,
}

impl Part<'_> {
    /// Of a line without space around it.
    fn of(text: &str) -> Part<'_> {
        let numbered = text.split_once(char::is_whitespace).filter(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()));
        if text.is_empty() || text.starts_with(['#', '*', '&']) || text.starts_with("手数") {
            Part::Nothing
        } else if text.starts_with("変化") {
            Part::Variation
        } else if let Some((_, words)) = numbered {
            Part::Numbered(words.trim_start())
        } else if text.starts_with("まで") {
            Part::Result
        } else {
            Part::Other
        }
    }
}

/// Everything before the first move.
struct Head<G: Geometry> {
    tags: Vec<(String, String)>,
    handicap: Option<Setup<G>>,
    /// The diagram, how many ranks of it have been read, and whether any of it has.
    diagram: Setup<G>,
    ranks: u8,
}

impl<G: Geometry> Default for Head<G> {
    fn default() -> Head<G> {
        Head { tags: Vec::new(), handicap: None, diagram: Setup::default(), ranks: 0 }
    }
}

impl<G: Geometry> Head<G> {
    fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.handicap.is_none() && self.ranks == 0
    }

    fn read(&mut self, line: &Line<'_>) -> Result<(), ParseError> {
        if let Some(row) = line.text.strip_prefix('|') {
            return self.read_rank(row, line);
        }
        if line.text.starts_with('+') || line.text.starts_with(WIDE_DIGITS) {
            return Ok(());
        }
        match line.text {
            "先手番" | "下手番" => self.diagram.turn = Side::First,
            "後手番" | "上手番" => self.diagram.turn = Side::Second,
            _ => {
                let (key, value) =
                    line.text.split_once('：').ok_or_else(|| line.wrong("expected a header, a diagram or a move"))?;
                let value = value.trim();
                match key {
                    "先手の持駒" | "下手の持駒" => self.diagram.hands[0] = read_hand(value, line)?,
                    "後手の持駒" | "上手の持駒" => self.diagram.hands[1] = read_hand(value, line)?,
                    "手合割" => self.handicap = read_handicap(value, line)?,
                    _ => {
                        let tag = TAGS.iter().find(|(header, _)| *header == key).map_or(key, |(_, tag)| tag);
                        self.tags.push((tag.to_owned(), value.to_owned()));
                    }
                }
            }
        }
        Ok(())
    }

    fn read_rank(&mut self, row: &str, line: &Line<'_>) -> Result<(), ParseError> {
        if self.ranks == G::SIZE {
            return Err(line.wrong("too many ranks"));
        }
        let mut side = Side::First;
        let mut file = G::SIZE;
        for letter in row.chars().take_while(|&letter| letter != '|') {
            let piece = match letter {
                ' ' | '^' => continue,
                'v' | 'V' => {
                    side = Side::Second;
                    continue;
                }
                '・' | '．' => None,
                _ => {
                    let (kind, _) = split_kind(letter.encode_utf8(&mut [0; 4]))
                        .ok_or_else(|| line.wrong(format!("no piece {letter:?}")))?;
                    Some(Piece::new(side, kind))
                }
            };
            file = file.checked_sub(1).ok_or_else(|| line.wrong("too many files"))?;
            if let Some(square) = G::square(file, self.ranks) {
                self.diagram.put(square, piece);
            }
            side = Side::First;
        }
        if file > 0 {
            return Err(line.wrong(format!("a rank has {} squares", G::SIZE)));
        }
        self.ranks += 1;
        Ok(())
    }

    fn begin(&mut self, game: &ShogiGame<G>, line: &Line<'_>) -> Result<Transcript<G>, ParseError> {
        let setup = match self.ranks {
            0 => self.handicap.unwrap_or_else(|| Setup::of(&Board::start(), 1)),
            ranks if ranks == G::SIZE => self.diagram,
            ranks => return Err(line.wrong(format!("the diagram has {ranks} ranks of {}", G::SIZE))),
        };
        Transcript::new(game, &setup, std::mem::take(&mut self.tags)).map_err(|error| line.locate(&error))
    }
}

/// The start of a named handicap; `None` if a diagram says it.
fn read_handicap<G: Geometry>(name: &str, line: &Line<'_>) -> Result<Option<Setup<G>>, ParseError> {
    let even_names = if G::SIZE == 9 { ["平手", "平手"] } else { ["５五将棋", "5五将棋"] };
    if even_names.contains(&name) {
        return Ok(Some(Setup::of(&Board::start(), 1)));
    }
    if name == "その他" {
        return Ok(None);
    }
    let (_, sfen) = HANDICAPS
        .iter()
        .find(|(handicap, _)| G::SIZE == 9 && *handicap == name)
        .ok_or_else(|| line.wrong("unknown handicap"))?;
    sfen.parse().map(Some).map_err(|error: ParseError| line.locate(&error))
}

/// Reads `飛　角二　歩十八`, or `なし`.
fn read_hand(text: &str, line: &Line<'_>) -> Result<Hand, ParseError> {
    let mut hand = Hand::EMPTY;
    if text == "なし" {
        return Ok(hand);
    }
    for word in text.split_whitespace() {
        let wrong = || line.wrong(format!("{word:?} is no piece in hand"));
        let (kind, count) = split_kind(word).ok_or_else(wrong)?;
        let count = match count.chars().collect::<Vec<_>>()[..] {
            [] => 1,
            ['十'] => 10,
            [digit] => digit_in(KANJI_DIGITS, digit).ok_or_else(wrong)?,
            ['十', digit] => 10 + digit_in(KANJI_DIGITS, digit).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        };
        if hand.has(kind) {
            return Err(line.wrong(format!("{word:?}: the kind is named twice")));
        }
        hand = hand.with(kind, u32::from(count)).ok_or_else(wrong)?;
    }
    Ok(hand)
}

/// Reads what stands behind a move number: a move or the end.
fn read_move<G: Geometry>(text: &str, transcript: &mut Transcript<G>, line: &Line<'_>) -> Result<(), ParseError> {
    if text.starts_with("封じ手") {
        // A sealed move is announced before it is played.
        return Ok(());
    }
    if let Some((_, end)) = ENDS.into_iter().find(|(word, _)| text.starts_with(word)) {
        return transcript.end(end, line);
    }
    transcript.expect_move(line)?;
    let wrong = |problem: &str| line.wrong(problem);
    let (to, rest) = read_target::<G>(text, transcript.previous()).ok_or_else(|| wrong("expected a square or 同"))?;
    let (kind, rest) = split_kind(rest).ok_or_else(|| wrong("expected a piece"))?;
    let (promote, rest) = match rest.strip_prefix("不成") {
        Some(rest) => (false, rest),
        None => rest.strip_prefix('成').map_or((false, rest), |rest| (true, rest)),
    };
    let mv = match rest.strip_prefix('打').or_else(|| rest.strip_prefix("(00)")) {
        Some(_) if promote || !Kind::IN_HAND.contains(&kind) => return Err(wrong("that piece cannot be dropped")),
        Some(_) => Move::drop(kind, to),
        None => {
            let from = read_origin::<G>(rest).ok_or_else(|| wrong("expected 打 or an origin such as (77)"))?;
            let piece = Piece::new(transcript.board().turn(), kind);
            if transcript.board().piece(from) != Some(piece) {
                return Err(wrong("there is no such piece on the origin"));
            }
            Move::new(from, to, promote)
        }
    };
    transcript.play(mv, line);
    Ok(())
}

/// The winner in `まで77手で先手の勝ち`, if one is named.
fn read_result(text: &str) -> Option<Outcome> {
    let first = text.contains("先手の") || text.contains("下手の");
    let second = text.contains("後手の") || text.contains("上手の");
    let side = match (first, second) {
        (true, false) => Side::First,
        (false, true) => Side::Second,
        _ => return None,
    };
    Some(Outcome::Win(if text.contains("負け") { side.other() } else { side }))
}

/// Writes a game, with `\n` at the end of each line.
///
/// # Errors
/// If the record is of another game or does not replay.
pub fn write<G: Geometry>(game: &ShogiGame<G>, record: &GameRecord) -> Result<String, ParseError> {
    let mut moves = String::new();
    let mut number = 0;
    let mut previous = None;
    let (start, last) = transcript::replay(game, record, |board, mv| {
        number += 1;
        moves.push_str(&format!("{number:>4} {}\n", format_move(board, mv, previous)));
        previous = Some(mv.to());
    })?;
    let setup = Setup::of(start.board(), 1);
    let mut text = String::from("#KIF version=2.0 encoding=UTF-8\n");
    for (tag, value) in &record.tags {
        let header = TAGS.iter().find(|(_, name)| name == tag).map_or(tag.as_str(), |(header, _)| header);
        let line = format!("{}：{}", one_line(header).trim(), one_line(value).trim());
        if is_header::<G>(&line) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    push_start::<G>(&mut text, &setup);
    text.push_str("手数----指手---------消費時間--\n");
    text.push_str(&moves);
    let end = End::of(record.outcome, &record.ending, last.turn());
    let (word, _) = ENDS.iter().find(|(_, known)| *known == end).expect("every end has a word");
    text.push_str(&format!("{:>4} {word}\n", number + 1));
    match record.outcome {
        Some(Outcome::Win(winner)) => {
            let name = if winner == Side::First { "先手" } else { "後手" };
            text.push_str(&format!("まで{number}手で{name}の勝ち\n"));
        }
        _ => text.push_str(&format!("まで{number}手で{word}\n")),
    }
    Ok(text)
}

/// Whether the reader takes a line for a header that becomes a tag. A tag of any other format may have a name that
/// means something else here, such as a move number: it is left out.
fn is_header<G: Geometry>(text: &str) -> bool {
    let mut head = Head::<G>::default();
    let line = Line { kind: KIND, number: 1, text };
    !text.starts_with('：') && matches!(Part::of(text), Part::Other) && head.read(&line).is_ok() && head.tags.len() == 1
}

fn push_start<G: Geometry>(text: &mut String, setup: &Setup<G>) {
    let sfen = setup.to_string();
    let handicap = HANDICAPS.iter().find(|(_, known)| *known == sfen).map(|(name, _)| *name);
    match handicap.or((sfen == G::START).then_some(even::<G>())) {
        Some(name) => text.push_str(&format!("手合割：{name}\n")),
        None => {
            // Without a `手合割：その他`, at which some readers stop.
            text.push_str(&diagram(setup));
            if setup.turn == Side::Second {
                text.push_str("後手番\n");
            }
        }
    }
}

/// The board as a diagram with the hands, in full-width characters.
fn diagram<G: Geometry>(setup: &Setup<G>) -> String {
    let hand = |side: Side| hand_words(setup.hands[side.index()]);
    let size = usize::from(G::SIZE);
    let files: Vec<String> = WIDE_DIGITS[..size].iter().rev().map(char::to_string).collect();
    let border = format!("+{}+\n", "-".repeat(3 * size));
    let mut text = format!("後手の持駒：{}\n  {}\n{border}", hand(Side::Second), files.join(" "));
    for rank in 0..G::SIZE {
        text.push('|');
        for file in (0..G::SIZE).rev() {
            match G::square(file, rank).and_then(|square| setup.piece(square)) {
                None => text.push_str(" ・"),
                Some(Piece { side, kind }) => {
                    text.push(if side == Side::First { ' ' } else { 'v' });
                    text.push(DIAGRAM[kind.index()]);
                }
            }
        }
        text.push_str(&format!("|{}\n", KANJI_DIGITS[usize::from(rank)]));
    }
    text + &format!("{border}先手の持駒：{}\n", hand(Side::First))
}

/// A legal move as KIF writes it; `previous` is where the move before it arrived.
pub fn format_move<G: Geometry>(board: &Board<G>, mv: Move, previous: Option<Square>) -> String {
    let name = |square: Square| {
        let (file, rank) = (usize::from(G::file(square)), usize::from(G::rank(square)));
        format!("{}{}", WIDE_DIGITS[file], KANJI_DIGITS[rank])
    };
    let to = if previous == Some(mv.to()) { "同　".to_owned() } else { name(mv.to()) };
    match (mv.dropped(), mv.from()) {
        (None, Some(from)) => {
            let piece = board.piece(from).map_or("", |piece| NAMES[piece.kind.index()]);
            let promotion = if mv.is_promotion() { "成" } else { "" };
            format!("{to}{piece}{promotion}({}{})", G::file(from) + 1, G::rank(from) + 1)
        }
        (kind, _) => format!("{to}{}打", kind.map_or("", |kind| NAMES[kind.index()])),
    }
}
