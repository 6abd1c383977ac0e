//! Every number of the five papers that is a parameter, against what the program does when it is asked to do as they did:
//! `tesuji train NAME --print-config`, the agents that stand for theirs, the encoders and the networks. The papers' own
//! words are in docs/papers.md.

use crate::common::text;
use serde_json::Value as Json;

/// (experiment or NAME/VARIANT, key, value as TOML writes it).
type Claim = (&'static str, &'static str, &'static str);

const SHOGI: &[Claim] = &[
    ("dqn-shogi-paper", "rules", "'paper'"),
    ("dqn-shogi-paper", "network.encoder", "'dqn'"),
    ("dqn-shogi-paper", "network.reading", "'sideways'"),
    (
        "dqn-shogi-paper",
        "network.convolutions",
        "[{ filters = 63, size = 5 }, { filters = 126, size = 3 }, { filters = 126, size = 1 }]",
    ),
    ("dqn-shogi-paper", "network.hidden", "[2352, 441]"),
    ("dqn-shogi-paper", "method.pairs", "true"),
    ("dqn-shogi-paper", "method.replay", "2000"),
    ("dqn-shogi-paper", "method.epsilon", "[0.8, 0.525, 0.36, 0.256, 0.19, 0.15, 0.13, 0.12, 0.11, 0.10]"),
    ("dqn-shogi-paper", "method.win", "1000.0"),
    ("dqn-shogi-paper", "method.captures", "1.0"),
    ("dqn-shogi-paper", "method.train_every", "1"),
    ("dqn-shogi-paper", "method.double", "false"),
    ("dqn-shogi-paper", "training.batch", "10"),
    ("dqn-shogi-paper", "training.optimiser", "{ adam = { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } }"),
    ("dqn-shogi-paper", "training.schedule", "{ constant = { rate = 0.0001 } }"),
    // Ten training games, one a generation, of any length; ten test games as each side, which have a limit.
    ("dqn-shogi-paper", "budget", "'10'"),
    ("dqn-shogi-paper", "selfplay.games", "1"),
    ("dqn-shogi-paper", "selfplay.max_plies", "100000"),
    ("dqn-shogi-paper", "measure.max_plies", "400"),
    ("dqn-shogi-paper", "measure.final_games", "20"),
    ("dqn-shogi-paper", "measure.opponents", "['random']"),
];

const MINISHOGI: &[Claim] = &[
    ("minishogi-paper", "rules", "'paper'"),
    ("minishogi-paper", "network.encoder", "'paper'"),
    ("minishogi-paper", "network.blocks", "10"),
    ("minishogi-paper", "network.filters", "256"),
    ("minishogi-paper", "network.convolution", "'plain'"),
    ("minishogi-paper", "network.policy_filters", "2"),
    ("minishogi-paper", "network.policy_hidden", "[256]"),
    ("minishogi-paper", "network.value_filters", "1"),
    ("minishogi-paper", "network.value_hidden", "[256]"),
    ("minishogi-paper", "selfplay.c_puct", "5.0"),
    ("minishogi-paper", "selfplay.simulations", "1600"),
    ("minishogi-paper", "selfplay.leaves", "32"),
    ("minishogi-paper", "selfplay.noise_epsilon", "0.25"),
    ("minishogi-paper", "selfplay.noise_alpha", "0.03"),
    ("minishogi-paper", "selfplay.reuse", "false"),
    ("minishogi-paper", "selfplay.temperature", "1.0"),
    ("minishogi-paper", "selfplay.temperature_plies", "20"),
    ("minishogi-paper", "selfplay.temperature_end", "0.0"),
    ("minishogi-paper", "selfplay.mate", "'dfs:7'"),
    ("minishogi-paper", "selfplay.mate_beside", "1000"),
    ("minishogi-paper/without-solver", "selfplay.mate", "'none'"),
    ("minishogi-paper", "selfplay.max_plies", "256"),
    ("minishogi-paper", "selfplay.first_games", "6000"),
    ("minishogi-paper", "training.window_games", "6000"),
    ("minishogi-paper", "training.window_positions", "0"),
    ("minishogi-paper", "training.batch", "1024"),
    ("minishogi-paper", "training.l2", "1e-4"),
    ("minishogi-paper", "training.optimiser", "{ sgd = { momentum = 0.9, nesterov = false } }"),
    ("minishogi-paper", "training.schedule", "{ constant = { rate = 0.01 } }"),
    ("minishogi-paper", "training.search_value", "0.0"),
    // 3000 minutes; 25,100 batches by 4797 games.
    ("minishogi-paper", "budget", "'50h'"),
    ("minishogi-paper", "selfplay.games", "100"),
    ("minishogi-paper", "training.steps", "523"),
];

const TUBSTAP: &[Claim] = &[
    ("tubstap-paper", "rules", "'paper'"),
    ("tubstap-paper", "network.encoder", "'paper'"),
    ("tubstap-paper", "network.blocks", "8"),
    ("tubstap-paper/blocks-4", "network.blocks", "4"),
    ("tubstap-paper/blocks-6", "network.blocks", "6"),
    ("tubstap-paper", "network.filters", "128"),
    ("tubstap-paper", "network.convolution", "'separable'"),
    ("tubstap-paper/plain", "network.convolution", "'plain'"),
    ("tubstap-paper", "network.dropout", "0.3"),
    ("tubstap-paper/no-dropout", "network.dropout", "0.0"),
    ("tubstap-paper", "network.policy_order", "'dense-first'"),
    ("tubstap-paper", "network.policy_filters", "0"),
    ("tubstap-paper", "network.policy_hidden", "[]"),
    ("tubstap-paper", "network.value_filters", "0"),
    ("tubstap-paper", "network.value_hidden", "[128]"),
    ("tubstap-paper", "selfplay.c_puct", "0.8"),
    ("tubstap-paper", "selfplay.b_attack", "3.7"),
    ("tubstap-paper/no-attack-bias", "selfplay.b_attack", "0.0"),
    ("tubstap-paper", "selfplay.whole_units", "true"),
    ("tubstap-paper", "selfplay.simulations", "500"),
    ("tubstap-paper", "selfplay.reuse", "true"),
    ("tubstap-paper", "selfplay.temperature_decay", "'linear'"),
    ("tubstap-paper", "selfplay.varied_starts", "true"),
    ("tubstap-paper", "training.l2", "1e-4"),
    ("tubstap-paper", "training.optimiser", "{ sgd = { momentum = 0.9, nesterov = true } }"),
    ("tubstap-paper", "training.batch", "128"),
    ("tubstap-paper", "training.symmetries", "true"),
    ("tubstap-paper", "measure.final_games", "150"),
    (
        "tubstap-paper",
        "measure.agent",
        "'pv:net=NET,sims=500,c=0.8,battack=3.7,wholeunits=on,fpu=none,batch=1,solver=off'",
    ),
    ("tubstap-paper", "measure.opponents", "['random', 'pmc:rollouts=100', 'tubstap-mcts:sims=2000']"),
];

const BINGO: &[Claim] = &[
    ("td-bingo3d-paper", "network.encoder", "'paper'"),
    ("td-bingo3d-paper", "network.hidden", "[96, 64, 32]"),
    ("td-bingo3d-paper", "method.supervised", "10"),
    ("td-bingo3d-paper", "method.lambda", "0.7"),
    ("td-bingo3d-paper", "training.optimiser", "{ adagrad = { epsilon = 1e-9 } }"),
    ("td-bingo3d-paper/gradient-descent", "training.optimiser", "'gradient-descent'"),
    ("td-bingo3d-paper", "measure.final_games", "1000"),
    ("td-bingo3d-paper", "measure.agent", "'uct:sims=200,select=uct,c=0.3,eval=net:NET,lambda=0.7,rollout=bot'"),
    ("td-bingo3d-paper", "measure.opponents", "['random', 'bot']"),
];

const CHESS: &[Claim] = &[
    ("chess-supervised-paper", "network.encoder", "'paper'"),
    ("chess-supervised-paper", "network.blocks", "12"),
    ("chess-supervised-paper", "network.filters", "256"),
    ("chess-supervised-paper", "training.optimiser", "{ adam = { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } }"),
    ("chess-supervised-paper/c-5", "training.l2", "5.0"),
    ("chess-supervised-paper", "method.folds", "5"),
    ("chess-supervised-paper", "method.test_positions", "500000"),
    ("chess-tree-paper", "network.encoder", "'paper'"),
    ("chess-tree-paper", "network.blocks", "12"),
    ("chess-tree-paper", "network.filters", "256"),
    ("chess-tree-paper", "method.kind", "'tree'"),
    ("chess-tree-paper", "method.iterations", "50000"),
    ("chess-tree-paper", "method.target", "'q'"),
    // Twenty cycles: 1,000,000 states in all.
    ("chess-tree-paper", "budget", "'20'"),
];

/// The value at `a.b` of a configuration.
fn at<'t>(config: &'t toml::Table, key: &str) -> Option<&'t toml::Value> {
    let mut parts = key.split('.');
    let first = config.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.as_table()?.get(part))
}

/// Whether two values are the same; numbers as the program keeps them, in 32 bits.
fn same(a: &toml::Value, b: &toml::Value) -> bool {
    match (a, b) {
        (toml::Value::Float(a), toml::Value::Float(b)) => *a as f32 == *b as f32,
        (toml::Value::Array(a), toml::Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (toml::Value::Table(a), toml::Value::Table(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

#[test]
fn the_papers_experiments_have_the_papers_numbers() {
    let mut known: Vec<(&str, toml::Table)> = Vec::new();
    let mut wrong = Vec::new();
    for &(name, key, value) in [SHOGI, MINISHOGI, TUBSTAP, BINGO, CHESS].into_iter().flatten() {
        if known.iter().all(|(known, _)| *known != name) {
            known.push((name, text(&["train", name, "--print-config"]).parse().unwrap()));
        }
        let config = &known.iter().find(|(known, _)| *known == name).unwrap().1;
        let wanted = format!("v = {value}").parse::<toml::Table>().unwrap().remove("v").unwrap();
        let found = at(config, key);
        if !found.is_some_and(|found| same(found, &wanted)) {
            wrong.push(format!("{name}: {key} is {found:?}, the paper has {value}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn objects(args: &[&str]) -> Vec<Json> {
    text(args).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Planes, sizes and policies of the papers' inputs and outputs.
#[test]
fn the_papers_encoders_have_the_papers_shapes() {
    for (game, rules, encoder, planes, size, policy) in [
        ("shogi", "paper", "dqn", 63, 9, None),
        ("minishogi", "paper", "paper", 31, 5, Some(1500)),
        ("tubstap", "paper", "paper", 5, 6, Some(180)),
        ("chess", "official", "paper", 13, 8, None),
    ] {
        let games = objects(&["games", "--json", "--rules", rules]);
        let game = games.iter().find(|found| found["name"] == game).unwrap();
        let found = game["encoders"].as_array().unwrap().iter().find(|found| found["name"] == encoder).unwrap();
        assert_eq!([&found["planes"], &found["height"], &found["width"]], [planes, size, size], "{game}");
        assert!(policy.is_none_or(|policy| found["policy"] == policy), "{game}");
    }
}

/// The opponents and searches of the papers are agents of their own.
#[test]
fn the_papers_agents_have_the_papers_numbers() {
    let agents = objects(&["agents", "--json"]);
    for (name, wanted) in [
        // C = sqrt(1.41), playouts of 15 plies.
        ("shogi-uct", &["c=1.1874", "cut=15", "judge=reward"][..]),
        ("bingo-uct", &["select=uct", "c=0.3", "lambda=0.7", "rollout=bot"]),
        ("tubstap-mcts", &["c=1", "sims=2000"]),
    ] {
        let agent = agents.iter().find(|agent| agent["name"] == name).unwrap();
        let line = agent["line"].as_str().unwrap();
        for wanted in wanted {
            assert!(line.split([',', ':']).any(|part| part == *wanted), "{name}: {line}: {wanted}");
        }
    }
    assert!((1.41_f64.sqrt() - 1.1874).abs() < 1e-4);
    let default = |agent: &str, key: &str| {
        let agent = agents.iter().find(|found| found["name"] == agent).unwrap();
        let key = agent["keys"].as_array().unwrap().iter().find(|found| found["name"] == key).unwrap();
        key["default"].as_str().unwrap().to_owned()
    };
    // PMC: 100 rollouts for each move.
    assert_eq!(default("pmc", "rollouts"), "100");
}
