//! Charts as data.

use serde::{Deserialize, Serialize};

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// The title.
    pub title: String,
    /// What to see.
    pub caption: String,
    /// The horizontal axis; that of the values if the shape is bars.
    pub x: Axis,
    /// The vertical axis; without a meaning if the shape is bars.
    pub y: Axis,
    /// How it is drawn.
    pub shape: Shape,
    /// The names of the rows of bars; a point's x is its row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<String>,
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
}

/// How a chart is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Points joined by lines, with bands for intervals.
    #[default]
    Lines,
    /// Points by themselves, with whiskers.
    Dots,
    /// Horizontal bars with whiskers, in groups.
    Bars,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// What it counts, with its unit.
    pub name: String,
    /// Whether it goes by powers of ten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logarithmic: bool,
    /// Whether zero is on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_zero: bool,
}

impl Axis {
    /// An axis that goes evenly, as far as the data do.
    pub fn linear(name: impl Into<String>) -> Axis {
        Axis { name: name.into(), ..Axis::default() }
    }

    /// An axis that goes evenly, from zero.
    pub fn from_zero(name: impl Into<String>) -> Axis {
        Axis { name: name.into(), from_zero: true, ..Axis::default() }
    }

    /// An axis that goes by powers of ten.
    pub fn logarithmic(name: impl Into<String>) -> Axis {
        Axis { name: name.into(), logarithmic: true, ..Axis::default() }
    }
}

/// A named series of points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Whether the numbers are the paper's: drawn dashed and hollow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paper: bool,
    /// The points, from left to right.
    pub points: Vec<Point>,
}

/// A point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Where it stands.
    pub x: f64,
    /// Its value.
    pub y: f64,
    /// The interval around the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// What it is called, if it has a name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

impl Point {
    /// A point without an interval.
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y, ..Point::default() }
    }

    /// A quantity over x, times `scale`.
    pub fn of(x: f64, quantity: &crate::Quantity, scale: f64) -> Point {
        let interval = quantity.bounds().map(|(low, high)| (scale * low, scale * high));
        Point { x, y: scale * quantity.value(), interval, name: String::new() }
    }
}
