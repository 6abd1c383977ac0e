//! Mate solvers for games with check.
//!
//! | file | what it does |
//! |---|---|
//! | `solver` | [`Solver`]: any of them, every line checked before it is reported |
//! | `spec` | [`SolverSpec`]: solvers by name |
//! | [`dfpn`] | depth-first proof-number search for mates by checks |
//! | [`dfs`] | iterative-deepening depth-first search for mates by checks |
//! | [`exact`] | exact search by depth, quiet moves included |
//! | `limits`, `answer` | what solvers may spend; what they answer, and whether a line of mate is one |
//! | `table` | the memory of proof-number search, with hand dominance |

mod answer;
pub mod dfpn;
pub mod dfs;
pub mod exact;
mod limits;
mod solver;
mod spec;
mod table;

pub use answer::{Answer, Attack, is_mating_line, is_mating_line_by};
pub use limits::Limits;
pub use solver::Solver;
pub use spec::SolverSpec;
