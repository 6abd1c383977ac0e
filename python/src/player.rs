//! A Python object as a player in matches.

use crate::game::{Action, Core, State};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use tesuji_core::player::Choice;
use tesuji_core::{Budget, GameLine, Player, PlayerError};

/// The first exception that a player raised, which ends its match.
#[derive(Default)]
pub struct Raised(Mutex<Option<PyErr>>);

impl Raised {
    /// Takes it.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Notes an exception.
    fn note(&self, error: PyErr) -> PlayerError {
        let text = error.to_string();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        PlayerError::Crashed(text)
    }
}

/// A Python object with a method `choose(state)`, or one that can be called like it. It answers with an action, a move in
/// the game's notation, or None to resign.
pub struct PythonPlayer {
    core: Arc<Core>,
    object: Py<PyAny>,
    name: String,
    raised: Arc<Raised>,
}

/// What an object is called: its `name`, or that of its type.
pub fn name_of(object: &Bound<'_, PyAny>) -> String {
    let name = object.getattr("name").and_then(|name| name.extract::<String>());
    name.or_else(|_| Ok::<_, PyErr>(object.get_type().name()?.to_string())).unwrap_or_else(|_| "Python".to_owned())
}

/// Whether an object can play.
pub fn can_play(object: &Bound<'_, PyAny>) -> bool {
    object.getattr("choose").is_ok_and(|choose| choose.is_callable()) || object.is_callable()
}

impl PythonPlayer {
    /// The object as a player of this game.
    pub fn new(core: &Arc<Core>, object: Py<PyAny>, name: &str, raised: &Arc<Raised>) -> PythonPlayer {
        PythonPlayer { core: Arc::clone(core), object, name: name.to_owned(), raised: Arc::clone(raised) }
    }
}

impl Player for PythonPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        Python::attach(|py| {
            let object = self.object.bind(py);
            match object.getattr_opt("new_game") {
                Ok(Some(begin)) => begin.call1((seed,)).map(drop).map_err(|error| self.raised.note(error)),
                Ok(None) => Ok(()),
                Err(error) => Err(self.raised.note(error)),
            }
        })
    }

    fn choose(&mut self, line: &GameLine, _budget: &Budget) -> Result<Choice, PlayerError> {
        Python::attach(|py| {
            let state = State::of_line(&self.core, &line.start, &line.moves);
            let state = Bound::new(py, state.map_err(|error| self.raised.note(error))?);
            let state = state.map_err(|error| self.raised.note(error))?;
            let object = self.object.bind(py);
            let asked = match object.getattr_opt("choose") {
                Ok(Some(choose)) => choose.call1((&state,)),
                _ => object.call1((&state,)),
            };
            let answer = asked.map_err(|error| self.raised.note(error))?;
            if answer.is_none() {
                return Err(PlayerError::Resigned);
            }
            let action = answer.extract::<Action>().map_err(|error| self.raised.note(error))?;
            // The object may have played on its copy of the state: a fresh one says what the answer means.
            let state =
                State::of_line(&self.core, &line.start, &line.moves).map_err(|error| self.raised.note(error))?;
            let illegal = |error: PyErr| PlayerError::Illegal(error.value(py).to_string());
            let mv = state.move_of(&action).map_err(illegal)?;
            Ok(Choice { text: state.position.format_move(mv), ..Choice::default() })
        })
    }
}
