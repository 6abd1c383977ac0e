//! The requests.
//!
//! | file | what it answers |
//! |---|---|
//! | [`games`] | games, their agents, networks |
//! | [`position`] | positions, files |
//! | [`jobs`] | jobs |
//! | [`events`] | the event stream |
//! | [`runs`] | runs, matches, lessons |
//! | [`apart`] | work that does not hold up other requests |

pub mod apart;
pub mod events;
pub mod games;
pub mod jobs;
pub mod position;
pub mod runs;

use crate::app::App;
use crate::describe::openapi;
use crate::describe::request::{Form, Request};
use crate::problem::Problem;
use axum::http::StatusCode;
use axum::routing::{MethodRouter, delete, get, post};
use axum::{Json, Router};
use std::sync::Arc;

const GAMES: &str = "games";
const POSITIONS: &str = "positions";
const JOBS: &str = "jobs";
const RUNS: &str = "runs";

/// Every request with who answers it: the one declaration, from which the router and all descriptions come.
fn table() -> Vec<(Request, MethodRouter<Arc<App>>)> {
    let json = Form::Json;
    vec![
        (Request::get(GAMES, "/games", json("GameInfo[]"), "the games"), get(games::list)),
        (
            Request::get(
                GAMES,
                "/games/{game}",
                json("GameInfo"),
                "a game with its agents, the words of `tesuji agents`",
            ),
            get(games::one),
        ),
        (Request::get(GAMES, "/networks", json("Network[]"), "the networks"), get(games::networks)),
        (
            Request::get(
                GAMES,
                "/experiments",
                json("Experiment[]"),
                "the experiments that come with the program, first that of `tesuji train` alone",
            ),
            get(runs::experiments),
        ),
        (Request::get(GAMES, "/learn", json("Method[]"), "the tabular methods"), get(runs::lessons)),
        (
            Request::get(GAMES, "/openapi.json", json("any"), "this API as an OpenAPI document"),
            get(|| async { Json(openapi::document(&requests())) }),
        ),
        (
            Request::post(
                POSITIONS,
                "/position",
                Some("Asked"),
                json("Position"),
                "a position, to be drawn and played on",
            ),
            post(position::show),
        ),
        (
            Request::post(POSITIONS, "/random", Some("RandomOrder"), json("Place"), "a position after random moves"),
            post(position::random),
        ),
        (
            Request::post(
                POSITIONS,
                "/import",
                Some("ImportOrder"),
                json("Imported"),
                "FEN, SFEN, a map, moves, or a file's text as a position",
            ),
            post(position::import),
        ),
        (
            Request::post(
                POSITIONS,
                "/export",
                Some("ExportOrder"),
                Form::File("application/octet-stream"),
                "the game as a file",
            ),
            post(position::export),
        ),
        (Request::post(JOBS, "/jobs", Some("Order"), json("Job"), "begins a job"), post(jobs::begin)),
        (Request::get(JOBS, "/jobs", json("Job[]"), "all jobs, the latest first"), get(jobs::list)),
        (Request::get(JOBS, "/jobs/{id}", json("Job"), "one job"), get(jobs::one)),
        (
            Request { method: "delete", ..Request::get(JOBS, "/jobs/{id}", json("Job"), "tells a job to end") },
            delete(jobs::end),
        ),
        (
            Request {
                query: &[("tab", true, "the name of the tab")],
                ..Request::get(
                    JOBS,
                    "/events",
                    Form::Events,
                    "server-sent events: `snapshot` with a `Snapshot` at first and after a gap, then `job` with a `Job` \
                     whenever it changes, at most ten times a second; `Last-Event-ID` goes on where a stream broke off",
                )
            },
            get(events::events),
        ),
        (Request::get(RUNS, "/runs", json("(Run|Broken)[]"), "the runs"), get(runs::list)),
        (
            Request::get(RUNS, "/runs/{id}", json("RunDetail|Broken"), "a run with everything that happened"),
            get(runs::one),
        ),
        (Request::get(RUNS, "/runs/{id}/games", json("RunGame[]"), "the newest games of a run"), get(runs::games)),
        (
            Request {
                query: &[("x", false, "what it goes over: generation, steps, minutes or cpu")],
                ..Request::get(
                    RUNS,
                    "/runs/{id}/chart/{file}",
                    Form::File("image/svg+xml"),
                    "a chart: `strength.svg`, `loss.svg`, `accuracy.svg`, `held-out.svg`, `length.svg`, over `generation`, \
                     `steps`, `minutes` or `cpu`",
                )
            },
            get(runs::chart),
        ),
        (Request::get(RUNS, "/matches", json("MatchRow[]"), "the matches"), get(runs::matches)),
        (Request::get(RUNS, "/matches/{id}", json("Match"), "a match with its games"), get(runs::match_of)),
        (
            Request::post(RUNS, "/matches/{id}/resume", None, json("Job"), "goes on with a match that was ended"),
            post(runs::resume),
        ),
        (Request::get(RUNS, "/matches/{id}/games/{index}", json("MatchGame"), "a game of a match"), get(runs::game)),
    ]
}

/// Every request, described.
pub fn requests() -> Vec<Request> {
    table().into_iter().map(|(request, _)| request).collect()
}

/// Every request, answered.
pub fn routes() -> Router<Arc<App>> {
    let routes = table().into_iter();
    routes
        .fold(Router::new(), |router, (request, answer)| router.route(request.path, answer))
        .fallback(|| async { Problem::missing("no such request; docs/api.md lists them") })
        .method_not_allowed_fallback(|| async { Problem::new(StatusCode::METHOD_NOT_ALLOWED, "not by this method") })
}
