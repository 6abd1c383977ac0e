//! Matches, tournaments and their statistics.
//!
//! | file | what it holds |
//! |---|---|
//! | [`play`] | one game between two players, with a referee |
//! | [`opening`] | where games start: random moves, varied starts, lines from a file |
//! | [`even`] | finding openings that two judges see near a draw |
//! | [`engine`] | foreign engines as players: UCI, USI, GNU Shogi's dialect |
//! | [`serve`] | being an engine: UCI and USI |
//! | `protocol` | what the protocols call our games |
//! | [`cost`] | what moves cost: time, processor time, nodes, memory |
//! | [`mod@matches`] | many games in colour-swapped pairs, resumable |
//! | [`journal`], `entry` | the journal of a match, and what it holds |
//! | [`standings`] | a ladder of many players: who meets whom next, and how they stand |
//! | [`tournament`] | round-robins and gauntlets, crosstables |
//! | [`score`] | results of a match, game by game and in colour-swapped pairs |
//! | [`elo`] | Elo differences with profile-likelihood intervals, likelihood of superiority |
//! | [`sprt`] | the sequential probability ratio test on pairs |
//! | [`performance`] | one rating from matches against opponents of known ratings |
//! | [`calibration`] | where the scale of an engine's strength settings holds |
//! | [`ladder`] | ratings of players between whom and an engine's settings there are others |
//! | [`rating`] | ratings of many players from a crosstable, ordinal-logistic, with intervals |

pub mod calibration;
pub mod cost;
pub mod elo;
pub mod engine;
mod entry;
pub mod even;
pub mod journal;
pub mod ladder;
pub mod matches;
pub mod opening;
pub mod performance;
pub mod play;
pub mod rating;
pub mod score;
pub mod serve;
pub mod sprt;
pub mod standings;
pub mod tournament;

mod multinomial;
mod protocol;
