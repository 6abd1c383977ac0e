//! Integer networks in runs: the same bytes always, labels of the right sign, and a network that learns.

use crate::common::{assert_same, kit_of, whole, work};
use std::sync::Arc;
use tesuji_core::{Budget, Features, Game, GameRules, MoveList, Position, Quiet, Rules, Side, Stream};
use tesuji_games::chess::Chess;
use tesuji_games::connect4::Connect4;
use tesuji_games::shogi::Minishogi;
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::tubstap::Tubstap;
use tesuji_learn::networks::{NnueEvaluator, features, features_info};
use tesuji_learn::run::{Checkpoint, Event, network_path};
use tesuji_learn::{Agents, Experiment, GameKit};
use tesuji_nn::nnue::{NnueActivation, NnueNetwork, NnueSpec, NnueTrainer, NnueTraining};
use tesuji_search::AgentSource;
use tesuji_search::evaluate::StaticEvaluator;

const TINY: &str = r#"
game = "connect4"
[network]
kind = "nnue"
width = 32
[selfplay]
games = 70
random_plies = 6
resign = 0.95
[training]
batch = 64
[method]
kind = "nnue"
window = 2
epochs = 2
rate = 0.01
held_out = 10
play = { nodes = 30, least_random_plies = 2, random_moves = 0.05, hash = 1 }
[measure]
every = 1
games = 2
final_games = 4
agent = "nnue:net=NET,nodes=50,hash=1"
opponents = ["random", "generation:-1"]
[keep]
networks_every = 2
"#;

fn tiny() -> Experiment {
    Experiment::from_toml(TINY).unwrap()
}

fn connect4() -> Arc<dyn GameKit> {
    kit_of("connect4")
}

#[test]
fn a_run_is_the_same_at_any_number_of_threads_and_after_interruptions() {
    let directory = tempfile::tempdir().unwrap();
    let root = |name: &str| directory.path().join(name);
    for (name, threads) in [("1", 1), ("3", 3)] {
        let ended = whole(&connect4(), &tiny(), &root(name), threads, 3);
        assert_eq!((ended.generation, ended.stopped), (3, false));
    }
    assert_same(&root("1"), &root("3"));
    let mut starts = 0;
    loop {
        starts += 1;
        let patience = [40, 75, 90, 5, 120][starts % 5];
        let (ended, notes) = work(&connect4(), &tiny(), &root("stopped"), 2, 3, patience).unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        if !ended.stopped {
            break;
        }
    }
    assert!(starts > 3);
    assert_same(&root("1"), &root("stopped"));
}

#[test]
fn labels_have_the_sign_of_results_and_the_network_learns() {
    let directory = tempfile::tempdir().unwrap();
    let mut experiment =
        Experiment::from_toml(&TINY.replace("connect4", "minishogi").replace("nodes = 30,", "nodes = 300,")).unwrap();
    (experiment.selfplay.games, experiment.selfplay.max_plies) = (120, 100);
    experiment.measure.every = 0;
    (experiment.measure.final_games, experiment.measure.opponents) = (20, vec!["random".to_owned()]);
    let ended = whole(&kit_of("minishogi"), &experiment, directory.path(), 2, 2);
    let mut generations = 0;
    for event in &ended.events {
        match event {
            Event::Generation(event) => {
                generations += 1;
                let held_out = event.held_out.unwrap();
                // About 0.63 with a standard error of 0.03 by so few positions; labels of the wrong sign would give 0.37.
                assert!(held_out.agreement > 0.55, "{held_out:?}");
                assert!(held_out.positions > 100 && held_out.quantisation < 20.0, "{held_out:?}");
                if event.generation == 1 {
                    assert!(held_out.loss < 0.9 * held_out.before, "{held_out:?}");
                }
            }
            Event::Strength(event) => {
                let [won, drawn, lost] = event.score;
                assert!(2 * won + drawn > 10 * lost, "{:?} against {}", event.score, event.opponent);
            }
        }
    }
    assert_eq!(generations, 2);
}

#[test]
fn every_option_works_and_bad_ones_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let base = "game = \"tictactoe\"\n[network]\nkind = \"nnue\"\nwidth = 32\ndense = [8]\n[selfplay]\ngames = 20\n\
                [training]\nbatch = 16\n[measure]\nfinal_games = 0\n[method]\nkind = \"nnue\"\n";
    let with = |options: &str| Experiment::from_toml(&format!("{base}{options}"));
    let kit = kit_of("tictactoe");
    for (number, options) in [
        "start = \"nothing\"\ntargets = \"td-leaf\"\nplay = { nodes = 20 }",
        "fresh = true\nloss = \"cross-entropy\"\nheld_out = 0\nplay = { nodes = 20, opening_limit = 1.0 }",
    ]
    .into_iter()
    .enumerate()
    {
        let ended = whole(&kit, &with(options).unwrap(), &directory.path().join(number.to_string()), 1, 2);
        assert_eq!(ended.generation, 2, "{options}");
    }
    for (options, named) in [
        ("lambda = 2.0", "lambda"),
        ("rate = 0.0", "rate"),
        ("epochs = 0", "epochs"),
        ("window = 0", "window"),
        ("held_out = 1", "held_out"),
        ("decay = -1.0", "decay"),
        ("play = { nodes = 0 }", "nodes"),
        ("play = { node = 1 }", "node"),
        ("start = \"book\"", "book"),
    ] {
        let error = with(options).unwrap_err().to_string();
        assert!(error.contains(named) && !error.contains('\n'), "{options}: {error}");
    }
    let error = Experiment::from_toml(&base.replace("batch = 16", "search_value = 0.5")).unwrap_err().to_string();
    assert!(error.contains("method.lambda"), "{error}");
    let wide = Experiment::from_toml(&base.replace("width = 32", "width = 33")).unwrap();
    let error = wide.network_info(&TicTacToe::new(Rules::Official)).unwrap_err().to_string();
    assert!(error.contains("multiple of 32"), "{error}");
}

/// The next run begins with the network of one before.
#[test]
fn a_run_begins_with_a_network_that_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (a, b) = (directory.path().join("a"), directory.path().join("b"));
    whole(&connect4(), &tiny(), &a, 1, 1);
    let text = TINY.replace("width = 32", &format!("width = 32\ninitial = {:?}", a.display().to_string()));
    let experiment = Experiment::from_toml(&text).unwrap();
    whole(&connect4(), &experiment, &b, 1, 1);
    let network = |path| match Checkpoint::load(path).unwrap() {
        Checkpoint::Integer(file) => file.network,
        Checkpoint::Float(_) => panic!("not an integer network"),
    };
    let (before, after) = (network(&network_path(&a, 1)), network(&network_path(&b, 0)));
    let differ = |(a, b): (&i16, &i16)| a.abs_diff(*b) > 1;
    assert!(!before.weights().rows.iter().zip(&after.weights().rows).any(differ));
    let wrong = Experiment::from_toml(&text.replace("width = 32", "width = 64")).unwrap();
    let error = work(&connect4(), &wrong, &directory.path().join("c"), 1, 1, usize::MAX).err().unwrap().to_string();
    assert!(error.contains("network.initial") && !error.contains('\n'), "{error}");
}

/// A network of random weights for a game.
fn network<G: Game>(game: &G) -> (Arc<dyn Features<G::Position>>, Arc<NnueNetwork>) {
    let info = features_info(game, "").unwrap();
    let spec = NnueSpec {
        features: info.name.to_owned(),
        features_version: info.version,
        inputs: info.inputs,
        shared_inputs: info.shared_inputs,
        most_active: info.most_active,
        width: 32,
        dense: Vec::new(),
        activation: NnueActivation::SquaredClipped,
        scale: 600,
    };
    let trainer = NnueTrainer::new(spec, NnueTraining::default(), info.shared, 1).unwrap();
    (features(game, "").unwrap(), Arc::new(trainer.network()))
}

/// Goes down and up at random, and compares what is kept up to date with what starts anew.
fn incremental_is_refreshed<G: Game>(game: G) {
    let (features, network) = network(&game);
    let mut evaluator = NnueEvaluator::new(game.clone(), Arc::clone(&features), Arc::clone(&network));
    let mut random = Stream::new(1, "walk", 0);
    let (mut own, mut other, mut moves) = (Vec::new(), Vec::new(), MoveList::new());
    let mut scores = std::collections::BTreeSet::new();
    for _ in 0..30 {
        let mut line = vec![game.varied_start(&mut random)];
        evaluator.start(&line[0]);
        for _ in 0..80 {
            let position = line.last().unwrap();
            let ended = position.expand(&mut moves).is_some();
            if !ended && random.below(3) > 0 {
                features.active(position, position.mover(), &mut own);
                features.active(position, position.mover().other(), &mut other);
                let score = evaluator.evaluate(position);
                assert_eq!(score, network.score(&own, &other), "{}", game.name());
                scores.insert(score);
            }
            if line.len() > 1 && (ended || random.below(3) == 0) {
                line.pop();
                evaluator.pop();
            } else if !ended {
                let mut next = position.clone();
                next.play(moves[random.below(moves.len())]);
                evaluator.push(position, &next);
                line.push(next);
            }
        }
    }
    assert!(scores.len() > 20, "{}: {scores:?}", game.name());
}

#[test]
fn what_is_kept_up_to_date_is_what_starts_anew() {
    incremental_is_refreshed(Chess::new(Rules::Official));
    incremental_is_refreshed(Minishogi::new(Rules::Official));
    incremental_is_refreshed(tesuji_games::shogi::Shogi::new(Rules::Official));
    incremental_is_refreshed(Tubstap::new(Rules::Official));
    incremental_is_refreshed(tesuji_games::bingo3d::Bingo3d::new(Rules::Official));
    incremental_is_refreshed(Connect4::new(Rules::Official));
    incremental_is_refreshed(TicTacToe::new(Rules::Official));
}

/// A map that is too large for the features is judged by the heuristic, not refused in the middle of a game.
#[test]
fn positions_that_do_not_fit_are_judged_by_the_heuristic() {
    use tesuji_core::Heuristics;
    let game = Tubstap::new(Rules::Official);
    let (features, network) = network(&game);
    let mut battle = game.parse_position("islands").unwrap();
    assert!(!features.accepts(&battle));
    let mut evaluator = NnueEvaluator::new(game, features, network);
    let mut moves = MoveList::new();
    battle.moves(&mut moves);
    evaluator.start(&battle);
    let before = battle.clone();
    battle.play(moves[0]);
    evaluator.push(&before, &battle);
    let sign = if battle.mover() == Side::First { 1 } else { -1 };
    assert_eq!(evaluator.evaluate(&battle), sign * game.heuristic(&battle));
}

#[test]
fn an_integer_network_plays_judges_leaves_and_is_refused_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    whole(&connect4(), &tiny(), &root, 1, 1);
    let (kit, name) = (connect4(), root.display().to_string());
    let agents = Agents::of(kit.as_ref());
    let start = kit.game().start();
    for line in [
        format!("nnue:net={name},nodes=200,hash=1"),
        format!("nnue:net={name},depth=3,off=late+deep"),
        format!("uct:sims=30,eval=net:{name}"),
        format!("alphabeta:pure,depth=2,eval=net:{name}"),
        "best:nodes=100".to_owned(),
    ] {
        let mut searcher = agents.searcher(&line, 1).unwrap().unwrap();
        let budget = searcher.budget(&Budget::UNLIMITED);
        let found = searcher.search.search(start.as_ref(), &budget, &mut Quiet);
        assert!(start.moves().contains(&found.best), "{line}");
        let again = agents.searcher(&line, 1).unwrap().unwrap().search.search(start.as_ref(), &budget, &mut Quiet);
        assert_eq!((again.best, again.value, again.nodes), (found.best, found.value, found.nodes), "{line}");
    }
    for (line, named) in [
        (format!("pv:net={name}"), "an integer network"),
        (format!("nnue:net={name},threads=0"), "threads"),
        (format!("nnue:net={name},hash=70000"), "hash"),
        ("nnue".to_owned(), "net is missing"),
        ("nnue:net=minishogi".to_owned(), "trained for minishogi"),
    ] {
        let error = agents.searcher(&line, 1).err().unwrap().to_string();
        assert!(error.contains(named) && !error.contains('\n'), "{line}: {error}");
    }
    let minishogi = kit_of("minishogi");
    let error = Agents::of(minishogi.as_ref()).searcher("nnue:net=minishogi", 1).err().unwrap().to_string();
    assert!(error.contains("not an integer network"), "{error}");
}

#[test]
fn the_first_generation_can_be_read_from_files() {
    let directory = tempfile::tempdir().unwrap();
    let (a, b) = (directory.path().join("a"), directory.path().join("b"));
    whole(&connect4(), &tiny(), &a, 1, 1);
    let files: Vec<_> = (0..3).map(|part| a.join("records").join(format!("000001-{part:04}.tsjr"))).collect();
    let method = format!("kind = \"nnue\"\nstart = \"games\"\ngames = {files:?}");
    let experiment =
        Experiment::from_toml(&TINY.replace("kind = \"nnue\"\nwindow", &format!("{method}\nwindow"))).unwrap();
    let ended = whole(&connect4(), &experiment, &b, 1, 2);
    let games: Vec<u64> = ended
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Generation(event) => Some(event.play.games),
            Event::Strength(_) => None,
        })
        .collect();
    assert_eq!(games, [70, 70]);
    // The same games make the same network, whoever played them.
    let network = |root: &std::path::Path| std::fs::read(network_path(root, 1)).unwrap();
    assert!(network(&a) == network(&b));
    let missing =
        TINY.replace("kind = \"nnue\"\nwindow", "kind = \"nnue\"\nstart = \"games\"\ngames = [\"nowhere\"]\nwindow");
    let missing = Experiment::from_toml(&missing).unwrap();
    let error = work(&connect4(), &missing, &directory.path().join("c"), 1, 1, usize::MAX).err().unwrap().to_string();
    assert!(error.contains("nowhere") && !error.contains('\n'), "{error}");
    assert!(Experiment::from_toml(&TINY.replace("window = 2", "start = \"games\"")).is_err());
}
