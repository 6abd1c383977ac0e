//! The vocabulary of Tesuji.
//!
//! Everything else is written in these terms and in nothing else: a search knows [`Position`], never a game;
//! a network knows [`Encoder`] shapes, never a position; a match knows [`Player`], never a search.
//!
//! | file | what it names |
//! |---|---|
//! | [`side`] | [`Side`], [`Outcome`], [`Value`] (always stored for the first player) |
//! | [`position`] | [`Position`]: a state of play with the history that its rules need |
//! | [`game`] | [`Game`] and its parts: [`GameRules`], [`Render`], [`Heuristics`], [`RuleBot`], [`MateHooks`], [`Encoders`] |
//! | [`handle`] | [`AnyGame`], [`AnyPosition`]: games and positions without their types; `held` implements them for every game |
//! | [`rules`] | [`Rules`]: official or as in the paper; [`Style`] of text boards |
//! | [`encoder`] | [`Encoder`]: positions as planes, moves as policy indices |
//! | [`features`] | [`Features`]: positions as lists of active inputs, for integer networks |
//! | [`search`] | [`Evaluator`], [`Search`], [`Found`], [`Report`] |
//! | [`player`] | [`Player`]: our own agents and foreign engines behind one object-safe trait |
//! | [`budget`] | [`Budget`]: how much a search may spend |
//! | [`limits`] | the ranges of numbers that the whole program shares |
//! | [`scene`] | [`Scene`], [`Gesture`]: a position as something to look at and to touch |
//! | [`record`] | [`GameRecord`] and its checksummed binary form |
//! | [`random`] | [`Stream`]: every random choice, derived from (seed, purpose, index) |
//! | [`mate`] | [`MateBoard`]: what mate solvers need to know of a game |
//! | [`perft`] | counting move paths |
//! | [`bot`] | the rule bot that any game can use: win, else block, else random |
//! | [`error`] | [`ParseError`], [`MoveError`] |

pub mod bot;
pub mod budget;
pub mod encoder;
pub mod error;
pub mod features;
pub mod game;
pub mod handle;
mod held;
pub mod limits;
pub mod mate;
pub mod perft;
pub mod player;
pub mod position;
pub mod random;
pub mod record;
pub mod rules;
pub mod scene;
pub mod search;
pub mod side;

pub use budget::Budget;
pub use encoder::{Encoder, Pairs, Shape};
pub use error::{MoveError, ParseError, Place};
pub use features::{FeatureChanges, Features};
pub use game::{Encoders, Game, GameRules, Heuristics, MateHooks, MoveOf, Render, RuleBot};
pub use handle::{AnyGame, AnyPosition, EncoderInfo, FeaturesInfo, MoveId};
pub use mate::{MateBoard, MateHand, MateVisitor};
pub use player::{GameLine, Player, PlayerError};
pub use position::{Move, MoveList, Position, Repetition};
pub use random::Stream;
pub use record::GameRecord;
pub use rules::{Rules, Style};
pub use scene::{Gesture, Scene, Step};
pub use search::{Considered, Evaluation, Evaluator, Focus, Found, Info, Leaf, Line, Quiet, Report, Search};
pub use side::{Outcome, Side, Value};
