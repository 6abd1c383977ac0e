//! The event stream of a tab.

use crate::app::App;
use crate::hub::{self, Stream};
use crate::problem::{Answer, Problem};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use serde::Deserialize;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Which tab it is.
#[derive(Deserialize)]
pub struct TabQuery {
    tab: String,
}

/// Where a stream stands.
struct Place {
    app: Arc<App>,
    stream: Stream,
    sent: u64,
    /// The first event of a stream that does not go on where another one broke off: everything that the tab may see.
    snapshot: bool,
}

/// `GET /api/events`
pub async fn events(
    State(app): State<Arc<App>>,
    Query(query): Query<TabQuery>,
    headers: HeaderMap,
) -> Answer<impl IntoResponse> {
    if !hub::is_tab(&query.tab) {
        return Err(Problem::bad("tab: expected 8 to 64 letters, digits, hyphens and underscores"));
    }
    let full = || Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many tabs are open");
    let stream = app.hub.open(&query.tab).ok_or_else(full)?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse::<u64>().ok());
    // A number that this server never gave is one of a server before it; one that is too old has events behind it that
    // are not kept any more.
    let known = last.filter(|&last| stream.can_resume(last));
    let sent = known.unwrap_or_else(|| stream.latest());
    let place = Place { app, stream, sent, snapshot: known.is_none() };
    let events = stream::unfold((place, query.tab), |(mut place, tab)| async move {
        let event = place.next(&tab).await?;
        Some((Ok::<Event, Infallible>(event), (place, tab)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(10))))
}

impl Place {
    /// The next event; none if the server ends.
    async fn next(&mut self, tab: &str) -> Option<Event> {
        if self.snapshot {
            self.snapshot = false;
            let jobs = json!({ "jobs": self.app.jobs.list(Some(tab)) });
            return Some(Event::default().id(self.sent.to_string()).event("snapshot").data(jobs.to_string()));
        }
        loop {
            if self.app.is_closing() {
                return None;
            }
            if let Some(event) = self.stream.after(self.sent) {
                self.sent = event.id;
                return Some(Event::default().id(event.id.to_string()).event(event.name).data(&*event.data));
            }
            self.stream.wait().await;
        }
    }
}
