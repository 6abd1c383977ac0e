//! What tests of runs share.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tesuji_core::Rules;
use tesuji_learn::run::{Progress, RunConditions, RunError, StopRule};
use tesuji_learn::train::{Ended, train};
use tesuji_learn::{Experiment, GameKit};

/// What is compiled for this game. Nothing is compiled again for these tests.
pub fn kit_of(game: &str) -> Arc<dyn GameKit> {
    tesuji_registry::kit(game, Rules::Official).unwrap()
}

/// Works on a run; stops it after so many reports of progress.
pub fn work(
    kit: &Arc<dyn GameKit>,
    experiment: &Experiment,
    root: &Path,
    threads: usize,
    generations: u64,
    patience: usize,
) -> Result<(Ended, Vec<String>), RunError> {
    let stop = AtomicBool::new(false);
    let (mut seen, mut notes) = (0, Vec::new());
    let mut progress = |progress: Progress| {
        seen += 1;
        if seen >= patience {
            stop.store(true, Ordering::Relaxed);
        }
        if let Progress::Note(note) = progress {
            notes.push(note);
        }
    };
    let extent = StopRule::Generations(generations);
    let conditions = RunConditions { threads, extent, accept_loss: false, stop: &stop, progress: &mut progress };
    let ended = train(kit.as_ref(), experiment, root, conditions)?;
    Ok((ended, notes))
}

pub fn whole(kit: &Arc<dyn GameKit>, experiment: &Experiment, root: &Path, threads: usize, generations: u64) -> Ended {
    work(kit, experiment, root, threads, generations, usize::MAX).unwrap().0
}

/// Every file of a run that must repeat, by name.
pub fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for directory in ["", "records", "networks"] {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            // Costs differ every time, and the report shows them.
            if path.is_file() && name != "costs.jsonl" && name != "report.html" {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

pub fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (files(a), files(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(*bytes == b[name], "{name} differs");
    }
}
