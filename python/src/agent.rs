//! Agents by their lines: `uct:sims=2000`, `pv:net=minishogi`.

use crate::convert::{bad, parse};
use crate::game::State;
use crate::work::work;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;
use tesuji_core::{AnyPosition, Budget, Considered, Found, MoveId, Outcome, Report, Rules, Side};
use tesuji_learn::{AgentSpec, Agents, NetworkStore};
use tesuji_search::AgentSource;
use tesuji_search::handle::Searcher;

/// The networks of all agents of the process, each of them read once.
pub static NETWORKS: LazyLock<Arc<NetworkStore>> = LazyLock::new(|| Arc::new(NetworkStore::new()));

/// An agent by its line, such as `uct:sims=2000`; `agents()` lists what there is.
///
/// `budget` limits every search besides what the line says: `sims=800`, `time=100ms`, `nodes=10000`, `depth=5`.
///
/// >>> import tesuji
/// >>> state = tesuji.load_game("tictactoe").from_text("startpos moves a1 b2 a2 c3")
/// >>> tesuji.agent("alphabeta:depth=3").analyse(state)["best"]
/// 'a3'
#[pyfunction]
#[pyo3(signature = (line, *, budget="unlimited", seed=1))]
pub fn agent(line: String, budget: &str, seed: u64) -> PyResult<Agent> {
    let spec = AgentSpec::parse(&line).map_err(bad)?;
    if matches!(spec, AgentSpec::Engine(_)) {
        return Err(bad(format!("{line:?} only plays, in play_match; analyse with an agent of our own")));
    }
    Ok(Agent { line, budget: parse(budget)?, seed, searchers: Mutex::default() })
}

/// The kinds of agents: for each its name, what it is, and its options.
#[pyfunction]
pub fn agents(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for kind in AgentSpec::kinds() {
        let dict = PyDict::new(py);
        dict.set_item("name", kind.name)?;
        dict.set_item("about", kind.about)?;
        list.append(dict)?;
    }
    Ok(list)
}

/// An agent. It searches positions of any game that it fits; the same state always has the same answer, unless the
/// budget is a time.
#[pyclass(module = "tesuji", frozen)]
pub struct Agent {
    /// Its line.
    #[pyo3(get)]
    pub line: String,
    /// What a search may spend besides.
    pub budget: Budget,
    /// The seed of its random choices.
    #[pyo3(get)]
    pub seed: u64,
    /// By game and rules; made when they are first needed.
    searchers: Mutex<HashMap<(&'static str, Rules), Searcher>>,
}

/// Ends a search after Ctrl-C.
struct UntilStopped<'a>(&'a AtomicBool);

impl Report<MoveId> for UntilStopped<'_> {
    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a search says.
struct Answer {
    found: Found<MoveId>,
    considered: Vec<Considered<MoveId>>,
    seconds: f64,
}

impl Agent {
    /// Searches a state.
    fn search(&self, py: Python<'_>, state: &State, budget: Option<&str>) -> PyResult<Answer> {
        let budget = budget.map_or(Ok(self.budget), parse)?;
        let position = state.position.as_ref();
        if position.outcome().is_some() {
            return Err(bad(format!("the game is over there: {}", position.ending())));
        }
        work(py, |stop| self.searched(state, position, &budget, stop))?.map_err(bad)
    }

    fn searched(
        &self,
        state: &State,
        position: &dyn AnyPosition,
        budget: &Budget,
        stop: &AtomicBool,
    ) -> Result<Answer, String> {
        let game = &state.core.game;
        let mut searchers = self.searchers.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (game.name(), game.rules());
        // Taken out while it works: what a search that failed leaves behind is not used again.
        let known = searchers.remove(&key);
        let mut searcher = match known {
            Some(searcher) => searcher,
            None => {
                let agents = Agents::new(state.core.kit.as_ref(), Arc::clone(&NETWORKS));
                let made = agents.searcher(&self.line, self.seed).map_err(|error| error.to_string())?;
                made.ok_or_else(|| format!("{:?} only plays", self.line))?
            }
        };
        if let Some(problem) = searcher.search.refusal(position) {
            searchers.insert(key, searcher);
            return Err(format!("{:?} cannot search {:?}: {problem}", self.line, position.text()));
        }
        searcher.search.new_game(self.seed);
        let clock = Instant::now();
        let budget = searcher.budget(budget);
        let found = searcher.search.search(position, &budget, &mut UntilStopped(stop));
        let answer = Answer { found, considered: searcher.search.considered(), seconds: clock.elapsed().as_secs_f64() };
        searchers.insert(key, searcher);
        Ok(answer)
    }
}

/// An outcome in words.
pub fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::First) => "first",
        Outcome::Win(Side::Second) => "second",
        Outcome::Draw => "draw",
    }
}

#[pymethods]
impl Agent {
    /// Searches a state and says what it found, as a dict:
    ///
    /// "best" is the move, "action" its number (None where the game's encoder has no room for the position), "value" what
    /// the state is worth to the side to move, from -1 to 1, "proof" the outcome if it was proved ("first", "second" or
    /// "draw"), "line" the principal variation, "policy" a probability for each legal move, "moves" what a tree search
    /// knows of each ("move", "prior", "visits", "value"), then "nodes", "simulations", "evaluations", "depth" and
    /// "seconds".
    #[pyo3(signature = (state, *, budget=None))]
    fn analyse<'py>(&self, py: Python<'py>, state: &State, budget: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
        let Answer { found, considered, seconds } = self.search(py, state, budget)?;
        let (position, mover) = (state.position.as_ref(), state.position.mover());
        let dict = PyDict::new(py);
        dict.set_item("best", position.format_move(found.best))?;
        dict.set_item("action", state.action_of(found.best).ok())?;
        dict.set_item("value", found.value.for_side(mover))?;
        dict.set_item("proof", found.proof.map(outcome_word))?;
        dict.set_item("line", position.format_line(&found.line))?;
        let policy = PyDict::new(py);
        for &(mv, share) in &found.policy {
            policy.set_item(position.format_move(mv), share)?;
        }
        dict.set_item("policy", policy)?;
        let moves = PyList::empty(py);
        for of in &considered {
            let entry = PyDict::new(py);
            entry.set_item("move", position.format_move(of.mv))?;
            entry.set_item("prior", of.prior)?;
            entry.set_item("visits", of.visits)?;
            entry.set_item("value", of.value.map(|value| value.for_side(mover)))?;
            moves.append(entry)?;
        }
        dict.set_item("moves", moves)?;
        dict.set_item("nodes", found.nodes)?;
        dict.set_item("simulations", found.simulations)?;
        dict.set_item("evaluations", found.evaluations)?;
        dict.set_item("depth", found.depth)?;
        dict.set_item("seconds", seconds)?;
        Ok(dict)
    }

    /// The action that the agent would play.
    #[pyo3(signature = (state, *, budget=None))]
    fn choose(&self, py: Python<'_>, state: &State, budget: Option<&str>) -> PyResult<usize> {
        state.actions()?;
        state.action_of(self.search(py, state, budget)?.found.best)
    }

    /// The search's probability for every action, as an array of float32.
    #[pyo3(signature = (state, *, budget=None))]
    fn policy<'py>(
        &self,
        py: Python<'py>,
        state: &State,
        budget: Option<&str>,
    ) -> PyResult<Bound<'py, numpy::PyArray1<f32>>> {
        state.actions()?;
        let found = self.search(py, state, budget)?.found;
        let mut policy = vec![0.0; state.core.coder.sizes().actions()];
        for (mv, share) in found.policy {
            policy[state.action_of(mv)?] = share;
        }
        Ok(policy.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("tesuji.agent({:?}, budget=\"{}\", seed={})", self.line, self.budget, self.seed)
    }
}
