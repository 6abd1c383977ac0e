//! Other processes that play the games of a run or of a data set.

use crate::common::cluster::{Place, Role};
use crate::common::ranges;
use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::AnyGame;
use tesuji_learn::cluster::{Foreman, ForemanOptions, LearnerPlays, Task, Transport};
use tesuji_learn::measure::Judges;
use tesuji_learn::{Experiment, GameKit};

/// When the learner itself plays.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Plays {
    /// When no worker that is alive may take a part
    Alone,
    /// Whenever it would wait
    Always,
    /// Only to decide between two copies of a part that differ
    Never,
}

/// Options about workers.
#[derive(Debug, Args)]
#[command(next_help_heading = "Workers (docs/cluster.md)")]
pub struct CrewArgs {
    /// Have games played by `tesuji worker` at this place, dir:PATH or nats://HOST; what comes out is the same, byte for byte
    #[arg(long, value_name = "PLACE")]
    workers: Option<Place>,
    /// The share of parts that two workers make, to be compared
    #[arg(long, value_name = "SHARE", default_value = "0.01", value_parser = ranges::share)]
    audit: f64,
    /// A worker that gives no sign of life for so long loses what it has taken
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = ranges::deadline)]
    deadline: Duration,
    /// A part that workers have taken so often without delivering it is a dead letter, and made by the learner
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u16).range(1..=1000))]
    attempts: u16,
    /// When the learner itself plays
    #[arg(long, value_name = "WHEN", default_value = "alone")]
    learner_plays: Plays,
}

impl CrewArgs {
    /// Where the workers are, if there are any.
    pub fn transport(&self) -> Result<Option<Box<dyn Transport>>> {
        self.workers.as_ref().map(|place| place.open(Role::Learner)).transpose()
    }

    fn options(&self) -> ForemanOptions {
        let plays = match self.learner_plays {
            Plays::Alone => LearnerPlays::Alone,
            Plays::Always => LearnerPlays::Always,
            Plays::Never => LearnerPlays::Never,
        };
        let (audit, deadline, attempts) = (self.audit, self.deadline, usize::from(self.attempts));
        ForemanOptions { audit, deadline, plays, attempts }
    }

    /// The learner's side of a run: those who play its games, and those who play its matches.
    pub fn hire<'t>(
        &self,
        transport: &'t dyn Transport,
        run: (&dyn GameKit, &Experiment, &Path),
    ) -> Result<(Foreman<'t>, Judges<'t>)> {
        let foreman = Foreman::new(transport, self.options(), run).map_err(|problem| anyhow!(problem))?;
        let judges = Judges::new(transport, self.options(), foreman.name(), (run.0, run.1));
        Ok((foreman, judges))
    }

    /// The learner's side of games between agents, under this name.
    pub fn host<'t>(
        &self,
        transport: &'t dyn Transport,
        name: &str,
        task: Task,
        game: Arc<dyn AnyGame>,
    ) -> Foreman<'t> {
        Foreman::of_contests(transport, self.options(), name, task, game)
    }
}
