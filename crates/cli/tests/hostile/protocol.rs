//! Lines of hostile clients, and engines that answer nonsense.

use crate::commands;
use crate::material::Material;
use crate::process;
use crate::words::{NUMBERS, WORDS, mutated, mutated_text, once_in, pick, pick_either};
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;
use tesuji_arena::serve::{ServeError, serve};
use tesuji_core::{Rules, Stream};
use tesuji_learn::Agents;

/// Lines of a conversation.
pub const LINES: usize = 12;
/// Every `go` is followed by another line, which stops the search: a conversation that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

const GO: &[&str] = &[
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "byoyomi",
    "movestogo",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
];
const OPTIONS: &[&str] = &[
    "Hash",
    "USI_Hash",
    "MultiPV",
    "Threads",
    "Agent",
    "Seed",
    "MoveOverhead",
    "Clear Hash",
    "UCI_Variant",
    "USI_Ponder",
];

/// One line of a client.
fn line(random: &mut Stream) -> String {
    let word = |random: &mut Stream| pick_either(random, NUMBERS, WORDS).to_owned();
    let text = match random.below(9) {
        0 => pick(random, &["uci", "usi", "isready", "ucinewgame", "usinewgame", "stop", "ponderhit", "gameover win"])
            .to_owned(),
        1 | 2 => {
            let limits: Vec<String> =
                (0..random.below(4)).map(|_| format!("{} {}", pick(random, GO), word(random))).collect();
            format!("go {}", limits.join(" "))
        }
        3 => format!("setoption name {} value {}", pick(random, OPTIONS), word(random)),
        4 => format!("setoption name Agent value {}", own_agent(random)),
        5 => {
            let moves = pick(random, &["e2e4", "7g7f", "5d5c", "a1", "d", "b2", "P*5e", "0000", "resign"]);
            format!("position startpos moves {moves} {}", word(random))
        }
        6 => format!("position {} {}", pick(random, &["fen", "sfen"]), word(random)),
        7 => format!("position {}", pick(random, &["startpos", "startpos moves", "fen startpos", "sfen startpos"])),
        _ => word(random),
    };
    if once_in(random, 4) { mutated_text(random, &text) } else { text }
}

/// An agent that runs in this process, with little memory.
fn own_agent(random: &mut Stream) -> String {
    loop {
        let agent = commands::agent(random);
        if !agent.starts_with("engine:") {
            return agent;
        }
    }
}

/// Tries a conversation with our engine, in this process.
pub fn attempt(material: &Material, random: &mut Stream) -> Result<(), String> {
    let names = tesuji_games::names();
    let game = names[random.below(names.len())];
    let good = random.choose(&material.conversations).map_or(&[][..], Vec::as_slice);
    let any = |random: &mut Stream| match random.choose(good) {
        Some(good) if once_in(random, 3) => mutated_text(random, good),
        _ => line(random),
    };
    let lines: Vec<String> = (0..LINES).map(|_| any(random)).collect();
    let text = lines.join("\n") + "\n";
    let (sender, done) = mpsc::channel();
    let said = text.clone();
    std::thread::spawn(move || {
        let kit = tesuji_registry::kit(game, Rules::Official).expect("a registered game");
        let agents = Agents::of(kit.as_ref());
        let agent = if game == "chess" { "alphabeta:hash=1" } else { "uct:memory=4" };
        let served = serve(&agents, agent, 1, Cursor::new(said.into_bytes()), std::io::sink());
        let _ = sender.send(served);
    });
    match done.recv_timeout(PATIENCE) {
        Ok(Err(ServeError::Failed)) => Err(format!("{game}: the search failed: {text:?}")),
        Ok(_) => Ok(()),
        Err(_) => Err(format!("{game}: panicked or hangs: {text:?}")),
    }
}

/// Tries a match with an engine whose answers have been made bad.
pub fn foreign(place: &Path, random: &mut Stream) -> Result<(), String> {
    let good = "id name X\noption name Hash type spin default 1 min 1 max 9\nuciok\nreadyok\n\
                info depth 1 score cp 5 nodes 7 pv b2 a1\nbestmove b2 ponder a1\nreadyok\nbestmove a3\n";
    fs::write(place.join("answers"), mutated(random, good.as_bytes())).expect("a file of ours");
    let engine = pick(random, &["cat answers", "sh -c 'cat answers; cat >/dev/null'", "sh -c 'cat answers; sleep 1'"]);
    let option = pick(random, &["", "?Hash=2", "?Hash=99999999999", "?X=1", "?=", "?&&"]);
    let line = format!("engine:{engine}{option}");
    let words = [
        "match",
        "tictactoe",
        &line,
        "bot",
        "--games",
        "2",
        "--budget",
        "time=20ms",
        "--margin",
        "20ms",
        "--seed",
        "2",
    ];
    process::run(&words.map(str::to_owned), b"", place)
}
