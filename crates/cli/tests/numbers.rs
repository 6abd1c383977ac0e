//! Numbers that mean what they say: probabilities of networks, and results that depend on nothing but the seed.
//!
//! A program of its own that starts no other one: a child holds the locks of all files that are open when it is made, until
//! it is another program, and journals are opened again here at once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, play_match};
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_core::{AnyPosition, Budget, Quiet, Rules, Stream};
use tesuji_learn::agents::AgentSpec;
use tesuji_learn::run::About;
use tesuji_learn::{Agents, Experiment, GameKit, networks};
use tesuji_nn::nnue::{NnueTrainer, NnueTraining};
use tesuji_nn::{NetworkFile, Weights};
use tesuji_search::AgentSource;

/// A position some random moves into a game.
fn position(kit: &dyn GameKit, number: u64) -> Box<dyn AnyPosition> {
    let mut random = Stream::new(7, "positions", number);
    loop {
        let mut position = kit.game().start();
        for _ in 0..random.below(40) {
            let Some(&mv) = random.choose(&position.moves()) else { break };
            position.play(mv).unwrap();
        }
        if position.outcome().is_none() {
            return position;
        }
    }
}

#[test]
fn a_networks_policy_is_a_probability_and_the_prior_of_its_search() {
    for name in networks::shipped().iter().filter(|network| !network.is_integer).map(|network| network.name) {
        let about = networks::open(name).unwrap().1.about;
        let kit = tesuji_registry::kit(&about.game, about.rules).unwrap();
        let agents = Agents::of(kit.as_ref());
        let make = |line: String| agents.searcher(&line, 1).unwrap().unwrap().search;
        let mut alone = make(format!("policy:net={name}"));
        // A network may have been trained with priors that sum to the number of units, as the TUBSTAP paper has them.
        let mut trees =
            [make(format!("pv:net={name},mate=none,wholeunits=off")), make(format!("uct:select=pucb,eval=net:{name}"))];
        for number in 0..100 {
            let position = position(kit.as_ref(), number);
            let found = alone.search(position.as_ref(), &Budget::UNLIMITED, &mut Quiet);
            assert_eq!(found.policy.iter().map(|&(mv, _)| mv).collect::<Vec<_>>(), position.moves());
            let sum: f32 = found.policy.iter().map(|&(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-4, "{name} {number}: {sum}");
            let share = |wanted| found.policy.iter().find(|&&(mv, _)| mv == wanted).unwrap().1;
            assert!(found.policy.iter().all(|&(_, other)| other <= share(found.best)), "{name} {number}");
            for tree in &mut trees {
                tree.new_game(1);
                tree.search(position.as_ref(), &Budget::simulations(2), &mut Quiet);
                let considered = tree.considered();
                // A position that is proved at once has no priors.
                for of in &considered {
                    assert!((of.prior - share(of.mv)).abs() < 1e-4, "{name} {number}: {of:?} {}", share(of.mv));
                }
                assert!(considered.is_empty() || considered.len() == found.policy.len());
            }
        }
    }
}

/// Every kind of agent, on a game that suits it, quick and with as much chance in it as it has; DQN stands for a network
/// of Q values, NNUE for an integer network.
const EVERY_KIND: [(&str, &str); 21] = [
    ("connect4", "random"),
    ("bingo3d", "bot"),
    ("connect4", "pmc:rollouts=1,cut=4"),
    ("connect4", "minimax:depth=1"),
    ("connect4", "alphabeta:depth=2,hash=1"),
    ("bingo3d", "alphabeta:pure,depth=1,eval=net:bingo3d"),
    ("connect4", "uct:sims=12,temperature=1,cut=6"),
    ("bingo3d", "uct:sims=6,select=pucb,eval=net:bingo3d,temperature=1,noise=0.3:0.25"),
    ("tubstap", "muct:sims=6,cut=4,temperature=1"),
    ("minishogi", "shogi-uct:sims=6,temperature=1"),
    ("bingo3d", "bingo-uct:sims=6,cut=4,temperature=1"),
    ("tubstap", "tubstap-mcts:sims=6,cut=4,temperature=1"),
    ("minishogi", "pv:net=minishogi,sims=4,temperature=1,mate=dfpn:50"),
    ("tubstap", "pv:net=tubstap,sims=3,temperature=1"),
    ("bingo3d", "pv:net=bingo3d,sims=4,gumbel=4"),
    ("minishogi", "policy:net=minishogi,temperature=1"),
    ("tubstap", "policy:net=tubstap,temperature=1"),
    ("bingo3d", "policy:net=bingo3d,temperature=1"),
    ("tictactoe", "dqn:net=DQN,epsilon=0.5"),
    ("connect4", "nnue:net=NNUE,nodes=200,hash=1"),
    ("minishogi", "best:nodes=200"),
];

/// An untrained network of Q values for tic-tac-toe.
fn write_q_network(path: &Path) {
    let text = "game = \"tictactoe\"\n[network]\nkind = \"dqn\"\nhidden = [16]\n[method]\nkind = \"dqn\"";
    let kit = tesuji_registry::kit("tictactoe", Rules::Official).unwrap();
    let about = Experiment::from_toml(text).unwrap().network_info(kit.game().as_ref()).unwrap().float().unwrap();
    let weights = Weights::init(&about.spec.graph().unwrap(), 3);
    NetworkFile { about, weights, state: BTreeMap::new() }.save(path).unwrap();
}

/// An untrained integer network for connect four.
fn write_integer_network(path: &Path) {
    let text = "game = \"connect4\"\n[network]\nkind = \"nnue\"\nwidth = 32\n[method]\nkind = \"nnue\"";
    let kit = tesuji_registry::kit("connect4", Rules::Official).unwrap();
    let About::Integer(about) = Experiment::from_toml(text).unwrap().network_info(kit.game().as_ref()).unwrap() else {
        panic!("an integer network")
    };
    let shared = (0..about.spec.inputs as u32).collect();
    let trainer = NnueTrainer::new(about.spec.clone(), NnueTraining::default(), shared, 3).unwrap();
    trainer.checkpoint(about).save(path).unwrap();
}

/// What must repeat of a game.
fn moves(results: &[GameResult]) -> Vec<(usize, usize, &str, &[String], String)> {
    let one = |game: &GameResult| format!("{:?} {}", game.outcome, game.ending);
    results.iter().map(|game| (game.index, game.first, game.start.as_str(), game.moves.as_slice(), one(game))).collect()
}

#[test]
fn every_agent_plays_the_same_games_at_any_number_of_threads_and_after_a_resume() {
    let directory = tempfile::tempdir().unwrap();
    let network = directory.path().join("q.safetensors");
    write_q_network(&network);
    let integers = directory.path().join("nnue.safetensors");
    write_integer_network(&integers);
    for (number, (game, line)) in EVERY_KIND.into_iter().enumerate() {
        let line = line.replace("DQN", network.to_str().unwrap()).replace("NNUE", integers.to_str().unwrap());
        let kit = tesuji_registry::kit(game, Rules::Official).unwrap();
        let agents = Agents::of(kit.as_ref());
        let spec = MatchSpec {
            game: game.to_owned(),
            rules: Rules::Official,
            players: [line.clone(), line.clone()],
            budgets: [Budget::UNLIMITED; 2],
            margin: Duration::from_secs(60),
            openings: Openings::Random(2),
            adjudication: Adjudication { max_plies: Some(10), ..Adjudication::default() },
            seed: 5,
        };
        let make = || agents.player(&line, 0).map_err(|error| error.to_string());
        let play = |games: usize, threads: usize, journal: Option<&mut Journal>| {
            let length = MatchLength { games, sprt: None, threads };
            let stop = AtomicBool::new(false);
            play_match(kit.game().as_ref(), &spec, &length, [&make, &make], journal, &stop, &mut |_| {}).unwrap()
        };
        let one = play(6, 1, None);
        assert_eq!(moves(&one), moves(&play(6, 2, None)), "{line}: threads");
        let path = directory.path().join(format!("{number}.jsonl"));
        play(3, 1, Some(&mut Journal::open(&path, &spec).unwrap()));
        let resumed = play(6, 1, Some(&mut Journal::open(&path, &spec).unwrap()));
        assert_eq!(moves(&one), moves(&resumed), "{line}: resumed");
    }
    for kind in AgentSpec::kinds().iter().filter(|kind| kind.name != "engine") {
        let tried = EVERY_KIND.iter().any(|(_, line)| line.split(':').next() == Some(kind.name));
        assert!(tried, "{} is not tried", kind.name);
    }
}
