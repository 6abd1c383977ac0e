//! A server without a network: requests go straight to the router.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tesuji_server::{App, Options, router};
use tower::ServiceExt;

/// The name that the server has in these tests.
pub const HOST: &str = "127.0.0.1:4000";

/// A server with directories of its own.
pub struct Site {
    pub app: Arc<App>,
    pub directory: TempDir,
    routes: axum::Router,
    runtime: tokio::runtime::Runtime,
}

/// What came back.
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The line of a refusal.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().expect("a refusal has a line").to_owned()
    }
}

impl Site {
    pub fn new() -> Site {
        Site::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Options)) -> Site {
        Site::at(tempfile::tempdir().unwrap(), change)
    }

    /// A server on directories that are there already.
    pub fn at(directory: TempDir, change: impl FnOnce(&mut Options)) -> Site {
        let mut options = Options {
            runs: directory.path().join("runs"),
            matches: directory.path().join("matches"),
            rate: (1_000_000, 1_000_000),
            threads: 2,
            ..Options::default()
        };
        change(&mut options);
        let app = App::new(options, HOST.parse().unwrap()).unwrap();
        tesuji_server::work::go_on(&app);
        // A thread of its own wakes whoever waits for an event.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Site { routes: router(Arc::clone(&app)), app, directory, runtime }
    }

    /// Ends the server as a restart does; what it kept stays.
    pub fn end(self) -> TempDir {
        self.app.close();
        assert!(self.app.wait_idle(Duration::from_secs(30)), "jobs end when the server does");
        self.directory
    }

    pub fn send(&self, request: Request<Body>) -> Reply {
        self.runtime.block_on(async {
            let response = self.routes.clone().oneshot(request).await.unwrap();
            let (status, headers) = (response.status(), response.headers().clone());
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec();
            Reply { status, headers, body }
        })
    }

    /// A request with the token for scripts.
    pub fn builder(&self, method: &str, path: &str) -> axum::http::request::Builder {
        let token = format!("Bearer {}", self.app.secrets.bearer());
        Request::builder().method(method).uri(path).header("host", HOST).header("authorization", token)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send(self.builder("GET", path).body(Body::empty()).unwrap())
    }

    pub fn delete(&self, path: &str) -> Reply {
        self.send(self.builder("DELETE", path).body(Body::empty()).unwrap())
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        let request = self.builder("POST", path).header("content-type", "application/json");
        self.send(request.body(Body::from(body.to_string())).unwrap())
    }

    /// Begins a job and waits until it is over.
    pub fn job(&self, body: &Value) -> Value {
        let begun = self.post("/api/jobs", body);
        assert_eq!(begun.status, StatusCode::OK, "{body}: {}", String::from_utf8_lossy(&begun.body));
        self.wait(begun.json()["id"].as_str().unwrap())
    }

    /// Waits until a job is over.
    pub fn wait(&self, id: &str) -> Value {
        self.until(id, |job| !["queued", "running"].contains(&job["state"].as_str().unwrap()))
    }

    /// Waits until something holds of a job.
    pub fn until(&self, id: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let job = self.get(&format!("/api/jobs/{id}")).json();
            if holds(&job) {
                return job;
            }
            assert!(began.elapsed() < Duration::from_secs(240), "nothing comes of {job}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
