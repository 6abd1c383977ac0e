//! What changed between two reports, with significance.

use crate::document::{Block, Cell, Head, Report, Table};
use crate::quantity::{LEVEL, Quantity};

/// Differences of the numbers that both reports have, the significant ones first; what only one has is listed.
///
/// Where hundreds of numbers are compared, five in a hundred would differ by chance: each interval is that of 95%
/// divided by the number of comparisons (Bonferroni's).
pub fn compare(a: &Report, b: &Report) -> Report {
    let mut report = Report::new(format!("{} beside {}", a.title, b.title));
    let both: Vec<(&String, Quantity, Quantity)> = a
        .measures
        .iter()
        .filter_map(|(name, measure)| Some((name, measure.quantity, b.measures.get(name)?.quantity)))
        .collect();
    let judged = both.iter().filter(|(_, a, b)| a.bounds().is_some() && b.bounds().is_some()).count();
    let level = LEVEL / judged.max(1) as f64;
    let (mut changed, mut others) = (Vec::new(), Vec::new());
    for (name, old, new) in &both {
        let difference = new.less(old, level);
        let known = difference.low.is_finite() && difference.high.is_finite();
        let exact = matches!((old, new), (Quantity::Exact(_), Quantity::Exact(_)));
        let words = match () {
            () if exact && difference.difference == 0.0 => "the same",
            () if exact || !known => "no interval",
            () if difference.is_significant() => "significant",
            () => "not significant",
        };
        let interval =
            if known && !exact { format!("[{:+.4}, {:+.4}]", difference.low, difference.high) } else { String::new() };
        let number = |quantity: &Quantity| Cell::Number { quantity: *quantity, digits: 4, percent: false };
        let row = vec![
            Cell::text(name.as_str()),
            number(old),
            number(new),
            Cell::number(difference.difference, 4),
            Cell::text(interval),
            Cell::text(words),
        ];
        if words == "significant" { changed.push(row) } else { others.push(row) }
    }
    report.lead.push(format!(
        "{} numbers are in both; {judged} of them have intervals, and {} of these differ significantly (95% over all of them together).",
        both.len(),
        changed.len()
    ));
    report.facts = vec![("A".to_owned(), a.title.clone()), ("B".to_owned(), b.title.clone())];
    let heads = || ["number", "A", "B", "B - A", "interval of the difference", "verdict"].map(Head::ours).to_vec();
    let table = |caption: &str, rows| Block::Table(Table { caption: caption.to_owned(), heads: heads(), rows });
    if !changed.is_empty() {
        report.section("What changed", vec![table("Differences whose interval leaves zero out.", changed)]);
    }
    let claims = verdicts(a, b);
    if !claims.rows.is_empty() {
        report.section("Claims", vec![Block::Table(claims)]);
    }
    if !others.is_empty() {
        report.section(
            "Everything else",
            vec![table("Numbers that did not change significantly, or have no interval.", others)],
        );
    }
    let lone: Vec<String> = [(a, b, "A"), (b, a, "B")]
        .iter()
        .flat_map(|(one, other, name)| {
            one.measures
                .keys()
                .filter(|key| !other.measures.contains_key(*key))
                .map(move |key| format!("only in {name}: {key}"))
        })
        .collect();
    if !lone.is_empty() {
        report.section("In one of them only", vec![Block::List(lone)]);
    }
    report
}

/// The claims of both, with both verdicts.
fn verdicts(a: &Report, b: &Report) -> Table {
    let rows = a.verdicts.iter().filter_map(|line| {
        let other = b.verdicts.iter().find(|other| other.claim == line.claim)?;
        Some(vec![Cell::text(line.claim.as_str()), Cell::text(line.verdict.name()), Cell::text(other.verdict.name())])
    });
    Table { caption: String::new(), heads: ["claim", "A", "B"].map(Head::ours).to_vec(), rows: rows.collect() }
}
