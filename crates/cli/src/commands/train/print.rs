//! Runs in words: generations, matches, how they ended.

use super::growth::Growth;
use super::words;
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
    let policy = event.policy_loss.map_or_else(String::new, |loss| {
        format!("policy loss {loss:.3} ({:.0}%), ", 100.0 * event.policy_accuracy.unwrap_or_default())
    });
    let games = match play.games {
        0 => String::new(),
        games => format!("{games} games +{first} ={draws} -{second} of {:.1} plies{mates}; ", play.mean_plies),
    };
    let test = event.test.map_or_else(String::new, |test| {
        let policy = test.top1.zip(test.top5).map_or_else(String::new, |(top1, top5)| {
            format!("top-1 {:.1}%, top-5 {:.1}%, ", 100.0 * top1, 100.0 * top5)
        });
        format!("; held out: {policy}value error {:.3}", test.value_error)
    });
    let accuracy = match event.held_out {
        Some(held_out) => format!(
            "; held out: {:.4}, {:.4} before; search and result agree in {:.0}%",
            held_out.loss,
            held_out.before,
            100.0 * held_out.agreement
        ),
        None => format!(" ({:.0}%)", 100.0 * event.value_accuracy),
    };
    let digits = if event.held_out.is_some() { 4 } else { 3 };
    format!(
        "generation {:3}: {games}{} steps, {policy}value loss {:.digits$}{accuracy}{test}",
        event.generation, event.steps, event.value_loss,
    )
}

/// The score of a match with the share of wins: `+30 =2 -8, 77.5% (75.0% won)`.
pub fn score_text(event: &StrengthEvent) -> String {
    let [wins, draws, losses] = event.score;
    let games = (wins + draws + losses).max(1);
    let share = 100.0 * (wins as f64 + 0.5 * draws as f64) / games as f64;
    format!("+{wins} ={draws} -{losses}, {share:.1}% ({:.1}% won)", 100.0 * wins as f64 / games as f64)
}

/// The score of a match with the Elo difference and its interval.
pub fn elo_line(event: &StrengthEvent) -> String {
    // Rounded first, and without the sign of a negative zero.
    let infinite = |value: Option<f64>, sign: &str| {
        value.map_or(format!("{sign}inf"), |value| format!("{:+}", value.round() + 0.0))
    };
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
        let growth = Growth::of(&ended.events);
        let mut table = Table::new().right(1..2);
        table.row(["opponent", "generation", "score", "Elo [95% interval]", "growth"]);
        for event in strength {
            let line = elo_line(event);
            let (score, elo) = line.split_once(", Elo ").unwrap_or((&line, ""));
            let (opponent, generation) = (event.opponent.clone(), event.generation.to_string());
            let curve = growth.curve(&event.opponent);
            table.row([opponent, generation, score.to_owned(), elo.to_owned(), curve]);
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
        let engines = if experiment.programs(root).is_empty() { "" } else { " --allow-engines" };
        out.line(&format!("resume with: tesuji train --resume --out {}{engines}", root.display()))
    } else {
        out.line(&format!("report: {}", root.join("report.html").display()))?;
        let line = experiment.agent().replace("NET", &root.display().to_string());
        out.line(&format!("play it with: {line}"))?;
        out.line("these settings are stored with the network: they hold wherever a line does not set them")?;
        out.line("")?;
        let mut table = Table::new();
        for (title, command) in words::next(root, experiment) {
            table.row([title.to_owned(), command]);
        }
        out.bytes(table.text().as_bytes())
    }
}

/// The same as an object.
pub fn print_json(root: &Path, ended: &Ended, out: &mut Output) -> Result<()> {
    out.object(&json!({
        "run": root, "generation": ended.generation, "stopped": ended.stopped,
        "strength": latest_strength(&ended.events), "costs": ledger::totals(&ended.costs),
    }))
}
