//! A run as a report: curves of losses, lengths and strength, tables of results and costs. [`tensorboard`] writes its events
//! for other programs.

pub mod tensorboard;

use crate::experiments::Experiment;
use crate::run::curves::{Axis as Over, Place, Places};
use crate::run::ledger::{self, Phase};
use crate::run::{Event, GenerationEvent, StrengthEvent};
use tesuji_report::{Axis, Block, Cell, Chart, Head, Measure, Point, Quantity, Report, Series, Table};

/// A curve: its name, and what an event says of it.
type Curve = (&'static str, fn(&GenerationEvent) -> Option<f64>);

/// The charts of a run: title, what to see, what stands at the axis, curves.
const DRAWN: &[(&str, &str, &str, &[Curve])] = &[
    (
        "Losses",
        "The total is (z - v)^2 + KL + L2. Cross-entropy and KL differ by the entropy of the targets, which learning cannot lower.",
        "loss",
        &[
            ("policy: cross-entropy", |event| event.policy_loss.map(f64::from)),
            ("policy: KL divergence", |event| event.divergence.map(f64::from)),
            ("value", |event| Some(f64::from(event.value_loss))),
            ("total", |event| Some(f64::from(event.total_loss)).filter(|&loss| loss > 0.0)),
        ],
    ),
    (
        "Accuracies",
        "Policy: the most probable move is the target's. Value: it has the sign of the result.",
        "share",
        &[
            ("policy", |event| event.policy_accuracy.map(f64::from)),
            // Methods that do not count it leave it at zero.
            ("value", |event| Some(f64::from(event.value_accuracy)).filter(|&share| share > 0.0)),
        ],
    ),
    (
        "Positions held out",
        "Games that the network has not learned from: how often the played move was its first choice, or among its first five.",
        "share",
        &[
            ("first choice", |event| event.test.and_then(|test| test.top1)),
            ("among five", |event| event.test.and_then(|test| test.top5)),
        ],
    ),
    (
        "Loss on games held out",
        "After and before the generation's training: the distance is what it learned, not what it remembered.",
        "loss",
        &[
            ("after", |event| event.held_out.map(|held_out| held_out.loss)),
            ("before", |event| event.held_out.map(|held_out| held_out.before)),
        ],
    ),
    (
        "Length of games",
        "Mean plies of the games of each generation.",
        "plies",
        &[("plies", |event| Some(event.play.mean_plies).filter(|_| event.play.games > 0))],
    ),
];

/// The report of a run.
pub fn of_run(name: &str, experiment: &Experiment, events: &[Event], costs: &[ledger::Entry]) -> Report {
    let generations: Vec<&GenerationEvent> = generations(events).collect();
    let strengths: Vec<&StrengthEvent> = strengths(events).collect();
    let places = Places::of(events, costs);
    let mut report = Report::new(name);
    report.lead.extend(Some(experiment.about.clone()).filter(|about| !about.is_empty()));
    report.facts = facts(experiment, &generations, costs);
    if !strengths.is_empty() {
        let charts = Over::ALL.map(|over| strength_chart(&strengths, over, &places)).into_iter().flatten();
        let blocks = [Block::Table(strength_table(&strengths))].into_iter().chain(charts.take(1).map(Block::Chart));
        report.section("Strength", blocks.collect());
    }
    for over in Over::ALL {
        let mut charts: Vec<Block> = curves(&generations, over, &places).into_iter().map(Block::Chart).collect();
        if over != Over::Generation {
            charts.extend(strength_chart(&strengths, over, &places).map(Block::Chart));
        }
        if !charts.is_empty() {
            report.section(format!("By {}", over.name()), charts);
        }
    }
    if !generations.is_empty() {
        report.section("Generations", vec![Block::Table(generation_table(&generations, &places))]);
    }
    report.section("Cost", vec![Block::Table(cost_table(costs))]);
    report.section("Experiment", vec![Block::Code(experiment.to_toml())]);
    for event in &strengths {
        let [wins, draws, losses] = event.score.map(|count| count as f64);
        let quantity = Quantity::Share { hits: wins + 0.5 * draws, of: wins + draws + losses };
        let name = format!("score v {} at generation {}", event.opponent, event.generation);
        report.measures.insert(name, Measure { quantity, timed: false });
    }
    if let Some(last) = generations.last() {
        let mut add = |name: &str, value: Option<f64>| {
            if let Some(value) = value {
                report.measures.insert(name.to_owned(), Measure { quantity: Quantity::Single(value), timed: false });
            }
        };
        add("last value loss", Some(f64::from(last.value_loss)));
        add("last policy loss", last.policy_loss.map(f64::from));
        add("last first-choice accuracy on games held out", last.test.and_then(|test| test.top1));
    }
    report
}

/// The charts of a run by name, for [`svg`].
pub const CHARTS: [&str; 5] = ["strength", "loss", "accuracy", "held-out", "length"];

/// One of [`CHARTS`] as SVG; `None` if there is none of this name.
///
/// # Errors
/// Never: what cannot be drawn yet says so.
pub fn svg(name: &str, over: Over, events: &[Event], costs: &[ledger::Entry]) -> Result<Option<String>, String> {
    let title = match name {
        "strength" => "Elo difference to fixed opponents",
        "loss" => "Losses",
        "accuracy" => "Accuracies",
        "held-out" => "Loss on games held out",
        "length" => "Length of games",
        _ => return Ok(None),
    };
    let places = Places::of(events, costs);
    let generations: Vec<&GenerationEvent> = generations(events).collect();
    let strengths: Vec<&StrengthEvent> = strengths(events).collect();
    let charts = curves(&generations, over, &places).into_iter().chain(strength_chart(&strengths, over, &places));
    let drawn = charts.filter(|chart| chart.title == title).find_map(|chart| chart.file());
    let nothing = || {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"60\" viewBox=\"0 0 660 60\">\
             <text x=\"12\" y=\"34\" font-family=\"sans-serif\" font-size=\"14\" fill=\"#777\">{title}: nothing yet</text></svg>\n"
        )
    };
    Ok(Some(drawn.unwrap_or_else(nothing)))
}

/// The matches among events.
fn strengths(events: &[Event]) -> impl Iterator<Item = &StrengthEvent> {
    events.iter().filter_map(|event| match event {
        Event::Strength(event) => Some(event),
        Event::Generation(_) => None,
    })
}

/// The generations among events.
pub fn generations(events: &[Event]) -> impl Iterator<Item = &GenerationEvent> {
    events.iter().filter_map(|event| match event {
        Event::Generation(event) => Some(event),
        Event::Strength(_) => None,
    })
}

fn facts(experiment: &Experiment, generations: &[&GenerationEvent], costs: &[ledger::Entry]) -> Vec<(String, String)> {
    let games: u64 = generations.iter().map(|event| event.play.games).sum();
    let cpu: f64 = costs.iter().filter(|entry| entry.phase != Phase::Measuring).map(|entry| entry.cpu).sum();
    let fact = |name: &str, value: String| (name.to_owned(), value);
    vec![
        fact("game", format!("{} ({} rules)", experiment.game, experiment.rules)),
        fact("method", experiment.method.name().to_owned()),
        fact("generations", generations.len().to_string()),
        fact("games", games.to_string()),
        fact("CPU-hours of playing and training", format!("{:.2}", cpu / 3600.0)),
        fact("seed", experiment.seed.to_string()),
    ]
}

/// The charts of a run over an axis; those without a point are left out.
fn curves(generations: &[&GenerationEvent], over: Over, places: &Places) -> Vec<Chart> {
    let x = |event: &GenerationEvent| over.of(places.at(event.generation));
    let mut charts = Vec::new();
    for (title, caption, y, curves) in DRAWN {
        let series = curves.iter().map(|(name, value)| {
            let points = generations.iter().filter_map(|event| Some(Point::new(x(event), value(event)?)));
            Series { name: (*name).to_owned(), paper: false, points: points.collect() }
        });
        let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
        if !series.is_empty() {
            charts.push(Chart {
                title: (*title).to_owned(),
                caption: (*caption).to_owned(),
                x: Axis::from_zero(over.name()),
                y: Axis::linear(*y),
                series,
                ..Chart::default()
            });
        }
    }
    charts
}

/// A curve of Elo differences for each opponent. Matches that were all won or lost have no finite difference: the end
/// of the interval that is finite stands for it.
fn strength_chart(strengths: &[&StrengthEvent], over: Over, places: &Places) -> Option<Chart> {
    let mut series: Vec<Series> = Vec::new();
    for event in strengths {
        let [elo, low, high] = event.elo;
        let Some(value) = elo.or(low).or(high) else { continue };
        let place = series.iter().position(|series| series.name == event.opponent).unwrap_or_else(|| {
            series.push(Series { name: event.opponent.clone(), ..Series::default() });
            series.len() - 1
        });
        let interval = Some((low.unwrap_or(value), high.unwrap_or(value)));
        series[place].points.push(Point { interval, ..Point::new(over.of(places.at(event.generation)), value) });
    }
    (!series.is_empty()).then(|| Chart {
        title: "Elo difference to fixed opponents".to_owned(),
        caption: "Above 0 the network is the stronger one; bands and whiskers are 95% intervals. All games won or lost: the end of the interval that is finite.".to_owned(),
        x: Axis::from_zero(over.name()),
        y: Axis::linear("Elo"),
        series,
        ..Chart::default()
    })
}

fn heads(names: &[&str]) -> Vec<Head> {
    names.iter().map(|name| Head::ours(*name)).collect()
}

/// A difference as a whole number with its sign; what rounds to zero is never below it.
fn signed(value: f64) -> String {
    format!("{:+.0}", value.round() + 0.0)
}

fn strength_table(strengths: &[&StrengthEvent]) -> Table {
    let names = [
        "opponent",
        "generation",
        "player",
        "won",
        "drawn",
        "lost",
        "score, %",
        "Elo",
        "95% interval",
        "distinct games",
    ];
    let rows = strengths.iter().map(|event| {
        let [won, drawn, lost] = event.score;
        let points = Quantity::Share { hits: won as f64 + 0.5 * drawn as f64, of: (won + drawn + lost) as f64 };
        let number = |value: Option<f64>| value.map_or("∞".to_owned(), signed);
        let [elo, low, high] = event.elo.map(number);
        vec![
            Cell::text(event.opponent.as_str()),
            Cell::count(event.generation),
            Cell::text(event.agent.as_str()),
            Cell::count(won),
            Cell::count(drawn),
            Cell::count(lost),
            Cell::share(points),
            Cell::text(elo),
            Cell::text(format!("{low} to {high}")),
            Cell::count(event.distinct),
        ]
    });
    let caption =
        "Matches on the way, a draw being half a point; Elo differences from colour-swapped pairs.".to_owned();
    Table { caption, heads: heads(&names), rows: rows.collect() }
}

/// What the curves are drawn from.
fn generation_table(generations: &[&GenerationEvent], places: &Places) -> Table {
    let names = [
        "generation",
        "steps",
        "minutes",
        "CPU minutes",
        "games",
        "plies",
        "policy loss",
        "KL",
        "value loss",
        "L2",
        "total",
        "policy right, %",
        "value right, %",
    ];
    let number = |value: Option<f32>| value.map_or(Cell::Empty, |value| Cell::number(f64::from(value), 4));
    let percent = |value: Option<f32>| value.map_or(Cell::Empty, |value| Cell::number(100.0 * f64::from(value), 1));
    let rows = generations.iter().map(|event| {
        let Place { generation, steps, minutes, cpu_minutes } = places.at(event.generation);
        vec![
            Cell::count(generation),
            Cell::count(steps),
            Cell::number(minutes, 2),
            Cell::number(cpu_minutes, 2),
            Cell::count(event.play.games),
            Cell::number(event.play.mean_plies, 1),
            number(event.policy_loss),
            number(event.divergence),
            number(Some(event.value_loss)),
            number(Some(event.l2_loss)),
            number(Some(event.total_loss)),
            percent(event.policy_accuracy),
            percent(Some(event.value_accuracy)),
        ]
    });
    Table { caption: "What the curves are drawn from.".to_owned(), heads: heads(&names), rows: rows.collect() }
}

/// The ledger, by phase.
pub fn cost_table(costs: &[ledger::Entry]) -> Table {
    let names = [
        "phase",
        "seconds",
        "CPU seconds",
        "games",
        "positions",
        "simulations",
        "evaluations",
        "from cache",
        "samples",
        "GFLOP",
        "peak MB",
        "joules",
    ];
    let rows = ledger::totals(costs).into_iter().map(|entry| {
        vec![
            Cell::text(entry.phase.name()),
            Cell::number(entry.wall, 1),
            Cell::number(entry.cpu, 1),
            Cell::count(entry.games),
            Cell::count(entry.positions),
            Cell::count(entry.simulations),
            Cell::count(entry.evaluations),
            Cell::count(entry.cached),
            Cell::count(entry.samples),
            Cell::number(entry.flops as f64 / 1e9, 1),
            Cell::number(entry.peak_memory as f64 / 1e6, 0),
            entry.joules.map_or(Cell::Empty, |joules| Cell::number(joules, 0)),
        ]
    });
    let caption =
        "Inference and mate search go on inside self-play and have no time by the clock of their own.".to_owned();
    Table { caption, heads: heads(&names), rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::GameStatistics;
    use crate::run::ledger::Entry;
    use tesuji_nn::train::{LossSums, Losses, TargetCounts};
    use tesuji_report::html;

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
        let report = of_run("runs/a&b", &experiment, &events, &[Entry::new(1, Phase::Training)]);
        assert!(report.measures.contains_key("score v uct:sims=400 at generation 2"));
        let page = html(&report);
        assert!(page.contains("runs/a&amp;b") && page.contains("&lt;b&gt;") && !page.contains("<b>"));
        assert!(page.contains("<svg") && page.contains("uct:sims=400") && page.contains("55.0 <small>"));
        assert_eq!(
            page.matches("<svg").count(),
            Over::ALL.len(),
            "strength over each axis, no losses without generations"
        );
    }

    #[test]
    fn every_chart_can_be_had_by_itself() {
        for name in CHARTS {
            let drawn = svg(name, Over::Steps, &[], &[]).unwrap().unwrap();
            assert!(drawn.contains("<svg") && drawn.contains("nothing yet"), "{drawn}");
        }
        assert_eq!(svg("none", Over::Steps, &[], &[]), Ok(None));
        let event = GenerationEvent::of(1, GameStatistics::default(), [0, 0], (7, 7, 0.1), (&LossSums::default(), 0.0));
        let drawn = svg("loss", Over::Steps, &[Event::Generation(event)], &[]).unwrap().unwrap();
        assert!(drawn.contains("data-x=\"7\"") && drawn.contains("Losses"), "{drawn}");
    }

    #[test]
    fn differences_have_a_sign_and_nothing_is_minus_zero() {
        assert_eq!([506.4, -35.2, -0.3, 0.0].map(signed), ["+506", "-35", "+0", "+0"]);
    }

    #[test]
    fn curves_go_over_generations_iterations_and_minutes_and_leave_out_what_is_not_there() {
        let experiment = Experiment::from_toml("game = \"chess\"").unwrap();
        let event = |generation: u64, value_accuracy: f32| {
            let mut sums = LossSums::default();
            let targets = TargetCounts { value: 1, ..TargetCounts::default() };
            sums.add(&Losses { value: 0.5, value_accuracy, targets, ..Losses::default() });
            let play = GameStatistics { games: 1, mean_plies: 30.0, ..GameStatistics::default() };
            let counts = (700 * generation, 700, 0.1);
            Event::Generation(GenerationEvent::of(generation, play, [0, 0], counts, (&sums, 0.25)))
        };
        let cost = |generation| Entry { wall: 90.0, ..Entry::new(generation, Phase::Training) };
        let page = html(&of_run("run", &experiment, &[event(1, 0.6), event(2, 0.7)], &[cost(1), cost(2)]));
        for over in Over::ALL {
            assert!(page.contains(&format!("By {}", over.name())), "{page}");
        }
        // Losses, accuracies and lengths over each axis; a network without a policy has no curves of one.
        assert_eq!(page.matches("<svg").count(), 3 * Over::ALL.len());
        assert!(!page.contains("cross-entropy\"") && page.contains("total"));
        assert!(page.contains("data-v=\"1400\"") && page.contains("data-v=\"0.75\""));
        // A method that does not count accuracies, such as that of integer networks, has no chart of them.
        let page = html(&of_run("run", &experiment, &[event(1, 0.0), event(2, 0.0)], &[cost(1), cost(2)]));
        assert_eq!(page.matches("<svg").count(), 2 * Over::ALL.len());
    }
}
