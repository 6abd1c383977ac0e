//! A run at work.
//!
//! What is on disk is all the state there is. Every start, the first one included, looks at what is there and goes on
//! from it, so a run that was killed at any moment ends with the same bytes as one that was not.

use super::checkpoint::State;
use super::directory::RunDir;
use super::error::RunError;
use super::events::{Event, GenerationEvent, StrengthEvent};
use super::keep::Keep;
use super::ledger::{self, Meter, Phase, PlayCost};
use super::played::Workers;
use super::progress::{Progress, RunConditions, StopRule};
use super::taught::{BeginNetwork, Taught};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tesuji_nn::nnue::NnueTrainer;
use tesuji_nn::train::Losses;
use tesuji_nn::{Isa, KernelPath, Model, Trainer, Weights};

/// What the names of a learner's own numbers begin with in a checkpoint; the others are the optimiser's.
const LEARNER: &str = "learner.";

/// What a run is begun with, as far as every learning method shares it.
pub struct Begin<'a> {
    /// Where every random choice comes from.
    pub seed: u64,
    /// The network.
    pub network: BeginNetwork<'a>,
    /// How many generations older than the newest network the one is that plays.
    pub lag: u64,
}

/// A run at work: what every learning method shares.
pub struct Run<'a> {
    pub(super) directory: RunDir,
    pub(super) conditions: RunConditions<'a>,
    seed: u64,
    lag: u64,
    /// The last finished generation.
    pub(super) generation: u64,
    pub(super) taught: Taught,
    pub(super) path: KernelPath,
    /// Other processes that play its games.
    pub(super) workers: Option<&'a mut dyn Workers>,
    events: Vec<Event>,
    costs: Vec<ledger::Entry>,
    pool: rayon::ThreadPool,
}

impl<'a> Run<'a> {
    /// Begins a run in a directory, or goes on with the one that is there; returns what its learner gave to the newest
    /// checkpoint too.
    ///
    /// # Errors
    /// If what is there does not fit, or the file system refuses.
    pub fn open(
        directory: RunDir,
        begin: &Begin<'_>,
        conditions: RunConditions<'a>,
    ) -> Result<(Run<'a>, State), RunError> {
        directory.notes().iter().for_each(|note| (conditions.progress)(Progress::Note(note.clone())));
        let path = match directory.about() {
            Some(about) => about.path,
            None => {
                let path = KernelPath { isa: Isa::best(), method: begin.network.method() };
                directory.begin(path)?;
                path
            }
        };
        if !path.isa.is_available() {
            let problem = format!("the run uses {path}, which this machine lacks: go on where it began, or anew");
            return Err(RunError::at(directory.root(), problem));
        }
        let say = &mut |note: String| (conditions.progress)(Progress::Note(note));
        let (generation, mut file) = match directory.newest_network(say)? {
            Some((generation, file)) => {
                let fit = begin.network.about().same(&file.about(), "another network");
                fit.map_err(|problem| RunError::at(&directory.network_path(generation), problem))?;
                (generation, file)
            }
            None => {
                let file = Taught::begin(&begin.network, begin.seed).map_err(RunError::Other)?;
                directory.write_initial(&file)?;
                (0, file)
            }
        };
        check_networks(&directory, generation, begin, say)?;
        let state = std::mem::take(file.state_mut());
        let (own, optimiser): (State, State) = state.into_iter().partition(|(name, _)| name.starts_with(LEARNER));
        *file.state_mut() = optimiser;
        let taught = Taught::open(&begin.network, (file, generation > 0), path.isa, begin.seed);
        let taught = taught.map_err(|problem| RunError::at(&directory.network_path(generation), problem))?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(conditions.threads.max(1)).build();
        let say = &mut |note: String| (conditions.progress)(Progress::Note(note));
        let run = Run {
            events: directory.events(generation, say)?,
            costs: directory.costs(say)?,
            pool: pool.map_err(|error| RunError::other(error.to_string()))?,
            seed: begin.seed,
            lag: begin.lag,
            directory,
            conditions,
            generation,
            taught,
            path,
            workers: None,
        };
        let own = own.into_iter().map(|(name, numbers)| (name[LEARNER.len()..].to_owned(), numbers)).collect();
        Ok((run, own))
    }

    /// Has the games of generations to come played by other processes.
    pub fn employ(&mut self, workers: &'a mut dyn Workers) {
        self.workers = Some(workers);
    }

    /// Where every random choice comes from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The last finished generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The files.
    pub fn directory(&self) -> &RunDir {
        &self.directory
    }

    /// The way through the network's kernels.
    pub fn path(&self) -> KernelPath {
        self.path
    }

    /// Everything that happened.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What it cost.
    pub fn costs(&self) -> &[ledger::Entry] {
        &self.costs
    }

    /// Threads to work on.
    pub fn threads(&self) -> usize {
        self.conditions.threads.max(1)
    }

    /// Set when somebody wants the run to stop.
    pub fn stop(&self) -> &'a std::sync::atomic::AtomicBool {
        self.conditions.stop
    }

    /// Whether somebody wants the run to stop.
    pub fn is_stopped(&self) -> bool {
        self.conditions.stop.load(Ordering::Relaxed)
    }

    /// Tells whoever watches.
    pub fn say(&mut self, progress: Progress) {
        (self.conditions.progress)(progress);
    }

    /// The network in training.
    ///
    /// # Panics
    /// If it is an integer network: experiments pair learning methods with networks that they can teach.
    pub fn trainer(&self) -> &Trainer {
        match &self.taught {
            Taught::Float(trainer, _) => trainer,
            Taught::Integer(..) => panic!("the network of the run is an integer network"),
        }
    }

    /// The network in training, to be changed on the calling thread.
    ///
    /// # Panics
    /// As [`trainer`](Self::trainer).
    pub fn trainer_mut(&mut self) -> &mut Trainer {
        match &mut self.taught {
            Taught::Float(trainer, _) => trainer,
            Taught::Integer(..) => panic!("the network of the run is an integer network"),
        }
    }

    /// The integer network in training.
    ///
    /// # Panics
    /// If it is a network in floats: experiments pair learning methods with networks that they can teach.
    pub fn integer_trainer(&self) -> &NnueTrainer {
        match &self.taught {
            Taught::Integer(trainer, _) => trainer,
            Taught::Float(..) => panic!("the network of the run is one in floats"),
        }
    }

    /// Works with the integer network in training on the threads of the run.
    ///
    /// # Panics
    /// As [`integer_trainer`](Self::integer_trainer).
    pub fn on_threads_integer<T: Send>(&mut self, work: impl FnOnce(&mut NnueTrainer) -> T + Send) -> T {
        match &mut self.taught {
            Taught::Integer(trainer, _) => self.pool.install(|| work(trainer)),
            Taught::Float(..) => panic!("the network of the run is one in floats"),
        }
    }

    /// Parameters of the network, and operations for one position.
    pub fn network_size(&self) -> (usize, u64) {
        (self.taught.parameters(), self.taught.flops())
    }

    /// Works with the network in training on the threads of the run.
    pub fn on_threads<T: Send>(&mut self, work: impl FnOnce(&mut Trainer) -> T + Send) -> T {
        let (mut work, mut result) = (Some(work), None);
        self.install(&mut |trainer| result = work.take().map(|work| work(trainer)));
        result.expect("the work was done")
    }

    /// As [`on_threads`](Self::on_threads), compiled once for all work.
    fn install(&mut self, work: &mut (dyn FnMut(&mut Trainer) + Send)) {
        match &mut self.taught {
            Taught::Float(trainer, _) => self.pool.install(|| work(trainer)),
            Taught::Integer(..) => panic!("the network of the run is an integer network"),
        }
    }

    /// The network as it is now, made ready.
    pub fn model(&self) -> Arc<Model> {
        self.model_of(self.trainer().weights())
    }

    /// The network with other weights, made ready.
    pub fn model_of(&self, weights: &Weights) -> Arc<Model> {
        Arc::new(Model::new(self.trainer().graph(), weights, self.path))
    }

    /// Whether the run has gone on for as long as it is meant to.
    pub fn is_enough(&self) -> bool {
        match self.conditions.extent {
            StopRule::Generations(generations) => self.generation >= generations,
            StopRule::Time(time) => {
                let spent: f64 =
                    self.costs.iter().filter(|entry| entry.phase != Phase::Measuring).map(|entry| entry.wall).sum();
                spent >= time.as_secs_f64()
            }
        }
    }

    /// Ends a generation: its event, and its network with what the learner wants to find again. Records of generations
    /// before `oldest`, the oldest that was learned from before this generation, may go.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn finish_generation(
        &mut self,
        event: &GenerationEvent,
        learner: State,
        keep: &Keep,
        oldest: Option<u64>,
    ) -> Result<(), RunError> {
        self.events.push(Event::Generation(event.clone()));
        let mut file = self.taught.checkpoint();
        file.state_mut().extend(learner.into_iter().map(|(name, numbers)| (format!("{LEARNER}{name}"), numbers)));
        let generation = event.generation;
        let oldest = keep.oldest_records(generation, oldest);
        let kept = |old| keep.keeps(old) || Keep::is_recent(old, generation, self.lag);
        self.directory.finish_generation((generation, &file), &self.events, &kept, oldest)?;
        self.generation = generation;
        self.directory.write_costs(&self.costs)
    }

    /// Writes what a generation that was stopped has cost.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn save_costs(&self) -> Result<(), RunError> {
        self.directory.write_costs(&self.costs)
    }

    /// Removes what is not kept. Networks of generations before `since` had their turn, less the lag of the run.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn prune(&self, keep: &Keep, since: u64) -> Result<(), RunError> {
        keep.prune(&self.directory, (self.generation, self.lag), since.saturating_sub(self.lag))
    }

    /// The generations that are finished.
    pub fn generations(&self) -> impl Iterator<Item = &GenerationEvent> {
        self.events.iter().filter_map(|event| match event {
            Event::Generation(event) => Some(event),
            Event::Strength(_) => None,
        })
    }

    /// Where to begin reading records back: so many games or positions (0 for no limit) lie between there and the end.
    pub fn window_start(&self, [most_games, most_positions]: [u64; 2]) -> u64 {
        let (mut first, mut games, mut positions) = (self.generation + 1, 0, 0);
        for event in self.events.iter().rev() {
            let Event::Generation(event) = event else { continue };
            if most_games > 0 && games >= most_games || most_positions > 0 && positions >= most_positions {
                break;
            }
            (first, games, positions) = (event.generation, games + event.play.games, positions + event.play.positions);
        }
        first
    }

    /// Refuses to go on with weights that are no numbers.
    ///
    /// # Errors
    /// If the loss is not finite.
    pub fn check_loss(&self, losses: &Losses) -> Result<(), RunError> {
        if losses.total.is_finite() {
            return Ok(());
        }
        Err(self.problem("the loss is no longer a number: lower training.schedule's rate"))
    }

    /// A line about this run that says what is wrong with it.
    pub fn problem(&self, problem: &str) -> RunError {
        RunError::at(self.directory.root(), problem)
    }

    /// Books what a generation's games cost: by the meter's clocks, or, if they were played between training steps, by
    /// the processor time that `cost` has. `counts` are games and positions.
    pub fn book_play(&mut self, generation: u64, meter: Option<&Meter>, cost: PlayCost, counts: [u64; 2]) {
        let mut play = ledger::Entry::new(generation, Phase::SelfPlay);
        match meter {
            Some(meter) => meter.stop(&mut play),
            None => play.cpu = cost.cpu.as_secs_f64(),
        }
        // The clock of this process does not see what others have spent on its games.
        play.cpu = play.cpu.max(cost.cpu.as_secs_f64());
        let (inference, mate) = (cost.inference.as_secs_f64(), cost.mate.as_secs_f64());
        play.cpu = (play.cpu - inference - mate).max(0.0);
        [play.games, play.positions] = counts;
        play.simulations = cost.simulations;
        self.costs.push(play);
        let mut entry = ledger::Entry::new(generation, Phase::Inference);
        (entry.cpu, entry.evaluations, entry.cached) = (inference, cost.evaluations, cost.cached);
        entry.flops = cost.evaluations.saturating_mul(self.taught.flops());
        self.costs.push(entry);
        if mate > 0.0 {
            let mut entry = ledger::Entry::new(generation, Phase::MateSearch);
            entry.cpu = mate;
            self.costs.push(entry);
        }
    }

    /// Books the training steps that were taken since the meter was started, less the processor time that games between
    /// them took.
    pub fn book_training(&mut self, generation: u64, meter: &Meter, samples: u64, played: Duration) {
        let mut entry = ledger::Entry::new(generation, Phase::Training);
        meter.stop(&mut entry);
        entry.cpu = (entry.cpu - played.as_secs_f64()).max(0.0);
        entry.samples = samples;
        // A backward pass costs about twice a forward pass.
        entry.flops = samples.saturating_mul(3 * self.taught.flops());
        self.costs.push(entry);
    }

    /// Ends a match of the last finished generation: its event and its cost, in which operations are not counted yet.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn finish_match(&mut self, event: StrengthEvent, mut cost: ledger::Entry) -> Result<(), RunError> {
        cost.flops = cost.evaluations.saturating_mul(self.taught.flops());
        self.costs.push(cost);
        self.events.push(Event::Strength(event.clone()));
        self.directory.write_events(&self.events)?;
        self.directory.write_costs(&self.costs)?;
        self.say(Progress::Strength(event));
        Ok(())
    }
}

/// Looks at the networks of the past, which are kept for play: the initial one is made again if need be.
fn check_networks(
    directory: &RunDir,
    generation: u64,
    begin: &Begin<'_>,
    say: &mut dyn FnMut(String),
) -> Result<(), RunError> {
    for old in directory.lost_networks(generation, say)? {
        let initial = if old == 0 { Taught::begin(&begin.network, begin.seed).ok() } else { None };
        let name = format!("networks/{old:06}.safetensors");
        match initial {
            Some(file) => {
                directory.write_initial(&file)?;
                say(format!("{name}: made again"));
            }
            None => say(format!("{name} is lost; the run goes on without it")),
        }
    }
    Ok(())
}
