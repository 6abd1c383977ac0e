//! `tesuji reproduce`: a paper's question answered by one command.

use crate::common::contest;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::ranges;
use crate::common::stages::Stages;
use crate::common::table::Table;
use anyhow::{Result, bail, ensure};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use tesuji_core::Rules;
use tesuji_lab::reproduce::prepare;
use tesuji_lab::{BUILT_IN, LabError, Reproduction, Scale, Setting, reproduce};
use tesuji_report::Verdict;

/// Arguments of `tesuji reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji reproduce --list                                  the papers, their scales and what they cost
  tesuji reproduce bingo3d-td --scale smoke                a minute: shows that everything works
  tesuji reproduce minishogi-checkmate --out lab/minishogi hours, on two cores
  tesuji reproduce all --scale smoke --out lab             all five
  tesuji reproduce question.toml --scale smoke             a question of your own, docs/reproduce.md

A reproduction trains networks, plays matches, and writes report.html, report.md, report.json and results.json: every
table and figure beside the paper's numbers, each claim with a verdict (holds, does not hold, not decided at this scale),
what differs from the paper, what it cost. It can be stopped at any time; the same command resumes. results.json has no
times in it and is the same in every repetition. `tesuji report A/report.json B/report.json` compares two.")]
pub struct ReproduceArgs {
    /// A paper, or `all`; see --list; or a file NAME.toml with a question of your own
    #[arg(required_unless_present = "list")]
    paper: Option<String>,
    /// How much: `smoke` (a minute), `laptop` (hours), `paper` (as the paper did it)
    #[arg(long, default_value = "laptop", value_parser = |text: &str| text.parse::<Scale>())]
    scale: Scale,
    /// The directory [default: reproductions/PAPER-SCALE in runs/]; of `all`, one in it for each paper
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads [default: all cores]; results do not depend on it
    #[arg(long, value_parser = ranges::threads::<usize>())]
    threads: Option<usize>,
    /// List the papers with their scales and costs, and do nothing
    #[arg(long)]
    list: bool,
    /// Print what would be done, job by job, and do nothing
    #[arg(long)]
    plan: bool,
    /// Let a file of one's own start the programs that it names (`engine:...`)
    #[arg(long)]
    allow_engines: bool,
}

/// Runs the subcommand.
pub fn run(args: &ReproduceArgs, common: &Common, out: &mut Output) -> Result<()> {
    ensure!(common.rules == Rules::Official, "--rules: a reproduction says itself by which rules it is played");
    if args.list {
        return list(out);
    }
    let files: Vec<Reproduction> = match args.paper.as_deref().unwrap_or_default() {
        "all" => BUILT_IN.iter().map(|(name, _)| Reproduction::named(name)).collect::<Result<_, _>>()?,
        file if file.ends_with(".toml") => vec![Reproduction::from_file(Path::new(file), args.allow_engines)?],
        name => vec![Reproduction::named(name)?],
    };
    // Whatever is missing is said before anything starts.
    for file in &files {
        let jobs = prepare(file, args.scale)?;
        if args.plan {
            for job in jobs {
                let after =
                    if job.after.is_empty() { String::new() } else { format!(" after {}", job.after.join(", ")) };
                out.line(&format!("{} {}{after}", file.name, job.id))?;
            }
        }
    }
    if args.plan {
        return Ok(());
    }
    let stop = contest::listen_for_interrupt()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut stages = Stages::new(files.len());
    for file in &files {
        let root = place(args, &file.name);
        let mut progress = |progress: &tesuji_lab::Progress<'_>| stages.show(&file.name, progress);
        let mut setting = Setting { threads: args.threads.unwrap_or(cores), stop, progress: &mut progress };
        let report = match reproduce(file, args.scale, &root, &mut setting) {
            Ok(report) => report,
            Err(LabError::Stopped) => {
                return out.line(&format!("stopped: the same command resumes in {}", root.display()));
            }
            Err(error) => bail!("{}: {error}", file.name),
        };
        stages.next();
        let count = |verdict: Verdict| report.verdicts.iter().filter(|line| line.verdict == verdict).count();
        if out.json {
            let [holds, fails, open] = [Verdict::Holds, Verdict::DoesNotHold, Verdict::NotDecided].map(count);
            out.object(&json!({
                "reproduction": file.name, "scale": args.scale, "out": root, "holds": holds, "does_not_hold": fails,
                "not_decided": open, "report": root.join("report.html"),
            }))?;
            continue;
        }
        let mut table = Table::new();
        table.row(["verdict", "claim", "numbers"]);
        for line in &report.verdicts {
            table.row([line.verdict.name(), &line.claim, &line.why]);
        }
        out.line(&report.title)?;
        out.bytes(table.text().as_bytes())?;
        out.line(&format!("report: {}\n", root.join("report.html").display()))?;
    }
    Ok(())
}

/// Where a paper's files go.
fn place(args: &ReproduceArgs, name: &str) -> PathBuf {
    match (&args.out, args.paper.as_deref()) {
        (Some(out), Some("all")) => out.join(name),
        (Some(out), _) => out.clone(),
        (None, _) => Path::new("runs").join("reproductions").join(format!("{name}-{}", args.scale)),
    }
}

fn list(out: &mut Output) -> Result<()> {
    let mut table = Table::new();
    table.row(["paper", "scale", "cost", "about"]);
    for (name, _) in BUILT_IN {
        let file = Reproduction::named(name)?;
        for (scale, info) in &file.scales {
            if out.json {
                out.object(&json!({
                    "reproduction": name, "title": file.title, "question": file.question, "scale": scale, "cost": info.cost,
                    "about": info.about, "claims": file.claims.len(), "shows": file.shows.len(),
                }))?;
            } else {
                table.row([*name, scale.name(), &info.cost, &info.about]);
            }
        }
    }
    if out.json { Ok(()) } else { out.bytes(table.text().as_bytes()) }
}
