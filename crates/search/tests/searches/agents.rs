//! Agents by name, on every game.

use tesuji_core::{Budget, Game, GameLine, GameRules, MoveList, Position, Rules, Stream};
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::{Visitor, names, visit};
use tesuji_search::{ClassicalSpec, classical};

/// Every kind, with limits that make it quick.
const LINES: [&str; 19] = [
    "random",
    "bot",
    "pmc:rollouts=1,cut=4",
    "pmc:rollouts=1,rollout=bot,cut=2",
    "minimax:depth=1",
    "alphabeta:depth=2,hash=1,quiesce=2",
    "alphabeta:nodes=200,hash=0",
    "uct:sims=20,cut=6",
    "uct:sims=20,select=tuned,rollout=strength,cut=6",
    "uct:sims=20,select=uct,eval=mix,lambda=0.7,cut=6",
    "uct:sims=40,select=puct,battack=3.7,expand=0,eval=heuristic,batch=8,noise=0.3:0.25,forced=2",
    "uct:sims=20,select=pucb,eval=heuristic,expand=0,final=secure,reuse=off",
    "uct:sims=20,widen=2:0.5,killers=on,history=0.5,cut=6,final=ucb",
    "uct:sims=20,gumbel=4,eval=heuristic,select=puct",
    "uct:sims=20,final=robustmax,cut=6",
    "muct:sims=20,cut=6",
    "shogi-uct:sims=20",
    "bingo-uct:sims=10,cut=4",
    "tubstap-mcts:sims=20,cut=6,temperature=1",
];

struct PlaysLegally(&'static str);

impl Visitor for PlaysLegally {
    type Output = ();

    fn visit<G: Game>(self, game: G) {
        let mut players =
            [0, 1].map(|_| classical::player(&game, self.0, 7).unwrap_or_else(|error| panic!("{}: {error}", self.0)));
        players.iter_mut().for_each(|player| player.new_game(3).unwrap());
        let mut line =
            GameLine { game: game.name().into(), rules: game.rules(), start: "startpos".into(), moves: Vec::new() };
        let mut position = game.start();
        for _ in 0..6 {
            if position.outcome().is_some() {
                break;
            }
            let choices = players.each_mut().map(|player| player.choose(&line, &Budget::UNLIMITED).unwrap());
            // Equal seeds play equally, and what they play is legal.
            assert_eq!(choices[0].text, choices[1].text, "{} {}", game.name(), self.0);
            let mv = position.parse_move(&choices[0].text).unwrap();
            assert_eq!(choices[0].line[0], choices[0].text);
            position.play(mv);
            line.moves.push(choices[0].text.clone());
        }
    }
}

#[test]
fn every_agent_plays_every_game() {
    for &name in names() {
        for line in LINES {
            visit(name, Rules::Official, PlaysLegally(line)).unwrap();
        }
    }
    let documented = ClassicalSpec::kinds();
    for kind in &documented {
        assert!(LINES.iter().any(|line| line.split(':').next() == Some(kind.name)), "{} is not tried", kind.name);
    }
}

#[test]
fn errors_name_what_is_known() {
    let game = TicTacToe::new(Rules::Official);
    let problem = |line: &str| classical::searcher(&game, line, 0).err().expect("refused").to_string();
    assert!(problem("uctt:sims=1").contains("the agents are random, bot, pmc, minimax, alphabeta, uct, muct"));
    assert!(
        problem("uct:simulations=1").contains("unknown key \"simulations\"; uct has sims, nodes, time, cpu, select")
    );
    assert!(problem("alphabeta:sims=1").contains("alphabeta has depth, nodes"));
    assert!(problem("random:x=1").contains("random has no keys"));
    assert!(problem("uct:select=ucb2").contains("expected ucb1|tuned|uct|puct|pucb"));
    assert!(problem("uct:lambda=2,eval=mix").contains("lambda=2: expected a number from 0 to 1"));
    assert!(problem("uct:memory=99999999").contains("expected a whole number from 1 to 65536"));
    assert!(problem("uct:sims=0").contains("sims=0: expected a whole number from 1 to"));
    assert!(problem("uct:noise=inf:0.25").contains("A from 0.000001 to 1000 and B from 0 to 1"));
    assert!(problem("muct:final=best").contains("max|robust|robustmax|secure|ucb"));
}

#[test]
fn options_that_cannot_act_are_errors() {
    let game = TicTacToe::new(Rules::Official);
    let made = |line: &str| classical::searcher(&game, line, 0).map(drop).map_err(|error| error.to_string());
    // Each idle option with what it needs, and the line in which it acts.
    for (idle, needs, acts) in [
        ("uct:fpu=1", "select=tuned|puct", "uct:fpu=1,select=puct"),
        ("uct:fpu=1,select=pucb", "select=tuned|puct", "uct:fpu=1,select=tuned"),
        ("uct:c=1,select=tuned", "select=ucb1|uct|puct|pucb", "uct:c=1,select=tuned,final=ucb"),
        ("uct:battack=1", "select=puct", "uct:battack=1,select=puct"),
        ("uct:expand=3,widen=2:0.5", "widen=none", "uct:expand=3"),
        ("uct:widen=2:0.5,select=puct,battack=1", "battack=0", "uct:widen=2:0.5,select=puct"),
        ("uct:killers=on,select=pucb,history=1", "history=0", "uct:killers=on,history=1"),
        ("uct:noise=0.3:0.25", "priors", "uct:noise=0.3:0.25,select=pucb"),
        ("uct:forced=2", "select=puct|pucb", "uct:forced=2,select=puct"),
        ("uct:forced=2,select=puct,gumbel=4", "gumbel=none", "uct:select=puct,gumbel=4"),
        ("uct:final=max,gumbel=4", "gumbel=none", "uct:final=max"),
        ("uct:plies=4", "temperature", "uct:plies=4,temperature=1"),
        ("uct:decay=linear", "temperature", "uct:decay=linear,temperature=1"),
        ("uct:vloss=2", "batch", "uct:vloss=2,batch=4"),
        ("uct:lambda=0.5", "eval=mix", "uct:lambda=0.5,eval=mix"),
        ("uct:rollout=bot,eval=heuristic", "playouts", "uct:rollout=bot,eval=mix"),
        ("uct:cut=3,eval=heuristic", "playouts", "uct:cut=3"),
        ("uct:judge=reward,eval=heuristic", "playouts", "uct:judge=reward,cut=3"),
        ("uct:judge=reward", "cut", "pmc:judge=reward,cut=3"),
        ("uct:attacks=0.5", "rollout=attack", "uct:attacks=0.5,rollout=attack"),
        ("pmc:attacks=0.5", "rollout=attack", "pmc:attacks=0.5,rollout=attack"),
        ("pmc:judge=reward", "cut", "muct:attacks=0.5"),
        ("uct:gumbel=4,expand=2", "expand=0", "uct:gumbel=4,expand=0"),
        ("uct:noise=0.3:0.25,select=puct,expand=1", "expand=0", "uct:select=puct,expand=1"),
    ] {
        let error = made(idle).unwrap_err();
        assert!(error.contains(needs), "{idle}: {error}");
        assert_eq!(made(acts), Ok(()), "{acts}");
    }
    // What a short name stands for acts, and is no mistake of whoever changes the rest.
    for kind in ClassicalSpec::kinds() {
        let line = kind.stands_for.map_or_else(|| kind.name.to_owned(), |options| format!("uct:{options}"));
        assert_eq!(made(&line), Ok(()), "{line}");
    }
    assert_eq!(made("bingo-uct:eval=heuristic"), Ok(()));
}

#[test]
fn short_names_stand_for_their_lines_and_can_be_changed() {
    let kinds = ClassicalSpec::kinds();
    let muct = kinds.iter().find(|kind| kind.name == "muct").unwrap();
    let default = |key: &str| muct.keys.iter().find(|k| k.name == key).unwrap().default.clone();
    assert_eq!((default("c"), default("expand"), default("final")), ("0.15".into(), "11".into(), "max".into()));
    let game = TicTacToe::new(Rules::Official);
    assert!(classical::searcher(&game, "muct:c=0.3,opponent=adversary", 0).is_ok());
}

#[test]
fn better_agents_win() {
    let game = TicTacToe::new(Rules::Official);
    // Neither of these ever loses tic-tac-toe to a random player.
    for line in ["alphabeta:depth=9", "uct:sims=1000"] {
        for index in 0..20 {
            let mut player = classical::player(&game, line, index).unwrap();
            let mut random = Stream::new(5, "opponent", index);
            let mut position = game.start();
            let mut moves = MoveList::new();
            let mut record =
                GameLine { game: "tictactoe".into(), rules: Rules::Official, start: "startpos".into(), moves: vec![] };
            let side = tesuji_core::Side::BOTH[index as usize % 2];
            while position.outcome().is_none() {
                let mv = if position.mover() == side {
                    let text = player.choose(&record, &Budget::UNLIMITED).unwrap().text;
                    position.parse_move(&text).unwrap()
                } else {
                    position.moves(&mut moves);
                    moves[random.below(moves.len())]
                };
                record.moves.push(position.format_move(mv));
                position.play(mv);
            }
            assert!(position.outcome().unwrap().points(side) > 0.0, "{line} lost: {:?}", record.moves);
        }
    }
}

#[test]
fn a_player_refuses_what_is_not_its_game() {
    let game = TicTacToe::new(Rules::Official);
    let mut player = classical::player(&game, "random", 0).unwrap();
    let line = |name: &str, start: &str, moves: &[&str]| GameLine {
        game: name.into(),
        rules: Rules::Official,
        start: start.into(),
        moves: moves.iter().map(|&text| text.to_owned()).collect(),
    };
    for bad in [
        line("chess", "startpos", &[]),
        line("tictactoe", "nonsense", &[]),
        line("tictactoe", "startpos", &["a1", "a1"]),
        line("tictactoe", "a1 a2 b1 b2 c1", &[]),
    ] {
        assert!(player.choose(&bad, &Budget::UNLIMITED).is_err(), "{bad:?}");
    }
    assert!(player.choose(&line("tictactoe", "startpos", &["a1"]), &Budget::UNLIMITED).is_ok());
}
