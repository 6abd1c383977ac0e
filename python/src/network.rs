//! Networks.

use crate::agent::NETWORKS;
use crate::arrays::batch;
use crate::convert::{bad, plain, within};
use crate::work::words;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};
use tesuji_learn::networks::{Network as Opened, Place, built_in};
use tesuji_learn::run::Checkpoint;
use tesuji_nn::{ConvMethod, Worker};

/// The names of the networks that come with the program.
#[pyfunction]
pub fn networks() -> Vec<&'static str> {
    built_in()
}

/// Opens a network by name: one that comes with the program, a run (`runs/x`, `runs/x@12`) or a file.
///
/// >>> import tesuji
/// >>> network = tesuji.network("minishogi")
/// >>> network.game, network.outputs["value"]
/// ('minishogi', 1)
#[pyfunction]
pub fn network(py: Python<'_>, name: &str) -> PyResult<Network> {
    py.detach(|| {
        let about = match Place::of(name)?.checkpoint()? {
            Checkpoint::Float(file) => file.about,
            Checkpoint::Integer(_) => {
                return Err(format!("{name}: an integer network, which plays as nnue:net={name}"));
            }
        };
        let game = tesuji_games::game(&about.game, about.rules).map_err(|error| error.to_string())?;
        let network = NETWORKS.open(game.as_ref(), name, ConvMethod::Winograd3)?;
        Ok(Network { network, workers: Mutex::default() })
    })
    .map_err(bad)
}

/// A network, made ready for this computer.
#[pyclass(module = "tesuji", frozen)]
pub struct Network {
    network: Arc<Opened>,
    /// One for each thread that has worked so far.
    workers: Mutex<Vec<Worker>>,
}

impl Network {
    /// Evaluates views that follow each other: for each output its numbers.
    fn run(&self, inputs: &[f32], count: usize, threads: usize) -> Vec<Vec<f32>> {
        let model = &self.network.model;
        let (view, outputs) = (model.input().len(), model.outputs().count());
        let share = count.div_ceil(threads).max(1);
        let mut workers: Vec<Worker> = {
            let mut idle = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
            let from = idle.len().saturating_sub(threads);
            idle.drain(from..).collect()
        };
        while workers.len() < threads {
            workers.push(Worker::new(Arc::clone(model)));
        }
        let parts = inputs.chunks((share * view).max(1));
        std::thread::scope(|scope| {
            let mut parts: Vec<(&mut Worker, &[f32])> = workers.iter_mut().zip(parts).collect();
            // The last part is this thread's own.
            let last = parts.pop();
            for (worker, part) in parts {
                scope.spawn(move || worker.run(part));
            }
            if let Some((worker, part)) = last {
                worker.run(part);
            }
        });
        let used = inputs.len().div_ceil((share * view).max(1));
        let gather = |output: usize| {
            let mut numbers = Vec::with_capacity(count * model.output_len(output));
            workers[..used.min(threads)].iter().for_each(|worker| numbers.extend_from_slice(worker.output(output)));
            numbers
        };
        let numbers = (0..outputs).map(gather).collect();
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).append(&mut workers);
        numbers
    }
}

#[pymethods]
impl Network {
    /// The game that it was trained for.
    #[getter]
    fn game(&self) -> &str {
        &self.network.info.game
    }

    /// The encoder that makes its inputs: `load_game(network.game, encoder=network.encoder)`.
    #[getter]
    fn encoder(&self) -> &str {
        &self.network.info.encoder
    }

    /// What is stored with it.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.network.info)
    }

    /// How many parameters it has.
    #[getter]
    fn parameters(&self) -> usize {
        self.network.graph.parameter_count()
    }

    /// The shape of one input: planes, rows, columns.
    #[getter]
    fn input_shape(&self) -> (usize, usize, usize) {
        let shape = self.network.model.input();
        (shape.planes, shape.height, shape.width)
    }

    /// The names of its outputs, with how many numbers each has for one input.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let model = &self.network.model;
        model.outputs().enumerate().try_for_each(|(number, name)| dict.set_item(name, model.output_len(number)))?;
        Ok(dict)
    }

    /// Evaluates a batch of inputs, a C-contiguous float32 array of shape (N, planes, rows, columns).
    ///
    /// Returns a dict of arrays, one for each output: "value" of shape (N,), for the side to move, "policy" of shape
    /// (N, actions), as logits, and whatever else the network has. `threads` share the batch.
    #[pyo3(signature = (batch, *, threads=1))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let threads = within("threads", threads, 1, 256)?;
        let model = &self.network.model;
        let shape = model.input();
        let (inputs, count) = self::batch(batch, &[shape.planes, shape.height, shape.width])?;
        let slice = inputs.as_slice().map_err(bad)?;
        let run = || std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.run(slice, count, threads)));
        let numbers = py.detach(run);
        let numbers =
            numbers.map_err(|panic| PyRuntimeError::new_err(format!("a bug in Tesuji: {}", words(&*panic))))?;
        let dict = PyDict::new(py);
        for ((output, name), numbers) in model.outputs().enumerate().zip(numbers) {
            let shape = match model.output_len(output) {
                1 => vec![count],
                len => vec![count, len],
            };
            dict.set_item(name, numbers.into_pyarray(py).reshape(shape)?)?;
        }
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        format!("<tesuji.Network {} for {}>", self.network.place, self.network.info.game)
    }
}
