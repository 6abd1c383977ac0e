//! Jobs: begin, list, look at, end.

use super::apart::apart;
use crate::app::App;
use crate::hub;
use crate::input::Input;
use crate::problem::{Answer, Problem};
use crate::work;
use crate::work::learn::LearnInput;
use crate::work::matches::{self, MatchInput};
use crate::work::opinions::OpinionsInput;
use crate::work::search::{ReplyInput, SearchInput};
use crate::work::train::TrainInput;
use crate::work::truth::TruthInput;
use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// What is to be done, and for which tab.
#[derive(Deserialize)]
pub struct JobInput {
    #[serde(default)]
    tab: Option<String>,
    #[serde(flatten)]
    work: Work,
}

/// What is to be done.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Work {
    Search(SearchInput),
    Reply(ReplyInput),
    Truth(TruthInput),
    Match(MatchInput),
    Train(TrainInput),
    Learn(LearnInput),
    Opinions(OpinionsInput),
}

/// `POST /api/jobs`
pub async fn begin(State(app): State<Arc<App>>, Input(input): Input<JobInput>) -> Answer<Json<Value>> {
    if input.tab.as_ref().is_some_and(|tab| !hub::is_tab(tab)) {
        return Err(Problem::bad("tab: expected 8 to 64 letters, digits, hyphens and underscores"));
    }
    apart(move || {
        let tab = input.tab.as_deref();
        let job = match input.work {
            Work::Search(work) => work.start(&app, tab),
            Work::Reply(work) => work.start(&app, tab),
            Work::Truth(work) => work.start(&app, tab),
            Work::Match(work) => matches::begin(&app, work),
            Work::Train(work) => work.start(&app),
            Work::Learn(work) => work.start(&app, tab),
            Work::Opinions(work) => work.start(&app, tab),
        }?;
        Ok(Json(job.json()))
    })
    .await
}

/// `GET /api/jobs`
pub async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!(app.jobs.list(None)))
}

/// `GET /api/jobs/{id}`
pub async fn one(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Value>> {
    let job = app.jobs.find(&id).ok_or_else(|| Problem::missing("no such job"))?;
    Ok(Json(job.json()))
}

/// `DELETE /api/jobs/{id}`
pub async fn end(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer<Json<Value>> {
    let job = app.jobs.find(&id).ok_or_else(|| Problem::missing("no such job"))?;
    apart(move || {
        work::end(&app, &job);
        Ok(Json(job.json()))
    })
    .await
}
