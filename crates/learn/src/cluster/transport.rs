//! What lies between the learner and its workers.
//!
//! The learner offers units, a worker claims one, plays it and delivers the part; the learner settles it when it is in
//! the run. A claim of a worker that gives no sign of life any more goes back. Nothing here is trusted: parts and
//! networks have checksums, and a unit that is made twice is made to the same bytes.

use super::unit::{Heartbeat, Tallies, Unit, Work};
use std::collections::{BTreeMap, BTreeSet};

/// A part that was delivered, not yet looked at.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// The name of its unit.
    pub id: String,
    /// Who delivered it.
    pub worker: String,
    /// The sealed part.
    pub bytes: Vec<u8>,
}

/// A unit that a worker has claimed.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The unit.
    pub unit: Unit,
    /// Who has claimed it.
    pub worker: String,
}

/// What becomes of a part that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is in the run, or not needed any more.
    Done,
    /// It cannot be used, and is kept for whoever wants to look.
    Aside,
}

/// What lies between the learner and its workers. Errors are one line.
#[allow(clippy::missing_errors_doc)]
pub trait Transport: Send + Sync {
    /// The learner: makes a run known, and keeps other learners away from it.
    fn open_run(&self, work: &Work) -> Result<(), String>;

    /// The learner leaves: nobody plays for the run until it comes back.
    fn close_run(&self, run: &str) -> Result<(), String>;

    /// The learner: forgets the run's units, parts and networks of other generations than this one.
    fn begin_generation(&self, run: &str, generation: u64, network: (u64, &[u8])) -> Result<(), String>;

    /// The learner: offers a unit, unless it is offered or claimed already.
    fn offer(&self, unit: &Unit) -> Result<(), String>;

    /// The learner: takes all copies of a part back that nobody has claimed.
    fn withdraw(&self, unit: &Unit) -> Result<(), String>;

    /// The learner: keeps a dead letter for whoever wants to look: a unit that workers took and did not survive.
    fn bury(&self, unit: &Unit) -> Result<(), String>;

    /// The learner: some of the parts that were delivered; those that are not settled come again.
    fn arrived(&self, run: &str) -> Result<Vec<Arrived>, String>;

    /// The learner: has dealt with a part.
    fn settle(&self, run: &str, arrived: &Arrived, verdict: Verdict) -> Result<(), String>;

    /// The learner: offers again what workers have claimed that are not alive; returns the units' names, and whose they
    /// were.
    fn take_back(&self, run: &str, is_alive: &dyn Fn(&str) -> bool) -> Result<Vec<(String, String)>, String>;

    /// The learner: the parts (generation, part) of which a copy is offered, claimed or delivered; `None` if none is ever
    /// lost.
    fn parts_under_way(&self, run: &str) -> Result<Option<BTreeSet<(u64, u64)>>, String>;

    /// The learner: tells what it knows of the workers.
    fn write_tallies(&self, run: &str, tallies: &Tallies) -> Result<(), String>;

    /// The runs whose learner is there.
    fn runs(&self) -> Result<Vec<Work>, String>;

    /// What learners know of their workers, by run; also those that have left.
    fn tallies(&self) -> Result<BTreeMap<String, Tallies>, String>;

    /// The latest sign of life of each worker.
    fn heartbeats(&self) -> Result<Vec<Heartbeat>, String>;

    /// About how many units of a run nobody has claimed.
    fn waiting(&self, run: &str) -> Result<usize, String>;

    /// Claims a unit of a run that is acceptable.
    fn claim(&self, run: &str, worker: &str, accept: &dyn Fn(&Unit) -> bool) -> Result<Option<Claim>, String>;

    /// The bytes of a network that a unit names.
    fn network(&self, unit: &Unit) -> Result<Vec<u8>, String>;

    /// A worker: delivers a part.
    fn deliver(&self, claim: &Claim, part: &[u8]) -> Result<(), String>;

    /// Gives a claim up; `again` if somebody else is to make it.
    fn release(&self, claim: &Claim, again: bool) -> Result<(), String>;

    /// A worker: gives a sign of life.
    fn beat(&self, heartbeat: &Heartbeat) -> Result<(), String>;

    /// A worker leaves.
    fn leave(&self, worker: &str) -> Result<(), String>;
}
