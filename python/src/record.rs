//! Records of games, and data sets, as arrays.

use crate::agent::outcome_word;
use crate::coder::{Coder, Samples, Sizes, coder};
use crate::convert::{bad, parse, plain};
use crate::work::work;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tesuji_core::{AnyPosition, GameRecord, MoveId};
use tesuji_games::formats;
use tesuji_learn::data::DataSetInfo;

/// Reads the games of a file, one by one: Tesuji's own records, PGN, KIF, CSA, TUBSTAP's replays; also compressed by
/// Zstandard. The name tells the format unless `format` does.
#[pyfunction]
#[pyo3(signature = (path, *, rules="official", format=None))]
pub fn read_records(path: PathBuf, rules: &str, format: Option<&str>) -> PyResult<Records> {
    let path = path.to_str().ok_or_else(|| bad("the path is not UTF-8"))?;
    let records = formats::open(format, path, parse(rules)?).map_err(bad)?;
    Ok(Records(Mutex::new(Some(records))))
}

/// The games of a file: an iterator of `Record`.
#[pyclass(module = "tesuji", frozen)]
pub struct Records(Mutex<Option<formats::Records>>);

#[pymethods]
impl Records {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        let next = py.detach(|| {
            let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            records.as_mut().and_then(Iterator::next)
        });
        next.transpose().map(|record| record.map(Record)).map_err(bad)
    }
}

/// A game as it was played.
#[pyclass(module = "tesuji", frozen)]
pub struct Record(GameRecord);

impl Record {
    /// Replays it by handles; what was played, in the game's notation.
    fn replay(&self) -> PyResult<(Vec<String>, Box<dyn AnyPosition>)> {
        let game = tesuji_games::game(&self.0.game, self.0.rules).map_err(bad)?;
        let mut position = game.parse(&self.0.start).map_err(bad)?;
        let mut moves = Vec::with_capacity(self.0.moves.len());
        for (number, played) in self.0.moves.iter().enumerate() {
            let (mv, before) = (MoveId(played.bits), position.boxed());
            position.play(mv).map_err(|error| bad(format!("move {}: {error}", number + 1)))?;
            moves.push(before.format_move(mv));
        }
        Ok((moves, position))
    }
}

#[pymethods]
impl Record {
    /// The game's name.
    #[getter]
    fn game(&self) -> &str {
        &self.0.game
    }

    /// The rules: "official" or "paper".
    #[getter]
    fn rules(&self) -> &'static str {
        self.0.rules.name()
    }

    /// The start, in the game's notation or `startpos`.
    #[getter]
    fn start(&self) -> &str {
        &self.0.start
    }

    /// Names, dates and whatever else belongs to the game.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        self.0.tags.iter().try_for_each(|(name, value)| dict.set_item(name, value))?;
        Ok(dict)
    }

    /// Who won: "first", "second" or "draw"; None if the game was not ended.
    #[getter]
    fn outcome(&self) -> Option<&'static str> {
        self.0.outcome.map(outcome_word)
    }

    /// Why it ended.
    #[getter]
    fn ending(&self) -> &str {
        &self.0.ending
    }

    /// The moves in the game's notation.
    fn moves(&self) -> PyResult<Vec<String>> {
        Ok(self.replay()?.0)
    }

    /// The game as one line, which `Game.from_text` reads.
    fn text(&self) -> PyResult<String> {
        let moves = self.moves()?;
        Ok(if moves.is_empty() { self.0.start.clone() } else { format!("{} moves {}", self.0.start, moves.join(" ")) })
    }

    /// The positions in which somebody moved, as a dict of arrays of one row each: "observations", "actions", "returns"
    /// (the result for the side to move), "values" (what the search thought, if the record has it, else NaN), "games" (0)
    /// and "plies"; with `policies` also "policies", the search's probability of each action.
    #[pyo3(signature = (*, encoder="", policies=false))]
    fn arrays<'py>(&self, py: Python<'py>, encoder: &str, policies: bool) -> PyResult<Bound<'py, PyDict>> {
        let coder = coder(&self.0.game, self.0.rules, encoder).map_err(bad)?;
        let mut samples = Samples { policies: policies.then(Vec::new), ..Samples::default() };
        coder.add_record(&self.0, 0, &mut samples).map_err(bad)?;
        as_arrays(py, coder.sizes(), samples)
    }

    fn __len__(&self) -> usize {
        self.0.moves.len()
    }

    fn __repr__(&self) -> String {
        format!("<tesuji.Record {} of {} moves, {}>", self.0.game, self.0.moves.len(), self.0.ending)
    }
}

/// Samples as a dict of arrays, which take over the memory.
fn as_arrays<'py>(py: Python<'py>, sizes: Sizes, samples: Samples) -> PyResult<Bound<'py, PyDict>> {
    let Samples { observations, actions, returns, values, policies, games, plies } = samples;
    let dict = PyDict::new(py);
    let count = actions.len();
    let mut shape = vec![count];
    shape.extend(sizes.dimensions());
    dict.set_item("observations", observations.into_pyarray(py).reshape(shape)?)?;
    dict.set_item("actions", actions.into_pyarray(py))?;
    dict.set_item("returns", returns.into_pyarray(py))?;
    if values.len() == count {
        dict.set_item("values", values.into_pyarray(py))?;
    }
    if let Some(policies) = policies {
        dict.set_item("policies", policies.into_pyarray(py).reshape(vec![count, sizes.actions()])?)?;
    }
    dict.set_item("games", games.into_pyarray(py))?;
    dict.set_item("plies", plies.into_pyarray(py))?;
    Ok(dict)
}

/// Opens a data set, a directory that `tesuji data` made.
#[pyfunction]
#[pyo3(signature = (path, *, encoder=""))]
pub fn data_set(path: PathBuf, encoder: &str) -> PyResult<DataSet> {
    let info = DataSetInfo::read(&path).map_err(bad)?;
    let coder = coder(&info.game, info.rules, encoder).map_err(bad)?;
    let kit = tesuji_registry::kit(&info.game, info.rules).map_err(bad)?;
    kit.data_set(&path).map_err(bad)?;
    Ok(DataSet { path, info, coder })
}

/// A data set: positions of games, in shards.
#[pyclass(module = "tesuji", frozen)]
pub struct DataSet {
    path: PathBuf,
    info: DataSetInfo,
    coder: Arc<dyn Coder>,
}

#[pymethods]
impl DataSet {
    /// What the set says of itself: its game, its sources, what was read and kept, its shards.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.info)
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &str {
        &self.info.game
    }

    /// How many shards there are.
    #[getter]
    fn shards(&self) -> usize {
        self.info.shards.len()
    }

    /// The positions of a shard as a dict of arrays of one row each: "observations", "actions" (what was played),
    /// "returns" (the result for the side to move), "games" and "plies".
    fn shard<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyDict>> {
        let (coder, path): (&Arc<dyn Coder>, &Path) = (&self.coder, &self.path);
        let samples = work(py, |_| coder.shard(path, number))?.map_err(bad)?;
        as_arrays(py, self.coder.sizes(), samples)
    }

    fn __len__(&self) -> usize {
        self.info.counts.kept as usize
    }

    fn __repr__(&self) -> String {
        format!("<tesuji.DataSet {} of {} positions of {}>", self.path.display(), self.info.counts.kept, self.info.game)
    }
}
