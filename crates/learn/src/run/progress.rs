//! What whoever watches a run is told, and under which conditions it works.

use super::events::{GenerationEvent, StrengthEvent};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long a run goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopRule {
    /// Until this much time has been spent on playing and training, over all starts of the run.
    Time(Duration),
    /// Until it has this many generations.
    Generations(u64),
}

impl std::str::FromStr for StopRule {
    type Err = String;

    fn from_str(text: &str) -> Result<StopRule, String> {
        let generations = text.parse().ok().map(StopRule::Generations);
        let time = || tesuji_core::budget::parse_duration(text).map(StopRule::Time);
        let none = [StopRule::Generations(0), StopRule::Time(Duration::ZERO)];
        generations
            .or_else(time)
            .filter(|rule| !none.contains(rule))
            .ok_or_else(|| format!("budget {text:?}: expected a time such as 10m or 2h, or at least 1 generation"))
    }
}

/// What is told to whoever watches.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Something that a person should know.
    Note(String),
    /// The run is about to go on behind this generation.
    Begin {
        /// The last finished generation.
        generation: u64,
        /// The network that the run began with (see `network.initial`); empty if with a random one.
        initial: String,
        /// Parameters of the network.
        parameters: usize,
        /// Operations for one position.
        flops: u64,
    },
    /// Games are being played.
    Playing {
        /// The generation.
        generation: u64,
        /// Games finished.
        games: u64,
        /// Games wanted.
        of: u64,
        /// Positions played a second.
        positions_per_second: f64,
        /// Evaluations a second, of all threads.
        evaluations_per_second: f64,
    },
    /// Training goes on.
    Training {
        /// The generation.
        generation: u64,
        /// Steps taken.
        step: u64,
        /// Steps wanted.
        of: u64,
        /// Mean losses so far: policy and value.
        losses: [f32; 2],
    },
    /// A generation is finished.
    Generation(GenerationEvent),
    /// A match is about to be played.
    Measuring {
        /// The generation.
        generation: u64,
        /// The opponent's line.
        opponent: String,
    },
    /// A match is finished.
    Strength(StrengthEvent),
}

/// How a run is to be worked on; none of it changes what comes out.
pub struct RunConditions<'a> {
    /// Threads.
    pub threads: usize,
    /// How long to go on.
    pub extent: StopRule,
    /// Go on although games that are to be learned from are lost; the run is then no longer that of its experiment.
    pub accept_loss: bool,
    /// Set to stop after the write that is under way.
    pub stop: &'a AtomicBool,
    /// Told what happens.
    pub progress: &'a mut dyn FnMut(Progress),
}
