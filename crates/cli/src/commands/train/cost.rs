//! What a run will cost, told before it begins.

use anyhow::{Result, bail};
use tesuji_core::AnyGame;
use tesuji_learn::Experiment;
use tesuji_learn::estimate::{Estimate, estimate};
use tesuji_learn::run::{About, StopRule};
use tesuji_search::AgentSource;

/// A run of more than this many seconds by the clock is not begun without `--yes`.
const DAY: f64 = 86_400.0;

/// Operations a second that any core has: what is done within an hour at that rate is not worth a measurement.
const SLOWEST: f64 = 5e9;

/// Nodes a second of any alpha-beta, likewise.
const FEWEST_NODES: f64 = 1e5;

/// Tells what a new run will cost, if it is one of the papers' or takes long.
///
/// # Errors
/// If it takes more than a day and `yes` was not said, or more memory than there is.
pub fn tell(
    agents: &dyn AgentSource,
    (name, experiment): (&str, &Experiment),
    extent: StopRule,
    threads: usize,
    yes: bool,
) -> Result<()> {
    if !name.contains("-paper") && !is_long(agents.game().as_ref(), experiment, extent, threads) {
        return Ok(());
    }
    let estimate = match estimate(agents, experiment, extent, threads) {
        Ok(Some(estimate)) => estimate,
        Ok(None) => return Ok(()),
        Err(problem) if yes => {
            eprintln!("cost: {problem}");
            return Ok(());
        }
        Err(problem) => bail!("{name}: {problem}; --yes begins it nevertheless"),
    };
    eprintln!("{}", text(&estimate, threads));
    if estimate.wall > DAY && !yes {
        bail!("{name}: takes about {}: --yes begins it, a --budget makes it shorter", span(estimate.wall));
    }
    Ok(())
}

/// Whether a run may take more than an hour.
fn is_long(game: &dyn AnyGame, experiment: &Experiment, extent: StopRule, threads: usize) -> bool {
    let generations = match extent {
        StopRule::Time(time) => return time.as_secs_f64() > DAY,
        StopRule::Generations(generations) => generations as f64,
    };
    let typical = tesuji_learn::estimate::typical(game, experiment.selfplay.max_plies);
    let Some(work) = experiment.method.work(&experiment.setup(), typical) else { return false };
    let seconds = match experiment.network_info(game) {
        Ok(About::Float(about)) => {
            let Ok(graph) = about.spec.graph() else { return false };
            (work.evaluations + 3.0 * work.samples) * graph.flops() as f64 / SLOWEST
        }
        Ok(About::Integer(_)) => work.evaluations / FEWEST_NODES,
        Err(_) => return false,
    };
    seconds * generations / threads as f64 > 3600.0
}

/// A time for people.
pub fn span(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}

fn text(estimate: &Estimate, threads: usize) -> String {
    let Estimate { wall, cpu, memory, disk, generations, work, rates, typical } = estimate;
    format!(
        "cost: about {} by the clock on {threads} threads, {:.2} CPU-hours, {:.1} GB of memory, {:.2} GB of disk\n  \
         {generations:.0} generations, each {:.0} evaluations at {:.3} ms and {:.0} samples at {:.3} ms, measured now; \
         games of {:.0} plies, as random ones; matches on the way not counted",
        span(*wall),
        cpu / 3600.0,
        memory / 1e9,
        disk / 1e9,
        work.evaluations,
        1e3 * rates[0],
        work.samples,
        1e3 * rates[1],
        typical.plies,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_their_own_units() {
        let spans = [30.0, 600.0, 10_800.0, 1_728_000.0].map(span);
        assert_eq!(spans, ["30 s", "10 min", "3.0 h", "20.0 days"]);
    }
}
