//! A job: something that takes a while, with its state, its cost and a way to end it.

use serde::Serialize;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A job says at most this often how it is doing.
const INTERVAL: Duration = Duration::from_millis(100);

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Agents think about a position.
    Search,
    /// An agent chooses a move.
    Reply,
    /// A solver says what a position is worth.
    Truth,
    /// Two agents play games.
    Match,
    /// A run goes on.
    Train,
    /// A tabular method learns.
    Learn,
    /// The networks of a run look at a position.
    Opinions,
}

impl Kind {
    /// Whether it ends with the tab that asked for it.
    pub fn is_of_tab(self) -> bool {
        !matches!(self, Kind::Match | Kind::Train)
    }
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for a thread.
    Queued,
    /// It is being done.
    Running,
    /// It is done.
    Done,
    /// Somebody ended it.
    Cancelled,
    /// It could not be done.
    Failed,
}

impl State {
    /// Whether nothing more will come.
    pub fn is_over(self) -> bool {
        matches!(self, State::Done | State::Cancelled | State::Failed)
    }
}

/// What a job has cost, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JobCost {
    /// On the processor, over all its threads.
    pub cpu: f64,
    /// By the clock.
    pub wall: f64,
}

/// What is known of a job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// How far it is.
    pub state: State,
    /// Why it could not be done.
    pub error: Option<String>,
    /// The share that is done, if that can be told.
    pub progress: Option<f64>,
    /// What it has cost.
    pub cost: JobCost,
    /// What it has found so far.
    pub result: Value,
}

/// A job.
pub struct Job {
    /// Its id.
    pub id: String,
    /// What it does.
    pub kind: Kind,
    /// The tab that it ends with.
    pub tab: Option<String>,
    stop: AtomicBool,
    began: Instant,
    inner: Mutex<Inner>,
}

struct Inner {
    status: Status,
    /// Parts that are still to be done.
    parts: usize,
    /// Those of them that a thread works on.
    active: usize,
    /// Whether there is something new since it was last told.
    changed: bool,
    told: Option<Instant>,
}

impl Job {
    /// A job that waits, in so many parts.
    pub fn new(id: String, kind: Kind, tab: Option<String>, parts: usize, result: Value) -> Job {
        let status = Status { state: State::Queued, error: None, progress: None, cost: JobCost::default(), result };
        let inner = Mutex::new(Inner { status, parts, active: 0, changed: true, told: None });
        Job { id, kind, tab, stop: AtomicBool::new(false), began: Instant::now(), inner }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The flag that ends it.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether it has been told to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        self.lock().status.state.is_over()
    }

    /// Whether a thread works on it. Once it has been told to end, no other thread begins.
    pub fn is_active(&self) -> bool {
        self.lock().active > 0
    }

    /// Tells it to end. One that nobody works on is over at once.
    pub fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
        let mut inner = self.lock();
        if inner.active == 0 && !inner.status.state.is_over() {
            inner.status.state = State::Cancelled;
            inner.changed = true;
        }
    }

    /// Ends it because another one stands in for it: it is over at once for whoever asks, and nothing more comes of it. A
    /// thread that works on it still has to notice ([`is_active`](Self::is_active)).
    pub fn replace(&self) {
        self.stop.store(true, Ordering::Relaxed);
        let mut inner = self.lock();
        if !inner.status.state.is_over() {
            inner.status.state = State::Cancelled;
            inner.changed = true;
        }
    }

    /// A thread begins with a part of it, and calls [`finish`](Self::finish) when it is done; `false` if the job is over, or
    /// is to end: then there is nothing to do.
    pub fn begin(&self) -> bool {
        let mut inner = self.lock();
        if inner.status.state.is_over() || self.is_stopped() {
            return false;
        }
        inner.active += 1;
        inner.status.state = State::Running;
        inner.changed = true;
        true
    }

    /// Changes what is known of it.
    pub fn update(&self, change: impl FnOnce(&mut Status)) {
        let mut inner = self.lock();
        change(&mut inner.status);
        inner.status.cost.wall = self.began.elapsed().as_secs_f64();
        inner.changed = true;
    }

    /// A part that was begun is done. With the last one, or with an error, the job is over; one that was told to end is over
    /// when no thread works on it any more.
    pub fn finish(&self, done: Result<(), String>) {
        let mut inner = self.lock();
        inner.parts = inner.parts.saturating_sub(1);
        inner.active = inner.active.saturating_sub(1);
        inner.status.cost.wall = self.began.elapsed().as_secs_f64();
        inner.changed = true;
        if inner.status.state.is_over() {
            return;
        }
        match done {
            Err(error) => {
                inner.status.error = Some(error.replace('\n', " "));
                inner.status.state = State::Failed;
                // What the other parts would find is of no use any more.
                self.stop.store(true, Ordering::Relaxed);
            }
            Ok(()) if self.is_stopped() && inner.active == 0 => inner.status.state = State::Cancelled,
            Ok(()) if inner.parts == 0 => {
                inner.status.state = State::Done;
                inner.status.progress = Some(1.0);
            }
            Ok(()) => {}
        }
    }

    /// What to tell of it now: nothing if nothing is new, or if it has been told a moment ago and is not over.
    pub fn news(&self) -> Option<Value> {
        let mut inner = self.lock();
        let recent = inner.told.is_some_and(|told| told.elapsed() < INTERVAL) && !inner.status.state.is_over();
        if !inner.changed || recent {
            return None;
        }
        inner.changed = false;
        inner.told = Some(Instant::now());
        Some(self.value(&inner.status))
    }

    /// Everything about it.
    pub fn json(&self) -> Value {
        self.value(&self.lock().status)
    }

    fn value(&self, status: &Status) -> Value {
        let mut value = serde_json::to_value(status).unwrap_or_default();
        value["id"] = self.id.clone().into();
        value["kind"] = serde_json::to_value(self.kind).unwrap_or_default();
        value["tab"] = self.tab.clone().into();
        value
    }
}
