//! Conversations with `tesuji engine`, from `tests/protocol`.

use crate::common::{refusal, repository};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Nothing takes this long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running engine.
struct Engine {
    child: Child,
    lines: Receiver<String>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .arg("engine")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let output = child.stdout.take().expect("a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Engine { child, lines }
    }

    fn say(&mut self, bytes: &[u8]) {
        let input = self.child.stdin.as_mut().expect("a pipe");
        input.write_all(&[bytes, b"\n"].concat()).expect("the engine listens");
    }

    fn hear(&self, place: &str) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{place}: the engine says nothing: {error}"))
    }

    /// Closes our side; the engine must leave in peace. Returns what it still said.
    fn leave(mut self, place: &str) -> Vec<String> {
        drop(self.child.stdin.take());
        let end = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().expect("it can be waited for") {
                Some(status) => break status,
                None if Instant::now() > end => panic!("{place}: the engine does not leave"),
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let mut errors = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("text");
        assert!(status.success() && errors.is_empty(), "{place}: {status} {errors}");
        self.lines.iter().collect()
    }
}

/// Whether a text is a pattern in which `*` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text
            .strip_prefix(head)
            .is_some_and(|rest| (0..=rest.len()).any(|at| rest.is_char_boundary(at) && matches(tail, &rest[at..]))),
    }
}

/// The bytes of a line in which `\x..` is a byte.
fn bytes(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

fn converse(path: &Path) {
    let text = std::fs::read_to_string(path).expect("a transcript");
    let arguments = text.lines().next().and_then(|line| line.strip_prefix("$ ")).expect("arguments first");
    let mut engine = Engine::start(&arguments.split(' ').collect::<Vec<_>>());
    for (line, number) in text.lines().zip(1..).skip(1) {
        let place = format!("{}:{number}: {line}", path.display());
        match line.split_once(' ').unwrap_or((line, "")) {
            (">", text) => engine.say(&bytes(text)),
            ("<", pattern) => {
                let answer = engine.hear(&place);
                assert!(matches(pattern, &answer), "{place}: it says {answer:?}");
            }
            ("<~", pattern) => while !matches(pattern, &engine.hear(&place)) {},
            ("#" | "", _) => {}
            _ => panic!("{place}: what is meant?"),
        }
    }
    let last = engine.leave(&path.display().to_string());
    assert!(last.iter().all(|line| line.starts_with("info ") || line.starts_with("bestmove ")), "{last:?}");
}

#[test]
fn conversations_go_as_written() {
    let folder = repository("tests/protocol");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    assert!(paths.len() >= 6, "{paths:?}");
    paths.iter().for_each(|path| converse(path));
}

#[test]
fn lines_without_end_are_passed_over() {
    let mut engine = Engine::start(&["--game", "tictactoe"]);
    engine.say(&vec![b'x'; 3 << 20]);
    engine.say(b"isready");
    assert_eq!(engine.hear("long line"), "info string a line was too long and has been ignored");
    assert_eq!(engine.hear("long line"), "readyok");
    engine.leave("long line");
}

#[test]
fn equal_seeds_play_equally() {
    let play = || {
        let mut engine = Engine::start(&["--game", "connect4", "--agent", "uct:sims=200", "--seed", "7"]);
        engine.say(b"uci\nposition startpos moves d\ngo\n");
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line: &String| !line.starts_with("bestmove")) {
            lines.push(engine.hear("seeds"));
        }
        engine.leave("seeds");
        lines.pop()
    };
    assert_eq!(play(), play());
}

#[test]
fn bad_arguments_are_refused_in_one_line() {
    for (arguments, word) in [
        (&["--game", "go"][..], "the games are"),
        (&["--game", "chess", "--agent", "nobody"], "the agents are"),
        (&["--game", "chess", "--agent", "engine:stockfish"], "only plays"),
        (&["--game", "chess", "--json"], "leave it out"),
        (&[], "--game"),
    ] {
        let errors = refusal(&[&["engine"], arguments].concat());
        assert!(errors.contains(word), "{arguments:?}: {errors}");
    }
}
