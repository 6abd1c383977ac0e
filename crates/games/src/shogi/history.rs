//! Which positions have occurred in a game, and who was in check.

/// How often repetition ends the game.
const FOURFOLD: usize = 4;

/// The words of the filter: 512 bits.
const WORDS: usize = 8;

/// The positions of a game, the current one last.
#[derive(Debug)]
pub(super) struct History {
    /// The key of each position, its lowest bit replaced by whether the side to move is in check. That is a property
    /// of the position, so equal positions still have equal entries.
    entries: Vec<u64>,
    /// One bit for each of 512 classes of entries: whether one of that class has occurred. Most positions of a game
    /// are new, and this says so without a look at the entries.
    seen: [u64; WORDS],
    /// Whether the current position may have occurred before.
    suspect: bool,
}

/// A repetition that ends the game: who, if anyone, gave check with every move since the first occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fourfold {
    /// The side to move was in check after every move of the opponent.
    pub mover_always_in_check: bool,
    /// The opponent was in check after every move of the side to move.
    pub mover_always_gave_check: bool,
}

impl History {
    pub fn new(key: u64, in_check: bool) -> History {
        let mut history = History { entries: Vec::new(), seen: [0; WORDS], suspect: false };
        history.push(key, in_check);
        history
    }

    /// Adds the position after a move.
    #[inline]
    pub fn push(&mut self, key: u64, in_check: bool) {
        let word = &mut self.seen[(key >> 58) as usize % WORDS];
        let bit = 1 << (key >> 52 & 63);
        self.suspect = *word & bit != 0;
        *word |= bit;
        self.entries.push(key & !1 | u64::from(in_check));
    }

    /// How often the current position has occurred, this time included.
    pub fn occurrences(&self) -> usize {
        match self.entries.last() {
            Some(current) if self.suspect => self.entries.iter().filter(|&entry| entry == current).count(),
            _ => 1,
        }
    }

    /// Whether the current position occurs at least for the fourth time.
    #[inline]
    pub fn fourfold(&self) -> Option<Fourfold> {
        if self.suspect { self.search() } else { None }
    }

    fn search(&self) -> Option<Fourfold> {
        let current = *self.entries.last()?;
        let last = self.entries.len() - 1;
        // The third occurrence before the current one. The same side is to move every second ply; a position read
        // from text may say otherwise, but then the key differs.
        let first = (0..last).rev().filter(|&at| self.entries[at] == current).nth(FOURFOLD - 2)?;
        let in_check = |at: usize| self.entries[at] & 1 != 0;
        Some(Fourfold {
            mover_always_in_check: (first..=last).rev().step_by(2).all(in_check),
            mover_always_gave_check: (first..last).rev().step_by(2).all(in_check),
        })
    }
}

impl Clone for History {
    fn clone(&self) -> History {
        History { entries: self.entries.clone(), seen: self.seen, suspect: self.suspect }
    }

    #[inline]
    fn clone_from(&mut self, source: &History) {
        self.entries.clear();
        self.entries.extend_from_slice(&source.entries);
        self.seen = source.seen;
        self.suspect = source.suspect;
    }
}
