//! The page's files: in the binary, or read from disk in development builds; compressed on the way if the client can read it.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::{EmbeddedFile, RustEmbed};
use std::collections::HashMap;
use std::io::Write;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The folder `web`.
#[derive(RustEmbed)]
#[folder = "web"]
pub struct Assets;

/// The kind of a file by its name's ending; none of a file that has no business there.
pub fn kind(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" | "webmanifest" => "application/json",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

/// More files than the page has; development builds see other contents whenever somebody saves.
const MOST_PACKED: usize = 256;

/// The files that have been asked for, compressed, by the hash of their content.
static PACKED: LazyLock<Mutex<HashMap<[u8; 32], Bytes>>> = LazyLock::new(Mutex::default);

/// A file compressed, which is done once.
fn packed(file: &EmbeddedFile) -> Option<Bytes> {
    let mut known = PACKED.lock().unwrap_or_else(PoisonError::into_inner);
    let hash = file.metadata.sha256_hash();
    if let Some(bytes) = known.get(&hash) {
        return Some(bytes.clone());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&file.data).ok()?;
    let bytes = Bytes::from(encoder.finish().ok()?);
    if known.len() >= MOST_PACKED {
        known.clear();
    }
    known.insert(hash, bytes.clone());
    Some(bytes)
}

/// Whether a client reads gzip: it names it, and not to refuse it.
fn reads_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING);
    let mut codings = values.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_none_or(|weight| weight > 0.0)
    })
}

/// Answers with a file of the page; whatever is no file is a state of the page, which is one document.
pub async fn answer(request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = request.uri().path().trim_start_matches('/');
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let path = if is_file { path } else { "index.html" };
    let Some((kind, file)) = kind(path).and_then(|kind| Some((kind, Assets::get(path)?))) else {
        return (StatusCode::NOT_FOUND, "no such file").into_response();
    };
    let common = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, header::ACCEPT_ENCODING.as_str()),
    ];
    // Pictures are compressed already.
    let bytes = (kind != "image/png" && reads_gzip(request.headers())).then(|| packed(&file)).flatten();
    match bytes {
        Some(bytes) => (common, [(header::CONTENT_ENCODING, "gzip")], bytes).into_response(),
        None => (common, file.data.into_owned()).into_response(),
    }
}
