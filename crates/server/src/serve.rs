//! The server itself: listens, answers, ends.

use crate::app::{App, Options};
use crate::{api, assets, guard, memory, work};
use axum::Router;
use axum::middleware::from_fn_with_state;
use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// How long the end waits for jobs: what they do is on disk, so nothing is lost by not waiting longer.
const PATIENCE: Duration = Duration::from_secs(8);

/// All requests, guarded.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .nest("/api", api::routes())
        .fallback(assets::answer)
        .layer(from_fn_with_state(Arc::clone(&app), guard::guard))
        .with_state(app)
}

/// A server that listens.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    app: Arc<App>,
    at: SocketAddr,
    end: watch::Sender<bool>,
}

impl Server {
    /// Listens, and goes on with the matches and runs that were under way when the last server ended.
    ///
    /// # Errors
    /// If the address is taken, or the token for scripts cannot be written.
    pub fn start(options: Options) -> io::Result<Server> {
        memory::give_back();
        // Two threads answer; a few more read files and replay games.
        let runtime = Builder::new_multi_thread().worker_threads(2).max_blocking_threads(4).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind(SocketAddr::new(options.address, options.port)))?;
        let at = listener.local_addr()?;
        let app = App::new(options, at)?;
        if let Some(path) = &app.options.token_file {
            write_secret(path, app.secrets.bearer())?;
        }
        work::go_on(&app);
        Ok(Server { runtime, listener, app, at, end: watch::Sender::new(false) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.at
    }

    /// Its state.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// The URL that opens the page, once.
    pub fn url(&self) -> String {
        let host =
            if self.at.ip().is_unspecified() { format!("127.0.0.1:{}", self.at.port()) } else { self.at.to_string() };
        format!("http://{host}/?token={}", self.app.secrets.once().unwrap_or_default())
    }

    /// Ends [`run`](Self::run) when it is called, from any thread.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        let (end, app) = (self.end.clone(), Arc::clone(&self.app));
        move || {
            app.close();
            end.send_replace(true);
        }
    }

    /// Answers until it is stopped.
    ///
    /// # Errors
    /// If listening fails.
    pub fn run(self) -> io::Result<()> {
        let Server { runtime, listener, app, end, .. } = self;
        let mut ended = end.subscribe();
        let stopped = async move {
            // An error means that nobody can stop it any more.
            let _ = ended.wait_for(|end| *end).await;
        };
        let served = runtime
            .block_on(async { axum::serve(listener, router(Arc::clone(&app))).with_graceful_shutdown(stopped).await });
        app.close();
        app.wait_idle(PATIENCE);
        runtime.shutdown_timeout(Duration::from_secs(1));
        served
    }
}

/// Writes a file that only its owner can read.
fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    // One that is there may be readable by others.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
