//! A run as a page with curves and tables.
//!
//! | file | what it holds |
//! |---|---|
//! | [`chart`](mod@chart) | curves as SVG |
//! | [`page`] | the page |

pub mod chart;
pub mod page;

pub use page::html;
