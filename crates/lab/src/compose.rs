//! The report of a reproduction.

use crate::differs::{differs, machine};
use crate::entry::{Data, Entry};
use crate::file::{Claim, Reproduction, Scale, belongs};
use crate::judge::judge;
use crate::layout::State;
use crate::plan::{Job, Work};
use crate::show::show;
use crate::template::Values;
use tesuji_learn::run::ledger::Phase;
use tesuji_report::{Block, Cell, Head, Report, Table, Verdict};

/// The report: verdicts, every table and figure, what differs, the ledger, how to repeat it.
pub fn compose(file: &Reproduction, scale: Scale, jobs: &[Job], entries: &[Entry], state: &State) -> Report {
    let mut report = Report::new(format!("{} ({scale} scale)", file.title));
    let values = file.scales.get(&scale).map(|info| info.values.clone()).unwrap_or_default();
    let values = Values(values.into_iter().collect());
    let claims = file.claims.iter().filter(|claim| belongs(&claim.scales, scale));
    report.verdicts = claims.map(|claim| judge(&filled(claim, &values), entries)).collect();
    let count = |verdict: Verdict| report.verdicts.iter().filter(|line| line.verdict == verdict).count();
    report.lead.push(file.question.clone());
    let about = file.scales.get(&scale).map_or("", |info| info.about.as_str());
    report.lead.push(format!(
        "Claims: {}, of which {} hold, {} do not, and {} cannot be decided at this scale. {about}",
        report.verdicts.len(),
        count(Verdict::Holds),
        count(Verdict::DoesNotHold),
        count(Verdict::NotDecided),
    ));
    let fact = |name: &str, value: String| (name.to_owned(), value);
    report.facts = vec![
        fact("paper", file.paper.clone()),
        fact("game", format!("{} ({} rules)", file.game, file.rules)),
        fact("scale", scale.to_string()),
        fact("cost", cost(cpu(entries))),
        fact("machine", machine()),
        fact("program", format!("tesuji {}", env!("CARGO_PKG_VERSION"))),
    ];
    for item in file.shows.iter().filter(|item| belongs(&item.scales, scale)) {
        report.section(item.title.as_str(), show(item, entries));
    }
    report.section("What differs from the paper", differs(file, scale, entries));
    report.section("The ledger", vec![Block::Table(ledger(jobs, entries, state))]);
    report.section("How to repeat it", repeat(file, scale, jobs));
    for entry in entries {
        report.measures.extend(entry.measures());
    }
    report
}

/// A claim with the values of the scale; what cannot be filled stays, and finds no data.
fn filled(claim: &Claim, values: &Values) -> Claim {
    let fill = |text: &String| values.fill(text).unwrap_or_else(|_| text.clone());
    Claim { when: claim.when.iter().map(fill).collect(), best: fill(&claim.best), ..claim.clone() }
}

/// CPU-seconds for people.
fn cost(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.1} CPU-seconds"),
        ..7200.0 => format!("{:.1} CPU-minutes", seconds / 60.0),
        _ => format!("{:.1} CPU-hours", seconds / 3600.0),
    }
}

/// CPU-seconds of everything.
fn cpu(entries: &[Entry]) -> f64 {
    entries.iter().map(cpu_of).sum()
}

fn cpu_of(entry: &Entry) -> f64 {
    match &entry.data {
        Data::Run { costs, .. } => {
            costs.iter().filter(|cost| cost.phase != Phase::Measuring).map(|cost| cost.cpu).sum()
        }
        Data::Match { results, .. } => results.iter().flat_map(|result| &result.costs).map(|cost| cost.cpu).sum(),
        Data::Set(_) | Data::States(_) | Data::Opinion(_) | Data::Player(_) => 0.0,
    }
}

fn ledger(jobs: &[Job], entries: &[Entry], state: &State) -> Table {
    let heads = ["job", "what", "games", "CPU-seconds", "seconds by the clock, this start"].map(Head::ours).to_vec();
    // Entries of jobs come in their order; players of tournaments follow behind them.
    let rows = jobs.iter().zip(entries).map(|(job, entry)| {
        let what = match &job.work {
            Work::Train { experiment, .. } => format!("train {experiment}"),
            Work::Match(_) => "match".to_owned(),
            Work::Data { .. } => "data set".to_owned(),
            Work::States { .. } | Work::Opinion { .. } => "measurement".to_owned(),
        };
        let games = entry.metric("games").map_or(Cell::Empty, |games| Cell::number(games.quantity.value(), 0));
        let seconds = state.done.get(&job.id).map_or(Cell::Empty, |seconds| Cell::number(*seconds, 1));
        vec![Cell::text(job.id.as_str()), Cell::text(what), games, Cell::number(cpu_of(entry), 2), seconds]
    });
    let caption = "What each run and each match cost on the processor.".to_owned();
    Table { caption, heads, rows: rows.collect() }
}

/// Commands to repeat it and its parts.
fn repeat(file: &Reproduction, scale: Scale, jobs: &[Job]) -> Vec<Block> {
    let mut lines = vec![format!("tesuji reproduce {} --scale {scale} --out DIR", file.argument()), String::new()];
    for job in jobs {
        let plain = |text: &str| {
            text.replace('\u{1}', "DIR/").replace('\u{2}', "").replace("run:", "runs/").replace("data:", "data/")
        };
        match &job.work {
            Work::Train { experiment, set, budget } => {
                let set: Vec<String> = set.iter().map(|change| format!(" --set '{}'", plain(change))).collect();
                lines.push(format!(
                    "tesuji train {experiment}{} --budget {budget} --out DIR/runs/{}",
                    set.concat(),
                    job.id
                ));
            }
            Work::Match(conditions) => {
                let [a, b] = conditions.players.each_ref().map(|line| plain(line));
                let rules = if file.rules == tesuji_core::Rules::Official {
                    String::new()
                } else {
                    format!(" --rules {}", file.rules)
                };
                lines.push(format!(
                    "tesuji match {} '{a}' '{b}' --games {} --openings '{}'{rules}",
                    file.game, conditions.games, conditions.openings
                ));
            }
            Work::Data { .. } | Work::States { .. } | Work::Opinion { .. } => {}
        }
    }
    vec![
        Block::Text("The first command makes this whole report again; it goes on where it was stopped. The others are its parts, to look into one of them.".to_owned()),
        Block::Code(lines.join("\n")),
    ]
}
