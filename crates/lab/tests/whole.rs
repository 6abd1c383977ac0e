//! A small reproduction from beginning to end: stopped at many moments it ends with the same bytes.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tesuji_lab::{LabError, Reproduction, Scale, Setting, reproduce};
use tesuji_report::{Verdict, json};

const FILE: &str = r#"
name = "small"
title = "A small question"
paper = "none"
question = "Does a search beat random moves?"
hardware = "another machine"
game = "tictactoe"
silent = ["what nobody says"]

[scales.smoke]
about = "small"
cost = "nothing"
[scales.smoke.values]
games = 6
generations = 2
sims = ["5", "40"]
most = "40"

[scales.paper]
about = "large"
cost = "nothing"
[scales.paper.values]
games = 60
generations = 2
sims = ["5", "40"]
most = "40"

[[needs]]
scales = ["paper"]
engine = "no-such-engine-anywhere"
get = "look for it in vain"

[[steps]]
kind = "train"
name = "net"
experiment = "td-tictactoe"
paper = "td-tictactoe"
set = ["selfplay.games=20", "network.hidden=[8]"]
budget = "{generations}"

[[steps]]
kind = "sweep"
name = "wins"
over = [{ axis = "sims", values = "{sims}" }]
players = ["uct:sims={sims}", "random"]
games = "{games}"

[[steps]]
kind = "match"
name = "learned"
players = ["alphabeta:pure,depth=2,eval=net:{run:net}", "random"]
games = "{games}"

[[steps]]
kind = "tournament"
name = "all"
players = [{ name = "search", line = "uct:sims=20" }, { name = "network", line = "alphabeta:pure,depth=1,eval=net:{run:net}" }, { name = "random", line = "random" }]
games = "4"

[[steps]]
kind = "measure"
name = "states"
what = "states"
position = "startpos"
depth = "3"

[[steps]]
kind = "measure"
name = "thinks"
what = "opinion"
position = "startpos"
agent = "uct:sims=30"

[[shows]]
title = "Wins"
caption = "By simulations."
kind = "list"
steps = ["wins"]
columns = [{ head = "won, %", metric = "win-share", digits = 1, percent = true }]
cited_heads = ["won, %"]
cited = [{ at = { sims = "40" }, values = [70.0] }]
chart = { x = "sims", y = ["win-share"], names = ["simulations", "won, %"], percent = true, cited = [0] }

[[shows]]
title = "Learning"
caption = "The loss."
kind = "curves"
steps = ["net"]
chart = { x = "generation", y = ["value-loss"], names = ["generation", "loss"] }

[[shows]]
title = "Everybody"
caption = "Who is who."
kind = "standings"
steps = ["all"]

[[shows]]
title = "Games"
caption = "One by one."
kind = "games"
steps = ["learned"]

[[shows]]
title = "A position"
caption = "The start."
kind = "position"
steps = ["thinks"]

[[claims]]
says = "A search beats random moves."
place = "nowhere"
section = "Wins"
when = ["wins[sims={most}].score > 0.5"]

[[claims]]
says = "There are more states at depth 3 than at depth 2."
place = "nowhere"
section = "Wins"
when = ["states.depth-3 > states.depth-2"]
"#;

fn all(root: &Path, stop_after: usize) -> Result<(), LabError> {
    let file = Reproduction::parse(FILE).unwrap();
    let (stop, mut told) = (AtomicBool::new(false), 0);
    let mut progress = |progress: &tesuji_lab::Progress<'_>| {
        assert!((0.0..=1.0).contains(&progress.done) && progress.number <= progress.of);
        told += 1;
        if told >= stop_after {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let mut setting = Setting { threads: 2, stop: &stop, progress: &mut progress };
    reproduce(&file, Scale::Smoke, root, &mut setting).map(|_| ())
}

#[test]
fn a_reproduction_that_is_stopped_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    all(&whole, usize::MAX).unwrap();
    let mut stops = 0;
    for after in [1, 4, 9, 3, 12, 7].into_iter().chain(std::iter::repeat(usize::MAX)) {
        match all(&broken, after) {
            Ok(()) => break,
            Err(error) => assert_eq!(error, LabError::Stopped),
        }
        stops += 1;
    }
    assert!(stops >= 5, "{stops}");
    let read = |root: &Path, name: &str| std::fs::read(root.join(name)).unwrap();
    for name in ["results.json", "runs/net/networks/000002.safetensors", "measures/states.json", "measures/thinks.json"]
    {
        assert!(read(&whole, name) == read(&broken, name), "{name}");
    }
    let text = String::from_utf8(read(&whole, "report.json")).unwrap();
    let report = json::read(&text).unwrap();
    assert_eq!(report.verdicts[1].verdict, Verdict::Holds);
    let page = String::from_utf8(read(&whole, "report.html")).unwrap();
    for words in [
        "What differs from the paper",
        "td-tictactoe",
        "another machine",
        "The ledger",
        "What so many games cost",
        "network.hidden",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // The same again changes nothing and plays nothing.
    all(&whole, usize::MAX).unwrap();
    assert_eq!(read(&whole, "results.json"), read(&broken, "results.json"));
}

#[test]
fn what_is_missing_is_said_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("x");
    let file = Reproduction::parse(FILE).unwrap();
    let stop = AtomicBool::new(false);
    let mut setting = Setting { threads: 1, stop: &stop, progress: &mut |_| {} };
    let error = reproduce(&file, Scale::Paper, &root, &mut setting).unwrap_err().to_string();
    assert!(error.contains("no-such-engine-anywhere") && error.contains("in vain"), "{error}");
    assert!(!root.exists());
    let error = reproduce(&file, Scale::Smoke, &folder.path().join("a,b"), &mut setting).unwrap_err().to_string();
    assert!(error.contains("--out"), "{error}");
    // A directory of another scale is left alone.
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("state.json"), r#"{"reproduction":"small","scale":"laptop","done":{}}"#).unwrap();
    let error = reproduce(&file, Scale::Smoke, &root, &mut setting).unwrap_err().to_string();
    assert!(error.contains("laptop") && error.contains("--out"), "{error}");
}

/// A program that cannot begin would lose all its games, and the report would praise its opponent.
#[test]
fn a_player_that_cannot_begin_fails_the_job_instead_of_losing_games() {
    let text = FILE.replacen("\"random\"", "\"engine:false\"", 1);
    assert_ne!(text, FILE);
    let file = Reproduction { trusted: true, ..Reproduction::parse(&text).unwrap() };
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let mut setting = Setting { threads: 1, stop: &stop, progress: &mut |_| {} };
    let error = reproduce(&file, Scale::Smoke, folder.path(), &mut setting).unwrap_err().to_string();
    assert!(error.contains("engine:false"), "{error}");
}
