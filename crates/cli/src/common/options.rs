//! Options of every subcommand.

use clap::{Args, ValueEnum};
use tesuji_core::Rules;

/// Options of every subcommand.
#[derive(Debug, Args)]
pub struct Common {
    /// End rules: `official`, or `paper` as in the paper behind our work on the game
    #[arg(long, global = true, default_value = "official", help_heading = "Common options")]
    pub rules: Rules,
    /// Print JSON, one object a line
    #[arg(long, global = true, help_heading = "Common options")]
    pub json: bool,
    /// Colour the output; `auto` means on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Common options")]
    pub color: When,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
