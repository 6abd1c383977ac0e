//! What selective search asks of a position: checks, captures and what they win.

use super::board::Board;
use super::movegen::{self, Destinations};
use super::mv::ChessMove;
use shakmaty::{Bitboard, Color, Role, Square, attacks};
use std::ops::ControlFlow;

/// What a piece is worth in an exchange, by role from the pawn, in hundredths of a pawn; the king is beyond price.
const WORTH: [i32; 6] = [100, 310, 330, 500, 900, 20_000];

const fn worth(role: Role) -> i32 {
    WORTH[role as usize - 1]
}

/// The rows of [`row`].
pub(super) const ROWS: usize = 6 * 64;

/// The moving piece (what a pawn becomes counts) and its destination as a number.
#[inline]
pub(super) fn row(board: &Board, mv: ChessMove) -> usize {
    let role = mv.promotion().or_else(|| board.role_at(mv.from())).expect("a legal move starts on a piece");
    (role as usize - 1) * 64 + mv.to().to_usize()
}

/// Whether a legal move captures, en passant included.
#[inline]
pub(super) fn is_capture(board: &Board, mv: ChessMove) -> bool {
    board.occupied().contains(mv.to()) || is_en_passant(board, mv)
}

#[inline]
fn is_en_passant(board: &Board, mv: ChessMove) -> bool {
    board.passed_square() == Some(mv.to()) && board.pawns().contains(mv.from()) && mv.from().file() != mv.to().file()
}

/// Captures and promotions to a queen.
#[inline]
pub(super) fn is_noisy(board: &Board, mv: ChessMove) -> bool {
    match mv.promotion() {
        None => is_capture(board, mv),
        Some(role) => role == Role::Queen,
    }
}

/// Appends the legal captures and the promotions to a queen.
#[inline]
pub(super) fn list_noisy(board: &Board, out: &mut Vec<ChessMove>) {
    let theirs = board.by_color(!board.turn());
    let special = board.passed_square().map_or(Bitboard::EMPTY, Bitboard::from_square);
    let _ = movegen::visit(board, Bitboard::FULL, |moves| {
        if moves.role == Role::Pawn {
            for to in moves.to & Bitboard::BACKRANKS {
                out.push(ChessMove::promoting(moves.from, to, Role::Queen));
            }
            // Only a capture leads to the en passant square: the pawn that was pushed over it stands in front of it.
            let to = moves.to & !Bitboard::BACKRANKS & (theirs | special);
            Destinations { to, ..moves }.list(out);
        } else {
            Destinations { to: moves.to & theirs, ..moves }.list(out);
        }
        ControlFlow::<()>::Continue(())
    });
}

/// What a legal move captures, and what its promotion adds.
#[inline]
pub(super) fn gain(board: &Board, mv: ChessMove) -> i32 {
    let captured = match board.role_at(mv.to()) {
        Some(role) => worth(role),
        None if is_en_passant(board, mv) => worth(Role::Pawn),
        None => 0,
    };
    captured + mv.promotion().map_or(0, |role| worth(role) - worth(Role::Pawn))
}

/// Whether a legal move gives check.
#[inline]
pub(super) fn gives_check(board: &Board, mv: ChessMove) -> bool {
    let (us, them) = (board.turn(), !board.turn());
    let king = board.king_of(them);
    let (from, to) = (mv.from(), mv.to());
    let role = board.role_at(from).expect("a legal move starts on a piece");
    let castles = role == Role::King && mv.is_castling_step();
    if castles || is_en_passant(board, mv) {
        // More than one piece leaves its place: look at the board as it will be.
        let mut child = *board;
        child.play(mv);
        return child.is_check();
    }
    let occupied = board.occupied().without(from).with(to);
    let direct = match mv.promotion().unwrap_or(role) {
        Role::Pawn => attacks::pawn_attacks(us, to),
        Role::Knight => attacks::knight_attacks(to),
        Role::Bishop => attacks::bishop_attacks(to, occupied),
        Role::Rook => attacks::rook_attacks(to, occupied),
        Role::Queen => attacks::queen_attacks(to, occupied),
        Role::King => Bitboard::EMPTY,
    };
    if direct.contains(king) {
        return true;
    }
    // A slider is uncovered only if the piece leaves a line to the king.
    attacks::ray(king, from).any() && {
        let ours = board.by_color(us).without(from);
        let straights = ours & board.rooks_and_queens();
        let diagonals = ours & board.bishops_and_queens();
        (attacks::rook_attacks(king, occupied) & straights).any()
            || (attacks::bishop_attacks(king, occupied) & diagonals).any()
    }
}

/// Static exchange: what the mover wins if both sides capture on the target with their least piece while it pays.
///
/// Pins are not seen, and a pawn that recaptures on the last rank stays a pawn.
pub(super) fn exchange(board: &Board, mv: ChessMove) -> i32 {
    let to = mv.to();
    let role = board.role_at(mv.from()).expect("a legal move starts on a piece");
    let mut occupied = board.occupied().without(mv.from());
    if is_en_passant(board, mv) {
        occupied = occupied.without(Square::from_coords(to.file(), mv.from().rank()));
    }
    let mut side = board.turn();
    // `swaps[n]` is what the side of capture n has won after it.
    let mut swaps = [0; 33];
    swaps[0] = gain(board, mv);
    let mut on_target = worth(mv.promotion().unwrap_or(role));
    let mut last = 0;
    loop {
        side = !side;
        let attackers = board.attacks_to(to, side, occupied) & occupied;
        let Some((role, from)) = least(board, side, attackers) else { break };
        // A king may not take what is protected.
        if role == Role::King && (board.attacks_to(to, !side, occupied.without(from)) & occupied).any() {
            break;
        }
        last += 1;
        swaps[last] = on_target - swaps[last - 1];
        on_target = worth(role);
        occupied = occupied.without(from);
    }
    // From the end, each side captures only if that is better than to leave it.
    while last > 0 {
        swaps[last - 1] = -swaps[last].max(-swaps[last - 1]);
        last -= 1;
    }
    swaps[0]
}

/// The least of some pieces of a side.
#[inline]
fn least(board: &Board, side: Color, pieces: Bitboard) -> Option<(Role, Square)> {
    debug_assert!(pieces.is_subset(board.by_color(side)));
    Role::ALL.into_iter().find_map(|role| (pieces & board.by_role(role)).first().map(|square| (role, square)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chess as Game, ChessPosition};
    use tesuji_core::{GameRules, MoveList, Position as _, Rules, Stream};

    /// The exchange on the real board: pieces are put and taken away one by one.
    fn by_hand(board: &shakmaty::Board, side: Color, to: Square) -> i32 {
        let target = worth(board.role_at(to).expect("the last capture stands there"));
        let attackers = board.attacks_to(to, side, board.occupied());
        let of = |role: Role| attackers & board.by_role(role);
        let least = Role::ALL.into_iter().find_map(|role| of(role).first().map(|square| (role, square)));
        let Some((role, from)) = least else { return 0 };
        let mut after = board.clone();
        after.discard_piece_at(from);
        after.set_piece_at(to, role.of(side));
        if role == Role::King && after.attacks_to(to, !side, after.occupied()).any() {
            return 0;
        }
        (target - by_hand(&after, !side, to)).max(0)
    }

    fn positions(purpose: &str, visit: impl FnMut(&ChessPosition, &[ChessMove])) {
        let mut visit = visit;
        for game in 0..40 {
            let mut random = Stream::new(game, purpose, 0);
            let mut position = Game::new(Rules::Official).start();
            let mut moves = MoveList::new();
            while position.expand(&mut moves).is_none() {
                visit(&position, &moves);
                position.play(moves[random.below(moves.len())]);
            }
        }
    }

    #[test]
    fn exchanges_are_those_of_the_board() {
        let (mut losing, mut winning) = (0, 0);
        positions("exchange", |position, moves| {
            for &mv in moves.iter().filter(|&&mv| !is_en_passant(position.board(), mv)) {
                let mut after = shakmaty::Position::board(&position.board().to_shakmaty()).clone();
                let piece = after.remove_piece_at(mv.from()).unwrap();
                let role = mv.promotion().unwrap_or(piece.role);
                after.set_piece_at(mv.to(), role.of(piece.color));
                let castles = piece.role == Role::King && mv.is_castling_step();
                if !castles {
                    let expected = gain(position.board(), mv) - by_hand(&after, !piece.color, mv.to());
                    assert_eq!(position.exchange(mv), expected, "{mv} in {}", crate::fen::format(position.board()));
                    losing += u32::from(expected < 0);
                    winning += u32::from(expected > 0);
                }
            }
        });
        assert!(losing > 1000 && winning > 1000, "{losing} {winning}");
    }

    #[test]
    fn known_exchanges() {
        let value = |fen: &str, mv: &str| {
            let position = Game::new(Rules::Official).parse_position(fen).unwrap();
            position.exchange(position.parse_move(mv).unwrap())
        };
        assert_eq!(value("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
        assert_eq!(value("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5"), 100 - 310);
        // En passant uncovers the rook behind, and a promotion is lost at once.
        assert_eq!(value("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 100);
        assert_eq!(value("r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7b8q"), 800 - 900);
        assert_eq!(value("r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7a8q"), 500 + 800);
    }

    #[test]
    fn a_pass_gives_the_turn_away_and_forgets_the_past() {
        let mut passed = 0;
        positions("pass", |position, _| {
            let mut after = position.clone();
            if after.pass() {
                passed += 1;
                assert_ne!(after.mover(), position.mover());
                let text = crate::fen::format(after.board());
                let read = Game::new(Rules::Official).parse_position(&text).unwrap();
                assert_eq!(after.key(), read.key(), "{text}");
                assert_eq!(after.repetition(1000), None);
                assert!(!after.in_check());
            } else {
                assert_eq!(after.key(), position.key());
            }
        });
        assert!(passed > 2000);
        for fen in ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/q3K2R w - - 0 1"] {
            let mut position = Game::new(Rules::Official).parse_position(fen).unwrap();
            assert!(!position.pass(), "{fen}");
        }
    }

    #[test]
    fn repetitions_are_seen_at_once_and_as_far_as_asked() {
        let game = Game::new(Rules::Official);
        let read = |moves: &str| tesuji_core::game::parse_line(&game, &format!("startpos moves {moves}")).unwrap();
        let round = read("g1f3 g8f6 f3g1 f6g8");
        let seen = round.repetition(4).expect("the start occurs again");
        assert_eq!((seen.plies, seen.outcome), (4, tesuji_core::Outcome::Draw));
        assert_eq!(round.repetition(3), None);
        assert_eq!(read("g1f3 g8f6 f3g1").repetition(9), None);
        assert_eq!(read("e2e4 e7e5 g1f3 g8f6 f3g1 f6g8").repetition(9).map(|seen| seen.plies), Some(4));
        let without = Game::with_draws(Rules::Official, crate::DrawRules::NONE);
        let round = tesuji_core::game::parse_line(&without, "startpos moves g1f3 g8f6 f3g1 f6g8").unwrap();
        assert_eq!(round.repetition(9), None);
    }
}
