//! What every request sees.

use crate::hub::Hub;
use crate::jobs::Jobs;
use crate::rate::Rate;
use crate::secrets::Secrets;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tesuji_learn::NetworkStore;

/// How often jobs are looked after: they may tell something ten times a second.
const TICK: Duration = Duration::from_millis(50);

/// The cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// How the server is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens: this machine alone unless somebody asks for more.
    pub address: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// The directory that holds the runs.
    pub runs: PathBuf,
    /// The directory that holds the matches.
    pub matches: PathBuf,
    /// Foreign engines that the page may name, with their commands.
    pub engines: Vec<(String, String)>,
    /// Searches at a time.
    pub threads: usize,
    /// Requests at once, and a second.
    pub rate: (u32, u32),
    /// Where to write the token for scripts.
    pub token_file: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            runs: PathBuf::from("runs"),
            matches: PathBuf::from("matches"),
            engines: Vec::new(),
            // More than there are cores: tabs share them, and nobody waits in line for long.
            threads: (2 * cores()).clamp(4, 16),
            rate: (2_000, 1_000),
            token_file: None,
        }
    }
}

/// The server's state.
pub struct App {
    /// How it was started.
    pub options: Options,
    /// Who may ask.
    pub secrets: Secrets,
    /// The name of the cookie: cookies do not tell ports apart.
    pub cookie_name: String,
    /// The names by which the server may be called, with the port.
    pub hosts: Vec<String>,
    /// How many requests there may be.
    pub rate: Rate,
    /// The event streams.
    pub hub: Arc<Hub>,
    /// Everything that takes a while.
    pub jobs: Jobs,
    /// The networks, each read once.
    pub networks: Arc<NetworkStore>,
    closing: AtomicBool,
}

impl App {
    /// The state of a server at this address; a thread of its own looks after its jobs until it is closed or dropped.
    ///
    /// # Errors
    /// If there are no random numbers or no threads.
    pub fn new(options: Options, at: SocketAddr) -> std::io::Result<Arc<App>> {
        let secrets = Secrets::new().map_err(std::io::Error::other)?;
        let hub = Arc::new(Hub::default());
        let start = u32::from_str_radix(&secrets.bearer()[..8], 16).unwrap_or_default();
        let jobs = Jobs::new(Arc::clone(&hub), options.threads, start)?;
        let port = at.port();
        let mut hosts = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
        if !at.ip().is_unspecified() && !hosts.contains(&at.to_string()) {
            hosts.push(at.to_string());
        }
        let app = Arc::new(App {
            rate: Rate::new(options.rate.0, options.rate.1),
            options,
            secrets,
            cookie_name: format!("tesuji-{port}"),
            hosts,
            hub,
            jobs,
            networks: Arc::new(NetworkStore::new()),
            closing: AtomicBool::new(false),
        });
        let watched = Arc::downgrade(&app);
        std::thread::Builder::new().name("housekeeper".to_owned()).spawn(move || {
            while let Some(app) = watched.upgrade().filter(|app| !app.is_closing()) {
                app.jobs.reap();
                app.jobs.tell();
                drop(app);
                std::thread::sleep(TICK);
            }
        })?;
        Ok(app)
    }

    /// Whether the server ends.
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Ends every job and every stream of events. Matches and runs are on disk and go on at the next start.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        self.jobs.cancel_all();
        self.hub.wake_all();
    }

    /// Waits until no job is being done, or until so much time has passed; whether none is.
    pub fn wait_idle(&self, most: Duration) -> bool {
        let began = Instant::now();
        while !self.jobs.is_idle() {
            if began.elapsed() >= most {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }
}
