//! Selective alpha-beta for every game: deep where it matters, shallow or not at all elsewhere.
//!
//! | file | what it is |
//! |---|---|
//! | `search` | [`Selective`]: iterative deepening, aspiration windows, threads |
//! | `pace` | when to begin another iteration, where a clock is played |
//! | `worker` | what one thread works with: buffers, counters, limits |
//! | `node` | the recursion |
//! | `quiesce` | captures, promotions, evasions and checks below the horizon |
//! | `order` | move ordering: histories and killers |
//! | `scores` | the ranges of scores and depths |
//! | `params` | what is on in which game, and the margins |
//! | `table` | the transposition table, shared by the threads |
//!
//! The exact search is [`alphabeta`](crate::alphabeta). This one prunes and reduces on suspicion, so its scores are
//! guesses; but what it says to be won or lost is so, because a side that has found nothing but losses yet prunes
//! nothing. With every feature switched off it is plain minimax.
//!
//! # Signs
//! Within a node scores are the mover's. They are negated on the way to a child exactly if the mover changes, so a side
//! may move any number of times in a row.
//!
//! # Repetition and the table
//! A position that occurs for the second time below the root counts as repeated at once: as drawn, or as the rules judge
//! that way of going round. Wins by repetition have a range of scores of their own, below every won game, because the
//! loser may still turn off before the rules stop it. Every score carries the ply that it goes back to: where the
//! repeated position stood, or before the root for an end that history brought about (the third occurrence, the fiftieth
//! move). At that ply and above, the whole circle lies below and the score holds on every path; below it does not, and
//! is not stored in the table.

mod node;
mod order;
mod pace;
mod params;
mod quiesce;
mod scores;
mod search;
mod table;
mod worker;

pub use params::{Feature, Features, Params};
pub use search::{Selective, SelectiveConfig};
