//! The event streams of open tabs: what happened, with numbers, so that a stream that broke off goes on where it was.
//!
//! Every event says all about its subject, so of each subject only the latest is kept, and of all subjects the latest few:
//! a tab that comes back gets what it missed, and memory does not grow with time. One that missed more than is kept gets
//! a snapshot instead.

use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long a tab may be without a stream before its searches end: a stream that breaks off comes back sooner.
pub const GRACE: Duration = Duration::from_millis(500);
/// How long a tab's events are kept without a stream.
const FORGET: Duration = Duration::from_secs(60);
/// More tabs than anybody has open.
const MOST_TABS: usize = 256;
/// The most events that are kept for a tab: its search, a few before it, matches and runs.
const MOST_KEPT: usize = 32;
/// The most bytes of events that are kept for a tab, beside the latest event.
const MOST_BYTES: usize = 1 << 20;

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its number in its tab.
    pub id: u64,
    /// What it is about.
    pub subject: String,
    /// Its kind: `job`, `run`.
    pub name: &'static str,
    /// What it says.
    pub data: Arc<str>,
}

struct Tab {
    next: u64,
    kept: Vec<Event>,
    /// The number of the latest event that is not kept any more, though no later one of its subject is.
    dropped: u64,
    /// Changes with every event.
    wake: watch::Sender<u64>,
    streams: usize,
    closed: Instant,
}

impl Tab {
    /// Drops the oldest events until one of so many bytes can be kept too.
    fn make_room(&mut self, bytes: usize) {
        let mut all = bytes + self.kept.iter().map(|event| event.data.len()).sum::<usize>();
        let mut count = 0;
        while count < self.kept.len() && (self.kept.len() - count >= MOST_KEPT || all > MOST_BYTES) {
            all -= self.kept[count].data.len();
            self.dropped = self.kept[count].id;
            count += 1;
        }
        self.kept.drain(..count);
    }
}

/// All tabs.
#[derive(Default)]
pub struct Hub {
    tabs: Mutex<HashMap<String, Tab>>,
}

/// Whether a text can name a tab.
pub fn is_tab(text: &str) -> bool {
    (8..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Tab>> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a stream of a tab; `None` if there are too many tabs.
    pub fn open(self: &Arc<Hub>, tab: &str) -> Option<Stream> {
        let mut tabs = self.lock();
        if !tabs.contains_key(tab) && tabs.len() >= MOST_TABS {
            return None;
        }
        let entry = tabs.entry(tab.to_owned()).or_insert_with(|| Tab {
            next: 1,
            kept: Vec::new(),
            dropped: 0,
            wake: watch::Sender::new(0),
            streams: 0,
            closed: Instant::now(),
        });
        entry.streams += 1;
        let wake = entry.wake.subscribe();
        Some(Stream { hub: Arc::clone(self), tab: tab.to_owned(), wake })
    }

    /// Whether the tab has a stream, or had one a moment ago.
    pub fn is_open(&self, tab: &str) -> bool {
        self.lock().get(tab).is_some_and(|tab| tab.streams > 0 || tab.closed.elapsed() < GRACE)
    }

    /// How many streams are open.
    pub fn streams(&self) -> usize {
        self.lock().values().map(|tab| tab.streams).sum()
    }

    /// Tells a tab, or all tabs.
    pub fn publish(&self, tab: Option<&str>, name: &'static str, subject: &str, data: &Value) {
        let data: Arc<str> = data.to_string().into();
        for (_, open) in self.lock().iter_mut().filter(|(known, _)| tab.is_none_or(|tab| tab == *known)) {
            open.kept.retain(|event| event.subject != subject);
            open.make_room(data.len());
            open.kept.push(Event { id: open.next, subject: subject.to_owned(), name, data: Arc::clone(&data) });
            open.next += 1;
            open.wake.send_modify(|version| *version += 1);
        }
    }

    /// Wakes every stream, so that it looks whether the server ends.
    pub fn wake_all(&self) {
        for tab in self.lock().values() {
            tab.wake.send_modify(|version| *version += 1);
        }
    }

    /// The tabs that have been without a stream for [`GRACE`]; forgets those that have been so for long.
    pub fn gone(&self) -> Vec<String> {
        let mut tabs = self.lock();
        tabs.retain(|_, tab| tab.streams > 0 || tab.closed.elapsed() < FORGET);
        let gone = tabs.iter().filter(|(_, tab)| tab.streams == 0 && tab.closed.elapsed() >= GRACE);
        gone.map(|(name, _)| name.clone()).collect()
    }
}

/// A stream of a tab's events; closing it is dropping it.
pub struct Stream {
    hub: Arc<Hub>,
    tab: String,
    wake: watch::Receiver<u64>,
}

impl Stream {
    /// The number of the latest event.
    pub fn latest(&self) -> u64 {
        self.hub.lock().get(&self.tab).map_or(0, |tab| tab.next - 1)
    }

    /// Whether everything behind this number can still be told.
    pub fn can_resume(&self, id: u64) -> bool {
        self.hub.lock().get(&self.tab).is_some_and(|tab| id > 0 && id < tab.next && id >= tab.dropped)
    }

    /// The first event behind this number, if it is there already.
    pub fn after(&mut self, id: u64) -> Option<Event> {
        self.wake.borrow_and_update();
        let tabs = self.hub.lock();
        tabs.get(&self.tab)?.kept.iter().find(|event| event.id > id).cloned()
    }

    /// Waits until something may have happened.
    pub async fn wait(&mut self) {
        // An error means that the tab is gone, which it is not while this stream is open.
        let _ = self.wake.changed().await;
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(tab) = self.hub.lock().get_mut(&self.tab) {
            tab.streams = tab.streams.saturating_sub(1);
            tab.closed = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tab_keeps_little_however_much_happens() {
        let hub = Arc::new(Hub::default());
        let mut stream = hub.open("tab-12345").unwrap();
        for number in 0..10 * MOST_KEPT {
            hub.publish(Some("tab-12345"), "job", &format!("j{number}"), &json!({ "number": number }));
        }
        let latest = 10 * MOST_KEPT as u64;
        assert_eq!((stream.latest(), hub.lock()["tab-12345"].kept.len()), (latest, MOST_KEPT));
        // Who has seen all that was dropped goes on; who has not starts anew.
        let dropped = latest - MOST_KEPT as u64;
        assert!(stream.can_resume(dropped) && stream.can_resume(latest));
        assert!(!stream.can_resume(dropped - 1) && !stream.can_resume(latest + 1) && !stream.can_resume(0));
        assert_eq!(stream.after(dropped).map(|event| event.id), Some(dropped + 1));
        // The latest event is kept whatever its size, and leaves room for nothing else if it is large.
        hub.publish(Some("tab-12345"), "job", "large", &json!("x".repeat(2 * MOST_BYTES)));
        assert_eq!(hub.lock()["tab-12345"].kept.len(), 1);
        // One subject drops nothing.
        for _ in 0..10 * MOST_KEPT {
            hub.publish(Some("tab-12345"), "job", "large", &json!(1));
        }
        assert!(stream.can_resume(latest + 1) && hub.lock()["tab-12345"].kept.len() == 1);
    }
}
