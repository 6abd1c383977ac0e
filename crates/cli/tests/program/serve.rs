//! `tesuji serve` as a program: the URL, the end by Ctrl-C, and what survives when it is killed.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
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
        let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["serve", "--token-file", "token"])
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

    fn list(&self, path: &str) -> serde_json::Value {
        let text = self.ask("GET", path, "");
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }

    /// The first match.
    fn matches(&self) -> serde_json::Value {
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
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn a_match_survives_when_the_server_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let server = Serving::start(directory.path());
    let body = r#"{"kind":"match","game":"connect4","agents":["uct:sims=40","uct:sims=20"],"games":30,"cpu":10}"#;
    assert!(server.ask("POST", "/api/jobs", body).starts_with("HTTP/1.1 200"));
    wait("games are played", || server.matches()["games"].as_u64().is_some_and(|games| games >= 2));
    // A kill: nothing is tidied up.
    drop(server);
    let server = Serving::start(directory.path());
    wait("the match ends", || server.matches()["state"] == "done");
    assert_eq!(server.matches()["games"], 30);
}

#[test]
fn a_run_survives_when_the_server_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let server = Serving::start(directory.path());
    let body = r#"{"kind":"train","experiment":"td-tictactoe","name":"tiny","budget":"8","threads":1,
        "set":{"selfplay.games":200,"measure.final_games":4}}"#;
    let begun = server.ask("POST", "/api/jobs", body);
    assert!(begun.starts_with("HTTP/1.1 200"), "{begun}");
    let run = |server: &Serving| server.list("/api/runs")[0].clone();
    wait("generations are finished", || run(&server)["generation"].as_u64().is_some_and(|number| number >= 2));
    drop(server);
    let server = Serving::start(directory.path());
    wait("the run ends", || run(&server)["state"] == "idle" && run(&server)["job"].is_null());
    assert_eq!(run(&server)["generation"], 8);
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
