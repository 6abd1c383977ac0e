//! The searches on every game. One program: each would compile every search for every game again.

mod agents;
mod common;
mod golden;
mod lines;
mod selective;
mod selfplay;
mod trees;
