//! What can be asked of `tesuji ladder`.

use crate::common::contest;
use crate::common::ranges;
use anyhow::{Result, ensure};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_core::AnyGame;
use tesuji_games::books;

/// Arguments of `tesuji ladder`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji ladder minishogi --at 10ms,100ms --games 200 --threads 2
  tesuji ladder minishogi pv:net=runs/mine --games 200     a new player on the same ladder: only it plays
  tesuji ladder chess --fixed policy:net=runs/chess --list

The players are our own agents of the game, the networks that come with the program, engines that are installed, and
AGENT..., each at every processor time of --at; and fixed yardsticks, which think as long as their own limit says: random
moves, the rule bot, shallow searches, engines at their lower settings, and --fixed AGENT. Whoever has played least meets
the player of nearest rating, --block games at a time with the colours swapped, until everybody has --games games. One
model is fitted to all games: ratings with 95% margins, relative to the mean.

Games are kept in DIR/ladder-GAME/, a journal for each pair, and the same command resumes. The result is written to
DIR/ladder-GAME.json, with what the training of each network cost, and as a picture to DIR/ladder-GAME.svg.")]
pub struct LadderArgs {
    /// A game, see `tesuji games`
    pub game: String,
    /// Players besides the usual ones, see `tesuji agents`
    #[arg(value_name = "AGENT")]
    pub agents: Vec<String>,
    /// A yardstick besides the usual ones: an agent that plays once, within its own limit
    #[arg(long, value_name = "AGENT")]
    pub fixed: Vec<String>,
    /// Only the players that are given, none of the usual ones
    #[arg(long)]
    pub only: bool,
    /// Processor time for a move of those who are no yardsticks
    #[arg(long, value_name = "TIME,...", value_delimiter = ',', default_value = "10ms,100ms,1s", value_parser = ranges::move_time)]
    pub at: Vec<Duration>,
    /// Games of each player, at least
    #[arg(long, default_value_t = 100, value_parser = ranges::games::<u64>())]
    pub games: u64,
    /// Games of a pair at a time, an even number
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = ranges::games::<u64>())]
    pub block: u64,
    /// Where games start: as in `tesuji match`; the even openings that come with the program, or else `random:4`
    #[arg(long, value_name = "WHICH")]
    openings: Option<String>,
    /// The seed of openings and players
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Games at a time; every player needs a processor of its own
    #[arg(long, default_value_t = 1, value_parser = ranges::threads::<usize>())]
    pub threads: usize,
    /// A game of this many plies is a draw
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = ranges::plies::<u32>())]
    max_plies: u32,
    /// Where games and results are kept
    #[arg(long, value_name = "DIR", default_value = "results")]
    dir: PathBuf,
    /// List the players, and play nothing
    #[arg(long)]
    pub list: bool,
}

impl LadderArgs {
    /// Checks what clap does not.
    pub fn check(&self) -> Result<()> {
        ensure!(
            self.block.is_multiple_of(2),
            "--block {}: expected an even number, for colours are swapped",
            self.block
        );
        let twice = self.at.iter().enumerate().find(|(index, at)| self.at[..*index].contains(at));
        ensure!(twice.is_none(), "--at: a time is given twice");
        Ok(())
    }

    /// Where games start.
    pub fn openings(&self, game: &dyn AnyGame) -> Result<Openings> {
        let usual = if books::book(game.name(), None).is_ok() { "even" } else { "random:4" };
        contest::openings(game, self.openings.as_deref().unwrap_or(usual))
    }

    /// The referee's rules.
    pub fn adjudication(&self) -> Adjudication {
        Adjudication { max_plies: Some(self.max_plies), ..Adjudication::default() }
    }

    /// The directory of the journals.
    pub fn journals(&self) -> PathBuf {
        self.dir.join(format!("ladder-{}", self.game))
    }

    /// The file of the result with this ending.
    pub fn result(&self, ending: &str) -> PathBuf {
        self.dir.join(format!("ladder-{}.{ending}", self.game))
    }
}
