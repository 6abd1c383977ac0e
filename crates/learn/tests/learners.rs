//! Every way of learning: the same at any number of threads, the same after interruptions, and one that learns.

mod common;

use common::{assert_same, whole, work};
use tesuji_core::Rules;
use tesuji_games::tictactoe::TicTacToe;
use tesuji_learn::Experiment;
use tesuji_learn::run::Event;

/// Deep Q-learning with everything that is optional.
const DQN: &str = r#"
game = "tictactoe"
[network]
kind = "dqn"
convolutions = [{ filters = 8, size = 3 }]
hidden = [16]
duelling = true
[selfplay]
games = 40
in_flight = 8
[training]
batch = 16
optimiser = { adam = { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } }
schedule = { constant = { rate = 0.001 } }
[dqn]
replay = 300
epsilon = { start = 0.8, end = 0.2, games = 60 }
steps = 2
priority = 0.6
target_every = 7
[measure]
final_games = 2
opponents = ["random", "generation:0"]
"#;

/// As the shogi paper plays: a step after every move, the opponent a part of the world.
const INTERLEAVED: &str = r#"
game = "tictactoe"
[network]
kind = "dqn"
hidden = [16]
[selfplay]
games = 3
[training]
batch = 10
optimiser = { adam = { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } }
schedule = { constant = { rate = 0.001 } }
[dqn]
train_every = 1
replay = 30
epsilon = [0.8, 0.5, 0.3]
opponent = "ignored"
double = false
target_every = 5
[measure]
final_games = 2
opponents = ["random"]
"#;

/// Targets by tree search.
const SEARCHED: &str = r#"
game = "tictactoe"
[network]
kind = "dqn"
hidden = [16]
[selfplay]
games = 10
[training]
batch = 8
steps = 4
[dqn]
search = 6
[measure]
final_games = 0
"#;

const TD: &str = r#"
game = "tictactoe"
[network]
kind = "dense"
hidden = [16]
[selfplay]
games = 40
in_flight = 8
[training]
optimiser = { adagrad = { epsilon = 1e-10 } }
schedule = { constant = { rate = 0.05 } }
l2 = 0.0
[td]
lambda = 0.5
[measure]
final_games = 2
agent = "minimax:depth=1,eval=net:NET"
opponents = ["random"]
"#;

const ALL: [&str; 4] = [DQN, INTERLEAVED, SEARCHED, TD];

fn game() -> TicTacToe {
    TicTacToe::new(Rules::Official)
}

#[test]
fn runs_are_the_same_at_any_number_of_threads() {
    for text in ALL {
        let directory = tempfile::tempdir().unwrap();
        let experiment = Experiment::from_toml(text).unwrap();
        for threads in [1, 2, 4] {
            whole(&game(), &experiment, &directory.path().join(threads.to_string()), threads, 3);
        }
        assert_same(&directory.path().join("1"), &directory.path().join("2"));
        assert_same(&directory.path().join("1"), &directory.path().join("4"));
    }
}

#[test]
fn interrupted_runs_end_like_others() {
    for text in ALL {
        let directory = tempfile::tempdir().unwrap();
        let (straight, broken) = (directory.path().join("straight"), directory.path().join("broken"));
        let experiment = Experiment::from_toml(text).unwrap();
        whole(&game(), &experiment, &straight, 2, 4);
        for attempt in 0.. {
            assert!(attempt < 200, "never ends");
            let (ended, _) = work(&game(), &experiment, &broken, 1 + attempt % 2, 4, 20 + 17 * attempt).unwrap();
            if !ended.stopped {
                break;
            }
        }
        assert_same(&straight, &broken);
    }
}

/// Wins, draws and losses of the last measurement against each opponent.
fn scores(events: &[Event]) -> Vec<[u64; 3]> {
    let strength = |event: &Event| match event {
        Event::Strength(event) => Some(event.score),
        Event::Generation(_) => None,
    };
    events.iter().filter_map(strength).collect()
}

/// Plays a whole run of an experiment that comes with the program, and checks that it does not lose to anyone.
fn never_loses(text: &str, generations: u64) {
    let directory = tempfile::tempdir().unwrap();
    let ended = whole(&game(), &Experiment::from_toml(text).unwrap(), directory.path(), 2, generations);
    let scores = scores(&ended.events);
    assert_eq!(scores.len(), 2);
    assert!(scores.iter().all(|&[wins, draws, losses]| wins + draws == 1000 && losses == 0), "{scores:?}");
    assert!(scores[0][0] > 800, "{scores:?}");
}

#[test]
fn deep_q_learning_never_loses_at_tic_tac_toe() {
    never_loses(include_str!("../../../experiments/dqn-tictactoe.toml"), 80);
}

#[test]
fn td_learning_never_loses_at_tic_tac_toe() {
    never_loses(include_str!("../../../experiments/td-tictactoe.toml"), 400);
}

#[test]
fn sections_and_networks_must_fit() {
    for (text, named) in [
        (DQN.replace("kind = \"dqn\"", "kind = \"residual\""), "network.kind"),
        (TD.replace("kind = \"dense\"", "kind = \"dqn\""), "network.kind"),
        (TD.replace("lambda = 0.5", "lambda = 1.5"), "lambda"),
        (format!("{TD}\n[dqn]\n"), "one way of learning"),
        (DQN.replace("steps = 2", "steps = 0"), "dqn.steps"),
        (DQN.replace("replay = 300", "replay = 0"), "dqn.replay"),
        (DQN.replace("start = 0.8", "start = 1.8"), "epsilon"),
    ] {
        let error = Experiment::from_toml(&text).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
    let pairs = DQN.replace("replay = 300", "replay = 300\npairs = true");
    let experiment = Experiment::from_toml(&pairs).unwrap();
    assert!(experiment.spec(&game()).unwrap_err().to_string().contains("pairs"));
}
