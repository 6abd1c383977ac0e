//! Positions as planes, moves as policy indices.
//!
//! | encoder | planes 9x9, 5x5 | policy 9x9, 5x5 | what it is |
//! |---|---|---|---|
//! | [`Planes`] | 48, 36 | 2187, 525 | the board as the mover sees it, with attacks, check and repetition |
//! | [`Fixed`] | (43), 31 | (14256), 1500 | the minishogi paper's: the board as it lies |
//! | [`Dqn`] | 63, 45 | 2187, 525 | the shogi paper's, as channels or as one image; two heads name piece and target |
//!
//! `view` is the board as planes show it, `policy` the compact policy that [`Planes`] and [`Dqn`] share.
//!
//! In every plane rows are ranks and columns are files, both counted as [`Square`](super::Square) counts them.

mod dqn;
mod fixed;
mod planes;
mod policy;
#[cfg(test)]
mod tests;
mod view;

pub use dqn::{Dqn, Layout};
pub use fixed::Fixed;
pub use planes::Planes;
