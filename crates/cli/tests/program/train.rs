//! `tesuji train` and `tesuji runs` from outside: every experiment, kill -9, Ctrl-C, bad input.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn command(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.current_dir(directory).args(args).stdin(Stdio::null());
    command
}

fn run(directory: &Path, args: &[&str]) -> Output {
    command(directory, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn ok(directory: &Path, args: &[&str]) -> String {
    let output = run(directory, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn error(directory: &Path, args: &[&str]) -> String {
    let output = run(directory, args);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    let last = message.lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("error: "), "{message}");
    assert!(last.matches("(os error").count() <= 1, "told twice: {last}");
    last
}

/// A run of three generations that takes a second or two.
const SMALL: &[&str] = &[
    "train",
    "minishogi-quick",
    "--budget",
    "3",
    "--threads",
    "2",
    "--set",
    "network.blocks=1",
    "--set",
    "network.filters=8",
    "--set",
    "selfplay.games=40",
    "--set",
    "selfplay.simulations=8",
    "--set",
    "training.steps=8",
    "--set",
    "training.batch=16",
    "--set",
    "measure.final_games=2",
    "--set",
    "measure.opponents=[\"random\"]",
];

/// Every file of a run that must repeat, by name.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for directory in ["", "records", "networks"] {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let differs = name == "costs.jsonl" || name == "report.html" || name.ends_with(".tmp");
            if path.is_file() && !differs {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn every_experiment_and_variant_runs() {
    let directory = tempfile::tempdir().unwrap();
    let list = ok(directory.path(), &["train", "--list", "--json"]);
    let mut names = Vec::new();
    for line in list.lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = object["name"].as_str().unwrap().to_owned();
        names.extend(object["variants"].as_array().unwrap().iter().map(|v| format!("{name}/{}", v.as_str().unwrap())));
        names.push(name);
    }
    assert!(names.len() > 12, "{names:?}");
    for name in &names {
        let output = ok(directory.path(), &["train", name, "--dummy"]);
        let root = format!("runs/{}", name.replace('/', "-"));
        assert!(output.contains(&format!("finished after generation 1: {root}")), "{name}: {output}");
        assert!(directory.path().join(&root).join("report.html").exists());
    }
    let runs = ok(directory.path(), &["runs"]);
    assert_eq!(runs.lines().count(), names.len() + 1, "{runs}");
    assert!(runs.contains("v random"), "{runs}");
}

#[test]
fn experiments_measure_by_their_papers_yardsticks() {
    let directory = tempfile::tempdir().unwrap();
    let config =
        |name: &str| -> toml::Table { ok(directory.path(), &["train", name, "--print-config"]).parse().unwrap() };
    for name in ["tubstap-laptop", "tubstap-paper-laptop"] {
        let opponents = config(name)["measure"]["opponents"].to_string();
        for opponent in ["pmc:rollouts=100", "tubstap-mcts:sims=2000", "muct:sims=2000", "alphabeta:pure,depth=4"] {
            assert!(opponents.contains(opponent), "{name}: {opponents}");
        }
    }
    assert_eq!(config("tubstap-paper-laptop")["rules"].as_str(), Some("paper"));
    // C = 0.3 is that of the 3D-Bingo paper's formula, not of UCB1.
    let agent = config("td-bingo3d-laptop")["measure"]["agent"].to_string();
    assert!(agent.contains("select=uct,c=0.3"), "{agent}");
}

#[test]
fn every_file_of_experiments_comes_with_the_program() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let list = ok(&directory, &["train", "--list"]);
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(list.contains(&name), "{name} is not in the list");
    }
}

#[test]
fn a_killed_run_ends_like_one_that_was_not() {
    let directory = tempfile::tempdir().unwrap();
    let whole: Vec<&str> = SMALL.iter().copied().chain(["--out", "whole"]).collect();
    ok(directory.path(), &whole);
    let mut begin: Vec<&str> = SMALL.iter().copied().chain(["--out", "killed"]).collect();
    let mut kills = 0;
    for patience in 1_u32.. {
        let mut child = command(directory.path(), &begin).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(u64::from(60 * patience)));
        match child.try_wait().unwrap() {
            Some(status) => {
                assert!(status.success());
                break;
            }
            None => {
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
            }
        }
        if directory.path().join("killed/experiment.toml").exists() {
            begin = vec!["train", "--resume", "--out", "killed", "--budget", "3", "--threads", "1"];
        }
    }
    assert!(kills >= 2, "{kills}");
    let (whole, killed) = (files(&directory.path().join("whole")), files(&directory.path().join("killed")));
    assert_eq!(whole.keys().collect::<Vec<_>>(), killed.keys().collect::<Vec<_>>());
    for (name, bytes) in &whole {
        assert!(*bytes == killed[name], "{name} differs after {kills} kills");
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_stops_a_run_and_says_how_to_go_on() {
    let directory = tempfile::tempdir().unwrap();
    let begin: Vec<&str> =
        SMALL.iter().copied().map(|arg| if arg == "3" { "1000" } else { arg }).chain(["--out", "run"]).collect();
    let child = command(directory.path(), &begin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !directory.path().join("run/networks/000001.safetensors").exists() {
        sleep(Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("stopped after generation") && shown.contains("--resume --out run"), "{shown}");
    let generation = shown.lines().find(|line| line.starts_with("stopped")).unwrap();
    let generation: u64 = generation.split(' ').nth(3).unwrap().trim_end_matches(':').parse().unwrap();
    let further = (generation + 1).to_string();
    let output = ok(directory.path(), &["train", "--resume", "--out", "run", "--budget", &further]);
    assert!(output.contains(&format!("finished after generation {further}")), "{output}");
}

#[test]
fn a_runs_network_plays() {
    let directory = tempfile::tempdir().unwrap();
    ok(directory.path(), &["train", "connect4-laptop", "--dummy", "--out", "c4"]);
    for name in ["c4", "c4@0", "c4/networks/000001.safetensors"] {
        let agent = format!("pv:net={name},sims=4");
        let output = ok(directory.path(), &["match", "connect4", &agent, "random", "--games", "2", "--json"]);
        let object: serde_json::Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
        assert_eq!(object["games"], 2);
        assert!(object["costs"][0]["evaluations"].as_u64().unwrap() > 0, "{output}");
    }
    let wrong = error(directory.path(), &["match", "tictactoe", "pv:net=c4", "random", "--games", "2"]);
    assert!(wrong.contains("trained for connect4"), "{wrong}");
    let wrong = error(directory.path(), &["match", "connect4", "pv:net=c4@7", "random", "--games", "2"]);
    assert!(wrong.contains("no such generation; it keeps 0, 1"), "{wrong}");
    let wrong = error(directory.path(), &["match", "connect4", "pv", "random", "--games", "2"]);
    assert!(wrong.contains("net is missing"), "{wrong}");
}

#[test]
fn bad_input_gets_one_clear_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    ok(path, &["train", "connect4-laptop", "--dummy", "--out", "c4"]);
    fs::write(path.join("bad.toml"), "game = \"chess\"\n[selfplay]\nsimulation = 4\n").unwrap();
    fs::write(path.join("file"), "").unwrap();
    for (args, words) in [
        (&["train", "nothing"][..], "no experiment"),
        (&["train", "minishogi-paper/nothing"], "without-solver"),
        (&["train", "bad.toml"], "simulation"),
        (&["train", "--budget", "soon"], "10m"),
        (&["train", "--threads", "0"], "--threads"),
        (&["train", "--set", "selfplay.games=no"], "games"),
        (&["train", "--set", "selfplay"], "KEY=VALUE"),
        (&["train", "--set", "game=go"], "unknown game"),
        (&["train", "minishogi-quick", "--set", "network.encoder=x"], "no encoder"),
        (&["train", "minishogi-quick", "--set", "network.blocks=5000"], "blocks"),
        (&["train", "--set", "measure.opponents=[\"nobody\"]"], "unknown agent"),
        (&["train", "minishogi-quick", "--set", "selfplay.mate=dfpn"], "dfpn:1000"),
        (&["train", "--out", "c4"], "--resume"),
        (&["train", "--resume", "--out", "nowhere"], "no run"),
        (&["train", "connect4-laptop", "--resume", "--out", "c4", "--set", "seed=2"], "another experiment"),
        (&["train", "--out", "file"], "file"),
        (&["train", "--rules", "paper"], "--rules"),
    ] {
        let line = error(path, args);
        assert!(line.contains(words), "{args:?}: {line}");
    }
}

/// A run of one generation that takes no time, in `runs/dqn-tictactoe` or where it is told.
const QUICK: &[&str] = &["train", "dqn-tictactoe", "--dummy"];

#[test]
fn two_runs_that_begin_at_once_get_two_directories() {
    let directory = tempfile::tempdir().unwrap();
    let start = || command(directory.path(), QUICK).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children: Vec<_> = (0..4).map(|_| start()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    for name in ["dqn-tictactoe", "dqn-tictactoe-2", "dqn-tictactoe-3", "dqn-tictactoe-4"] {
        assert!(directory.path().join("runs").join(name).join("report.html").exists(), "{name}");
    }
    // One that fails before it has begun leaves no directory.
    error(directory.path(), &["train", "dqn-tictactoe", "--set", "measure.opponents=[\"nobody\"]"]);
    assert!(!directory.path().join("runs/dqn-tictactoe-5").exists());
}

#[test]
fn one_damaged_run_does_not_hide_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for name in ["runs/a", "runs/b", "runs/c"] {
        ok(path, &[QUICK, &["--out", name]].concat());
    }
    for name in ["events.jsonl", "events.copy.jsonl"] {
        fs::write(path.join("runs/b").join(name), b"{\"event\": \xff").unwrap();
    }
    let listed = ok(path, &["runs"]);
    let line = |name: &str| listed.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("runs/a").contains("idle") && line("runs/c").contains("idle"), "{listed}");
    assert!(line("runs/b").contains("unreadable") && line("runs/b").contains("events.jsonl"), "{listed}");
    assert_eq!(ok(path, &["runs", "--json"]).lines().count(), 3);
    // What there are two of, or what stands in the manifest, is shown all the same.
    fs::write(path.join("runs/a/events.jsonl"), "?").unwrap();
    fs::write(path.join("runs/a/experiment.toml"), "?").unwrap();
    assert!(!ok(path, &["runs"]).lines().any(|line| line.starts_with("runs/a") && line.contains("unreadable")));
}

#[test]
fn a_runs_events_go_to_tensorboard() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    ok(path, &[QUICK, &["--out", "run"]].concat());
    let said = ok(path, &["runs", "export", "run", "--tensorboard", "logs/a"]);
    let file = path.join("logs/a/events.out.tfevents.0.tesuji");
    let bytes = fs::read(&file).unwrap();
    assert!(said.contains("events of run in"), "{said}");
    for tag in ["brain.Event:2", "loss/value", "play/mean_plies"] {
        assert!(bytes.windows(tag.len()).any(|window| window == tag.as_bytes()), "{tag}");
    }
    ok(path, &["runs", "export", "run", "--tensorboard", "logs/a"]);
    assert_eq!(fs::read(&file).unwrap(), bytes, "the same events, the same bytes");
    assert!(error(path, &["runs", "export", "nothing", "--tensorboard", "logs/b"]).contains("no run"));
    assert!(!path.join("logs/b").exists());
}

/// A run directory from somebody else must not start programs.
#[cfg(unix)]
#[test]
fn programs_that_a_file_names_run_only_with_leave() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let touched = path.join("touched");
    let line = format!("engine:sh -c 'touch {}'", touched.display());
    ok(path, &[QUICK, &["--out", "run"]].concat());
    let toml = fs::read_to_string(path.join("run/experiment.toml")).unwrap();
    let evil = toml.replace("\"random\"", &format!("\"{line}\"")).replace("final_games = 2", "final_games = 4");
    assert_ne!(toml, evil);
    fs::write(path.join("run/experiment.toml"), &evil).unwrap();
    fs::remove_file(path.join("run/manifest.json")).unwrap();
    fs::write(path.join("evil.toml"), &evil).unwrap();
    let agent = toml.replace("[measure]", &format!("[measure]\nagent = \"{line}\""));
    fs::write(path.join("agent.toml"), agent).unwrap();
    for (args, key) in [
        (&["train", "--resume", "--out", "run"][..], "measure.opponents"),
        (&["train", "evil.toml", "--out", "new"], "measure.opponents"),
        (&["train", "evil.toml", "--resume", "--out", "run"], "measure.opponents"),
        (&["train", "agent.toml", "--out", "new", "--dummy"], "measure.agent"),
        (&["train", "evil.toml", "--set", "seed=4"], "measure.opponents"),
    ] {
        let refused = error(path, args);
        assert!(refused.contains(key) && refused.contains("--allow-engines"), "{args:?}: {refused}");
        assert!(!touched.exists(), "{args:?}");
    }
    // With leave it is started (and found to be no engine); what the user writes himself needs none.
    let set = format!("measure.opponents=[\"{line}\"]");
    for args in [
        &["train", "--resume", "--out", "run", "--allow-engines"][..],
        &["train", "evil.toml", "--out", "other", "--set", &set],
    ] {
        let failed = error(path, args);
        assert!(failed.contains("crashed"), "{args:?}: {failed}");
        assert!(touched.exists(), "{args:?}");
        fs::remove_file(&touched).unwrap();
    }
}

#[test]
fn networks_that_come_with_the_program_play_wherever_it_runs() {
    let directory = tempfile::tempdir().unwrap();
    for game in ["bingo3d", "minishogi", "tubstap"] {
        let player = format!("pv:net={game},sims=40");
        let output = ok(directory.path(), &["match", game, &player, "random", "--games", "10", "--json"]);
        let result: serde_json::Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
        assert!(result["wins"].as_u64().unwrap() >= 8, "{game}: {result}");
    }
    let described = ok(directory.path(), &["net", "describe", "minishogi"]);
    assert!(described.contains("trained for minishogi"), "{described}");
    // They were trained before lines were stored with networks, and have theirs all the same.
    assert!(described.contains("trained as pv:net=NET,sims=400,c=1.5,fpu=0.2,mate=dfpn:1000"), "{described}");
    let described = ok(directory.path(), &["net", "describe", "tubstap", "--json"]);
    assert!(described.contains("pv:net=NET,sims=500,c=1.2,fpu=0.2,battack=1"), "{described}");
}

#[test]
fn settings_go_from_the_run_to_whoever_plays_its_network() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let set = ["--set", "selfplay.c_puct=3.5", "--set", "selfplay.b_attack=2"];
    let out = ok(path, &[&["train", "tubstap-laptop", "--dummy", "--out", "runs/t"], &set[..]].concat());
    let line = "pv:net=runs/t,sims=4,c=3.5,fpu=0.2,battack=2";
    assert!(out.contains(&format!("play it with: {line}\n")), "{out}");
    assert!(ok(path, &["net", "describe", "runs/t"]).contains("pv:net=NET,sims=4,c=3.5,fpu=0.2,battack=2"));
    let visits = |agent: &str| {
        let found = ok(path, &["analyse", "tubstap", "--agent", agent, "--budget", "sims=300", "--json"]);
        let found: serde_json::Value = serde_json::from_str(&found).unwrap();
        found["moves"].as_array().unwrap().iter().map(|of| of["visits"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let (stored, written) = (visits("pv:net=runs/t"), visits(line));
    assert_eq!(stored, visits(&line.replace("sims=4,", "")));
    assert_ne!(stored, visits("pv:net=runs/t,c=1.5,battack=0"));
    // A limit that is stored is for those who set none; on a line it is a limit.
    assert!(stored.iter().sum::<u64>() > 250 && written.iter().sum::<u64>() < 4, "{stored:?} {written:?}");
    // Another line can be stored instead.
    ok(path, &["net", "keep", "runs/t", "nets/mine", "--agent", "pv:net=NET,sims=4,c=0.5"]);
    assert!(ok(path, &["net", "describe", "mine"]).contains("trained as pv:net=NET,sims=4,c=0.5;"));
    assert_eq!(visits("pv:net=mine"), visits("pv:net=runs/t,c=0.5,battack=0"));
    assert!(error(path, &["net", "keep", "runs/t", "nets/x", "--agent", "pv:net=mine"]).contains("NET"));
    assert!(error(path, &["net", "keep", "runs/t", "nets/x", "--agent", "pv:net=NET,bogus=1"]).contains("bogus"));
}

#[test]
fn curves_have_steps_and_minutes_and_no_policy_where_there_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    ok(path, &["train", "td-tictactoe", "--dummy", "--out", "runs/td"]);
    ok(path, &["train", "connect4-laptop", "--dummy", "--out", "runs/c4"]);
    let curve = |run: &str| -> serde_json::Value {
        let text = ok(path, &["runs", "--curves", run, "--json"]);
        serde_json::from_str(text.lines().next().unwrap()).unwrap()
    };
    let (td, c4) = (curve("runs/td"), curve("runs/c4"));
    for point in [&td, &c4] {
        assert!(point["place"]["steps"].as_u64().unwrap() > 0 && point["place"]["minutes"].as_f64().unwrap() > 0.0);
        assert!(point["event"]["minutes"].is_null(), "events repeat to the byte: no times in them");
    }
    assert!(td["event"]["policy_loss"].is_null() && td["event"]["policy_accuracy"].is_null(), "{td}");
    let loss = |key: &str| c4["event"][key].as_f64().unwrap();
    let total = loss("divergence") + loss("value_loss") + loss("l2_loss");
    assert!((loss("total_loss") - total).abs() < 1e-5 && loss("l2_loss") > 0.0 && loss("divergence") > 0.0, "{c4}");
    let table = ok(path, &["runs", "--curves", "runs/c4"]);
    assert!(table.contains("minutes") && table.contains("KL"), "{table}");
    assert!(fs::read_to_string(path.join("runs/c4/report.html")).unwrap().contains("By training steps"));
    assert!(error(path, &["runs", "--curves", "runs/none"]).contains("no run"));
}

#[test]
fn a_kept_network_is_small_and_goes_by_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    ok(path, &["train", "connect4-laptop", "--dummy", "--out", "runs/c4"]);
    ok(path, &["net", "keep", "runs/c4", "nets/mine"]);
    for kept in ["network.safetensors", "experiment.toml", "run.json", "events.jsonl", "costs.jsonl"] {
        assert!(path.join("nets/mine").join(kept).is_file(), "{kept}");
    }
    let size = |file: &str| fs::metadata(path.join(file)).unwrap().len();
    assert!(size("nets/mine/network.safetensors") < size("runs/c4/networks/000001.safetensors"));
    ok(path, &["match", "connect4", "pv:net=mine,sims=4", "random", "--games", "2"]);
}

#[test]
fn every_way_of_learning_gives_an_agent() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (experiment, game, agents) in [
        ("dqn-shogi-paper", "shogi", &["dqn:net=RUN"][..]),
        ("dqn-tictactoe", "tictactoe", &["dqn:net=RUN", "dqn:net=RUN,sims=20", "dqn:net=RUN,epsilon=0.5"]),
        (
            "td-bingo3d-laptop",
            "bingo3d",
            &[
                "minimax:depth=1,eval=net:RUN",
                "alphabeta:pure,eval=net:RUN,depth=2",
                "uct:sims=9,eval=net:RUN",
                "uct:sims=9,eval=net:RUN,lambda=0.5",
                "uct:sims=9,select=pucb,eval=net:RUN",
            ],
        ),
        (
            "chess-supervised-laptop",
            "chess",
            &["policy:net=RUN", "policy:net=RUN,temperature=1,plies=8", "pv:net=RUN,sims=4"],
        ),
    ] {
        let run = format!("runs/{experiment}");
        ok(path, &["train", experiment, "--dummy", "--out", &run, "--set", "rules=official"]);
        for agent in agents {
            let agent = agent.replace("RUN", &run);
            ok(path, &["match", game, &agent, "random", "--games", "2", "--max-plies", "20"]);
        }
    }
    let refused = |agent: &str| error(path, &["match", "tictactoe", agent, "random", "--games", "2"]);
    assert!(refused("pv:net=runs/dqn-tictactoe").contains("no output"));
    assert!(refused("policy:net=runs/dqn-tictactoe").contains("no policy"));
    assert!(refused("alphabeta:pure,eval=net:runs/dqn-tictactoe").contains("no value"));
    assert!(refused("dqn:net=nowhere").contains("minishogi"));
    // A network to begin with that is of another kind, and one that is not there.
    let other = error(path, &["train", "chess-improve-laptop"]);
    assert!(other.contains("network.initial") && other.contains("another network"), "{other}");
    let empty = tempfile::tempdir().unwrap();
    let missing = error(empty.path(), &["train", "chess-improve-laptop"]);
    assert!(missing.contains("--set network.initial") && missing.contains("runs/chess-supervised-laptop"), "{missing}");
}

/// What a newcomer sees: what is learned, strength as it grows, and what to do next; each of it works.
#[test]
fn a_run_says_what_it_learns_how_strong_it_is_and_what_to_do_next() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let set = ["measure.every=1", "measure.games=2", "measure.final_games=4", "measure.opponents=[\"random\"]"];
    let changes: Vec<&str> = set.iter().flat_map(|change| ["--set", *change]).collect();
    let begin = ["train", "td-tictactoe", "--budget", "3", "--out", "runs/a", "--threads", "1"];
    let output = run(path, &[&begin[..], &changes].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    for (title, words) in [
        ("learning ", "tictactoe: a value"),
        ("network ", "from nothing"),
        ("budget ", "3 generations on 1 thread;"),
        ("strength ", "matches against random, after each generation"),
        ("run ", "--resume --out runs/a"),
        ("numbers ", "--explain"),
    ] {
        assert!(said.lines().any(|line| line.starts_with(title) && line.contains(words)), "{title}: {said}");
    }
    let is_block = |c: char| ('\u{2581}'..='\u{2588}').contains(&c);
    let curves: Vec<usize> = said
        .lines()
        .filter(|line| line.starts_with("  strength of generation"))
        .map(|line| line.chars().rev().take_while(|&c| is_block(c)).count())
        .collect();
    // The last generation plays again, with more games: its column is made anew.
    assert_eq!(curves, [1, 2, 3, 3], "{said}");
    assert!(shown.contains("growth"), "{shown}");
    let next: Vec<&str> = shown.lines().filter_map(|line| Some(line.split_once("  tesuji ")?.1)).collect();
    assert_eq!(next.len(), 3, "{shown}");
    assert_eq!(next[0], "serve --open");
    for command in &next[1..] {
        ok(path, &command.split(' ').collect::<Vec<_>>());
    }
    // A run that goes on knows the strength of before.
    let output = run(path, &["train", "--resume", "--out", "runs/a", "--budget", "4"]);
    let said = text(&output.stderr);
    let last = said.lines().rfind(|line| line.starts_with("  strength")).unwrap();
    assert_eq!(last.chars().rev().take_while(|&c| is_block(c)).count(), 4, "{said}");
    assert!(said.contains("from generation 3"), "{said}");
}

#[test]
fn explain_says_what_the_numbers_mean_and_begins_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let told = ok(path, &["train", "--explain"]);
    for word in ["minishogi", "10 min", "policy loss", "value loss", "Elo", "Only matches tell"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert!(told.lines().skip(4).all(|line| line.chars().count() <= 120), "{told}");
    assert!(ok(path, &["train", "dqn-tictactoe", "--explain", "--budget", "7"]).contains("7 generations"));
    assert!(error(path, &["train", "--explain", "--resume"]).contains("--resume"));
    assert!(fs::read_dir(path).unwrap().next().is_none(), "nothing was begun");
}
