//! The Python module `tesuji._tesuji`, which the package `tesuji` re-exports.
//!
//! | file | what it holds |
//! |---|---|
//! | [`convert`] | errors as exceptions, JSON as Python's objects, paths |
//! | [`work`] | long work with the interpreter released, which Ctrl-C ends |
//! | [`coder`] | what is compiled for each game: actions, observations, samples |
//! | [`fleet`] | many games at once, compiled for each game |
//! | [`arrays`] | arrays of the caller, checked |
//! | [`game`] | `Game`, `State` |
//! | [`agent`] | `Agent` |
//! | [`mate`] | mate solvers |
//! | [`player`] | a Python object as a player |
//! | [`contest`] | `play_match` |
//! | [`record`] | `Record`, `DataSet` |
//! | [`network`] | `Network` |
//! | [`runs`] | `Run`: training |
//! | [`vector`] | `VectorEnv` |
//!
//! Nothing here may panic on what comes from Python: bad input is a `ValueError` with one line.

mod agent;
mod arrays;
mod coder;
mod contest;
mod convert;
mod fleet;
mod game;
mod mate;
mod network;
mod player;
mod record;
mod runs;
mod vector;
mod work;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::process::ExitCode;

/// The names of the games.
///
/// >>> import tesuji
/// >>> "minishogi" in tesuji.games()
/// True
#[pyfunction]
fn games() -> Vec<&'static str> {
    tesuji_games::names().to_vec()
}

/// Runs the command `tesuji` with these arguments, without the program's name, and returns its exit code.
///
/// Output goes to the process's own standard output. Meant for the console script: Ctrl-C is the command's from then on.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let arguments = std::iter::once(OsString::from("tesuji")).chain(arguments);
    let code = py.detach(|| tesuji_cli::run(arguments));
    // An exit code cannot be looked into, but only be compared.
    (0..=u8::MAX).find(|&number| code == ExitCode::from(number)).unwrap_or(2)
}

#[pymodule]
mod _tesuji {
    #[pymodule_export]
    use super::agent::{Agent, agent, agents};
    #[pymodule_export]
    use super::contest::play_match;
    #[pymodule_export]
    use super::game::{Game, State, load_game};
    #[pymodule_export]
    use super::games;
    #[pymodule_export]
    use super::network::{Network, network, networks};
    #[pymodule_export]
    use super::record::{DataSet, Record, Records, data_set, read_records};
    #[pymodule_export]
    use super::run_command;
    #[pymodule_export]
    use super::runs::{Run, experiments, open_run, train};
    #[pymodule_export]
    use super::vector::VectorEnv;
}
