//! Jobs: searches, duels, solvers, lessons, matches and runs; what ends with a tab and what survives the server.

use crate::common::Site;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tesuji_server::{Options, Server};

fn agents(job: &Value) -> &Vec<Value> {
    job["result"]["agents"].as_array().unwrap()
}

#[test]
fn a_search_tells_moves_values_and_lines() {
    let site = Site::new();
    let search = |agents: Value, cpu: f64| {
        site.job(&json!({ "kind": "search", "game": "connect4", "moves": ["d", "d"], "agents": agents, "cpu": cpu }))
    };
    let job = search(json!(["uct:sims=300"]), 20.0);
    assert_eq!((&job["state"], &job["kind"]), (&json!("done"), &json!("search")), "{job}");
    let uct = &agents(&job)[0];
    assert_eq!(uct["lines"].as_array().unwrap().len(), 7);
    let first = &uct["lines"][0];
    assert!(first["visits"].as_u64().unwrap() > 0 && first["line"].as_array().unwrap().len() > 1, "{first}");
    let win = uct["win"].as_f64().unwrap();
    assert!((win - (1.0 + uct["value"].as_f64().unwrap()) / 2.0).abs() < 1e-6, "the first player is to move");
    let shares: f64 = uct["lines"].as_array().unwrap().iter().map(|line| line["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-3, "{shares}");
    assert!(job["cost"]["cpu"].as_f64().unwrap() > 0.0);
    // A winning move is proved by both; each is told by its own name.
    let line = json!({ "kind": "search", "game": "connect4", "moves": ["d", "e", "d", "e", "d", "e"], "agents": ["best", "uct:sims=300"], "cpu": 5.0 });
    let duel = site.job(&line);
    for (agent, name) in agents(&duel).iter().zip(["best", "uct:sims=300"]) {
        assert_eq!(
            (&agent["agent"], &agent["lines"][0]["move"], &agent["proof"]),
            (&json!(name), &json!("d"), &json!(1.0)),
            "{agent}"
        );
    }
}

#[test]
fn agents_of_a_duel_get_the_same_time() {
    let site = Site::new();
    let duel = site.job(&json!({ "kind": "search", "game": "shogi", "agents": ["best", "uct"], "cpu": 0.3 }));
    assert_eq!(duel["state"], "done");
    for agent in agents(&duel) {
        // Neither can be sure of the start of shogi, so both use what they are given.
        let cpu = agent["cpu"].as_f64().unwrap();
        assert!(cpu >= 0.3, "{} stopped after {cpu} seconds", agent["agent"]);
    }
}

#[test]
fn replies_are_legal_in_every_game() {
    let site = Site::new();
    for &game in tesuji_games::names() {
        let job = site.job(&json!({ "kind": "reply", "game": game, "agent": "uct:sims=20", "cpu": 10.0 }));
        let moves = json!({ "game": game, "moves": [job["result"]["move"]] });
        let position = site.post("/api/position", &moves);
        assert_eq!(position.status, StatusCode::OK, "{game}: {job}");
        assert_eq!(position.json()["notation"][0], job["result"]["notation"], "{game}");
    }
    let network =
        site.job(&json!({ "kind": "reply", "game": "minishogi", "agent": "pv:net=minishogi,sims=8", "cpu": 20.0 }));
    assert_eq!(network["state"], "done", "{network}");
}

#[test]
fn what_cannot_be_done_is_said_at_once() {
    let site = Site::new();
    for (job, problem) in [
        (json!({ "kind": "search", "game": "chess", "agents": [], "cpu": 1 }), "agents"),
        (json!({ "kind": "search", "game": "chess", "agents": ["nobody"], "cpu": 1 }), "unknown agent"),
        (json!({ "kind": "search", "game": "chess", "agents": ["uct:c=x"], "cpu": 1 }), "expected"),
        (json!({ "kind": "search", "game": "chess", "agents": ["uct"], "cpu": 9999 }), "cpu"),
        (json!({ "kind": "reply", "game": "chess", "agent": "pv:net=minishogi", "cpu": 1 }), "minishogi"),
        (json!({ "kind": "truth", "game": "bingo3d" }), "no solver"),
        (json!({ "kind": "learn", "game": "chess", "method": "td0" }), "states"),
        (json!({ "kind": "learn", "game": "tictactoe", "method": "guess" }), "method"),
        (json!({ "kind": "dance" }), "dance"),
        (json!({ "kind": "search", "game": "chess", "agents": ["uct"], "cpu": 1, "tab": "nobody-there" }), "no tab"),
    ] {
        let reply = site.post("/api/jobs", &job);
        assert!(reply.status.is_client_error(), "{job}");
        assert!(reply.error().contains(problem), "{job}: {}", reply.error());
    }
    let over = json!({ "kind": "reply", "game": "tictactoe", "moves": ["a1", "b1", "a2", "b2", "a3"], "agent": "best", "cpu": 1 });
    assert_eq!(site.post("/api/jobs", &over).status, StatusCode::CONFLICT);
}

#[test]
fn solvers_tell_the_truth() {
    let site = Site::new();
    let mate = site.job(&json!({ "kind": "truth", "game": "chess", "start": "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1" }));
    assert_eq!(mate["result"]["line"], json!(["e1e8"]), "{mate}");
    assert_eq!(mate["result"]["winner"], 0);
    let none = site.job(&json!({ "kind": "truth", "game": "minishogi" }));
    assert_eq!(none["result"]["winner"], Value::Null);
    let four = site.job(&json!({ "kind": "truth", "game": "connect4", "cpu": 60.0,
        "moves": ["d", "d", "d", "d", "d", "c", "c", "c", "c", "e", "e", "e", "e", "b", "b", "b"] }));
    assert_eq!(four["result"]["known"], true, "{four}");
    let small = site.job(&json!({ "kind": "truth", "game": "tictactoe", "moves": ["a1", "a2"] }));
    assert_eq!(
        (&small["result"]["winner"], &small["result"]["moves"][0]["value"]),
        (&json!(0), &json!(1.0)),
        "{small}"
    );
    let draw = site.job(&json!({ "kind": "truth", "game": "tictactoe" }));
    assert_eq!((&draw["result"]["known"], &draw["result"]["winner"]), (&json!(true), &Value::Null));
}

#[test]
fn lessons_go_step_by_step() {
    let site = Site::new();
    let job = site.job(&json!({ "kind": "learn", "game": "tictactoe", "method": "td0", "episodes": 2000 }));
    let frames = job["result"]["frames"].as_array().unwrap();
    assert_eq!(
        frames.iter().map(|frame| frame["count"].as_u64().unwrap()).collect::<Vec<_>>(),
        [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
    );
    let error = |frame: &Value| frame["point"]["rms"].as_f64().unwrap();
    assert!(error(frames.last().unwrap()) < error(&frames[0]), "it learns");
    assert_eq!(frames[0]["moves"].as_array().unwrap().len(), 9);
}

/// A server at a port, as browsers reach it.
struct Listening {
    address: std::net::SocketAddr,
    app: std::sync::Arc<tesuji_server::App>,
    stop: Box<dyn Fn() + Send + Sync>,
    thread: Option<std::thread::JoinHandle<std::io::Result<()>>>,
    _directory: tempfile::TempDir,
}

impl Listening {
    fn new() -> Listening {
        let directory = tempfile::tempdir().unwrap();
        let options = Options {
            runs: directory.path().join("runs"),
            matches: directory.path().join("matches"),
            threads: 2,
            ..Options::default()
        };
        let server = Server::start(options).unwrap();
        let (address, app, stop) = (server.address(), std::sync::Arc::clone(server.app()), Box::new(server.stopper()));
        let thread = Some(std::thread::spawn(move || server.run()));
        Listening { address, app, stop, thread, _directory: directory }
    }

    fn connect(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let token = self.app.secrets.bearer();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             {headers}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn events(&self, tab: &str, headers: &str) -> TcpStream {
        self.connect("GET", &format!("/api/events?tab={tab}"), headers, "")
    }

    fn post(&self, body: &Value) -> String {
        let mut stream = self.connect("POST", "/api/jobs", "Connection: close\r\n", &body.to_string());
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        (self.stop)();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

/// Reads from a stream until its text holds something.
fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 1 << 16];
    while !text.contains(wanted) {
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the stream ended: {text}");
        text += &String::from_utf8_lossy(&buffer[..count]);
    }
    text
}

fn search(tab: &str, cpu: f64) -> Value {
    json!({ "kind": "search", "tab": tab, "game": "shogi", "agents": ["uct"], "cpu": cpu })
}

#[test]
fn a_tab_has_one_search_which_ends_with_it() {
    let server = Listening::new();
    let mut events = server.events("tab-number-one", "");
    assert!(read_until(&mut events, "event: snapshot").contains("text/event-stream"));
    for _ in 0..20 {
        assert!(server.post(&search("tab-number-one", 200.0)).starts_with("HTTP/1.1 200"));
        assert_eq!(server.app.jobs.open_searches(), 1, "the one before is over");
    }
    let text = read_until(&mut events, "\"state\":\"running\"");
    assert!(text.contains("event: job") && text.contains("id: "), "{text}");
    let wait = |what: &str, holds: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !holds() {
            assert!(began.elapsed() < Duration::from_secs(20), "{what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait("one search is left", &|| server.app.jobs.open_searches() == 1);
    // Another tab's search does not mind.
    let mut other = server.events("tab-number-two", "");
    read_until(&mut other, "event: snapshot");
    server.post(&search("tab-number-two", 200.0));
    drop(events);
    wait("the closed tab's search ends", &|| server.app.jobs.open_searches() == 1);
    assert_eq!(server.app.hub.streams(), 1);
    drop(other);
    wait("the other one's too", &|| server.app.jobs.open_searches() == 0);
}

/// However often a search has something new, a tab hears of it at most ten times a second.
#[test]
fn a_job_is_told_at_most_ten_times_a_second() {
    let server = Listening::new();
    let mut events = server.events("tab-number-one", "");
    read_until(&mut events, "event: snapshot");
    let began = Instant::now();
    server.post(&search("tab-number-one", 1.0));
    let text = read_until(&mut events, "\"state\":\"done\"");
    let (told, seconds) = (text.matches("event: job").count(), began.elapsed().as_secs_f64());
    // That it waits, that it has begun and that it is over are told besides.
    assert!(told as f64 <= 10.0 * seconds + 3.0, "{told} times in {seconds} s");
    assert!(told >= 5, "only {told} times in {seconds} s");
}

#[test]
fn a_stream_goes_on_where_it_broke_off() {
    let server = Listening::new();
    let mut events = server.events("tab-number-one", "");
    read_until(&mut events, "event: snapshot");
    server.post(&search("tab-number-one", 0.05));
    let text = read_until(&mut events, "\"state\":\"done\"");
    let last: u64 = text.rsplit("id: ").next().unwrap().split('\n').next().unwrap().trim().parse().unwrap();
    drop(events);
    // What was missed comes again, and nothing else.
    let mut again = server.events("tab-number-one", &format!("Last-Event-ID: {}\r\n", last - 1));
    let text = read_until(&mut again, "\"state\":\"done\"");
    assert!(!text.contains("event: snapshot") && text.contains(&format!("id: {last}")), "{text}");
    // A number that this server never gave is answered by everything.
    let mut fresh = server.events("tab-number-one", "Last-Event-ID: 999999\r\n");
    assert!(read_until(&mut fresh, "event: snapshot").contains("\"state\":\"done\""));
}

#[test]
fn the_end_does_not_wait_for_streams_and_searches() {
    let server = Listening::new();
    let mut events = server.events("tab-number-one", "");
    read_until(&mut events, "event: snapshot");
    server.post(&search("tab-number-one", 300.0));
    read_until(&mut events, "\"state\":\"running\"");
    // Dropping stops it; a hang fails the test by never ending.
    drop(server);
}

#[test]
fn a_match_goes_on_after_a_restart() {
    let site = Site::new();
    let job = json!({ "kind": "match", "game": "tictactoe", "agents": ["uct:sims=30", "random"], "games": 40, "cpu": 1.0, "sprt": [0, 100] });
    let begun = site.post("/api/jobs", &job).json();
    site.until(begun["id"].as_str().unwrap(), |job| job["result"]["games"].as_u64().is_some_and(|games| games >= 1));
    let id = begun["result"]["match"].as_str().unwrap().to_owned();
    let directory = site.end();
    let site = Site::at(directory, |_| {});
    let state = |site: &Site| site.get(&format!("/api/matches/{id}")).json();
    let began = Instant::now();
    while ["queued", "running"].contains(&state(&site)["state"].as_str().unwrap()) {
        assert!(began.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(20));
    }
    let ended = state(&site);
    let games = ended["results"].as_array().unwrap();
    assert!(
        ended["games"].as_u64().unwrap() > 1 && games.iter().enumerate().all(|(at, game)| game["index"] == at),
        "{ended}"
    );
    assert!(ended["score"]["wins"].as_u64().unwrap() > ended["score"]["losses"].as_u64().unwrap(), "{ended}");
    assert!(ended["sprt"]["llr"].is_number() && ended["elo"].is_object(), "{ended}");
    let game = site.get(&format!("/api/matches/{id}/games/0")).json();
    let position = json!({ "game": "tictactoe", "start": game["start"], "moves": game["moves"] });
    assert!(site.post("/api/position", &position).json()["outcome"].is_object(), "{game}");
    assert_eq!(site.get("/api/matches").json().as_array().unwrap().len(), 1);
    // A match that is over does not go on again.
    let directory = site.end();
    assert!(Site::at(directory, |_| {}).app.jobs.is_idle());
}

fn tiny_run() -> Value {
    json!({ "kind": "train", "experiment": "td-tictactoe", "name": "tiny", "budget": "3",
        "set": { "selfplay.games": 20, "measure.final_games": 4 }, "threads": 1 })
}

#[test]
fn a_run_is_begun_watched_and_played_with() {
    let site = Site::new();
    let job = site.job(&tiny_run());
    assert_eq!((&job["state"], &job["result"]["phase"]), (&json!("done"), &json!("done")), "{job}");
    let id = job["result"]["run"].as_str().unwrap();
    let runs = site.get("/api/runs").json();
    assert_eq!(
        (&runs[0]["id"], &runs[0]["name"], &runs[0]["generation"]),
        (&json!(id), &json!("tiny"), &json!(3)),
        "{runs}"
    );
    let run = site.get(&format!("/api/runs/{id}")).json();
    assert_eq!(run["places"].as_array().unwrap().len(), 3, "{run}");
    assert!(run["places"][2]["cpu_minutes"].as_f64().unwrap() > 0.0 && run["strength"][0]["opponent"].is_string());
    for axis in ["generation", "steps", "minutes", "cpu"] {
        let chart = site.get(&format!("/api/runs/{id}/chart/loss.svg?x={axis}"));
        assert_eq!((chart.status, chart.headers["content-type"].to_str().unwrap()), (StatusCode::OK, "image/svg+xml"));
        assert!(chart.body.starts_with(b"<svg"));
    }
    assert_eq!(site.get(&format!("/api/runs/{id}/chart/none.svg")).status, StatusCode::NOT_FOUND);
    let games = site.get(&format!("/api/runs/{id}/games")).json();
    for game in games.as_array().unwrap() {
        assert_eq!(site.post("/api/position", game).status, StatusCode::OK, "{game}");
    }
    let networks = site.get("/api/networks").json();
    let own = networks.as_array().unwrap().iter().find(|network| network["run"] == id).unwrap();
    assert!(!networks.to_string().contains(site.directory.path().to_str().unwrap()), "no path is told");
    let reply = site.job(&json!({ "kind": "reply", "game": "tictactoe", "agent": own["agent"], "cpu": 5.0 }));
    assert_eq!(reply["state"], "done", "{reply}");
    let opinions = site.job(&json!({ "kind": "opinions", "run": id, "game": "tictactoe", "moves": ["b2"] }));
    let opinions = opinions["result"]["opinions"].as_array().unwrap().clone();
    assert!(opinions.len() >= 2 && opinions.iter().all(|one| one["lines"][0]["move"].is_string()), "{opinions:?}");
    let other = json!({ "kind": "opinions", "run": id, "game": "chess" });
    assert_eq!(site.post("/api/jobs", &other).status, StatusCode::BAD_REQUEST);
}

/// A policy is told where there is one; a network that only tells values tells those of moves.
#[test]
fn opinions_have_a_policy_if_the_network_has_one() {
    let site = Site::new();
    let ask = |experiment: &str, set: Value| {
        let job =
            site.job(&json!({ "kind": "train", "experiment": experiment, "budget": "2", "threads": 1, "set": set }));
        assert_eq!(job["state"], "done", "{job}");
        let game = &job["result"]["game"];
        let opinions = site.job(&json!({ "kind": "opinions", "run": job["result"]["run"], "game": game }));
        opinions["result"]["opinions"].as_array().unwrap().clone()
    };
    let policies = ask(
        "connect4-laptop",
        json!({ "selfplay.games": 4, "selfplay.simulations": 4, "training.steps": 2, "measure.every": 0,
            "measure.final_games": 2 }),
    );
    let values = ask("nnue-tictactoe", json!({ "selfplay.games": 20, "measure.games": 2, "measure.final_games": 2 }));
    for one in &policies {
        let shares: Vec<f64> =
            one["policy"].as_array().unwrap().iter().map(|one| one["share"].as_f64().unwrap()).collect();
        assert!(shares.len() == 7 && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{one}");
        assert!(shares.iter().all(|share| (0.001..0.999).contains(share)), "{one}");
        assert_eq!(one["lines"].as_array().unwrap().len(), 1, "one look at a tree says nothing of other moves");
    }
    for one in &values {
        assert_eq!(one["policy"], json!([]), "an integer network has no policy");
        let lines = one["lines"].as_array().unwrap();
        assert!((2..=5).contains(&lines.len()), "{one}");
        assert_eq!(lines[0]["win"], one["win"], "the best move is worth what the position is worth");
        let wins: Vec<f64> = lines.iter().map(|line| line["win"].as_f64().unwrap()).collect();
        assert!(wins.windows(2).all(|pair| pair[0] >= pair[1]), "the best first: {one}");
    }
    assert!(policies.len() >= 2 && values.len() >= 2);
}

#[test]
fn a_run_goes_on_after_a_restart_unless_it_was_stopped() {
    let site = Site::new();
    let mut long = tiny_run();
    long["budget"] = "100000".into();
    let begun = site.post("/api/jobs", &long).json();
    let id = begun["id"].as_str().unwrap();
    let run = begun["result"]["run"].clone();
    let generation = |job: &Value| job["result"]["generation"].as_u64().unwrap_or(0);
    site.until(id, |job| generation(job) >= 2);
    let again = json!({ "kind": "train", "run": run });
    assert_eq!(site.post("/api/jobs", &again).status, StatusCode::CONFLICT, "it is at work");
    let site = Site::at(site.end(), |_| {});
    let jobs = site.get("/api/jobs").json();
    assert_eq!((&jobs[0]["kind"], &jobs[0]["result"]["run"]), (&json!("train"), &run), "{jobs}");
    let id = jobs[0]["id"].as_str().unwrap();
    site.until(id, |job| generation(job) >= 3);
    site.delete(&format!("/api/jobs/{id}"));
    assert_eq!(site.wait(id)["state"], "cancelled");
    let site = Site::at(site.end(), |_| {});
    assert!(site.app.jobs.is_idle(), "whoever stops a run means it");
    let resumed = site.post("/api/jobs", &json!({ "kind": "train", "run": run, "budget": "100000" })).json();
    site.until(resumed["id"].as_str().unwrap(), |job| generation(job) >= 4);
    drop(site.end());
}
