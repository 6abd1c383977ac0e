//! Learning: self-play, replay, training and the runs that hold them together.
//!
//! A run goes by generations: games are played with the newest network, the latest games are the window, training
//! steps on samples of the window make the next network.
//!
//! | file | what it holds |
//! |---|---|
//! | [`experiment`] | [`Experiment`]: what a run is, as a typed file |
//! | [`selfplay`] | many games in flight on each thread, their leaves in one batch |
//! | [`window`] | the latest games, and samples of them as training batches |
//! | [`run`] | [`RunDir`](run::RunDir): a run on disk; what is there is all the state there is |
//! | [`mod@train`] | the loop: play, train, measure; resumable at any moment |
//! | [`learner`] | ways of learning: what differs between them |
//! | [`alphazero`] | games by tree search, policy and value from the window |
//! | [`dqn`] | epsilon-greedy games, targets by a copy of the network |
//! | [`td`] | TD(lambda): a value network learns from its games by eligibility traces |
//! | [`supervised`] | learning from game records, tested on games held out |
//! | [`epsilon`] | games by epsilon-greedy choice |
//! | [`measure`] | strength against fixed opponents |
//! | [`ledger`] | what everything cost |
//! | [`data`] | data sets: positions of games, to learn from without self-play |
//! | [`report`] | a run as a page with curves and tables |
//! | [`chart`] | curves as SVG |
//! | [`network`] | networks by name: a file, a run, a generation of a run |
//! | [`agent`] | `pv:net=...`: a network with tree search as an agent |
//! | [`value`], [`judged`] | a network's value as a judge of leaves: `alphabeta:eval=net:...` |
//! | [`policy`] | `policy:net=...`: the network alone |
//! | [`greedy`] | leaves valued by complete games of the greedy policy |
//! | [`mates`] | the mate solver at the root of a search |
//! | [`tabular`] | the tabular methods, each in one file, held against exact values |
//!
//! Game number i of generation g depends on the run's seed, on (g, i) and on the network of generation g - 1, and on
//! nothing else: not on the number of threads, nor on which games share a batch. Everything else follows from that:
//! a run repeats to the byte, and one that was killed goes on as if nothing had happened.

pub mod agent;
pub mod alphazero;
pub mod chart;
pub mod data;
pub mod dqn;
pub mod epsilon;
pub mod experiment;
pub mod greedy;
pub mod judged;
pub mod learner;
pub mod ledger;
pub mod mates;
pub mod measure;
pub mod network;
pub mod policy;
pub mod report;
pub mod run;
pub mod selfplay;
pub mod supervised;
pub mod tabular;
pub mod td;
pub mod train;
pub mod value;
pub mod window;

pub use agent::Networks;
pub use experiment::Experiment;
pub use judged::Judged;
