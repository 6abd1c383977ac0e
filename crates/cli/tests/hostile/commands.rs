//! Hostile command lines.

use crate::material::{self, Material};
use crate::process;
use crate::words::{NUMBERS, WORDS, mutated_text, once_in, pick, pick_either};
use std::fs;
use std::path::Path;
use tesuji_core::Stream;
use tesuji_learn::agents::AgentSpec;
use tesuji_learn::experiments::BUILT_IN;

/// Files that are there, and some that are not.
const FILES: &[&str] = &[
    "games.tsjr",
    "games.pgn",
    "net.safetensors",
    "net.onnx",
    "experiment.toml",
    "openings.txt",
    "journal.jsonl",
    "data",
    "run",
    ".",
    "nowhere",
    "/dev/null",
    "",
    "-",
    "data/data.json",
    "data/00000.tsjd",
    "run/run.json",
    "run/events.jsonl",
];
const NETWORKS: &[&str] =
    &["tubstap", "minishogi", "bingo3d", "net.safetensors", "run", "run@0", "run@9", "nowhere", ""];
/// Programs that do nothing, or nonsense: never what chance has written.
const ENGINES: &[&str] = &["true", "cat", "/no/such/engine", "sh -c 'exit 3'", "echo uciok", "yes uciok"];
const BUDGETS: &[&str] =
    &["sims=3", "time=3ms", "nodes=30", "depth=1", "nodes=20,depth=1", "sims=2,nodes=9", "cpu=3ms"];
const OUTPUTS: &[&str] =
    &["out", "out.tsjr", "out.pgn", "out.kif", "out/deep/er", "/dev/full", "", "games.pgn", "data"];
const SECTIONS: &[&str] =
    &["", "selfplay.", "training.", "method.", "network.", "measure.", "keep.", "training.schedule."];

/// A command line as it grows.
struct Line<'a> {
    random: &'a mut Stream,
    material: &'a Material,
    words: Vec<String>,
    /// Words that chance must not touch: programs to be run.
    fixed: Vec<usize>,
}

impl Line<'_> {
    fn word(&mut self, word: impl Into<String>) -> &mut Self {
        self.words.push(word.into());
        self
    }

    /// Adds an option now and then: once in so many lines.
    fn option(&mut self, once: usize, name: &str, value: impl FnOnce(&mut Stream) -> String) -> &mut Self {
        if once_in(self.random, once) {
            let value = value(self.random);
            self.word(name).word(value);
        }
        self
    }

    fn flag(&mut self, once: usize, name: &str) -> &mut Self {
        if once_in(self.random, once) {
            self.word(name);
        }
        self
    }

    fn number(&mut self, once: usize, name: &str, good: &[&str]) -> &mut Self {
        self.option(once, name, |random| pick_either(random, NUMBERS, good).to_owned())
    }

    fn game(&mut self) -> String {
        let (game, _) = &self.material.positions[self.random.below(self.material.positions.len())];
        let game = if once_in(self.random, 25) { pick(self.random, WORDS).to_owned() } else { game.clone() };
        self.word(game.clone());
        game
    }

    fn position_of(&mut self, game: &str) -> String {
        let texts = self.material.positions.iter().find(|(name, _)| name == game);
        let texts = texts.map_or(&[][..], |(_, texts)| texts.as_slice());
        let text = self.random.choose(texts).cloned().unwrap_or_else(|| "startpos".to_owned());
        match self.random.below(4) {
            0 => text,
            1 => "startpos".to_owned(),
            _ => mutated_text(self.random, &text),
        }
    }

    fn position(&mut self, game: &str) -> &mut Self {
        let text = self.position_of(game);
        self.word(text)
    }

    fn agent(&mut self) -> &mut Self {
        let agent = agent(self.random);
        if agent.starts_with("engine:") {
            self.fixed.push(self.words.len());
        }
        self.word(agent)
    }

    fn budget(&mut self) -> &mut Self {
        self.word("--budget");
        let text = pick(self.random, BUDGETS);
        let text = match self.random.below(8) {
            0 => mutated_text(self.random, text),
            1 => format!("{}={}", pick(self.random, &["sims", "nodes", "time", "cpu"]), pick(self.random, NUMBERS)),
            _ => text.to_owned(),
        };
        self.word(text)
    }

    fn contest(&mut self) -> &mut Self {
        self.budget().word("--max-plies");
        let plies = if once_in(self.random, 6) { pick(self.random, NUMBERS) } else { "6" };
        self.word(plies);
        self.word("--games");
        let games = if once_in(self.random, 6) { pick(self.random, NUMBERS) } else { "2" };
        self.word(games)
            .number(6, "--threads", &["1", "2"])
            .number(8, "--seed", &["1", "9"])
            .option(5, "--openings", |random| match random.below(4) {
                0 => pick(random, FILES).to_owned(),
                1 => "varied".to_owned(),
                _ => format!("random:{}", pick(random, NUMBERS)),
            })
            .number(8, "--margin", &["1s", "5ms"])
            .option(8, "--adjudicate-win", |random| format!("{},{}", pick(random, NUMBERS), pick(random, NUMBERS)))
            .option(8, "--adjudicate-draw", |random| format!("{},{}", pick(random, NUMBERS), pick(random, NUMBERS)))
            .option(8, "--journal", |random| pick(random, OUTPUTS).to_owned())
            .option(8, "--save", |random| pick(random, OUTPUTS).to_owned())
    }
}

/// An agent's line: known keys, values that may be anything.
pub fn agent(random: &mut Stream) -> String {
    if once_in(random, 20) {
        return format!("engine:{}", pick(random, ENGINES));
    }
    let kinds = AgentSpec::kinds();
    let kind = &kinds[random.below(kinds.len())];
    let mut pairs = Vec::new();
    if kind.keys.iter().any(|key| key.name == "net") && !once_in(random, 10) {
        pairs.push(format!("net={}", pick(random, NETWORKS)));
    }
    for _ in 0..random.below(4) {
        let Some(key) = random.choose(&kind.keys) else { break };
        let value = match random.below(5) {
            0 | 1 => pick(random, NUMBERS).to_owned(),
            2 => pick(random, &key.form.split('|').collect::<Vec<_>>()).to_owned(),
            3 => format!("net:{}", pick(random, NETWORKS)),
            _ => key.default.clone(),
        };
        pairs.push(format!("{}={value}", key.name));
    }
    match kind.name {
        "engine" => format!("engine:{}", pick(random, ENGINES)),
        name if pairs.is_empty() => name.to_owned(),
        name => format!("{name}:{}", pairs.join(",")),
    }
}

/// `KEY=VALUE` of an experiment.
fn change(random: &mut Stream) -> String {
    let (_, text) = BUILT_IN[random.below(BUILT_IN.len())];
    let keys: Vec<&str> = text.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key.trim()).collect();
    let key = match random.below(4) {
        0 => pick(
            random,
            &["leaves", "noise_alpha", "c_puct", "batch", "cache", "tree_nodes", "win", "epsilon", "rates"],
        ),
        _ => pick(random, &keys),
    };
    let value = match random.below(6) {
        0 => format!("[{}, {}]", pick(random, NUMBERS), pick(random, NUMBERS)),
        1 => {
            pick(random, &["true", "\"draw\"", "{ start = nan, end = 1, games = 0 }", "{ constant = { rate = inf } }"])
                .to_owned()
        }
        _ => pick(random, NUMBERS).to_owned(),
    };
    format!("{}{key}={value}", pick(random, SECTIONS))
}

/// Tries a command line.
pub fn attempt(material: &Material, place: &Path, random: &mut Stream) -> Result<(), String> {
    let mut line = Line { random, material, words: Vec::new(), fixed: Vec::new() };
    let input = command(&mut line, place);
    line.flag(6, "--json").flag(8, "--rules=paper").flag(20, "--color=always");
    let Line { mut words, fixed, random, .. } = line;
    for _ in 0..random.below(3) {
        let at = random.below(words.len());
        // Programs that are to be run stay as they are, and stay where they are.
        if fixed.is_empty() && at > 0 {
            match random.below(4) {
                0 => words[at] = mutated_text(random, &words[at]),
                1 => words.insert(at, pick(random, WORDS).to_owned()),
                2 => drop(words.remove(at)),
                _ => words.insert(at, words[at].clone()),
            }
        }
    }
    // What chance has written is no program.
    if fixed.is_empty() && words.iter().any(|word| word.contains("engine:")) {
        return Ok(());
    }
    let result = process::run(&words, input.as_bytes(), place);
    for name in ["out", "out.tsjr", "out.pgn", "out.kif", "runs", "copy"] {
        let _ = fs::remove_dir_all(place.join(name));
        let _ = fs::remove_file(place.join(name));
    }
    result
}

/// Adds the words of a command; returns its standard input.
fn command(line: &mut Line<'_>, place: &Path) -> String {
    let names = [
        "show",
        "moves",
        "perft",
        "play-random",
        "record",
        "convert",
        "agents",
        "analyse",
        "analyse",
        "analyse",
        "mate",
        "play",
        "match",
        "match",
        "tournament",
        "elo",
        "data",
        "data",
        "net",
        "train",
        "train",
        "train",
        "runs",
        "teach",
        "engine",
        "games",
        "bench",
    ];
    let name = pick(line.random, &names);
    line.word(name);
    match name {
        "show" | "moves" | "mate" => {
            let game = line.game();
            if once_in(line.random, 4) {
                line.option(1, "--file", |random| pick(random, FILES).to_owned());
            } else {
                line.position(&game);
            }
            if name == "mate" {
                line.option(1, "--ms", |random| pick(random, &["1", "5", "0", "x"]).to_owned())
                    .number(4, "--nodes", &["10", "100"])
                    .number(4, "--hash", &["1", "8"])
                    .option(3, "--solver", |random| {
                        format!("{}:{}", pick(random, &["dfpn", "dfs", "exact"]), pick(random, NUMBERS))
                    })
                    .flag(4, "--shortest");
            }
        }
        "perft" => {
            let game = line.game();
            line.position(&game);
            let depth = if once_in(line.random, 4) { pick(line.random, NUMBERS) } else { "1" };
            line.word(depth).flag(4, "--divide").flag(4, "--no-bulk");
        }
        "play-random" => {
            let game = line.game();
            line.position(&game)
                .option(1, "--games", |random| {
                    pick(random, &["1", "2", "0", "-1", "nan", "99999999999999999"]).to_owned()
                })
                .number(4, "--threads", &["1", "2"])
                .number(6, "--seed", &["3"])
                .flag(6, "--dump")
                .flag(6, "--varied")
                .option(6, "--out", |random| pick(random, OUTPUTS).to_owned());
        }
        "record" | "convert" => {
            let file = pick(line.random, FILES);
            line.word(file);
            if name == "convert" {
                let output = pick(line.random, OUTPUTS);
                line.word(output)
                    .option(3, "--to", |random| pick(random, &["pgn", "kif", "csa", "tsjr", "x"]).to_owned());
            }
            line.number(4, "--number", &["1", "2"])
                .option(4, "--from", |random| pick(random, &["pgn", "kif", "csa", "tsjr", "x"]).to_owned());
        }
        "agents" => drop(line.option(2, "uct", |random| pick(random, WORDS).to_owned()).words.len()),
        "analyse" => {
            let game = line.game();
            line.position(&game).word("--agent").agent().budget().number(8, "--moves", &["3"]).number(
                8,
                "--seed",
                &["3"],
            );
        }
        "play" => {
            line.game();
            line.agent().budget().option(3, "--position", |random| pick(random, WORDS).to_owned());
            return ["moves", "hint", "undo", "a1", "e2e4", "save out.pgn", "\u{0}", "resign", "quit"].join("\n");
        }
        "match" => {
            line.game();
            line.agent()
                .agent()
                .contest()
                .option(8, "--sprt", |random| format!("{},{}", pick(random, NUMBERS), pick(random, NUMBERS)));
        }
        "tournament" => {
            line.game();
            line.agent().agent().agent().contest();
        }
        "elo" => {
            line.agent().word("--against");
            let engine = pick(line.random, ENGINES);
            line.fixed.push(line.words.len());
            line.word(engine).option(1, "--at", |random| format!("{},1500", pick(random, NUMBERS))).contest();
        }
        "data" => match line.random.below(3) {
            0 => drop(
                line.word("import")
                    .option(1, "--out", |random| pick(random, OUTPUTS).to_owned())
                    .number(2, "--keep", &["1", "0.5"])
                    .number(4, "--limit", &["2"])
                    .number(4, "--threads", &["1", "2"])
                    .option(1, "--seed=1", |random| pick(random, FILES).to_owned())
                    .words
                    .len(),
            ),
            1 => drop(
                line.word("generate")
                    .word("--game")
                    .word("tictactoe")
                    .word("--first")
                    .agent()
                    .option(1, "--out", |random| pick(random, OUTPUTS).to_owned())
                    .number(1, "--games", &["2", "3"])
                    .number(2, "--keep", &["1"])
                    .words
                    .len(),
            ),
            _ => drop(
                line.word("describe")
                    .option(1, "--seed=2", |random| pick(random, FILES).to_owned())
                    .number(2, "--sample", &["2"])
                    .flag(3, "--check")
                    .words
                    .len(),
            ),
        },
        "net" => {
            let (what, net, to) = (
                pick(line.random, &["describe", "export", "import", "keep", "x"]),
                pick_either(line.random, FILES, NETWORKS),
                pick(line.random, OUTPUTS),
            );
            line.word(what).word(net);
            if what != "describe" {
                line.word(to);
            }
        }
        "train" => train(line, place),
        "runs" => {
            let directory = pick(line.random, FILES);
            line.word(directory);
        }
        "teach" => {
            let method = pick(line.random, &["td0", "td-lambda", "q-learning", "every-visit", "n-step", "all", "x"]);
            line.word(method)
                .number(1, "--walk", &["3", "5"])
                .option(1, "--episodes", |random| pick(random, &["1", "9", "0", "-1", "nan"]).to_owned())
                .number(4, "--alpha", &["0.1", "1/n"])
                .number(4, "--gamma", &["1"])
                .number(4, "--lambda", &["0.5"])
                .number(4, "--steps", &["2"])
                .number(4, "--epsilon", &["0.5"])
                .number(6, "--states", &["100"])
                .option(8, "--plot", |random| pick(random, OUTPUTS).to_owned());
        }
        "engine" => {
            line.word("--game");
            line.game();
            line.word("--agent").agent();
            return "uci\nisready\nposition startpos\ngo nodes 20\nquit\n".to_owned();
        }
        "bench" => drop(
            line.word("nn")
                .option(1, "--net", |random| {
                    pick(random, &["net.safetensors", "nowhere", "", "experiment.toml"]).to_owned()
                })
                .option(1, "--seconds", |random| pick(random, &["0.001", "0", "nan", "-1", "inf", "1e9"]).to_owned())
                .number(2, "--batch", &["1", "2"])
                .number(3, "--threads", &["1"])
                .words
                .len(),
        ),
        _ => {}
    }
    String::new()
}

fn train(line: &mut Line<'_>, place: &Path) {
    if once_in(line.random, 12) {
        material::copy(&line.material.good().join("run"), &place.join("copy"));
        line.word("--resume").word("--out").word("copy").number(1, "--budget", &["1", "2"]).number(
            2,
            "--threads",
            &["1"],
        );
        return;
    }
    let (name, _) = BUILT_IN[line.random.below(BUILT_IN.len())];
    let small = once_in(line.random, 8);
    let name = match line.random.below(10) {
        0 => pick(line.random, FILES),
        _ if small => pick(line.random, &["dqn-tictactoe", "td-tictactoe"]),
        _ => name,
    };
    line.word(name);
    for _ in 0..1 + line.random.below(2) {
        let change = change(line.random);
        line.word("--set").word(change);
    }
    if small {
        line.word("--dummy").word("--out").word("out").word("--threads").word("1");
    } else {
        line.word("--print-config");
    }
    line.number(5, "--budget", &["1", "1s"]).flag(20, "--list");
}
