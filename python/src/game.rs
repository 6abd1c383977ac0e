//! Games and states, in OpenSpiel's words.

use crate::coder::{Coder, coder, result};
use crate::convert::{bad, parse};
use crate::mate::{MateLimits, Problem, solve_mate};
use numpy::{IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Arc, OnceLock};
use tesuji_core::{AnyGame, AnyPosition, MoveId, Rules, Side, Stream, Style};
use tesuji_learn::GameKit;

/// The player of a game that is over, as OpenSpiel numbers it.
const TERMINAL: i64 = -4;

/// A game with one of its encoders, which numbers its actions.
pub struct Core {
    /// The game.
    pub game: Arc<dyn AnyGame>,
    /// Its searches.
    pub kit: Arc<dyn GameKit>,
    /// Its actions and observations.
    pub coder: Arc<dyn Coder>,
}

impl Core {
    /// The game of a name.
    ///
    /// # Errors
    /// If there is no such game or encoder.
    pub fn new(name: &str, rules: Rules, encoder: &str) -> PyResult<Arc<Core>> {
        let kit = tesuji_registry::kit(name, rules).map_err(bad)?;
        let coder = coder(name, rules, encoder).map_err(bad)?;
        Ok(Arc::new(Core { game: kit.game(), kit, coder }))
    }

    /// Whether two are the same game under the same rules, so that searches of one take positions of the other.
    pub fn plays_as(&self, other: &Core) -> bool {
        self.game.name() == other.game.name() && self.game.rules() == other.game.rules()
    }
}

/// Loads a game.
///
/// `rules` are "official" or "paper". `encoder` is one of the game's encoders (see `Game.encoders`), which makes
/// observations and numbers actions; the default one if it is empty.
///
/// >>> import tesuji
/// >>> game = tesuji.load_game("tictactoe")
/// >>> game.num_distinct_actions()
/// 9
#[pyfunction]
#[pyo3(signature = (name, *, rules="official", encoder=""))]
pub fn load_game(name: &str, rules: &str, encoder: &str) -> PyResult<Game> {
    Ok(Game(Core::new(name, parse(rules)?, encoder)?))
}

/// A game under one set of rules.
#[pyclass(module = "tesuji", frozen)]
pub struct Game(pub Arc<Core>);

impl Game {
    fn state(&self, start: &str, position: Box<dyn AnyPosition>) -> State {
        State { core: Arc::clone(&self.0), start: start.into(), moves: Vec::new(), position, actions: OnceLock::new() }
    }
}

#[pymethods]
impl Game {
    /// The name, as `load_game` takes it.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.game.name()
    }

    /// One line about the game.
    #[getter]
    fn title(&self) -> &'static str {
        self.0.game.title()
    }

    /// The rules in force: "official" or "paper".
    #[getter]
    fn rules(&self) -> &'static str {
        self.0.game.rules().name()
    }

    /// The encoder that makes observations and numbers actions.
    #[getter]
    fn encoder(&self) -> &'static str {
        self.0.coder.name()
    }

    /// The names of the game's encoders, the default one first.
    #[getter]
    fn encoders(&self) -> Vec<&'static str> {
        self.0.game.encoders().iter().map(|encoder| encoder.name).collect()
    }

    /// What the two players are called.
    #[getter]
    fn side_names(&self) -> [&'static str; 2] {
        Side::BOTH.map(|side| self.0.game.side_name(side))
    }

    /// Always 2.
    fn num_players(&self) -> usize {
        2
    }

    /// How many actions there are; those of a state are some of `range` of it.
    fn num_distinct_actions(&self) -> usize {
        self.0.coder.sizes().actions()
    }

    /// The shape of observations: planes, rows, columns; with the number of views in front where positions have several.
    fn observation_tensor_shape(&self) -> Vec<usize> {
        self.0.coder.sizes().dimensions()
    }

    /// How many numbers an observation has.
    fn observation_tensor_size(&self) -> usize {
        self.0.coder.sizes().observation()
    }

    /// The least that a player can get: -1.
    fn min_utility(&self) -> f64 {
        -1.0
    }

    /// The most that a player can get: 1.
    fn max_utility(&self) -> f64 {
        1.0
    }

    /// The start of the game.
    ///
    /// >>> import tesuji
    /// >>> tesuji.load_game("connect4").new_initial_state().legal_actions()
    /// [0, 1, 2, 3, 4, 5, 6]
    fn new_initial_state(&self) -> State {
        self.state("startpos", self.0.game.start())
    }

    /// One of the starts of self-play, by a seed: the usual start unless the game is played from varied starts.
    fn varied_state(&self, seed: u64) -> State {
        let position = self.0.game.varied_start(&mut Stream::new(seed, "varied", 0));
        let text = position.text();
        self.state(&text, position)
    }

    /// A state from `POSITION [moves M1 M2 ...]`, where POSITION is `startpos` or the game's own notation.
    ///
    /// >>> import tesuji
    /// >>> tesuji.load_game("chess").from_text("startpos moves e2e4 e7e5").move_number()
    /// 2
    fn from_text(&self, text: &str) -> PyResult<State> {
        let text = text.trim();
        // The whole line first: its errors count the moves.
        self.0.game.parse(text).map_err(bad)?;
        let (start, moves) = match text.split_once(" moves") {
            Some((start, rest)) if rest.is_empty() || rest.starts_with(char::is_whitespace) => (start.trim(), rest),
            _ => (text, ""),
        };
        let mut state = self.state(start, self.0.game.parse(start).map_err(bad)?);
        for word in moves.split_whitespace() {
            state.play(state.position.parse_move(word).map_err(bad)?)?;
        }
        Ok(state)
    }

    /// Looks for a forced mate in a problem, in which the attacker's king may be missing. See `State.mate`.
    #[pyo3(signature = (text, *, solver="dfpn", seconds=10.0, nodes=None, shortest=false, megabytes=64))]
    #[expect(clippy::too_many_arguments, reason = "all but one are keywords")]
    fn mate<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        solver: &str,
        seconds: f64,
        nodes: Option<u64>,
        shortest: bool,
        megabytes: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let limits = MateLimits::new(solver, seconds, nodes, shortest, megabytes)?;
        if text.starts_with("startpos") || text.contains(" moves") {
            let position = self.0.game.parse(text).map_err(bad)?;
            return solve_mate(py, &self.0, &Problem::Position(position.as_ref()), &limits);
        }
        solve_mate(py, &self.0, &Problem::Text(text), &limits)
    }

    fn __repr__(&self) -> String {
        format!("tesuji.load_game({:?}, rules={:?}, encoder={:?})", self.name(), self.rules(), self.encoder())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Game>().is_ok_and(|other| {
            let other = &other.get().0;
            self.0.plays_as(other) && self.0.coder.name() == other.coder.name()
        })
    }

    fn __hash__(&self) -> u64 {
        let mut sum = crc(self.name());
        sum = sum << 8 ^ crc(self.encoder());
        sum << 1 | u64::from(self.0.game.rules() == Rules::Paper)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let load = py.import("tesuji")?.getattr("_load_game")?;
        (load, (self.name(), self.rules(), self.encoder())).into_pyobject(py)
    }
}

/// A small hash of a name.
fn crc(text: &str) -> u64 {
    text.bytes().fold(0, |sum: u64, byte| tesuji_core::random::mix(sum ^ u64::from(byte))) >> 12
}

/// An action: its number, or the move in the game's notation.
#[derive(FromPyObject)]
pub enum Action {
    /// The number.
    Number(i64),
    /// The move.
    Text(String),
}

/// A state of play, with its history.
#[pyclass(module = "tesuji")]
pub struct State {
    /// The game.
    pub core: Arc<Core>,
    /// Where it began.
    start: Arc<str>,
    /// What was played since.
    moves: Vec<MoveId>,
    /// Where that led to.
    pub position: Box<dyn AnyPosition>,
    /// The legal actions, once they have been asked for.
    actions: OnceLock<Vec<(usize, MoveId)>>,
}

impl State {
    /// The state behind these moves.
    ///
    /// # Errors
    /// If a move or the start is not one of this game.
    pub fn of_line(core: &Arc<Core>, start: &str, moves: &[String]) -> PyResult<State> {
        let game = Game(Arc::clone(core));
        let mut state = game.state(start, core.game.parse(start).map_err(bad)?);
        for text in moves {
            state.play(state.position.parse_move(text).map_err(bad)?)?;
        }
        Ok(state)
    }

    /// Plays a move.
    ///
    /// # Errors
    /// If it is not legal.
    pub fn play(&mut self, mv: MoveId) -> PyResult<()> {
        self.position.play(mv).map_err(bad)?;
        self.moves.push(mv);
        self.actions = OnceLock::new();
        Ok(())
    }

    /// The legal moves with their actions.
    ///
    /// # Errors
    /// If the encoder has no room for the position.
    pub fn actions(&self) -> PyResult<&[(usize, MoveId)]> {
        if let Some(actions) = self.actions.get() {
            return Ok(actions);
        }
        self.accepted()?;
        Ok(self.actions.get_or_init(|| self.core.coder.actions(self.position.as_ref())))
    }

    fn accepted(&self) -> PyResult<()> {
        match self.core.coder.refusal(self.position.as_ref()) {
            Some(problem) => Err(bad(problem)),
            None => Ok(()),
        }
    }

    /// The action of a legal move.
    ///
    /// # Errors
    /// If it is not legal, or the encoder has no room for the position.
    pub fn action_of(&self, mv: MoveId) -> PyResult<usize> {
        let found = self.actions()?.iter().find(|(_, known)| *known == mv);
        found.map(|(action, _)| *action).ok_or_else(|| bad("the move is not legal here"))
    }

    /// The move of an action.
    ///
    /// # Errors
    /// If it is not legal.
    pub fn move_of(&self, action: &Action) -> PyResult<MoveId> {
        match action {
            Action::Text(text) => self.position.parse_move(text).map_err(bad),
            Action::Number(number) => {
                if self.position.outcome().is_some() {
                    return Err(bad(format!("action {number}: the game is over")));
                }
                let actions = self.actions()?;
                let found = actions.iter().find(|(known, _)| i64::try_from(*known) == Ok(*number));
                found.map(|(_, mv)| *mv).ok_or_else(|| bad(format!("action {number} is not legal here")))
            }
        }
    }

    fn returns_of(&self) -> [f32; 2] {
        let outcome = self.position.outcome();
        Side::BOTH.map(|side| outcome.map_or(0.0, |outcome| result(outcome, side)))
    }

    /// The player of a number, for the methods that OpenSpiel gives one.
    fn player(player: i64) -> PyResult<usize> {
        usize::try_from(player)
            .ok()
            .filter(|&player| player < 2)
            .ok_or_else(|| bad(format!("player {player}: expected 0 or 1")))
    }
}

#[pymethods]
impl State {
    /// The game.
    fn get_game(&self) -> Game {
        Game(Arc::clone(&self.core))
    }

    /// The legal actions, rising; none if the game is over. Of a player who is not to move: none.
    #[pyo3(signature = (player=None))]
    fn legal_actions(&self, player: Option<i64>) -> PyResult<Vec<usize>> {
        match player.map(State::player).transpose()? {
            Some(player) if player != self.position.mover().index() => Ok(Vec::new()),
            _ => Ok(self.actions()?.iter().map(|(action, _)| *action).collect()),
        }
    }

    /// Which actions are legal: an array of as many truth values as there are actions.
    #[pyo3(signature = (player=None))]
    fn legal_actions_mask<'py>(&self, py: Python<'py>, player: Option<i64>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let mut mask = vec![false; self.core.coder.sizes().actions()];
        for action in self.legal_actions(player)? {
            mask[action] = true;
        }
        Ok(mask.into_pyarray(py))
    }

    /// Plays an action, by its number or in the game's notation.
    ///
    /// >>> import tesuji
    /// >>> state = tesuji.load_game("tictactoe").new_initial_state()
    /// >>> state.apply_action("b2")
    /// >>> state.apply_action(0)
    /// >>> state.current_player()
    /// 0
    fn apply_action(&mut self, action: Action) -> PyResult<()> {
        let mv = self.move_of(&action)?;
        self.play(mv)
    }

    /// The state behind an action; this one stays as it is.
    fn child(&self, action: Action) -> PyResult<State> {
        let mut child = self.clone();
        child.apply_action(action)?;
        Ok(child)
    }

    /// An action in the game's notation. OpenSpiel's form with the player in front is also taken.
    #[pyo3(signature = (player_or_action, action=None))]
    fn action_to_string(&self, player_or_action: i64, action: Option<i64>) -> PyResult<String> {
        let mv = self.move_of(&Action::Number(action.unwrap_or(player_or_action)))?;
        Ok(self.position.format_move(mv))
    }

    /// The action of a move in the game's notation. OpenSpiel's form with the player in front is also taken.
    #[pyo3(signature = (player_or_text, text=None))]
    fn string_to_action(&self, player_or_text: &Bound<'_, PyAny>, text: Option<String>) -> PyResult<usize> {
        let text = text.map_or_else(|| player_or_text.extract::<String>(), Ok)?;
        self.action_of(self.move_of(&Action::Text(text))?)
    }

    /// A copy.
    fn clone(&self) -> State {
        State {
            core: Arc::clone(&self.core),
            start: Arc::clone(&self.start),
            moves: self.moves.clone(),
            position: self.position.boxed(),
            actions: self.actions.clone(),
        }
    }

    /// Whether the game is over.
    fn is_terminal(&self) -> bool {
        self.position.outcome().is_some()
    }

    /// Never: there is no chance in these games.
    fn is_chance_node(&self) -> bool {
        false
    }

    /// The player to move, 0 or 1; -4 if the game is over.
    fn current_player(&self) -> i64 {
        if self.is_terminal() { TERMINAL } else { self.position.mover().index() as i64 }
    }

    /// What each player has: 1 for a win, -1 for a loss, 0 for a draw or while the game goes on.
    fn returns(&self) -> [f32; 2] {
        self.returns_of()
    }

    /// What the last action gave each player: the same as `returns`, since nothing is won before the end.
    fn rewards(&self) -> [f32; 2] {
        self.returns_of()
    }

    /// The same for one player.
    fn player_return(&self, player: i64) -> PyResult<f32> {
        Ok(self.returns_of()[State::player(player)?])
    }

    /// The position as the side to move sees it, as an array of float32; zeros if the game is over.
    ///
    /// >>> import tesuji
    /// >>> tesuji.load_game("minishogi").new_initial_state().observation_tensor().dtype
    /// dtype('float32')
    #[pyo3(signature = (player=None))]
    fn observation_tensor<'py>(&self, py: Python<'py>, player: Option<i64>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        player.map(State::player).transpose()?;
        self.accepted()?;
        let sizes = self.core.coder.sizes();
        let mut out = vec![0.0; sizes.observation()];
        self.core.coder.observe(self.position.as_ref(), &mut out);
        out.into_pyarray(py).reshape(sizes.dimensions())
    }

    /// The position in the game's notation, without its history.
    #[pyo3(signature = (player=None))]
    fn observation_string(&self, player: Option<i64>) -> PyResult<String> {
        player.map(State::player).transpose()?;
        Ok(self.position.text())
    }

    /// The state as one line, `START [moves M1 M2 ...]`, which `Game.from_text` reads.
    fn text(&self) -> PyResult<String> {
        if self.moves.is_empty() {
            return Ok(self.start.to_string());
        }
        let position = self.core.game.parse(&self.start).map_err(bad)?;
        Ok(format!("{} moves {}", self.start, position.format_line(&self.moves).join(" ")))
    }

    /// The moves since the start, in the game's notation.
    fn history(&self) -> PyResult<Vec<String>> {
        let position = self.core.game.parse(&self.start).map_err(bad)?;
        Ok(position.format_line(&self.moves))
    }

    /// Moves played since the start of the game.
    fn move_number(&self) -> u32 {
        self.position.ply()
    }

    /// Why the game ended; empty if it has not.
    #[getter]
    fn ending(&self) -> &'static str {
        self.position.ending()
    }

    /// Whether the side to move is in check.
    fn in_check(&self) -> bool {
        self.position.in_check()
    }

    /// Plays random moves until the game ends, or so many, and says what each player has then; the state stays as it is.
    #[pyo3(signature = (seed=0, limit=100_000))]
    fn playout(&self, py: Python<'_>, seed: u64, limit: u32) -> [f32; 2] {
        let mut position = self.position.boxed();
        let outcome = py.detach(|| position.playout(&mut Stream::new(seed, "playout", 0), limit));
        Side::BOTH.map(|side| outcome.map_or(0.0, |outcome| result(outcome, side)))
    }

    /// Looks for a forced mate by the side to move.
    ///
    /// Returns a dict: "answer" is "mate", "no mate" or "unknown", "line" the mating moves, "nodes" the positions looked
    /// at. `solver` is `dfpn`, `dfpn:NODES`, `dfs:DEPTH` or `exact:N`.
    ///
    /// >>> import tesuji
    /// >>> state = tesuji.load_game("minishogi").from_text("4k/5/4P/5/K4 b G 1")
    /// >>> state.mate()["answer"]
    /// 'mate'
    #[pyo3(signature = (*, solver="dfpn", seconds=10.0, nodes=None, shortest=false, megabytes=64))]
    fn mate<'py>(
        &self,
        py: Python<'py>,
        solver: &str,
        seconds: f64,
        nodes: Option<u64>,
        shortest: bool,
        megabytes: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let limits = MateLimits::new(solver, seconds, nodes, shortest, megabytes)?;
        solve_mate(py, &self.core, &Problem::Position(self.position.as_ref()), &limits)
    }

    fn __str__(&self) -> String {
        self.position.render(Style::default())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<tesuji.State {} {}>", self.core.game.name(), self.text()?))
    }

    fn __copy__(&self) -> State {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> State {
        self.clone()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<State>() else { return Ok(false) };
        let Ok(other) = other.try_borrow() else { return Ok(false) };
        let same = self.core.plays_as(&other.core) && self.start == other.start && self.moves == other.moves;
        Ok(same && self.core.coder.name() == other.core.coder.name())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let load = py.import("tesuji")?.getattr("_load_state")?;
        let game = &self.core.game;
        (load, (game.name(), game.rules().name(), self.core.coder.name(), self.text()?)).into_pyobject(py)
    }
}
