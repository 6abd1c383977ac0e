//! Runs the perft suites of `tests/perft`: one file a game, lines such as `POSITION ;D1 20 ;D2 400`.
//!
//! Counts above `TESUJI_PERFT_LIMIT` nodes (a number, or `all`) are left to `.ci/run`.

use std::fs;
use std::path::{Path, PathBuf};
use tesuji_core::game::parse_line;
use tesuji_core::perft::{perft, perft_playing};
use tesuji_core::{Game, Rules};
use tesuji_games::{Visitor, visit};

/// Seconds in all, with the little optimisation that tests are built with.
const DEFAULT_LIMIT: u64 = 1_000_000;

/// Paths up to this number are also counted with every move played.
const PLAYING_LIMIT: u64 = 200_000;

/// One count of a file.
struct Case {
    position: String,
    depth: u32,
    nodes: u64,
}

/// The cases of a file in the well-known format, each count on its own.
fn read(path: &Path) -> Vec<Case> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut cases = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = || format!("{} line {}", path.display(), number + 1);
        let mut fields = line.split(';').map(str::trim);
        let position = fields.next().filter(|text| !text.is_empty()).unwrap_or_else(|| panic!("{}", place()));
        let before = cases.len();
        for field in fields {
            let count = field.strip_prefix('D').and_then(|rest| rest.split_once(' '));
            let (depth, nodes) = count.unwrap_or_else(|| panic!("{}: bad count {field:?}", place()));
            let depth = depth.parse().unwrap_or_else(|error| panic!("{}: {field:?}: {error}", place()));
            let nodes = nodes.parse().unwrap_or_else(|error| panic!("{}: {field:?}: {error}", place()));
            cases.push(Case { position: position.to_owned(), depth, nodes });
        }
        assert!(cases.len() > before, "{}: no counts", place());
    }
    assert!(!cases.is_empty(), "{}: no positions", path.display());
    cases
}

/// Counts the paths of every case and returns what is wrong.
struct Count {
    cases: Vec<Case>,
    limit: u64,
}

impl Visitor for Count {
    type Output = Vec<String>;

    fn visit<G: Game>(self, game: G) -> Vec<String> {
        let mut wrong = Vec::new();
        for Case { position: text, depth, nodes } in self.cases.iter().filter(|case| case.nodes <= self.limit) {
            let mut complain = |what: String| wrong.push(format!("{} {text} depth {depth}: {what}", game.name()));
            match parse_line(&game, text) {
                Err(error) => complain(error.to_string()),
                Ok(position) => {
                    let counted = perft(&position, *depth);
                    if counted != *nodes {
                        complain(format!("counted {counted}, should be {nodes}"));
                    }
                    if *nodes <= PLAYING_LIMIT {
                        let played = perft_playing(&position, *depth);
                        if played != *nodes {
                            complain(format!("played {played}, should be {nodes}"));
                        }
                    }
                }
            }
        }
        wrong
    }
}

fn limit() -> u64 {
    match std::env::var("TESUJI_PERFT_LIMIT") {
        Err(_) => DEFAULT_LIMIT,
        Ok(text) if text == "all" => u64::MAX,
        Ok(text) => text.parse().expect("TESUJI_PERFT_LIMIT is a number of nodes or `all`"),
    }
}

#[test]
fn every_count_is_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/perft");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{}: no suites", folder.display());
    let limit = limit();
    let check = |path: &PathBuf| {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a file is named after its game");
        visit(name, Rules::Official, Count { cases: read(path), limit }).unwrap_or_else(|error| panic!("{error}"))
    };
    // One thread a game: the suites are of very different length.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = files.iter().map(|path| scope.spawn(|| check(path))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a suite that can be read")).collect()
    });
    assert!(wrong.is_empty(), "{} wrong counts:\n{}", wrong.len(), wrong.join("\n"));
}
