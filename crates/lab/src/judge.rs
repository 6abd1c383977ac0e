//! Claims, decided by intervals.
//!
//! A claim is one or several conditions `A > B`, in which A and B are numbers of the data (`step[axis=label].number`) or
//! plain numbers. A condition holds if the interval of A - B lies above zero, does not hold if it lies below, and is not
//! decided if it holds zero. Of n conditions each has an interval of 95% divided by n (Bonferroni's), so that a claim about
//! nothing is decided by chance in five cases of a hundred at most.

use crate::entry::Entry;
use crate::file::Claim;
use tesuji_report::{LEVEL, Measure, Quantity, Verdict, VerdictLine};

/// What the data say about a claim.
pub fn judge(claim: &Claim, entries: &[Entry]) -> VerdictLine {
    let (verdict, why, timed) =
        if claim.best.is_empty() { conditions(claim, entries) } else { best(&claim.best, entries) };
    VerdictLine {
        claim: claim.says.clone(),
        place: claim.place.clone(),
        verdict,
        why,
        section: claim.section.clone(),
        timed,
    }
}

/// What one comparison says: whether `a` is greater than `b`.
pub fn greater(a: &Quantity, b: &Quantity, level: f64) -> Verdict {
    let difference = a.less(b, level);
    if difference.low > 0.0 {
        Verdict::Holds
    } else if difference.high < 0.0 || (difference.low == 0.0 && difference.high == 0.0) {
        Verdict::DoesNotHold
    } else {
        Verdict::NotDecided
    }
}

fn conditions(claim: &Claim, entries: &[Entry]) -> (Verdict, String, bool) {
    let level = LEVEL / claim.when.len().max(1) as f64;
    let (mut verdicts, mut words, mut timed) = (Vec::new(), Vec::new(), false);
    for condition in &claim.when {
        let greater_than = condition.split_once(" > ").map(|(a, b)| (a, b, false));
        let Some((a, b, swapped)) = greater_than.or_else(|| condition.split_once(" < ").map(|(a, b)| (a, b, true)))
        else {
            return (Verdict::NotDecided, format!("{condition:?} is no condition"), false);
        };
        let (Some(left), Some(right)) = (look_up(a, entries), look_up(b, entries)) else {
            verdicts.push(Verdict::NotDecided);
            words.push(format!("no data for {condition}"));
            continue;
        };
        timed |= left.timed || right.timed;
        let (greater_one, smaller) =
            if swapped { (right.quantity, left.quantity) } else { (left.quantity, right.quantity) };
        verdicts.push(greater(&greater_one, &smaller, level));
        let sign = if swapped { "<" } else { ">" };
        words.push(format!("{} {sign} {}", text(a, &left.quantity), text(b, &right.quantity)));
    }
    let all = |wanted: Verdict| !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == wanted);
    let verdict = match () {
        () if all(Verdict::Holds) => Verdict::Holds,
        () if verdicts.contains(&Verdict::DoesNotHold) => Verdict::DoesNotHold,
        () => Verdict::NotDecided,
    };
    (verdict, words.join("; "), timed)
}

/// Whether a point is better than all others of its step.
fn best(name: &str, entries: &[Entry]) -> (Verdict, String, bool) {
    let Some((step, labels, metric)) = parse(name) else {
        return (Verdict::NotDecided, format!("{name:?} names no data"), false);
    };
    let of_step: Vec<&Entry> = entries.iter().filter(|entry| entry.step == step).collect();
    let is_it = |entry: &Entry| labels.iter().all(|(axis, label)| entry.label(axis) == Some(label));
    let Some(chosen) = of_step.iter().find(|entry| is_it(entry)).and_then(|entry| entry.metric(metric)) else {
        return (Verdict::NotDecided, format!("no data for {name}"), false);
    };
    let others: Vec<(&Entry, Measure)> = of_step
        .iter()
        .filter(|entry| !is_it(entry))
        .filter_map(|entry| Some((*entry, entry.metric(metric)?)))
        .collect();
    let level = LEVEL / others.len().max(1) as f64;
    let verdicts = others.iter().map(|(_, other)| greater(&chosen.quantity, &other.quantity, level));
    let verdict = match () {
        () if verdicts.clone().any(|verdict| verdict == Verdict::DoesNotHold) => Verdict::DoesNotHold,
        () if !others.is_empty() && verdicts.clone().all(|verdict| verdict == Verdict::Holds) => Verdict::Holds,
        () => Verdict::NotDecided,
    };
    let rival = others.iter().max_by(|a, b| a.1.quantity.value().total_cmp(&b.1.quantity.value()));
    let rival = rival.map_or(String::new(), |(entry, other)| {
        format!("; the best other, {}: {}", entry.name(), text(metric, &other.quantity))
    });
    (verdict, format!("{name}: {}{rival}", text(metric, &chosen.quantity)), chosen.timed)
}

/// A quantity in words; shares in per cent.
fn text(name: &str, quantity: &Quantity) -> String {
    match quantity {
        Quantity::Share { .. } => format!("{}%", quantity.text(1, true)),
        Quantity::Exact(value) if name.trim().parse::<f64>().is_ok() => value.to_string(),
        _ => quantity.text(if quantity.value().abs() < 10.0 { 3 } else { 1 }, false),
    }
}

/// The parts of a number's name: the step, axes with labels, the number.
type Parts<'a> = (&'a str, Vec<(&'a str, &'a str)>, &'a str);

/// `step[axis=label, ...].number`: its parts.
fn parse(name: &str) -> Option<Parts<'_>> {
    let name = name.trim();
    if let Some((step, rest)) = name.split_once('[') {
        let (labels, metric) = rest.split_once("].")?;
        let labels =
            labels.split(',').map(|pair| pair.split_once('=').map(|(axis, label)| (axis.trim(), label.trim())));
        return Some((step, labels.collect::<Option<_>>()?, metric));
    }
    let (step, metric) = name.split_once('.')?;
    Some((step, Vec::new(), metric))
}

/// A number of the data, or a plain one. Points that a name does not tell apart are taken together.
pub fn look_up(name: &str, entries: &[Entry]) -> Option<Measure> {
    if let Ok(value) = name.trim().parse::<f64>() {
        return Some(Measure { quantity: Quantity::Exact(value), timed: false });
    }
    let (step, labels, metric) = parse(name)?;
    let found = entries.iter().filter(|entry| entry.step == step);
    let found = found.filter(|entry| labels.iter().all(|(axis, label)| entry.label(axis) == Some(label)));
    let measures: Vec<Measure> = found.filter_map(|entry| entry.metric(metric)).collect();
    let quantities: Vec<Quantity> = measures.iter().map(|measure| measure.quantity).collect();
    Some(Measure { quantity: Quantity::pool(&quantities)?, timed: measures.iter().any(|measure| measure.timed) })
}
