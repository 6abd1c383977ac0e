//! Tiny runs, whole: repeated, interrupted, damaged, resumed; and one that learns.

use crate::common::{assert_same, files, kit_of, whole, work};
use std::fs;
use std::sync::Arc;
use tesuji_learn::run::Event;
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
simulations = 12
playout_cap_share = 0.25
playout_cap_simulations = 4
resign = 0.9
in_flight = 8
temperature_plies = 4
[training]
batch = 16
window_positions = 300
[measure]
every = 2
games = 4
final_games = 6
simulations = 8
opponents = ["random"]
[keep]
networks_every = 2
"#;

fn tiny() -> Experiment {
    Experiment::from_toml(TINY).unwrap()
}

fn tictactoe() -> Arc<dyn GameKit> {
    kit_of("tictactoe")
}

#[test]
fn a_run_is_the_same_at_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    for threads in [1, 2, 4] {
        let ended = whole(&tictactoe(), &tiny(), &directory.path().join(threads.to_string()), threads, 3);
        assert_eq!((ended.generation, ended.stopped), (3, false));
    }
    assert_same(&directory.path().join("1"), &directory.path().join("2"));
    assert_same(&directory.path().join("1"), &directory.path().join("4"));
}

#[test]
fn games_in_flight_and_the_cache_change_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (a, b) = (directory.path().join("a"), directory.path().join("b"));
    whole(&tictactoe(), &tiny(), &a, 1, 2);
    let mut other = tiny();
    (other.selfplay.in_flight, other.selfplay.cache) = (3, 0);
    whole(&tictactoe(), &other, &b, 1, 2);
    let (mut a, mut b) = (files(&a), files(&b));
    // The experiment says so itself, and the manifest holds it.
    for name in ["experiment.toml", "manifest.json"] {
        assert!(a.remove(name) != b.remove(name));
    }
    assert!(a == b);
}

#[test]
fn an_interrupted_run_ends_like_one_that_was_not() {
    let directory = tempfile::tempdir().unwrap();
    let (a, b) = (directory.path().join("a"), directory.path().join("b"));
    whole(&tictactoe(), &tiny(), &a, 2, 3);
    let mut starts = 0;
    loop {
        starts += 1;
        // More patience every time: the run gets somewhere in the end.
        let (ended, _) = work(&tictactoe(), &tiny(), &b, 2, 3, 10 + 7 * starts).unwrap();
        if !ended.stopped {
            break;
        }
    }
    assert!(starts > 3, "{starts}");
    assert_same(&a, &b);
}

#[test]
fn a_lagging_run_is_the_same_at_any_number_of_threads_and_after_breaks() {
    let directory = tempfile::tempdir().unwrap();
    let mut experiment = tiny();
    experiment.selfplay.lag = 1;
    let [now, early, a, b, c] = ["now", "early", "a", "b", "c"].map(|name| directory.path().join(name));
    whole(&tictactoe(), &tiny(), &now, 2, 2);
    whole(&tictactoe(), &experiment, &early, 2, 2);
    let (newest, lagging) = (files(&now), files(&early));
    let same = |name: &str| newest[name] == lagging[name];
    assert!(same("records/000001-0000.tsjr") && same("networks/000001.safetensors"));
    assert!(!same("records/000002-0000.tsjr"), "generation 2 is played by network 0");

    whole(&tictactoe(), &experiment, &a, 2, 5);
    whole(&tictactoe(), &experiment, &b, 1, 5);
    assert_same(&a, &b);
    let mut starts = 0;
    while work(&tictactoe(), &experiment, &c, 3, 5, 40 + 20 * starts).unwrap().0.stopped {
        starts += 1;
    }
    assert!(starts > 3, "{starts}");
    assert_same(&a, &c);

    // Without its newest network it goes one generation back, and network 3 is there to play that one again.
    let path = b.join("networks/000005.safetensors");
    fs::write(&path, "no network").unwrap();
    fs::remove_file(b.join("records/000005-0000.tsjr")).unwrap();
    whole(&tictactoe(), &experiment, &b, 1, 5);
    fs::remove_file(path.with_extension("safetensors.damaged")).unwrap();
    assert_same(&a, &b);
}

#[test]
fn damaged_files_are_set_aside_and_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let (a, b) = (directory.path().join("a"), directory.path().join("b"));
    whole(&tictactoe(), &tiny(), &a, 1, 3);
    whole(&tictactoe(), &tiny(), &b, 1, 3);
    let newest = b.join("networks/000003.safetensors");
    let part = b.join("records/000003-0001.tsjr");
    for path in [&newest, &part] {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path, bytes).unwrap();
    }
    let (ended, notes) = work(&tictactoe(), &tiny(), &b, 1, 3, usize::MAX).unwrap();
    assert_eq!(ended.generation, 3);
    for path in [&newest, &part] {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(notes.iter().any(|note| note.contains(name) && note.contains("damaged")), "{notes:?}");
        let aside = path.with_file_name(format!("{name}.damaged"));
        assert!(aside.exists());
        fs::remove_file(aside).unwrap();
    }
    assert_same(&a, &b);
}

#[test]
fn another_experiment_is_refused_and_so_is_a_second_process() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    whole(&tictactoe(), &tiny(), &root, 1, 1);
    let mut other = tiny();
    other.selfplay.simulations = 13;
    let error = work(&tictactoe(), &other, &root, 1, 2, usize::MAX).unwrap_err().to_string();
    assert!(error.contains("simulations = 12") && error.contains("--out"), "{error}");
    let open = tesuji_learn::run::RunDir::open(&root).unwrap();
    let error = work(&tictactoe(), &tiny(), &root, 1, 2, usize::MAX).unwrap_err().to_string();
    assert!(error.contains("another process"), "{error}");
    drop(open);
    // A longer budget is no other experiment.
    let mut longer = tiny();
    longer.budget = "1h".to_owned();
    assert_eq!(whole(&tictactoe(), &longer, &root, 1, 2).generation, 2);
}

/// Experiments of other formats have other keys: the format is told before the experiment is read.
#[test]
fn a_run_of_another_format_is_refused_before_its_experiment_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    whole(&tictactoe(), &tiny(), root, 1, 1);
    let info = fs::read_to_string(root.join("run.json")).unwrap();
    fs::write(root.join("run.json"), info.replace("\"format\": 4", "\"format\": 1")).unwrap();
    fs::write(root.join("experiment.toml"), "game = \"tictactoe\"\n[dqn]\n").unwrap();
    let error = work(&tictactoe(), &tiny(), root, 1, 2, usize::MAX).unwrap_err().to_string();
    assert!(
        error.contains("a run of format 1, this program reads formats 2 to 4: ") && !error.contains('\n'),
        "{error}"
    );
    assert_eq!(Experiment::of_run(root).unwrap_err().to_string(), error);
}

#[test]
fn disk_use_is_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    whole(&tictactoe(), &tiny(), &root, 2, 6);
    let names: Vec<String> = files(&root).into_keys().collect();
    assert!(!names.iter().any(|name| name.starts_with("records/000001")), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("records/000006")), "{names:?}");
    let networks: Vec<&String> = names.iter().filter(|name| name.starts_with("networks/")).collect();
    assert_eq!(networks.len(), 5, "0, 2, 4, 5, 6: {networks:?}");
}

#[test]
fn a_short_run_beats_what_it_started_from() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    let text = r#"
game = "connect4"
[network]
blocks = 1
filters = 16
[selfplay]
games = 64
simulations = 32
temperature_plies = 8
noise_alpha = 0.7
[training]
batch = 64
schedule = { constant = { rate = 0.05 } }
samples_per_position = 6.0
[measure]
final_games = 40
simulations = 16
opponents = ["generation:0"]
"#;
    let experiment = Experiment::from_toml(text).unwrap();
    let ended = whole(&kit_of("connect4"), &experiment, &root, 2, 8);
    let strength = ended.events.iter().find_map(|event| match event {
        Event::Strength(event) => Some(event),
        Event::Generation(_) => None,
    });
    let [won, drawn, lost] = strength.unwrap().score;
    assert!(won >= 28, "+{won} ={drawn} -{lost} against the untrained network");
}
