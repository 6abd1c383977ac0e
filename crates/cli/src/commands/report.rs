//! `tesuji report`: a run, a match or a finished report as a page; two of them compared.

use crate::common::files;
use crate::common::output::Output;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use std::path::{Path, PathBuf};
use tesuji_lab::matches;
use tesuji_learn::Experiment;
use tesuji_learn::report::of_run;
use tesuji_learn::run::{read_costs, read_events};
use tesuji_report::{Report, compare, html, json, markdown};

/// No report of ours is larger.
const LARGEST: u64 = 1 << 28;

/// Arguments of `tesuji report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji report runs/minishogi-quick                         a run, in Markdown on the terminal
  tesuji report runs/minishogi-quick --out run.html          the same as a page
  tesuji report bingo.jsonl --out match.html --out match.json   a match, from its --journal
  tesuji report lab/report.json --out lab.md                 a report that was made before
  tesuji report old/report.json new/report.json              what changed, with significance

--out may be given several times; the name tells the format: .html, .md or .json. Pages need no network and no script.")]
pub struct ReportArgs {
    /// A run, the journal of a match, or a report in JSON
    what: PathBuf,
    /// Another one: what changed from the first to this one
    other: Option<PathBuf>,
    /// Write it here: .html, .md or .json
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &ReportArgs, out: &mut Output) -> Result<()> {
    for path in &args.out {
        ensure!(writer(path).is_some(), "--out {}: expected a name that ends in .html, .md or .json", path.display());
    }
    let first = load(&args.what)?;
    let report = match &args.other {
        Some(other) => compare(&first, &load(other)?),
        None => first,
    };
    if args.out.is_empty() {
        let text = if out.json { json::write(&report) } else { markdown(&report) };
        return out.bytes(text.as_bytes());
    }
    for path in &args.out {
        let Some(write) = writer(path) else { continue };
        files::write(path, write(&report).as_bytes())?;
        out.line(&format!("written: {}", path.display()))?;
    }
    Ok(())
}

/// How a report is written to a file of this name.
pub fn writer(path: &Path) -> Option<fn(&Report) -> String> {
    match path.extension()?.to_str()? {
        "html" => Some(html),
        "md" => Some(markdown),
        "json" => Some(json::write),
        _ => None,
    }
}

/// The report of whatever is there.
fn load(path: &Path) -> Result<Report> {
    if path.is_dir() {
        let Some(experiment) = Experiment::of_run(path)? else {
            let made = path.join("report.json");
            if made.is_file() {
                return load(&made);
            }
            bail!("{}: neither a run nor a reproduction", path.display());
        };
        let name = path.display().to_string();
        return Ok(of_run(&name, &experiment, &read_events(path)?, &read_costs(path)?));
    }
    let size = std::fs::metadata(path).with_context(|| format!("cannot read {path:?}"))?.len();
    ensure!(size <= LARGEST, "{}: too large for a report or a journal", path.display());
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path:?}"))?;
    match json::read(&text) {
        Ok(report) => Ok(report),
        Err(no_report) => {
            let Ok((spec, results)) = matches::read(path) else {
                bail!("{}: neither a run, nor the journal of a match, nor a report: {no_report}", path.display());
            };
            let kit = tesuji_registry::kit(&spec.game, spec.rules)?;
            Ok(matches::report(kit.game().as_ref(), &spec, &results)?)
        }
    }
}
