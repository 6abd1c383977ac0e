//! Runs whose files were damaged, exchanged, emptied or removed: they end as they would have, or say what to do.

use crate::common::{files, kit_of, whole, work};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tesuji_core::GameRecord;
use tesuji_learn::run::{self, Progress, RunConditions, RunDir, StopRule};
use tesuji_learn::train::train;
use tesuji_learn::{Experiment, GameKit};

const TINY: &str = r#"
game = "tictactoe"
[network]
blocks = 1
filters = 8
policy_filters = 2
value_filters = 2
value_hidden = [8]
[selfplay]
games = 40
simulations = 8
in_flight = 8
temperature_plies = 4
[training]
batch = 16
steps = 6
window_positions = 450
# Matches at the end of a start would depend on where it ended.
[measure]
every = 2
games = 2
final_games = 0
simulations = 4
opponents = ["random"]
"#;

/// Deep Q-learning whose games are played between training steps: they cannot be played again by one network.
const INTERLEAVED: &str = r#"
game = "tictactoe"
[network]
kind = "dqn"
hidden = [16]
[selfplay]
games = 40
[training]
batch = 8
optimiser = { adam = { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } }
schedule = { constant = { rate = 0.001 } }
[method]
kind = "dqn"
replay = 400
priority = 0.6
train_every = 4
[measure]
final_games = 0
"#;

fn kit() -> Arc<dyn GameKit> {
    kit_of("tictactoe")
}

fn tiny(networks_every: u64) -> Experiment {
    let mut experiment = Experiment::from_toml(TINY).unwrap();
    experiment.keep.networks_every = networks_every;
    experiment
}

/// A directory with all files of another.
fn copy(from: &Path, to: &Path) -> PathBuf {
    for (name, bytes) in files(from) {
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    fs::copy(from.join("costs.jsonl"), to.join("costs.jsonl")).unwrap();
    to.to_owned()
}

fn put(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap();
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x81;
    fs::write(path, bytes).unwrap();
}

/// Everything that must repeat; what was set aside does not.
fn result(root: &Path) -> Vec<(String, Vec<u8>)> {
    files(root).into_iter().filter(|(name, _)| !name.ends_with(".damaged")).collect()
}

#[track_caller]
fn assert_result(root: &Path, expected: &[(String, Vec<u8>)], what: &str) {
    let found = result(root);
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&found), names(expected), "{what}");
    for ((name, bytes), (_, expected)) in found.iter().zip(expected) {
        assert!(bytes == expected, "{what}: {name} differs");
    }
}

/// A run of three generations, its files after a fourth, and one of another seed.
struct Runs {
    directory: tempfile::TempDir,
    experiment: Experiment,
    finished: Vec<(String, Vec<u8>)>,
}

impl Runs {
    fn new(experiment: Experiment) -> Runs {
        let directory = tempfile::tempdir().unwrap();
        let three = directory.path().join("three");
        whole(&kit(), &experiment, &three, 2, 3);
        let four = copy(&three, &directory.path().join("four"));
        whole(&kit(), &experiment, &four, 2, 4);
        let finished = result(&four);
        let other = Experiment { seed: 7, ..experiment.clone() };
        whole(&kit(), &other, &directory.path().join("other"), 2, 3);
        Runs { directory, experiment, finished }
    }

    fn other(&self, name: &str) -> PathBuf {
        self.directory.path().join("other").join(name)
    }

    /// A copy of the run with something wrong.
    fn tampered(&self, number: usize, tamper: &dyn Fn(&Path)) -> PathBuf {
        let root = self.directory.path().join(format!("tampered-{number}"));
        copy(&self.directory.path().join("three"), &root);
        tamper(&root);
        root
    }
}

/// What is done to a run, in words and in deed.
type Tamper<'a> = (String, Box<dyn Fn(&Path) + 'a>);

#[test]
fn whatever_can_be_had_again_is() {
    let runs = Runs::new(tiny(1));
    let empty = |name: &'static str| move |root: &Path| fs::write(root.join(name), "").unwrap();
    let remove = |name: &'static str| move |root: &Path| fs::remove_file(root.join(name)).unwrap();
    let damage = |name: &'static str| move |root: &Path| flip(&root.join(name));
    let exchange = |name: &'static str| {
        let other = runs.other(name);
        move |root: &Path| put(&other, &root.join(name))
    };
    let swap = |name: &'static str, by: &'static str| move |root: &Path| put(&root.join(by), &root.join(name));
    let mut tampers: Vec<Tamper<'_>> = Vec::new();
    for name in [
        "events.jsonl",
        "events.copy.jsonl",
        "run.json",
        "experiment.toml",
        "manifest.json",
        "networks/000003.safetensors",
        "networks/000001.safetensors",
        "networks/000000.safetensors",
        "records/000003-0001.tsjr",
        "records/000002-0000.tsjr",
    ] {
        tampers.push((format!("{name} emptied"), Box::new(empty(name))));
        tampers.push((format!("{name} removed"), Box::new(remove(name))));
        tampers.push((format!("{name} damaged"), Box::new(damage(name))));
        // Nothing else says that a manifest is not the run's.
        if name != "manifest.json" {
            tampers.push((format!("{name} of another run"), Box::new(exchange(name))));
        }
    }
    let (newest, before) = ("networks/000003.safetensors", "networks/000002.safetensors");
    tampers.push(("network 2 in place of 3".to_owned(), Box::new(swap(newest, before))));
    let (newest, before) = ("records/000003-0000.tsjr", "records/000002-0000.tsjr");
    tampers.push(("records 2 in place of 3".to_owned(), Box::new(swap(newest, before))));
    tampers.push(("costs damaged".to_owned(), Box::new(damage("costs.jsonl"))));
    tampers.push((
        "a part that is not the run's".to_owned(),
        Box::new(|root: &Path| {
            put(&root.join("records/000003-0000.tsjr"), &root.join("records/000004-0000.tsjr"));
        }),
    ));
    tampers.push((
        "a part of equal length whose records are valid".to_owned(),
        Box::new(|root: &Path| {
            let path = root.join("records/000003-0000.tsjr");
            let before = fs::read(&path).unwrap();
            let (mut records, read) = GameRecord::read_all(&before);
            read.unwrap();
            records.swap(0, 1);
            let after: Vec<u8> = records.iter().flat_map(GameRecord::to_bytes).collect();
            assert!(after.len() == before.len() && after != before);
            fs::write(path, after).unwrap();
        }),
    ));
    for (number, (what, tamper)) in tampers.iter().enumerate() {
        let root = runs.tampered(number, tamper);
        let worked = work(&kit(), &runs.experiment, &root, 2, 4, usize::MAX);
        let (_, notes) = worked.unwrap_or_else(|error| panic!("{what}: {error}"));
        // All runs are made with the same program; a copy is made in silence; and a run whose newest network is not
        // there was killed before it was written.
        let silent = ["run.json of another run", "networks/000003.safetensors removed"].contains(&what.as_str());
        let silent = silent || what.starts_with("events.copy");
        assert!(silent || !notes.is_empty(), "{what}: in silence");
        // What is only kept for play cannot be had again.
        let lost = what.split(' ').next().filter(|name| name.ends_with("1.safetensors"));
        let expected = runs.finished.iter().filter(|(name, _)| lost != Some(name)).cloned();
        assert_result(&root, &expected.collect::<Vec<_>>(), what);
    }
}

#[test]
fn what_cannot_be_had_again_is_refused_with_the_way_out() {
    // Network 1, which played the games of generation 2, is not kept.
    let runs = Runs::new(tiny(0));
    let root = runs.tampered(0, &|root| flip(&root.join("records/000002-0000.tsjr")));
    for _ in 0..2 {
        let error = work(&kit(), &runs.experiment, &root, 2, 4, usize::MAX).unwrap_err().to_string();
        assert!(error.contains("records/000002-0000.tsjr") && error.contains("--accept-loss"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
    fs::copy(runs.directory.path().join("three/records/000002-0000.tsjr"), root.join("records/000002-0000.tsjr"))
        .unwrap();
    whole(&kit(), &runs.experiment, &root, 2, 4);
    assert_result(&root, &runs.finished, "put back");

    // Or the run goes on without them, and says so.
    let root = runs.tampered(2, &|root| fs::remove_file(root.join("records/000002-0001.tsjr")).unwrap());
    let (stop, mut notes) = (AtomicBool::new(false), Vec::new());
    let mut progress = |progress| notes.extend(if let Progress::Note(note) = progress { Some(note) } else { None });
    let extent = StopRule::Generations(4);
    let conditions = RunConditions { threads: 1, extent, accept_loss: true, stop: &stop, progress: &mut progress };
    assert_eq!(train(kit().as_ref(), &runs.experiment, &root, conditions).unwrap().generation, 4);
    assert!(notes.iter().any(|note| note.contains("records/000002-0001.tsjr is lost")), "{notes:?}");
    assert_ne!(result(&root), runs.finished);

    let root = runs.tampered(1, &|root| {
        fs::write(root.join("events.jsonl"), "").unwrap();
        fs::remove_file(root.join("events.copy.jsonl")).unwrap();
    });
    let error = work(&kit(), &runs.experiment, &root, 2, 4, usize::MAX).unwrap_err().to_string();
    assert!(error.contains("events.jsonl") && error.contains("put a copy of it back"), "{error}");
    // Nothing has been touched for that.
    assert!(root.join("records/000003-0001.tsjr").exists());
}

/// A run of before there were manifests.
fn make_old(root: &Path) {
    fs::remove_file(root.join("manifest.json")).unwrap();
    fs::remove_file(root.join("events.copy.jsonl")).unwrap();
    let info = fs::read_to_string(root.join("run.json")).unwrap();
    fs::write(root.join("run.json"), info.replace("\"format\": 4", "\"format\": 2")).unwrap();
}

#[test]
fn an_older_run_opens_and_gets_a_manifest() {
    let runs = Runs::new(tiny(1));
    let root = runs.tampered(0, &make_old);
    whole(&kit(), &runs.experiment, &root, 2, 4);
    assert_result(&root, &runs.finished, "older");
    for (number, name) in [(1, "run.json"), (2, "events.jsonl")] {
        let root = runs.tampered(number, &|root| {
            make_old(root);
            fs::write(root.join(name), "").unwrap();
        });
        let error = work(&kit(), &runs.experiment, &root, 2, 4, usize::MAX).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("put a copy of it back"), "{error}");
    }
    let root = runs.tampered(3, &|root| {
        make_old(root);
        flip(&root.join("records/000003-0000.tsjr"));
    });
    whole(&kit(), &runs.experiment, &root, 2, 4);
    assert_result(&root, &runs.finished, "an older run's damaged record");
}

/// Format 3 had a manifest with sums of another kind.
#[test]
fn a_run_of_the_format_before_gets_a_new_manifest() {
    let runs = Runs::new(tiny(1));
    let root = runs.tampered(0, &|root| {
        fs::write(root.join("manifest.json"), "{\"crc32\":1,\"manifest\":{\"networks\":{\"3\":[5,6]}}}").unwrap();
        let info = fs::read_to_string(root.join("run.json")).unwrap();
        fs::write(root.join("run.json"), info.replace("\"format\": 4", "\"format\": 3")).unwrap();
    });
    let (_, notes) = work(&kit(), &runs.experiment, &root, 2, 4, usize::MAX).unwrap();
    assert!(notes.iter().any(|note| note.contains("an older run")), "{notes:?}");
    assert_result(&root, &runs.finished, "format 3");
    assert!(!root.join("manifest.json.damaged").exists());
}

#[test]
fn games_between_training_steps_are_made_again_with_their_generation() {
    let runs = Runs::new(Experiment::from_toml(INTERLEAVED).unwrap());
    let root = runs.tampered(0, &|root| flip(&root.join("records/000003-0000.tsjr")));
    let error = work(&kit(), &runs.experiment, &root, 2, 4, usize::MAX).unwrap_err().to_string();
    assert!(error.contains("remove networks/000003.safetensors"), "{error}");
    fs::remove_file(root.join("networks/000003.safetensors")).unwrap();
    whole(&kit(), &runs.experiment, &root, 2, 4);
    assert_result(&root, &runs.finished, "interleaved");
}

/// The manifest is written first; killed in between, a run has a manifest of files that are not there yet.
#[test]
fn a_run_that_was_killed_between_any_two_files_goes_on() {
    let mut experiment = tiny(1);
    experiment.measure.every = 0;
    let runs = Runs::new(experiment);
    let ahead = runs.directory.path().join("four");
    // In the order in which they are written.
    let written = ["manifest.json", "events.jsonl", "events.copy.jsonl", "networks/000004.safetensors"];
    for (number, records) in [false, true].into_iter().enumerate() {
        for count in 1..=written.len() {
            let root = runs.tampered(10 * number + count, &|root| {
                written[..count].iter().for_each(|name| put(&ahead.join(name), &root.join(name)));
                if records || count == written.len() {
                    for part in ["records/000004-0000.tsjr", "records/000004-0001.tsjr"] {
                        put(&ahead.join(part), &root.join(part));
                    }
                }
            });
            let (ended, notes) = work(&kit(), &runs.experiment, &root, 2, 4, usize::MAX).unwrap();
            assert_eq!((ended.generation, notes), (4, Vec::new()), "{count} files");
            assert_result(&root, &runs.finished, &format!("{count} files"));
        }
    }
}

#[cfg(unix)]
#[test]
fn links_are_neither_followed_nor_written_through() {
    use std::os::unix::fs::symlink;
    let runs = Runs::new(tiny(1));
    let victim = runs.directory.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    // Left over from a crash, by name: replaced.
    let names = ["manifest.json.tmp", "events.jsonl.tmp", "costs.jsonl.tmp", "report.html.tmp"];
    let root = runs.tampered(0, &|root| {
        names.iter().for_each(|name| symlink(&victim, root.join(name)).unwrap());
        symlink(&victim, root.join("networks/000004.safetensors.tmp")).unwrap();
        symlink(&victim, root.join("records/000004-0000.tsjr.tmp")).unwrap();
    });
    whole(&kit(), &runs.experiment, &root, 2, 4);
    assert_result(&root, &runs.finished, "links");
    for (number, name) in
        ["lock", "experiment.toml", "run.json", "manifest.json", "events.jsonl", "costs.jsonl"].iter().enumerate()
    {
        let root = runs.tampered(1 + number, &|root| {
            fs::remove_file(root.join(name)).unwrap();
            symlink(&victim, root.join(name)).unwrap();
        });
        let error = work(&kit(), &runs.experiment, &root, 2, 4, usize::MAX).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("a symbolic link"), "{name}: {error}");
    }
    let elsewhere = runs.directory.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let root = runs.tampered(20, &|root| {
        fs::remove_dir_all(root.join("records")).unwrap();
        symlink(&elsewhere, root.join("records")).unwrap();
    });
    let error = work(&kit(), &runs.experiment, &root, 2, 4, usize::MAX).unwrap_err().to_string();
    assert!(error.contains("records: a symbolic link"), "{error}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn what_is_shown_of_a_run_survives_damage() {
    let runs = Runs::new(tiny(1));
    let root = runs.tampered(0, &|root| {
        flip(&root.join("events.jsonl"));
        fs::write(root.join("experiment.toml"), "seed = \"what").unwrap();
        let costs = [&b"\xff\xfe\n"[..], &fs::read(root.join("costs.jsonl")).unwrap()].concat();
        fs::write(root.join("costs.jsonl"), costs).unwrap();
    });
    let three = runs.directory.path().join("three");
    assert_eq!(run::read_events(&root).unwrap(), run::read_events(&three).unwrap());
    assert_eq!(run::read_costs(&root).unwrap(), run::read_costs(&three).unwrap());
    assert_eq!(Experiment::of_run(&root).unwrap(), Some(runs.experiment.clone()));
    assert!(!run::is_at_work(&root));
    let open = RunDir::open(&root).unwrap();
    assert!(run::is_at_work(&root));
    assert_eq!(open.notes().len(), 1, "{:?}", open.notes());
}
