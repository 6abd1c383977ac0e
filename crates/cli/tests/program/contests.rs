//! Matches of a run and games of a data set, played by workers: the same bytes as in one process.

use crate::cluster::Place;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tesuji_learn::cluster::{SharedDir, Transport};

/// Parts that learners took from workers, by the end of the run's name and the worker.
fn taken(place: &Place, suffix: &str) -> BTreeMap<String, u64> {
    let tallies = SharedDir::open(&place.path("shared")).unwrap().tallies().unwrap();
    let of_run = tallies.into_iter().filter(|(run, _)| run.ends_with(suffix));
    of_run.flat_map(|(_, tallies)| tallies).map(|(worker, tally)| (worker, tally.parts)).collect()
}

/// The files of a data set, by name.
fn set(place: &Place, name: &str) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(place.path(name)).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())).collect()
}

#[test]
fn matches_of_a_run_are_played_by_workers_to_the_same_events() {
    let opponents = r#"measure.opponents=["random","uct:sims=20","generation:0"]"#;
    for (experiment, lag) in [("az", 0), ("nnue", 1)] {
        let place = Place::new();
        let set = format!(
            "--set {opponents} --set measure.every=1 --set measure.games=6 --set measure.final_games=10 --set selfplay.lag={lag}"
        );
        place.start(&format!("train {experiment}.toml {set} --out alone --budget 2 --threads 2")).success();
        let options = "--budget 2 --threads 1 --workers dir:shared --learner-plays never --audit 0.3 --deadline 20s";
        let learner = place.start(&format!("train {experiment}.toml {set} --out many {options}"));
        let workers = ["one", "two"].map(|name| place.worker(name));
        learner.success();
        place.assert_same("alone", "many");
        // Six games are two parts, ten are three: three opponents after each generation, and at the end.
        let taken = taken(&place, "-matches");
        assert_eq!(taken.values().sum::<u64>(), 3 * (2 + 2 + 3), "{experiment}: {taken:?}");
        assert!(!taken.contains_key("learner"), "{taken:?}");
        drop(workers);
    }
}

#[test]
fn what_cannot_be_sent_is_played_by_the_learner_or_refused() {
    let place = Place::new();
    place.start("match minishogi bot bot --games 6 --seed 3 --save games.tsjr").success();
    place.start("strengths minishogi games.tsjr --out learned").success();
    let player = "pmc:rollouts=2,rollout=strength,strengths=learned";
    let set = format!("--set game=minishogi --set measure.opponents=[\"{player}\"] --set selfplay.games=4");
    place.start(&format!("train az.toml {set} --out alone --budget 1")).success();
    let options = "--budget 1 --workers dir:shared --learner-plays never --deadline 20s";
    let worker = place.worker("one");
    let said = place.start(&format!("train az.toml {set} --out many {options}")).success();
    assert!(said.contains("its strengths are a file") && said.contains("the match is played here"), "{said}");
    assert!(place.files("alone") == place.files("many"));
    let plan = format!("data generate --game minishogi --first {player} --games 2 --out set --workers dir:shared");
    let refused = place.start(&plan).output();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.starts_with("error: --workers: ") && said.contains("its strengths are a file"), "{said}");
    drop(worker);
}

#[test]
fn a_data_set_of_workers_is_that_of_one_process() {
    let place = Place::new();
    let plan = "data generate --game connect4 --first uct:sims=30 --second alphabeta:depth=2 --seed 3";
    place.start(&format!("{plan} --games 60 --out alone --threads 2")).success();
    let options = "--workers dir:shared --learner-plays never --audit 0.2 --deadline 20s";
    // Killed on the way, with parts delivered that nobody has taken; the same command goes on, and then with more games.
    let learner = place.start(&format!("{plan} --games 40 --out many {options}"));
    let workers = ["one", "two"].map(|name| place.worker(name));
    place.wait_for("part", || !place.shared("done").is_empty() || place.path("many/data.json").exists());
    drop(learner);
    place.start(&format!("{plan} --games 40 --out many {options}")).success();
    place.start(&format!("{plan} --games 60 --out many {options}")).success();
    let (alone, many) = (set(&place, "alone"), set(&place, "many"));
    assert!(alone.len() >= 4, "{:?}", alone.keys());
    assert_eq!(alone.keys().collect::<Vec<_>>(), many.keys().collect::<Vec<_>>());
    for (name, bytes) in &alone {
        assert!(*bytes == many[name], "{name} differs");
    }
    assert!(!taken(&place, "").contains_key("learner"));
    drop(workers);
    // A network of a file goes along with the work.
    fs::create_dir(place.path("kept")).unwrap();
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/nnue-bingo3d/network.safetensors");
    fs::copy(net, place.path("kept/copy.safetensors")).unwrap();
    let plan = "data generate --game bingo3d --first nnue:net=kept/copy.safetensors,nodes=200 --second bot --games 9";
    place.start(&format!("{plan} --out net-alone")).success();
    fs::create_dir(place.path("elsewhere")).unwrap();
    let learner = place.start(&format!("{plan} --out net-many {options}"));
    let worker = place.start_in("elsewhere", "worker dir:../shared --threads 1 --name far");
    learner.success();
    assert_eq!(set(&place, "net-alone"), set(&place, "net-many"));
    drop(worker);
}

#[test]
fn a_worker_starts_no_program_unless_it_may() {
    let place = Place::new();
    let (script, mark) = (place.path("foreign"), place.path("started"));
    let program = env!("CARGO_BIN_EXE_tesuji");
    let text =
        format!("#!/bin/sh\necho $PPID >> {}\nexec {program} engine --game tictactoe --agent bot\n", mark.display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let plan = format!("data generate --game tictactoe --engine {} --games 8", script.display());
    place.start(&format!("{plan} --out alone")).success();

    let careful = place.worker("careful");
    let learner = place.start(&format!("{plan} --out self --workers dir:shared --deadline 20s"));
    let id = learner.0.id();
    learner.success();
    let started = fs::read_to_string(&mark).unwrap();
    assert!(!started.lines().any(|parent| parent == careful.0.id().to_string()), "{started}");
    assert!(started.lines().any(|parent| parent == id.to_string()), "the learner plays itself: {started}");

    let bold = place.start("worker dir:shared --threads 1 --name bold --allow-engines");
    let options = "--workers dir:shared --deadline 20s --learner-plays never";
    place.start(&format!("{plan} --out many {options}")).success();
    let started = fs::read_to_string(&mark).unwrap();
    assert!(started.lines().any(|parent| parent == bold.0.id().to_string()), "{started}");
    assert!(!started.lines().any(|parent| parent == careful.0.id().to_string()), "{started}");
    assert_eq!(set(&place, "alone"), set(&place, "many"));
    careful.signal("-TERM");
    let said = String::from_utf8_lossy(&careful.output().stderr).into_owned();
    assert!(said.contains("programs that this worker may not start"), "{said}");
}
