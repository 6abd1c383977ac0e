//! Learning: self-play, replay, training and the runs that hold them together.
//!
//! A run goes by generations: games are played with the newest network, the latest games are the window, training
//! steps on samples of the window make the next network.
//!
//! The rooms, each of which uses only those before it:
//!
//! | room | what it holds |
//! |---|---|
//! | [`ranges`] | how the ranges of an experiment's numbers are declared, checked and shown |
//! | [`run`] | a run on disk and at work: files, events, costs; what every learning method shares |
//! | [`networks`] | networks by name: files, runs and their generations, those that come with the program |
//! | [`play`] | games in flight: by tree search, by epsilon-greedy choice |
//! | [`data`] | data sets: positions of games, to learn from without self-play |
//! | [`agents`] | `pv:net=...` and others: networks as players and judges; the one list of agents |
//! | [`tabular`] | the tabular methods, each in one file, held against exact values; stands apart |
//! | [`methods`] | learning methods: AlphaZero's, deep Q-learning, TD(lambda), from game records |
//! | [`experiments`] | [`Experiment`]: what a run is, as a typed file; those that come with the program |
//! | [`mod@estimate`] | what a run will cost, told before it begins |
//! | [`mod@kit`] | [`GameKit`]: all that is compiled for each game |
//! | [`cluster`] | games played by other processes, to the same bytes |
//! | [`measure`] | strength against fixed opponents |
//! | [`report`] | a run as a report with curves and tables |
//! | [`mod@train`] | the loop: play, train, measure; resumable at any moment |
//!
//! Only what must be fast knows the types of a game: the loops that play, sample and search. [`Kit`] gathers them behind
//! [`GameKit`]; everything above it is compiled once.
//!
//! Game number i of generation g depends on the run's seed, on (g, i) and on the network of generation g - 1, and on
//! nothing else: not on the number of threads, nor on which games share a batch. Everything else follows from that:
//! a run repeats to the byte, and one that was killed goes on as if nothing had happened.

pub mod agents;
pub mod cluster;
pub mod data;
pub mod estimate;
pub mod experiments;
pub mod kit;
pub mod measure;
pub mod methods;
pub mod networks;
pub mod play;
pub mod ranges;
pub mod report;
pub mod run;
pub mod tabular;
pub mod train;

pub use agents::AgentSpec;
pub use experiments::Experiment;
pub use kit::{Agents, GameKit, Kit};
pub use networks::NetworkStore;
