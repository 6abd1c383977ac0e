//! Even openings: random ones that two judges of different kinds see near a draw.
//!
//! From random openings many games are decided before the first move: both players win the same side, and the score of
//! the stronger one tends to 50%. An opening that two different programs see as even leaves the game to the players.

use crate::matches::MakePlayer;
use crate::opening::{Opening, Openings};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tesuji_core::{AnyGame, Budget, GameLine, Player, Stream};

/// Candidates that are tried for each opening that is wanted, before giving up.
const PATIENCE: usize = 1000;
/// Candidates that are judged between two looks at whether there are enough.
const BLOCK: usize = 64;

/// Which openings are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct EvenSpec {
    /// Where candidates come from.
    pub candidates: Openings,
    /// How many openings.
    pub number: usize,
    /// How far from a draw a judge may see a candidate: a value from 0 to 1.
    pub margin: f32,
    /// What a judge may spend on a candidate, besides its own limits.
    pub budget: Budget,
    /// The seed of candidates and judges.
    pub seed: u64,
    /// Candidates at a time; the openings do not depend on it.
    pub threads: usize,
}

/// An opening, and what the judges say.
#[derive(Clone, Debug, PartialEq)]
pub struct EvenOpening {
    /// The opening.
    pub opening: Opening,
    /// The values that the judges see, for the side to move.
    pub values: [f32; 2],
}

/// The openings that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct EvenOpenings {
    /// In the order of the candidates; fewer than asked for if there are no more.
    pub found: Vec<EvenOpening>,
    /// How many candidates were judged for them.
    pub candidates: usize,
}

/// Finds even openings; calls `progress` with the number found so far. Stops early if `stop` is set.
///
/// # Errors
/// If a judge cannot be made, fails, or gives no value.
pub fn find(
    game: &dyn AnyGame,
    spec: &EvenSpec,
    judges: [&MakePlayer<'_>; 2],
    stop: &AtomicBool,
    progress: &mut dyn FnMut(usize),
) -> Result<EvenOpenings, String> {
    let threads = spec.threads.clamp(1, BLOCK);
    let mut seats = Vec::new();
    for _ in 0..threads {
        seats.push([judges[0]()?, judges[1]()?]);
    }
    let mut seen = HashSet::new();
    let mut even = EvenOpenings { found: Vec::new(), candidates: 0 };
    let limit = match &spec.candidates {
        Openings::Lines(lines) => lines.len(),
        Openings::Random(_) | Openings::Varied => spec.number.saturating_mul(PATIENCE),
    };
    while even.found.len() < spec.number && even.candidates < limit && !stop.load(Ordering::Relaxed) {
        let first = even.candidates;
        let verdicts = judge_block(game, spec, first, &mut seats)?;
        // In the order of the candidates, so that neither threads nor blocks change what is found.
        for (offset, (key, verdict)) in verdicts.into_iter().enumerate() {
            even.candidates = first + offset + 1;
            if even.candidates > limit {
                even.candidates = limit;
                break;
            }
            if !seen.insert(key) {
                continue;
            }
            even.found.extend(verdict);
            if even.found.len() == spec.number {
                break;
            }
        }
        progress(even.found.len());
    }
    Ok(even)
}

/// A candidate's key, and the opening if it is even.
type Judged = (u64, Option<EvenOpening>);

/// Judges a block of candidates, all threads together.
fn judge_block(
    game: &dyn AnyGame,
    spec: &EvenSpec,
    first: usize,
    seats: &mut [[Box<dyn Player>; 2]],
) -> Result<Vec<Judged>, String> {
    let next = AtomicUsize::new(0);
    let verdicts: Mutex<Vec<Option<Judged>>> = Mutex::new(vec![None; BLOCK]);
    let work = |seats: &mut [Box<dyn Player>; 2]| -> Result<(), String> {
        loop {
            let offset = next.fetch_add(1, Ordering::Relaxed);
            if offset >= BLOCK {
                return Ok(());
            }
            let judged = judge(game, spec, (first + offset) as u64, seats)?;
            verdicts.lock().expect("no thread panics with the lock")[offset] = Some(judged);
        }
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = seats.iter_mut().map(|seats| scope.spawn(|| work(seats))).collect();
        handles.into_iter().try_for_each(|handle| handle.join().expect("judges do not panic"))
    })?;
    let verdicts = verdicts.into_inner().expect("no thread panics with the lock");
    Ok(verdicts.into_iter().map(|judged| judged.expect("every candidate is judged")).collect())
}

/// Judges a candidate; the second judge is asked only if the first sees it even.
fn judge(game: &dyn AnyGame, spec: &EvenSpec, index: u64, seats: &mut [Box<dyn Player>; 2]) -> Result<Judged, String> {
    let opening = spec.candidates.opening(game, spec.seed, index);
    let position = game.parse(&opening.line()).map_err(|error| error.to_string())?;
    let key = position.key();
    let mut values = [0.0; 2];
    let mut seeds = Stream::new(spec.seed, "judge", index);
    let line = GameLine {
        game: game.name().to_owned(),
        rules: game.rules(),
        start: opening.start.clone(),
        moves: opening.moves.clone(),
    };
    for (player, value) in seats.iter_mut().zip(&mut values) {
        let failed = |error: tesuji_core::PlayerError| format!("judge: {error} at {}", opening.line());
        player.new_game(seeds.next_u64()).map_err(failed)?;
        let choice = player.choose(&line, &spec.budget).map_err(failed)?;
        let seen = choice.value.ok_or_else(|| format!("judge {}: tells no value", player.name()))?;
        if seen.abs() > spec.margin {
            return Ok((key, None));
        }
        *value = seen;
    }
    Ok((key, Some(EvenOpening { opening, values })))
}

/// The openings as a file that [`Openings::from_text`] reads: `about` as comments, one opening a line, then the judges'
/// values.
pub fn to_text(about: &str, openings: &[EvenOpening]) -> String {
    let mut text = String::new();
    for line in about.lines() {
        let _ = writeln!(text, "# {line}");
    }
    for even in openings {
        let _ = writeln!(text, "{}\t{:+.3} {:+.3}", even.opening.line(), even.values[0], even.values[1]);
    }
    text
}
