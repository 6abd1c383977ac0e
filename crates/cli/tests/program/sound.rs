//! What must be refused, in one line, before anything is done.

use crate::common::{one_line, refusal, tesuji, with_input};
use std::fs;
use std::path::Path;

/// Maps that are larger than the six by six squares of the network `tubstap`.
const LARGE_MAPS: [&str; 3] = ["random:3:8x8", "bridge", "islands"];

#[test]
fn networks_refuse_positions_that_their_encoder_has_no_room_for() {
    for map in LARGE_MAPS {
        for agent in ["pv:net=tubstap,sims=2", "policy:net=tubstap", "uct:sims=2,eval=net:tubstap"] {
            let problem = refusal(&["analyse", "tubstap", map, "--agent", agent]);
            assert!(problem.contains("encoder") && problem.contains("6x6"), "{agent} {map}: {problem}");
        }
        let problem = refusal(&["analyse", "tubstap", map, "--agent", "alphabeta:pure,depth=1,eval=net:tubstap"]);
        assert!(problem.contains("no room"), "{map}: {problem}");
    }
}

#[test]
fn matches_and_games_with_networks_refuse_such_positions_too() {
    let directory = tempfile::tempdir().unwrap();
    let openings = directory.path().join("openings.txt");
    fs::write(&openings, "startpos\nbridge\n").unwrap();
    let openings = openings.to_str().unwrap();
    let agents = ["policy:net=tubstap", "random"];
    let contest = ["--games", "2", "--openings", openings, "--max-plies", "4"];
    for command in ["match", "tournament"] {
        let problem = refusal(&[&[command, "tubstap"], &agents[..], &contest].concat());
        assert!(problem.contains("policy:net=tubstap") && problem.contains("no room"), "{problem}");
    }
    let out = directory.path().join("data");
    let data = ["data", "generate", "--game", "tubstap", "--first", agents[0], "--out", out.to_str().unwrap()];
    let problem = refusal(&[&data[..], &contest].concat());
    assert!(problem.contains("no room"), "{problem}");
    let arguments = ["play", "tubstap", "policy:net=tubstap", "--position", "bridge"];
    let problem = one_line(&with_input(&arguments, b"quit\n"), &arguments);
    assert!(problem.contains("no room"), "{problem}");
}

#[test]
fn an_engine_says_so_and_goes_on() {
    let arguments = ["engine", "--game", "tubstap", "--agent", "policy:net=tubstap"];
    let output = with_input(&arguments, b"uci\nposition fen bridge\ngo\nposition startpos\ngo\nquit\n");
    let said = crate::common::stdout(&output);
    assert!(output.status.success() && said.contains("info string the network's encoder"), "{said}");
    let moves: Vec<&str> = said.lines().filter(|line| line.starts_with("bestmove")).collect();
    assert!(moves.len() == 2 && moves[0] == "bestmove (none)" && moves[1] != moves[0], "{said}");
}

#[test]
fn numbers_out_of_their_range_are_refused_by_every_command() {
    let analyse = |agent: &'static str| vec!["analyse", "connect4", "--agent", agent];
    let train = |change: &'static str| vec!["train", "dqn-tictactoe", "--print-config", "--set", change];
    let cases = [
        (analyse("uct:sims=0"), "sims=0: expected a whole number from 1 to"),
        (analyse("uct:memory=999999999"), "from 1 to 65536"),
        (analyse("alphabeta:hash=999999999"), "from 0 to 65536"),
        (analyse("uct:batch=1000000"), "from 1 to 4096"),
        (analyse("uct:c=nan"), "a number from 0 to 1000"),
        (analyse("uct:noise=inf:0.25"), "A from"),
        (vec!["analyse", "chess", "--agent", "pv:net=x,mate=dfs:8"], "odd"),
        (vec!["analyse", "connect4", "--budget", "sims=0"], "from 1 to"),
        (vec!["match", "connect4", "bot", "random", "--max-plies", "0"], "1..=1000000"),
        (vec!["match", "connect4", "bot", "random", "--games", "99999999999"], "1..=10000000"),
        (vec!["match", "connect4", "bot", "random", "--games", "0"], "1..=10000000"),
        (vec!["match", "connect4", "bot", "random", "--threads", "100000"], "1..=256"),
        (vec!["match", "connect4", "bot", "random", "--openings", "random:4000000000"], "0 to 1000"),
        (vec!["match", "connect4", "bot", "random", "--adjudicate-win", "nan,2"], "VALUE,MOVES"),
        (vec!["match", "connect4", "bot", "random", "--sprt", "0,inf"], "ELO0,ELO1"),
        (vec!["mate", "chess", "--hash", "99999999999"], "65536"),
        (vec!["play-random", "chess", "--games", "99999999999999999"], "1..="),
        (vec!["data", "import", "x.pgn", "--out", "x", "--keep", "nan"], "0.000001 to 1"),
        (vec!["bench", "nn", "--seconds", "inf"], "0.001 to 3600"),
        (vec!["train", "--budget", "0", "--print-config"], "1 generation"),
        (vec!["train", "--budget", "0s", "--print-config"], "1 generation"),
        (train("method.win=nan"), "method.win = nan: expected a number from"),
        (train("method.captures=-1e9"), "method.captures = -1000000000.0: expected a number from"),
        (train("method.epsilon=2"), "method.epsilon = 2: expected a number from 0 to 1"),
        (train("method.epsilon=0.5"), "expected a list of shares"),
        (train("method.epsilon=[2]"), "method.epsilon = 2: expected a number from 0 to 1"),
        (train("method.replay=0"), "method.replay = 0: expected a whole number from 1 to"),
        (train("selfplay.noise_alpha=inf"), "selfplay.noise_alpha = inf: expected a number from"),
        (train("selfplay.c_puct=-1"), "selfplay.c_puct = -1: expected a number from 0 to 1000"),
        (train("selfplay.fpu=nan"), "selfplay.fpu = nan: expected a number from"),
        (train("selfplay.leaves=100000000"), "selfplay.leaves = 100000000: expected a whole number from 1 to"),
        (train("training.schedule.constant.rate=inf"), "training.schedule.constant.rate = inf: expected"),
        (train("measure.simulations=0"), "measure.simulations = 0: expected"),
        (train("budget=\"0\""), "1 generation"),
    ];
    for (arguments, told) in cases {
        let problem = refusal(&arguments);
        assert!(problem.contains(told), "{arguments:?}: {problem}");
        assert!(!problem.contains("untagged"), "{arguments:?}: {problem}");
    }
}

/// The real values are looked at, not the small ones of the dummy run.
#[test]
fn a_dummy_run_checks_the_real_values() {
    for change in ["selfplay.simulations=0", "training.batch=999999999999", "network.blocks=100000000"] {
        let problem = refusal(&["train", "connect4-laptop", "--dummy", "--out", "none", "--set", change]);
        let key = change.split('=').next().unwrap();
        assert!(problem.contains(key) && problem.contains("from "), "{change}: {problem}");
    }
    assert!(!Path::new("none").exists());
}

#[test]
fn a_start_that_fails_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    let out = root.to_str().unwrap();
    for experiment in [
        &["minishogi-quick", "--set", "network.initial=nowhere"][..],
        &["chess-supervised-laptop", "--budget", "10m", "--set", "method.data=nowhere"],
        &["minishogi-quick", "--set", "measure.opponents=[\"nobody\"]"],
        &["minishogi-quick", "--set", "network.encoder=none"],
    ] {
        refusal(&[&["train", "--out", out], experiment].concat());
        assert!(!root.exists(), "{experiment:?}");
        // A directory that was there stays, and stays empty.
        fs::create_dir(&root).unwrap();
        refusal(&[&["train", "--out", out], experiment].concat());
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "{experiment:?}");
        fs::remove_dir(&root).unwrap();
    }
    let again = tesuji(&["train", "dqn-tictactoe", "--dummy", "--out", out]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
}
