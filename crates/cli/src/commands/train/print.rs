//! Runs in words: generations, matches, how they ended.

use crate::common::output::Output;
use crate::common::table::Table;
use anyhow::Result;
use indicatif::HumanCount;
use serde_json::json;
use std::path::Path;
use tesuji_learn::Experiment;
use tesuji_learn::run::{Event, GenerationEvent, StrengthEvent, ledger};
use tesuji_learn::train::Ended;

/// The losses of policy and value; networks without a policy have none of it.
pub fn losses_text([policy, value]: [f32; 2]) -> String {
    let policy = if policy > 0.0 { format!("policy loss {policy:.3}, ") } else { String::new() };
    format!("{policy}value loss {value:.3}")
}

/// A finished generation.
pub fn generation_line(event: &GenerationEvent) -> String {
    let play = &event.play;
    let [first, draws, second] = play.outcomes;
    let mates = if play.mates > 0 { format!(", {} mates found", play.mates) } else { String::new() };
    let policy = match event.policy_loss {
        0.0 => String::new(),
        loss => format!("policy loss {loss:.3} ({:.0}%), ", 100.0 * event.policy_accuracy),
    };
    let games = match play.games {
        0 => String::new(),
        games => format!("{games} games +{first} ={draws} -{second} of {:.1} plies{mates}; ", play.mean_plies),
    };
    let test = event.test.map_or_else(String::new, |test| {
        let [top1, top5] = [test.top1, test.top5].map(|share| 100.0 * share);
        format!("; held out: top-1 {top1:.1}%, top-5 {top5:.1}%, value error {:.3}", test.value_error)
    });
    format!(
        "generation {:3}: {games}{} steps, {policy}value loss {:.3} ({:.0}%){test}",
        event.generation,
        event.steps,
        event.value_loss,
        100.0 * event.value_accuracy,
    )
}

/// The score of a match: `+30 =2 -8, 77.5%`.
pub fn score_text(event: &StrengthEvent) -> String {
    let [wins, draws, losses] = event.score;
    let games = (wins + draws + losses).max(1);
    let share = 100.0 * (wins as f64 + 0.5 * draws as f64) / games as f64;
    format!("+{wins} ={draws} -{losses}, {share:.1}%")
}

/// The score of a match with the Elo difference and its interval.
pub fn elo_line(event: &StrengthEvent) -> String {
    let infinite = |value: Option<f64>, sign: &str| value.map_or(format!("{sign}inf"), |value| format!("{value:+.0}"));
    let [difference, low, high] = event.elo;
    let sign = if event.score[0] > event.score[2] { "+" } else { "-" };
    format!(
        "{}, Elo {} [{}, {}]",
        score_text(event),
        infinite(difference, sign),
        infinite(low, "-"),
        infinite(high, "+")
    )
}

/// The newest strength against each opponent.
pub fn latest_strength(events: &[Event]) -> Vec<&StrengthEvent> {
    let mut latest: Vec<&StrengthEvent> = Vec::new();
    for event in events {
        if let Event::Strength(event) = event {
            latest.retain(|known| known.opponent != event.opponent);
            latest.push(event);
        }
    }
    latest
}

/// Prints how a run ended.
pub fn print(root: &Path, experiment: &Experiment, ended: &Ended, out: &mut Output) -> Result<()> {
    let strength = latest_strength(&ended.events);
    if !strength.is_empty() {
        let mut table = Table::new().right(1..2);
        table.row(["opponent", "generation", "score", "Elo [95% interval]"]);
        for event in strength {
            let line = elo_line(event);
            let (score, elo) = line.split_once(", Elo ").unwrap_or((&line, ""));
            table.row([event.opponent.clone(), event.generation.to_string(), score.to_owned(), elo.to_owned()]);
        }
        out.bytes(table.text().as_bytes())?;
        out.line("")?;
    }
    let mut costs = Table::new().right(1..7);
    costs.row(["cost", "seconds", "CPU s", "games", "evaluations", "samples", "GFLOP"]);
    for entry in ledger::totals(&ended.costs) {
        costs.row([
            entry.phase.name().to_owned(),
            format!("{:.0}", entry.wall),
            format!("{:.0}", entry.cpu),
            HumanCount(entry.games).to_string(),
            HumanCount(entry.evaluations).to_string(),
            HumanCount(entry.samples).to_string(),
            format!("{:.0}", entry.flops as f64 / 1e9),
        ]);
    }
    out.bytes(costs.text().as_bytes())?;
    out.line("")?;
    let state = if ended.stopped { "stopped" } else { "finished" };
    out.line(&format!("{state} after generation {}: {}", ended.generation, root.display()))?;
    if ended.stopped {
        out.line(&format!("resume with: tesuji train --resume --out {}", root.display()))
    } else {
        out.line(&format!("report: {}", root.join("report.html").display()))?;
        let line = experiment.agent_line().unwrap_or("pv:net=NET");
        out.line(&format!("play it with: {}", line.replace("NET", &root.display().to_string())))
    }
}

/// The same as an object.
pub fn print_json(root: &Path, ended: &Ended, out: &mut Output) -> Result<()> {
    out.object(&json!({
        "run": root, "generation": ended.generation, "stopped": ended.stopped,
        "strength": latest_strength(&ended.events), "costs": ledger::totals(&ended.costs),
    }))
}
