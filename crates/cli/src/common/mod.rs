//! What subcommands share.
//!
//! | file | what it holds |
//! |---|---|
//! | [`options`] | options of every subcommand |
//! | [`help`] | help texts that flow, plain words for parsers' errors |
//! | [`input`] | positions from the command line and from files |
//! | [`output`], [`table`], [`curve`], [`words`] | standard output: lines, JSON, tables, curves |
//! | [`progress`], [`stages`] | progress of long work, of many jobs |
//! | [`files`], [`each_game`], [`save`] | files that are written; games from and to files |
//! | [`contest`] | conditions of matches, players by name, Ctrl-C |
//! | [`cluster`] | where the learner and its workers meet |
//! | [`crew`] | options about workers |
//! | `nats` | NATS JetStream between them, with the feature `cluster` |
//! | [`climb`] | who plays whom on a ladder of fixed agents |
//! | [`ranges`] | the ranges of numbers on the command line |
//! | [`simulate`] | a learner and its workers as a simulation of events |
//! | [`runs`] | where runs are |

pub mod climb;
pub mod cluster;
pub mod contest;
pub mod crew;
pub mod curve;
pub mod each_game;
pub mod files;
pub mod help;
pub mod input;
#[cfg(feature = "cluster")]
pub mod nats;
pub mod options;
pub mod output;
pub mod progress;
pub mod ranges;
pub mod runs;
pub mod save;
pub mod simulate;
pub mod stages;
pub mod table;
pub mod words;
