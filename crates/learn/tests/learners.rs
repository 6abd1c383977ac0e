//! Every way of learning: the same at any number of threads, the same after interruptions, and one that learns.

mod common;

use common::{assert_same, whole, work};
use std::path::Path;
use tesuji_core::{GameRecord, GameRules, Position, RuleBot, Rules, Stream};
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::tubstap::Tubstap;
use tesuji_learn::agents::ValueNetwork;
use tesuji_learn::data::check::check;
use tesuji_learn::data::{Settings, Source, Writer};
use tesuji_learn::networks::encoder;
use tesuji_learn::run::{Event, TestScore, network_path};
use tesuji_learn::{Experiment, Kit, NetworkStore};
use tesuji_nn::{ConvMethod, NetworkFile, Worker};

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
[method]
kind = "dqn"
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
[method]
kind = "dqn"
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
[method]
kind = "dqn"
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
[method]
kind = "td"
lambda = 0.5
[measure]
final_games = 2
agent = "minimax:depth=1,eval=net:NET"
opponents = ["random"]
"#;

/// From records, into `DATA`.
const SUPERVISED: &str = r#"
game = "tictactoe"
[network]
blocks = 1
filters = 16
[training]
batch = 32
steps = 30
schedule = { constant = { rate = 0.05 } }
[method]
kind = "records"
data = "DATA"
folds = 4
fold = 1
[measure]
final_games = 2
agent = "policy:net=NET"
opponents = ["random"]
"#;

/// Games of the rule bot against itself.
fn write_data(directory: &Path, games: u64) {
    let settings = Settings { seed: 1, keep: 1.0, sources: vec![Source { name: "bot".to_owned(), bytes: 0 }] };
    let mut writer = Writer::create(&game(), directory, settings).unwrap();
    for number in 0..games {
        let mut random = Stream::new(number, "bot games", 0);
        let mut position = game().start();
        let mut record = GameRecord::new("tictactoe", Rules::Official, game().rules_version(), "startpos");
        let mut moves = Vec::new();
        while position.expand(&mut moves).is_none() {
            let mv = game().bot_move(&position, &moves, &mut random);
            record.push(mv);
            position.play(mv);
        }
        record.outcome = position.outcome();
        writer.add(check(&game(), &record).unwrap()).unwrap();
    }
    writer.finish().unwrap();
}

/// Every experiment, with the data that one of them reads.
fn all(directory: &Path) -> Vec<String> {
    let data = directory.join("data");
    write_data(&data, 400);
    let supervised = SUPERVISED.replace("DATA", data.to_str().unwrap());
    let valued = supervised
        .replace("blocks = 1\nfilters = 16", "kind = \"dense\"\nhidden = [16]")
        .replace("policy:net=NET", "minimax:depth=1,eval=net:NET");
    let mut all: Vec<String> = [DQN, INTERLEAVED, SEARCHED, TD].map(str::to_owned).into();
    all.extend([supervised, valued]);
    all
}

fn game() -> TicTacToe {
    TicTacToe::new(Rules::Official)
}

fn kit() -> Kit<TicTacToe> {
    Kit(game())
}

#[test]
fn runs_are_the_same_at_any_number_of_threads() {
    let data = tempfile::tempdir().unwrap();
    for text in all(data.path()) {
        let directory = tempfile::tempdir().unwrap();
        let experiment = Experiment::from_toml(&text).unwrap();
        for threads in [1, 2, 4] {
            whole(&kit(), &experiment, &directory.path().join(threads.to_string()), threads, 3);
        }
        assert_same(&directory.path().join("1"), &directory.path().join("2"));
        assert_same(&directory.path().join("1"), &directory.path().join("4"));
    }
}

#[test]
fn interrupted_runs_end_like_others() {
    let data = tempfile::tempdir().unwrap();
    for text in all(data.path()) {
        let directory = tempfile::tempdir().unwrap();
        let (straight, broken) = (directory.path().join("straight"), directory.path().join("broken"));
        let experiment = Experiment::from_toml(&text).unwrap();
        whole(&kit(), &experiment, &straight, 2, 4);
        for attempt in 0.. {
            assert!(attempt < 200, "never ends");
            let (ended, _) = work(&kit(), &experiment, &broken, 1 + attempt % 2, 4, 20 + 17 * attempt).unwrap();
            if !ended.stopped {
                break;
            }
        }
        assert_same(&straight, &broken);
    }
}

/// A run may be killed between saving its last network and removing what is old.
#[test]
fn runs_tidy_up_when_they_go_on() {
    let directory = tempfile::tempdir().unwrap();
    let (straight, killed) = (directory.path().join("straight"), directory.path().join("killed"));
    let experiment = Experiment::from_toml(TD).unwrap();
    for run in [&straight, &killed] {
        whole(&kit(), &experiment, run, 1, 4);
    }
    std::fs::copy(network_path(&killed, 3), network_path(&killed, 2)).unwrap();
    let part = |generation: u64| killed.join(format!("records/{generation:06}-0000.tsjr"));
    std::fs::copy(part(3), part(2)).unwrap();
    whole(&kit(), &experiment, &killed, 1, 4);
    assert_same(&straight, &killed);
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
    let ended = whole(&kit(), &Experiment::from_toml(text).unwrap(), directory.path(), 2, generations);
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

/// TUBSTAP's positions have a view for each unit that may still act: V is their mean, for the learner as for the players.
#[test]
fn td_learning_values_a_position_by_all_of_its_views() {
    let text = TD.replace("tictactoe", "tubstap").replace("[network]", "[network]\nencoder = \"paper\"");
    let text = text.replace("games = 40", "games = 1").replace("final_games = 2", "final_games = 0");
    let text = text.replace("rate = 0.05", "rate = 1e-6").replace("lambda = 0.5", "lambda = 1.0\nskip_random = false");
    let (game, directory) = (Tubstap::new(Rules::Official), tempfile::tempdir().unwrap());
    let ended = whole(&Kit(game), &Experiment::from_toml(&text).unwrap(), directory.path(), 1, 1);
    let Event::Generation(event) = &ended.events[0] else { panic!("a generation comes first") };
    let bytes = std::fs::read(directory.path().join("records/000001-0000.tsjr")).unwrap();
    let record = GameRecord::read_all(&bytes).0.swap_remove(0);
    let mut positions = Vec::new();
    let start = tesuji_core::game::parse_line(&game, &record.start).unwrap();
    record.replay(start, |position, _, _| positions.push(position.clone())).unwrap();
    let result = record.outcome.unwrap().value().get();
    let values = |generation| {
        let path = network_path(directory.path(), generation);
        let network = NetworkStore::new().open(&game, path.to_str().unwrap(), ConvMethod::Direct).unwrap();
        let encoder = encoder(&game, &network.info.encoder).unwrap();
        assert!(positions.iter().any(|position| encoder.views(position) > 1));
        ValueNetwork::new(encoder, Worker::new(network.model.clone())).unwrap().values(positions.iter())
    };
    let mean = |errors: &mut dyn Iterator<Item = f32>| errors.map(|e| e * e).sum::<f32>() / positions.len() as f32;
    let before = values(0);
    let delta = |place: usize| before.get(place + 1).unwrap_or(&result) - before[place];
    let expected = mean(&mut (0..before.len()).map(delta));
    assert!((event.value_loss / expected - 1.0).abs() < 0.01, "{} {expected}", event.value_loss);
    // With lambda = 1 the steps add up to those of a descent to the result.
    let error = |values: &[f32]| mean(&mut values.iter().map(|value| result - value));
    assert!(error(&values(1)) < error(&before));
}

#[test]
fn records_teach_moves_and_results_that_hold_for_games_held_out() {
    let directory = tempfile::tempdir().unwrap();
    let text = all(directory.path()).swap_remove(4);
    let run = directory.path().join("run");
    let ended = whole(&kit(), &Experiment::from_toml(&text).unwrap(), &run, 2, 12);
    let tests: Vec<TestScore> = ended
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Generation(event) => event.test,
            Event::Strength(_) => None,
        })
        .collect();
    let (first, last) = (tests[0], tests[11]);
    // The bot wins and blocks when it can: about half of its moves are forced, the others are random.
    assert!(last.top1 > 0.4 && last.top5 > 0.8, "{last:?}");
    assert!(last.cross_entropy < first.cross_entropy && last.value_error < first.value_error, "{first:?} {last:?}");
    assert!(last.positions > 500 && last.value_accuracy > 0.6, "{last:?}");

    // Self-play can begin where records left off, with leaves valued by the greedy policy.
    let initial = format!("initial = \"{}\"\n", run.display());
    let selfplay = text.split("[method]").next().unwrap().replace("[network]\n", &format!("[network]\n{initial}"));
    let selfplay = format!(
        "{selfplay}\n[selfplay]\ngames = 4\nsimulations = 8\ngreedy_rollouts = true\n[measure]\nfinal_games = 0\n"
    );
    let improved = directory.path().join("improved");
    whole(&kit(), &Experiment::from_toml(&selfplay).unwrap(), &improved, 1, 1);
    let weights = |root: &Path, generation| NetworkFile::load(&network_path(root, generation)).unwrap().weights;
    assert_eq!(weights(&improved, 0), weights(&run, 12));
    assert_ne!(weights(&improved, 1), weights(&run, 12));
    let other = selfplay.replace("filters = 16", "filters = 8");
    let refused = work(&kit(), &Experiment::from_toml(&other).unwrap(), &directory.path().join("other"), 1, 1, 999);
    assert!(refused.unwrap_err().to_string().contains("another network"));
}

#[test]
fn records_that_are_not_there_are_a_clear_error() {
    let directory = tempfile::tempdir().unwrap();
    for (data, named) in [("", "tesuji data"), ("nowhere", "nowhere")] {
        let experiment = Experiment::from_toml(&SUPERVISED.replace("DATA", data)).unwrap();
        let refused = work(&kit(), &experiment, &directory.path().join("run"), 1, 1, 999);
        let problem = refused.unwrap_err().to_string();
        assert!(problem.contains(named) && !problem.contains('\n'), "{problem}");
    }
}

#[test]
fn a_run_does_not_go_on_with_other_records() {
    let directory = tempfile::tempdir().unwrap();
    let (data, run) = (directory.path().join("data"), directory.path().join("run"));
    write_data(&data, 100);
    let experiment = Experiment::from_toml(&SUPERVISED.replace("DATA", data.to_str().unwrap())).unwrap();
    work(&kit(), &experiment, &run, 1, 1, 999).unwrap();
    std::fs::remove_dir_all(&data).unwrap();
    write_data(&data, 101);
    let problem = work(&kit(), &experiment, &run, 1, 2, 999).unwrap_err().to_string();
    assert!(problem.contains("not the data set") && !problem.contains('\n'), "{problem}");
    std::fs::remove_dir_all(&data).unwrap();
    write_data(&data, 100);
    work(&kit(), &experiment, &run, 1, 2, 999).unwrap();
}

#[test]
fn sections_and_networks_must_fit() {
    for (text, named) in [
        (INTERLEAVED.replacen("kind = \"dqn\"", "kind = \"dense\"", 1), "network.kind"),
        (DQN.replacen("kind = \"dqn\"", "kind = \"residual\"", 1), "unknown field `convolutions`"),
        (TD.replace("kind = \"dense\"", "kind = \"dqn\""), "network.kind"),
        (TD.replace("lambda = 0.5", "lambda = 1.5"), "lambda"),
        (format!("{TD}\n[dqn]\n"), "unknown field `dqn`"),
        (DQN.replace("steps = 2", "steps = 0"), "method.steps"),
        (DQN.replace("replay = 300", "replay = 0"), "method.replay"),
        (DQN.replace("start = 0.8", "start = 1.8"), "epsilon"),
    ] {
        let error = Experiment::from_toml(&text).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
    let pairs = DQN.replace("replay = 300", "replay = 300\npairs = true");
    let experiment = Experiment::from_toml(&pairs).unwrap();
    assert!(experiment.network_info(&game()).unwrap_err().to_string().contains("pairs"));
}
