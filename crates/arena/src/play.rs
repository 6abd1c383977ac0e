//! One game between two players.

use crate::cost::{Cost, Spent, ThreadClock};
use crate::opening::Opening;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use tesuji_core::error::excerpt;
use tesuji_core::record::{Played, Thought};
use tesuji_core::{
    AnyGame, Budget, GameLine, GameRecord, Move, MoveError, Outcome, ParseError, Player, PlayerError, Side, Value,
};

/// When a game is ended by the referee. The default never interferes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjudication {
    /// A game of this many plies is a draw.
    pub max_plies: Option<u32>,
    /// A side that both players see at -`win_value` or worse for `win_moves` moves each loses.
    pub win_value: Option<f32>,
    /// See `win_value`.
    pub win_moves: u32,
    /// A game that both players see within +-`draw_value` for `draw_moves` moves each is a draw.
    pub draw_value: Option<f32>,
    /// See `draw_value`.
    pub draw_moves: u32,
}

/// How a game is played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameConditions {
    /// What each player may spend on a move: first mover's budget first.
    pub budgets: [Budget; 2],
    /// How far a move may exceed its time before the game is lost.
    pub margin: Duration,
    /// When the referee ends a game.
    pub adjudication: Adjudication,
    /// Whether the record keeps what the players thought of their positions, where they say it.
    pub values: bool,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Start, moves and result; the opening's moves are part of it.
    pub record: GameRecord,
    /// The moves in the game's notation, opening included.
    pub moves: Vec<String>,
    /// The result.
    pub outcome: Outcome,
    /// Why it ended.
    pub ending: String,
    /// Whether it ended because a player failed, the loser: crashed, refused to play, broke the protocol, ran out of time
    /// or played an illegal move.
    pub failed: bool,
    /// What each side spent, first player first.
    pub costs: [Cost; 2],
    /// What each move behind the opening took.
    pub spent: Vec<Spent>,
}

/// Plays one game; `None` if `stop` said so before it ended.
///
/// A player that resigns, crashes, panics, refuses to play, hangs, breaks the protocol, plays an illegal move or exceeds
/// its time loses, and `ending` says why. One that failed is not to be used for another game.
///
/// # Errors
/// If the opening is not a line of this game.
pub fn play_game(
    game: &dyn AnyGame,
    opening: &Opening,
    players: [&mut dyn Player; 2],
    conditions: &GameConditions,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Finished>, ParseError> {
    let mut position = game.parse(&opening.start)?;
    let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), &opening.start);
    let mut line =
        GameLine { game: game.name().to_owned(), rules: game.rules(), start: opening.start.clone(), moves: Vec::new() };
    let mut costs = [Cost::default(); 2];
    let mut spent = Vec::new();
    let mut referee = Referee::new(conditions.adjudication);
    for text in &opening.moves {
        let wrong = |error: MoveError| ParseError::new("opening", text, error.to_string());
        let mv = position.parse_move(text).map_err(wrong)?;
        position.play(mv).map_err(wrong)?;
        record.push(mv);
        line.moves.push(text.clone());
    }
    let (outcome, ending, failed) = loop {
        if let Some(outcome) = position.outcome() {
            break (outcome, position.ending().to_owned(), false);
        }
        if let Some((outcome, ending)) = referee.verdict(line.moves.len()) {
            break (outcome, ending.to_owned(), false);
        }
        if stop() {
            return Ok(None);
        }
        let side = position.mover();
        let budget = conditions.budgets[side.index()];
        let cost = &mut costs[side.index()];
        let (clock, thread) = (Instant::now(), ThreadClock::start());
        let answer = guarded(|| players[side.index()].choose(&line, &budget));
        let wall = clock.elapsed();
        cost.moves += 1;
        cost.wall += wall.as_secs_f64();
        let lost = |error: PlayerError| {
            let ending = format!("{} {error}", game.side_name(side));
            (Outcome::Win(side.other()), ending, error != PlayerError::Resigned)
        };
        let choice = match answer {
            Ok(choice) => choice,
            Err(error) => break lost(error),
        };
        // A player that works in this thread is measured here; a foreign process reports its own time.
        let cpu = if choice.cpu.is_zero() { thread.elapsed() } else { choice.cpu }.as_secs_f64();
        cost.cpu += cpu;
        cost.nodes += choice.nodes;
        cost.evaluations += choice.evaluations;
        if budget.time.is_some_and(|time| wall > time + conditions.margin) {
            break lost(PlayerError::Timeout(wall));
        }
        let choices = position.moves().len() as u32;
        spent.push(Spent { side, choices, wall: wall.as_secs_f64(), cpu, nodes: choice.nodes });
        let played = position.parse_move(&choice.text).and_then(|mv| {
            let text = position.format_move(mv);
            position.play(mv)?;
            let value = choice.value.filter(|value| conditions.values && value.is_finite());
            let value = value.map(|value| Value::from_side(side, value));
            let thought = value.map(|value| Thought { value, policy: Vec::new() });
            record.moves.push(Played { bits: mv.to_bits(), thought });
            line.moves.push(text);
            Ok(())
        });
        if let Err(error) = played {
            break lost(PlayerError::Illegal(error.to_string()));
        }
        referee.note(side, choice.value);
    };
    for (cost, player) in costs.iter_mut().zip(&players) {
        cost.peak_memory =
            player.peak_memory().or_else(|| crate::cost::process_peak_memory(std::process::id())).unwrap_or(0);
    }
    record.outcome = Some(outcome);
    record.ending.clone_from(&ending);
    Ok(Some(Finished { record, moves: line.moves, outcome, ending, failed, costs, spent }))
}

/// What a player answers; one that panics has crashed, which loses a game and no more.
///
/// # Errors
/// Those of the player.
pub fn guarded<T>(answer: impl FnOnce() -> Result<T, PlayerError>) -> Result<T, PlayerError> {
    // A player that failed is not used again: nobody sees the state that the panic left behind.
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(PlayerError::Crashed(format!("panicked: {}", excerpt(text.unwrap_or("no reason given")))))
    })
}

/// Counts how long the players have agreed on who wins.
struct Referee {
    adjudication: Adjudication,
    /// For each side: moves in a row at which the first player saw a win for the first player, for the second, a draw.
    agreed: [[u32; 3]; 2],
}

impl Referee {
    fn new(adjudication: Adjudication) -> Referee {
        Referee { adjudication, agreed: [[0; 3]; 2] }
    }

    /// Notes how `side` evaluated its position, from its own point of view.
    fn note(&mut self, side: Side, value: Option<f32>) {
        let value = value.map(|value| side.sign() * value);
        let holds = |test: bool, count: &mut u32| *count = if test { *count + 1 } else { 0 };
        let win = self.adjudication.win_value.unwrap_or(f32::INFINITY);
        let draw = self.adjudication.draw_value.unwrap_or(-1.0);
        let [first, second, even] = &mut self.agreed[side.index()];
        holds(value.is_some_and(|value| value >= win), first);
        holds(value.is_some_and(|value| value <= -win), second);
        holds(value.is_some_and(|value| value.abs() <= draw), even);
    }

    fn verdict(&self, plies: usize) -> Option<(Outcome, &'static str)> {
        let rules = &self.adjudication;
        let both = |which: usize, moves: u32| moves > 0 && self.agreed.iter().all(|side| side[which] >= moves);
        if rules.win_value.is_some() && both(0, rules.win_moves) {
            Some((Outcome::Win(Side::First), "adjudicated as won"))
        } else if rules.win_value.is_some() && both(1, rules.win_moves) {
            Some((Outcome::Win(Side::Second), "adjudicated as won"))
        } else if rules.draw_value.is_some() && both(2, rules.draw_moves) {
            Some((Outcome::Draw, "adjudicated as drawn"))
        } else if rules.max_plies.is_some_and(|most| plies >= most as usize) {
            Some((Outcome::Draw, "adjudicated as drawn: too long"))
        } else {
            None
        }
    }
}
