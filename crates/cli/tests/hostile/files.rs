//! Hostile files, most of them read in this process, for there are many.

use crate::material::{self, Material};
use crate::process;
use crate::words::{mutated, mutated_text, once_in, pick};
use cpu_time::ThreadTime;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::MatchSpec;
use tesuji_core::{Rules, Stream, Style};
use tesuji_learn::{Experiment, run};
use tesuji_nn::{NetworkFile, onnx};

/// What takes longer hangs.
const LONGEST: Duration = Duration::from_secs(5);

/// Does something with a file that may be refused, but must not panic or take for ever.
fn guarded(what: &str, work: impl FnOnce()) -> Result<(), String> {
    let clock = ThreadTime::now();
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        return Err(format!("{what}: panicked"));
    }
    if clock.elapsed() > LONGEST {
        return Err(format!("{what}: took {:?}", clock.elapsed()));
    }
    Ok(())
}

/// Tries a file.
pub fn attempt(material: &Material, place: &Path, random: &mut Stream) -> Result<(), String> {
    match random.below(20) {
        0..6 => position(material, random),
        6..10 => games(material, place, random),
        10..14 => experiment(material, place, random),
        14 | 15 => network(material, random),
        16 => data_set(material, place, random),
        17 => journal(material, place, random),
        18 => run_directory(material, place, random),
        _ => by_command(material, place, random),
    }
}

/// A position of any game: what is taken is used.
fn position(material: &Material, random: &mut Stream) -> Result<(), String> {
    let (game, texts) = &material.positions[random.below(material.positions.len())];
    let good = random.choose(texts).cloned().unwrap_or_default();
    let text = mutated_text(random, &good);
    let rules = if once_in(random, 3) { Rules::Paper } else { Rules::Official };
    guarded(&format!("{game} {text:?}"), || {
        let game = tesuji_games::game(game, rules).expect("a registered game");
        let Ok(mut position) = game.parse(&text) else { return };
        let _ = (position.render(Style { color: true, kanji: true }), position.heuristic(), position.in_check());
        // What the game writes it also reads.
        assert!(game.parse(&position.text()).is_ok(), "{}", position.text());
        for _ in 0..8 {
            let moves = position.moves();
            let Some(&mv) = random.choose(&moves) else { break };
            position.play(mv).expect("a legal move");
        }
    })
}

/// A file of games: what can be read is replayed and written in every format.
fn games(material: &Material, place: &Path, random: &mut Stream) -> Result<(), String> {
    let (ending, good) = &material.games[random.below(material.games.len())];
    let bytes = mutated(random, good);
    let path = place.join(format!("hostile.{ending}"));
    fs::write(&path, &bytes).expect("a file of ours");
    let result = guarded(&format!("{ending} {:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(3000)])), || {
        let Ok(records) = tesuji_games::formats::open(None, path.to_str().expect("text"), Rules::Official) else {
            return;
        };
        for record in records.take(50) {
            let Ok(record) = record else { continue };
            let Ok(kit) = tesuji_registry::kit(&record.game, record.rules) else { continue };
            let _ = kit.check_record(&record);
            for format in ["pgn", "kif", "csa", "tsjr", "replay", "tbsmap"] {
                let _ = tesuji_games::formats::Format::choose(Some(format), "").map(|format| format.write(&record));
            }
        }
    });
    let _ = fs::remove_file(&path);
    result
}

/// An experiment; what is accepted can be written and read again.
fn experiment(material: &Material, place: &Path, random: &mut Stream) -> Result<(), String> {
    let good = random.choose(&material.experiments).cloned().unwrap_or_default();
    // Defaults included, so that every key has its turn.
    let whole = Experiment::from_toml(&good).map_or(good, |experiment| experiment.to_toml());
    let text = mutated_text(random, &whole);
    let path = place.join("hostile.toml");
    guarded(&format!("experiment {text:?}"), || {
        fs::write(&path, &text).expect("a file of ours");
        let _ = Experiment::load(path.to_str().expect("text"), &[]);
        let Ok(experiment) = Experiment::from_toml(&text) else { return };
        assert_eq!(Experiment::from_toml(&experiment.to_toml()).as_ref(), Ok(&experiment));
        let Ok(kit) = tesuji_registry::kit(&experiment.game, experiment.rules) else { return };
        let _ = experiment
            .network_info(kit.game().as_ref())
            .map(|about| about.float().map(|about| about.spec.graph().map(|graph| graph.flops())));
    })
}

/// A weight file: bytes at random, or numbers at random under the right checksum.
fn network(material: &Material, random: &mut Stream) -> Result<(), String> {
    let good = fs::read(material.good().join("net.safetensors")).expect("a file of ours");
    let onnx_file = fs::read(material.good().join("net.onnx")).expect("a file of ours");
    guarded("a network", || {
        // The description at the beginning has its turn more often than the numbers behind it.
        let length = if once_in(random, 2) { good.len() } else { 4000.min(good.len()) };
        let _ = NetworkFile::from_bytes(&[&mutated(random, &good[..length]), &good[length..]].concat());
        let _ = onnx::import(&mutated(random, &onnx_file));
        let mut file = NetworkFile::from_bytes(&good).expect("a good file");
        let tensors = file.weights.tensors_mut();
        let tensor = random.below(tensors.len());
        let place = random.below(tensors[tensor].len());
        let strange = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][random.below(3)];
        tensors[tensor][place] = strange;
        assert!(NetworkFile::from_bytes(&file.to_bytes()).is_err(), "{strange} was taken");
    })
}

fn data_set(material: &Material, place: &Path, random: &mut Stream) -> Result<(), String> {
    let directory = place.join("hostile-data");
    material::copy(&material.good().join("data"), &directory);
    spoil(random, &directory);
    guarded("a data set", || {
        let kit = tesuji_registry::kit("tictactoe", Rules::Official).expect("a registered game");
        let Ok(set) = kit.data_set(&directory) else { return };
        for number in 0..set.info().shards.len().min(3) {
            let _ = set.check_shard(number);
        }
    })
}

fn journal(material: &Material, place: &Path, random: &mut Stream) -> Result<(), String> {
    let good = fs::read(material.good().join("journal.jsonl")).expect("a file of ours");
    let first = good.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let spec: Result<MatchSpec, _> = serde_json::from_slice(first);
    let bytes = mutated(random, &good);
    let path = place.join("hostile.jsonl");
    guarded(&format!("a journal {:?}", String::from_utf8_lossy(&bytes)), || {
        fs::write(&path, &bytes).expect("a file of ours");
        let Ok(spec) = spec else { return };
        let _ = Journal::open(&path, &spec).map(|journal| journal.results().len());
    })
}

/// Makes one of the files of a directory bad; returns its name.
fn spoil(random: &mut Stream, directory: &Path) -> String {
    let mut paths = Vec::new();
    list(directory, &mut paths);
    paths.sort();
    let path = &paths[random.below(paths.len())];
    if once_in(random, 8) {
        fs::remove_file(path).expect("a file of ours");
    } else {
        let bytes = mutated(random, &fs::read(path).expect("a file of ours"));
        fs::write(path, bytes).expect("a file of ours");
    }
    path.display().to_string()
}

fn list(directory: &Path, paths: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory of ours") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() { list(&path, paths) } else { paths.push(path) }
    }
}

fn run_directory(material: &Material, place: &Path, random: &mut Stream) -> Result<(), String> {
    let root = place.join("hostile-run");
    let _ = fs::remove_dir_all(&root);
    material::copy(&material.good().join("run"), &root);
    let spoiled = spoil(random, &root);
    guarded(&format!("a run with a bad {spoiled}"), || {
        let _ = Experiment::of_run(&root);
        let _ = run::read_events(&root);
        let _ = run::read_costs(&root);
        let _ = run::network_generations(&root);
    })?;
    if once_in(random, 4) {
        let words = ["train", "--resume", "--out", "hostile-run", "--threads", "1", "--budget", "1"];
        return process::run(&words.map(str::to_owned), b"", place).map_err(|problem| format!("{spoiled}: {problem}"));
    }
    Ok(())
}

/// A bad file by the command that reads it.
fn by_command(material: &Material, place: &Path, random: &mut Stream) -> Result<(), String> {
    let (ending, good) = &material.games[random.below(material.games.len())];
    let name = format!("hostile.{ending}");
    fs::write(place.join(&name), mutated(random, good)).expect("a file of ours");
    let command = pick(
        random,
        &["record NAME", "convert NAME - --to tsjr", "data import NAME --out out", "show chess --file NAME"],
    );
    let words: Vec<String> = command.split(' ').map(|word| word.replace("NAME", &name)).collect();
    let result = process::run(&words, b"", place);
    let _ = fs::remove_dir_all(place.join("out"));
    let _ = fs::remove_file(place.join(&name));
    result
}
