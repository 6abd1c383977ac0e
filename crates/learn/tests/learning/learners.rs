//! Every learning method: the same at any number of threads, the same after interruptions, and one that learns.

use crate::common::{assert_same, kit_of, whole, work};
use std::path::Path;
use std::sync::Arc;
use tesuji_core::record::Played;
use tesuji_core::{GameRecord, GameRules, Outcome, Position, RuleBot, Rules, Stream};
use tesuji_games::shogi::Minishogi;
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::tubstap::Tubstap;
use tesuji_learn::agents::ValueNetwork;
use tesuji_learn::data::check::check;
use tesuji_learn::data::{Settings, Source, Writer};
use tesuji_learn::networks::encoder;
use tesuji_learn::run::ledger::Phase;
use tesuji_learn::run::{Event, GenerationEvent, TestScore, network_path};
use tesuji_learn::{Experiment, GameKit, NetworkStore};
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

/// Deep Q-learning in its better form: residual blocks, moves as planes, several steps that end before random moves.
const BETTER: &str = r#"
game = "tictactoe"
[network]
kind = "dqn"
convolutions = [{ filters = 16, size = 3 }]
blocks = 1
head = "planes"
hidden = [16]
duelling = true
[selfplay]
games = 64
[training]
batch = 64
samples_per_position = 8.0
optimiser = { adam = { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } }
schedule = { constant = { rate = 0.002 } }
l2 = 0.0
[method]
kind = "dqn"
replay = 20000
epsilon = { start = 1.0, end = 0.3, games = 600 }
gamma = 0.95
steps = 3
cut_random = true
priority = 0.6
target_every = 50
[measure]
final_games = 200
opening_plies = 0
opponents = ["random"]
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

/// One tree a cycle.
const TREE: &str = r#"
game = "tictactoe"
[network]
blocks = 1
filters = 16
[selfplay]
leaves = 4
[training]
batch = 16
schedule = { constant = { rate = 0.05 } }
[method]
kind = "tree"
iterations = 600
visits = 4
[measure]
final_games = 2
agent = "policy:net=NET"
opponents = ["random"]
"#;

/// Games of the rule bot first, then TD.
const SUPERVISED_TD: &str = r#"
game = "tictactoe"
[network]
kind = "dense"
hidden = [16]
[selfplay]
games = 40
[training]
batch = 8
optimiser = { adagrad = { epsilon = 1e-10 } }
schedule = { constant = { rate = 0.05 } }
l2 = 0.0
[method]
kind = "td"
supervised = 2
epsilon = [1.0]
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
    let planes = supervised.replace("filters = 16", "filters = 16\npolicy_head = \"planes\"");
    all.extend([supervised, valued, SUPERVISED_TD.to_owned(), TREE.to_owned(), planes]);
    let short = [("games = 64", "games = 20"), ("final_games = 200", "final_games = 2"), ("batch = 64", "batch = 16")];
    all.push(short.iter().fold(BETTER.to_owned(), |text, (from, to)| text.replace(from, to)));
    all
}

fn game() -> TicTacToe {
    TicTacToe::new(Rules::Official)
}

fn kit() -> Arc<dyn GameKit> {
    kit_of("tictactoe")
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

/// Plays a run of an experiment that comes with the program, shortened by these changes to so many generations, and checks
/// that it nearly always beats a random player. With `TESUJI_WHOLE_RUNS` set it plays all generations of the experiment as
/// it stands, which takes a minute and must never lose to anyone.
fn never_loses(text: &str, changes: &[(&str, &str)], short: u64, all: u64) {
    let whole_run = std::env::var_os("TESUJI_WHOLE_RUNS").is_some();
    let mut text = text.to_owned();
    for (from, to) in changes.iter().filter(|_| !whole_run) {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let directory = tempfile::tempdir().unwrap();
    let generations = if whole_run { all } else { short };
    let ended = whole(&kit(), &Experiment::from_toml(&text).unwrap(), directory.path(), 2, generations);
    let scores = scores(&ended.events);
    let [wins, draws, losses] = scores[0];
    let games = wins + draws + losses;
    // A random player would lose 29% of its games.
    assert!(5 * wins > 4 * games && 100 * losses <= 8 * games, "{scores:?}");
    if whole_run {
        assert_eq!((games, losses), (1000, 0));
        assert_eq!(scores[1..], [[0, 1000, 0]]);
    }
}

/// Fewer games against a random player only.
const SHORT: [(&str, &str); 2] = [("final_games = 1000", "final_games = 200"), (", \"alphabeta:pure,depth=9\"", "")];

#[test]
fn deep_q_learning_never_loses_at_tic_tac_toe() {
    let text = include_str!("../../../../experiments/dqn-tictactoe.toml");
    let changes = [
        ("hidden = [256, 128]", "hidden = [128, 64]"),
        ("samples_per_position = 16.0", "samples_per_position = 8.0"),
        ("steps = 12000", "steps = 2000"),
    ];
    never_loses(text, &[&changes[..], &SHORT].concat(), 25, 80);
}

#[test]
fn the_better_form_of_deep_q_learning_beats_random_moves_soon() {
    let directory = tempfile::tempdir().unwrap();
    let ended = whole(&kit(), &Experiment::from_toml(BETTER).unwrap(), directory.path(), 2, 14);
    let scores = scores(&ended.events);
    // Random moves against each other win as often as they lose.
    assert!(scores.len() == 1 && scores[0][0] >= 160 && scores[0][2] <= 30, "{scores:?}");
}

#[test]
fn td_learning_never_loses_at_tic_tac_toe() {
    let text = include_str!("../../../../experiments/td-tictactoe.toml");
    never_loses(text, &[&[("hidden = [192, 96]", "hidden = [64, 32]")][..], &SHORT].concat(), 60, 400);
}

/// Games start from the positions that the experiment names, each drawn anew where it says SEED; what is no position is
/// refused before anything is written.
#[test]
fn games_start_where_they_are_told_to() {
    let (game, directory) = (Tubstap::new(Rules::Official), tempfile::tempdir().unwrap());
    let text = TD.replace("tictactoe", "tubstap").replace("[network]", "[network]\nencoder = \"paper\"");
    let text = text.replace("final_games = 2", "final_games = 0");
    let starts = |lines: &str| text.replace("games = 40", &format!("games = 8\nstarts = {lines}"));
    let run = directory.path().join("run");
    let drawn = starts("[\"random:SEED:1v1\", \"map02\"]");
    whole(&kit_of("tubstap"), &Experiment::from_toml(&drawn).unwrap(), &run, 1, 1);
    let records = GameRecord::read_all(&std::fs::read(run.join("records/000001-0000.tsjr")).unwrap()).0;
    let mut places: Vec<&str> = records.iter().map(|record| record.start.as_str()).collect();
    let map = game.format_position(&game.parse_position("map02").unwrap());
    let of_map = places.iter().filter(|&&place| place == map).count();
    places.sort_unstable();
    places.dedup();
    assert!(of_map > 0 && of_map < 8 && places.len() == 8 - of_map + 1, "{places:?}");
    for (text, named) in [
        (starts("[\"nowhere\"]"), "selfplay.starts"),
        (text.replace("[measure]", "[measure]\nstarts = [\"random:x\"]"), "measure.starts"),
    ] {
        let root = directory.path().join("refused");
        let refused = work(&kit_of("tubstap"), &Experiment::from_toml(&text).unwrap(), &root, 1, 1, 999);
        let problem = refused.unwrap_err().to_string();
        assert!(problem.contains(named) && !problem.contains('\n'), "{problem}");
        assert!(!root.join("experiment.toml").exists());
    }
}

/// The tree of a cycle explores exactly as many states as it has iterations, all of its nodes with enough visits are
/// learned from, and the network comes nearer to what they are worth.
#[test]
fn one_tree_a_cycle_is_learned_from() {
    let directory = tempfile::tempdir().unwrap();
    let ended = whole(&kit(), &Experiment::from_toml(TREE).unwrap(), directory.path(), 2, 6);
    let generations: Vec<&GenerationEvent> = ended
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Generation(event) => Some(event),
            Event::Strength(_) => None,
        })
        .collect();
    for event in &generations {
        let nodes = event.play.positions;
        assert!((30..600).contains(&nodes), "{nodes}");
        assert_eq!((event.play.games, event.steps), (0, (4 * nodes).div_ceil(16)));
    }
    assert!(generations[5].value_loss < generations[0].value_loss);
    let played = ended.costs.iter().filter(|entry| entry.phase == Phase::SelfPlay);
    assert!(played.clone().count() == 6 && played.clone().all(|entry| entry.simulations == 600));
    // A leaf is a whole game: more evaluations, or remembered ones, than iterations.
    let asked = ended.costs.iter().filter(|entry| entry.phase == Phase::Inference);
    assert!(asked.clone().all(|entry| entry.evaluations + entry.cached > 600));
}

/// The first generations are games of the rule bot, whose results are learned by batches; TD follows, and its share of
/// random moves counts from its own first game.
#[test]
fn td_learning_can_begin_with_records_of_the_rule_bot() {
    let generations = |text: &str, count: u64| -> Vec<GenerationEvent> {
        let directory = tempfile::tempdir().unwrap();
        let ended = whole(&kit(), &Experiment::from_toml(text).unwrap(), directory.path(), 2, count);
        let of_generation = |event| match event {
            Event::Generation(event) => Some(event),
            Event::Strength(_) => None,
        };
        ended.events.into_iter().filter_map(of_generation).collect()
    };
    // The more often the same games are learned from, the nearer are their results.
    let longer = SUPERVISED_TD.replace("batch = 8", "batch = 8\nsamples_per_position = 40.0");
    let generations = (generations(SUPERVISED_TD, 6), generations(&longer, 1));
    let (generations, longer) = (generations.0, &generations.1[0]);
    assert_eq!(longer.play, generations[0].play);
    assert!(longer.value_loss < 0.9 * generations[0].value_loss, "{} {}", longer.value_loss, generations[0].value_loss);
    let batches = |positions: u64| (4 * positions).div_ceil(8);
    for event in &generations[..2] {
        assert_eq!(event.steps, batches(event.play.positions));
    }
    // A step for every move but the random ones, of which there is nothing else here.
    for event in &generations[2..] {
        assert_eq!((event.steps, event.step), (event.play.positions, generations[1].step));
    }
    // Whoever plays the first ones never misses a win.
    let bots = tempfile::tempdir().unwrap();
    whole(&kit(), &Experiment::from_toml(SUPERVISED_TD).unwrap(), bots.path(), 1, 1);
    let bytes = std::fs::read(bots.path().join("records/000001-0000.tsjr")).unwrap();
    let mut chances = 0;
    for record in GameRecord::read_all(&bytes).0 {
        let wins = |position: &<TicTacToe as GameRules>::Position, mv| {
            let mut next = *position;
            next.play(mv);
            next.outcome() == Some(Outcome::Win(position.mover()))
        };
        let check = |position: &<TicTacToe as GameRules>::Position, played, _: &Played| {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            if moves.iter().any(|&mv| wins(position, mv)) {
                chances += 1;
                assert!(wins(position, played), "{}", record.start);
            }
        };
        record.replay(game().start(), check).unwrap();
    }
    assert!(chances > 10, "{chances}");
}

/// TUBSTAP's positions have a view for each unit that may still act: V is their mean, for the learner as for the players.
#[test]
fn td_learning_values_a_position_by_all_of_its_views() {
    let text = TD.replace("tictactoe", "tubstap").replace("[network]", "[network]\nencoder = \"paper\"");
    let text = text.replace("games = 40", "games = 1").replace("final_games = 2", "final_games = 0");
    let text = text.replace("rate = 0.05", "rate = 1e-6").replace("lambda = 0.5", "lambda = 1.0\nskip_random = false");
    let (game, directory) = (Tubstap::new(Rules::Official), tempfile::tempdir().unwrap());
    let ended = whole(&kit_of("tubstap"), &Experiment::from_toml(&text).unwrap(), directory.path(), 1, 1);
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
    assert!(last.top1 > Some(0.4) && last.top5 > Some(0.8), "{last:?}");
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
fn a_network_without_a_policy_tells_nothing_of_one() {
    let directory = tempfile::tempdir().unwrap();
    let text = all(directory.path());
    let dense = text.iter().find(|text| text.contains("kind = \"dense\"") && text.contains("\"records\"")).unwrap();
    let run = directory.path().join("run");
    let ended = whole(&kit(), &Experiment::from_toml(dense).unwrap(), &run, 1, 1);
    let Event::Generation(event) = &ended.events[0] else { panic!("{:?}", ended.events) };
    let test = event.test.unwrap();
    assert_eq!((event.policy_loss, event.divergence, event.policy_accuracy), (None, None, None));
    assert_eq!((test.top1, test.top5, test.cross_entropy), (None, None, None));
    assert!(test.positions > 0 && test.value_error > 0.0 && event.total_loss >= event.value_loss);
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
        (TREE.replace("iterations = 600", "iterations = 0"), "method.iterations"),
        (TREE.replace("visits = 4", "visits = 1"), "method.visits"),
        (TREE.replace("visits = 4", "tau = nan"), "method.tau"),
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
    // What a head of planes does not go with, and encoders that have none.
    let residual = "game = \"minishogi\"\n[network]\npolicy_head = \"planes\"\n";
    let dqn = "game = \"minishogi\"\n[method]\nkind = \"dqn\"\n[network]\nkind = \"dqn\"\nhead = \"planes\"\n";
    let minishogi = Minishogi::new(Rules::Official);
    for (text, named) in [
        (format!("{residual}encoder = \"paper\""), "does not number moves by planes"),
        (format!("{residual}policy_hidden = [8]"), "policy_hidden"),
        (format!("{dqn}encoder = \"paper\""), "does not number moves by planes"),
        (format!("{dqn}encoder = \"dqn-image\""), "does not number moves by planes"),
        (format!("{dqn}hidden = [8]"), "duelling"),
        (format!("{dqn}blocks = 2"), "convolution"),
    ] {
        let error = Experiment::from_toml(&text).unwrap().network_info(&minishogi).unwrap_err().to_string();
        assert!(error.contains(named), "{text}: {error}");
    }
    for (text, moves) in [(residual, 525), (dqn, 525)] {
        let info = Experiment::from_toml(text).unwrap().network_info(&minishogi).unwrap().float().unwrap();
        assert_eq!(info.spec.graph().unwrap().output_len(0), moves);
    }
}
