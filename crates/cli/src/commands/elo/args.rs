//! What can be asked of `tesuji elo`.

use crate::common::climb::RUNGS;
use crate::common::contest::{self, ConditionArgs};
use crate::common::ranges;
use anyhow::{Result, ensure};
use clap::Args;
use std::path::PathBuf;
use tesuji_arena::calibration::Calibration;
use tesuji_core::Budget;
use tesuji_learn::Agents;

/// Arguments of `tesuji elo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji elo alphabeta:depth=4 --at 1350,1500,1700 --games 100 --budget-against nodes=20000
  tesuji elo pv:net=runs/chess,sims=400 --at 1500,2000 --games 200 --budget-against nodes=20000 --self --journal rating
  tesuji elo policy:net=runs/chess --at 1350 --ladder --budget-against nodes=20000 --journal rating
  tesuji elo alphabeta --game shogi --against fairy-stockfish --at 1000,1500

AGENT plays --games games against `engine:ENGINE?UCI_LimitStrength=true&UCI_Elo=X` for every X of --at, in pairs with the
colours swapped. One rating is fitted to all results together, by maximum likelihood with a 95% interval; the table has
the score at each setting beside what the rating expects, and how well it explains them: p below 5% says that no single
rating does. --self also lets the engine play itself at each setting, as a yardstick of what chance does to scores. The
rating is on the scale of the engine's settings, at these times and openings, and no more honest than they are.

Stockfish's scale goes from 1350 to 2850 and was calibrated at 60 s + 0.6 s: settings of 2000 want 20,000 nodes a move or
more, those of 2200 and above 100,000. Budgets and settings outside of that are warned of. A rating below the scale is not
told: --ladder rates such an agent by matches with our own fixed agents (random, bot, alphabeta to depth 1, 2, 3, 4), of
which the upper two meet the engine. All ratings are fitted together. The rungs' matches are the same for every agent: one
--journal directory serves them all.")]
pub struct EloArgs {
    /// The agent to be rated, see `tesuji agents`
    pub agent: String,
    /// A game, see `tesuji games`
    #[arg(long, default_value = "chess")]
    pub game: String,
    /// The engine's command
    #[arg(long, value_name = "ENGINE", default_value = "stockfish")]
    pub against: String,
    /// Its settings of UCI_Elo
    #[arg(long, value_name = "ELO,...", value_delimiter = ',', required = true, value_parser = ranges::rating::<u32>())]
    pub at: Vec<u32>,
    /// Games of each match
    #[arg(long, default_value_t = 100, value_parser = ranges::games::<usize>())]
    pub games: usize,
    #[command(flatten)]
    pub conditions: ConditionArgs,
    /// Another budget for the engine
    #[arg(long, value_name = "BUDGET")]
    budget_against: Option<Budget>,
    /// Let the engine play itself, too, at each setting
    #[arg(long = "self")]
    pub yardstick: bool,
    /// Rate the agent on a ladder of fixed agents that stands on the engine's settings
    #[arg(long)]
    pub ladder: bool,
    /// A fixed agent of the ladder instead of the usual ones, from the weakest on; once for each
    #[arg(long, value_name = "AGENT", requires = "ladder")]
    rung: Vec<String>,
    /// Keep finished games in this directory, a file for each match, and resume from it
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,
}

impl EloArgs {
    /// The engine at a setting, as an agent.
    pub fn engine(&self, setting: u32) -> String {
        format!("engine:{}?UCI_LimitStrength=true&UCI_Elo={setting}", self.against)
    }

    /// What the engine may spend on a move.
    pub fn engine_budget(&self) -> Budget {
        self.budget_against.unwrap_or(self.conditions.budget)
    }

    /// The fixed agents of the ladder.
    pub fn rungs(&self) -> Vec<String> {
        if self.rung.is_empty() { RUNGS.map(str::to_owned).to_vec() } else { self.rung.clone() }
    }

    /// What is wrong with the engine's settings and budget; nothing is known of engines without a calibration.
    pub fn warnings(&self) -> Vec<String> {
        let Some(calibration) = Calibration::of(&self.against) else { return Vec::new() };
        self.at.iter().flat_map(|&setting| calibration.warnings(setting, &self.engine_budget())).collect()
    }

    /// Checks what can be checked before the first game.
    pub fn check(&self, agents: &Agents<'_>) -> Result<()> {
        let repeated = self.at.iter().enumerate().find(|(index, setting)| self.at[..*index].contains(setting));
        if let Some((_, setting)) = repeated {
            anyhow::bail!("--at: {setting} is given twice");
        }
        contest::check_agent(agents, &self.agent)?;
        for &setting in &self.at {
            contest::check_agent(agents, &self.engine(setting))?;
        }
        if self.ladder {
            let rungs = self.rungs();
            for (place, rung) in rungs.iter().enumerate() {
                ensure!(!rungs[..place].contains(rung), "--rung {rung:?} is given twice");
                contest::check_agent(agents, rung)?;
            }
        }
        Ok(())
    }
}
