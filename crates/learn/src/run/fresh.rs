//! A start that fails leaves nothing behind: a directory with half a run would refuse the next try.

use super::layout::network_generations;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// How a run's directory was before a start.
#[derive(Debug)]
pub struct Fresh {
    root: PathBuf,
    before: Before,
}

#[derive(Debug, PartialEq, Eq)]
enum Before {
    Missing,
    Empty,
    /// Something is in it: nothing of it is ever removed.
    Used,
}

impl Fresh {
    /// Notes how a directory is now.
    pub fn of(root: &Path) -> Fresh {
        let before = match fs::read_dir(root).map(Iterator::count) {
            Ok(0) => Before::Empty,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Before::Missing,
            _ => Before::Used,
        };
        Fresh { root: root.to_owned(), before }
    }

    /// Makes the directory as it was, after a start that failed: if there was nothing in it, no game has been played and
    /// nobody else works on it.
    pub fn undo(&self) {
        if self.before == Before::Used || self.has_begun() || self.is_locked() {
            return;
        }
        // The failure itself is what is reported.
        let _ = fs::remove_dir_all(&self.root);
        if self.before == Before::Empty {
            let _ = fs::create_dir(&self.root);
        }
    }

    fn has_begun(&self) -> bool {
        let has_records = fs::read_dir(self.root.join("records")).is_ok_and(|mut entries| entries.next().is_some());
        let trained = network_generations(&self.root).is_ok_and(|generations| generations.iter().any(|&g| g > 0));
        has_records || trained
    }

    fn is_locked(&self) -> bool {
        let lock = File::open(self.root.join("lock"));
        lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_not_there_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("run");
        let begin = || {
            fs::create_dir_all(root.join("networks")).unwrap();
            fs::write(root.join("experiment.toml"), "x").unwrap();
        };
        let fresh = Fresh::of(&root);
        begin();
        // Another process has come in between.
        let lock = File::create(root.join("lock")).unwrap();
        lock.lock().unwrap();
        fresh.undo();
        assert!(root.exists());
        drop(lock);
        fresh.undo();
        assert!(!root.exists());

        fs::create_dir(&root).unwrap();
        let fresh = Fresh::of(&root);
        begin();
        fresh.undo();
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0);

        begin();
        fs::create_dir(root.join("records")).unwrap();
        fs::write(root.join("records/000001-0000.tsjr"), "x").unwrap();
        fresh.undo();
        assert!(root.join("experiment.toml").exists(), "games have been played");
        Fresh::of(&root).undo();
        assert!(root.join("experiment.toml").exists(), "it was there before");
    }
}
