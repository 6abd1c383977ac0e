//! Games, positions and files as the page gets them.

use crate::common::Site;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::io::Read;
use tesuji_server::assets::{Assets, kind};

#[test]
fn every_embedded_file_is_served() {
    let site = Site::new();
    let files: Vec<String> = Assets::iter().map(|name| name.into_owned()).collect();
    assert!(files.iter().any(|name| name == "index.html"), "{files:?}");
    for name in &files {
        let reply = site.get(&format!("/{name}"));
        assert_eq!(reply.status, StatusCode::OK, "{name}");
        assert_eq!(reply.headers["content-type"], kind(name).unwrap(), "{name}");
        assert!(!reply.body.is_empty(), "{name}");
    }
    // What the page's document asks for is there.
    let page = String::from_utf8(site.get("/").body).unwrap();
    for part in page.split(['"', '\'']).filter(|part| part.starts_with('/') && part.contains('.')) {
        assert_eq!(site.get(part).status, StatusCode::OK, "{part}");
    }
    assert_eq!(site.get("/play").body, site.get("/").body);
    assert_eq!(site.get("/no-such-file.js").status, StatusCode::NOT_FOUND);
}

/// Pages are compressed for whoever can read it, and only for them.
#[test]
fn files_are_compressed_on_the_way() {
    let site = Site::new();
    let ask = |path: &str, codings: &str| {
        let request = site.builder("GET", path).header("accept-encoding", codings);
        site.send(request.body(axum::body::Body::empty()).unwrap())
    };
    for name in Assets::iter() {
        let plain = site.get(&format!("/{name}"));
        assert!(!plain.headers.contains_key("content-encoding"), "{name}");
        assert_eq!(plain.headers["vary"], "accept-encoding", "{name}");
        // The second answer comes from what was kept of the first.
        for _ in 0..2 {
            let packed = ask(&format!("/{name}"), "deflate, gzip;q=1.0, *;q=0.5");
            assert_eq!(packed.headers["content-encoding"], "gzip", "{name}");
            assert_eq!(packed.headers["content-type"], plain.headers["content-type"], "{name}");
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut text).unwrap();
            assert!(text == plain.body, "{name}");
        }
    }
    for codings in ["", "identity", "br", "gzip;q=0", "gzipped"] {
        assert!(!ask("/", codings).headers.contains_key("content-encoding"), "{codings:?}");
    }
}

#[test]
fn games_are_listed_with_their_agents() {
    let site = Site::new();
    let games = site.get("/api/games").json();
    let names: Vec<&str> = games.as_array().unwrap().iter().map(|game| game["name"].as_str().unwrap()).collect();
    assert_eq!(names, tesuji_games::names());
    for name in names {
        let game = site.get(&format!("/api/games/{name}")).json();
        let agents = game["agents"].as_array().unwrap();
        assert!(agents.iter().any(|agent| agent["name"] == "uct" && agent["keys"][0]["help"].is_string()), "{name}");
        assert!(agents.iter().all(|agent| agent["name"] != "engine"));
        assert!(game["formats"].as_array().unwrap().iter().any(|format| format["name"] == "tsjr"));
    }
    let chess = site.get("/api/games/chess").json();
    assert!(chess["formats"].as_array().unwrap().iter().any(|format| format["name"] == "pgn"), "{}", chess["formats"]);
    let shogi = site.get("/api/games/minishogi").json();
    assert!(shogi["formats"].as_array().unwrap().iter().any(|format| format["name"] == "kif"), "{}", shogi["formats"]);
    assert_eq!(site.get("/api/games/go").status, StatusCode::BAD_REQUEST);
    let networks = site.get("/api/networks").json();
    assert!(networks.as_array().unwrap().iter().any(|network| network["id"] == "minishogi"), "{networks}");
    let experiments = site.get("/api/experiments").json();
    assert!(experiments.as_array().unwrap().len() > 10);
    assert_eq!(
        experiments[0]["name"],
        tesuji_learn::experiments::DEFAULT,
        "the page offers what `tesuji train` starts"
    );
    assert!(site.get("/api/learn").json().as_array().unwrap().iter().any(|method| method["name"] == "td0"));
}

#[test]
fn positions_come_with_scene_gestures_and_the_last_move() {
    let site = Site::new();
    let line = json!({ "game": "shogi", "moves": ["7g7f", "3c3d", "8h2b+"] });
    let position = site.post("/api/position", &line).json();
    assert_eq!(position["notation"], json!(["☗７六歩", "☖３四歩", "☗２二角成"]));
    assert_eq!(position["scene"]["last"], json!(["8h", "2b"]));
    assert_eq!((&position["scene"]["to_move"], &position["outcome"]), (&json!(1), &Value::Null));
    assert_eq!(position["gestures"].as_array().unwrap().len(), 33);
    let won = json!({ "game": "tictactoe", "moves": ["a1", "b1", "a2", "b2", "a3"] });
    let won = site.post("/api/position", &won).json();
    assert_eq!((&won["outcome"]["winner"], &won["ending"]), (&json!(0), &json!("three in a row")));
    assert_eq!(won["gestures"], json!([]));
    // Chess is read in either notation and written in one.
    let chess = site.post("/api/position", &json!({ "game": "chess", "moves": ["e4", "e7e5", "Nf3"] })).json();
    assert_eq!(chess["moves"], json!(["e2e4", "e7e5", "g1f3"]));
    for (line, problem) in [
        (json!({ "game": "go" }), "unknown game"),
        (json!({ "game": "chess", "moves": ["e2e5"] }), "move 1"),
        (json!({ "game": "chess", "start": "nonsense" }), "nonsense"),
        (json!({ "game": "chess", "rules": "mine" }), "mine"),
        (json!({}), "game"),
    ] {
        let reply = site.post("/api/position", &line);
        assert_eq!(reply.status, StatusCode::BAD_REQUEST);
        assert!(reply.error().contains(problem), "{line}: {}", reply.error());
    }
}

#[test]
fn games_go_out_and_come_back() {
    let site = Site::new();
    for &game in tesuji_games::names() {
        let line = site.post("/api/random", &json!({ "game": game, "seed": 3, "plies": 12 })).json();
        let formats = site.get(&format!("/api/games/{game}")).json()["formats"].clone();
        for format in formats.as_array().unwrap() {
            let name = format["name"].as_str().unwrap();
            let mut export = line.clone();
            export["format"] = name.into();
            export["players"] = json!(["me", "it"]);
            let file = site.post("/api/export", &export);
            assert_eq!(file.status, StatusCode::OK, "{game} {name}: {}", String::from_utf8_lossy(&file.body));
            assert!(file.headers["content-disposition"].to_str().unwrap().contains("attachment"));
            // Bytes that are no text cannot be pasted.
            let Ok(text) = String::from_utf8(file.body) else { continue };
            let read = site.post("/api/import", &json!({ "text": text, "format": name })).json();
            assert_eq!(read["moves"], line["moves"], "{game} {name}");
            let guessed = site.post("/api/import", &json!({ "text": text })).json();
            assert_eq!(guessed["moves"], line["moves"], "{game} {name}");
        }
    }
}

#[test]
fn pasted_lines_are_read() {
    let site = Site::new();
    let read = |text: &str, game: Option<&str>| site.post("/api/import", &json!({ "text": text, "game": game })).json();
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    assert_eq!((&read(fen, None)["game"], &read(fen, None)["start"]), (&json!("chess"), &json!(fen)));
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    assert_eq!(read(&format!("position sfen {sfen} moves 7g7f"), None)["moves"], json!(["7g7f"]));
    assert_eq!(read("rbsgk/4p/5/P4/KGSBR b - 1", None)["game"], "minishogi");
    assert_eq!(read("d d c", Some("connect4"))["moves"], json!(["d", "d", "c"]));
    assert_eq!(read("1. e4 e5 2. Nf3", None)["moves"], json!(["e2e4", "e7e5", "g1f3"]));
    assert_eq!(read("map02", Some("tubstap"))["start"], "map02");
    for text in ["", "what is this", "\u{0}"] {
        assert_eq!(site.post("/api/import", &json!({ "text": text })).status, StatusCode::BAD_REQUEST, "{text:?}");
    }
}
