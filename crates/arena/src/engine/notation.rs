//! Shogi positions and moves as Fairy-Stockfish writes them in UCI.
//!
//! USI names files 1.. from the right and ranks a.. from the top; Fairy-Stockfish's UCI names files a.. from the left
//! and ranks 1.. from the bottom, puts hands into brackets behind the board and calls the first player `w`. Only text
//! is turned: whether a move is legal is for the game to say.

/// A USI move (`7g7f`, `2b3c+`, `P*5e`) in UCI form (`c3c4`, `h8g7+`, `P@e5`) on a board of `size` x `size`; `None` if
/// it is neither a move nor a drop.
pub fn usi_to_uci(text: &str, size: u8) -> Option<String> {
    turn(text, "*", "@", |file, rank| Some((turn_file(file, b'1', b'a', size)?, turn_file(rank, b'a', b'1', size)?)))
}

/// The inverse of [`usi_to_uci`].
pub fn uci_to_usi(text: &str, size: u8) -> Option<String> {
    turn(text, "@", "*", |file, rank| Some((turn_file(file, b'a', b'1', size)?, turn_file(rank, b'1', b'a', size)?)))
}

/// Counts a coordinate from the other side of the board, in another alphabet.
fn turn_file(byte: u8, from: u8, to: u8, size: u8) -> Option<u8> {
    let index = byte.checked_sub(from).filter(|&index| index < size)?;
    Some(to + size - 1 - index)
}

fn turn(text: &str, drop: &str, new_drop: &str, square: impl Fn(u8, u8) -> Option<(u8, u8)>) -> Option<String> {
    let push = |out: &mut String, bytes: &[u8]| {
        let (file, rank) = square(bytes[0], bytes[1])?;
        out.extend([char::from(file), char::from(rank)]);
        Some(())
    };
    let mut out = String::new();
    if let Some((piece, to)) = text.split_once(drop) {
        let to: &[u8; 2] = to.as_bytes().try_into().ok()?;
        out = format!("{piece}{new_drop}");
        push(&mut out, to)?;
        return Some(out);
    }
    let (squares, promotes) = match text.strip_suffix('+') {
        Some(squares) => (squares, true),
        None => (text, false),
    };
    let squares: &[u8; 4] = squares.as_bytes().try_into().ok()?;
    push(&mut out, &squares[..2])?;
    push(&mut out, &squares[2..])?;
    if promotes {
        out.push('+');
    }
    Some(out)
}

/// An SFEN (`board b 2Pg 5`) as Fairy-Stockfish's FEN (`board[PPg] w - - 0 3`); `None` if it has not four parts.
pub fn sfen_to_fen(sfen: &str) -> Option<String> {
    let [board, mover, hands, ply] = parts(sfen)?;
    let mut pocket = String::new();
    let mut count = 0_usize;
    for c in hands.chars().filter(|&c| c != '-') {
        match c.to_digit(10) {
            Some(digit) => count = (count * 10 + digit as usize).min(64),
            None => {
                pocket.extend(std::iter::repeat_n(c, count.max(1)));
                count = 0;
            }
        }
    }
    let pocket = if pocket.is_empty() { "-".to_owned() } else { pocket };
    let mover = if mover == "b" { 'w' } else { 'b' };
    let full_move = ply.parse::<u32>().ok()?.div_ceil(2).max(1);
    Some(format!("{board}[{pocket}] {mover} - - 0 {full_move}"))
}

/// Fairy-Stockfish's FEN as an SFEN; `None` if it is not one.
pub fn fen_to_sfen(fen: &str) -> Option<String> {
    let mut words = fen.split_whitespace();
    let (board, pocket) = words.next()?.split_once('[')?;
    let pocket = pocket.strip_suffix(']')?;
    let first = words.next()? == "w";
    let full_move = words.last().and_then(|word| word.parse::<u32>().ok()).unwrap_or(1).max(1);
    // SFEN lists rook, bishop, gold, silver, knight, lance, pawn, the first player's pieces first.
    let mut hands = String::new();
    for piece in "RBGSNLPrbgsnlp".chars() {
        match pocket.chars().filter(|&c| c == piece).count() {
            0 => {}
            1 => hands.push(piece),
            count => hands.push_str(&format!("{count}{piece}")),
        }
    }
    let hands = if hands.is_empty() { "-" } else { &hands };
    let ply = full_move.saturating_mul(2) - u32::from(first);
    Some(format!("{board} {} {hands} {ply}", if first { 'b' } else { 'w' }))
}

fn parts(text: &str) -> Option<[&str; 4]> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_turn_and_come_back() {
        for (usi, uci, size) in [
            ("7g7f", "c3c4", 9),
            ("2b3c+", "h8g7+", 9),
            ("P*5e", "P@e5", 9),
            ("5d5c", "a2a3", 5),
            ("1a5e+", "e5a1+", 5),
        ] {
            assert_eq!(usi_to_uci(usi, size).as_deref(), Some(uci));
            assert_eq!(uci_to_usi(uci, size).as_deref(), Some(usi));
        }
        for nonsense in ["", "7g", "0g7f", "7g7z", "P*", "P*99", "7g7f++", "火*5e5", "resign"] {
            assert_eq!(usi_to_uci(nonsense, 9), None, "{nonsense:?}");
        }
    }

    #[test]
    fn positions_turn_and_come_back() {
        for (sfen, fen) in [
            ("rbsgk/4p/5/P4/KGSBR b - 1", "rbsgk/4p/5/P4/KGSBR[-] w - - 0 1"),
            ("r3k/P+S3/1b1gp/3S1/K4 w GB2pr 26", "r3k/P+S3/1b1gp/3S1/K4[GBppr] b - - 0 13"),
        ] {
            assert_eq!(sfen_to_fen(sfen).as_deref(), Some(fen));
            let back = fen_to_sfen(fen).unwrap();
            assert_eq!(sfen_to_fen(&back).as_deref(), Some(&*sfen_to_fen(&back).unwrap()));
            assert_eq!(back.split(' ').next(), sfen.split(' ').next());
        }
        assert_eq!(fen_to_sfen("4k/5/5/5/K4[ppPrG] w - - 0 3").as_deref(), Some("4k/5/5/5/K4 b GPr2p 5"));
        assert_eq!(fen_to_sfen("nonsense"), None);
    }
}
