//! Agents: everything that can sit down to a game, and networks as players and judges.
//!
//! | file | what it holds |
//! |---|---|
//! | [`pv`] | `pv:net=...`: a network with tree search |
//! | [`policy`] | `policy:net=...`: the network alone |
//! | [`dqn`] | `dqn:net=...`: a network of Q values, and Q as a judge of positions |
//! | [`value`] | [`ValueNetwork`]: a network's value as a judge of leaves, `alphabeta:eval=net:...` |
//! | [`spec`] | [`AgentSpec`]: the one list of agents |

pub mod dqn;
pub mod policy;
pub mod pv;
pub mod spec;
pub mod value;

pub use spec::{AgentSpec, NetworkSpec};
pub use value::{LeafStore, ValueNetwork};
