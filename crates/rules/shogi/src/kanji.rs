//! Pieces, numbers and hands as Japanese writes them: for KIF and for boards on a terminal.

use super::hand::Hand;
use super::piece::Kind;

/// The kinds as moves name them, in the order of their numbers.
pub(super) const NAMES: [&str; 14] =
    ["歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "龍"];

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
