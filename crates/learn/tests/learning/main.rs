//! Runs, data sets and learning methods. One program, since each links everything again.

mod common;
mod damage;
mod data;
mod learners;
mod nnue;
mod runs;
