//! What selective search asks of a board: captures, promotions, and what they win.

use super::bits::Bits;
use super::board::Board;
use super::geometry::Geometry;
use super::heuristic::{IN_HAND, ON_BOARD};
use super::movegen::{Goal, List};
use super::mv::Move;
use super::piece::{EMPTY, Kind, Movement};
use super::square::Square;
use tesuji_core::{MoveList, Side};

/// The pieces of a row: the kinds on the board, and those in hand.
pub(super) const PIECES: usize = Kind::ALL.len() + Kind::IN_HAND.len();

/// The king is beyond price.
const KING: i32 = 20_000;

/// What capturing a piece wins, by the low four bits of its code: it leaves the board and comes to the hand.
const CAPTURE: [i32; 16] = {
    let mut table = [0; 16];
    let mut kind = 0;
    while kind < Kind::ALL.len() {
        table[kind] = if kind == Kind::King as usize { KING } else { ON_BOARD[kind] + IN_HAND[kind & 7] };
        kind += 1;
    }
    table
};

#[inline(always)]
fn capture(code: u8) -> i32 {
    CAPTURE[usize::from(code & 15)]
}

/// The goal of quiescence: captures, and promotions of pawns, bishops and rooks.
struct Noisy<G: Geometry> {
    theirs: G::Bits,
    /// The horses and dragons: they do not promote.
    crowned: G::Bits,
}

impl<G: Geometry> Goal<G> for Noisy<G> {
    #[inline(always)]
    fn moves(&self, movement: Movement, from: Square) -> G::Bits {
        let promotes = matches!(movement, Movement::Horse | Movement::Dragon) && !self.crowned.meets(G::bit(from));
        if promotes { G::Bits::EVERY } else { self.theirs }
    }

    #[inline(always)]
    fn pawns(&self, _side: Side, movement: Movement) -> G::Bits {
        if movement == Movement::Gold { G::Bits::EVERY } else { self.theirs }
    }

    #[inline(always)]
    fn drops(&self, _kind: Kind) -> G::Bits {
        G::Bits::NONE
    }
}

impl<G: Geometry> Board<G> {
    /// Appends the legal captures and the promotions of pawns, bishops and rooks.
    pub(super) fn noisy(&self, out: &mut MoveList<Move>) {
        let crowned = self.moving(Movement::Horse) | self.moving(Movement::Dragon);
        let goal = Noisy::<G> { theirs: self.side(self.turn().other()), crowned };
        List::append(out, |list| self.generate(&goal, list));
    }

    /// Whether [`noisy`](Self::noisy) lists a legal move.
    #[inline]
    pub(super) fn is_noisy(&self, mv: Move) -> bool {
        const PROMOTING: [u8; 3] = [Kind::Pawn as u8, Kind::Bishop as u8, Kind::Rook as u8];
        !mv.is_drop()
            && (self.code(mv.to()) != EMPTY || mv.is_promotion() && PROMOTING.contains(&(self.code(mv.origin()) & 15)))
    }

    /// What a legal move captures, and what its promotion adds.
    #[inline]
    pub(super) fn gain(&self, mv: Move) -> i32 {
        if mv.is_drop() {
            return 0;
        }
        let promotion = if mv.is_promotion() {
            // A piece that promotes is none of gold and king, so its promoted kind is there.
            let kind = usize::from(self.code(mv.origin()) & 7).min(Kind::Rook as usize);
            ON_BOARD[kind + 8] - ON_BOARD[kind]
        } else {
            0
        };
        capture(self.code(mv.to())) + promotion
    }

    /// The moving piece as it arrives (or the kind that is dropped) and its target as a number.
    #[inline]
    pub(super) fn row(&self, mv: Move) -> usize {
        let piece = if mv.is_drop() {
            Kind::ALL.len() + mv.origin().index()
        } else {
            usize::from(mv.promotes(self.code(mv.origin())) & 15)
        };
        piece * G::SQUARES + mv.to().index()
    }

    /// Static exchange: what the mover wins if both sides capture on the target with their least piece while it pays.
    ///
    /// Pins are not seen, and pieces that recapture do not promote.
    pub(super) fn exchange(&self, mv: Move) -> i32 {
        let to = mv.to();
        let mut side = self.turn();
        let mut occupied = self.occupied() | G::bit(to);
        let mut on_target = mv.origin().0;
        if !mv.is_drop() {
            occupied &= !G::bit(mv.origin());
            on_target = mv.promotes(self.code(mv.origin()));
        }
        // `swaps[n]` is what the side of capture n has won after it. Deeper exchanges than these do not change it.
        let mut swaps = [0; 24];
        swaps[0] = self.gain(mv);
        let mut last = 0;
        while last + 1 < swaps.len() {
            side = side.other();
            let attackers = self.attackers(to, side, occupied) & occupied;
            let Some((code, from)) = self.least(attackers) else { break };
            // A king may not take what is protected.
            if code & 15 == Kind::King as u8
                && !(self.attackers(to, side.other(), occupied & !G::bit(from)) & occupied).is_empty()
            {
                break;
            }
            last += 1;
            swaps[last] = capture(on_target) - swaps[last - 1];
            on_target = code;
            occupied &= !G::bit(from);
        }
        // From the end, each side captures only if that is better than to leave it.
        while last > 0 {
            swaps[last - 1] = -swaps[last].max(-swaps[last - 1]);
            last -= 1;
        }
        swaps[0]
    }

    /// The code and square of the piece, among some, that is cheapest to lose; the first of equals.
    #[inline]
    fn least(&self, pieces: G::Bits) -> Option<(u8, Square)> {
        let mut least: Option<(u8, Square)> = None;
        pieces.each(|square| {
            let code = self.code(Square(square));
            if least.is_none_or(|(other, _)| capture(code) < capture(other)) {
                least = Some((code, Square(square)));
            }
        });
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Five, Nine, ShogiGame, ShogiPosition};
    use tesuji_core::{GameRules, Outcome, Position, Rules, Stream};

    /// The pieces of a board as a table, on which the exchange is played by moving them.
    struct Table<G: Geometry> {
        cells: Vec<u8>,
        board: Board<G>,
    }

    impl<G: Geometry> Table<G> {
        /// Whether the piece on `from` attacks `to`, by walking.
        fn attacks(&self, from: usize, to: usize) -> bool {
            let occupied = (0..G::SQUARES).filter(|&n| self.cells[n] != EMPTY);
            let occupied = occupied.fold(G::Bits::NONE, |set, n| set | G::bit(Square(n as u8)));
            let code = self.cells[from];
            let side = if code & 16 == 0 { Side::First } else { Side::Second };
            let kind = Kind::from_index(usize::from(code & 15)).unwrap();
            let (tables, from) = (G::tables(), Square(from as u8));
            let king = tables.reach(side, Movement::King.index(), from);
            let reach = match kind.movement() {
                Movement::Lance => G::lance(side, from, occupied),
                Movement::Bishop => G::bishop(from, occupied),
                Movement::Rook => G::rook(from, occupied),
                Movement::Horse => G::bishop(from, occupied) | king,
                Movement::Dragon => G::rook(from, occupied) | king,
                step => tables.reach(side, step.index(), from),
            };
            reach.meets(G::bit(Square(to as u8)))
        }

        fn attackers(&self, to: usize, side: Side) -> Vec<usize> {
            let own = |n: &usize| self.cells[*n] != EMPTY && usize::from(self.cells[*n] >> 4) == side.index();
            (0..G::SQUARES).filter(own).filter(|&n| self.attacks(n, to)).collect()
        }

        /// What `side` wins by capturing on `to`, or by leaving it.
        fn exchange(&mut self, to: usize, side: Side) -> i32 {
            let attackers = self.attackers(to, side);
            let Some(&from) = attackers.iter().min_by_key(|&&n| capture(self.cells[n])) else { return 0 };
            let (target, piece) = (self.cells[to], self.cells[from]);
            self.cells[to] = piece;
            self.cells[from] = EMPTY;
            let exposed = piece & 15 == Kind::King as u8 && !self.attackers(to, side.other()).is_empty();
            let value = if exposed { 0 } else { capture(target) - self.exchange(to, side.other()) };
            value.max(0)
        }
    }

    fn positions<G: Geometry>(purpose: &str, mut visit: impl FnMut(&ShogiPosition<G>, &[Move]))
    where
        ShogiGame<G>: GameRules<Position = ShogiPosition<G>>,
    {
        for game in 0..25 {
            let mut random = Stream::new(game, purpose, 0);
            let mut position = ShogiGame::<G>::new(Rules::Official).start();
            let mut moves = MoveList::new();
            for _ in 0..150 {
                if position.expand(&mut moves).is_some() {
                    break;
                }
                visit(&position, &moves);
                position.play(moves[random.below(moves.len())]);
            }
        }
    }

    fn exchanges_are_those_of_the_board<G: Geometry>() {
        let (mut losing, mut winning) = (0, 0);
        positions::<G>("exchange", |position, moves| {
            let board = position.board();
            for &mv in moves {
                let mut table = Table { cells: board.cells().to_vec(), board: *board };
                let side = table.board.turn();
                let moved = match mv.dropped() {
                    Some(kind) => kind as u8 | (side as u8) << 4,
                    None => mv.promotes(std::mem::replace(&mut table.cells[mv.origin().index()], EMPTY)),
                };
                table.cells[mv.to().index()] = moved;
                let expected = board.gain(mv) - table.exchange(mv.to().index(), side.other());
                assert_eq!(board.exchange(mv), expected, "{} in {}", position.format_move(mv), position.sfen());
                losing += u32::from(expected < 0);
                winning += u32::from(expected > 0);
            }
        });
        assert!(losing > 1000 && winning > 1000, "{losing} {winning}");
    }

    #[test]
    fn exchanges_on_both_boards() {
        exchanges_are_those_of_the_board::<Five>();
        exchanges_are_those_of_the_board::<Nine>();
    }

    #[test]
    fn gains_are_what_the_material_says() {
        // Promotion of a rook by capturing a silver.
        let game = ShogiGame::<Five>::new(Rules::Official);
        let position = game.parse_position("2s1k/5/5/2R2/K4 b - 1").unwrap();
        let mv = position.parse_move("3d3a+").unwrap();
        assert_eq!(position.gain(mv), 550 + 600 + 350);
        assert_eq!(position.exchange(mv), 550 + 600 + 350);
        assert!(position.is_noisy(mv));
        let silver = position.parse_move("3d3b").unwrap();
        assert_eq!((position.gain(silver), position.exchange(silver)), (0, -(1000 + 1100)));
    }

    #[test]
    fn a_pass_gives_the_turn_away_and_forgets_the_past() {
        let mut passed = 0;
        positions::<Five>("pass", |position, _| {
            let mut after = position.clone();
            assert_eq!(after.pass(), !position.in_check());
            if !position.in_check() {
                passed += 1;
                assert_eq!(after.mover(), position.mover().other());
                let read = ShogiGame::<Five>::new(Rules::Official).parse_position(&after.sfen()).unwrap();
                assert_eq!((after.key(), after.board()), (read.key(), read.board()));
                assert_eq!((after.occurrences(), after.repetition(1000)), (1, None));
            }
        });
        assert!(passed > 300);
    }

    #[test]
    fn repetitions_are_judged_at_the_first_return() {
        let game = ShogiGame::<Nine>::new(Rules::Official);
        let read = |line: &str| tesuji_core::game::parse_line(&game, line).unwrap();
        let round = read("startpos moves 2h3h 8b7b 3h2h 7b8b");
        let seen = round.repetition(4).unwrap();
        assert_eq!((seen.outcome, seen.plies), (Outcome::Draw, 4));
        assert_eq!(round.repetition(3), None);
        // Black gives check with every move: Black loses.
        let checked = read("4k4/9/9/9/9/9/9/R8/4K4 b - 1 moves 9h5h 5a4a 5h4h 4a5a 4h5h");
        let seen = checked.repetition(9).unwrap();
        assert_eq!((seen.outcome, seen.plies), (Outcome::Win(Side::Second), 4));
    }
}
