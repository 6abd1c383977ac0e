//! TUBSTAP, the turn-based strategy game of the Academic Platform of that name.
//!
//! Two armies, red and blue, of up to 32 units each fight on a map of up to 16 x 16 cells. In a turn each unit acts
//! once, in any order: it moves (staying is a move), moves and attacks, or, if it is a cannon, fires from where it
//! stands. **One move of this game is one unit's action**, so the same side moves several times in a row; the turn
//! passes when all its units have acted.
//!
//! | file | what it holds |
//! |---|---|
//! | [`units`] | the six kinds of unit, their power and reach |
//! | [`terrain`] | the seven codes of terrain, defence and the cost of entering |
//! | [`damage`] | what an attack and its counter-attack do |
//! | [`board`] | cells and sets of cells as bitboards |
//! | [`map`] | the unchanging part of a battle, shared by all its positions |
//! | [`army`] | the units of one side, in canonical order |
//! | [`action`] | [`Action`]: what one unit does, as a number and as text |
//! | [`battle`] | [`Battle`]: a state of play, and what actions do to it |
//! | [`setup`] | [`Setup`]: a battle as it is written down, not yet checked |
//! | [`movegen`] | where units can go and what they can attack |
//! | [`position`] | battles as searches see them |
//! | [`notation`] | positions as one line of text |
//! | [`tbsmap`], [`replay`] | the platform's files |
//! | [`maps`], [`generate`] | built-in maps, random maps |
//! | [`encoder`], [`features`], [`heuristic`], [`bot`], [`render`], `scene`, [`game`] | network inputs, evaluation, rule bot, text board, map to be drawn, the game |

pub mod action;
pub mod army;
pub mod battle;
pub mod board;
pub mod bot;
pub mod damage;
pub mod encoder;
pub mod features;
pub mod game;
pub mod generate;
pub mod heuristic;
pub mod map;
pub mod maps;
pub mod movegen;
pub mod notation;
pub mod position;
pub mod render;
pub mod replay;
mod scene;
pub mod setup;
pub mod tbsmap;
pub mod terrain;
pub mod units;

pub use action::Action;
pub use battle::Battle;
pub use board::Cell;
pub use game::Tubstap;
pub use map::{EndRules, Map};
pub use setup::Setup;
pub use terrain::Terrain;
pub use units::{Kind, Unit};

#[cfg(test)]
mod tests;
