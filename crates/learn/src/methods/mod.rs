//! Ways of learning: where games or samples come from, and which targets the network is moved towards.
//!
//! | file | what it holds |
//! |---|---|
//! | [`training`] | [`Training`]: the section `[training]` of an experiment |
//! | [`learner`] | [`Learner`]: a way of learning at work; [`Setup`]: what it is given of an experiment |
//! | [`way`] | [`Way`]: what a way of learning declares |
//! | [`mod@replayed`] | records of games, replayed |
//! | [`alphazero`] | games by tree search, policy and value from the window |
//! | [`dqn`] | epsilon-greedy games, targets by a copy of the network |
//! | [`td`] | TD(lambda): a value network learns from its games by eligibility traces |
//! | [`records`] | learning from game records, tested on games held out |
//! | [`list`] | [`Method`]: the one list of them, the section `[method]` of an experiment |
//!
//! A new way of learning is a file or folder with options that implement [`Way`], and a line in [`list`].

pub mod alphazero;
pub mod dqn;
pub mod learner;
pub mod list;
pub mod records;
pub mod replayed;
pub mod td;
pub mod training;
pub mod way;

pub use alphazero::AlphaZeroOptions;
pub use dqn::DqnOptions;
pub use learner::{Learner, Setup};
pub use list::Method;
pub use records::RecordsOptions;
pub use td::TdOptions;
pub use training::Training;
pub use way::Way;
