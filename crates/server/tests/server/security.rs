//! A server on somebody's laptop: a test for each line of what it promises (docs/serve.md, Security).

use crate::common::{HOST, Reply, Site};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::json;
use std::fs;
use tesuji_core::Stream;
use tesuji_server::{Options, Server};

fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from("{}")).unwrap()
}

/// Opens the printed URL; the cookie as a browser sends it back.
fn enter(site: &Site) -> String {
    let url = format!("/?token={}", site.app.secrets.once().unwrap());
    let reply = site.send(request("GET", &url, &[("host", HOST)]));
    assert_eq!((reply.status, &reply.headers["location"]), (StatusCode::SEE_OTHER, &"/".parse().unwrap()));
    let cookie = reply.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"), "{cookie}");
    cookie.split(';').next().unwrap().to_owned()
}

#[test]
fn it_listens_on_this_machine_only() {
    assert!(Options::default().address.is_loopback());
    let directory = tempfile::tempdir().unwrap();
    let options =
        Options { runs: directory.path().join("runs"), matches: directory.path().join("m"), ..Options::default() };
    let server = Server::start(options).unwrap();
    assert!(server.address().ip().is_loopback());
    assert!(server.url().starts_with("http://127.0.0.1:"), "{}", server.url());
}

#[test]
fn other_names_are_refused() {
    let site = Site::new();
    let cookie = enter(&site);
    let bearer = format!("Bearer {}", site.app.secrets.bearer());
    for host in ["evil.example", "evil.example:4000", "127.0.0.1", "127.0.0.1:4001", "localhost", ""] {
        for path in ["/api/games", "/"] {
            let headers = [("host", host), ("cookie", cookie.as_str()), ("authorization", bearer.as_str())];
            assert_eq!(site.send(request("GET", path, &headers)).status, StatusCode::MISDIRECTED_REQUEST, "{host:?}");
        }
    }
    assert_eq!(site.send(request("GET", "/", &[])).status, StatusCode::MISDIRECTED_REQUEST);
    let twice = request("GET", "/", &[("host", HOST), ("host", "evil.example")]);
    assert_eq!(site.send(twice).status, StatusCode::MISDIRECTED_REQUEST);
    for host in [HOST, "localhost:4000", "[::1]:4000"] {
        let headers = [("host", host), ("cookie", cookie.as_str())];
        assert_eq!(site.send(request("GET", "/api/games", &headers)).status, StatusCode::OK, "{host}");
    }
}

#[test]
fn writes_need_the_exact_origin() {
    let site = Site::new();
    let cookie = enter(&site);
    let post = |origin: Option<&str>| {
        let mut headers = vec![("host", HOST), ("cookie", cookie.as_str()), ("content-type", "application/json")];
        headers.extend(origin.map(|origin| ("origin", origin)));
        let mut request = request("POST", "/api/position", &headers);
        *request.body_mut() = Body::from(r#"{"game":"tictactoe"}"#);
        site.send(request).status
    };
    assert_eq!(post(Some("http://127.0.0.1:4000")), StatusCode::OK);
    let foreign =
        ["http://127.0.0.1:4001", "https://127.0.0.1:4000", "http://localhost:4000", "null", "http://evil.example"];
    for origin in foreign {
        assert_eq!(post(Some(origin)), StatusCode::FORBIDDEN, "{origin}");
    }
    assert_eq!(post(None), StatusCode::FORBIDDEN);
    // Reading from another origin is refused as well.
    let headers = [("host", HOST), ("cookie", cookie.as_str()), ("origin", "http://evil.example")];
    assert_eq!(site.send(request("GET", "/api/games", &headers)).status, StatusCode::FORBIDDEN);
    // What a form of another site can send is no JSON.
    let bearer = format!("Bearer {}", site.app.secrets.bearer());
    let headers = [("host", HOST), ("authorization", bearer.as_str()), ("content-type", "text/plain")];
    assert_eq!(site.send(request("POST", "/api/position", &headers)).status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[test]
fn nobody_without_a_token_gets_an_answer() {
    let site = Site::new();
    for (method, path) in
        [("GET", "/api/games"), ("POST", "/api/position"), ("GET", "/api/events?tab=abcdefgh"), ("GET", "/api/nothing")]
    {
        for headers in
            [vec![("host", HOST)], vec![("host", HOST), ("cookie", "tesuji-4000=0"), ("authorization", "Bearer 0")]]
        {
            assert_eq!(site.send(request(method, path, &headers)).status, StatusCode::UNAUTHORIZED, "{method} {path}");
        }
    }
    // The page's files hold no secret.
    assert_eq!(site.send(request("GET", "/", &[("host", HOST)])).status, StatusCode::OK);
}

#[test]
fn the_printed_url_works_once() {
    let site = Site::new();
    let token = site.app.secrets.once().unwrap();
    let wrong = site.send(request("GET", "/?token=00000000000000000000000000000000", &[("host", HOST)]));
    assert_eq!((wrong.status, wrong.headers.get("set-cookie")), (StatusCode::UNAUTHORIZED, None));
    let cookie = enter(&site);
    let again = request("GET", &format!("/?token={token}"), &[("host", HOST)]);
    assert_eq!(site.send(again).status, StatusCode::UNAUTHORIZED);
    // Whoever has the cookie may come back by the same link.
    let again = request("GET", &format!("/?token={token}"), &[("host", HOST), ("cookie", cookie.as_str())]);
    assert_eq!(site.send(again).status, StatusCode::SEE_OTHER);
    let headers = [("host", HOST), ("cookie", cookie.as_str())];
    assert_eq!(site.send(request("GET", "/api/games", &headers)).status, StatusCode::OK);
}

#[test]
fn the_link_leads_nowhere_else() {
    for path in ["//evil.example/", "/%5cevil.example", "///evil.example"] {
        let site = Site::new();
        let url = format!("{path}?token={}", site.app.secrets.once().unwrap());
        let Ok(uri) = url.parse::<axum::http::Uri>() else { continue };
        let reply = site.send(Request::builder().uri(uri).header("host", HOST).body(Body::empty()).unwrap());
        assert_eq!(reply.headers.get("location").map(|to| to.to_str().unwrap()), Some("/"), "{path}");
    }
}

#[test]
fn every_answer_forbids_foreign_and_inline_script() {
    let site = Site::new();
    let replies: [Reply; 3] = [
        site.get("/api/games"),
        site.send(request("GET", "/", &[("host", HOST)])),
        site.send(request("GET", "/api/games", &[("host", HOST)])),
    ];
    for reply in replies {
        let policy = reply.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.headers["x-content-type-options"], "nosniff");
        assert_eq!(reply.headers["referrer-policy"], "no-referrer");
    }
    assert_eq!(site.get("/api/games").headers["cache-control"], "no-store");
}

#[test]
fn no_path_comes_from_outside() {
    let site = Site::new();
    let secret = site.directory.path().join("secret.tbsmap");
    fs::write(&secret, "SIZEX[").unwrap();
    for start in [secret.to_str().unwrap(), "x.TBSMAP moves a1a2", "secret.tbsmap"] {
        let reply = site.post("/api/position", &json!({ "game": "tubstap", "start": start }));
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{start}");
        assert!(reply.error().contains("files cannot be named"), "{}", reply.error());
    }
    let run = site.directory.path().join("runs").join("mine");
    fs::create_dir_all(&run).unwrap();
    fs::write(run.join("experiment.toml"), "").unwrap();
    let ids = ["mine", "..", "../runs/mine", "%2e%2e", "..%2fruns%2fmine", "r0000000000000000", run.to_str().unwrap()];
    for id in ids {
        let reply = site.get(&format!("/api/runs/{}", id.replace('/', "%2f")));
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{id}");
    }
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "/js/../../Cargo.toml", "/.git/config", "/src/lib.rs"] {
        // What is no file is a state of the page, which is one document.
        let reply = site.get(path);
        assert!(reply.status == StatusCode::NOT_FOUND || reply.body == site.get("/").body, "{path}");
    }
    for agent in [
        "pv:net=/etc/passwd",
        "pv:net=../nets/minishogi",
        "uct:eval=net:runs/mine",
        "uct:rollout=strength,strengths=/etc/passwd",
        "best:strengths=x",
    ] {
        let job = json!({ "kind": "reply", "game": "minishogi", "agent": agent, "cpu": 0.01 });
        assert_eq!(site.post("/api/jobs", &job).status, StatusCode::BAD_REQUEST, "{agent}");
    }
    let job = |set| json!({ "kind": "train", "experiment": "minishogi-quick", "set": set });
    for set in [json!({ "network.initial": "/etc/passwd" }), json!({ "measure.opponents": ["engine:sh"] })] {
        assert!(site.post("/api/jobs", &job(set)).error().contains("only numbers"));
    }
    for experiment in ["/etc/passwd", "../experiments/x.toml", "minishogi-quick/../x"] {
        let job = json!({ "kind": "train", "experiment": experiment });
        assert_eq!(site.post("/api/jobs", &job).status, StatusCode::BAD_REQUEST, "{experiment}");
    }
    let job = json!({ "kind": "train", "experiment": "minishogi-quick", "name": "../x" });
    assert!(site.post("/api/jobs", &job).error().contains("name:"));
}

#[test]
fn engines_need_leave() {
    let reply = |site: &Site, agent: &str| {
        site.post("/api/jobs", &json!({ "kind": "reply", "game": "chess", "agent": agent, "cpu": 0.01 }))
    };
    let site = Site::new();
    for agent in ["engine:sh", "engine:/bin/sh", "engine:mine"] {
        let refused = reply(&site, agent);
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        assert!(refused.error().contains("--allow-engine"), "{}", refused.error());
    }
    let site = Site::with(|options| options.engines = vec![("mine".to_owned(), "no-such-program-anywhere".to_owned())]);
    assert_eq!(site.get("/api/games/chess").json()["engines"], json!(["engine:mine"]));
    assert!(!String::from_utf8(site.get("/api/games/chess").body).unwrap().contains("no-such-program"));
    assert_eq!(reply(&site, "engine:sh").status, StatusCode::BAD_REQUEST);
    let job = reply(&site, "engine:mine");
    assert_eq!(job.status, StatusCode::OK);
    assert_eq!(site.wait(job.json()["id"].as_str().unwrap())["state"], "failed");
}

#[test]
fn bodies_and_requests_are_limited() {
    let site = Site::new();
    let long = json!({ "text": "x".repeat(2 << 20) });
    assert_eq!(site.post("/api/import", &long).status, StatusCode::PAYLOAD_TOO_LARGE);
    let memory = json!({ "kind": "reply", "game": "chess", "agent": "alphabeta:hash=60000", "cpu": 0.01 });
    assert!(site.post("/api/jobs", &memory).error().contains("megabytes"));
    let threads = json!({ "kind": "reply", "game": "chess", "agent": "alphabeta:threads=200", "cpu": 0.01 });
    assert!(site.post("/api/jobs", &threads).error().contains("threads"));
    let site = Site::with(|options| options.rate = (5, 1));
    let refused = (0..20).filter(|_| site.get("/api/games").status == StatusCode::TOO_MANY_REQUESTS).count();
    assert!(refused >= 10, "only {refused} of 20 were refused");
}

#[test]
fn the_token_for_scripts_is_for_its_owner() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("token");
    fs::write(&file, "old").unwrap();
    let options = Options {
        runs: directory.path().join("runs"),
        matches: directory.path().join("matches"),
        token_file: Some(file.clone()),
        ..Options::default()
    };
    let server = Server::start(options).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), server.app().secrets.bearer());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

/// Ten thousand requests that make little sense: each is answered, none by a fault of ours.
#[test]
fn nonsense_is_answered() {
    let site = Site::with(|options| options.threads = 1);
    let mut random = Stream::new(18, "nonsense", 0);
    let paths = [
        "/",
        "/api/games",
        "/api/games/chess",
        "/api/games/go",
        "/api/position",
        "/api/random",
        "/api/import",
        "/api/export",
        "/api/jobs",
        "/api/jobs/j0",
        "/api/networks",
        "/api/experiments",
        "/api/runs",
        "/api/runs/r0",
        "/api/runs/r0/chart/loss.svg?x=%ff",
        "/api/matches",
        "/api/matches/m0/games/x",
        "/api/matches/m0/resume",
        "/api/learn",
        "/api/%ff",
        "/js/%00",
        "/api/events?tab=%ff",
        "/api/events",
        "/?token=%ff",
    ];
    let words = [
        "chess",
        "shogi",
        "minishogi",
        "tubstap",
        "bingo3d",
        "connect4",
        "tictactoe",
        "official",
        "paper",
        "startpos",
        "random:5",
        "map01",
        "e2e4",
        "7g7f",
        "a1",
        "d",
        "end",
        "search",
        "reply",
        "truth",
        "match",
        "train",
        "learn",
        "opinions",
        "best",
        "random",
        "uct:sims=9",
        "pgn",
        "kif",
        "csa",
        "tsjr",
        "replay",
        "tbsmap",
        "td0",
        "",
        "\u{0}",
        "[Event \"x\"]\n1. e4",
        "☗７六歩",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "2 Ia1:10,ib1:5 0/9 10",
    ];
    let keys = [
        "game",
        "rules",
        "start",
        "moves",
        "kind",
        "agent",
        "agents",
        "cpu",
        "text",
        "format",
        "method",
        "seed",
        "plies",
        "tab",
        "run",
        "experiment",
        "games",
        "name",
        "set",
    ];
    let mut statuses = std::collections::BTreeMap::new();
    for _ in 0..10_000 {
        let mut body = serde_json::Map::new();
        for _ in 0..random.below(7) {
            let word = |random: &mut Stream| json!(words[random.below(words.len())]);
            let value = match random.below(7) {
                0 => json!(random.next_u64()),
                1 => json!(-0.5),
                2 => json!([word(&mut random), word(&mut random)]),
                3 => json!(null),
                4 => json!({ "a": word(&mut random) }),
                _ => word(&mut random),
            };
            body.insert(keys[random.below(keys.len())].to_owned(), value);
        }
        // Nothing that really takes a while.
        if body.get("kind").is_some_and(|kind| kind == "train" || kind == "match") {
            body.remove("experiment");
            body.remove("games");
        }
        let mut text = serde_json::Value::Object(body).to_string();
        if random.below(10) == 0 {
            let cut = random.below(text.len());
            text.truncate((0..=cut).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0));
        }
        let method = ["GET", "POST", "POST", "POST", "DELETE", "PUT", "HEAD", "OPTIONS"][random.below(8)];
        let path = paths[random.below(paths.len())];
        if path.contains("events?tab=") && method == "GET" {
            continue;
        }
        let request = site.builder(method, path).header("content-type", "application/json");
        let reply = site.send(request.body(Body::from(text.clone())).unwrap());
        assert!(!reply.status.is_server_error(), "{method} {path} {text}: {}", reply.status);
        if path.starts_with("/api") && reply.status.is_client_error() && method != "HEAD" {
            assert!(!reply.error().is_empty() && !reply.error().contains('\n'), "{method} {path} {text}");
        }
        *statuses.entry(reply.status.as_u16()).or_insert(0) += 1;
    }
    assert!(statuses[&200] > 500 && statuses[&400] > 500, "{statuses:?}");
}
