//! Foreign engines as players: UCI, USI and the older dialect of GNU Shogi.
//!
//! | file | what it holds |
//! |---|---|
//! | `spec` | [`EngineSpec`]: which engine to run, with which options |
//! | `player` | [`Engine`]: a foreign engine as a player |
//! | `uci`, `gnu` | the protocols, client side |
//! | [`notation`] | moves and positions as the engines write them |
//! | [`process`] | the program, its lines and its end |
//! | `orphan` | programs that end when we do, however we end |

mod gnu;
pub mod notation;
mod orphan;
mod player;
pub mod process;
mod spec;
mod uci;

pub use player::Engine;
pub use spec::EngineSpec;
