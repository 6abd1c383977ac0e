//! The one list of learning methods.

use super::alphazero::AlphaZeroOptions;
use super::dqn::DqnOptions;
use super::kind::{CheckRecord, MethodKind};
use super::learner::{Learner, Setup};
use super::nnue::NnueOptions;
use super::records::RecordsOptions;
use super::td::TdOptions;
use super::training::Training;
use super::tree::TreeCycleOptions;
use super::work::{Typical, Work};
use crate::data::DataError;
use crate::networks::NetworkKind;
use crate::ranges::KeyRanges;
use crate::run::{Anywhere, Run, RunError};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tesuji_core::{AnyGame, Game};
use tesuji_nn::nnue::NnueTraining;

/// Makes the enum of all learning methods, and what can be asked of whichever it is.
macro_rules! methods {
    ($($name:literal $method:ident($options:ty),)*) => {
        /// A learning method with its options: the section `[method]` of an experiment.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum Method {
            $(
                #[doc = concat!("`kind = \"", $name, "\"`")]
                #[serde(rename = $name)]
                $method($options),
            )*
        }

        impl Method {
            /// The names in experiments, with what each way learns.
            pub const ALL: &'static [(&'static str, &'static str)] = &[$(($name, <$options as MethodKind>::ABOUT),)*];

            /// The name in experiments.
            pub fn name(&self) -> &'static str {
                match self { $(Method::$method(_) => $name,)* }
            }

            /// The kinds of network that it can teach.
            pub fn networks(&self) -> &'static [NetworkKind] {
                match self { $(Method::$method(_) => <$options as MethodKind>::NETWORKS,)* }
            }

            /// Whether its games may be played by an older network than the newest.
            pub fn lags(&self) -> bool {
                match self { $(Method::$method(_) => <$options as MethodKind>::LAGS,)* }
            }

            /// The ranges of the numbers of the way of this name; none if there is no such way.
            pub fn ranges(name: &str) -> KeyRanges {
                match name {
                    $($name => <$options as MethodKind>::ranges(),)*
                    _ => KeyRanges::new(),
                }
            }

            /// Checks that the options, each in its range, make sense together.
            ///
            /// # Errors
            /// With the first one that does not, in words.
            pub fn check(&self, training: &Training) -> Result<(), String> {
                match self { $(Method::$method(options) => options.check(training),)* }
            }

            /// The line of the agent that networks of this kind are measured as; see [`MethodKind::agent`].
            pub fn agent(&self, network: NetworkKind) -> Option<&'static str> {
                match self { $(Method::$method(_) => <$options as MethodKind>::agent(network),)* }
            }

            /// Whether the network chooses a move in two steps: what moves, and where to.
            pub fn pairs(&self) -> bool {
                match self { $(Method::$method(options) => options.pairs(),)* }
            }

            /// What a generation is made of; see [`MethodKind::work`].
            pub fn work(&self, setup: &Setup, games: Typical) -> Option<Work> {
                match self { $(Method::$method(options) => options.work(setup, games),)* }
            }

            /// How it trains integer networks; see [`MethodKind::integer_training`].
            pub fn integer_training(&self) -> NnueTraining {
                match self { $(Method::$method(options) => options.integer_training(),)* }
            }

            /// Makes it as small as it can be without leaving anything out.
            pub fn shrink(&mut self) {
                match self { $(Method::$method(options) => options.shrink(),)* }
            }

            /// Makes what the small form needs and was not given, in a directory of its own in the run's.
            ///
            /// # Errors
            /// If it cannot be written.
            pub fn furnish(
                &mut self,
                root: &Path,
                game: &dyn AnyGame,
                check: &CheckRecord<'_>,
            ) -> Result<(), DataError> {
                match self { $(Method::$method(options) => options.furnish(root, game, check),)* }
            }

            /// Its games, if they can be played anywhere; see [`MethodKind::anywhere`].
            ///
            /// # Errors
            /// If the options do not fit the game, in words.
            pub fn anywhere<G: Game>(
                &self,
                game: &G,
                setup: &Setup,
                seed: u64,
            ) -> Result<Option<Box<dyn Anywhere>>, String> {
                match self { $(Method::$method(options) => options.anywhere(game, setup, seed),)* }
            }

            /// The learner, before anything has been played.
            ///
            /// # Errors
            /// If the options do not fit the game, or something that they name is not there.
            pub fn learner<G: Game>(
                &self,
                game: &G,
                setup: &Setup,
                run: &Run<'_>,
            ) -> Result<Box<dyn Learner>, RunError> {
                match self { $(Method::$method(options) => options.learner(game, setup, run),)* }
            }
        }
    };
}

methods! {
    "alphazero" AlphaZero(AlphaZeroOptions),
    "dqn" Dqn(DqnOptions),
    "td" Td(TdOptions),
    "nnue" Nnue(NnueOptions),
    "records" Records(RecordsOptions),
    "tree" Tree(TreeCycleOptions),
}

impl Default for Method {
    fn default() -> Method {
        Method::AlphaZero(AlphaZeroOptions::default())
    }
}
