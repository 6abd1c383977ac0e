//! What a request is refused with: a status and one line.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tesuji_core::{MoveError, ParseError};

/// Why a request was refused: `{"error": "one line"}` with its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The status.
    pub status: StatusCode,
    /// The line.
    pub text: String,
}

/// What handlers give back.
pub type Answer<T> = Result<T, Problem>;

impl Problem {
    /// A problem with this status.
    pub fn new(status: StatusCode, text: impl Into<String>) -> Problem {
        Problem { status, text: text.into().replace(['\n', '\r'], " ") }
    }

    /// The request makes no sense.
    pub fn bad(text: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, text)
    }

    /// There is no such thing.
    pub fn missing(text: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, text)
    }

    /// It does not fit what is going on.
    pub fn conflict(text: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, text)
    }

    /// A fault of ours.
    pub fn internal(text: impl Into<String>) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, text)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, axum::Json(json!({ "error": self.text }))).into_response()
    }
}

macro_rules! bad_from {
    ($($type:ty),*) => {
        $(impl From<$type> for Problem {
            fn from(error: $type) -> Problem {
                Problem::bad(error.to_string())
            }
        })*
    };
}

bad_from!(ParseError, MoveError, tesuji_games::UnknownGame, tesuji_games::formats::FormatError, String);
