//! A run as a page: curves of losses, lengths and strength, tables of results and costs.

use super::chart::{Curve, Scale, chart};
use crate::experiments::Experiment;
use crate::run::{Event, GenerationEvent, StrengthEvent, ledger};
use std::fmt::Write;

/// The page of a run.
///
/// # Errors
/// If a chart cannot be drawn.
pub fn html(name: &str, experiment: &Experiment, events: &[Event], costs: &[ledger::Entry]) -> Result<String, String> {
    let generations: Vec<&GenerationEvent> = events
        .iter()
        .filter_map(|event| match event {
            Event::Generation(event) => Some(event),
            Event::Strength(_) => None,
        })
        .collect();
    let strengths: Vec<&StrengthEvent> = events
        .iter()
        .filter_map(|event| match event {
            Event::Strength(event) => Some(event),
            Event::Generation(_) => None,
        })
        .collect();
    let mut page = String::new();
    let title = escape(name);
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\
         body{{font:15px/1.5 sans-serif;max-width:1320px;margin:2em auto;padding:0 1em}}\
         table{{border-collapse:collapse}}td,th{{padding:2px 12px;text-align:right;border-bottom:1px solid #ddd}}\
         td:first-child,th:first-child{{text-align:left}}pre{{background:#f6f6f6;padding:1em}}</style>\n\
         <h1>{title}</h1>\n<p>{}</p>\n",
        escape(&experiment.about)
    );
    page += &strength_table(&strengths);
    let curve = |name: &str, value: &dyn Fn(&GenerationEvent) -> f64| Curve {
        name: name.to_owned(),
        points: generations.iter().map(|event| (event.generation as f64, value(event))).collect(),
        intervals: Vec::new(),
    };
    let charts = [
        ("Elo difference to fixed opponents (95% intervals)", strength_curves(&strengths)),
        (
            "Losses",
            vec![
                curve("policy", &|event| f64::from(event.policy_loss)),
                curve("value", &|event| f64::from(event.value_loss)),
            ],
        ),
        (
            "Accuracies: argmax p = argmax pi; v z > 0",
            vec![
                curve("policy", &|event| f64::from(event.policy_accuracy)),
                curve("value", &|event| f64::from(event.value_accuracy)),
            ],
        ),
        ("Mean length of games, in plies", vec![curve("plies", &|event| event.play.mean_plies)]),
    ];
    for (title, curves) in charts {
        if curves.iter().any(|curve| !curve.points.is_empty()) {
            page += &chart(title, "generation", Scale::Linear, &curves)?;
        }
    }
    page += &cost_table(costs);
    let _ = write!(page, "<h2>Experiment</h2>\n<pre>{}</pre>\n</html>\n", escape(&experiment.to_toml()));
    Ok(page)
}

fn strength_table(strengths: &[&StrengthEvent]) -> String {
    if strengths.is_empty() {
        return String::new();
    }
    let mut text = "<h2>Strength</h2>\n<table><tr><th>opponent<th>generation<th>player<th>won<th>drawn<th>lost<th>\
                    score<th>Elo<th>95% interval<th>distinct games</tr>\n"
        .to_owned();
    for event in strengths {
        let [won, drawn, lost] = event.score;
        let games = (won + drawn + lost).max(1) as f64;
        let number = |value: Option<f64>| value.map_or("&infin;".to_owned(), |value| format!("{value:+.0}"));
        let [elo, low, high] = event.elo;
        let _ = writeln!(
            text,
            "<tr><td>{}<td>{}<td>{}<td>{won}<td>{drawn}<td>{lost}<td>{:.1}%<td>{}<td>{} .. {}<td>{}</tr>",
            escape(&event.opponent),
            event.generation,
            escape(&event.agent),
            100.0 * (won as f64 + 0.5 * drawn as f64) / games,
            number(elo),
            number(low),
            number(high),
            event.distinct
        );
    }
    text + "</table>\n"
}

fn cost_table(costs: &[ledger::Entry]) -> String {
    let mut text = "<h2>Cost</h2>\n<table><tr><th>phase<th>seconds<th>CPU seconds<th>games<th>positions<th>\
                    simulations<th>evaluations<th>from cache<th>samples<th>GFLOP<th>peak MB<th>joules</tr>\n"
        .to_owned();
    for entry in ledger::totals(costs) {
        let _ = writeln!(
            text,
            "<tr><td>{}<td>{:.1}<td>{:.1}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{:.1}<td>{:.0}<td>{}</tr>",
            entry.phase.name(),
            entry.wall,
            entry.cpu,
            entry.games,
            entry.positions,
            entry.simulations,
            entry.evaluations,
            entry.cached,
            entry.samples,
            entry.flops as f64 / 1e9,
            entry.peak_memory as f64 / 1e6,
            entry.joules.map_or("-".to_owned(), |joules| format!("{joules:.0}"))
        );
    }
    text + "</table>\n"
}

/// A curve of Elo differences for each opponent. Matches that were all won or lost have no finite difference: the end
/// of the interval that is finite stands for it.
fn strength_curves(strengths: &[&StrengthEvent]) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for event in strengths {
        let [elo, low, high] = event.elo;
        let Some(value) = elo.or(low).or(high) else { continue };
        let place = curves.iter().position(|curve| curve.name == event.opponent).unwrap_or_else(|| {
            curves.push(Curve { name: event.opponent.clone(), points: Vec::new(), intervals: Vec::new() });
            curves.len() - 1
        });
        let generation = event.generation as f64;
        curves[place].points.push((generation, value));
        curves[place].intervals.push((generation, low.unwrap_or(value), high.unwrap_or(value)));
    }
    curves
}

/// Text for HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::ledger::{Entry, Phase};

    #[test]
    fn a_page_has_its_curves_and_escapes_what_it_quotes() {
        let mut experiment = Experiment::from_toml("game = \"chess\"").unwrap();
        experiment.about = "<b>".to_owned();
        let strength = |generation, elo: f64| {
            Event::Strength(StrengthEvent {
                generation,
                agent: "pv".to_owned(),
                opponent: "uct:sims=400".to_owned(),
                score: [10, 2, 8],
                distinct: 20,
                elo: [Some(elo), Some(elo - 50.0), None],
            })
        };
        let events = [strength(1, -100.0), strength(2, 120.0)];
        let page = html("runs/a&b", &experiment, &events, &[Entry::new(1, Phase::Training)]).unwrap();
        assert!(page.contains("runs/a&amp;b") && page.contains("&lt;b&gt;") && !page.contains("<b>"));
        assert!(page.contains("<svg") && page.contains("uct:sims=400") && page.contains("55.0%"));
        assert_eq!(page.matches("<svg").count(), 1, "no curves of losses without generations");
    }
}
