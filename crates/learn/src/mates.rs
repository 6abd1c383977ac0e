//! The mate solver at the root of a search.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tesuji_core::{Game, MateBoard, MateVisitor, Move, Position};
use tesuji_search::mate::dfpn::Dfpn;
use tesuji_search::mate::{Answer, Limits, is_mating_line};

/// Bytes of the solver's table: enough for the few thousand positions that a root is worth, and quick to clear.
const TABLE: usize = 1 << 20;

/// How mates are looked for: `none`, `dfpn:NODES`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MateOption {
    /// Not at all.
    #[default]
    None,
    /// Depth-first proof-number search with at most this many positions.
    Dfpn(u64),
}

impl fmt::Display for MateOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MateOption::None => f.write_str("none"),
            MateOption::Dfpn(nodes) => write!(f, "dfpn:{nodes}"),
        }
    }
}

impl FromStr for MateOption {
    type Err = String;

    fn from_str(text: &str) -> Result<MateOption, String> {
        match text.split_once(':') {
            None if text == "none" => Some(MateOption::None),
            Some(("dfpn", nodes)) => nodes.parse().ok().filter(|&nodes| nodes > 0).map(MateOption::Dfpn),
            _ => None,
        }
        .ok_or_else(|| format!("mate = {text:?}: expected `none` or `dfpn:NODES`"))
    }
}

impl TryFrom<String> for MateOption {
    type Error = String;

    fn try_from(text: String) -> Result<MateOption, String> {
        text.parse()
    }
}

impl From<MateOption> for String {
    fn from(option: MateOption) -> String {
        option.to_string()
    }
}

/// Looks for mates at roots. Forgets everything between roots, so that an answer depends on nothing but the position.
pub struct RootSolver {
    dfpn: Dfpn,
    nodes: u64,
}

impl RootSolver {
    /// The solver that is meant; none if none is wanted.
    pub fn new(option: MateOption) -> Option<RootSolver> {
        match option {
            MateOption::None => None,
            MateOption::Dfpn(nodes) => Some(RootSolver { dfpn: Dfpn::new(TABLE), nodes }),
        }
    }

    /// A forced mate for the side to move, as a verified line; none if there is none or it was not found.
    pub fn mate<G: Game>(&mut self, game: &G, position: &G::Position) -> Option<Vec<<G::Position as Position>::Move>> {
        let line = game.mate_board(position, Solve { solver: self })??;
        line.into_iter().map(<G::Position as Position>::Move::from_bits).collect()
    }
}

struct Solve<'a> {
    solver: &'a mut RootSolver,
}

impl MateVisitor for Solve<'_> {
    /// The moves' numeric forms.
    type Output = Option<Vec<u32>>;

    fn visit<B: MateBoard>(self, board: &B) -> Option<Vec<u32>> {
        self.solver.dfpn.clear();
        let limits = Limits { nodes: Some(self.solver.nodes), ..Limits::default() };
        match self.solver.dfpn.solve(board, &limits).0 {
            Answer::Mate(line) if is_mating_line(board, &line) => Some(line.into_iter().map(Move::to_bits).collect()),
            _ => None,
        }
    }
}
