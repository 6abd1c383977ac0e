//! Learning methods: where games or samples come from, and which targets the network is moved towards.
//!
//! | file | what it holds |
//! |---|---|
//! | [`training`] | [`Training`]: the section `[training]` of an experiment |
//! | [`learner`] | [`Learner`]: a learning method at work; [`Setup`]: what it is given of an experiment |
//! | [`kind`] | [`MethodKind`]: what a learning method declares |
//! | [`work`] | what a generation is made of, to be foreseen |
//! | [`mod@replayed`] | records of games, replayed |
//! | [`alphazero`] | games by tree search, policy and value from the window |
//! | [`dqn`] | epsilon-greedy games, targets by a copy of the network |
//! | [`td`] | TD(lambda): a value network learns from its games by eligibility traces |
//! | [`nnue`] | alpha-beta's games with itself, the value of quiet positions in integers |
//! | [`records`] | learning from game records, tested on games held out |
//! | [`tree`] | one tree a cycle, whose nodes are learned from: the chess paper's algorithm 2 |
//! | [`list`] | [`Method`]: the one list of them, the section `[method]` of an experiment |
//!
//! A new learning method is a file or folder with options that implement [`MethodKind`], and a line in [`list`].

pub mod alphazero;
pub mod dqn;
pub mod kind;
pub mod learner;
pub mod list;
pub mod nnue;
pub mod records;
pub mod replayed;
pub mod td;
pub mod training;
pub mod tree;
pub mod work;

pub use alphazero::AlphaZeroOptions;
pub use dqn::DqnOptions;
pub use kind::MethodKind;
pub use learner::{Learner, Setup};
pub use list::Method;
pub use nnue::NnueOptions;
pub use records::RecordsOptions;
pub use td::TdOptions;
pub use training::Training;
pub use tree::TreeCycleOptions;
