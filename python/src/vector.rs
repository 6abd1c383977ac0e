//! The vectorised environment.

use crate::arrays::{array, numbers};
use crate::convert::{bad, within};
use crate::fleet::{Fleet, Rows};
use crate::game::{Core, Game};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;

/// The most numbers that the arrays may have: more do not fit into ordinary computers.
const MOST_NUMBERS: usize = 1 << 33;

/// Many games of one kind at once. Every `step` plays one action in each and writes what follows into five arrays, with
/// the interpreter released; games that end are followed by new ones.
///
/// The arrays, of `num_envs` rows each, are the caller's, if given, or made here:
/// `observations` (float32, one observation a row), `masks` (bool, which actions are legal), `rewards` (float32, for each
/// of the two players what the step gave them), `terminated` (bool, whether the step ended the game; observation and
/// mask are then those of the next one) and `players` (int64, who is to move).
///
/// `varied` begins games from the game's varied starts. `threads` share the work; results do not depend on it.
///
/// >>> import tesuji
/// >>> env = tesuji.VectorEnv(tesuji.load_game("connect4"), 8, seed=1)
/// >>> for _ in range(100):
/// ...     env.step(env.random_actions())
/// >>> env.observations.shape[0]
/// 8
#[pyclass(module = "tesuji")]
pub struct VectorEnv {
    core: Arc<Core>,
    fleet: Box<dyn Fleet>,
    pool: Option<ThreadPool>,
    count: usize,
    arrays: Arrays,
}

/// Where steps write.
struct Arrays {
    observations: Py<PyArrayDyn<f32>>,
    masks: Py<PyArrayDyn<bool>>,
    rewards: Py<PyArrayDyn<f32>>,
    terminated: Py<PyArrayDyn<bool>>,
    players: Py<PyArrayDyn<i64>>,
}

/// The arrays that a caller gives.
type Given<'a, 'py> = [Option<&'a Bound<'py, PyAny>>; 5];

impl Arrays {
    /// Checks the caller's arrays, and makes those that are missing.
    fn new(py: Python<'_>, core: &Core, count: usize, given: Given<'_, '_>) -> PyResult<Arrays> {
        let sizes = core.coder.sizes();
        let mut shape = vec![count];
        shape.extend(sizes.dimensions());
        let [observations, masks, rewards, terminated, players] = given;
        Ok(Arrays {
            observations: array(py, "observations", "float32", observations, &shape)?,
            masks: array(py, "masks", "bool", masks, &[count, sizes.actions()])?,
            rewards: array(py, "rewards", "float32", rewards, &[count, 2])?,
            terminated: array(py, "terminated", "bool", terminated, &[count])?,
            players: array(py, "players", "int64", players, &[count])?,
        })
    }

    /// Hands them out for writing.
    fn write<T: Send>(&self, py: Python<'_>, work: impl FnOnce(Rows<'_>) -> T + Send) -> PyResult<T> {
        let used = |_| bad("an array is in use elsewhere, or is given twice");
        let mut observations = self.observations.bind(py).try_readwrite().map_err(used)?;
        let mut masks = self.masks.bind(py).try_readwrite().map_err(used)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(used)?;
        let mut terminated = self.terminated.bind(py).try_readwrite().map_err(used)?;
        let mut players = self.players.bind(py).try_readwrite().map_err(used)?;
        let rows = Rows {
            observations: observations.as_slice_mut().map_err(bad)?,
            masks: masks.as_slice_mut().map_err(bad)?,
            rewards: rewards.as_slice_mut().map_err(bad)?,
            terminated: terminated.as_slice_mut().map_err(bad)?,
            players: players.as_slice_mut().map_err(bad)?,
        };
        Ok(py.detach(|| work(rows)))
    }
}

#[pymethods]
impl VectorEnv {
    #[new]
    #[pyo3(signature = (game, num_envs, *, seed=0, varied=false, threads=1, observations=None, masks=None, rewards=None, terminated=None, players=None))]
    #[expect(clippy::too_many_arguments, reason = "all but two are keywords")]
    fn new(
        py: Python<'_>,
        game: &Game,
        num_envs: usize,
        seed: u64,
        varied: bool,
        threads: usize,
        observations: Option<&Bound<'_, PyAny>>,
        masks: Option<&Bound<'_, PyAny>>,
        rewards: Option<&Bound<'_, PyAny>>,
        terminated: Option<&Bound<'_, PyAny>>,
        players: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<VectorEnv> {
        let core = Arc::clone(&game.0);
        let sizes = core.coder.sizes();
        let most = (MOST_NUMBERS / (sizes.observation() + sizes.actions())).max(1);
        let count = within("num_envs", num_envs, 1, most)?;
        within("threads", threads, 1, 256)?;
        let bytes = count.saturating_mul(4 * sizes.observation() + sizes.actions());
        if !tesuji_core::limits::has_memory(bytes) {
            return Err(bad(format!(
                "num_envs={count}: the arrays take {} megabytes, more than there are here",
                bytes >> 20
            )));
        }
        let arrays = Arrays::new(py, &core, count, [observations, masks, rewards, terminated, players])?;
        let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build());
        let pool = pool.transpose().map_err(bad)?;
        let fleet = core.coder.fleet(count, seed, varied);
        let mut env = VectorEnv { core, fleet, pool, count, arrays };
        env.reset(py, seed)?;
        Ok(env)
    }

    /// Begins all games anew.
    #[pyo3(signature = (seed=0))]
    fn reset(&mut self, py: Python<'_>, seed: u64) -> PyResult<()> {
        let VectorEnv { fleet, pool, arrays, .. } = self;
        arrays.write(py, |rows| fleet.reset(seed, rows, pool.as_ref()))
    }

    /// Plays one action in each game.
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = numbers("actions", actions, self.count)?;
        let VectorEnv { fleet, pool, arrays, .. } = self;
        arrays.write(py, |rows| fleet.step(&actions, rows, pool.as_ref()))?.map_err(bad)
    }

    /// A random legal action for each game, as an array of int64.
    fn random_actions<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mut actions = vec![0; self.count];
        py.detach(|| self.fleet.random_actions(&mut actions));
        PyArray1::from_vec(py, actions)
    }

    /// From now on writes into these arrays instead, the old ones where none is given. They are filled by the next step.
    #[pyo3(signature = (*, observations=None, masks=None, rewards=None, terminated=None, players=None))]
    fn write_to(
        &mut self,
        py: Python<'_>,
        observations: Option<&Bound<'_, PyAny>>,
        masks: Option<&Bound<'_, PyAny>>,
        rewards: Option<&Bound<'_, PyAny>>,
        terminated: Option<&Bound<'_, PyAny>>,
        players: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let old = [
            self.arrays.observations.bind(py).as_any().clone(),
            self.arrays.masks.bind(py).as_any().clone(),
            self.arrays.rewards.bind(py).as_any().clone(),
            self.arrays.terminated.bind(py).as_any().clone(),
            self.arrays.players.bind(py).as_any().clone(),
        ];
        let given = [observations, masks, rewards, terminated, players];
        let chosen: Vec<&Bound<'_, PyAny>> = given.iter().zip(&old).map(|(given, old)| given.unwrap_or(old)).collect();
        let chosen: Given<'_, '_> = std::array::from_fn(|place| chosen.get(place).copied());
        self.arrays = Arrays::new(py, &self.core, self.count, chosen)?;
        Ok(())
    }

    /// The positions in the game's notation.
    fn texts(&self) -> Vec<String> {
        self.fleet.texts()
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(Arc::clone(&self.core))
    }

    /// How many games.
    #[getter]
    fn num_envs(&self) -> usize {
        self.count
    }

    /// The observations.
    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<f32>> {
        self.arrays.observations.bind(py).clone()
    }

    /// Which actions are legal.
    #[getter]
    fn masks<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<bool>> {
        self.arrays.masks.bind(py).clone()
    }

    /// What the latest step gave each player.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<f32>> {
        self.arrays.rewards.bind(py).clone()
    }

    /// Whether the latest step ended the game.
    #[getter]
    fn terminated<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<bool>> {
        self.arrays.terminated.bind(py).clone()
    }

    /// Who is to move.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<i64>> {
        self.arrays.players.bind(py).clone()
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!("<tesuji.VectorEnv {} games of {}>", self.count, self.core.game.name())
    }

    fn __reduce__<'py>(&self, _py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        Err(bad("a VectorEnv cannot be pickled: make it where it is used"))
    }
}
