//! The jobs, done: each is a run, a journal, a data set or a measurement, and goes on where it was stopped.

use crate::entry::{Data, Entry, Opinion, Thought};
use crate::error::{LabError, problem};
use crate::file::Reproduction;
use crate::layout::Layout;
use crate::openings::openings;
use crate::plan::{Conditions, Job, Work};
use crate::template::{Reference, refer};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tesuji_arena::cost::forget_peak_memory;
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{MatchLength, MatchSpec, play_match};
use tesuji_arena::play::Adjudication;
use tesuji_core::search::Quiet;
use tesuji_core::{AnyGame, Budget, GameRecord, Player, Style};
use tesuji_learn::data::DataSetInfo;
use tesuji_learn::data::generate::{Plan, generate};
use tesuji_learn::run::curves::Places;
use tesuji_learn::run::{self, RunConditions, StopRule};
use tesuji_learn::train::train;
use tesuji_learn::{Agents, Experiment, GameKit};
use tesuji_nn::file::write_atomically;
use tesuji_search::AgentSource;

/// The share of a generation that its games are taken for, if it has games.
const PLAYING: f64 = 0.8;

/// What jobs are done with.
pub struct Bench<'a> {
    /// The reproduction.
    pub file: &'a Reproduction,
    /// Where its files are.
    pub layout: &'a Layout,
    /// Threads; results do not depend on it.
    pub threads: usize,
    /// Set to stop.
    pub stop: &'a AtomicBool,
}

impl Bench<'_> {
    /// Does a job, or goes on with it, telling how far it is (from 0 to 1); `timed` are the jobs whose results depend on
    /// clocks or foreign programs.
    ///
    /// # Errors
    /// If it was stopped, or something that it needs is wrong or missing.
    pub fn work(
        &self,
        job: &Job,
        timed: &BTreeSet<String>,
        tell: &mut dyn FnMut(f64, &str),
    ) -> Result<Entry, LabError> {
        let data = match &job.work {
            Work::Train { experiment, set, budget } => self.train(&job.id, experiment, set, budget, tell),
            Work::Match(conditions) => self.play(&job.id, conditions, tell),
            Work::Data { place, conditions, keep } => self.data(&job.id, place, conditions, *keep, tell),
            Work::States { position, depth } => self.states(&job.id, position, *depth),
            Work::Opinion { position, agent } => self.opinion(&job.id, position, agent),
        };
        let timed = is_timed(job) || job.after.iter().any(|name| timed.contains(name));
        let data = data.map_err(|error| error.at(&job.id))?;
        Ok(Entry { step: job.step.clone(), labels: job.labels.clone(), timed, data })
    }

    fn kit(&self) -> Result<Arc<dyn GameKit>, LabError> {
        tesuji_registry::kit(&self.file.game, self.file.rules).map_err(problem)
    }

    /// What a text refers to, by place, or by name alone as journals have it: so they do not depend on where they are.
    fn referred(&self, text: &str, by_place: bool) -> Result<String, LabError> {
        refer(text, &|reference: &Reference| {
            if !reference.run {
                return Ok(self.layout.data(&reference.job).display().to_string());
            }
            let place = self.layout.run(&reference.job);
            let name = if by_place { place.display().to_string() } else { reference.job.clone() };
            Ok(match self.generation(reference)? {
                Some(generation) => format!("{name}@{generation}"),
                None => name,
            })
        })
    }

    /// The generation that a reference means; none for the latest one.
    fn generation(&self, reference: &Reference) -> Result<Option<u64>, LabError> {
        let root = self.layout.run(&reference.job);
        let Some((kind, number)) = reference.at.split_once('=') else {
            let wrong = |_| LabError::new(format!("{}@{}: no such generation", reference.job, reference.at));
            return Some(reference.at.as_str())
                .filter(|at| !at.is_empty())
                .map(|at| at.parse().map_err(wrong))
                .transpose();
        };
        let wanted: f64 = number.parse().map_err(|_| LabError::new(format!("{number:?} is no number")))?;
        let places = Places::of(&run::read_events(&root).map_err(problem)?, &run::read_costs(&root).map_err(problem)?);
        let kept = run::network_generations(&root).map_err(problem)?;
        let reached = |generation: u64| match kind {
            "cpu" => places.at(generation).cpu_minutes,
            "minutes" => places.at(generation).minutes,
            _ => places.at(generation).steps as f64,
        };
        // The latest that had not reached it yet by more than a little, or the first one at all.
        let found = kept.iter().copied().filter(|&generation| generation > 0);
        let within = found.clone().take_while(|&generation| reached(generation) <= 1.02 * wanted).last();
        within
            .or_else(|| found.clone().next())
            .map(Some)
            .ok_or_else(|| LabError::new(format!("{}: no network is kept", reference.job)))
    }

    fn train(
        &self,
        id: &str,
        experiment: &str,
        set: &[String],
        budget: &str,
        tell: &mut dyn FnMut(f64, &str),
    ) -> Result<Data, LabError> {
        let mut changes = Vec::new();
        for change in set {
            changes.push(self.referred(change, true)?);
        }
        // Strength is measured by the matches of the reproduction.
        changes.extend(["measure.every=0", "measure.final_games=0"].map(str::to_owned));
        let experiment = Experiment::load(experiment, &changes).map_err(problem)?.experiment;
        let kit = tesuji_registry::kit(&experiment.game, experiment.rules).map_err(problem)?;
        let extent: StopRule = budget.parse().map_err(LabError::new)?;
        let root = self.layout.run(id);
        let (mut played, mut done) = (0, 0.0);
        let mut progress = |progress: run::Progress| {
            match progress {
                run::Progress::Playing { generation, games, of, .. } => {
                    played = generation;
                    done = generation as f64 - 1.0 + PLAYING * games as f64 / of.max(1) as f64;
                }
                // A learner that steps after every move has always taken all the steps that are wanted so far.
                run::Progress::Training { generation, step, of, .. } if step < of => {
                    let (share, behind) = (step as f64 / of as f64, if played == generation { PLAYING } else { 0.0 });
                    done = generation as f64 - 1.0 + behind + (1.0 - behind) * share;
                }
                _ => {}
            }
            match extent {
                StopRule::Generations(all) => tell(done / all.max(1) as f64, "games"),
                StopRule::Time(_) => tell(0.5, "games"),
            }
        };
        let conditions = RunConditions {
            threads: self.threads,
            extent,
            accept_loss: false,
            stop: self.stop,
            progress: &mut progress,
        };
        // The memory of a run or a match is its own, not that of what was done before it.
        forget_peak_memory();
        let ended = train(kit.as_ref(), &experiment, &root, conditions).map_err(problem)?;
        if ended.stopped {
            return Err(LabError::Stopped);
        }
        Ok(Data::Run { id: id.to_owned(), experiment: Box::new(experiment), events: ended.events, costs: ended.costs })
    }

    fn spec(&self, game: &dyn AnyGame, conditions: &Conditions) -> Result<MatchSpec, LabError> {
        let [a, b] = &conditions.players;
        Ok(MatchSpec {
            game: game.name().to_owned(),
            rules: game.rules(),
            players: [self.referred(a, false)?, self.referred(b, false)?],
            budgets: [conditions.budget; 2],
            margin: Duration::from_secs(1),
            openings: openings(game, &conditions.openings)?,
            adjudication: Adjudication { max_plies: conditions.max_plies, ..Adjudication::default() },
            seed: conditions.seed,
        })
    }

    fn play(&self, id: &str, conditions: &Conditions, tell: &mut dyn FnMut(f64, &str)) -> Result<Data, LabError> {
        let kit = self.kit()?;
        let agents = Agents::of(kit.as_ref());
        let game = agents.game();
        let spec = self.spec(game.as_ref(), conditions)?;
        let mut journal = Journal::open(&self.layout.journal(id), &spec).map_err(problem)?;
        if journal.results().iter().filter(|result| result.index < conditions.games).count() < conditions.games {
            let [a, b] = &conditions.players;
            let lines = [self.referred(a, true)?, self.referred(b, true)?];
            check_players(&agents, &lines)?;
            let make = lines.each_ref().map(|line| || player(&agents, line));
            let length = MatchLength { games: conditions.games, sprt: None, threads: self.threads };
            let mut show = |results: &[_]| tell(results.len() as f64 / conditions.games.max(1) as f64, "games");
            forget_peak_memory();
            let played = play_match(
                game.as_ref(),
                &spec,
                &length,
                [&make[0], &make[1]],
                Some(&mut journal),
                self.stop,
                &mut show,
            );
            if played.map_err(LabError::new)?.len() < conditions.games {
                return Err(LabError::Stopped);
            }
        }
        let mut results = journal.results().to_vec();
        results.retain(|result| result.index < conditions.games);
        results.sort_by_key(|result| result.index);
        Ok(Data::Match { spec: Box::new(spec), results })
    }

    fn data(
        &self,
        id: &str,
        place: &str,
        conditions: &Conditions,
        keep: f64,
        tell: &mut dyn FnMut(f64, &str),
    ) -> Result<Data, LabError> {
        if !place.is_empty() {
            // Whoever refers to it looks in its place among ours.
            let (from, here) = (std::path::absolute(place).map_err(problem)?, self.layout.data(id));
            if !here.exists() {
                link(&from, &here)?;
            }
            return Ok(Data::Set(DataSetInfo::read(&here).map_err(problem)?));
        }
        let kit = self.kit()?;
        let agents = Agents::of(kit.as_ref());
        let game = agents.game();
        let spec = self.spec(game.as_ref(), conditions)?;
        check_players(&agents, &spec.players)?;
        let make = spec.players.each_ref().map(|line| || player(&agents, line));
        let games = conditions.games as u64;
        let plan = Plan { spec: spec.clone(), games, keep, threads: self.threads };
        let check = |record: &GameRecord| kit.check_record(record);
        let mut show = |done: u64| tell(done as f64 / games.max(1) as f64, "games");
        let made = generate(
            game.as_ref(),
            &check,
            &self.layout.data(id),
            &plan,
            ([&make[0], &make[1]], None),
            self.stop,
            &mut show,
        );
        made.map_err(problem)?.map(Data::Set).ok_or(LabError::Stopped)
    }

    fn states(&self, id: &str, position: &str, depth: u32) -> Result<Data, LabError> {
        let path = self.layout.measure(id);
        if let Some(known) = stored(&path) {
            return Ok(Data::States(known));
        }
        let position = self.kit()?.game().parse(position).map_err(problem)?;
        let counts: Vec<u64> = (1..=depth).map(|depth| position.perft(depth, true)).collect();
        store(&path, &counts)?;
        Ok(Data::States(counts))
    }

    fn opinion(&self, id: &str, position: &str, agent: &str) -> Result<Data, LabError> {
        let path = self.layout.measure(id);
        if let Some(known) = stored(&path) {
            return Ok(Data::Opinion(known));
        }
        let kit = self.kit()?;
        let agents = Agents::of(kit.as_ref());
        let place = kit.game().parse(position).map_err(problem)?;
        let searcher = agents.searcher(&self.referred(agent, true)?, 0).map_err(problem)?;
        let mut searcher = searcher.ok_or_else(|| LabError::new("a foreign engine has no policy to show"))?;
        searcher.search.new_game(1);
        let budget = searcher.budget(&Budget::UNLIMITED);
        let found = searcher.search.search(place.as_ref(), &budget, &mut Quiet);
        let mut thoughts: Vec<Thought> = searcher
            .search
            .considered()
            .into_iter()
            .map(|move_| Thought {
                mv: place.format_move(move_.mv),
                prior: f64::from(move_.prior),
                visits: move_.visits,
            })
            .collect();
        if thoughts.is_empty() {
            let of = |(mv, share): &(tesuji_core::MoveId, f32)| Thought {
                mv: place.format_move(*mv),
                prior: f64::from(*share),
                visits: 0,
            };
            thoughts = found.policy.iter().map(of).collect();
        }
        thoughts.sort_by(|a, b| b.prior.total_cmp(&a.prior).then_with(|| a.mv.cmp(&b.mv)));
        let board = place.render(Style { color: false, kanji: false });
        let opinion = Opinion { position: position.to_owned(), board, best: place.format_move(found.best), thoughts };
        store(&path, &opinion)?;
        Ok(Data::Opinion(opinion))
    }
}

/// Makes a player.
pub(crate) fn player(agents: &Agents<'_>, line: &str) -> Result<Box<dyn Player>, String> {
    agents.player(line, 0).map_err(|error| error.to_string())
}

/// Makes players and starts them, so that one that cannot begin fails the job instead of losing every game.
pub(crate) fn check_players(agents: &Agents<'_>, lines: &[String]) -> Result<(), LabError> {
    for line in lines {
        let begun = player(agents, line).and_then(|mut player| player.new_game(0).map_err(|error| error.to_string()));
        begun.map_err(|problem| LabError::new(format!("player {line:?}: {problem}")))?;
    }
    Ok(())
}

/// Whether a job's results depend on clocks or foreign programs by themselves.
fn is_timed(job: &Job) -> bool {
    let by_clock = |text: &String| {
        text.starts_with("engine:") || text.contains("@cpu=") || text.contains("@minutes=") || text.contains("time=")
    };
    match &job.work {
        Work::Train { budget, .. } => budget.parse::<u64>().is_err(),
        Work::Match(conditions) => {
            conditions.players.iter().any(by_clock)
                || conditions.budget.time.is_some()
                || conditions.budget.cpu.is_some()
        }
        Work::Data { conditions, .. } => conditions.players.iter().any(by_clock),
        Work::Opinion { agent, .. } => by_clock(agent),
        Work::States { .. } => false,
    }
}

fn stored<T: serde::de::DeserializeOwned>(path: &std::path::Path) -> Option<T> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

fn store(path: &std::path::Path, item: &impl serde::Serialize) -> Result<(), LabError> {
    let text = serde_json::to_string(item).map_err(problem)? + "\n";
    write_atomically(path, text.as_bytes()).map_err(|error| LabError::new(format!("cannot write {path:?}: {error}")))
}

#[cfg(unix)]
fn link(from: &std::path::Path, here: &std::path::Path) -> Result<(), LabError> {
    std::os::unix::fs::symlink(from, here).map_err(|error| LabError::new(format!("cannot link {here:?}: {error}")))
}

#[cfg(not(unix))]
fn link(_from: &std::path::Path, here: &std::path::Path) -> Result<(), LabError> {
    Err(LabError::new(format!("put the data set at {}", here.display())))
}
