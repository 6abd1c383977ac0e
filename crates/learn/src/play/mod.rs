//! Games in flight: many on each thread, played by tree search, by epsilon-greedy choice or by alpha-beta.
//!
//! | file | what it holds |
//! |---|---|
//! | [`options`] | [`SelfPlay`]: the section `[selfplay]` of an experiment |
//! | [`mates`] | [`MateOption`] and [`RootSolver`]: the mate solver at the root of a search, and at leaves |
//! | [`threads`] | games taken by threads, one after another |
//! | [`game`] | [`Series`] and [`GameInProgress`]: a game from its start to its record |
//! | [`greedy`] | leaves valued by complete games of the greedy policy |
//! | [`selfplay`] | games by tree search, the leaves of all of them in one batch |
//! | [`epsilon`] | games by epsilon-greedy choice |
//! | [`bot`] | games of the rule bot |
//! | [`alphabeta`] | games by alpha-beta at a fixed number of nodes |
//!
//! No thread waits for another. A thread takes the next game of the generation whenever one of its own ends; which
//! thread plays it, and beside which other games, changes nothing about it.

pub mod alphabeta;
pub mod bot;
pub mod epsilon;
pub mod game;
pub mod greedy;
pub mod mates;
pub mod options;
pub mod selfplay;
pub mod threads;

pub use alphabeta::{AlphaBetaGames, AlphaBetaPlay};
pub use bot::BotPlay;
pub use epsilon::{Chooser, Epsilon, EpsilonGames, EpsilonPlan, EpsilonPlay};
pub use game::{GameInProgress, Series};
pub use mates::{MateOption, RootSolver, has_mate};
pub use options::SelfPlay;
pub use selfplay::TreePlay;
