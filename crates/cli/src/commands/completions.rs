//! `tesuji completions`: what shells complete, the manual pages, and the reference pages of the documentation.

use crate::commands::reference::{self, Page};
use crate::common::output::Output;
use anyhow::{Context, Result, ensure};
use clap::{Args, Command};
use clap_complete::Shell;
use std::fs;
use std::path::PathBuf;

/// Arguments of `tesuji completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji completions bash > ~/.local/share/bash-completion/completions/tesuji
  tesuji completions zsh > ~/.zfunc/_tesuji
  tesuji completions fish > ~/.config/fish/completions/tesuji.fish
  tesuji completions --man ~/.local/share/man/man1    a manual page for each subcommand
  tesuji completions --markdown commands              all commands and options, as docs/commands.md has them")]
pub struct CompletionsArgs {
    /// The shell whose script is printed
    #[arg(value_enum, required_unless_present_any = ["man", "markdown"])]
    shell: Option<Shell>,
    /// Write manual pages to this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    man: Option<PathBuf>,
    /// Print a page of the documentation instead
    #[arg(long, value_name = "PAGE", value_enum, conflicts_with_all = ["shell", "man"])]
    markdown: Option<Page>,
}

/// Runs the subcommand; `command` is the whole command line.
pub fn run(args: &CompletionsArgs, mut command: Command, out: &mut Output) -> Result<()> {
    ensure!(!out.json, "scripts and manual pages have no JSON form: leave out --json");
    if let Some(folder) = &args.man {
        let told = || format!("cannot write manual pages to {}", folder.display());
        fs::create_dir_all(folder).with_context(told)?;
        clap_mangen::generate_to(command, folder).with_context(told)?;
        return out.line(&format!("manual pages are in {}", folder.display()));
    }
    if let Some(page) = args.markdown {
        return out.bytes(reference::page(page, &mut command).as_bytes());
    }
    if let Some(shell) = args.shell {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command, "tesuji", &mut script);
        out.bytes(&script)?;
    }
    Ok(())
}
