//! Ways of learning: what differs between them, and nothing else. The loop around them is [`mod@crate::train`].

use crate::alphazero::AlphaZero;
use crate::dqn::DqnLearner;
use crate::run::{GenerationEvent, RunError};
use crate::supervised::Supervised;
use crate::td::TdLearner;
use crate::train::{Run, State};
use tesuji_core::Game;

/// A way of learning: where its games or samples come from, and which targets the network is moved towards.
pub trait Learner<G: Game> {
    /// Reads back what it needs of a run that goes on, so that the next generation becomes what it would have been
    /// without a break; `state` is what [`state`](Self::state) gave to the checkpoint.
    ///
    /// # Errors
    /// If something is missing or does not fit.
    fn load(&mut self, run: &mut Run<'_, G>, state: State) -> Result<(), RunError>;

    /// Plays a generation and learns from it; `None` if it was stopped, in which case the run goes on from the last
    /// checkpoint and whole parts of records.
    ///
    /// # Errors
    /// If the file system refuses, or the loss is no longer a number.
    fn generation(&mut self, run: &mut Run<'_, G>, generation: u64) -> Result<Option<GenerationEvent>, RunError>;

    /// What a checkpoint holds for it beside the weights and the optimiser's state.
    fn state(&self, _run: &Run<'_, G>) -> State {
        State::new()
    }

    /// The oldest generation whose records it still learns from, if it has any.
    fn oldest(&self) -> Option<u64> {
        None
    }
}

/// The way of learning that an experiment asks for.
///
/// # Errors
/// If the experiment does not fit the game.
pub fn of<'r, G: Game>(run: &Run<'_, G>) -> Result<Box<dyn Learner<G> + 'r>, RunError> {
    let experiment = &run.experiment;
    if let Some(options) = &experiment.dqn {
        return Ok(Box::new(DqnLearner::new(run, options.clone())?));
    }
    if let Some(options) = &experiment.td {
        return Ok(Box::new(TdLearner::new(run, options.clone())?));
    }
    if let Some(options) = &experiment.supervised {
        return Ok(Box::new(Supervised::new(run, options.clone())?));
    }
    Ok(Box::new(AlphaZero::new(run.game.clone())))
}
