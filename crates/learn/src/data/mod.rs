//! Data sets: positions with the move that was played and the result, to learn from.
//!
//! | file | what it holds |
//! |---|---|
//! | [`error`] | [`DataError`]: why a set cannot be read or written |
//! | [`about`] | [`DataSetInfo`]: what `data.json` says of a set |
//! | [`shard`] | games in a file: compressed, checksummed |
//! | [`writer`] | [`Writer`]: games into a new set; which positions are kept |
//! | [`stored`] | [`Stored`]: a set on disk, as far as no types are needed |
//! | [`set`] | [`DataSet`]: the same of a game, shard by shard, and its [`Sample`]s |
//! | [`folds`] | [`Folds`]: games dealt out for training and test |
//! | [`mod@check`] | whether a game can be learned from |
//! | [`mod@generate`] | games between agents, resumable |
//! | [`mod@ordered`] | work on many threads, results in order |
//!
//! A set is a directory: shards `00000.tsjd`, `00001.tsjd`, ..., and `data.json`, which is written last, so that half a
//! set is never taken for a whole one. A shard holds whole games as their moves, up to the last position that was
//! kept: some ten bytes a position, the history included that some encoders want, and nothing that depends on an
//! encoder or on the game. A sample is made by replaying its game, which costs microseconds beside the milliseconds of
//! training on it.
//!
//! What a set holds depends on its games, their order, the seed and the share of positions to keep, and on nothing else.

pub mod about;
pub mod check;
pub mod error;
pub mod folds;
pub mod generate;
pub mod ordered;
pub mod set;
pub mod shard;
pub mod stored;
pub mod writer;

pub use about::{DataSetInfo, Source};
pub use check::{Checked, Skip};
pub use error::DataError;
pub use folds::Folds;
pub use set::{AnyDataSet, DataSet, Sample, SampleText, Shard};
pub use stored::Stored;
pub use writer::{Settings, Writer};
