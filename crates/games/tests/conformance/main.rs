//! What every game must keep, checked for every registered game under every set of rules.
//!
//! A game that is added to the registry is checked without a line here. Positions are those of random games, given
//! by a seed and a number of plies, so that proptest can shrink a failure to a short game. `PROPTEST_CASES` raises
//! the number of cases, `PROPTEST_RNG_SEED` tries others.

mod encoders;
mod features;
mod moves;
mod notation;
mod play;
mod support;
mod symmetry;
mod tactics;
