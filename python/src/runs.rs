//! Training runs: started, followed, stopped, and looked at afterwards.

use crate::convert::{bad, json, plain};
use crate::work::words;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tesuji_learn::experiments::BUILT_IN;
use tesuji_learn::measure::earlier_generation;
use tesuji_learn::run::{Event, Fresh, Progress, RunConditions, StopRule, read_costs, read_events};
use tesuji_learn::train::train as work_on;
use tesuji_learn::{Agents, Experiment, GameKit};
use tesuji_search::AgentSource;

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// The experiments that come with the program: their names, with a line about each.
#[pyfunction]
pub fn experiments(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, _) in BUILT_IN {
        let experiment = Experiment::load(name, &[]).map_err(bad)?.experiment;
        dict.set_item(name, experiment.about)?;
    }
    Ok(dict)
}

/// A run's work, once it has been prepared.
struct Prepared {
    kit: Arc<dyn GameKit>,
    experiment: Experiment,
    root: PathBuf,
    extent: StopRule,
    threads: usize,
}

/// What the caller asks for.
struct Asked<'a> {
    experiment: Option<&'a str>,
    out: &'a Path,
    set: Vec<String>,
    resume: bool,
    dummy: bool,
    allow_engines: bool,
    budget: Option<StopRule>,
    threads: Option<usize>,
}

impl Asked<'_> {
    /// Checks everything that can be checked before the first game.
    fn prepare(&self) -> Result<Prepared, String> {
        let begun = self.out.join("experiment.toml").exists();
        let known = Experiment::of_run(self.out).map_err(|error| error.to_string())?;
        let (mut experiment, foreign) = match (self.resume, known, self.experiment) {
            (true, Some(known), None) if self.set.is_empty() => (known, true),
            (true, Some(_), named) => self.load(named.unwrap_or(BUILT_IN[0].0))?,
            (true, None, _) => return Err(format!("{}: no run to resume", self.out.display())),
            (false, _, _) if begun => {
                let run = self.out.display();
                return Err(format!("{run} holds a run: resume=True continues it; or choose another `out`"));
            }
            (false, _, named) => self.load(named.unwrap_or(BUILT_IN[0].0))?,
        };
        if self.dummy {
            experiment.shrink();
        }
        let programs = experiment.programs(self.out);
        if let Some((key, line)) = programs.first()
            && foreign
            && !self.allow_engines
        {
            return Err(format!("{key} names a program to run, {line:?}; allow_engines=True lets it run"));
        }
        let kit = tesuji_registry::kit(&experiment.game, experiment.rules).map_err(|error| error.to_string())?;
        if self.dummy {
            let check = |record: &tesuji_core::GameRecord| kit.check_record(record);
            let furnished = experiment.method.furnish(self.out, kit.game().as_ref(), &check);
            furnished.map_err(|error| error.to_string())?;
        }
        let agents = Agents::of(kit.as_ref());
        for opponent in experiment.measure.opponents.iter().filter(|line| earlier_generation(line, 0).is_none()) {
            agents.player(opponent, 0).map_err(|error| format!("measure.opponents: {error}"))?;
        }
        let extent = match self.budget {
            Some(extent) => extent,
            None => experiment.budget.parse()?,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or(cores);
        Ok(Prepared { kit, experiment, root: self.out.to_owned(), extent, threads })
    }

    /// The experiment of a name, and whether it may come from somebody else.
    fn load(&self, name: &str) -> Result<(Experiment, bool), String> {
        let found = Experiment::load(name, &self.set).map_err(|error| error.to_string())?;
        Ok((found.experiment, Path::new(name).is_file()))
    }
}

/// Starts a training run, or goes on with one, on threads of its own, and returns at once.
///
/// `experiment` is a file or one that comes with the program (see `experiments`), `NAME` or `NAME/VARIANT`; `out` the
/// run's directory; `budget` a time such as "10m" or a number of generations; `set` changes values of the experiment,
/// such as `{"selfplay.simulations": 200}`. `resume` continues the run in `out`. `dummy` makes one tiny generation.
///
/// The run stops, after the write that is under way, when it is told to, when its `Run` is deleted, or at its end; it can
/// be resumed at any time, here or by `tesuji train --resume`.
#[pyfunction]
#[pyo3(signature = (experiment=None, *, out, budget=None, threads=None, set=None, resume=false, dummy=false, allow_engines=false))]
#[expect(clippy::too_many_arguments, reason = "all but one are keywords")]
pub fn train(
    py: Python<'_>,
    experiment: Option<&str>,
    out: PathBuf,
    budget: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    set: Option<&Bound<'_, PyDict>>,
    resume: bool,
    dummy: bool,
    allow_engines: bool,
) -> PyResult<Run> {
    let threads = threads.map(|threads| crate::convert::within("threads", threads, 1, 256)).transpose()?;
    let budget = budget.map(|budget| Ok::<_, PyErr>(budget.str()?.to_string())).transpose()?;
    let budget = budget.map(|budget| budget.parse::<StopRule>().map_err(bad)).transpose()?;
    let mut changes = Vec::new();
    for (key, value) in set.into_iter().flatten() {
        // TOML's truth values are in lower case.
        let value = value.str()?.to_string();
        let value = match value.as_str() {
            "True" => "true",
            "False" => "false",
            other => other,
        };
        changes.push(format!("{}={value}", key.str()?));
    }
    let asked = Asked { experiment, out: &out, set: changes, resume, dummy, allow_engines, budget, threads };
    let fresh = Fresh::of(&out);
    let prepared = py.detach(|| asked.prepare());
    let prepared = prepared.inspect_err(|_| fresh.undo()).map_err(bad)?;
    let (sender, receiver) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let thread = std::thread::Builder::new()
        .name("tesuji-train".to_owned())
        .spawn(move || follow(&prepared, &fresh, &flag, &sender))
        .map_err(bad)?;
    Ok(Run {
        path: out,
        stop,
        work: Some(Work { receiver: Mutex::new(receiver), thread: Mutex::new(Some(thread)), failed: Mutex::default() }),
    })
}

/// Works on a run and sends what happens; how it ended comes last.
fn follow(prepared: &Prepared, fresh: &Fresh, stop: &AtomicBool, sender: &Sender<Value>) -> Result<(), String> {
    let Prepared { kit, experiment, root, extent, threads } = prepared;
    // Nobody may listen any more; the run goes on all the same.
    let mut progress = |progress: Progress| drop(sender.send(described(progress)));
    let conditions =
        RunConditions { threads: *threads, extent: *extent, accept_loss: false, stop, progress: &mut progress };
    match work_on(kit.as_ref(), experiment, root, conditions) {
        Ok(ended) => {
            let last = json!({ "event": "end", "generation": ended.generation, "stopped": ended.stopped });
            drop(sender.send(last));
            Ok(())
        }
        Err(error) => {
            fresh.undo();
            Err(error.to_string())
        }
    }
}

/// What is told of a run, as JSON.
fn described(progress: Progress) -> Value {
    let event = |event: Event| serde_json::to_value(event).unwrap_or(Value::Null);
    match progress {
        Progress::Note(text) => json!({ "event": "note", "text": text }),
        Progress::Begin { generation, initial, parameters, flops } => json!({
            "event": "begin", "generation": generation, "initial": initial, "parameters": parameters, "flops": flops,
        }),
        Progress::Playing { generation, games, of, positions_per_second, evaluations_per_second } => json!({
            "event": "playing", "generation": generation, "games": games, "of": of,
            "positions_per_second": positions_per_second, "evaluations_per_second": evaluations_per_second,
        }),
        Progress::Training { generation, step, of, losses } => {
            json!({ "event": "training", "generation": generation, "step": step, "of": of, "losses": losses })
        }
        Progress::Generation(generation) => event(Event::Generation(generation)),
        Progress::Measuring { generation, opponent } => {
            json!({ "event": "measuring", "generation": generation, "opponent": opponent })
        }
        Progress::Strength(strength) => event(Event::Strength(strength)),
    }
}

/// Opens a run on disk, at work or not, to look at.
#[pyfunction]
pub fn open_run(path: PathBuf) -> PyResult<Run> {
    match Experiment::of_run(&path).map_err(bad)? {
        Some(_) => Ok(Run { path, stop: Arc::default(), work: None }),
        None => Err(bad(format!("{}: no run", path.display()))),
    }
}

/// A run that this process works on.
struct Work {
    receiver: Mutex<Receiver<Value>>,
    thread: Mutex<Option<JoinHandle<Result<(), String>>>>,
    /// Why it ended, if it failed.
    failed: Mutex<Option<String>>,
}

impl Work {
    /// The next thing that happens; nothing if the run is over.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Value>> {
        loop {
            let received = py.detach(|| {
                let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.recv_timeout(LOOK)
            });
            match received {
                Ok(value) => return Ok(Some(value)),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let ended = py.detach(|| thread.join());
            let ended = ended.unwrap_or_else(|panic| Err(format!("a bug in Tesuji: {}", words(&*panic))));
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = ended.err();
        }
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(problem) => Err(bad(problem)),
            None => Ok(None),
        }
    }

    fn is_running(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }
}

/// A training run. Iterating over one that was started here follows it: each item is a dict with an "event": "begin",
/// "playing", "training", "generation", "measuring", "strength", "note", and "end" at last.
#[pyclass(module = "tesuji", frozen)]
pub struct Run {
    /// Where it is.
    #[pyo3(get)]
    path: PathBuf,
    stop: Arc<AtomicBool>,
    work: Option<Work>,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[pymethods]
impl Run {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(work) = &self.work else { return Ok(None) };
        work.next(py)?.map(|value| json(py, &value)).transpose()
    }

    /// Asks the run to stop after the write that is under way; `wait` waits for it.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits until the run is over, and raises what went wrong, if something did.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        let Some(work) = &self.work else { return Ok(()) };
        while work.next(py)?.is_some() {}
        Ok(())
    }

    /// Whether this process works on it.
    #[getter]
    fn is_running(&self) -> bool {
        self.work.as_ref().is_some_and(Work::is_running)
    }

    /// What happened, from the run's files: dicts with an "event", "generation" or "strength".
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, read_events(&self.path).map_err(bad)?)
    }

    /// What it cost, from the run's ledger: a dict for each generation and phase.
    fn costs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, read_costs(&self.path).map_err(bad)?)
    }

    /// The events of one kind as a pandas frame, a row each; nested values are columns such as "play.games".
    #[pyo3(signature = (event="generation"))]
    fn to_pandas<'py>(&self, py: Python<'py>, event: &str) -> PyResult<Bound<'py, PyAny>> {
        let kind = |known: &&Event| match known {
            Event::Generation(_) => event == "generation",
            Event::Strength(_) => event == "strength",
        };
        if !["generation", "strength"].contains(&event) {
            return Err(bad(format!("event {event:?}: expected \"generation\" or \"strength\"")));
        }
        let events = read_events(&self.path).map_err(bad)?;
        let events: Vec<&Event> = events.iter().filter(kind).collect();
        py.import("pandas")?.call_method1("json_normalize", (plain(py, events)?,))
    }

    /// The experiment, as TOML.
    fn experiment(&self) -> PyResult<String> {
        let experiment = Experiment::of_run(&self.path).map_err(bad)?;
        experiment.map(|experiment| experiment.to_toml()).ok_or_else(|| bad(format!("{}: no run", self.path.display())))
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// Leaving a `with` block stops the run and waits for it; a run that failed raises in the block or here.
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        self.stop();
        let waited = self.wait(py);
        // An exception of the block is not to be covered by another.
        if kind.is_none() { waited.map(|()| false) } else { Ok(false) }
    }

    fn __repr__(&self) -> String {
        format!("<tesuji.Run {}>", self.path.display())
    }
}
