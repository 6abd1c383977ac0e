//! `tesuji serve` as a program: the URL, the end by Ctrl-C, and what survives when it is killed.

use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct Serving {
    child: Child,
    host: String,
    url: String,
    token: String,
}

impl Serving {
    fn start(directory: &Path) -> Serving {
        Serving::with(directory, &[])
    }

    fn with(directory: &Path, options: &[&str]) -> Serving {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["serve", "--token-file", "token"])
            .args(options)
            .current_dir(directory)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        let host = url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        let token = fs::read_to_string(directory.join("token")).unwrap();
        Serving { child, host, url, token }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.host,
            self.token,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    fn list(&self, path: &str) -> Value {
        let text = self.ask("GET", path, "");
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }

    /// The first match.
    fn matches(&self) -> Value {
        self.list("/api/matches")[0].clone()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn it_prints_one_url_and_ends_by_interrupt() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Serving::start(directory.path());
    assert!(server.url.starts_with("http://127.0.0.1:") && server.url.contains("/?token="), "{}", server.url);
    assert!(server.ask("GET", "/api/games", "").starts_with("HTTP/1.1 200"));
    assert!(server.ask("GET", "/", "").contains("<!doctype html>"));
    // A stream that is open does not hold up the end.
    let mut stream = TcpStream::connect(&server.host).unwrap();
    let head = format!(
        "GET /api/events?tab=some-tab HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.host, server.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut some = [0; 64];
    stream.read_exact(&mut some).unwrap();
    let id = rustix::process::Pid::from_raw(server.child.id() as i32).unwrap();
    rustix::process::kill_process(id, Signal::INT).unwrap();
    assert!(server.child.wait().unwrap().success());
}

const MATCH: &str =
    r#"{"kind":"match","game":"connect4","agents":["uct:sims=60","uct:sims=30"],"games":40,"cpu":30,"seed":7}"#;
const RUN: &str = r#"{"kind":"train","experiment":"td-tictactoe","name":"tiny","budget":"12","threads":1,
    "set":{"selfplay.games":200,"measure.every":3,"measure.games":4,"measure.final_games":8,"keep.networks_every":1}}"#;

/// The games of a match: number, opening, moves and ending of each, as they were written down.
fn journal(directory: &Path) -> Vec<Value> {
    let text = fs::read_to_string(directory.join("matches/connect4/journal.jsonl")).unwrap_or_default();
    // A kill may leave half a line at the end.
    let lines = text.lines().skip(1).filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.map(|game| json!([game["index"], game["first"], game["start"], game["moves"], game["ending"]])).collect()
}

/// What a run has learned: its networks, byte for byte, and its events without times.
fn learned(directory: &Path) -> (Vec<(String, Vec<u8>)>, Vec<Value>) {
    let root = directory.join("runs/tiny");
    let entries = fs::read_dir(root.join("networks")).into_iter().flatten().flatten().map(|entry| entry.path());
    let networks = entries.filter(|path| path.extension().is_some_and(|kind| kind == "safetensors"));
    let named = |path: PathBuf| Some((path.file_name()?.to_str()?.to_owned(), fs::read(&path).ok()?));
    let mut networks: Vec<_> = networks.filter_map(named).collect();
    networks.sort();
    let text = fs::read_to_string(root.join("events.jsonl")).unwrap_or_default();
    (networks, text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn generation(server: &Serving) -> u64 {
    server.list("/api/runs")[0]["generation"].as_u64().unwrap_or(0)
}

fn games(server: &Serving) -> u64 {
    server.matches()["games"].as_u64().unwrap_or(0)
}

fn is_over(server: &Serving) -> bool {
    let run = server.list("/api/runs")[0].clone();
    server.matches()["state"] == "done" && run["state"] == "idle" && run["job"].is_null()
}

/// Begins a match and a run.
fn begin(directory: &Path) -> Serving {
    let server = Serving::start(directory);
    for body in [MATCH, RUN] {
        let begun = server.ask("POST", "/api/jobs", body);
        assert!(begun.starts_with("HTTP/1.1 200"), "{begun}");
    }
    server
}

/// A match and a run, both under way while the server is killed by SIGKILL again and again: after each start both go on by
/// themselves, nothing that was there is lost or played again, and in the end both are what they are without any kill.
#[test]
fn a_match_and_a_run_lose_nothing_when_the_server_is_killed() {
    let killed = tempfile::tempdir().unwrap();
    let mut server = begin(killed.path());
    let mut kills = 0;
    for (some_games, some_generations) in [(2, 1), (9, 4), (17, 7)] {
        wait("both get on", || {
            is_over(&server) || (games(&server) >= some_games && generation(&server) >= some_generations)
        });
        kills += u32::from(!is_over(&server));
        // `Child::kill` sends SIGKILL: nothing is tidied up.
        server.child.kill().unwrap();
        assert_eq!(server.child.wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
        let (before, (networks, _)) = (journal(killed.path()), learned(killed.path()));
        assert!(before.len() as u64 >= some_games && networks.len() as u64 >= some_generations);
        server = Serving::start(killed.path());
        wait("both go on", || {
            let jobs = server.list("/api/jobs");
            let known = |kind: &str| jobs.as_array().unwrap().iter().any(|job| job["kind"] == kind);
            is_over(&server) || (known("match") && known("train"))
        });
        // What was there is there, in its place.
        assert_eq!(journal(killed.path())[..before.len()], before);
        let (now, _) = learned(killed.path());
        for network in &networks {
            assert!(now.iter().any(|(name, _)| *name == network.0), "{} is lost", network.0);
        }
    }
    assert!(kills >= 1, "both were over before the first kill");
    wait("both end", || is_over(&server));
    let alone = tempfile::tempdir().unwrap();
    let other = begin(alone.path());
    wait("both end without a kill", || is_over(&other));
    let mut sorted = [journal(killed.path()), journal(alone.path())];
    sorted.iter_mut().for_each(|games| games.sort_by_key(|game| game[0].as_u64()));
    assert_eq!((sorted[0].len(), &sorted[0]), (40, &sorted[1]), "each game once, and the same games");
    let (ours, theirs) = (learned(killed.path()), learned(alone.path()));
    assert_eq!((ours.0.len(), ours.0 == theirs.0), (13, true), "the same networks to the byte, from 0 to 12");
    assert_eq!(ours.1, theirs.1);
}

/// Another address needs a flag, whose help says what it means; there, too, the server answers to its own name alone.
#[cfg(target_os = "linux")]
#[test]
fn another_address_needs_a_flag_that_says_what_it_means() {
    let help = crate::common::success(&["serve", "--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, about) = help.split_once("--expose <ADDRESS>").expect("the flag");
    for word in ["everybody who reaches it", "not encrypted", "use your processor and read your runs"] {
        assert!(about.contains(word), "{about}");
    }
    let directory = tempfile::tempdir().unwrap();
    let mut server = Serving::with(directory.path(), &["--expose", "127.0.0.2"]);
    assert!(server.host.starts_with("127.0.0.2:"), "{}", server.host);
    assert!(server.ask("GET", "/api/games", "").starts_with("HTTP/1.1 200"));
    let port = server.host.split(':').next_back().unwrap().to_owned();
    assert!(TcpStream::connect(format!("127.0.0.1:{port}")).is_err(), "it listens there alone");
    let request = format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\nConnection: close\r\n\r\n");
    let mut stream = TcpStream::connect(&server.host).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 421"), "{text}");
    server.token = "0".repeat(32);
    assert!(server.ask("GET", "/api/games", "").starts_with("HTTP/1.1 401"));
}

#[test]
fn bad_options_are_one_line() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "").unwrap();
    for (args, word) in [
        (vec!["--allow-engine", "x"], "NAME=COMMAND"),
        (vec!["--allow-engine", "a=b", "--allow-engine", "a=c"], "twice"),
        (vec!["--port", "99999"], "99999"),
        (vec!["--runs", "file"], "not a directory"),
        (vec!["--runs", "file/below"], "--runs file/below: cannot make this directory"),
        (vec!["--matches", "file/below"], "--matches file/below: cannot make this directory"),
        (vec!["--expose", "everywhere"], "everywhere"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .arg("serve")
            .args(&args)
            .current_dir(directory.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(word) && text.lines().count() == 1, "{args:?}: {text}");
    }
}
