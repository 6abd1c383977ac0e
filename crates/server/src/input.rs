//! The body of a request as JSON, with our own words where it is not.

use crate::problem::Problem;
use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

/// The longest body: a file of games that is pasted.
pub const LONGEST_BODY: usize = 1 << 20;

/// A body of JSON.
pub struct Input<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Input<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Input<T>, Problem> {
        // Forms of other sites can send text, but not this.
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_json = |kind: &str| kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json");
        if !kind.is_some_and(is_json) {
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "expected Content-Type: application/json"));
        }
        let long = || format!("the body is longer than {LONGEST_BODY} bytes, or was cut off");
        let body = to_bytes(request.into_body(), LONGEST_BODY).await;
        let body = body.map_err(|_| Problem::new(StatusCode::PAYLOAD_TOO_LARGE, long()))?;
        serde_json::from_slice(&body).map(Input).map_err(|error| Problem::bad(format!("the body: {error}")))
    }
}
