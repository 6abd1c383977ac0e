//! The loop of a run: play a generation, learn from it, measure; again. How it plays and learns is a [`Learner`]'s.

use crate::experiments::Experiment;
use crate::kit::GameKit;
use crate::measure::{self, Candidate};
use crate::methods::Learner;
use crate::networks;
use crate::report;
use crate::run::ledger::{self, Meter, Phase};
use crate::run::session::same_network;
use crate::run::{Begin, Event, Progress, Run, RunConditions, RunDir, RunError};
use std::path::Path;
use tesuji_core::AnyGame;
use tesuji_nn::{NetworkInfo, Weights};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The last finished generation.
    pub generation: u64,
    /// Whether it was stopped before its time.
    pub stopped: bool,
    /// Everything that happened.
    pub events: Vec<Event>,
    /// What it cost.
    pub costs: Vec<ledger::Entry>,
}

/// Works on a run until its extent is reached: begins it, or goes on where it left off.
///
/// # Errors
/// If the experiment does not fit the game or differs from the run's, or the file system refuses.
pub fn train(
    kit: &dyn GameKit,
    experiment: &Experiment,
    root: &Path,
    conditions: RunConditions<'_>,
) -> Result<Ended, RunError> {
    let directory = RunDir::open(root)?;
    let about = network_info(kit.game().as_ref(), experiment)?;
    claim(&directory, experiment)?;
    let begin = Begin {
        seed: experiment.seed,
        about: about.clone(),
        method: experiment.network.inference(),
        initial: &|| initial_weights(experiment, &about),
        optimiser: experiment.training.optimiser,
        l2: experiment.training.l2,
    };
    let (mut run, state) = Run::open(directory, &begin, conditions)?;
    let mut learner = kit.learner(&experiment.setup(), &experiment.method, &run)?;
    learner.load(&mut run, state)?;
    let stopped = Work { kit, experiment, run: &mut run, learner: learner.as_mut() }.work()?;
    let name = root.display().to_string();
    let page = report::html(&name, experiment, run.events(), run.costs()).map_err(RunError::Other)?;
    run.directory().write("report.html", page.as_bytes())?;
    let (events, costs) = (run.events().to_vec(), run.costs().to_vec());
    Ok(Ended { generation: run.generation(), stopped, events, costs })
}

/// The network of an experiment for a game; the layers are known to fit together.
fn network_info(game: &dyn AnyGame, experiment: &Experiment) -> Result<NetworkInfo, RunError> {
    let about = experiment.network_info(game).map_err(|error| RunError::other(error.to_string()))?;
    about.spec.graph().map_err(|error| RunError::other(error.to_string()))?;
    Ok(about)
}

/// Writes the experiment into a new run; a run that has one already must have the same, budgets apart.
fn claim(directory: &RunDir, experiment: &Experiment) -> Result<(), RunError> {
    match Experiment::of_run(directory.root())? {
        None => directory.write("experiment.toml", experiment.to_toml().as_bytes()),
        Some(known) if Experiment { budget: experiment.budget.clone(), ..known.clone() } == *experiment => Ok(()),
        Some(known) => Err(RunError::at(directory.root(), changed(&known, experiment))),
    }
}

/// Says what is different about an experiment that is not the run's.
fn changed(known: &Experiment, given: &Experiment) -> String {
    let (known, given) = (known.to_toml(), given.to_toml());
    let line = known.lines().zip(given.lines()).find(|(a, b)| a != b);
    let (old, new) = line.unwrap_or(("", ""));
    format!(
        "the run was begun with another experiment ({} instead of {}); choose another --out, or leave the experiment out to go on",
        old.trim(),
        new.trim()
    )
}

/// The weights that a run begins with: random ones, or those of a network of the same kind as the run's own.
fn initial_weights(experiment: &Experiment, about: &NetworkInfo) -> Result<Weights, String> {
    let name = experiment.network.initial();
    if name.is_empty() {
        let graph = about.spec.graph().map_err(|error| error.to_string())?;
        return Ok(Weights::init(&graph, experiment.seed));
    }
    let missing = |problem| format!("network.initial: {problem}; another one by --set network.initial=RUN");
    let (place, file) = networks::open(name).map_err(missing)?;
    same_network(&file.about, about, "another network than the experiment's")
        .map_err(|problem| format!("network.initial: {place}: {problem}"))?;
    Ok(file.weights)
}

/// A run with all that works on it.
struct Work<'w, 'r> {
    kit: &'w dyn GameKit,
    experiment: &'w Experiment,
    run: &'w mut Run<'r>,
    learner: &'w mut dyn Learner,
}

impl Work<'_, '_> {
    /// Goes on until the extent is reached; whether it was stopped before.
    fn work(&mut self) -> Result<bool, RunError> {
        let graph = self.run.trainer().graph();
        let (parameters, flops) = (graph.parameter_count(), graph.flops());
        let initial = self.experiment.network.initial().to_owned();
        self.run.say(Progress::Begin { generation: self.run.generation(), initial, parameters, flops });
        if self.run.generation() > 0 {
            // A run may have been killed just before it tidied up.
            self.run.prune(&self.experiment.keep, 0, self.learner.oldest())?;
        }
        loop {
            if !self.measure_if_due(false)? {
                return Ok(true);
            }
            if self.run.is_enough() {
                break;
            }
            if !self.one_generation()? {
                return Ok(true);
            }
        }
        let measured = self.measure_if_due(true)?;
        Ok(!measured)
    }

    /// Plays a generation and learns from it; `false` if it was stopped.
    fn one_generation(&mut self) -> Result<bool, RunError> {
        let generation = self.run.generation() + 1;
        let Some(event) = self.learner.generation(self.run, generation)? else {
            self.run.save_costs()?;
            return Ok(false);
        };
        let state = self.learner.state(self.run);
        self.run.finish_generation(&event, state)?;
        // The third latest network has its turn; older ones had theirs.
        self.run.prune(&self.experiment.keep, generation.saturating_sub(2), self.learner.oldest())?;
        self.run.say(Progress::Generation(event));
        Ok(true)
    }

    /// Measures the last finished generation if it is its turn and has not been done; `false` if it was stopped.
    fn measure_if_due(&mut self, at_end: bool) -> Result<bool, RunError> {
        let options = &self.experiment.measure;
        let generation = self.run.generation();
        let due = options.every > 0 && generation > 0 && generation.is_multiple_of(options.every);
        let games = if at_end { options.final_games } else { options.games };
        if !(at_end || due) || games == 0 {
            return Ok(true);
        }
        for opponent in &options.opponents {
            if self.is_measured(generation, opponent, games as u64) {
                continue;
            }
            self.run.say(Progress::Measuring { generation, opponent: opponent.clone() });
            let meter = Meter::start();
            let candidate = Candidate {
                kit: self.kit,
                experiment: self.experiment,
                root: self.run.directory().root(),
                generation,
                method: self.run.path().method,
                threads: self.run.threads(),
            };
            let played = measure::strength(&candidate, opponent, games, self.run.stop());
            let Some((event, summary)) = played.map_err(RunError::Other)? else { return Ok(false) };
            let mut cost = ledger::Entry::new(generation, Phase::Measuring);
            meter.stop(&mut cost);
            cost.games = summary.score.games();
            cost.positions = summary.plies;
            cost.evaluations = summary.costs[0].evaluations;
            self.run.finish_match(event, cost)?;
        }
        Ok(true)
    }

    /// Whether a generation has played enough games against an opponent.
    fn is_measured(&self, generation: u64, opponent: &str, games: u64) -> bool {
        self.run.events().iter().any(|event| match event {
            Event::Strength(event) => {
                event.generation == generation && event.opponent == opponent && event.score.iter().sum::<u64>() >= games
            }
            Event::Generation(_) => false,
        })
    }
}
