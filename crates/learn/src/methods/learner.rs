//! A learning method at work. The loop around it is [`mod@crate::train`].

use super::training::Training;
use crate::networks::NetworkKind;
use crate::play::SelfPlay;
use crate::run::{GenerationEvent, Run, RunError, State};

/// What a learner is given of an experiment.
#[derive(Clone, Debug)]
pub struct Setup {
    /// How games are played.
    pub selfplay: SelfPlay,
    /// How they are learned from.
    pub training: Training,
    /// The name of the encoder, or of the sparse inputs, that the network reads by.
    pub encoder: String,
    /// Whether the run begins with a network that is named, not with random weights.
    pub initial: bool,
    /// What the network is made of.
    pub network: NetworkKind,
    /// Whether it has a head that predicts the opponent's reply.
    pub reply: bool,
    /// Whether it has a head that predicts how long the game goes on.
    pub moves_left: bool,
}

/// A learning method: where its games or samples come from, and which targets the network is moved towards.
pub trait Learner {
    /// Reads back what it needs of a run that goes on, so that the next generation becomes what it would have been
    /// without a break; `state` is what [`state`](Self::state) gave to the checkpoint.
    ///
    /// # Errors
    /// If something is missing or does not fit.
    fn load(&mut self, run: &mut Run<'_>, state: State) -> Result<(), RunError>;

    /// Plays a generation and learns from it; `None` if it was stopped, in which case the run goes on from the last
    /// checkpoint and whole parts of records.
    ///
    /// # Errors
    /// If the file system refuses, or the loss is no longer a number.
    fn generation(&mut self, run: &mut Run<'_>, generation: u64) -> Result<Option<GenerationEvent>, RunError>;

    /// What a checkpoint holds for it beside the weights and the optimiser's state.
    fn state(&self, _run: &Run<'_>) -> State {
        State::new()
    }

    /// The oldest generation whose records it still learns from, if it has any.
    fn oldest(&self) -> Option<u64> {
        None
    }
}
