//! The reproduction file, typed: unknown keys are errors.

use crate::error::LabError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use tesuji_core::Rules;

/// The reproductions that come with the program: names and texts.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("shogi-mcts-vs-dqn", include_str!("../reproductions/shogi-mcts-vs-dqn.toml")),
    ("minishogi-checkmate", include_str!("../reproductions/minishogi-checkmate.toml")),
    ("tubstap-pv-mcts", include_str!("../reproductions/tubstap-pv-mcts.toml")),
    ("bingo3d-td", include_str!("../reproductions/bingo3d-td.toml")),
    ("chess-policy", include_str!("../reproductions/chess-policy.toml")),
];

/// How much of it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Seconds to minutes: shows that everything works, decides nothing.
    Smoke,
    /// Hours on a laptop, with networks that it can train.
    Laptop,
    /// As the paper did it.
    Paper,
}

impl Scale {
    /// All of them.
    pub const ALL: [Scale; 3] = [Scale::Smoke, Scale::Laptop, Scale::Paper];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Scale::Smoke => "smoke",
            Scale::Laptop => "laptop",
            Scale::Paper => "paper",
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Scale, String> {
        let found = Scale::ALL.into_iter().find(|scale| scale.name() == text);
        found.ok_or_else(|| format!("scale {text:?}: expected smoke, laptop or paper"))
    }
}

/// A reproduction: what is done, what the paper says, and how both are shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reproduction {
    /// The name on the command line.
    pub name: String,
    /// The report's title.
    pub title: String,
    /// The paper.
    pub paper: String,
    /// Its question.
    pub question: String,
    /// What the paper ran on.
    pub hardware: String,
    /// The game's registered name.
    pub game: String,
    /// The rules in force.
    #[serde(default)]
    pub rules: Rules,
    /// The scales, with their values.
    pub scales: BTreeMap<Scale, ScaleInfo>,
    /// What must be there.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// Tables and figures, in order.
    pub shows: Vec<Show>,
    /// What the paper claims.
    pub claims: Vec<Claim>,
    /// Where the paper is silent or unclear, and what was taken.
    #[serde(default)]
    pub silent: Vec<String>,
    /// Whether it may start the programs that it names: a file may come from somebody else.
    #[serde(skip)]
    pub trusted: bool,
}

/// A scale.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaleInfo {
    /// What it is, in a line.
    pub about: String,
    /// What it costs, in words.
    pub cost: String,
    /// The values that `{name}` stands for in steps.
    pub values: toml::Table,
}

/// Something that must be there before anything starts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// At these scales; all if there are none.
    #[serde(default)]
    pub scales: Vec<Scale>,
    /// A program.
    #[serde(default)]
    pub engine: String,
    /// A data set, made by `tesuji data import`; where it is.
    #[serde(default)]
    pub data: String,
    /// How to get it.
    pub get: String,
}

/// An axis of a sweep: a name, and values or the name of a value of the scale that lists them. A value may be a table, whose
/// `is` is its label and whose other keys are values of their own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// The name: `{name}` stands for the value.
    pub axis: String,
    /// The values.
    pub values: toml::Value,
}

/// Something that is done.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Step {
    /// Trains a network, one for each point of `over`.
    Train(Train),
    /// A match.
    Match(Match),
    /// A match for each point of `over`.
    Sweep(Match),
    /// Everybody against everybody.
    Tournament(Tournament),
    /// A data set of games between agents.
    Data(Data),
    /// Something that is looked at or counted.
    Measure(Measure),
}

/// A training run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Train {
    /// The step's name.
    pub name: String,
    /// At these scales; all if there are none.
    #[serde(default)]
    pub scales: Vec<Scale>,
    /// One run for each point.
    #[serde(default)]
    pub over: Vec<Axis>,
    /// The experiment, NAME or NAME/VARIANT.
    pub experiment: String,
    /// The experiment with the paper's own numbers, to list what differs; empty if there is none.
    #[serde(default)]
    pub paper: String,
    /// Changes, KEY=VALUE; `{name}` alone may stand for a list.
    #[serde(default)]
    pub set: Vec<String>,
    /// How long: a number of generations, or a time.
    pub budget: String,
    /// How much work it is beside other steps, for the time left.
    #[serde(default = "one")]
    pub weight: f64,
}

/// A match, or several of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// The step's name.
    pub name: String,
    /// At these scales; all if there are none.
    #[serde(default)]
    pub scales: Vec<Scale>,
    /// One match for each point.
    #[serde(default)]
    pub over: Vec<Axis>,
    /// The players.
    pub players: [String; 2],
    /// How many games.
    pub games: String,
    /// Where games start.
    #[serde(default = "random_two")]
    pub openings: String,
    /// What a player may spend on a move; empty if only its own line says.
    #[serde(default)]
    pub budget: String,
    /// A game of this many plies is a draw; empty if there is no limit.
    #[serde(default)]
    pub max_plies: String,
    /// How much work a game is beside other steps.
    #[serde(default = "one")]
    pub weight: f64,
}

/// Everybody against everybody.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// The step's name.
    pub name: String,
    /// At these scales; all if there are none.
    #[serde(default)]
    pub scales: Vec<Scale>,
    /// The players.
    pub players: Vec<Contestant>,
    /// Games of each pairing.
    pub games: String,
    /// Where games start.
    #[serde(default = "random_two")]
    pub openings: String,
    /// A game of this many plies is a draw; empty if there is no limit.
    #[serde(default)]
    pub max_plies: String,
    /// How much work a pairing is beside other steps.
    #[serde(default = "one")]
    pub weight: f64,
}

/// A player of a tournament.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contestant {
    /// The name in tables.
    pub name: String,
    /// The agent's line.
    pub line: String,
}

/// A data set of games between agents.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The step's name.
    pub name: String,
    /// At these scales; all if there are none.
    #[serde(default)]
    pub scales: Vec<Scale>,
    /// A set that is there already, at this place; then nothing is played.
    #[serde(default)]
    pub place: String,
    /// Who plays itself.
    #[serde(default)]
    pub player: String,
    /// How many games.
    #[serde(default)]
    pub games: String,
    /// What a player may spend on a move; empty if only its own line says.
    #[serde(default)]
    pub budget: String,
    /// The probability with which a position is kept.
    #[serde(default = "one")]
    pub keep: f64,
    /// The seed of the games; another one gives other games.
    #[serde(default)]
    pub seed: u64,
    /// A game of this many plies is a draw; empty if there is no limit.
    #[serde(default)]
    pub max_plies: String,
    /// How much work it is beside other steps.
    #[serde(default = "one")]
    pub weight: f64,
}

/// Something that is looked at or counted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The step's name.
    pub name: String,
    /// At these scales; all if there are none.
    #[serde(default)]
    pub scales: Vec<Scale>,
    /// One for each point.
    #[serde(default)]
    pub over: Vec<Axis>,
    /// What: `states` (move paths by depth) or `opinion` (policy and visits in a position).
    pub what: What,
    /// The position.
    pub position: String,
    /// The greatest depth of `states`.
    #[serde(default)]
    pub depth: String,
    /// The agent whose opinion is asked.
    #[serde(default)]
    pub agent: String,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// Move paths by depth.
    States,
    /// Policy and visits in a position.
    Opinion,
}

/// A table or a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// The title, which is that of a section: `Table 6: games against random moves`.
    pub title: String,
    /// What to see.
    pub caption: String,
    /// At these scales; all if there are none.
    #[serde(default)]
    pub scales: Vec<Scale>,
    /// What kind.
    pub kind: ShowKind,
    /// The steps whose results it shows.
    pub steps: Vec<String>,
    /// Of them, those with one of these labels, and those without any; all if there are none.
    #[serde(default)]
    pub only: Vec<String>,
    /// The columns of a list, or the one number of a grid.
    #[serde(default)]
    pub columns: Vec<Column>,
    /// The axes of a grid: rows and columns.
    #[serde(default)]
    pub axes: Vec<String>,
    /// What a chart shows, if there is one.
    #[serde(default)]
    pub chart: Option<ChartSpec>,
    /// Rows of means and deviations below a list.
    #[serde(default)]
    pub mean: bool,
    /// The heads of the paper's columns.
    #[serde(default)]
    pub cited_heads: Vec<String>,
    /// The paper's numbers.
    #[serde(default)]
    pub cited: Vec<Cited>,
}

/// A kind of table or figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShowKind {
    /// A row for each point, a column for each number.
    List,
    /// One number over two axes.
    Grid,
    /// Curves of runs.
    Curves,
    /// The games of a match, one by one.
    Games,
    /// The generations of a run, one by one.
    Training,
    /// Time, nodes and choices by the phase of the game.
    Phases,
    /// A position with policies and visits.
    Position,
    /// A tournament: ratings, costs, when training has paid.
    Standings,
}

/// A column.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its head.
    pub head: String,
    /// Its number.
    pub metric: String,
    /// Digits behind the point.
    #[serde(default)]
    pub digits: usize,
    /// Whether it is shown in per cent.
    #[serde(default)]
    pub percent: bool,
}

/// A chart of a list or a grid, or of runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChartSpec {
    /// The horizontal axis: an axis of the sweep, a number's name, or for curves `generation`, `steps`, `minutes`.
    pub x: String,
    /// The vertical axis: numbers' names.
    pub y: Vec<String>,
    /// What stands at the axes.
    pub names: [String; 2],
    /// The axis of the sweep that tells the series apart; empty if there is one series.
    #[serde(default)]
    pub series: String,
    /// Whether x goes by powers of ten.
    #[serde(default)]
    pub logarithmic: bool,
    /// Bars instead of curves; x is then the axis of the rows.
    #[serde(default)]
    pub bars: bool,
    /// Whether shares are shown in per cent.
    #[serde(default)]
    pub percent: bool,
    /// Which of the paper's columns belong to `y`, from 0; none if the paper has no numbers for it.
    #[serde(default)]
    pub cited: Vec<usize>,
}

/// Numbers of the paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cited {
    /// The point that they belong to; the row of the same number if it is empty.
    #[serde(default)]
    pub at: BTreeMap<String, String>,
    /// The numbers, or words.
    pub values: Vec<toml::Value>,
}

/// A claim of the paper that data can decide.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim, in words.
    pub says: String,
    /// Where the paper says it.
    pub place: String,
    /// The title of the table or figure with the data.
    #[serde(default)]
    pub section: String,
    /// At these scales; all if there are none.
    #[serde(default)]
    pub scales: Vec<Scale>,
    /// Conditions `A > B` or `A < B`, all of which the claim says.
    #[serde(default)]
    pub when: Vec<String>,
    /// A point that is better than all others of its step.
    #[serde(default)]
    pub best: String,
}

fn one() -> f64 {
    1.0
}

fn random_two() -> String {
    "random:2".to_owned()
}

impl Step {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Step::Train(step) => &step.name,
            Step::Match(step) | Step::Sweep(step) => &step.name,
            Step::Tournament(step) => &step.name,
            Step::Data(step) => &step.name,
            Step::Measure(step) => &step.name,
        }
    }

    /// The scales at which it is done; all if there are none.
    pub fn scales(&self) -> &[Scale] {
        match self {
            Step::Train(step) => &step.scales,
            Step::Match(step) | Step::Sweep(step) => &step.scales,
            Step::Tournament(step) => &step.scales,
            Step::Data(step) => &step.scales,
            Step::Measure(step) => &step.scales,
        }
    }

    /// Its axes.
    pub fn over(&self) -> &[Axis] {
        match self {
            Step::Train(step) => &step.over,
            Step::Match(step) | Step::Sweep(step) => &step.over,
            Step::Measure(step) => &step.over,
            Step::Tournament(_) | Step::Data(_) => &[],
        }
    }
}

/// Whether something belongs to a scale.
pub fn belongs(scales: &[Scale], scale: Scale) -> bool {
    scales.is_empty() || scales.contains(&scale)
}

impl Reproduction {
    /// The reproduction of this name.
    ///
    /// # Errors
    /// If there is none, with those that there are.
    pub fn named(name: &str) -> Result<Reproduction, LabError> {
        let found = BUILT_IN.iter().find(|(known, _)| *known == name);
        let Some((_, text)) = found else {
            let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(LabError::new(format!(
                "no reproduction {name:?}: there are {names}, all, or a file NAME.toml"
            )));
        };
        Ok(Reproduction { trusted: true, ..Reproduction::parse(text)? })
    }

    /// A question of somebody's own, from a file. It starts no program unless it is `trusted`.
    ///
    /// # Errors
    /// If it cannot be read; in one line.
    pub fn from_file(path: &Path, trusted: bool) -> Result<Reproduction, LabError> {
        let place = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| LabError::new(format!("{place}: {error}")))?;
        let file = Reproduction::parse(&text).map_err(|error| LabError::new(format!("{place}: {error}")))?;
        Ok(Reproduction { trusted, ..file })
    }

    /// What `tesuji reproduce` is told to do it: a name, or a file of one's own.
    pub fn argument(&self) -> String {
        let known = BUILT_IN.iter().any(|(known, _)| *known == self.name);
        if known { self.name.clone() } else { format!("{}.toml", self.name) }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is not TOML, or keys are missing or unknown; in one line.
    pub fn parse(text: &str) -> Result<Reproduction, LabError> {
        let one_line = |error: toml::de::Error| LabError::new(error.to_string().trim().replace('\n', " "));
        toml::from_str(text).map_err(one_line)
    }
}
