//! Matches, tournaments and honest statistics.
//!
//! | file | what it holds |
//! |---|---|
//! | [`score`] | results of a match, game by game and in colour-swapped pairs |
//! | [`elo`] | Elo differences with profile-likelihood intervals, likelihood of superiority |
//! | [`sprt`] | the sequential probability ratio test on pairs |
//! | [`rating`] | ratings of many players from a crosstable, ordinal-logistic, with intervals |

pub mod elo;
pub mod rating;
pub mod score;
pub mod sprt;

mod multinomial;
