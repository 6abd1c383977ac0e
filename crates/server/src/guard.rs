//! What every request passes: rate, `Host`, token, `Origin`; and what every answer carries.

use crate::app::App;
use crate::problem::Problem;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// No script, style, image or connection but our own, nothing inline, and nobody may frame the page.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Lets a request through, or refuses it; every answer gets its headers.
pub async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let refused = check(&app, &request);
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = match refused {
        Ok(None) => next.run(request).await,
        Ok(Some(answer)) => answer,
        Err(problem) => problem.into_response(),
    };
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if is_api && response.status().is_client_error() && !is_json {
        // A path or a query that the router could not read.
        let status = response.status();
        response = Problem::new(status, status.canonical_reason().unwrap_or("refused")).into_response();
    }
    let headers = response.headers_mut();
    let mut set = |name: &'static str, value: &'static str| {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    };
    set("content-security-policy", POLICY);
    set("x-content-type-options", "nosniff");
    set("x-frame-options", "DENY");
    set("referrer-policy", "no-referrer");
    set("cross-origin-opener-policy", "same-origin");
    set("cross-origin-resource-policy", "same-origin");
    if is_api {
        set("cache-control", "no-store");
    }
    response
}

/// Whether a request may go on; an answer of its own if it brings the token of the printed URL.
fn check(app: &App, request: &Request) -> Result<Option<Response>, Problem> {
    if !app.rate.take() {
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many requests; wait a moment"));
    }
    let headers = request.headers();
    // A page of another name that resolves to this machine (DNS rebinding) sends its own name.
    let host = text(headers, header::HOST).unwrap_or_default();
    if headers.get_all(header::HOST).iter().count() != 1 || !app.hosts.iter().any(|known| known == host) {
        return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "this server does not have that name"));
    }
    let path = request.uri().path();
    let cookies = headers.get_all(header::COOKIE);
    let mut cookies = cookies.iter().filter_map(|cookie| cookie.to_str().ok());
    let has_cookie = cookies.any(|cookie| app.secrets.has_cookie(&app.cookie_name, cookie));
    if let Some(token) = token(request.uri().query().unwrap_or_default()).filter(|_| !path.starts_with("/api/")) {
        return enter(app, path, token, has_cookie).map(Some);
    }
    if !path.starts_with("/api/") {
        return Ok(None);
    }
    let bearer = text(headers, header::AUTHORIZATION).is_some_and(|value| app.secrets.has_bearer(value));
    if !has_cookie && !bearer {
        let how = "open the URL that `tesuji serve` printed, or send Authorization: Bearer TOKEN";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, how));
    }
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let origin = text(headers, header::ORIGIN);
    let own = origin.and_then(|origin| origin.strip_prefix("http://")) == Some(host);
    // Browsers name the origin of every write; scripts, which have the bearer token, name none.
    if headers.contains_key(header::ORIGIN) && !own || !is_read && !own && !bearer {
        return Err(Problem::new(StatusCode::FORBIDDEN, "a request of another origin"));
    }
    Ok(None)
}

/// The token of a query.
fn token(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Turns the token of the printed URL into a cookie, and the URL into one without it.
fn enter(app: &App, path: &str, token: &str, has_cookie: bool) -> Result<Response, Problem> {
    // Only what cannot be taken for the address of another server.
    let plain = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'/' | b'-' | b'_');
    let path = if path.bytes().all(plain) && !path.starts_with("//") { path } else { "/" };
    let to = HeaderValue::from_str(path).map_err(|_| Problem::bad("not a path"))?;
    let cookie = app.secrets.redeem(token);
    if cookie.is_none() && !has_cookie {
        let how = "this link has been used; start `tesuji serve` again for another one";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, how));
    }
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    if let Some(value) = cookie {
        let cookie = format!("{}={value}; Path=/; HttpOnly; SameSite=Strict", app.cookie_name);
        let cookie = HeaderValue::from_str(&cookie).map_err(|_| Problem::internal("not a cookie"))?;
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
