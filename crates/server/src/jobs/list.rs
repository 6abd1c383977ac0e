//! All jobs, the threads that do them, and the tabs that they belong to.
//!
//! A tab has one search: the next one begins when no thread works on the one before any more.

use super::job::{Job, Kind};
use super::pool::Pool;
use crate::hub::Hub;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

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
    shared: Arc<Shared>,
    next: AtomicU64,
    /// Sets the ids of this start of the server apart from those of the one before.
    start: u32,
    long: Pool,
    hub: Arc<Hub>,
}

/// What the threads see too.
struct Shared {
    known: Mutex<Known>,
    quick: Pool,
}

#[derive(Default)]
struct Known {
    /// By number, which is the order in which they were asked for.
    all: BTreeMap<u64, Arc<Job>>,
    /// At most one for each tab: it begins when the one before it has ended.
    held: Vec<(Arc<Job>, Vec<Part>)>,
}

impl Known {
    /// The searches of a tab. Scripts, which have no tab, are one tab together.
    fn of_tab<'a>(&'a self, tab: &'a Option<String>) -> impl Iterator<Item = &'a Arc<Job>> {
        self.all.values().filter(move |job| job.kind.is_of_tab() && job.tab == *tab)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the parts of a job to the threads.
    fn add(self: &Arc<Shared>, pool: &Pool, job: &Arc<Job>, parts: Vec<Part>) {
        for part in parts {
            let (job, shared) = (Arc::clone(job), Arc::downgrade(self));
            pool.add(move || {
                if job.begin() {
                    let mut work = Work { job: &job, shared, done: None };
                    work.done = Some(part(&job));
                }
            });
        }
    }

    /// Begins what a tab asked for last, if no thread works on what it asked for before.
    fn release(self: &Arc<Shared>, tab: &Option<String>) {
        let mut known = self.lock();
        if known.of_tab(tab).any(|job| job.is_active()) {
            return;
        }
        if let Some(at) = known.held.iter().position(|(job, _)| job.tab == *tab) {
            let (job, parts) = known.held.swap_remove(at);
            self.add(&self.quick, &job, parts);
        }
    }
}

impl Jobs {
    /// None yet; `threads` search at a time.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn new(hub: Arc<Hub>, threads: usize, start: u32) -> std::io::Result<Jobs> {
        let shared = Shared { known: Mutex::default(), quick: Pool::new("search", threads)? };
        Ok(Jobs {
            shared: Arc::new(shared),
            next: AtomicU64::new(1),
            start,
            long: Pool::new("long", LONG_AT_A_TIME)?,
            hub,
        })
    }

    /// Begins a job of one or several parts. One of a tab ends the one before it there, and begins when that has ended.
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
            let mut known = self.shared.lock();
            let open = known.all.values().filter(|job| !job.is_over()).count();
            if open >= MOST_OPEN {
                return Err("too many jobs wait; end some of them".to_owned());
            }
            let over = known.all.iter().filter(|(_, job)| job.is_over() && !job.is_active());
            let over: Vec<u64> = over.map(|(number, _)| *number).collect();
            for number in over.iter().take(over.len().saturating_sub(MOST_OVER)) {
                known.all.remove(number);
            }
            if kind.is_of_tab() {
                known.of_tab(&job.tab).for_each(|other| other.replace());
                known.held.retain(|(other, _)| other.tab != job.tab);
                if known.of_tab(&job.tab).any(|other| other.is_active()) {
                    known.held.push((Arc::clone(&job), parts));
                } else {
                    self.shared.add(&self.shared.quick, &job, parts);
                }
            } else {
                self.shared.add(&self.long, &job, parts);
            }
            known.all.insert(number, Arc::clone(&job));
        }
        self.tell();
        Ok(job)
    }

    /// The job of an id.
    pub fn find(&self, id: &str) -> Option<Arc<Job>> {
        self.shared.lock().all.values().find(|job| job.id == id).cloned()
    }

    /// All of them, the latest first; with a tab, those that it may see.
    pub fn list(&self, tab: Option<&str>) -> Vec<Value> {
        let known = self.shared.lock();
        let seen =
            known.all.values().rev().filter(|job| tab.is_none() || job.tab.is_none() || job.tab.as_deref() == tab);
        seen.map(|job| job.json()).collect()
    }

    /// How many searches wait or are being done, without those that were replaced.
    pub fn open_searches(&self) -> usize {
        self.shared.lock().all.values().filter(|job| job.kind.is_of_tab() && !job.is_over()).count()
    }

    /// Whether no job is being done or waits.
    pub fn is_idle(&self) -> bool {
        self.shared.lock().all.values().all(|job| job.is_over() && !job.is_active())
    }

    /// Tells tabs what is new.
    pub fn tell(&self) {
        let jobs: Vec<Arc<Job>> = self.shared.lock().all.values().cloned().collect();
        for job in jobs {
            if let Some(news) = job.news() {
                self.hub.publish(job.tab.as_deref(), "job", &job.id, &news);
            }
        }
    }

    /// Ends the searches of tabs that are gone.
    pub fn reap(&self) {
        let gone = self.hub.gone();
        let mut known = self.shared.lock();
        let orphans = known.all.values().filter(|job| job.tab.as_ref().is_some_and(|tab| gone.contains(tab)));
        orphans.filter(|job| !job.is_stopped() && !job.is_over()).for_each(|job| job.cancel());
        known.held.retain(|(job, _)| !job.is_over());
    }

    /// Ends all of them.
    pub fn cancel_all(&self) {
        self.shared.lock().all.values().for_each(|job| job.cancel());
    }
}

/// A part at work: says how it ended, also if it panicked, and lets the tab's next search begin.
struct Work<'a> {
    job: &'a Job,
    shared: Weak<Shared>,
    done: Option<Result<(), String>>,
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        let fault = || Err("a fault of the program; please report it".to_owned());
        self.job.finish(self.done.take().unwrap_or_else(fault));
        // A server that is gone has nothing more to do.
        if let Some(shared) = self.shared.upgrade().filter(|_| self.job.kind.is_of_tab()) {
            shared.release(&self.job.tab);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::State;
    use std::sync::atomic::AtomicUsize;
    use std::time::{Duration, Instant};

    const TAB: &str = "tab-12345";

    fn until(what: &str, holds: impl Fn() -> bool) {
        let began = Instant::now();
        while !holds() {
            assert!(began.elapsed() < Duration::from_secs(20), "{what}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Searches that take their time to end, in two parts each, asked for faster than they end.
    #[test]
    fn a_tab_never_has_two_searches_at_work() {
        let hub = Arc::new(Hub::default());
        let _stream = hub.open(TAB).unwrap();
        let jobs = Jobs::new(hub, 4, 1).unwrap();
        // Which job is at work: two parts of the same one may be, two jobs may not.
        let at_work: Arc<Mutex<Vec<usize>>> = Arc::default();
        let (mixed, begun) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut last = None;
        for number in 0..60 {
            let part = || -> Part {
                let (at_work, mixed, begun) = (Arc::clone(&at_work), Arc::clone(&mixed), Arc::clone(&begun));
                Box::new(move |job| {
                    begun.fetch_add(1, Ordering::Relaxed);
                    {
                        let mut at_work = at_work.lock().unwrap();
                        at_work.push(number);
                        mixed.fetch_add(usize::from(at_work.iter().any(|&other| other != number)), Ordering::Relaxed);
                    }
                    until("it is told to end", || job.is_stopped());
                    std::thread::sleep(Duration::from_millis(5));
                    let mut at_work = at_work.lock().unwrap();
                    let at = at_work.iter().position(|&other| other == number).unwrap();
                    at_work.swap_remove(at);
                    Ok(())
                })
            };
            let job = jobs.start(Kind::Search, Some(TAB), Value::Null, vec![part(), part()]).unwrap();
            assert_eq!(jobs.open_searches(), 1, "the others are over as soon as this one is there");
            std::thread::sleep(Duration::from_millis(number as u64 % 4));
            last = Some(job);
        }
        let last = last.unwrap();
        until("the last one begins", || last.is_active());
        assert_eq!((mixed.load(Ordering::Relaxed), jobs.open_searches()), (0, 1));
        assert!(begun.load(Ordering::Relaxed) > 4, "some of them began");
        last.cancel();
        until("it ends", || jobs.is_idle());
        assert!(at_work.lock().unwrap().is_empty());
    }

    /// A part that panics ends its job, and the next search begins all the same.
    #[test]
    fn a_fault_does_not_hold_up_the_next_search() {
        let hub = Arc::new(Hub::default());
        let _stream = hub.open(TAB).unwrap();
        let jobs = Jobs::new(hub, 2, 1).unwrap();
        let fails: Part = Box::new(|job| {
            until("it is told to end", || job.is_stopped());
            panic!("on purpose")
        });
        let first = jobs.start(Kind::Search, Some(TAB), Value::Null, vec![fails]).unwrap();
        until("it begins", || first.is_active());
        let second = jobs.start(Kind::Search, Some(TAB), Value::Null, vec![Box::new(|_| Ok(()))]).unwrap();
        until("both are over", || first.is_over() && second.is_over());
        assert_eq!(first.json()["state"], serde_json::json!(State::Cancelled), "it was replaced before it failed");
        assert_eq!(second.json()["state"], serde_json::json!(State::Done));
    }
}
