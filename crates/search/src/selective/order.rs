//! Which move to try first: the table's, captures that pay, killers, quiet moves by their history, captures that do not.

use super::table::NO_MOVE;
use tesuji_core::{Move, Position};

/// Histories stay within this.
const LIMIT: i32 = 1 << 14;

/// Slots of the butterfly table of one side; moves share them by a hash of their numeric form.
const SLOTS: usize = 1 << 13;

/// Classes of gains in the history of captures.
const CLASSES: usize = 16;

/// What the table's move and the others are worth; histories stay far below.
const TABLE: i32 = 1 << 30;
const GOOD: i32 = 1 << 26;
const FIRST_KILLER: i32 = 1 << 21;
const SECOND_KILLER: i32 = 1 << 20;
const BAD: i32 = -(1 << 26);

/// The kind of a move at its place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// A noisy move that keeps what it wins, or the table's move.
    Good,
    /// A killer.
    Killer,
    /// A quiet move.
    Quiet,
    /// A noisy move that loses.
    Bad,
}

/// The rank of a move by what [`Order::score`] gave it.
#[inline]
pub fn rank(score: i32) -> Rank {
    match score {
        score if score >= GOOD / 2 => Rank::Good,
        score if score >= SECOND_KILLER => Rank::Killer,
        score if score <= BAD / 2 => Rank::Bad,
        _ => Rank::Quiet,
    }
}

/// The row of the move that was played at a ply, with its side: an index into the continuation tables.
pub type Played = Option<u32>;

/// What has been learned about moves.
#[derive(Debug)]
pub struct Order {
    /// By side and a hash of the move.
    butterfly: [Box<[i16]>; 2],
    /// By side, row and class of the gain.
    noisy: [Box<[i16]>; 2],
    /// By the row of the move one ply ago, or two, and of this one.
    follow: [Box<[i16]>; 2],
    rows: usize,
}

/// A move as the histories see it.
#[derive(Clone, Copy)]
pub struct Seen {
    side: usize,
    slot: u32,
    row: u32,
}

impl Seen {
    /// A legal move of a position.
    #[inline]
    pub fn new<P: Position>(position: &P, mv: P::Move) -> Seen {
        // The hash is that of multiplication: its high bits are the good ones.
        let slot = mv.to_bits().wrapping_mul(0x9e37_79b1) >> (32 - SLOTS.trailing_zeros());
        Seen { side: position.mover().index(), slot, row: position.row(mv) as u32 }
    }

    /// The move as one that has been played, in a game with so many rows.
    #[inline]
    pub fn played(self, rows: usize) -> Played {
        Some((self.side * rows) as u32 + self.row)
    }
}

impl Order {
    /// Nothing learned yet, in a game with so many rows.
    pub fn new(rows: usize) -> Order {
        let table = |size: usize| vec![0_i16; size].into_boxed_slice();
        Order {
            butterfly: [table(SLOTS), table(SLOTS)],
            noisy: [table(rows * CLASSES), table(rows * CLASSES)],
            follow: [table(2 * rows * rows), table(2 * rows * rows)],
            rows,
        }
    }

    /// What quiet moves after the last two were worth.
    #[inline]
    pub fn quiet(&self, seen: Seen, before: [Played; 2]) -> i32 {
        let mut sum = i32::from(self.butterfly[seen.side][seen.slot as usize]);
        for (table, played) in self.follow.iter().zip(before) {
            if let Some(played) = played {
                sum += i32::from(table[played as usize * self.rows + seen.row as usize]);
            }
        }
        sum
    }

    /// Replaces `scores` by what each move promises.
    pub fn score<P: Position>(
        &self,
        position: &P,
        table_move: u32,
        killers: [u32; 2],
        before: [Played; 2],
        moves: &[P::Move],
        scores: &mut Vec<i32>,
    ) {
        scores.clear();
        scores.extend(moves.iter().map(|&mv| {
            let bits = mv.to_bits();
            if bits == table_move {
                TABLE
            } else if position.is_noisy(mv) {
                let gain = position.gain(mv);
                let seen = Seen::new(position, mv);
                let class = seen.row as usize * CLASSES + class(gain);
                let history = i32::from(self.noisy[seen.side][class]);
                let place = if position.exchange(mv) >= 0 { GOOD } else { BAD };
                place + gain.clamp(-100_000, 100_000) * 16 + history / 2
            } else if bits == killers[0] {
                FIRST_KILLER
            } else if bits == killers[1] {
                SECOND_KILLER
            } else {
                self.quiet(Seen::new(position, mv), before)
            }
        }));
    }

    /// Learns that a quiet move was good (a bonus above 0) or not.
    pub fn learn_quiet(&mut self, seen: Seen, before: [Played; 2], bonus: i32) {
        update(&mut self.butterfly[seen.side][seen.slot as usize], bonus);
        for (table, played) in self.follow.iter_mut().zip(before) {
            if let Some(played) = played {
                update(&mut table[played as usize * self.rows + seen.row as usize], bonus);
            }
        }
    }

    /// Learns that a noisy move was good or not.
    pub fn learn_noisy(&mut self, seen: Seen, gain: i32, bonus: i32) {
        update(&mut self.noisy[seen.side][seen.row as usize * CLASSES + class(gain)], bonus);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for table in [&mut self.butterfly, &mut self.noisy, &mut self.follow] {
            table.iter_mut().for_each(|table| table.fill(0));
        }
    }
}

/// The class of a gain.
#[inline]
fn class(gain: i32) -> usize {
    (gain / 128).clamp(0, CLASSES as i32 - 1) as usize
}

/// Moves a history towards the bonus, the less the nearer it is to the limit.
#[inline]
fn update(history: &mut i16, bonus: i32) {
    let old = i32::from(*history);
    *history = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// The last two quiet moves that cut off at a ply.
#[inline]
pub fn add_killer(killers: &mut [u32; 2], mv: u32) {
    if killers[0] != mv {
        *killers = [mv, killers[0]];
    }
}

/// No killers.
pub const NO_KILLERS: [u32; 2] = [NO_MOVE; 2];

/// Moves the most promising of the moves from `index` on to `index`, and returns it with its score.
#[inline]
pub fn pick<M: Copy>(moves: &mut [M], scores: &mut [i32], index: usize) -> (M, i32) {
    let mut best = index;
    for other in index + 1..scores.len() {
        // The first of equals, so that the order of the move list decides.
        if scores[other] > scores[best] {
            best = other;
        }
    }
    moves.swap(index, best);
    scores.swap(index, best);
    (moves[index], scores[index])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::{GameRules, MoveList, Rules};
    use tesuji_games::chess::Chess;

    #[test]
    fn histories_stay_within_their_limit() {
        let mut history = 0;
        for bonus in [1600; 1000] {
            update(&mut history, bonus);
        }
        assert!((LIMIT - 1600..=LIMIT).contains(&i32::from(history)), "{history}");
        for bonus in [-1600; 1000] {
            update(&mut history, bonus);
        }
        assert!((-LIMIT..=1600 - LIMIT).contains(&i32::from(history)), "{history}");
    }

    #[test]
    fn moves_come_in_their_order() {
        let game = Chess::new(Rules::Official);
        // White can take a free knight, or a guarded pawn with the queen.
        let position = game.parse_position("4k3/2p5/3p4/1n6/8/3Q1P2/8/4K3 w - - 0 1").unwrap();
        let read = |text: &str| position.parse_move(text).unwrap();
        let rows = <<Chess as GameRules>::Position as Position>::ROWS;
        let mut order = Order::new(rows);
        let (good, quiet, killer, bad, first) = (read("d3b5"), read("f3f4"), read("d3d2"), read("d3d6"), read("e1e2"));
        let before = [Seen::new(&position, first).played(rows), None];
        order.learn_quiet(Seen::new(&position, quiet), before, 500);
        let mut moves = MoveList::new();
        position.moves(&mut moves);
        let mut scores = Vec::new();
        order.score(&position, first.to_bits(), [killer.to_bits(), NO_MOVE], before, &moves, &mut scores);
        let mut picked = Vec::new();
        for index in 0..moves.len() {
            picked.push(pick(&mut moves, &mut scores, index));
        }
        let place = |mv| picked.iter().position(|&(other, _)| other == mv).unwrap();
        assert_eq!([first, good, killer, quiet].map(place), [0, 1, 2, 3]);
        assert_eq!(place(bad), picked.len() - 1);
        let ranks = [first, good, killer, quiet, bad].map(|mv| rank(picked[place(mv)].1));
        assert_eq!(ranks, [Rank::Good, Rank::Good, Rank::Killer, Rank::Quiet, Rank::Bad]);
    }
}
