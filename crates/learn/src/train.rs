//! The loop of a run: play a generation, learn from it, measure; again. How it plays and learns is a [`Learner`]'s.

use crate::experiments::Experiment;
use crate::kit::GameKit;
use crate::measure::{self, Candidate, Judges};
use crate::methods::Learner;
use crate::networks;
use crate::play::options::seeded;
use crate::report;
use crate::run::ledger::{self, Meter, Phase};
use crate::run::{
    About, Begin, BeginNetwork, Checkpoint, Event, Progress, Run, RunConditions, RunDir, RunError, Workers,
};
use std::path::Path;
use tesuji_core::{AnyGame, Stream, limits};
use tesuji_nn::Weights;
use tesuji_nn::nnue::NnueFile;

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
    train_with(kit, experiment, root, conditions, None)
}

/// Other processes that work for a run.
pub struct Crew<'a, 't> {
    /// Those that play its games.
    pub players: &'a mut dyn Workers,
    /// Those that play its matches.
    pub judges: &'a mut Judges<'t>,
}

/// As [`train`]; games and matches are played by this crew, if there is one. What comes out is the same.
///
/// # Errors
/// As [`train`], or if what lies between the processes fails.
pub fn train_with<'a>(
    kit: &dyn GameKit,
    experiment: &Experiment,
    root: &Path,
    conditions: RunConditions<'a>,
    crew: Option<Crew<'a, '_>>,
) -> Result<Ended, RunError> {
    let directory = RunDir::open(root)?;
    let game = kit.game();
    let about = network_info(game.as_ref(), experiment)?;
    check_starts(game.as_ref(), experiment)?;
    claim(&directory, experiment)?;
    let initial = &|| initial_weights(experiment, &about);
    let initial_integer = &|| initial_integer(experiment, &about);
    let network = match &about {
        About::Float(info) => BeginNetwork::Float {
            about: info.clone(),
            method: experiment.network.inference(),
            initial,
            optimiser: experiment.training.optimiser,
            l2: experiment.training.l2,
        },
        About::Integer(info) => BeginNetwork::Integer {
            about: info.clone(),
            training: experiment.method.integer_training(),
            shared: networks::features_info(game.as_ref(), &info.spec.features).map_err(RunError::Other)?.shared,
            initial: initial_integer,
        },
    };
    let begin = Begin { seed: experiment.seed, network, lag: experiment.selfplay.lag };
    let (mut run, state) = Run::open(directory, &begin, conditions)?;
    let mut judges = None;
    if let Some(crew) = crew {
        run.employ(crew.players);
        judges = Some(crew.judges);
    }
    let mut learner = kit.learner(&experiment.setup(), &experiment.method, &run)?;
    let stopped = match learner.load(&mut run, state) {
        Err(RunError::Stopped) => true,
        loaded => {
            loaded?;
            Work { kit, experiment, run: &mut run, learner: learner.as_mut(), judges }.work()?
        }
    };
    let name = root.display().to_string();
    let page = tesuji_report::html(&report::of_run(&name, experiment, run.events(), run.costs()));
    run.directory().write("report.html", page.as_bytes())?;
    let (events, costs) = (run.events().to_vec(), run.costs().to_vec());
    Ok(Ended { generation: run.generation(), stopped, events, costs })
}

/// The network of an experiment for a game; the layers are known to fit together.
fn network_info(game: &dyn AnyGame, experiment: &Experiment) -> Result<About, RunError> {
    let about = experiment.network_info(game).map_err(|error| RunError::other(error.to_string()))?;
    let parameters = match &about {
        About::Float(info) => info.spec.graph().map_err(|error| RunError::other(error.to_string()))?.parameter_count(),
        About::Integer(info) => info.spec.parameters(),
    };
    // Weights, their gradients and what an optimiser keeps for each.
    let bytes = parameters.saturating_mul(16);
    if !limits::has_memory(bytes) {
        let megabytes = bytes >> 20;
        let problem =
            format!("the network's {parameters} parameters take {megabytes} megabytes, more than there are here");
        return Err(RunError::other(problem));
    }
    Ok(about)
}

/// Checks that every start that the experiment names is a position of the game, which goes on from there.
fn check_starts(game: &dyn AnyGame, experiment: &Experiment) -> Result<(), RunError> {
    let mut random = Stream::new(experiment.seed, "starts", 0);
    for (key, lines) in [("selfplay", &experiment.selfplay.starts), ("measure", &experiment.measure.starts)] {
        for line in lines {
            let text = if key == "selfplay" { seeded(line, &mut random) } else { line.clone() };
            let wrong = |problem: String| RunError::other(format!("{key}.starts: {problem}"));
            let position = game.parse(&text).map_err(|error| wrong(error.to_string()))?;
            if position.outcome().is_some() {
                return Err(wrong(format!("{line}: the game is over there")));
            }
        }
    }
    Ok(())
}

/// Writes the experiment into a new run; a run that has one already must have the same, budgets apart.
fn claim(directory: &RunDir, experiment: &Experiment) -> Result<(), RunError> {
    match Experiment::of_run(directory.root())? {
        None => directory.write_experiment(&experiment.to_toml()),
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

/// The weights that a run in floats begins with: random ones, or those of a network of the same kind as the run's own.
fn initial_weights(experiment: &Experiment, about: &About) -> Result<Weights, String> {
    match (initial_network(experiment, about)?, about) {
        (Some(Checkpoint::Float(file)), _) => Ok(file.weights),
        (None, About::Float(info)) => {
            let graph = info.spec.graph().map_err(|error| error.to_string())?;
            Ok(Weights::init(&graph, experiment.seed))
        }
        _ => Err("network.initial: an integer network".to_owned()),
    }
}

/// The integer network that a run begins with; `None` for random weights.
fn initial_integer(experiment: &Experiment, about: &About) -> Result<Option<NnueFile>, String> {
    match initial_network(experiment, about)? {
        Some(Checkpoint::Integer(file)) => Ok(Some(*file)),
        Some(Checkpoint::Float(_)) => Err("network.initial: not an integer network".to_owned()),
        None => Ok(None),
    }
}

/// The network that an experiment names to begin with, which is of the same kind as the run's own.
fn initial_network(experiment: &Experiment, about: &About) -> Result<Option<Checkpoint>, String> {
    let name = experiment.network.initial();
    if name.is_empty() {
        return Ok(None);
    }
    let missing = |problem| format!("network.initial: {problem}; another one by --set network.initial=RUN");
    let place = networks::Place::of(name).map_err(missing)?;
    let file = place.checkpoint().map_err(missing)?;
    about
        .same(&file.about(), "another network than the experiment's")
        .map_err(|problem| format!("network.initial: {place}: {problem}"))?;
    Ok(Some(file))
}

/// A run with all that works on it.
struct Work<'w, 'r, 't> {
    kit: &'w dyn GameKit,
    experiment: &'w Experiment,
    run: &'w mut Run<'r>,
    learner: &'w mut dyn Learner,
    judges: Option<&'w mut Judges<'t>>,
}

impl Work<'_, '_, '_> {
    /// Goes on until the extent is reached; whether it was stopped before.
    fn work(&mut self) -> Result<bool, RunError> {
        let (parameters, flops) = self.run.network_size();
        let initial = self.experiment.network.initial().to_owned();
        self.run.say(Progress::Begin { generation: self.run.generation(), initial, parameters, flops });
        if self.run.generation() > 0 {
            // A run may have been killed just before it tidied up.
            self.run.prune(&self.experiment.keep, 0)?;
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
        let oldest = self.learner.oldest();
        let Some(event) = self.learner.generation(self.run, generation)? else {
            self.run.save_costs()?;
            return Ok(false);
        };
        let state = self.learner.state(self.run);
        self.run.finish_generation(&event, state, &self.experiment.keep, oldest)?;
        // The third latest network has its turn; older ones had theirs.
        self.run.prune(&self.experiment.keep, generation.saturating_sub(2))?;
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
        let (opponents, root) = (options.opponents.len() as u64, self.run.directory().root().to_owned());
        for (place, opponent) in (0..).zip(&options.opponents) {
            if self.is_measured(generation, opponent, games as u64) {
                continue;
            }
            self.run.say(Progress::Measuring { generation, opponent: opponent.clone() });
            let meter = Meter::start();
            let candidate = Candidate {
                kit: self.kit,
                experiment: self.experiment,
                root: &root,
                generation,
                method: self.run.path().method,
                threads: self.run.threads(),
            };
            let number = (generation * opponents + place) * 2 + u64::from(at_end);
            let judges = self.judges.as_deref_mut().map(|judges| (judges, number));
            let (stop, run) = (self.run.stop(), &mut *self.run);
            let say = &mut |note: String| run.say(Progress::Note(note));
            let played = measure::strength(&candidate, opponent, games, stop, judges, say);
            let Some((event, summary, spent)) = played.map_err(RunError::Other)? else { return Ok(false) };
            let mut cost = ledger::Entry::new(generation, Phase::Measuring);
            meter.stop(&mut cost);
            cost.games = summary.score.games();
            cost.positions = summary.plies;
            // The clock of this process does not see what others have spent.
            cost.cpu = cost.cpu.max(spent.cpu.as_secs_f64());
            cost.evaluations = spent.evaluations;
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
