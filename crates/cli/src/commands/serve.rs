//! `tesuji serve`: the laboratory in a browser.

use crate::common::output::Output;
use crate::common::ranges;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::json;
use std::fs;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use tesuji_server::{Options, Server};

/// Arguments of `tesuji serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji serve                                        prints one URL; open it in a browser
  tesuji serve --open --port 8080                     the same at a port of your choice, and opens the browser
  tesuji serve --allow-engine stockfish=stockfish     the page may play against Stockfish as engine:stockfish
  tesuji serve --token-file token                     for scripts: Authorization: Bearer TOKEN; see docs/api.md

The server answers this machine only, and only a browser that has opened the printed URL, which works once. Matches and
runs that are under way when it ends go on at the next start. Ctrl-C ends it. See docs/serve.md.")]
pub struct ServeArgs {
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    /// The directory that holds the runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// The directory that holds the matches
    #[arg(long, value_name = "DIR", default_value = "matches")]
    matches: PathBuf,
    /// Let the page use this foreign engine as `engine:NAME`; may be repeated
    #[arg(long, value_name = "NAME=COMMAND", value_parser = engine)]
    allow_engine: Vec<(String, String)>,
    /// Searches at a time; twice as many as there are cores if not given
    #[arg(long, value_parser = ranges::threads::<usize>())]
    threads: Option<usize>,
    /// Write the token for scripts here, readable by you alone
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Listen at this address instead of 127.0.0.1: everybody who reaches it and sees the URL, which is not encrypted, may
    /// use your processor and read your runs
    #[arg(long, value_name = "ADDRESS")]
    expose: Option<IpAddr>,
}

/// Reads `NAME=COMMAND`.
fn engine(text: &str) -> Result<(String, String), String> {
    let plain = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match text.split_once('=') {
        Some((name, command)) if plain(name) && !command.trim().is_empty() => Ok((name.to_owned(), command.to_owned())),
        _ => Err("expected NAME=COMMAND, NAME of letters, digits and hyphens".to_owned()),
    }
}

/// Runs the subcommand.
pub fn run(args: &ServeArgs, out: &mut Output) -> Result<()> {
    let names: Vec<&String> = args.allow_engine.iter().map(|(name, _)| name).collect();
    if let Some(twice) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
        bail!("--allow-engine: {} is given twice", twice.1);
    }
    for (option, directory) in [("--runs", &args.runs), ("--matches", &args.matches)] {
        ensure!(!directory.is_file(), "{option} {}: not a directory", directory.display());
        // Whoever starts a run an hour later should not be the one to find out.
        let made = fs::create_dir_all(directory);
        made.with_context(|| format!("{option} {}: cannot make this directory", directory.display()))?;
    }
    let mut options = Options {
        port: args.port,
        runs: args.runs.clone(),
        matches: args.matches.clone(),
        engines: args.allow_engine.clone(),
        token_file: args.token_file.clone(),
        ..Options::default()
    };
    options.threads = args.threads.unwrap_or(options.threads);
    options.address = args.expose.unwrap_or(options.address);
    let server = Server::start(options).with_context(|| format!("cannot listen at port {}", args.port))?;
    let url = server.url();
    if out.json {
        out.object(&json!({ "url": url }))?;
    } else {
        out.line(&url)?;
    }
    out.flush()?;
    if args.open {
        open(&url);
    }
    let stop = server.stopper();
    let asked = AtomicBool::new(false);
    let listening = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            tesuji_arena::engine::process::kill_all();
            std::process::exit(130);
        }
        stop();
    });
    listening.context("cannot listen for Ctrl-C")?;
    server.run().context("the server failed")
}

/// Opens a browser where there is one; the printed URL does the same.
fn open(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let _ = Command::new(program).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
