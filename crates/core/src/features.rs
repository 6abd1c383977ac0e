//! Sparse inputs of positions: what integer networks (NNUE) read.
//!
//! An [`Encoder`](crate::Encoder) writes planes of numbers. Features are the opposite: a long list of yes-or-no inputs of
//! which a position switches on a few, so that a move changes two or three of them and the first layer of the network is
//! kept up to date by adding and subtracting a few rows.

use crate::{Position, Side};

/// The inputs that a move switches off and on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureChanges {
    /// Inputs that were active before and are not any more.
    pub removed: Vec<u32>,
    /// Inputs that are active now and were not before.
    pub added: Vec<u32>,
}

impl FeatureChanges {
    /// No change.
    pub fn clear(&mut self) {
        self.removed.clear();
        self.added.clear();
    }
}

/// Turns positions into lists of active inputs, once from the perspective of each side.
///
/// Both perspectives use the same numbers: what is *mine* for one is *theirs* for the other, and the board is turned so
/// that both play in the same direction. A network therefore has one first layer for both.
pub trait Features<P: Position>: Send + Sync {
    /// The name in experiment and weight files.
    fn name(&self) -> &'static str;

    /// Raised whenever the meaning of an input changes, so that old weights are refused.
    fn version(&self) -> u32 {
        1
    }

    /// How many inputs a perspective has; active inputs are below this.
    fn inputs(&self) -> usize;

    /// The most inputs that are active at once in a perspective: sums of that many weights must not overflow.
    fn most_active(&self) -> usize;

    /// Whether the features can describe this position; as [`Encoder::accepts`](crate::Encoder::accepts).
    fn accepts(&self, _position: &P) -> bool {
        true
    }

    /// Replaces `out` by the active inputs as `side` sees the position: each once, in any order that depends on the
    /// position alone.
    fn active(&self, position: &P, side: Side, out: &mut Vec<u32>);

    /// Appends to `changes` (which is empty) what `side` sees change from `before` to `after`, the position one move or
    /// one pass later. Returns `false` if it is quicker to start from [`active`](Self::active) again, as after a king's
    /// move where inputs are relative to the king; then `changes` is not used.
    ///
    /// The default always starts again.
    fn changes(&self, _before: &P, _after: &P, _side: Side, _changes: &mut FeatureChanges) -> bool {
        false
    }

    /// How many inputs are left when those that differ only in where the own king stands are counted once: rows that
    /// are shared in training. [`inputs`](Self::inputs) if there is nothing to share.
    fn shared_inputs(&self) -> usize {
        self.inputs()
    }

    /// The shared input that an input belongs to, below [`shared_inputs`](Self::shared_inputs).
    fn shared(&self, input: u32) -> u32 {
        input
    }
}

/// The inputs of games that are won by filling a line: stones, lines that are still open, and the cells that would
/// complete one.
///
/// Numbers of inputs, with `c` cells and `l` lines of `n` cells: `2 c` for the stones by owner; `2 (n - 1) l` for the
/// lines that hold 1 to `n - 1` stones of one side and none of the other; `6 c` for the free cells that would complete a
/// line of the own side, of the other or of both, each by whether it can be played at once.
#[derive(Clone, Copy, Debug)]
pub struct LineInputs {
    /// One more than the greatest number of a cell.
    pub cells: usize,
    /// Cells that there are: `cells`, less numbers that no cell has.
    pub squares: usize,
    /// The lines as sets of cells, all of the same length.
    pub lines: &'static [u64],
    /// Cells of a line.
    pub length: usize,
}

impl LineInputs {
    /// How many inputs there are.
    pub const fn inputs(&self) -> usize {
        8 * self.cells + 2 * (self.length - 1) * self.lines.len()
    }

    /// The most that are active at once: a cell has a stone or is free, and a line is open to one side only.
    pub const fn most_active(&self) -> usize {
        self.squares + self.lines.len()
    }

    /// Replaces `out` by the active inputs as the owner of `own` sees them; `playable` are the cells that can be played
    /// now, whoever is to move.
    pub fn active(&self, own: u64, other: u64, playable: u64, out: &mut Vec<u32>) {
        out.clear();
        for (owner, mut stones) in [own, other].into_iter().enumerate() {
            while stones != 0 {
                out.push((owner * self.cells) as u32 + stones.trailing_zeros());
                stones &= stones - 1;
            }
        }
        let mut completions = [0; 2];
        for (number, &line) in self.lines.iter().enumerate() {
            let counts = [own, other].map(|stones| (line & stones).count_ones() as usize);
            let (owner, count) = match counts {
                [count, 0] if count > 0 => (0, count),
                [0, count] if count > 0 => (1, count),
                _ => continue,
            };
            if count < self.length {
                let kind = (count - 1) * 2 + owner;
                out.push((2 * self.cells + kind * self.lines.len() + number) as u32);
            }
            if count + 1 == self.length {
                completions[owner] |= line & !(own | other);
            }
        }
        let first = 2 * self.cells + 2 * (self.length - 1) * self.lines.len();
        let mut threats = completions[0] | completions[1];
        while threats != 0 {
            let cell = threats.trailing_zeros() as usize;
            let whose = match completions.map(|cells| cells >> cell & 1) {
                [1, 0] => 0,
                [0, _] => 1,
                _ => 2,
            };
            let now = (playable >> cell & 1) as usize;
            out.push((first + (2 * whose + now) * self.cells + cell) as u32);
            threats &= threats - 1;
        }
    }
}
