//! The board for a terminal.

use super::geometry::Geometry;
use super::hand::Hand;
use super::kanji::{DIAGRAM, HAND_ORDER, KANJI_DIGITS, WIDE_DIGITS, hand_words};
use super::piece::Piece;
use super::position::ShogiPosition;
use tesuji_core::{Position, Side, Style};

/// The board with its coordinates, the hands above and below it, and who is to move.
///
/// With letters, as in SFEN: the first player's in upper case, promoted ones behind a `+`. With kanji, as in KIF's
/// diagrams: the second player's behind a `v`, full-width characters throughout so that the columns meet.
pub(super) fn render<G: Geometry>(position: &ShogiPosition<G>, style: Style) -> String {
    let [above, below] = [Side::Second, Side::First].map(|side| hand(side, position.board().hand(side), style));
    let board = if style.kanji { kanji_board(position, style) } else { letter_board(position, style) };
    let mover = match (position.mover(), style.kanji) {
        (Side::First, false) => "black to move",
        (Side::Second, false) => "white to move",
        (Side::First, true) => "☗先手番",
        (Side::Second, true) => "☖後手番",
    };
    let check = match (position.in_check(), style.kanji) {
        (false, _) => "",
        (true, false) => ", in check",
        (true, true) => "　王手",
    };
    format!("{above}\n{board}{below}\n{mover}{check}")
}

fn kanji_board<G: Geometry>(position: &ShogiPosition<G>, style: Style) -> String {
    let size = usize::from(G::SIZE);
    let files: Vec<String> = WIDE_DIGITS[..size].iter().rev().map(char::to_string).collect();
    let border = format!("+{}+\n", "-".repeat(3 * size));
    let mut text = format!("  {}\n{border}", files.join(" "));
    for rank in 0..G::SIZE {
        text.push('|');
        for file in (0..G::SIZE).rev() {
            match G::square(file, rank).and_then(|square| position.board().piece(square)) {
                None => text.push_str(" ・"),
                Some(piece) => {
                    let mark = if piece.side == Side::First { ' ' } else { 'v' };
                    text.push_str(&colored(format!("{mark}{}", DIAGRAM[piece.kind.index()]), piece, style));
                }
            }
        }
        text.push_str(&format!("|{}\n", KANJI_DIGITS[usize::from(rank)]));
    }
    text + &border
}

fn letter_board<G: Geometry>(position: &ShogiPosition<G>, style: Style) -> String {
    let mut text = String::new();
    for file in (1..=G::SIZE).rev() {
        text.push_str(&format!("{file:>3}"));
    }
    text.push('\n');
    for rank in 0..G::SIZE {
        for file in (0..G::SIZE).rev() {
            match G::square(file, rank).and_then(|square| position.board().piece(square)) {
                None => text.push_str("  ."),
                Some(piece) => text.push_str(&colored(format!("{:>3}", piece.sfen()), piece, style)),
            }
        }
        text.push_str(&format!("  {}\n", char::from(b'a' + rank)));
    }
    text
}

/// A piece in its side's colour, brighter if it is promoted.
fn colored(name: String, piece: Piece, style: Style) -> String {
    let code = match (style.color, piece.side, piece.kind.is_promoted()) {
        (false, ..) => return name,
        (true, Side::First, false) => "1",
        (true, Side::First, true) => "1;31",
        (true, Side::Second, false) => "36",
        (true, Side::Second, true) => "35",
    };
    format!("\x1b[{code}m{name}\x1b[0m")
}

fn hand(side: Side, hand: Hand, style: Style) -> String {
    if style.kanji {
        let name = if side == Side::First { "☗先手の持駒" } else { "☖後手の持駒" };
        return format!("{name}：{}", hand_words(hand));
    }
    let pieces: Vec<String> = HAND_ORDER
        .into_iter()
        .filter(|&kind| hand.has(kind))
        .map(|kind| match hand.count(kind) {
            1 => Piece::new(side, kind).sfen(),
            count => format!("{}x{count}", Piece::new(side, kind).sfen()),
        })
        .collect();
    let name = if side == Side::First { "black" } else { "white" };
    format!("{name}'s hand: {}", if pieces.is_empty() { "-".to_owned() } else { pieces.join(" ") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Minishogi, Shogi};
    use tesuji_core::{GameRules, Rules};

    #[test]
    fn letters_and_kanji_show_the_same_position() {
        let position = Minishogi::new(Rules::Official).parse_position("4k/4+P/P4/5/K3R w 2Gbs 8").unwrap();
        let letters = render(&position, Style::default());
        assert_eq!(
            letters,
            "white's hand: b s\n  5  4  3  2  1\n  .  .  .  .  k  a\n  .  .  .  . +P  b\n  P  .  .  .  .  c\n  \
             .  .  .  .  .  d\n  K  .  .  .  R  e\nblack's hand: Gx2\nwhite to move, in check"
        );
        let kanji = render(&position, Style { kanji: true, color: false });
        assert_eq!(
            kanji,
            "☖後手の持駒：角　銀\n  ５ ４ ３ ２ １\n+---------------+\n| ・ ・ ・ ・v玉|一\n| ・ ・ ・ ・ と|二\n\
             | 歩 ・ ・ ・ ・|三\n| ・ ・ ・ ・ ・|四\n| 玉 ・ ・ ・ 飛|五\n+---------------+\n☗先手の持駒：金二\n\
             ☖後手番　王手"
        );
    }

    #[test]
    fn colors_do_not_move_anything() {
        let position = Shogi::new(Rules::Official).start();
        for kanji in [false, true] {
            let plain = render(&position, Style { kanji, color: false });
            let mut colored = render(&position, Style { kanji, color: true });
            assert!(colored.contains("\x1b[36m"));
            for code in ["\x1b[1m", "\x1b[36m", "\x1b[0m"] {
                colored = colored.replace(code, "");
            }
            assert_eq!(colored, plain);
        }
    }
}
