//! The API is as it is described: requests, types, documents.

use crate::common::Site;
use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tesuji_server::api::requests;
use tesuji_server::describe::request::Form;
use tesuji_server::describe::shape::Shape;
use tesuji_server::describe::texts;
use tesuji_server::describe::types::{TYPES, lookup};

const REWRITE: &str = "TESUJI_REWRITE_API=1 cargo test -p tesuji-server --test server described";

/// Fails if a file is not as it would be made now, or writes it if that was asked for.
fn is_current(path: &str, made: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("TESUJI_REWRITE_API").is_some() {
        fs::write(&path, made).unwrap();
        return;
    }
    assert!(fs::read_to_string(&path).unwrap() == made, "{} is not current: {REWRITE}", path.display());
}

#[test]
fn the_page_has_the_types_of_the_server() {
    is_current("web/js/types.js", &texts::page_types());
}

#[test]
fn the_document_is_made_from_the_declaration() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    let document = fs::read_to_string(path).unwrap();
    is_current("../../docs/api.md", &texts::remake(&document, &requests()).unwrap());
    for request in requests() {
        let named = format!("`{} /api{}", request.method.to_uppercase(), request.path);
        assert!(document.contains(&named), "{named} is missing");
    }
}

/// The OpenAPI document has every request of the router and no other, and names no type that is not there.
#[test]
fn the_openapi_document_has_every_request() {
    let site = Site::new();
    let document = site.get("/api/openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    let operations: usize = paths.values().map(|path| path.as_object().unwrap().len()).sum();
    assert_eq!(operations, requests().len());
    for request in requests() {
        let operation = &paths[&format!("/api{}", request.path)][request.method];
        assert_eq!(operation["summary"], request.about);
        // The router knows the path, and answers to this method: with whatever, but not with "no such request".
        let path = format!("/api{}", request.path.replace("{game}", "chess").replace("{index}", "0"));
        let method = request.method.to_uppercase();
        if request.answers == Form::Events {
            assert_eq!(site.get(&path).status, StatusCode::BAD_REQUEST);
            continue;
        }
        let reply = site.send(site.builder(&method, &path).body(Body::empty()).unwrap());
        assert_ne!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert!(!text.contains("no such request"), "{method} {path}: {text}");
        // Other methods are not there.
        for other in ["PUT", "PATCH"] {
            let reply = site.send(site.builder(other, &path).body(Body::empty()).unwrap());
            assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{other} {path}");
        }
    }
    assert_eq!(site.get("/api/nothing").status, StatusCode::NOT_FOUND);
    let text = document.to_string();
    for name in text.split("#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(TYPES.iter().any(|known| known.name == name), "no type {name}");
    }
    // It is guarded like the rest.
    let foreign = axum::http::Request::builder().uri("/api/openapi.json").header("host", crate::common::HOST);
    assert_eq!(site.send(foreign.body(Body::empty()).unwrap()).status, StatusCode::UNAUTHORIZED);
}

#[track_caller]
fn fits(text: &str, value: &Value) {
    let shape = Shape::parse(text).unwrap();
    shape.check(value, &lookup).unwrap_or_else(|problem| panic!("{text}: {problem}"));
}

/// What the server answers is of the type that is declared: no field is missing, none is unknown.
#[test]
fn answers_are_of_their_types() {
    let site = Site::new();
    for request in requests() {
        let Form::Json(text) = request.answers else { continue };
        if request.method == "get" && request.variables().is_empty() {
            fits(text, &site.get(&format!("/api{}", request.path)).json());
        }
    }
    for &game in tesuji_games::names() {
        fits("GameInfo", &site.get(&format!("/api/games/{game}")).json());
        for seed in 0..10 {
            let place = site.post("/api/random", &json!({ "game": game, "seed": seed, "plies": 3 * seed })).json();
            fits("Place", &place);
            fits("Position", &site.post("/api/position", &place).json());
        }
    }
    fits("Problem", &site.get("/api/games/go").json());
    fits("Imported", &site.post("/api/import", &json!({ "text": "1. e4 e5 2. Nf3" })).json());
    fits("Imported", &site.post("/api/import", &json!({ "text": "d d c", "game": "connect4" })).json());
}

/// Jobs, what they are asked for and what they find, runs and matches are of their types.
#[test]
fn jobs_runs_and_matches_are_of_their_types() {
    let site = Site::new();
    let start = |game: &str| json!({ "game": game, "rules": "official", "start": "startpos", "moves": [] });
    let with = |mut order: Value, more: Value| {
        order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        order
    };
    let orders = [
        with(start("chess"), json!({ "kind": "search", "agents": ["uct:sims=50", "alphabeta:depth=2"], "cpu": 1.0 })),
        with(start("minishogi"), json!({ "kind": "search", "agents": ["pv:net=minishogi,sims=8"], "cpu": 1.0 })),
        with(start("tictactoe"), json!({ "kind": "reply", "agent": "alphabeta:depth=2", "cpu": 0.1, "seed": 1 })),
        with(start("minishogi"), json!({ "kind": "truth", "cpu": 0.05 })),
        with(start("tictactoe"), json!({ "kind": "truth" })),
        with(start("tictactoe"), json!({ "kind": "learn", "method": "td0", "episodes": 20 })),
        json!({ "kind": "match", "game": "tictactoe", "agents": ["random", "bot"], "games": 4, "cpu": 0.01, "sprt": [0.0, 50.0] }),
        json!({ "kind": "train", "experiment": "td-tictactoe", "name": "tiny", "budget": "2", "threads": 1,
            "set": { "selfplay.games": 20, "measure.final_games": 4 } }),
    ];
    for order in &orders {
        fits("Order", order);
        let kind = order["kind"].as_str().unwrap();
        let begun = site.post("/api/jobs", order);
        assert_eq!(begun.status, StatusCode::OK, "{order}: {}", String::from_utf8_lossy(&begun.body));
        // What is told before it has begun is of the same type.
        fits("Job", &begun.json());
        fits(texts::result_of(kind).unwrap(), &begun.json()["result"]);
        let job = site.wait(begun.json()["id"].as_str().unwrap());
        assert_eq!(job["state"], "done", "{job}");
        fits("Job", &job);
        fits(texts::result_of(kind).unwrap(), &job["result"]);
    }
    let runs = site.get("/api/runs").json();
    fits("(Run|Broken)[]", &runs);
    let id = runs[0]["id"].as_str().expect("a run").to_owned();
    fits("RunDetail", &site.get(&format!("/api/runs/{id}")).json());
    let games = site.get(&format!("/api/runs/{id}/games")).json();
    assert!(!games.as_array().unwrap().is_empty());
    fits("RunGame[]", &games);
    let opinions = with(start("tictactoe"), json!({ "kind": "opinions", "run": id }));
    fits("Order", &opinions);
    fits("Opinions", &site.job(&opinions)["result"]);
    let matches = site.get("/api/matches").json();
    fits("MatchRow[]", &matches);
    let id = matches[0]["id"].as_str().expect("a match").to_owned();
    fits("Match", &site.get(&format!("/api/matches/{id}")).json());
    fits("MatchGame", &site.get(&format!("/api/matches/{id}/games/0")).json());
    fits("Snapshot", &json!({ "jobs": site.get("/api/jobs").json() }));
}
