//! Agents think about a position, or choose a move.

use super::view::{self, Moves};
use crate::agents::resolve;
use crate::app::App;
use crate::jobs::list::Part;
use crate::jobs::{Job, Kind};
use crate::played::{Line, Played, notations};
use crate::problem::{Answer, Problem};
use cpu_time::ThreadTime;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tesuji_core::{AnyPosition, Budget, Considered, Focus, Found, Info, Line as Expected, MoveId, Report};
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// CPU seconds that a search may take.
const CPU: std::ops::RangeInclusive<f64> = 0.001..=300.0;
/// Agents side by side.
const MOST_AGENTS: usize = 6;
/// Lines that are told apart.
const MOST_LINES: usize = 5;
/// How often a search in progress is written down.
const INTERVAL: Duration = Duration::from_millis(90);

/// Several agents, the same CPU time for each.
#[derive(Deserialize)]
pub struct SearchInput {
    #[serde(flatten)]
    line: Line,
    agents: Vec<String>,
    cpu: f64,
    #[serde(default = "three")]
    lines: usize,
}

fn three() -> usize {
    3
}

/// An agent that is to move.
#[derive(Deserialize)]
pub struct ReplyInput {
    #[serde(flatten)]
    line: Line,
    agent: String,
    cpu: f64,
    /// Where its random choices come from.
    #[serde(default)]
    seed: u64,
}

/// The time of a search.
pub fn cpu_time(seconds: f64) -> Answer<Duration> {
    if CPU.contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(Problem::bad(format!("cpu: expected {} to {} seconds", CPU.start(), CPU.end())))
}

/// A position that is not at its end.
pub fn open(line: &Line) -> Answer<Played> {
    let played = line.play()?;
    match played.position.outcome() {
        None => Ok(played),
        Some(_) => Err(Problem::conflict(format!("the game is over: {}", played.position.ending()))),
    }
}

impl SearchInput {
    /// Begins the search: a part for each agent.
    pub fn start(self, app: &Arc<App>, tab: Option<&str>) -> Answer<Arc<Job>> {
        let cpu = cpu_time(self.cpu)?;
        if !(1..=MOST_AGENTS).contains(&self.agents.len()) {
            return Err(Problem::bad(format!("agents: expected 1 to {MOST_AGENTS}")));
        }
        let played = Arc::new(open(&self.line)?);
        let shown = self.agents.iter().map(|agent| nothing_yet(agent));
        let result = json!({ "position": self.line, "cpu": self.cpu, "agents": shown.collect::<Vec<_>>() });
        let lines = self.lines.clamp(1, MOST_LINES);
        let many = self.agents.len();
        let mut parts: Vec<Part> = Vec::new();
        for (index, agent) in self.agents.iter().enumerate() {
            let thinker =
                Thinker { line: resolve(app, agent)?, agent: agent.clone(), index, many, lines, cpu, seed: 1 };
            check(app, &played, &thinker)?;
            let (app, played) = (Arc::clone(app), Arc::clone(&played));
            parts.push(Box::new(move |job| thinker.think(&app, &played, job).map(drop)));
        }
        app.jobs.start(Kind::Search, tab, result, parts).map_err(Problem::conflict)
    }
}

impl ReplyInput {
    /// Begins to choose a move.
    pub fn start(self, app: &Arc<App>, tab: Option<&str>) -> Answer<Arc<Job>> {
        let cpu = cpu_time(self.cpu)?;
        let played = open(&self.line)?;
        let thinker = Thinker {
            line: resolve(app, &self.agent)?,
            agent: self.agent,
            index: 0,
            many: 1,
            lines: 1,
            cpu,
            seed: self.seed,
        };
        check(app, &played, &thinker)?;
        let agent = thinker.agent.clone();
        let app_too = Arc::clone(app);
        let part: Part = Box::new(move |job| {
            let answer = thinker.think(&app_too, &played, job)?;
            if job.is_stopped() {
                return Ok(());
            }
            let best = answer["lines"][0].clone();
            job.update(|status| {
                status.result = json!({
                    "move": best["move"], "notation": best["notation"], "value": answer["value"], "win": answer["win"],
                    "line": best["line"], "line_notation": best["line_notation"], "cpu": answer["cpu"],
                    "depth": answer["depth"], "nodes": answer["nodes"], "agent": thinker.agent,
                });
            });
            Ok(())
        });
        let result = json!({ "agents": [nothing_yet(&agent)] });
        app.jobs.start(Kind::Reply, tab, result, vec![part]).map_err(Problem::conflict)
    }
}

/// What is told of an agent that has not begun.
fn nothing_yet(agent: &str) -> Value {
    json!({ "agent": agent, "done": false, "value": null, "win": null, "proof": null, "depth": 0, "nodes": 0,
        "simulations": 0, "cpu": 0.0, "lines": [] })
}

/// Checks an agent before it is its turn: a typing error is told at once.
fn check(app: &App, played: &Played, thinker: &Thinker) -> Answer<()> {
    if thinker.line.starts_with("engine:") {
        return Ok(());
    }
    let kit = tesuji_registry::kit(played.game.name(), played.game.rules())?;
    let agents = Agents::new(kit.as_ref(), Arc::clone(&app.networks));
    let searcher = agents.searcher(&thinker.line, thinker.seed).map_err(|error| {
        // The line that was read has paths in it, which are nobody's business.
        let line = thinker.line.as_str();
        Problem::bad(error.to_string().replace(line, &thinker.agent))
    })?;
    let refusal = searcher.and_then(|searcher| searcher.search.refusal(played.position.as_ref()));
    refusal.map_or(Ok(()), |problem| Err(Problem::bad(format!("{:?} cannot search here: {problem}", thinker.agent))))
}

/// An agent at work on a position.
struct Thinker {
    /// The line with everything put in.
    line: String,
    /// The line as it was given.
    agent: String,
    index: usize,
    many: usize,
    lines: usize,
    cpu: Duration,
    seed: u64,
}

impl Thinker {
    /// Thinks, and tells the job on the way; what it found in the end.
    fn think(&self, app: &App, played: &Played, job: &Arc<Job>) -> Result<Value, String> {
        let kit = tesuji_registry::kit(played.game.name(), played.game.rules()).map_err(|error| error.to_string())?;
        let agents = Agents::new(kit.as_ref(), Arc::clone(&app.networks));
        let position = played.position.as_ref();
        let searcher = agents.searcher(&self.line, self.seed).map_err(|error| error.to_string())?;
        let Some(mut searcher) = searcher else { return self.ask_engine(&agents, played, job) };
        searcher.search.new_game(self.seed);
        searcher.search.focus(&Focus { only: Vec::new(), lines: self.lines });
        let budget = searcher.budget(&Budget { cpu: Some(self.cpu), ..Budget::UNLIMITED });
        let clock = ThreadTime::now();
        let mut live =
            Live { thinker: self, job, position, clock, told: None, due: false, moves: Moves::default(), info: None };
        let found = searcher.search.search(position, &budget, &mut live);
        let mut moves = std::mem::take(&mut live.moves);
        moves.considered = searcher.search.considered();
        let answer = self.answer(position, &found, moves, clock.elapsed());
        self.tell(job, answer.clone(), clock.elapsed());
        Ok(answer)
    }

    /// A foreign engine only plays.
    fn ask_engine(&self, agents: &Agents<'_>, played: &Played, job: &Arc<Job>) -> Result<Value, String> {
        let mut player = agents.player(&self.line, self.seed).map_err(|error| error.to_string())?;
        player.new_game(self.seed).map_err(|error| error.to_string())?;
        let choice = player.choose(&played.line(), &Budget::time(self.cpu)).map_err(|error| error.to_string())?;
        let position = played.position.as_ref();
        let mv = position.parse_move(&choice.text).map_err(|error| error.to_string())?;
        let value = choice.value.map(|value| tesuji_core::Value::from_side(position.mover(), value));
        let answer = json!({
            "agent": self.agent, "done": true, "value": value,
            "win": value.map(|value| view::win(value, position.mover())), "proof": null, "depth": 0,
            "nodes": choice.nodes, "simulations": 0, "cpu": choice.cpu.as_secs_f64(),
            "lines": [{ "move": choice.text, "notation": position.notation(mv), "prior": null, "visits": null,
                "share": null, "value": value, "win": value.map(|value| view::win(value, position.mover())),
                "proof": null, "line": choice.line, "line_notation": notations(position, &[mv]) }],
        });
        self.tell(job, answer.clone(), choice.cpu);
        Ok(answer)
    }

    fn answer(&self, position: &dyn AnyPosition, found: &Found<MoveId>, mut moves: Moves, cpu: Duration) -> Value {
        let side = position.mover();
        // What is played stands first, whatever the last report said.
        moves.lines.retain(|line| line.line.first() != Some(&found.best));
        let best = Expected { value: found.value, proof: found.proof, line: found.line.clone() };
        let best = if best.line.is_empty() { Expected { line: vec![found.best], ..best } } else { best };
        moves.lines.insert(0, best);
        moves.lines.truncate(self.lines);
        moves.policy.clone_from(&found.policy);
        json!({
            "agent": self.agent, "done": true, "value": found.value, "win": view::win(found.value, side),
            "proof": view::proof(found.proof, side), "depth": found.depth, "nodes": found.nodes,
            "simulations": found.simulations, "cpu": cpu.as_secs_f64(), "lines": moves.json(position),
        })
    }

    /// Writes down how far it is.
    fn tell(&self, job: &Job, answer: Value, cpu: Duration) {
        job.update(|status| {
            status.result["agents"][self.index] = answer;
            let agents = status.result["agents"].as_array();
            status.cost.cpu = agents.into_iter().flatten().filter_map(|agent| agent["cpu"].as_f64()).sum();
            let share = cpu.as_secs_f64() / self.cpu.as_secs_f64();
            status.progress = Some(
                if self.many == 1 { share } else { status.cost.cpu / (self.cpu.as_secs_f64() * self.many as f64) }
                    .min(1.0),
            );
        });
    }
}

/// Writes down what a search reports.
struct Live<'a> {
    thinker: &'a Thinker,
    job: &'a Arc<Job>,
    position: &'a dyn AnyPosition,
    clock: ThreadTime,
    told: Option<Instant>,
    /// Whether the report that is under way is written down.
    due: bool,
    moves: Moves,
    info: Option<Info<MoveId>>,
}

impl Live<'_> {
    fn tell(&mut self) {
        let Some(info) = self.info.as_ref().filter(|_| self.due) else { return };
        let side = self.position.mover();
        let cpu = self.clock.elapsed();
        let answer = json!({
            "agent": self.thinker.agent, "done": false, "value": info.value, "win": view::win(info.value, side),
            "proof": view::proof(info.proof, side), "depth": info.depth, "nodes": info.nodes, "simulations": 0,
            "cpu": cpu.as_secs_f64(), "lines": self.moves.json(self.position),
        });
        self.thinker.tell(self.job, answer, cpu);
    }
}

impl Report<MoveId> for Live<'_> {
    fn info(&mut self, info: &Info<MoveId>) {
        self.due = self.told.is_none_or(|told| told.elapsed() >= INTERVAL);
        self.moves.lines = vec![Expected { value: info.value, proof: info.proof, line: info.line.clone() }];
        self.moves.lines.retain(|line| !line.line.is_empty());
        self.info = Some(info.clone());
        if self.due {
            self.told = Some(Instant::now());
        }
        self.tell();
    }

    fn others(&mut self, lines: &[Expected<MoveId>]) {
        self.moves.lines.extend(lines.iter().filter(|line| !line.line.is_empty()).cloned());
        self.tell();
    }

    fn considered(&mut self, moves: &[Considered<MoveId>]) {
        if self.due {
            self.moves.considered = moves.to_vec();
            self.tell();
        }
    }

    fn stop(&self) -> bool {
        self.job.is_stopped()
    }
}
