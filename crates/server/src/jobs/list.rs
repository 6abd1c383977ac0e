//! All jobs, the threads that do them, and the tabs that they belong to.

use super::job::{Job, Kind};
use super::pool::Pool;
use crate::hub::Hub;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Jobs that are over and are still listed.
const MOST_OVER: usize = 64;
/// Jobs that wait or are being done.
const MOST_OPEN: usize = 512;
/// Matches and runs at a time; others wait.
const LONG_AT_A_TIME: usize = 2;

/// Part of a job.
pub type Part = Box<dyn FnOnce(&Arc<Job>) -> Result<(), String> + Send>;

/// All jobs.
pub struct Jobs {
    known: Mutex<BTreeMap<u64, Arc<Job>>>,
    next: AtomicU64,
    /// Sets the ids of this start of the server apart from those of the one before.
    start: u32,
    quick: Pool,
    long: Pool,
    hub: Arc<Hub>,
}

impl Jobs {
    /// None yet; `threads` search at a time.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn new(hub: Arc<Hub>, threads: usize, start: u32) -> std::io::Result<Jobs> {
        Ok(Jobs {
            known: Mutex::default(),
            next: AtomicU64::new(1),
            start,
            quick: Pool::new("search", threads)?,
            long: Pool::new("long", LONG_AT_A_TIME)?,
            hub,
        })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Job>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a job of one or several parts. One of a tab ends the one before it there.
    ///
    /// # Errors
    /// If there are too many jobs, or the tab has no stream of events; in one line.
    pub fn start(&self, kind: Kind, tab: Option<&str>, result: Value, parts: Vec<Part>) -> Result<Arc<Job>, String> {
        let tab = tab.filter(|_| kind.is_of_tab());
        if let Some(tab) = tab.filter(|tab| !self.hub.is_open(tab)) {
            return Err(format!("no tab {tab:?}: open GET /api/events?tab={tab} first"));
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("j{:08x}{number}", self.start);
        let job = Arc::new(Job::new(id, kind, tab.map(str::to_owned), parts.len(), result));
        {
            let mut known = self.lock();
            let open = known.values().filter(|job| !job.is_over()).count();
            if open >= MOST_OPEN {
                return Err("too many jobs wait; end some of them".to_owned());
            }
            if kind.is_of_tab() {
                // Scripts, which have no tab, are one tab together.
                let before = known.values().filter(|other| other.kind.is_of_tab() && other.tab == job.tab);
                before.for_each(|other| other.cancel());
            }
            let over: Vec<u64> = known.iter().filter(|(_, job)| job.is_over()).map(|(number, _)| *number).collect();
            for number in over.iter().take(over.len().saturating_sub(MOST_OVER)) {
                known.remove(number);
            }
            known.insert(number, Arc::clone(&job));
        }
        self.tell();
        let pool = if kind.is_of_tab() { &self.quick } else { &self.long };
        for part in parts {
            let job = Arc::clone(&job);
            pool.add(move || {
                if job.begin() {
                    let guard = Unfinished(&job);
                    let done = part(&job);
                    std::mem::forget(guard);
                    job.finish(done);
                } else {
                    job.finish(Ok(()));
                }
            });
        }
        Ok(job)
    }

    /// The job of an id.
    pub fn find(&self, id: &str) -> Option<Arc<Job>> {
        self.lock().values().find(|job| job.id == id).cloned()
    }

    /// All of them, the latest first; with a tab, those that it may see.
    pub fn list(&self, tab: Option<&str>) -> Vec<Value> {
        let known = self.lock();
        let seen = known.values().rev().filter(|job| tab.is_none() || job.tab.is_none() || job.tab.as_deref() == tab);
        seen.map(|job| job.json()).collect()
    }

    /// How many searches wait or are being done.
    pub fn open_searches(&self) -> usize {
        self.lock().values().filter(|job| job.kind.is_of_tab() && !job.is_over()).count()
    }

    /// Whether no job is being done or waits.
    pub fn is_idle(&self) -> bool {
        self.lock().values().all(|job| job.is_over())
    }

    /// Tells tabs what is new.
    pub fn tell(&self) {
        let jobs: Vec<Arc<Job>> = self.lock().values().cloned().collect();
        for job in jobs {
            if let Some(news) = job.news() {
                self.hub.publish(job.tab.as_deref(), "job", &job.id, &news);
            }
        }
    }

    /// Ends the searches of tabs that are gone.
    pub fn reap(&self) {
        let gone = self.hub.gone();
        let known = self.lock();
        let orphans = known.values().filter(|job| job.tab.as_ref().is_some_and(|tab| gone.contains(tab)));
        orphans.filter(|job| !job.is_stopped() && !job.is_over()).for_each(|job| job.cancel());
    }

    /// Ends all of them.
    pub fn cancel_all(&self) {
        self.lock().values().for_each(|job| job.cancel());
    }
}

/// Says of a part that panicked that it failed.
struct Unfinished<'a>(&'a Job);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.0.finish(Err("a fault of the program; please report it".to_owned()));
    }
}
