//! Matches: many games between two players, in pairs from one opening with the colours swapped.
//!
//! What game number `i` is depends on the match's seed and on `i` alone: opening `i / 2`, colours by `i % 2`, the
//! players' random choices by `i`. So the result does not depend on the number of threads, and an interrupted match
//! can be resumed from its journal.

use crate::cost::{Cost, PHASE, Phase, Spent};
use crate::elo::{self, Elo};
pub use crate::entry::{GameResult, MatchSpec, moves_of_round};
use crate::journal::Journal;
use crate::opening::Opening;
use crate::play::{self, GameConditions};
use crate::score::{Pairs, Score};
use crate::sprt::{Sprt, Verdict};
use std::collections::BTreeMap;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use tesuji_core::error::excerpt;
use tesuji_core::{AnyGame, GameLine, Outcome, Player, PlayerError, Side, Stream};

/// How long to go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchLength {
    /// At most this many games.
    pub games: usize,
    /// Stop when this test has its answer.
    pub sprt: Option<Sprt>,
    /// Games at a time.
    pub threads: usize,
}

/// The state of a match, for player 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// All games.
    pub score: Score,
    /// The games in which player 0 moved first.
    pub score_first: Score,
    /// Complete pairs.
    pub pairs: Pairs,
    /// Complete pairs in which the same side won both games: the opening decided, not the players.
    pub split: u64,
    /// Games whose start or moves differ from all others: a deterministic pair of players may repeat one game for ever.
    pub distinct: usize,
    /// What each player spent.
    pub costs: [Cost; 2],
    /// Plies of all games.
    pub plies: u64,
    /// How many games ended for which reason.
    pub endings: BTreeMap<String, u64>,
    /// What the players spent by the phase of the game.
    pub phases: Vec<Phase>,
}

impl Summary {
    /// Counts the games, whatever their order.
    pub fn of<'a>(results: impl IntoIterator<Item = &'a GameResult>) -> Summary {
        let mut results: Vec<&GameResult> = results.into_iter().collect();
        results.sort_by_key(|result| result.index);
        let mut summary = Summary::default();
        let mut seen = HashSet::new();
        for (place, result) in results.iter().enumerate() {
            summary.score.add(result.outcome, result.side_of(0));
            if result.first == 0 {
                summary.score_first.add(result.outcome, Side::First);
            }
            if let Some(next) = results.get(place + 1)
                && result.index % 2 == 0
                && next.index == result.index + 1
            {
                summary.pairs.add(result.points(), next.points());
                let same_side = result.outcome == next.outcome && result.outcome != Outcome::Draw;
                summary.split += u64::from(same_side);
            }
            seen.insert((&result.start, &result.moves));
            for (total, cost) in summary.costs.iter_mut().zip(result.costs) {
                *total += cost;
            }
            summary.plies += result.moves.len() as u64;
            *summary.endings.entry(result.ending.clone()).or_default() += 1;
            summary.add_phases(result);
        }
        summary.distinct = seen.len();
        summary
    }

    /// Whether the openings decided most of the pairs, so that the score says little about the players.
    pub fn openings_decide(&self) -> bool {
        self.pairs.pairs() >= 4 && 2 * self.split > self.pairs.pairs()
    }

    /// Books each move of a game with its phase.
    fn add_phases(&mut self, result: &GameResult) {
        for (ply, spent) in (result.opening..).zip(&result.spent) {
            let number = ply / PHASE;
            while self.phases.len() <= number {
                self.phases.push(Phase { first_ply: self.phases.len() * PHASE, ..Phase::default() });
            }
            let phase = &mut self.phases[number];
            phase.choices += u64::from(spent.choices);
            let player = if spent.side == result.side_of(0) { 0 } else { 1 };
            let Spent { wall, cpu, nodes, .. } = *spent;
            phase.costs[player] += Cost { moves: 1, wall, cpu, nodes, ..Cost::default() };
        }
    }

    /// The Elo difference: from pairs once there are enough of them to say something, from single games before.
    pub fn elo(&self) -> Elo {
        if self.pairs.pairs() >= 2 { elo::from_pairs(&self.pairs) } else { elo::from_games(&self.score) }
    }
}

/// Makes a player for a worker thread.
pub type MakePlayer<'a> = dyn Fn() -> Result<Box<dyn Player>, String> + Sync + 'a;

/// Plays the games that the journal does not have yet; calls `progress` after each.
///
/// Returns all games, those of the journal included, by number. Fewer than asked for if `stop` was set or the
/// sequential test has its answer.
///
/// # Errors
/// If a player cannot be made, refuses to play under the conditions, an opening is wrong, or the journal cannot be
/// written.
pub fn play_match(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    extent: &MatchLength,
    players: [&MakePlayer<'_>; 2],
    mut journal: Option<&mut Journal>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&[GameResult]),
) -> Result<Vec<GameResult>, String> {
    let mut results: Vec<GameResult> = journal.as_ref().map(|journal| journal.results().to_vec()).unwrap_or_default();
    results.retain(|result| result.index < extent.games);
    let done: HashSet<usize> = results.iter().map(|result| result.index).collect();
    let todo: Vec<usize> = (0..extent.games).filter(|index| !done.contains(index)).collect();
    let mut test = SequentialTest::new(extent.sprt);
    results.iter().for_each(|result| test.add(result));
    let enough = AtomicBool::new(test.decided.is_some());
    let halt = || stop.load(Ordering::Relaxed) || enough.load(Ordering::Relaxed);
    play_numbers(game, spec, (&todo, extent.threads), players, &halt, &mut |result| {
        let written = journal.as_mut().map_or(Ok(()), |journal| journal.append(&result));
        if let Err(error) = written {
            enough.store(true, Ordering::Relaxed);
            return Err(error.to_string());
        }
        test.add(&result);
        results.push(result);
        if test.decided.is_some() {
            enough.store(true, Ordering::Relaxed);
        }
        progress(&results);
        Ok(())
    })?;
    // Games that were under way when the test had its answer do not count.
    if let Some(games) = test.decided {
        results.retain(|result| result.index < games);
    }
    results.sort_by_key(|result| result.index);
    Ok(results)
}

/// Plays the games of these numbers, so many at a time, until `halt` says that it is enough; `done` gets each as it ends, on
/// the calling thread.
///
/// # Errors
/// As [`play_match`], or if `done` fails.
pub fn play_numbers(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    (todo, threads): (&[usize], usize),
    players: [&MakePlayer<'_>; 2],
    halt: &(dyn Fn() -> bool + Sync),
    done: &mut dyn FnMut(GameResult) -> Result<(), String>,
) -> Result<(), String> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let halt = || failed.load(Ordering::Relaxed) || halt();
    let (sender, receiver) = mpsc::channel::<Result<GameResult, String>>();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, todo.len().max(1)) {
            let sender = sender.clone();
            let (next, halt) = (&next, &halt);
            scope.spawn(move || {
                let work = || {
                    let mut seats = [players[0]()?, players[1]()?];
                    check(game, spec, &mut seats)?;
                    while !halt() {
                        let Some(&index) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                        let Some((result, failed)) = play_one(game, spec, index, &mut seats, halt)? else { break };
                        let _ = sender.send(Ok(result));
                        if let Some(player) = failed {
                            seats[player] = players[player]()?;
                        }
                    }
                    Ok(())
                };
                if let Err(error) = work() {
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop(sender);
        let mut results = receiver.into_iter();
        let worked = results.try_for_each(|result| result.and_then(&mut *done));
        failed.store(worked.is_err(), Ordering::Relaxed);
        worked
    })
}

/// A sequential test that looks at the pairs in their order, whatever the order in which games finish: so the number
/// of threads does not change its answer.
struct SequentialTest {
    sprt: Option<Sprt>,
    pairs: Pairs,
    /// Points of player 0 in games that finished ahead of their turn.
    waiting: BTreeMap<usize, f64>,
    /// The number of games after which the test had its answer.
    decided: Option<usize>,
}

impl SequentialTest {
    fn new(sprt: Option<Sprt>) -> SequentialTest {
        SequentialTest { sprt, pairs: Pairs::default(), waiting: BTreeMap::new(), decided: None }
    }

    fn add(&mut self, result: &GameResult) {
        let Some(sprt) = self.sprt else { return };
        self.waiting.insert(result.index, result.points());
        while self.decided.is_none() {
            let next = 2 * self.pairs.pairs() as usize;
            let (Some(&first), Some(&second)) = (self.waiting.get(&next), self.waiting.get(&(next + 1))) else {
                return;
            };
            self.pairs.add(first, second);
            if sprt.verdict(&self.pairs) != Verdict::Continue {
                self.decided = Some(next + 2);
            }
        }
    }
}

/// Plays game number `index`, and says which player failed in it, if one did; `None` if it was stopped.
fn play_one(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    index: usize,
    seats: &mut [Box<dyn Player>; 2],
    halt: &dyn Fn() -> bool,
) -> Result<Option<(GameResult, Option<usize>)>, String> {
    let opening = spec.openings.opening(game, spec.seed, index as u64 / 2);
    let first = index % 2;
    let mut budgets = spec.budgets;
    let [zero, one] = seats;
    let mut sides: [&mut dyn Player; 2] = [zero.as_mut(), one.as_mut()];
    if first == 1 {
        sides.swap(0, 1);
        budgets.swap(0, 1);
    }
    let mut seeds = Stream::new(spec.seed, "player", index as u64);
    for (side, player) in Side::BOTH.into_iter().zip(&mut sides) {
        let seed = seeds.next_u64();
        if let Err(error) = play::guarded(|| player.new_game(seed)) {
            // A player that cannot even start loses the game, as one that crashes in it does.
            let result = GameResult {
                index,
                first,
                start: opening.start,
                opening: opening.moves.len(),
                moves: opening.moves,
                outcome: Outcome::Win(side.other()),
                ending: format!("{} {error}", game.side_name(side)),
                costs: [Cost::default(); 2],
                spent: Vec::new(),
            };
            return Ok(Some((result, Some(player_of(side, first)))));
        }
    }
    let conditions = GameConditions { budgets, margin: spec.margin, adjudication: spec.adjudication, values: false };
    let finished = play::play_game(game, &opening, sides, &conditions, halt).map_err(|error| error.to_string())?;
    Ok(finished.map(|finished| {
        let mut costs = finished.costs;
        if first == 1 {
            costs.swap(0, 1);
        }
        let failed = match finished.outcome {
            Outcome::Win(winner) if finished.failed => Some(player_of(winner.other(), first)),
            Outcome::Win(_) | Outcome::Draw => None,
        };
        let result = GameResult {
            index,
            first,
            start: opening.start,
            opening: opening.moves.len(),
            moves: finished.moves,
            outcome: finished.outcome,
            ending: finished.ending,
            costs,
            spent: finished.spent,
        };
        (result, failed)
    }))
}

/// The player on a side, if player `first` moves first.
fn player_of(side: Side, first: usize) -> usize {
    side.index() ^ first
}

/// Checks that both players can play from every opening with their budgets: a game that is lost because a player could
/// not keep the conditions says nothing about strength.
///
/// # Errors
/// If one refuses, in one line that names it. Whatever else fails here may also fail in a game, and loses it.
pub fn check(game: &dyn AnyGame, spec: &MatchSpec, seats: &mut [Box<dyn Player>; 2]) -> Result<(), String> {
    let (name, rules) = (game.name(), game.rules());
    for Opening { start, moves } in spec.openings.kinds(game, spec.seed) {
        let line = GameLine { game: name.to_owned(), rules, start, moves };
        for ((player, name), budget) in seats.iter_mut().zip(&spec.players).zip(&spec.budgets) {
            if let Err(PlayerError::Refused(problem)) = play::guarded(|| player.check(&line, budget)) {
                let at =
                    if line.start == "startpos" { String::new() } else { format!(" at {:?}", excerpt(&line.start)) };
                return Err(format!("player {name:?} refuses to play{at}: {problem}"));
            }
        }
    }
    Ok(())
}
