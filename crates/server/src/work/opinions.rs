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
use tesuji_core::{Budget, Quiet};
use tesuji_learn::agents::spec::NET;
use tesuji_learn::{Agents, Experiment, run};
use tesuji_search::AgentSource;

/// Networks that are asked.
const MOST: usize = 24;
/// Moves that each of them names.
const MOVES: usize = 8;

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
                // As little search as there can be: what the network says at first sight.
                let little = Budget { simulations: Some(1), depth: Some(1), nodes: Some(1_000), ..Budget::UNLIMITED };
                let found = searcher.search.search(position, &little, &mut Quiet);
                let moves = Moves { considered: searcher.search.considered(), policy: found.policy, lines: Vec::new() };
                let mut rows = moves.json(position);
                let likely = |row: &Value| row["prior"].as_f64().or(row["share"].as_f64()).unwrap_or(0.0);
                rows.sort_by(|a, b| likely(b).total_cmp(&likely(a)));
                let policy: Vec<Value> = rows
                    .iter()
                    .take(MOVES)
                    .map(|row| json!({ "move": row["move"], "notation": row["notation"], "share": likely(row) }))
                    .collect();
                json!({ "generation": generation, "value": found.value,
                    "win": view::win(found.value, position.mover()), "policy": policy })
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
}
