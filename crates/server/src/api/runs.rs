//! Runs, matches and lessons.

use super::apart::apart;
use crate::app::App;
use crate::problem::{Answer, Problem};
use crate::work::{learn, matches, runs};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// `GET /api/experiments`
pub async fn experiments() -> Answer<Json<Vec<Value>>> {
    apart(|| runs::experiments().map(Json)).await
}

/// `GET /api/runs`
pub async fn list(State(app): State<Arc<App>>) -> Answer<Json<Vec<Value>>> {
    apart(move || Ok(Json(runs::list(&app)))).await
}

/// `GET /api/runs/{id}`
pub async fn one(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Value>> {
    apart(move || runs::one(&app, &id).map(Json)).await
}

/// `GET /api/runs/{id}/games`
pub async fn games(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Vec<Value>>> {
    apart(move || runs::games(&app, &id).map(Json)).await
}

/// What a chart goes over.
#[derive(Deserialize)]
pub struct ChartQuery {
    #[serde(default = "generation")]
    x: String,
}

fn generation() -> String {
    "generation".to_owned()
}

/// `GET /api/runs/{id}/chart/{kind}.svg`
pub async fn chart(
    State(app): State<Arc<App>>,
    Path((id, file)): Path<(String, String)>,
    Query(query): Query<ChartQuery>,
) -> Answer<Response> {
    apart(move || {
        let kind = file.strip_suffix(".svg").ok_or_else(|| Problem::missing("charts end in .svg"))?;
        let svg = runs::chart(&app, &id, kind, &query.x)?;
        Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
    })
    .await
}

/// `GET /api/matches`
pub async fn matches(State(app): State<Arc<App>>) -> Answer<Json<Vec<Value>>> {
    apart(move || Ok(Json(matches::list(&app)))).await
}

/// `GET /api/matches/{id}`
pub async fn match_of(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Value>> {
    apart(move || matches::one(&app, &id).map(Json)).await
}

/// `POST /api/matches/{id}/resume`
pub async fn resume(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Value>> {
    apart(move || Ok(Json(matches::resume(&app, &id)?.json()))).await
}

/// `GET /api/matches/{id}/games/{index}`
pub async fn game(State(app): State<Arc<App>>, Path((id, index)): Path<(String, usize)>) -> Answer<Json<Value>> {
    apart(move || matches::game(&app, &id, index).map(Json)).await
}

/// `GET /api/learn`
pub async fn lessons() -> Json<Vec<Value>> {
    Json(learn::methods())
}
