//! What a report is made of.

use crate::chart::Chart;
use crate::quantity::Quantity;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format, in JSON.
pub const FORMAT: u32 = 1;

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`FORMAT`] when it was written.
    pub format: u32,
    /// The title.
    pub title: String,
    /// What it is about and what came out, before everything else: a paragraph each.
    pub lead: Vec<String>,
    /// Facts by name: scale, version, cost, command.
    pub facts: Vec<(String, String)>,
    /// What the data say about each claim.
    pub verdicts: Vec<VerdictLine>,
    /// The sections.
    pub sections: Vec<Section>,
    /// The numbers behind it by name, for comparisons.
    pub measures: BTreeMap<String, Measure>,
}

impl Report {
    /// A report without content.
    pub fn new(title: impl Into<String>) -> Report {
        Report {
            format: FORMAT,
            title: title.into(),
            lead: Vec::new(),
            facts: Vec::new(),
            verdicts: Vec::new(),
            sections: Vec::new(),
            measures: BTreeMap::new(),
        }
    }

    /// Adds a section.
    pub fn section(&mut self, title: impl Into<String>, blocks: Vec<Block>) {
        self.sections.push(Section { title: title.into(), blocks });
    }

    /// The report without whatever depends on clocks: the same bytes in every repetition.
    #[must_use]
    pub fn without_times(&self) -> Results {
        let measures = self.measures.iter().filter(|(_, measure)| !measure.timed);
        let verdicts = self.verdicts.iter().filter(|line| !line.timed);
        Results {
            title: self.title.clone(),
            measures: measures.map(|(name, measure)| (name.clone(), measure.quantity)).collect(),
            verdicts: verdicts.map(|line| (line.claim.clone(), line.verdict)).collect(),
        }
    }
}

/// What a repetition must have the same, to the byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The report's title.
    pub title: String,
    /// The numbers by name.
    pub measures: BTreeMap<String, Quantity>,
    /// The claims.
    pub verdicts: Vec<(String, Verdict)>,
}

/// A number behind a report.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The number.
    pub quantity: Quantity,
    /// Whether it depends on clocks or foreign programs, so that a repetition may have another one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed: bool,
}

/// What data say about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval lies where the claim says.
    Holds,
    /// The interval lies where the claim denies.
    DoesNotHold,
    /// The interval holds both.
    NotDecided,
}

impl Verdict {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::NotDecided => "not decided at this scale",
        }
    }
}

/// One claim and its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictLine {
    /// The claim.
    pub claim: String,
    /// Where the paper says it.
    pub place: String,
    /// What the data say.
    pub verdict: Verdict,
    /// The numbers, with intervals.
    pub why: String,
    /// The title of the section with the data; empty if there is none.
    pub section: String,
    /// Whether it rests on clocks or foreign programs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed: bool,
}

/// A section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// The title.
    pub title: String,
    /// What is in it.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Lines of a list.
    List(Vec<String>),
    /// A command or a file, as it is.
    Code(String),
    /// A table.
    Table(Table),
    /// A chart.
    Chart(Chart),
    /// A position.
    Board(Board),
}

/// A position, as the game draws it in letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// What to see.
    pub caption: String,
    /// The board, line by line.
    pub text: String,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What to see.
    pub caption: String,
    /// The columns.
    pub heads: Vec<Head>,
    /// The rows, each as long as `heads`.
    pub rows: Vec<Vec<Cell>>,
}

/// The head of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The name.
    pub name: String,
    /// Whether the numbers are the paper's, not ours.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paper: bool,
}

impl Head {
    /// A column of ours.
    pub fn ours(name: impl Into<String>) -> Head {
        Head { name: name.into(), paper: false }
    }

    /// A column of the paper's numbers.
    pub fn paper(name: impl Into<String>) -> Head {
        Head { name: name.into(), paper: true }
    }
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Words.
    Text(String),
    /// A number.
    Number {
        /// The number and what is known of its error.
        quantity: Quantity,
        /// Digits behind the point.
        digits: usize,
        /// Whether it is shown in per cent.
        percent: bool,
    },
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A plain number.
    pub fn number(value: f64, digits: usize) -> Cell {
        Cell::Number { quantity: Quantity::Exact(value), digits, percent: false }
    }

    /// A count.
    pub fn count(value: u64) -> Cell {
        Cell::number(value as f64, 0)
    }

    /// A share, shown in per cent with its interval.
    pub fn share(quantity: Quantity) -> Cell {
        Cell::Number { quantity, digits: 1, percent: true }
    }

    /// What is written in it.
    pub fn words(&self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Number { quantity, digits, percent } => quantity.text((*digits).min(12), *percent),
        }
    }
}
