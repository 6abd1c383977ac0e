//! What selective search does in which game: one table.

use crate::score::Score;

macro_rules! features {
    ($($variant:ident = $name:literal, $help:literal;)*) => {
        /// A part of selective search that can be switched off, to measure what it is worth.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $(#[doc = $help] $variant,)*
        }

        impl Feature {
            /// Every feature.
            pub const ALL: &[Feature] = &[$(Feature::$variant),*];

            /// The name in agents' lines.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Feature::$variant => $name,)*
                }
            }

            /// What it does, in a line.
            pub const fn help(self) -> &'static str {
                match self {
                    $(Feature::$variant => $help,)*
                }
            }
        }
    };
}

features! {
    Deep = "deep", "scores from the table count at greater depth too, not only at the same";
    Repeat = "repeat", "the first return to a position below the root counts as repetition";
    Quiesce = "quiesce", "captures and promotions are followed below the horizon, and threats answered";
    QuietChecks = "checks", "the first ply of quiescence also gives quiet checks";
    WinInOne = "win", "a move that wins at once is looked for, where the game has a quick way";
    Aspiration = "aspiration", "an iteration begins with a narrow window around the last score";
    MateDistance = "distance", "lines that cannot beat a shorter win are cut";
    Reverse = "reverse", "reverse futility: an evaluation far above the window ends a node";
    Razor = "razor", "an evaluation far below the window sends a node to quiescence";
    Null = "null", "null move: a side that may pass and still is above the window needs no more";
    Internal = "internal", "internal reduction: a node without a move from the table is searched a ply less";
    Count = "count", "move-count pruning: late quiet moves are left out near the horizon";
    Futility = "futility", "quiet moves are left out where the evaluation is far below the window";
    Exchange = "exchange", "moves that lose material by static exchange are left out near the horizon";
    Bad = "bad", "quiet moves with a bad history are left out near the horizon";
    Late = "late", "late-move reductions: late moves are first searched less deep";
    CheckExtension = "extend", "moves that give check or threaten to win at once are searched a ply deeper";
    Singular = "singular", "a move that alone keeps the score is searched a ply deeper";
    Killers = "killers", "quiet moves that cut off at the same ply are tried early";
    Follow = "follow", "continuation history: moves are remembered by the moves before them";
}

/// A set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// None at all: plain minimax with a table.
    pub const NONE: Features = Features(0);

    /// Every one.
    pub const ALL: Features = Features((1 << Feature::ALL.len()) - 1);

    /// Whether a feature is among them.
    #[inline]
    pub const fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u32 & 1 != 0
    }

    /// These without one.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Features {
        Features(self.0 & !(1 << feature as u32))
    }

    /// These without all of some others.
    #[must_use]
    pub const fn less(self, others: Features) -> Features {
        Features(self.0 & !others.0)
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Features {
        Features(self.0 | 1 << feature as u32)
    }

    /// The features, in the order of [`Feature::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |&feature| self.has(feature))
    }
}

/// What selective search does in a game. Margins are in the unit of the game's heuristic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// What is on.
    pub on: Features,
    /// Half the width of the first aspiration window.
    pub aspiration: Score,
    /// Reverse futility: what the evaluation must be above the window for each ply of depth.
    pub reverse: Score,
    /// Razoring: what the evaluation must be below the window, once and for the square of the depth.
    pub razor: Score,
    /// Null move: each so much above the window reduces by another ply.
    pub null: Score,
    /// Futility: what a quiet move may gain, once and for each ply that is left.
    pub futility: Score,
    /// Exchange: what a quiet move may lose for the square of the plies that are left, a noisy one for twice each ply.
    pub exchange: Score,
    /// Singular extension: how much worse the other moves must be for each ply of depth.
    pub singular: Score,
    /// Quiescence: what a capture may gain beyond the captured piece.
    pub delta: Score,
    /// The most plies of quiescence.
    pub quiescence: usize,
    /// Late-move reductions: how far, in percent of the usual.
    pub late: u32,
}

impl Params {
    /// The parameters of a game where a small advantage is worth `unit` (a pawn in chess is 100).
    pub const fn scaled(unit: Score) -> Params {
        Params {
            on: Features::ALL,
            aspiration: unit * 2 / 5,
            reverse: unit,
            razor: unit * 5 / 2,
            null: unit * 2,
            futility: unit * 5 / 4,
            exchange: unit / 2,
            singular: unit / 32 + 1,
            delta: unit * 2,
            quiescence: 32,
            late: 100,
        }
    }

    /// The parameters of a game by its name, where a network evaluates; of a game that nobody has measured, those that do
    /// least harm.
    pub fn of(name: &str) -> Params {
        Params::by_table(name).margins(found(&NETWORK_MARGINS, name).unwrap_or(100))
    }

    /// The same where the game's heuristic evaluates and not a network: without what hurts there.
    pub fn with_heuristic(name: &str) -> Params {
        Params::by_table(name).less(found(&UNFIT, name).unwrap_or(Features::NONE))
    }

    fn by_table(name: &str) -> Params {
        found(&TABLE, name).unwrap_or(Params { on: CAREFUL, ..Params::scaled(100) })
    }

    /// The same with all margins in percent of the usual: above 100 less is cut.
    #[must_use]
    pub const fn margins(self, percent: u32) -> Params {
        let percent = percent as Score;
        Params {
            aspiration: at_least_one(self.aspiration * percent / 100),
            reverse: at_least_one(self.reverse * percent / 100),
            razor: at_least_one(self.razor * percent / 100),
            null: at_least_one(self.null * percent / 100),
            futility: at_least_one(self.futility * percent / 100),
            singular: at_least_one(self.singular * percent / 100),
            delta: at_least_one(self.delta * percent / 100),
            ..self
        }
    }

    /// The same with some features switched off.
    #[must_use]
    pub const fn less(self, off: Features) -> Params {
        Params { on: self.on.less(off), ..self }
    }
}

/// The row of a game.
fn found<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(game, _)| *game == name).map(|&(_, row)| row)
}

/// Margins divide, and windows must not be empty.
const fn at_least_one(margin: Score) -> Score {
    if margin < 1 { 1 } else { margin }
}

/// Nothing that relies on the size of the heuristic's numbers.
const CAREFUL: Features =
    Features::ALL.without(Feature::Reverse).without(Feature::Razor).without(Feature::Futility).without(Feature::Count);

/// The games and their parameters. Why a feature is off where it is off: docs/alphabeta.md.
const TABLE: [(&str, Params); 7] = [
    ("bingo3d", Params { on: LINES, ..Params::scaled(100) }),
    ("chess", Params::scaled(85)),
    ("connect4", Params { on: LINES, ..Params::scaled(100) }),
    ("minishogi", Params::scaled(140)),
    ("shogi", Params::scaled(140)),
    ("tictactoe", Params { on: CAREFUL, ..Params::scaled(100) }),
    ("tubstap", Params { quiescence: 6, on: CAREFUL, ..Params::scaled(300) }),
];

/// Margins where a network evaluates, in percent of the table's: networks are surer than the heuristic.
const NETWORK_MARGINS: [(&str, u32); 2] = [("chess", 200), ("minishogi", 200)];

/// What is off where the heuristic evaluates: it sees no threats to a king, and what relies on it goes wrong.
const UNFIT: [(&str, Features); 1] = [("minishogi", Features::NONE.with(Feature::Late).with(Feature::Reverse))];

/// Games of completing lines: nothing is captured, and there is no pass.
const LINES: Features = CAREFUL;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_names_of_their_own() {
        let mut names: Vec<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
        assert_eq!(Features::ALL.iter().count(), names.len());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Feature::ALL.len());
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn sets_lose_and_gain_features() {
        for &feature in Feature::ALL {
            assert!(Features::ALL.has(feature) && !Features::ALL.without(feature).has(feature));
            assert_eq!(Features::NONE.with(feature).iter().collect::<Vec<_>>(), [feature]);
            assert_eq!(Features::ALL.less(Features::NONE.with(feature)), Features::ALL.without(feature));
        }
    }

    #[test]
    fn every_game_has_parameters_and_so_have_others() {
        for game in tesuji_games::names() {
            assert!(TABLE.iter().any(|(name, _)| name == game), "{game}");
        }
        assert_eq!(Params::of("go").on, CAREFUL);
        assert!(Params::of("chess").on.has(Feature::Null));
        assert_eq!(Params::with_heuristic("shogi"), Params::of("shogi"));
        let (heuristic, network) = (Params::with_heuristic("minishogi").on, Params::of("minishogi").on);
        assert!(network.has(Feature::Late) && !heuristic.has(Feature::Late) && heuristic.has(Feature::Count));
    }

    #[test]
    fn margins_are_wider_with_a_network() {
        let (heuristic, network) = (Params::with_heuristic("minishogi"), Params::of("minishogi"));
        assert_eq!(network.futility, 2 * heuristic.futility);
        assert_eq!(network.exchange, heuristic.exchange, "material is worth the same");
        assert_eq!(Params::scaled(1).margins(10).null, 1, "margins divide");
    }
}
