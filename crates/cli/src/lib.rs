//! The `tesuji` command, as a library: the binary and the Python package call [`run`].
//!
//! `args` is the command line, `commands` one file per subcommand, `common` what they share. Nothing here knows the
//! type of a game: everything goes through the handles of [`tesuji_core::handle`], so the command is compiled once.

mod args;
mod commands;
mod common;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use commands::*;
use common::contest;
use common::help;
use common::output::{self, Output};
use std::ffi::OsString;
use std::process::ExitCode;

pub use common::contest::openings;

/// Runs the command with these arguments, the program's name first; what went wrong is one line on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.len() < 2 {
        return output::greeting(args::FIRST);
    }
    let mut command = help::flowing(Cli::command());
    let parsed = command.try_get_matches_from_mut(&arguments).and_then(|found| Cli::from_arg_matches(&found));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return output::usage_error(&error, &help::subcommands(&command, &arguments)),
    };
    let mut out = Output::new(&cli.common);
    let done = match &cli.command {
        Command::Games => games::run(&cli.common, &mut out),
        Command::Show(args) => show::run(args, &cli.common, &mut out),
        Command::Moves(args) => moves::run(args, &cli.common, &mut out),
        Command::Perft(args) => perft::run(args, &cli.common, &mut out),
        Command::PlayRandom(args) => play_random::run(args, &cli.common, &mut out),
        Command::Record(args) => record::run(args, &cli.common, &mut out),
        Command::Convert(args) => convert::run(args, &cli.common, &mut out),
        Command::Agents(args) => agents::run(args, &mut out),
        Command::Analyse(args) => analyse::run(args, &cli.common, &mut out),
        Command::Mate(args) => mate::run(args, &cli.common, &mut out),
        Command::Play(args) => play::run(args, &cli.common, &mut out),
        Command::Match(args) => matches::run(args, &cli.common, &mut out),
        Command::Net(args) => net::run(args, &cli.common, &mut out),
        Command::Strengths(args) => strengths::run(args, &cli.common, &mut out),
        Command::Bench(args) => bench::run(args, &mut out),
        Command::Tournament(args) => tournament::run(args, &cli.common, &mut out),
        Command::Openings(args) => openings::run(args, &cli.common, &mut out),
        Command::Data(args) => data::run(args, &cli.common, &mut out),
        Command::Compare(args) => compare::run(args, &cli.common, &mut out),
        Command::Elo(args) => elo::run(args, &cli.common, &mut out),
        Command::Ladder(args) => ladder::run(args, &cli.common, &mut out),
        Command::Train(args) => train::check_rules(&cli.common).and_then(|()| train::run(args, &mut out)),
        Command::Worker(args) => worker::run(args, &mut out),
        Command::Workers(args) => workers::run(args, &mut out),
        Command::Runs(args) => runs::run(args, &mut out),
        Command::Reproduce(args) => reproduce::run(args, &cli.common, &mut out),
        Command::Report(args) => report::run(args, &mut out),
        Command::Serve(args) => serve::run(args, &mut out),
        Command::Teach(args) => teach::run(args, &cli.common, &mut out),
        Command::Doctor(args) => doctor::run(args, &mut out),
        Command::Completions(args) => completions::run(args, Cli::command(), &mut out),
        Command::Engine(args) => engine::run(args, &cli.common),
    };
    match done.and_then(|()| out.flush()) {
        Ok(()) if contest::is_interrupted() => ExitCode::from(contest::INTERRUPTED),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::failure(&error),
    }
}
