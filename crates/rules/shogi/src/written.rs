//! Moves as players write them: `７六歩`, `76歩`, `同銀右成`, `P-7f`, `Bx3c+`, `G6i-5h`, `P*5e`.

use super::geometry::Geometry;
use super::kanji::{WIDE_DIGITS, digit_in, read_origin, read_target, split_kind};
use super::mv::Move;
use super::piece::Kind;
use super::position::ShogiPosition;
use super::square::Square;
use tesuji_core::{MoveError, MoveList, Position, Side};

/// What is said of a move.
struct Wanted {
    kind: Kind,
    to: Square,
    from: Option<Square>,
    /// Nothing if nothing is said: then a piece on the board goes before one in hand.
    drop: Option<bool>,
    promote: bool,
    /// Which of several pieces it is: `右`, `直`, `引`.
    ways: Vec<char>,
}

/// Reads a move in Japanese or western notation; `last` is the square of the move before, for `同`.
///
/// # Errors
/// If the text is neither, or no legal move fits it, or more than one does.
pub(super) fn read<G: Geometry>(
    position: &ShogiPosition<G>,
    text: &str,
    last: Option<Square>,
) -> Result<Move, MoveError> {
    let bare = text.trim_start_matches(['☗', '☖', '▲', '△']).replace([' ', '\u{3000}'], "");
    let plain: String = bare.chars().map(narrow).collect();
    let wanted = japanese::<G>(&plain, last).or_else(|| western::<G>(&plain)).ok_or_else(|| {
        MoveError::malformed(text, "expected a move such as 7g7f, ７六歩, 76歩 or P-7f; 8h2b+ promotes, P*5e drops")
    })?;
    find(position, &wanted, text)
}

/// Wide digits, signs and letters as ASCII has them.
fn narrow(letter: char) -> char {
    match digit_in(WIDE_DIGITS, letter) {
        Some(digit) => char::from(b'0' + digit),
        None => match letter {
            '＋' => '+',
            '－' | '−' => '-',
            '（' => '(',
            '）' => ')',
            _ => letter,
        },
    }
}

fn japanese<G: Geometry>(text: &str, last: Option<Square>) -> Option<Wanted> {
    let (to, rest) = read_target::<G>(text, last)?;
    let (kind, mut rest) = split_kind(rest)?;
    let mut wanted = Wanted { kind, to, from: None, drop: None, promote: false, ways: Vec::new() };
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '成' => wanted.promote = true,
            '不' => rest = rest.strip_prefix('成')?,
            '打' => wanted.drop = Some(true),
            '右' | '左' | '直' | '上' | '行' | '入' | '引' | '寄' => wanted.ways.push(letter),
            '(' => {
                wanted.from = Some(read_origin::<G>(&format!("({rest}"))?);
                return (rest.len() == 3).then_some(wanted);
            }
            _ => return None,
        }
    }
    Some(wanted)
}

/// `P-7f`, `Px76`, `+R5b-5a`, `S*5e`, `Bx3c+`, `Bx3c=` (it does not promote).
fn western<G: Geometry>(text: &str) -> Option<Wanted> {
    let (promoted, rest) = text.strip_prefix('+').map_or((false, text), |rest| (true, rest));
    let kind = Kind::from_letter(rest.chars().next()?.to_ascii_uppercase())?;
    let kind = if promoted { kind.promoted()? } else { kind };
    let rest = &rest[1..];
    let (rest, promote) = match rest.strip_suffix('+') {
        Some(rest) => (rest, true),
        None => (rest.strip_suffix('=').unwrap_or(rest), false),
    };
    let at = rest.find(['-', 'x', '*', '\''])?;
    let (origin, goal) = (&rest[..at], &rest[at + 1..]);
    let from = if origin.is_empty() { None } else { Some(square::<G>(origin)?) };
    let drop = matches!(rest.as_bytes()[at], b'*' | b'\'');
    Some(Wanted { kind, to: square::<G>(goal)?, from, drop: Some(drop), promote, ways: Vec::new() })
}

/// A square as `7f` or `76`.
fn square<G: Geometry>(text: &str) -> Option<Square> {
    let [file @ b'1'..=b'9', rank] = *text.as_bytes() else { return None };
    let rank = match rank.to_ascii_lowercase() {
        digit @ b'1'..=b'9' => digit - b'1',
        letter @ b'a'..=b'i' => letter - b'a',
        _ => return None,
    };
    G::square(file - b'1', rank)
}

/// The one legal move that fits.
fn find<G: Geometry>(position: &ShogiPosition<G>, wanted: &Wanted, text: &str) -> Result<Move, MoveError> {
    let mut moves = MoveList::new();
    position.moves(&mut moves);
    if moves.is_empty() {
        return Err(MoveError::GameOver { text: text.to_owned() });
    }
    let kind_at = |square: Square| position.board().piece(square).map(|piece| piece.kind);
    let goes = |mv: &&Move| mv.to() == wanted.to && mv.from().and_then(kind_at) == Some(wanted.kind);
    let from: Vec<Move> = moves.iter().filter(goes).copied().collect();
    let mut fits: Vec<Move> = match wanted.drop {
        Some(true) => Vec::new(),
        _ => from.into_iter().filter(|mv| wanted.from.is_none_or(|from| mv.from() == Some(from))).collect(),
    };
    // Who must promote need not say so.
    let must = |mv: &Move| !wanted.promote && !moves.contains(&Move::new(mv.from().unwrap_or(mv.to()), mv.to(), false));
    fits.retain(|mv| mv.is_promotion() == wanted.promote || must(mv));
    for &way in &wanted.ways {
        choose::<G>(&mut fits, position.mover(), way);
    }
    let may_drop = wanted.drop != Some(false) && wanted.from.is_none() && !wanted.promote && wanted.ways.is_empty();
    if fits.is_empty() && may_drop {
        fits.extend(moves.iter().filter(|mv| mv.dropped() == Some(wanted.kind) && mv.to() == wanted.to));
    }
    match fits[..] {
        [mv] => Ok(mv),
        [] => Err(MoveError::illegal(text)),
        _ => {
            let origins: Vec<String> = fits.iter().map(|&mv| position.format_move(mv)).collect();
            Err(MoveError::malformed(text, format!("more than one move fits: {}", origins.join(", "))))
        }
    }
}

/// Keeps the moves that come from where the word says, as the mover sees the board.
fn choose<G: Geometry>(moves: &mut Vec<Move>, mover: Side, way: char) {
    // Columns from the mover's right, rows from the far side.
    let seen = |square: Square| {
        let square = if mover == Side::First { square } else { G::rotate(square) };
        (G::file(square), G::rank(square))
    };
    let place = |mv: &Move| seen(mv.from().unwrap_or(mv.to()));
    let columns = moves.iter().map(|mv| place(mv).0);
    let (right, left) = (columns.clone().min(), columns.max());
    moves.retain(|mv| {
        let ((column, row), (to_column, to_row)) = (place(mv), seen(mv.to()));
        match way {
            '右' => Some(column) == right,
            '左' => Some(column) == left,
            '直' => column == to_column && row == to_row + 1,
            '引' => row < to_row,
            '寄' => row == to_row,
            _ => row > to_row,
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::game::{Minishogi, Shogi};
    use super::*;
    use tesuji_core::{GameRules, Render, Rules, Stream, game::parse_line};

    fn shogi(line: &str) -> ShogiPosition<super::super::Nine> {
        parse_line(&Shogi::new(Rules::Official), line).unwrap()
    }

    #[test]
    fn japanese_and_western_moves_are_read() {
        let start = shogi("startpos");
        for text in ["☗７六歩", "７六歩", "76歩", "７６歩", "7六歩", "７六歩(77)", "P-7f", "p-7f", "P-76", "P7g-7f"]
        {
            assert_eq!(read(&start, text, None).map(|mv| start.format_move(mv)), Ok("7g7f".to_owned()), "{text}");
        }
        for (line, text, last, meant) in [
            ("startpos moves 7g7f 3c3d", "２二角成", None, "8h2b+"),
            ("startpos moves 7g7f 3c3d", "Bx2b+", None, "8h2b+"),
            ("startpos moves 7g7f 3c3d", "22角不成", None, "8h2b"),
            ("startpos moves 7g7f 3c3d", "Bx2b=", None, "8h2b"),
            ("startpos moves 7g7f 3c3d 8h2b+", "同銀", Some("2b"), "3a2b"),
            ("startpos moves 7g7f 3c3d 8h2b+ 3a2b", "５五角", None, "B*5e"),
            ("startpos moves 7g7f 3c3d 8h2b+ 3a2b", "55角打", None, "B*5e"),
            ("startpos moves 7g7f 3c3d 8h2b+ 3a2b", "B'55", None, "B*5e"),
            ("startpos", "５八金右", None, "4i5h"),
            ("startpos", "58金左", None, "6i5h"),
            ("startpos", "G6i-5h", None, "6i5h"),
            ("startpos", "58金(69)", None, "6i5h"),
            // The second player's right is the other one.
            ("startpos moves 7g7f", "５二金右", None, "6a5b"),
            ("startpos moves 7g7f", "５二金左", None, "4a5b"),
            // Two golds beside the square and behind it; a promoted silver is 成銀.
            ("4k4/9/9/9/9/9/4G4/3G5/4K4 b - 1", "５八金引", None, "5g5h"),
            ("4k4/9/9/9/9/9/4G4/3G5/4K4 b - 1", "５八金寄", None, "6h5h"),
            ("4k4/9/9/9/9/9/9/9/2+S1K4 b - 1", "68成銀", None, "7i6h"),
            ("4k4/9/9/9/9/9/9/9/2+S1K4 b - 1", "+S-6h", None, "7i6h"),
            // A pawn on the last rank has to promote.
            ("k8/4P4/9/9/9/9/9/9/4K4 b - 1", "51歩", None, "5b5a+"),
        ] {
            let position = shogi(line);
            let last = last.map(|text| square::<super::super::Nine>(text).unwrap());
            assert_eq!(read(&position, text, last).map(|mv| position.format_move(mv)), Ok(meant.to_owned()), "{text}");
        }
        for (text, part) in [
            ("５五歩", "illegal"),
            ("58金", "more than one move fits: "),
            ("G-5h", "more than one move fits: "),
            ("同歩", "expected a move"),
            ("P-0a", "expected a move"),
            ("76歩(77", "expected a move"),
            ("P", "expected a move"),
            ("é-7f", "expected a move"),
            ("7六歩不", "expected a move"),
        ] {
            let problem = read(&start, text, None).unwrap_err().to_string();
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }

    /// Whatever is typed is a legal move or refused.
    #[test]
    fn nonsense_is_refused() {
        let letters: Vec<char> = "７六歩76同成不打右直(49)P-7fx*'+=GgK玉é☗　 \u{0}".chars().collect();
        let position = shogi("startpos moves 7g7f 3c3d 8h2b+ 3a2b");
        let mut random = Stream::new(1, "nonsense", 0);
        let mut legal = 0;
        for _ in 0..20_000 {
            let text: String = (0..1 + random.below(7)).map(|_| letters[random.below(letters.len())]).collect();
            if let Ok(mv) = read(&position, &text, Some(Square(10))) {
                assert!(position.parse_move(&position.format_move(mv)).is_ok(), "{text:?}");
                legal += 1;
            }
        }
        assert!(legal > 0, "some nonsense is a move");
    }

    #[test]
    fn what_we_write_is_read_again() {
        let game = Minishogi::new(Rules::Official);
        for number in 0..60 {
            let mut random = Stream::new(7, "written", number);
            let mut position = game.start();
            for _ in 0..60 {
                let mut moves = MoveList::new();
                position.moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                for &mv in &moves {
                    let text = game.notation(&position, mv);
                    assert_eq!(read(&position, &text, None), Ok(mv), "{text} in {}", position.sfen());
                }
                position.play(moves[random.below(moves.len())]);
            }
        }
    }
}
