//! Good files that hostile ones are made of, and directories to work in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// No file that bad ones are made of is longer.
const LONGEST: usize = 400_000;

/// Good files.
pub struct Material {
    /// Holds everything; gone at the end.
    directory: tempfile::TempDir,
    /// Texts of positions, by the game's name.
    pub positions: Vec<(String, Vec<String>)>,
    /// Files of games, by the ending of their names.
    pub games: Vec<(String, Vec<u8>)>,
    /// Experiment files.
    pub experiments: Vec<String>,
    /// Conversations with engines.
    pub conversations: Vec<Vec<String>>,
}

/// Runs the program, which must succeed.
fn tesuji(directory: &Path, line: &str) {
    let words = line.split_whitespace();
    let output = Command::new(env!("CARGO_BIN_EXE_tesuji")).args(words).current_dir(directory).output();
    let output = output.expect("the binary runs");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The files of a directory of the repository, in the order of their names.
fn files(path: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(repository(path)).expect("a directory of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    paths.retain(|path| path.is_file());
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a file of the repository");
        (path, bytes[..bytes.len().min(LONGEST)].to_vec())
    };
    paths.into_iter().map(read).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

impl Material {
    /// Makes the files.
    pub fn make() -> Material {
        let directory = tempfile::tempdir().expect("a directory for temporary files");
        let good = directory.path().join("good");
        fs::create_dir(&good).expect("a directory of ours");
        tesuji(&good, "play-random tictactoe --games 20 --out games.tsjr");
        tesuji(&good, "data import games.tsjr --out data --keep 1");
        tesuji(&good, "match tictactoe random bot --games 4 --journal journal.jsonl");
        tesuji(&good, "train dqn-tictactoe --dummy --out run --threads 1");
        fs::copy(good.join("run/networks/000001.safetensors"), good.join("net.safetensors")).expect("a file of ours");
        tesuji(&good, "net export net.safetensors net.onnx");
        fs::write(good.join("openings.txt"), "startpos\nstartpos moves a1\n").expect("a file of ours");
        fs::copy(repository("tests/pgn/games.pgn"), good.join("games.pgn")).expect("a file of the repository");
        fs::copy(repository("experiments/td-tictactoe.toml"), good.join("experiment.toml")).expect("a file of ours");
        let positions = tesuji_games::names().iter().map(|&game| {
            let corpus = files(&format!("tests/corpus/{game}-position"));
            let mut texts: Vec<String> = corpus.iter().map(|(_, bytes)| text(bytes)).collect();
            texts.retain(|text| text.len() < 2000);
            texts.push("startpos".to_owned());
            (game.to_owned(), texts)
        });
        let positions = positions.collect();
        let mut games = Vec::new();
        for folder in ["tests/pgn", "tests/kifu", "tests/corpus/pgn", "tests/corpus/kif", "tests/corpus/csa"] {
            let usual = folder.strip_prefix("tests/corpus/");
            for (path, bytes) in files(folder) {
                let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
                games.push((usual.map(str::to_owned).or(ending).unwrap_or_default(), bytes));
            }
        }
        for (folder, ending) in [("replay", "replay"), ("tbsmap", "tbsmap"), ("record", "tsjr")] {
            games.extend(
                files(&format!("tests/corpus/{folder}")).into_iter().map(|(_, bytes)| (ending.to_owned(), bytes)),
            );
        }
        games.push(("tsjr".to_owned(), fs::read(good.join("games.tsjr")).expect("a file of ours")));
        let experiments = files("experiments").into_iter().map(|(_, bytes)| text(&bytes)).collect();
        let protocol =
            files("tests/protocol").into_iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "txt"));
        let said = |(_, bytes): (PathBuf, Vec<u8>)| {
            let text = text(&bytes);
            text.lines().filter_map(|line| line.strip_prefix("> ")).map(str::to_owned).collect()
        };
        let conversations = protocol.map(said).collect();
        Material { directory, positions, games, experiments, conversations }
    }

    /// Where the good files are.
    pub fn good(&self) -> PathBuf {
        self.directory.path().join("good")
    }

    /// A directory for one thread, deep enough that `../..` is still ours.
    pub fn place(&self, thread: usize) -> PathBuf {
        let place = self.directory.path().join(format!("threads/{thread}/a/b"));
        fs::create_dir_all(&place).expect("a directory of ours");
        copy(&self.good(), &place);
        place
    }
}

/// Copies the files of a directory.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory of ours");
    for entry in fs::read_dir(from).expect("a directory of ours") {
        let path = entry.expect("it can be read").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file of ours");
        }
    }
}
