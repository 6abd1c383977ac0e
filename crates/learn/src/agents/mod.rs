//! Agents: everything that can sit down to a game, and networks as players and judges.
//!
//! | file | what it holds |
//! |---|---|
//! | [`pv`] | `pv:net=...`: a network with tree search |
//! | [`policy`] | `policy:net=...`: the network alone |
//! | [`dqn`] | `dqn:net=...`: a network of Q values, and Q as a judge of positions |
//! | [`nnue`] | `nnue:net=...`: selective alpha-beta with an integer network |
//! | [`value`] | [`ValueNetwork`]: a network's value as a judge of leaves, `alphabeta:pure,eval=net:...` |
//! | [`best`] | `best`: the strongest that comes with the program, by game |
//! | [`beside`] | [`Beside`](beside::Beside): a mate solver and a search at one time |
//! | [`mates`] | a search with a mate solver before or beside it: `mate=` |
//! | [`spec`] | [`AgentSpec`]: the one list of agents |

pub mod beside;
pub mod best;
pub mod dqn;
pub mod mates;
pub mod nnue;
pub mod policy;
pub mod pv;
pub mod spec;
pub mod value;

pub use spec::{AgentSpec, NetworkSpec};
pub use value::{LeafStore, ValueNetwork};
