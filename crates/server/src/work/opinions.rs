//! What the networks of a run think of a position, from the first that is kept to the newest.

use super::search::open;
use super::view::{self, Moves};
use crate::app::App;
use crate::jobs::list::Part;
use crate::jobs::{Job, Kind};
use crate::networks;
use crate::played::{Line, Played};
use crate::problem::{Answer, Problem};
use cpu_time::ThreadTime;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tesuji_core::{AnyPosition, Budget, Focus, Info, Line as Expected, MoveId, Report};
use tesuji_learn::agents::spec::NET;
use tesuji_learn::{Agents, Experiment, run};
use tesuji_search::AgentSource;

/// Networks that are asked.
const MOST: usize = 24;
/// Moves that each of them names.
const MOVES: usize = 8;
/// Moves whose values are told, by networks that tell values of moves.
const LINES: usize = 5;

/// A run and a position.
#[derive(Deserialize)]
pub struct OpinionsInput {
    run: String,
    #[serde(flatten)]
    line: Line,
}

impl OpinionsInput {
    /// Begins to ask.
    pub fn start(self, app: &Arc<App>, tab: Option<&str>) -> Answer<Arc<Job>> {
        let place = networks::run(app, &self.run)?;
        let played = open(&self.line)?;
        let experiment = Experiment::of_run(&place.root).map_err(|error| Problem::bad(error.to_string()))?;
        let experiment = experiment.ok_or_else(|| Problem::missing("no such run"))?;
        if experiment.game != played.game.name() {
            return Err(Problem::bad(format!("a run of {}, a position of {}", experiment.game, played.game.name())));
        }
        let kept = run::network_generations(&place.root).map_err(|error| Problem::bad(error.to_string()))?;
        let asked = spread(&kept, MOST);
        let result = json!({ "run": self.run, "position": self.line, "opinions": [] });
        let app_too = Arc::clone(app);
        let part: Part = Box::new(move |job| ask(&app_too, &played, (&experiment, &place.root), &asked, job));
        app.jobs.start(Kind::Opinions, tab, result, vec![part]).map_err(Problem::conflict)
    }
}

/// At most so many of a list, the first and the last among them.
fn spread(all: &[u64], most: usize) -> Vec<u64> {
    let count = all.len().min(most);
    (0..count).map(|number| all[if count < 2 { 0 } else { number * (all.len() - 1) / (count - 1) }]).collect()
}

fn ask(
    app: &App,
    played: &Played,
    (experiment, root): (&Experiment, &Path),
    asked: &[u64],
    job: &Job,
) -> Result<(), String> {
    let clock = ThreadTime::now();
    let kit = tesuji_registry::kit(&experiment.game, experiment.rules).map_err(|error| error.to_string())?;
    let agents = Agents::new(kit.as_ref(), Arc::clone(&app.networks));
    let position = played.position.as_ref();
    for (number, &generation) in asked.iter().enumerate() {
        if job.is_stopped() {
            return Ok(());
        }
        let file = run::network_path(root, generation);
        // A run in progress tidies up.
        let Some(file) = file.to_str().filter(|_| file.is_file()) else { continue };
        let line = experiment.agent().replace(NET, file);
        let opinion = match agents.searcher(&line, 1) {
            Ok(Some(mut searcher)) => {
                if let Some(problem) = searcher.search.refusal(position) {
                    return Err(problem);
                }
                searcher.search.new_game(1);
                searcher.search.focus(&Focus { only: Vec::new(), lines: LINES });
                // As little search as there can be: what the network says at first sight.
                let little = Budget { simulations: Some(1), depth: Some(1), nodes: Some(10_000), ..Budget::UNLIMITED };
                let mut seen = Seen::default();
                let found = searcher.search.search(position, &little, &mut seen);
                let considered = searcher.search.considered();
                if !considered.is_empty() {
                    // A tree that was looked at once knows no values of moves.
                    seen.lines.clear();
                }
                let lines = seen.lines(position, Expected { value: found.value, proof: None, line: vec![found.best] });
                let moves = Moves { considered, policy: found.policy, lines: Vec::new() };
                json!({ "generation": generation, "value": found.value, "lines": lines,
                    "win": view::win(found.value, position.mover()), "policy": policy(&moves.json(position)) })
            }
            Ok(None) => return Err("the run's agent only plays".to_owned()),
            Err(_) => continue,
        };
        job.update(|status| {
            if let Some(opinions) = status.result["opinions"].as_array_mut() {
                opinions.push(opinion);
            }
            status.cost.cpu = clock.elapsed().as_secs_f64();
            status.progress = Some((number + 1) as f64 / asked.len() as f64);
        });
    }
    Ok(())
}

/// The likeliest moves; none if the network has no probabilities: a search without them is certain of one move.
fn policy(rows: &[Value]) -> Vec<Value> {
    let likely = |row: &Value| row["prior"].as_f64().or(row["share"].as_f64()).unwrap_or(0.0);
    let mut rows: Vec<(f64, &Value)> = rows.iter().map(|row| (likely(row), row)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    if rows.get(1).is_none_or(|second| second.0 == 0.0) {
        return Vec::new();
    }
    let told = rows.into_iter().take(MOVES);
    told.map(|(share, row)| json!({ "move": row["move"], "notation": row["notation"], "share": share })).collect()
}

/// Keeps the best moves that a search reports, with their values.
#[derive(Default)]
struct Seen {
    lines: Vec<Expected<MoveId>>,
}

impl Seen {
    /// The best moves with the chance of the side to move, what is played first.
    fn lines(mut self, position: &dyn AnyPosition, best: Expected<MoveId>) -> Vec<Value> {
        self.lines.retain(|line| line.line.first().is_some_and(|mv| *mv != best.line[0]));
        self.lines.insert(0, best);
        let told = self.lines.iter().take(LINES).map(|line| {
            let mv = line.line[0];
            json!({ "move": position.format_move(mv), "notation": position.notation(mv),
                "win": view::win(line.value, position.mover()) })
        });
        told.collect()
    }
}

impl Report<MoveId> for Seen {
    fn info(&mut self, _: &Info<MoveId>) {
        self.lines.clear();
    }

    fn others(&mut self, lines: &[Expected<MoveId>]) {
        self.lines = lines.to_vec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_are_asked() {
        let all: Vec<u64> = (0..100).collect();
        let some = spread(&all, 24);
        assert_eq!((some.len(), some[0], some[23]), (24, 0, 99));
        assert_eq!(spread(&[3, 4], 24), [3, 4]);
        assert_eq!(spread(&[3], 24), [3]);
        assert!(spread(&[], 24).is_empty());
    }

    #[test]
    fn only_probabilities_are_a_policy() {
        let shares = |shares: &[f64]| policy(&shares.iter().map(|share| json!({ "share": share })).collect::<Vec<_>>());
        assert_eq!(shares(&[0.25, 0.625, 0.125]).iter().map(|one| one["share"].as_f64().unwrap()).sum::<f64>(), 1.0);
        assert_eq!(shares(&[0.25, 0.625, 0.125])[0]["share"], 0.625);
        // A new network finds all moves alike.
        assert_eq!(shares(&[0.25; 4]).len(), 4);
        for none in [&[0.0, 1.0, 0.0][..], &[1.0], &[]] {
            assert!(shares(none).is_empty(), "{none:?}");
        }
    }
}
