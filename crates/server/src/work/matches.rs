//! Matches: two agents play games, on disk, so that a match goes on after a restart.
//!
//! A match is a directory: `match.json` says what is played, `journal.jsonl` has the games, and `running` is there until
//! the match is over or somebody ends it.

use super::files;
use crate::agents::resolve;
use crate::app::{App, cores};
use crate::jobs::list::Part;
use crate::jobs::{Job, Kind};
use crate::networks::{opaque, pin};
use crate::played::outcome;
use crate::problem::{Answer, Problem};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tesuji_arena::elo;
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_arena::sprt::Sprt;
use tesuji_core::player::Choice;
use tesuji_core::{AnyGame, Budget, GameLine, Player, PlayerError, Rules, limits};
use tesuji_games::books;
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// Games of a match.
const MOST_GAMES: usize = 10_000;
/// The file that says what is played.
const MATCH: &str = "match.json";
/// The games.
const JOURNAL: &str = "journal.jsonl";
/// There while the match is to go on.
const RUNNING: &str = "running";
/// The longest journal that is read for the page.
const LONGEST_JOURNAL: u64 = 256 << 20;

/// What is played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchInput {
    game: String,
    #[serde(default)]
    rules: Rules,
    agents: [String; 2],
    games: usize,
    /// CPU seconds a move.
    cpu: f64,
    #[serde(default = "openings")]
    openings: String,
    #[serde(default = "seed")]
    seed: u64,
    #[serde(default)]
    sprt: Option<[f64; 2]>,
    #[serde(default = "threads")]
    threads: usize,
}

fn openings() -> String {
    "random:2".to_owned()
}

fn seed() -> u64 {
    1
}

fn threads() -> usize {
    1
}

impl MatchInput {
    /// The openings that were asked for; none from files.
    fn openings(&self, game: &dyn AnyGame) -> Answer<Openings> {
        let wrong = || Problem::bad("openings: expected random:N, even, even:N or varied");
        if self.openings == "varied" {
            return Ok(Openings::Varied);
        }
        if let Some(number) = self.openings.strip_prefix("random:") {
            let plies = number.parse().ok().filter(|plies| limits::OPENING_PLIES.contains(plies));
            return plies.map(Openings::Random).ok_or_else(wrong);
        }
        let plies = match self.openings.as_str() {
            "even" => None,
            other => Some(other.strip_prefix("even:").and_then(|number| number.parse().ok()).ok_or_else(wrong)?),
        };
        Ok(Openings::from_text(game, books::book(game.name(), plies)?.text)?)
    }

    fn spec(&self, game: &dyn AnyGame) -> Answer<MatchSpec> {
        let budget = Budget { cpu: Some(super::search::cpu_time(self.cpu)?), ..Budget::UNLIMITED };
        Ok(MatchSpec {
            game: game.name().to_owned(),
            rules: game.rules(),
            players: self.agents.clone(),
            budgets: [budget; 2],
            // The clock of a laptop that does other things as well is no reason to lose a game.
            margin: Duration::from_secs(30),
            openings: self.openings(game)?,
            adjudication: Adjudication::default(),
            seed: self.seed,
        })
    }

    fn length(&self) -> Answer<MatchLength> {
        if !(1..=MOST_GAMES).contains(&self.games) {
            return Err(Problem::bad(format!("games: expected 1 to {MOST_GAMES}")));
        }
        Ok(MatchLength { games: self.games, sprt: self.sprt()?, threads: self.threads.clamp(1, cores()) })
    }

    fn sprt(&self) -> Answer<Option<Sprt>> {
        match self.sprt {
            None => Ok(None),
            Some([elo0, elo1]) if elo0 < elo1 && (-10_000.0..=10_000.0).contains(&elo0) && elo1 <= 10_000.0 => {
                Ok(Some(Sprt { elo0, elo1, ..Sprt::default() }))
            }
            Some(_) => Err(Problem::bad("sprt: expected [ELO0, ELO1] with ELO0 < ELO1")),
        }
    }
}

/// Begins a match.
pub fn begin(app: &Arc<App>, mut input: MatchInput) -> Answer<Arc<Job>> {
    let game = tesuji_games::game(&input.game, input.rules)?;
    // A run that goes on must not change its player in the middle of a match.
    let pinned = input.agents.iter().map(|line| pin(app, line)).collect::<Answer<Vec<String>>>()?;
    input.agents = [pinned[0].clone(), pinned[1].clone()];
    input.spec(game.as_ref())?;
    input.length()?;
    let kit = tesuji_registry::kit(&input.game, input.rules)?;
    let agents = Agents::new(kit.as_ref(), Arc::clone(&app.networks));
    for line in &input.agents {
        agents.player(&resolve(app, line)?, 0).map_err(|error| Problem::bad(format!("{line:?}: {error}")))?;
    }
    let io = |error: std::io::Error| Problem::internal(format!("cannot keep the match: {error}"));
    let name = files::take_free(&app.options.matches, &input.game).map_err(io)?;
    let root = app.options.matches.join(&name);
    files::write(&root.join(MATCH), &input).map_err(io)?;
    files::write(&root.join(RUNNING), &true).map_err(io)?;
    start(app, &name, input)
}

/// Notes that a match is not to go on at the next start, also if it has not begun yet.
pub fn forget(app: &App, id: &str) {
    if let Ok((_, root)) = find(app, id) {
        let _ = fs::remove_file(root.join(RUNNING));
    }
}

/// Goes on with every match that was under way.
pub fn go_on(app: &Arc<App>) {
    for name in names(app) {
        let root = app.options.matches.join(&name);
        if !root.join(RUNNING).is_file() {
            continue;
        }
        // One that cannot go on is listed with what is there.
        if let Some(input) = files::read::<MatchInput>(&root.join(MATCH)) {
            let _ = start(app, &name, input);
        }
    }
}

/// Goes on with a match that was ended.
pub fn resume(app: &Arc<App>, id: &str) -> Answer<Arc<Job>> {
    let (name, root) = find(app, id)?;
    if job_of(app, id).is_some() {
        return Err(Problem::conflict("the match goes on already"));
    }
    let input = files::read(&root.join(MATCH)).ok_or_else(|| Problem::conflict("the match cannot be read"))?;
    files::write(&root.join(RUNNING), &true).map_err(|error| Problem::internal(error.to_string()))?;
    start(app, &name, input)
}

fn start(app: &Arc<App>, name: &str, input: MatchInput) -> Answer<Arc<Job>> {
    let id = opaque('m', name);
    let mut result = summary_json(&id, &input, &[], &Summary::of(&[]));
    result["live"] = Value::Null;
    let root = app.options.matches.join(name);
    let app_too = Arc::clone(app);
    let part: Part = Box::new(move |job| {
        let played = play(&app_too, &root, &id, &input, job);
        // A server that ends leaves the match to the next one; whoever ends a match means it.
        if !app_too.is_closing() {
            let _ = fs::remove_file(root.join(RUNNING));
        }
        played
    });
    app.jobs.start(Kind::Match, None, result, vec![part]).map_err(Problem::conflict)
}

fn play(app: &App, root: &Path, id: &str, input: &MatchInput, job: &Arc<Job>) -> Result<(), String> {
    let words = |problem: Problem| problem.text;
    let kit = tesuji_registry::kit(&input.game, input.rules).map_err(|error| error.to_string())?;
    let game = kit.game();
    let spec = input.spec(game.as_ref()).map_err(words)?;
    let length = input.length().map_err(words)?;
    let agents = Agents::new(kit.as_ref(), Arc::clone(&app.networks));
    let lines = [resolve(app, &input.agents[0]).map_err(words)?, resolve(app, &input.agents[1]).map_err(words)?];
    let mut journal = Journal::open(&root.join(JOURNAL), &spec).map_err(|error| error.to_string())?;
    let make = [0, 1].map(|seat: usize| {
        let (agents, lines) = (&agents, &lines);
        move || {
            let player = agents.player(&lines[seat], 0).map_err(|error| error.to_string())?;
            Ok(Box::new(Watched { player, job: Arc::clone(job), told: None }) as Box<dyn Player>)
        }
    });
    let mut told: Option<Instant> = None;
    let mut show = |results: &[GameResult]| {
        if told.is_none_or(|told| told.elapsed() >= Duration::from_millis(200)) || results.len() == input.games {
            told = Some(Instant::now());
            tell(id, input, results, job);
        }
    };
    show(journal.results());
    let results = play_match(
        game.as_ref(),
        &spec,
        &length,
        [&make[0], &make[1]],
        Some(&mut journal),
        job.stop_flag(),
        &mut show,
    )?;
    tell(id, input, &results, job);
    Ok(())
}

/// Writes down how the match stands.
fn tell(id: &str, input: &MatchInput, results: &[GameResult], job: &Job) {
    let summary = Summary::of(results);
    job.update(|status| {
        let live = status.result["live"].take();
        status.cost.cpu = summary.costs.iter().map(|cost| cost.cpu).sum();
        status.progress = Some(results.len() as f64 / input.games as f64);
        status.result = summary_json(id, input, results, &summary);
        status.result["live"] = live;
    });
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Score, Elo, pairs, test and costs.
fn summary_json(id: &str, input: &MatchInput, results: &[GameResult], summary: &Summary) -> Value {
    let elo = summary.elo();
    let sprt = input.sprt().ok().flatten().map(|sprt| {
        let (low, high) = sprt.bounds();
        json!({ "llr": finite(sprt.log_likelihood_ratio(&summary.pairs)), "low": low, "high": high,
            "verdict": sprt.verdict(&summary.pairs), "elo0": sprt.elo0, "elo1": sprt.elo1 })
    });
    json!({
        "match": id, "game": input.game, "rules": input.rules, "players": input.agents, "asked": input.games,
        "cpu": input.cpu, "openings": input.openings, "seed": input.seed, "games": results.len(),
        "score": summary.score, "as_first": summary.score_first, "mean": summary.score.mean(),
        "elo": { "difference": finite(elo.difference), "low": finite(elo.low), "high": finite(elo.high) },
        "superiority": elo::likelihood_of_superiority(&summary.score),
        "pairs": summary.pairs.counts, "split": summary.split, "openings_decide": summary.openings_decide(),
        "distinct": summary.distinct, "endings": summary.endings, "costs": summary.costs, "sprt": sprt,
        "mean_plies": summary.plies as f64 / (results.len().max(1)) as f64,
    })
}

/// A player whose games can be watched.
struct Watched {
    player: Box<dyn Player>,
    job: Arc<Job>,
    told: Option<Instant>,
}

impl Player for Watched {
    fn name(&self) -> String {
        self.player.name()
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.player.new_game(seed)
    }

    fn check(&mut self, line: &GameLine, budget: &Budget) -> Result<(), PlayerError> {
        self.player.check(line, budget)
    }

    fn choose(&mut self, line: &GameLine, budget: &Budget) -> Result<Choice, PlayerError> {
        if self.told.is_none_or(|told| told.elapsed() >= Duration::from_millis(150)) {
            self.told = Some(Instant::now());
            self.job.update(|status| status.result["live"] = json!({ "start": line.start, "moves": line.moves }));
        }
        self.player.choose(line, budget)
    }

    fn peak_memory(&self) -> Option<u64> {
        self.player.peak_memory()
    }
}

/// The directories of matches, by name.
fn names(app: &App) -> Vec<String> {
    let entries = fs::read_dir(&app.options.matches).into_iter().flatten().flatten();
    let is_match = |name: &String| app.options.matches.join(name).join(MATCH).is_file();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(is_match).collect();
    names.sort();
    names
}

/// The match of an id.
fn find(app: &App, id: &str) -> Answer<(String, PathBuf)> {
    let name = names(app).into_iter().find(|name| opaque('m', name) == id);
    name.map(|name| (name.clone(), app.options.matches.join(name))).ok_or_else(|| Problem::missing("no such match"))
}

/// The job that plays a match.
fn job_of(app: &App, id: &str) -> Option<Value> {
    let jobs = app.jobs.list(None);
    jobs.into_iter().find(|job| {
        let state = job["state"].as_str().unwrap_or_default();
        job["result"]["match"] == id && ["queued", "running"].contains(&state)
    })
}

/// The games of a journal; one that is being written may end in half a line.
fn results(root: &Path) -> Vec<GameResult> {
    let Ok(file) = File::open(root.join(JOURNAL)) else { return Vec::new() };
    let lines = BufReader::new(file.take(LONGEST_JOURNAL)).lines().skip(1);
    lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()).collect()
}

/// Every match with how it stands.
pub fn list(app: &App) -> Vec<Value> {
    let one = |name: &String| one(app, &opaque('m', name)).ok();
    let mut matches: Vec<Value> = names(app).iter().filter_map(one).collect();
    matches.iter_mut().for_each(|one| one["results"] = Value::Null);
    matches
}

/// A match with its games.
pub fn one(app: &App, id: &str) -> Answer<Value> {
    let (name, root) = find(app, id)?;
    let input: MatchInput = files::read(&root.join(MATCH)).ok_or_else(|| Problem::missing("no such match"))?;
    let mut results = results(&root);
    results.sort_by_key(|result| result.index);
    let mut value = summary_json(id, &input, &results, &Summary::of(&results));
    let job = job_of(app, id);
    let state = match &job {
        Some(job) => job["state"].as_str().unwrap_or_default().to_owned(),
        None if results.len() >= input.games => "done".to_owned(),
        None => "ended".to_owned(),
    };
    value["id"] = id.into();
    value["name"] = name.into();
    value["state"] = state.into();
    value["job"] = job.map(|job| job["id"].clone()).unwrap_or_default();
    let row = |result: &GameResult| {
        json!({ "index": result.index, "first": result.first, "points": result.points(), "ending": result.ending,
            "outcome": outcome(Some(result.outcome)), "plies": result.moves.len() })
    };
    value["results"] = results.iter().map(row).collect();
    Ok(value)
}

/// A game of a match.
pub fn game(app: &App, id: &str, index: usize) -> Answer<Value> {
    let (_, root) = find(app, id)?;
    let input: MatchInput = files::read(&root.join(MATCH)).ok_or_else(|| Problem::missing("no such match"))?;
    let result = results(&root).into_iter().find(|result| result.index == index);
    let result = result.ok_or_else(|| Problem::missing("no such game"))?;
    Ok(json!({
        "game": input.game, "rules": input.rules, "start": result.start, "moves": result.moves,
        "opening": result.opening, "ending": result.ending, "first": result.first, "players": input.agents,
        "outcome": outcome(Some(result.outcome)),
    }))
}
