//! What `tesuji match` and `tesuji tournament` share: conditions from the command line, players by name, Ctrl-C.

use crate::common::ranges;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tesuji_arena::elo::Elo;
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_core::{AnyGame, Budget, Player, limits};
use tesuji_games::formats;
use tesuji_search::AgentSource;

/// The exit code after Ctrl-C, as shells expect it: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// How games are played.
#[derive(Debug, Args)]
pub struct ConditionArgs {
    /// What a player may spend on a move, besides its own limits: `sims=800`, `time=100ms`, `cpu=1s`, `nodes=10000`
    #[arg(long, value_name = "BUDGET", default_value = "unlimited")]
    pub budget: Budget,
    /// Where games start: `random:N` (N random moves), `even` or `even:N` (the same, but even: see `tesuji openings`),
    /// `varied` (the game's own), or a file with a position a line
    #[arg(long, value_name = "WHICH", default_value = "random:2")]
    pub openings: String,
    /// The seed of openings and players
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Games at a time; results do not depend on it
    #[arg(long, default_value_t = 1, value_parser = ranges::threads::<usize>())]
    pub threads: usize,
    /// How far a move may exceed its time before the game is lost
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = ranges::time)]
    pub margin: Duration,
    /// A game of this many plies is a draw
    #[arg(long, value_name = "N", value_parser = ranges::plies::<u32>())]
    pub max_plies: Option<u32>,
    /// End games that both players see at VALUE (0..1) or more for one side for MOVES moves each
    #[arg(long, value_name = "VALUE,MOVES", value_parser = parse_agreement)]
    pub adjudicate_win: Option<(f32, u32)>,
    /// End games that both players see within VALUE of a draw for MOVES moves each
    #[arg(long, value_name = "VALUE,MOVES", value_parser = parse_agreement)]
    pub adjudicate_draw: Option<(f32, u32)>,
    #[arg(long, value_name = "FILE", help = format!("Save the games here at the end; the name tells the format: {}", formats::titles()))]
    pub save: Option<PathBuf>,
}

impl ConditionArgs {
    /// The referee's rules.
    pub fn adjudication(&self) -> Adjudication {
        Adjudication {
            max_plies: self.max_plies,
            win_value: self.adjudicate_win.map(|(value, _)| value),
            win_moves: self.adjudicate_win.map_or(0, |(_, moves)| moves),
            draw_value: self.adjudicate_draw.map(|(value, _)| value),
            draw_moves: self.adjudicate_draw.map_or(0, |(_, moves)| moves),
        }
    }

    /// The openings that were asked for.
    pub fn openings(&self, game: &dyn AnyGame) -> Result<Openings> {
        openings(game, &self.openings)
    }
}

/// The openings of a game that `--openings` asks for.
pub fn openings(game: &dyn AnyGame, which: &str) -> Result<Openings> {
    Ok(tesuji_lab::openings::openings(game, which)?)
}

/// Reads `VALUE,MOVES`.
pub fn parse_agreement(text: &str) -> Result<(f32, u32), String> {
    let parsed = text.split_once(',').and_then(|(value, moves)| Some((value.parse().ok()?, moves.parse().ok()?)));
    match parsed {
        Some((value, moves)) if limits::SHARE.contains(&value) && limits::PLIES.contains(&moves) => Ok((value, moves)),
        _ => Err("expected VALUE,MOVES such as 0.95,4, with VALUE from 0 to 1 and MOVES from 1".to_owned()),
    }
}

/// Checks that an agent can be made and starts, so that a typing error or a missing program is found before the first
/// game.
pub fn check_agent(agents: &dyn AgentSource, line: &str) -> Result<()> {
    let player = || format!("player {line:?}");
    agents.player(line, 0).with_context(player)?.new_game(0).with_context(player)
}

/// Makes a player.
pub fn make_player(agents: &dyn AgentSource, line: &str) -> Result<Box<dyn Player>, String> {
    agents.player(line, 0).map_err(|error| error.to_string())
}

/// Makes Ctrl-C end the games cleanly; a second one ends the program at once.
pub fn listen_for_interrupt() -> Result<&'static AtomicBool> {
    let listening = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            tesuji_arena::engine::process::kill_all();
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    if let Err(error) = listening {
        bail!("cannot listen for Ctrl-C: {error}");
    }
    Ok(&STOP)
}

/// Whether Ctrl-C has been pressed.
pub fn is_interrupted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// An Elo difference with its interval: `+120 [+80, +165]`.
pub fn elo_text(elo: &Elo) -> String {
    let number = |value: f64| match value {
        value if value == f64::INFINITY => "+inf".to_owned(),
        value if value == f64::NEG_INFINITY => "-inf".to_owned(),
        value => format!("{value:+.0}"),
    };
    format!("{} [{}, {}]", number(elo.difference), number(elo.low), number(elo.high))
}

/// A number for JSON, which has no infinities.
pub fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
