//! Positions and moves of 3D-Bingo.

use super::lines::{self, Cells, Tally};
use tesuji_core::{Move, MoveError, MoveList, Outcome, Position, Side, Stream, random};

/// A move: the peg to drop a cube on, 0..16, counted from a1 along the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peg(u8);

impl Peg {
    /// The peg, 0..16.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The peg that a cell belongs to.
    #[inline]
    pub(super) fn of_cell(cell: usize) -> Peg {
        Peg((cell % 16) as u8)
    }
}

impl Move for Peg {
    fn to_bits(self) -> u32 {
        u32::from(self.0)
    }

    fn from_bits(bits: u32) -> Option<Peg> {
        (bits < 16).then_some(Peg(bits as u8))
    }
}

/// A state of play: the cubes of each side, and the pegs in the order in which they were played.
///
/// The order is part of the notation (a line ends the game, so not every order of the same cubes is a game); it costs
/// half a byte a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bingo {
    cubes: [Cells; 2],
    /// Peg of ply `n` in bits `4 * (n % 16)..` of word `n / 16`; zero beyond `ply`.
    history: [u64; 4],
    ply: u8,
    /// Whether the last cube completed a line.
    line: bool,
}

impl Bingo {
    /// The cells that hold a cube of this side: bit `16 * level + 4 * rank + file`.
    #[inline]
    pub fn cubes(&self, side: Side) -> Cells {
        self.cubes[side.index()]
    }

    /// Whose cube lies in a cell, 0..64.
    pub fn owner(&self, cell: usize) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.cubes(side) >> cell & 1 != 0)
    }

    /// The cells that the next cube can come to lie in, one for each peg that is not full.
    #[inline]
    pub fn playable(&self) -> Cells {
        lines::playable(self.occupied())
    }

    /// The moves that led here.
    pub fn history(&self) -> impl Iterator<Item = Peg> {
        (0..usize::from(self.ply)).map(|ply| Peg((self.history[ply / 16] >> (4 * (ply % 16)) & 15) as u8))
    }

    /// Where the last cube lies.
    pub fn last_cell(&self) -> Option<usize> {
        let peg = self.history().last()?;
        let top = lines::peg_cells(peg.index()) & self.occupied();
        Some(63 - top.leading_zeros() as usize)
    }

    /// The cells in which the next cube would complete a line of this side.
    #[inline]
    fn winning_cells(&self, side: Side) -> Cells {
        lines::completions(self.cubes(side)) & self.playable()
    }

    #[inline]
    fn occupied(&self) -> Cells {
        self.cubes[0] | self.cubes[1]
    }
}

impl Position for Bingo {
    type Move = Peg;

    #[inline]
    fn mover(&self) -> Side {
        Side::BOTH[usize::from(self.ply % 2)]
    }

    #[inline]
    fn movements(&self, out: &mut MoveList<Peg>) {
        out.clear();
        if !self.line {
            // A peg is open while its top cell is free.
            let mut open = !self.occupied() >> 48;
            while open != 0 {
                out.push(Peg(open.trailing_zeros() as u8));
                open &= open - 1;
            }
        }
    }

    #[inline]
    fn count_movements(&self) -> usize {
        if self.line { 0 } else { (!self.occupied() >> 48).count_ones() as usize }
    }

    #[inline]
    fn is_legal(&self, mv: Peg) -> bool {
        !self.line && self.occupied() >> (48 + mv.0) & 1 == 0
    }

    #[inline]
    fn play(&mut self, mv: Peg) {
        let cell = (lines::peg_cells(mv.index()) & self.playable()).trailing_zeros() as usize;
        let own = &mut self.cubes[usize::from(self.ply % 2)];
        *own |= 1 << cell;
        self.line = lines::has_line_through(*own, cell);
        self.history[usize::from(self.ply / 16)] |= u64::from(mv.0) << (4 * (self.ply % 16));
        self.ply += 1;
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if self.line {
            Some(Outcome::Win(self.mover().other()))
        } else if self.ply == 64 {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    fn ending(&self) -> &'static str {
        match self.outcome() {
            Some(Outcome::Win(_)) => "four in a line",
            Some(Outcome::Draw) => "full board",
            None => "",
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        random::mix(random::mix(self.cubes[0]) ^ self.cubes[1])
    }

    #[inline]
    fn ply(&self) -> u32 {
        u32::from(self.ply)
    }

    fn format_move(&self, mv: Peg) -> String {
        format!("{}{}", char::from(b'a' + mv.0 % 4), mv.0 / 4 + 1)
    }

    fn parse_move(&self, text: &str) -> Result<Peg, MoveError> {
        let [file @ b'a'..=b'd', rank @ b'1'..=b'4'] = text.as_bytes() else {
            return Err(MoveError::malformed(text, "expected a peg from a1 to d4"));
        };
        let mv = Peg((rank - b'1') * 4 + (file - b'a'));
        if self.is_legal(mv) { Ok(mv) } else { Err(MoveError::illegal(text)) }
    }

    #[inline]
    fn playout(&mut self, random: &mut Stream, limit: u32) -> Option<Outcome> {
        if let Some(outcome) = self.outcome() {
            return Some(outcome);
        }
        let first = usize::from(self.ply);
        let end = first + limit.min((64 - first) as u32) as usize;
        let mut ply = first;
        let mut pegs = [0_u8; 64];
        let mut draws = Draws::new(self.occupied());
        // The mover's, then the opponent's: the loop over the two unrolls, and all four tallies' words stay in registers.
        let sides = [self.mover(), self.mover().other()];
        let mut cubes = sides.map(|side| self.cubes(side));
        let mut tallies = cubes.map(Tally::of);
        'game: while ply < end {
            for turn in 0..2 {
                if ply == end {
                    break 'game;
                }
                let cell = draws.cell(random);
                pegs[ply] = (cell % 16) as u8;
                ply += 1;
                cubes[turn] |= 1 << cell;
                tallies[turn].add(cell);
                if tallies[turn].has_line() {
                    self.line = true;
                    break 'game;
                }
            }
        }
        for (side, cubes) in sides.into_iter().zip(cubes) {
            self.cubes[side.index()] = cubes;
        }
        for word in first / 16..ply.div_ceil(16) {
            self.history[word] |= pack_nibbles(&pegs[16 * word..][..16]);
        }
        self.ply = ply as u8;
        self.outcome()
    }

    /// The opponent could complete a line with the next cube.
    #[inline]
    fn threatened(&self) -> bool {
        self.winning_cells(self.mover().other()) != 0
    }

    #[inline]
    fn win_in_one(&self) -> Option<Peg> {
        let cells = self.winning_cells(self.mover());
        (cells != 0).then(|| Peg::of_cell(cells.trailing_zeros() as usize))
    }

    const ROWS: usize = 64;

    /// The cell that the cube comes to lie in.
    #[inline]
    fn row(&self, mv: Peg) -> usize {
        (lines::peg_cells(mv.index()) & self.playable()).trailing_zeros() as usize
    }

    fn symmetries(&self) -> usize {
        8
    }

    fn transform(&self, symmetry: usize) -> Bingo {
        let mut history = self.history.map(|pegs| symmetric_pegs(symmetry, pegs));
        // The nibbles beyond the last move stay zero.
        for (word, pegs) in history.iter_mut().enumerate() {
            let played = usize::from(self.ply).saturating_sub(16 * word);
            if played < 16 {
                *pegs &= (1 << (4 * played)) - 1;
            }
        }
        Bingo { cubes: self.cubes.map(|cells| symmetric_cells(symmetry, cells)), history, ..*self }
    }

    fn transform_move(&self, symmetry: usize, mv: Peg) -> Peg {
        Peg((symmetric_pegs(symmetry, u64::from(mv.0)) % 16) as u8)
    }
}

/// Random drops for a playout.
struct Draws {
    /// The cell that the next cube on each peg comes to lie in; 64 and above when the peg is full.
    next: [u8; 16],
    /// Random bits, and how many times four of them are left.
    bits: u64,
    left: u32,
}

impl Draws {
    fn new(occupied: Cells) -> Draws {
        let mut next = [0; 16];
        let mut playable = lines::playable(occupied);
        next.iter_mut().zip(64..).for_each(|(next, full)| *next = full);
        while playable != 0 {
            let cell = playable.trailing_zeros();
            next[cell as usize % 16] = cell as u8;
            playable &= playable - 1;
        }
        Draws { next, bits: 0, left: 0 }
    }

    /// Drops a cube on one of the pegs that are not full, of which there must be one; returns its cell.
    #[inline(always)]
    fn cell(&mut self, random: &mut Stream) -> usize {
        // Sixteen pegs come out of one random number. A full peg is drawn again, so the others stay equally likely.
        loop {
            if self.left == 0 {
                self.bits = random.next_u64();
                self.left = 16;
            }
            let next = &mut self.next[(self.bits % 16) as usize];
            self.bits >>= 4;
            self.left -= 1;
            let cell = usize::from(*next);
            if cell < 64 {
                *next += 16;
                return cell;
            }
        }
    }
}

/// Sixteen numbers below 16 as one, the first in the lowest bits.
fn pack_nibbles(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |packed, &byte| packed << 4 | u64::from(byte))
}

/// Sixteen pegs, four bits each, under a symmetry: bit 0 mirrors the files, bit 1 the ranks, bit 2 swaps files and
/// ranks.
fn symmetric_pegs(symmetry: usize, mut pegs: u64) -> u64 {
    const FILES: u64 = 0x3333_3333_3333_3333;
    if symmetry & 1 != 0 {
        pegs ^= FILES;
    }
    if symmetry & 2 != 0 {
        pegs ^= FILES << 2;
    }
    if symmetry & 4 != 0 {
        pegs = (pegs & FILES) << 2 | pegs >> 2 & FILES;
    }
    pegs
}

/// The cells that a symmetry moves `cells` to, all levels at once.
fn symmetric_cells(symmetry: usize, mut cells: Cells) -> Cells {
    /// Exchanges the cells in `low` with those `distance` bits higher.
    fn swap(cells: Cells, distance: u32, low: Cells) -> Cells {
        let differ = (cells ^ cells >> distance) & low;
        cells ^ differ ^ differ << distance
    }
    if symmetry & 1 != 0 {
        cells = swap(swap(cells, 1, 0x5555_5555_5555_5555), 2, 0x3333_3333_3333_3333);
    }
    if symmetry & 2 != 0 {
        cells = swap(swap(cells, 4, 0x0f0f_0f0f_0f0f_0f0f), 8, 0x00ff_00ff_00ff_00ff);
    }
    if symmetry & 4 != 0 {
        // The 2x2 blocks of each level transposed, then the level of blocks.
        cells = swap(swap(cells, 3, 0x0a0a_0a0a_0a0a_0a0a), 6, 0x00cc_00cc_00cc_00cc);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bingo3d;
    use proptest::prelude::*;
    use tesuji_core::perft::{perft, perft_playing};
    use tesuji_core::{GameRules, Heuristics, RuleBot, Rules, game};

    fn game() -> Bingo3d {
        Bingo3d::new(Rules::Official)
    }

    /// The position after some random moves.
    fn random_position(seed: u64, plies: u32) -> Bingo {
        let mut position = game().start();
        position.playout(&mut Stream::new(seed, "test", 0), plies);
        position
    }

    #[test]
    fn perft_is_the_known_one() {
        let counts: Vec<u64> = (0..=6).map(|depth| perft(&game().start(), depth)).collect();
        assert_eq!(counts, [1, 16, 256, 4096, 65536, 1048560, 16775760]);
        assert_eq!(perft_playing(&game().start(), 5), 1048560);
    }

    #[test]
    fn random_games_end_as_they_are_known_to() {
        let mut random = Stream::new(3, "test", 0);
        let (games, mut first, mut ties, mut plies) = (100_000, 0, 0, 0);
        for _ in 0..games {
            let mut position = game().start();
            match position.playout(&mut random, u32::MAX) {
                Some(Outcome::Win(Side::First)) => first += 1,
                Some(Outcome::Win(Side::Second)) => {}
                Some(Outcome::Draw) => ties += 1,
                None => panic!("a playout without a limit ends the game"),
            }
            plies += position.ply();
        }
        // 55.3% and 28.6 plies; four standard errors are 0.63% and about 0.14.
        let (first, plies) = (f64::from(first) / f64::from(games), f64::from(plies) / f64::from(games));
        assert!((first - 0.553).abs() < 0.0065, "{first}");
        assert!((plies - 28.6).abs() < 0.2, "{plies}");
        assert!(ties < games / 1000);
    }

    #[test]
    fn playouts_draw_every_legal_move_equally_often() {
        // Two pegs are full here, and the first random peg decides which of the other fourteen is played.
        let start = game::parse_line(&game(), "a1 a1 a1 a1 c3 c3 c3 c3").unwrap();
        let mut counts = [0_u32; 16];
        let mut random = Stream::new(5, "test", 0);
        for _ in 0..28_000 {
            let mut position = start;
            assert_eq!(position.playout(&mut random, 1), None);
            counts[position.history().last().unwrap().index()] += 1;
        }
        assert_eq!((counts[0], counts[10]), (0, 0));
        let chi: f64 = counts.iter().filter(|&&n| n > 0).map(|&n| (f64::from(n) - 2000.0).powi(2) / 2000.0).sum();
        // 13 degrees of freedom: exceeded once in a thousand seeds.
        assert!(chi < 34.5, "chi-squared {chi}");
    }

    #[test]
    fn a_full_board_is_a_tie() {
        let mut random = Stream::new(1, "tie", 0);
        let tied = (0..100_000).find_map(|_| {
            let mut position = game().start();
            (position.playout(&mut random, u32::MAX) == Some(Outcome::Draw)).then_some(position)
        });
        let tied = tied.expect("about one random game in a few thousand is a tie");
        assert_eq!((tied.ply(), tied.ending(), tied.count_movements()), (64, "full board", 0));
        assert_eq!(game().parse_position(&game().format_position(&tied)), Ok(tied));
    }

    #[test]
    fn lines_end_the_game() {
        for (moves, winner) in [
            ("a1 b1 a1 b1 a1 b1 a1", Side::First),
            ("a1 a2 b1 b2 c1 c2 d1", Side::First),
            ("d4 a1 a2 b1 b2 c1 c2 d1", Side::Second),
            ("a1 b2 b2 c3 c3 d4 c3 d4 d4 a2 d4", Side::First),
        ] {
            let position = game().parse_position(moves).unwrap();
            assert_eq!(position.outcome(), Some(Outcome::Win(winner)), "{moves}");
            assert_eq!((position.ending(), position.count_movements()), ("four in a line", 0), "{moves}");
            assert!(game().parse_position(&format!("{moves} b4")).is_err());
        }
    }

    #[test]
    fn bad_moves_are_refused() {
        for text in ["a5", "e1", "a", "", "a1 a1 a1 a1 a1", "A1", "11", "a10"] {
            let position = game().start();
            assert!(position.parse_move(text).is_err(), "{text:?} was taken");
        }
        let full = game().parse_position("a1 a1 a1 a1").unwrap();
        assert_eq!(full.parse_move("a1"), Err(MoveError::illegal("a1")));
        assert!(game().parse_position("a1 a1 a1 a1 a1").unwrap_err().to_string().contains("move 5"));
    }

    #[test]
    fn the_bot_wins_then_blocks_then_plays_anything() {
        let bot = |line: &str, seed| {
            let position = game().parse_position(line).unwrap();
            let mut moves = MoveList::new();
            position.moves(&mut moves);
            position.format_move(game().bot_move(&position, &moves, &mut Stream::new(seed, "bot", 0)))
        };
        let mut anything = std::collections::BTreeSet::new();
        for seed in 0..200 {
            assert_eq!(bot("a1 b1 a1 b1 a1 b1", seed), "a1", "both could win: the mover does");
            assert_eq!(bot("a1 b1 a1 b1 a1", seed), "a1", "blocks");
            anything.insert(bot("a1 b1", seed));
        }
        assert_eq!(anything.len(), 16);
    }

    proptest! {
        #[test]
        fn playouts_leave_the_position_that_the_moves_lead_to(seed: u64, plies in 0..=64_u32) {
            let played = random_position(seed, plies);
            prop_assert!(played.ply() == plies || played.outcome().is_some());
            let mut replayed = game().start();
            for peg in played.history() {
                prop_assert!(replayed.try_play(peg).is_ok());
            }
            prop_assert_eq!(replayed, played);
            prop_assert_eq!(game::parse_line(&game(), &game().format_position(&played)), Ok(played));
            // From a position in the middle as from the start.
            let mut onwards = random_position(seed, plies / 2);
            onwards.playout(&mut Stream::new(seed, "onwards", 0), u32::MAX);
            prop_assert!(onwards.outcome().is_some());
            prop_assert_eq!(game().parse_position(&game().format_position(&onwards)), Ok(onwards));
        }

        #[test]
        fn symmetries_carry_positions_moves_and_outcomes(seed: u64, plies in 0..=64_u32) {
            let position = random_position(seed, plies);
            let mut keys = std::collections::BTreeSet::new();
            for symmetry in 0..position.symmetries() {
                let image = position.transform(symmetry);
                keys.insert(image.key());
                prop_assert_eq!(image.outcome(), position.outcome());
                prop_assert_eq!(game().heuristic(&image), game().heuristic(&position));
                let mut replayed = game().start();
                for peg in position.history() {
                    replayed.play(position.transform_move(symmetry, peg));
                }
                prop_assert_eq!(replayed, image);
            }
            // Eight different maps: one cube away from the diagonals has eight images.
            prop_assert!(keys.len() <= 8);
        }
    }

    #[test]
    fn the_eight_symmetries_differ() {
        let one = game().parse_position("b1").unwrap();
        let images: std::collections::BTreeSet<u64> = (0..8).map(|symmetry| one.transform(symmetry).key()).collect();
        assert_eq!(images.len(), 8);
    }
}
