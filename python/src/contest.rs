//! Matches with statistics.

use crate::agent::{Agent, NETWORKS};
use crate::convert::{bad, parse, plain, within};
use crate::game::{Core, Game};
use crate::player::{PythonPlayer, Raised, can_play, name_of};
use crate::work::work;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tesuji_arena::elo;
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, Summary, play_match as play};
use tesuji_arena::play::Adjudication;
use tesuji_arena::sprt::Sprt;
use tesuji_core::{Budget, Player, limits};
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// A game, or the name of one.
#[derive(FromPyObject)]
pub enum GameOrName<'py> {
    /// A game.
    Game(Bound<'py, Game>),
    /// A name.
    Name(String),
}

impl GameOrName<'_> {
    /// The game.
    ///
    /// # Errors
    /// If there is none of the name.
    pub fn core(&self) -> PyResult<Arc<Core>> {
        match self {
            GameOrName::Game(game) => Ok(Arc::clone(&game.get().0)),
            GameOrName::Name(name) => Core::new(name, Default::default(), ""),
        }
    }
}

/// Who plays.
enum Entrant {
    /// An agent by its line.
    Line(String),
    /// A Python object, with its name.
    Object(Py<PyAny>, String),
}

impl Entrant {
    /// The player of an argument, and what it may spend by itself.
    fn of(given: &Bound<'_, PyAny>) -> PyResult<(Entrant, Budget)> {
        if let Ok(line) = given.extract::<String>() {
            return Ok((Entrant::Line(line), Budget::UNLIMITED));
        }
        if let Ok(agent) = given.cast::<Agent>() {
            let agent = agent.get();
            return Ok((Entrant::Line(agent.line.clone()), agent.budget));
        }
        if can_play(given) {
            return Ok((Entrant::Object(given.clone().unbind(), name_of(given)), Budget::UNLIMITED));
        }
        Err(bad("a player is an agent, the line of one, or an object with a method `choose(state)`"))
    }

    fn name(&self) -> String {
        match self {
            Entrant::Line(line) => line.clone(),
            Entrant::Object(_, name) => name.clone(),
        }
    }

    /// Makes the player.
    fn player(&self, core: &Arc<Core>, agents: &Agents<'_>, raised: &Arc<Raised>) -> Result<Box<dyn Player>, String> {
        match self {
            Entrant::Line(line) => agents.player(line, 0).map_err(|error| error.to_string()),
            // One that raised an exception is not asked again: this ends the match.
            Entrant::Object(_, name) if raised.is_some() => Err(format!("{name} failed")),
            Entrant::Object(object, name) => {
                let object = Python::attach(|py| object.clone_ref(py));
                Ok(Box::new(PythonPlayer::new(core, object, name, raised)))
            }
        }
    }
}

/// Plays a match and returns its statistics as a dict.
///
/// A player is the line of an agent (`"uct:sims=400"`, `"engine:stockfish"`), an `Agent`, or any Python object with a
/// method `choose(state)`, or that can be called like it, that returns an action, a move in the game's notation, or None
/// to resign; its method `new_game(seed)`, if it has one, is called before each game. An exception that it raises ends
/// the match. An illegal move loses the game.
///
/// Openings are played twice with the colours swapped: `random:N`, `even`, `even:N`, `varied`, or a file. `sprt=(0, 10)`
/// stops when a sequential test of two Elo differences has its answer. With `journal`, a file, an interrupted match is
/// resumed by the same call. Results do not depend on `threads`; a Python object plays with `threads=1` only.
///
/// The dict has what `tesuji match --json` prints ("wins", "draws", "losses", "score", "elo", "elo_low", "elo_high",
/// "superiority", "pairs", "endings", "costs", ...) and "results", one dict for each game.
///
/// >>> import tesuji
/// >>> result = tesuji.play_match("tictactoe", "alphabeta:depth=9", "random", games=4, openings="random:0")
/// >>> result["games"], result["losses"]
/// (4, 0)
#[pyfunction]
#[pyo3(signature = (game, first, second, *, games=100, budget="unlimited", budget_second=None, openings="random:2", seed=1, threads=1, margin=1.0, max_plies=None, sprt=None, journal=None))]
#[expect(clippy::too_many_arguments, reason = "all but three are keywords")]
pub fn play_match<'py>(
    py: Python<'py>,
    game: GameOrName<'py>,
    first: &Bound<'py, PyAny>,
    second: &Bound<'py, PyAny>,
    games: u64,
    budget: &str,
    budget_second: Option<&str>,
    openings: &str,
    seed: u64,
    threads: u64,
    margin: f64,
    max_plies: Option<u32>,
    sprt: Option<(f64, f64)>,
    journal: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let core = game.core()?;
    within("games", games, *limits::GAMES.start(), *limits::GAMES.end())?;
    within("threads", threads, *limits::THREADS.start(), *limits::THREADS.end())?;
    within("margin", margin, 0.0, limits::TIME.end().as_secs_f64())?;
    max_plies.map(|plies| within("max_plies", plies, *limits::PLIES.start(), *limits::PLIES.end())).transpose()?;
    let sprt = sprt.map(|(elo0, elo1)| {
        let fits = elo0 < elo1 && (-10_000.0..=10_000.0).contains(&elo0) && elo1 <= 10_000.0;
        let problem = "sprt: expected (ELO0, ELO1) with -10000 <= ELO0 < ELO1 <= 10000, such as (0, 10)";
        if fits { Ok(Sprt { elo0, elo1, ..Sprt::default() }) } else { Err(bad(problem)) }
    });
    let ((first, own_first), (second, own_second)) = (Entrant::of(first)?, Entrant::of(second)?);
    let entrants = [first, second];
    if threads > 1 && entrants.iter().any(|entrant| matches!(entrant, Entrant::Object(..))) {
        return Err(bad(format!("threads={threads}: a Python object plays one game at a time; leave threads at 1")));
    }
    let budget: Budget = parse(budget)?;
    let budget_second = budget_second.map_or(Ok(budget), parse)?;
    let spec = MatchSpec {
        game: core.game.name().to_owned(),
        rules: core.game.rules(),
        players: [entrants[0].name(), entrants[1].name()],
        budgets: [budget.and(own_first), budget_second.and(own_second)],
        margin: Duration::from_secs_f64(margin),
        openings: tesuji_cli::openings(core.game.as_ref(), openings).map_err(|error| bad(format!("{error:#}")))?,
        adjudication: Adjudication { max_plies, ..Adjudication::default() },
        seed,
    };
    let length = MatchLength { games: games as usize, sprt: sprt.transpose()?, threads: threads as usize };
    let raised = Arc::new(Raised::default());
    let played = work(py, |stop| {
        let agents = Agents::new(core.kit.as_ref(), Arc::clone(&NETWORKS));
        let make = [0, 1].map(|place: usize| {
            let (entrant, core, agents, raised) = (&entrants[place], &core, &agents, &raised);
            move || entrant.player(core, agents, raised)
        });
        for (make, name) in make.iter().zip(&spec.players) {
            // A typing error or a missing program is found before the first game.
            make().map_err(|problem| format!("player {name:?}: {problem}"))?;
        }
        let mut journal =
            journal.map(|path| Journal::open(&path, &spec)).transpose().map_err(|error| error.to_string())?;
        play(core.game.as_ref(), &spec, &length, [&make[0], &make[1]], journal.as_mut(), stop, &mut |_| {})
    })?;
    if let Some(error) = raised.take() {
        return Err(error);
    }
    plain(py, statistics(&spec, &length, &played.map_err(bad)?))
}

/// What a match says, as JSON.
fn statistics(spec: &MatchSpec, length: &MatchLength, results: &[GameResult]) -> serde_json::Value {
    let summary = Summary::of(results);
    let elo = summary.elo();
    let finite = |value: f64| value.is_finite().then_some(value);
    json!({
        "game": spec.game, "rules": spec.rules, "players": spec.players, "seed": spec.seed,
        "games": summary.score.games(), "asked": length.games,
        "wins": summary.score.wins, "draws": summary.score.draws, "losses": summary.score.losses,
        "as_first": summary.score_first, "score": summary.score.mean(), "win_share": summary.score.win_share(),
        "elo": finite(elo.difference), "elo_low": finite(elo.low), "elo_high": finite(elo.high),
        "superiority": elo::likelihood_of_superiority(&summary.score),
        "pairs": summary.pairs.counts, "split": summary.split, "openings_decide": summary.openings_decide(),
        "distinct": summary.distinct,
        "sprt": length.sprt.map(|sprt| json!({
            "llr": sprt.log_likelihood_ratio(&summary.pairs), "verdict": sprt.verdict(&summary.pairs) })),
        "mean_plies": summary.plies as f64 / summary.score.games().max(1) as f64,
        "endings": summary.endings, "costs": summary.costs,
        "results": results.iter().map(|result| json!({
            "index": result.index, "first": result.first, "start": result.start, "moves": result.moves,
            "opening": result.opening, "points": result.points(), "ending": result.ending,
        })).collect::<Vec<_>>(),
    })
}
