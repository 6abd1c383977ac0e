//! Positions to train on.

/// Positions with what their networks' outputs should be: lists of active inputs, flat in memory.
///
/// Made by [`push`](Samples::push), which copies the lists behind those of the position before. A set can be a whole
/// window of positions, from which each step takes some by their numbers, or one batch that is filled anew for each
/// step; [`clear`](Samples::clear) keeps the memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    inputs: Vec<u32>,
    records: Vec<Record>,
}

/// A position, all in one place: those of a large set are read in random order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Record {
    /// Where the mover's list begins; the other side's follows.
    start: usize,
    mover: u32,
    other: u32,
    target: f32,
    weight: f32,
}

/// A position to train on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<'a> {
    /// Active inputs of the side to move.
    pub mover: &'a [u32],
    /// Active inputs of the other side.
    pub other: &'a [u32],
    /// The expected result for the side to move: 0 lost, 0.5 drawn, 1 won.
    pub target: f32,
    /// How much the position counts; 1 is usual.
    pub weight: f32,
}

impl Samples {
    /// No positions.
    pub fn new() -> Samples {
        Samples::default()
    }

    /// Adds a position.
    ///
    /// # Panics
    /// If the target is not in 0..=1 or the weight is negative or not finite.
    pub fn push(&mut self, sample: Sample<'_>) {
        let Sample { mover, other, target, weight } = sample;
        assert!((0.0..=1.0).contains(&target), "target {target}");
        assert!(weight >= 0.0 && weight.is_finite(), "weight {weight}");
        let lens = [mover, other].map(|list| u32::try_from(list.len()).expect("a list of inputs is not that long"));
        let record = Record { start: self.inputs.len(), mover: lens[0], other: lens[1], target, weight };
        self.inputs.extend_from_slice(mover);
        self.inputs.extend_from_slice(other);
        self.records.push(record);
    }

    /// Forgets all positions, keeps the memory.
    pub fn clear(&mut self) {
        self.inputs.clear();
        self.records.clear();
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// A position by its number.
    ///
    /// # Panics
    /// If there is no such position.
    #[inline]
    pub fn get(&self, number: usize) -> Sample<'_> {
        let Record { start, mover, other, target, weight } = self.records[number];
        let lists = &self.inputs[start..start + mover as usize + other as usize];
        let (mover, other) = lists.split_at(mover as usize);
        Sample { mover, other, target, weight }
    }

    /// All positions in order.
    pub fn iter(&self) -> impl Iterator<Item = Sample<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }
}
