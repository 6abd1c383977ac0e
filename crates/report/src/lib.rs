//! Reports: what was measured, with its error, as one HTML file, as Markdown and as JSON that is read back.
//!
//! | file | what it holds |
//! |---|---|
//! | [`mod@distribution`] | the beta and Student distributions behind the intervals |
//! | [`quantity`] | [`Quantity`]: a number with what is known of its error; differences |
//! | [`document`] | [`Report`]: sections of text, tables, charts, boards; verdicts |
//! | [`chart`] | [`Chart`]: curves, bars and dots as data |
//! | `axis` | where ticks stand and what they are called |
//! | `escape` | text for HTML and SVG |
//! | `svg` | a chart as SVG |
//! | [`board`] | a position as SVG |
//! | [`mod@html`] | a report as one HTML file that needs nothing else |
//! | [`mod@markdown`] | a report as Markdown |
//! | [`json`] | a report as JSON, and back |
//! | [`mod@compare`] | what changed between two reports, with significance |
//!
//! Nothing here knows what a game or a run is: those who do make a [`Report`] of it.

mod axis;
pub mod board;
pub mod chart;
pub mod compare;
pub mod distribution;
pub mod document;
mod escape;
pub mod html;
pub mod json;
pub mod markdown;
pub mod quantity;
mod svg;

pub use chart::{Axis, Chart, Point, Series, Shape};
pub use compare::compare;
pub use document::{Block, Cell, Head, Measure, Report, Section, Table, Verdict, VerdictLine};
pub use html::html;
pub use markdown::markdown;
pub use quantity::{LEVEL, Quantity};
