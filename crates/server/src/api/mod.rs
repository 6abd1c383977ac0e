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
use crate::problem::Problem;
use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};
use std::sync::Arc;

/// Every request, by path and method.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/games", get(games::list))
        .route("/games/{game}", get(games::one))
        .route("/networks", get(games::networks))
        .route("/position", post(position::show))
        .route("/random", post(position::random))
        .route("/import", post(position::import))
        .route("/export", post(position::export))
        .route("/events", get(events::events))
        .route("/jobs", get(jobs::list).post(jobs::begin))
        .route("/jobs/{id}", get(jobs::one).delete(jobs::end))
        .route("/experiments", get(runs::experiments))
        .route("/runs", get(runs::list))
        .route("/runs/{id}", get(runs::one))
        .route("/runs/{id}/games", get(runs::games))
        .route("/runs/{id}/chart/{file}", get(runs::chart))
        .route("/matches", get(runs::matches))
        .route("/matches/{id}", get(runs::match_of))
        .route("/matches/{id}/resume", post(runs::resume))
        .route("/matches/{id}/games/{index}", get(runs::game))
        .route("/learn", get(runs::lessons))
        .fallback(|| async { Problem::missing("no such request; docs/api.md lists them") })
        .method_not_allowed_fallback(|| async { Problem::new(StatusCode::METHOD_NOT_ALLOWED, "not by this method") })
}
