//! Networks by name: files, runs and their generations, and those that come with the program.
//!
//! | file | what it holds |
//! |---|---|
//! | [`place`] | [`Place`]: where a network is; the list of those that come with the program |
//! | [`kind`] | [`NetworkKind`]: what networks are made of |
//! | [`store`] | [`NetworkStore`]: networks made ready, each one once |
//! | [`mod@encoder`] | a game's encoder by name |

pub mod encoder;
pub mod kind;
pub mod place;
pub mod store;

pub use encoder::{encoder, encoder_info};
pub use kind::NetworkKind;
pub use place::{Place, built_in, find, open};
pub use store::{Network, NetworkStore};
