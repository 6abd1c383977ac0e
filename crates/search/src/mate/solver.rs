//! Any mate solver, by its specification.

use super::answer::{Answer, Attack, is_mating_line_by};
use super::dfpn::Dfpn;
use super::limits::Limits;
use super::spec::SolverSpec;
use super::{dfs, exact};
use tesuji_core::MateBoard;

/// A mate solver that reports nothing it has not played through.
#[derive(Debug)]
pub struct Solver {
    spec: SolverSpec,
    /// The table of the solvers that have one.
    dfpn: Option<Dfpn>,
}

impl Solver {
    /// A solver with a table of about this many bytes, if it is of a kind that uses one.
    pub fn new(spec: SolverSpec, bytes: usize) -> Solver {
        let remembers = !matches!(spec, SolverSpec::Dfs { .. });
        Solver { spec, dfpn: remembers.then(|| Dfpn::new(bytes)) }
    }

    /// What it was made from.
    pub fn spec(&self) -> SolverSpec {
        self.spec
    }

    /// Looks for a mate for the side to move; also says how many positions it looked at.
    ///
    /// The answer depends on the position and the limits alone, not on positions solved before. A mate is reported only
    /// after its line has been played through: legal moves, checks if the solver is one by checks, mate at the end.
    pub fn solve<B: MateBoard>(&mut self, board: &B, limits: &Limits<'_>) -> (Answer<B::Move>, u64) {
        let (attack, (answer, nodes)) = match (self.spec, &mut self.dfpn) {
            (SolverSpec::Dfs { depth }, _) => (Attack::Checks, dfs::solve(board, depth, limits)),
            (SolverSpec::Exact { moves }, Some(dfpn)) => (Attack::Anything, exact::solve(dfpn, board, moves, limits)),
            (SolverSpec::Dfpn { nodes }, Some(dfpn)) => {
                dfpn.clear();
                let nodes = [nodes, limits.nodes].into_iter().flatten().min();
                (Attack::Checks, dfpn.solve(board, &Limits { nodes, ..*limits }))
            }
            (_, None) => unreachable!("the table was made with the solver"),
        };
        match answer {
            Answer::Mate(line) if !is_mating_line_by(attack, board, &line) => (Answer::Unknown, nodes),
            answer => (answer, nodes),
        }
    }
}
