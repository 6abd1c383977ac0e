//! Standard output, and errors as one line.

use crate::common::help::plain;
use crate::common::options::{Common, When};
use anyhow::{Context, Result};
use clap::error::ErrorKind;
use serde::Serialize;
use std::io::{self, BufWriter, ErrorKind as IoErrorKind, IsTerminal, Stdout, Write};
use std::process::ExitCode;

/// The exit code of bad input.
const BAD_INPUT: u8 = 2;

/// Standard output with what was asked about its form.
pub struct Output {
    writer: BufWriter<Stdout>,
    /// Whether JSON was asked for.
    pub json: bool,
    /// Whether colours are wanted.
    pub color: bool,
}

impl Output {
    /// Standard output as the options want it.
    pub fn new(common: &Common) -> Output {
        let color = match common.color {
            When::Always => true,
            When::Never => false,
            When::Auto => io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty()),
        };
        Output { writer: BufWriter::new(io::stdout()), json: common.json, color }
    }

    /// Writes a line.
    pub fn line(&mut self, text: &str) -> Result<()> {
        self.bytes(text.as_bytes())?;
        self.bytes(b"\n")
    }

    /// Writes an object as one line of JSON.
    pub fn object(&mut self, object: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(object).context("cannot write JSON")?;
        self.line(&text)
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write_all(bytes).context("cannot write to standard output")
    }

    /// Hands everything to the reader.
    pub fn flush(&mut self) -> Result<()> {
        self.writer.flush().context("cannot write to standard output")
    }
}

/// Reports a failure in one line. A reader that has gone away (`| head`) is none.
pub fn failure(error: &anyhow::Error) -> ExitCode {
    let gone = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == IoErrorKind::BrokenPipe)
    };
    if error.chain().any(gone) {
        return ExitCode::SUCCESS;
    }
    complain(&format!("{error:#}"))
}

/// Prints a text to whoever has asked for nothing.
pub fn greeting(text: &str) -> ExitCode {
    // A reader that has gone away is no failure, and there is nobody else to tell.
    let _ = io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

/// Prints help and versions as clap wants them, and usage errors in one line, with the subcommand whose help has more.
pub fn usage_error(error: &clap::Error, subcommands: &[String]) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that has gone away is no failure, and there is nobody else to tell.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(BAD_INPUT)
        }
        _ => {
            let text = error.render().to_string();
            let command: String = subcommands.iter().map(|name| format!(" {name}")).collect();
            complain(&format!("{}; see tesuji{command} --help", usage_message(&text)))
        }
    }
}

/// clap's message without the usage behind it, its tip as a part of it.
fn usage_message(text: &str) -> String {
    let message = text.split("\n\nUsage:").next().unwrap_or_default();
    let message = message.split("\n\nFor more information").next().unwrap_or_default();
    let (message, tip) = message.split_once("\n\n  tip: ").unwrap_or((message, ""));
    let message = message.trim_start_matches("error: ").trim_end();
    let word = message.strip_prefix("unrecognized subcommand '").and_then(|rest| rest.strip_suffix('\''));
    if let Some(game) = word.filter(|word| tesuji_games::names().contains(word)) {
        return format!("{game} is a game, not a command: try tesuji play {game}, or tesuji show {game}");
    }
    // That a word can be passed as a value behind `--` helps nobody here.
    let tip =
        if tip.is_empty() || tip.starts_with("to pass ") { String::new() } else { format!("; {}", tip.trim_end()) };
    format!("{message}{tip}")
}

fn complain(message: &str) -> ExitCode {
    let message = plain(message);
    let words: Vec<&str> = message.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|character| !character.is_control()).collect();
    // If standard error is gone, the exit code still tells.
    let _ = writeln!(io::stderr(), "error: {line}");
    ExitCode::from(BAD_INPUT)
}
