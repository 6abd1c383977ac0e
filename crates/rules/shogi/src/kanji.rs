//! Pieces, numbers and hands as Japanese writes them: for KIF and for boards on a terminal.

use super::geometry::Geometry;
use super::hand::Hand;
use super::piece::Kind;
use super::square::Square;

/// The kinds as moves name them, in the order of their numbers.
pub(super) const NAMES: [&str; 14] =
    ["歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "龍"];

/// Other names in use, and the one-character names of diagrams.
const OTHER_NAMES: [(&str, Kind); 5] = [
    ("王", Kind::King),
    ("竜", Kind::Dragon),
    ("杏", Kind::ProLance),
    ("圭", Kind::ProKnight),
    ("全", Kind::ProSilver),
];

/// The kinds in diagrams, in the order of their numbers.
pub(super) const DIAGRAM: [char; 14] =
    ['歩', '香', '桂', '銀', '角', '飛', '金', '玉', 'と', '杏', '圭', '全', '馬', '龍'];

/// The numbers of files.
pub(super) const WIDE_DIGITS: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
/// The numbers of ranks, and of pieces in hand.
pub(super) const KANJI_DIGITS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// The kinds in the order in which hands are announced.
pub(super) const HAND_ORDER: [Kind; 7] =
    [Kind::Rook, Kind::Bishop, Kind::Gold, Kind::Silver, Kind::Knight, Kind::Lance, Kind::Pawn];

/// A hand in words: `飛　角二　歩十八`, or `なし`.
pub(super) fn hand_words(hand: Hand) -> String {
    let words: Vec<String> = HAND_ORDER
        .into_iter()
        .filter(|&kind| hand.has(kind))
        .map(|kind| {
            let name = NAMES[kind.index()];
            match hand.count(kind) as usize {
                1 => name.to_owned(),
                count @ 2..=9 => format!("{name}{}", KANJI_DIGITS[count - 1]),
                10 => format!("{name}十"),
                count => format!("{name}十{}", KANJI_DIGITS[(count - 11).min(8)]),
            }
        })
        .collect();
    if words.is_empty() { "なし".to_owned() } else { words.join("　") }
}

/// The digit from 1 that stands for itself in an alphabet.
pub(super) fn digit_in(digits: [char; 9], letter: char) -> Option<u8> {
    digits.iter().position(|&digit| digit == letter).map(|at| at as u8 + 1)
}

/// The kind whose name the text begins with, and the rest.
pub(super) fn split_kind(text: &str) -> Option<(Kind, &str)> {
    let names = NAMES.into_iter().zip(Kind::ALL).chain(OTHER_NAMES);
    names.into_iter().find_map(|(name, kind)| text.strip_prefix(name).map(|rest| (kind, rest)))
}

/// The square that a move goes to, and the rest: `７六`, `76`, or `同` for that of the move before.
pub(super) fn read_target<G: Geometry>(text: &str, previous: Option<Square>) -> Option<(Square, &str)> {
    if let Some(rest) = text.strip_prefix('同') {
        return previous.map(|square| (square, rest.trim_start()));
    }
    let mut letters = text.chars();
    let file = letters.next()?;
    let file = digit_in(WIDE_DIGITS, file).or_else(|| file.to_digit(10).map(|digit| digit as u8))?;
    let rank = letters.next()?;
    let rank = digit_in(KANJI_DIGITS, rank).or_else(|| rank.to_digit(10).map(|digit| digit as u8))?;
    Some((G::square(file.checked_sub(1)?, rank.checked_sub(1)?)?, letters.as_str()))
}

/// The origin that stands behind a move: `(77)`.
pub(super) fn read_origin<G: Geometry>(text: &str) -> Option<Square> {
    let [b'(', file @ b'1'..=b'9', rank @ b'1'..=b'9', b')', ..] = *text.as_bytes() else {
        return None;
    };
    G::square(file - b'1', rank - b'1')
}
