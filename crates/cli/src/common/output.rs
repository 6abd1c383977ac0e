//! Standard output, and errors as one line.

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

/// Prints help and versions as clap wants them, and usage errors in one line.
pub fn usage_error(error: &clap::Error) -> ExitCode {
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
            // clap's message, then a blank line and the usage: keep the message.
            let text = error.render().to_string();
            let message = text.split("\n\nUsage:").next().unwrap_or_default();
            let message = message.split("\n\nFor more information").next().unwrap_or_default();
            complain(&format!("{}; see --help", message.trim_start_matches("error: ").trim_end()))
        }
    }
}

fn complain(message: &str) -> ExitCode {
    let words: Vec<&str> = message.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|character| !character.is_control()).collect();
    // If standard error is gone, the exit code still tells.
    let _ = writeln!(io::stderr(), "error: {line}");
    ExitCode::from(BAD_INPUT)
}
