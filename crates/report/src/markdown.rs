//! A report as Markdown.

use crate::chart::{Chart, Shape};
use crate::document::{Block, Report, Table};
use std::fmt::Write;

/// The report as Markdown; the data of a chart stand in a table.
pub fn markdown(report: &Report) -> String {
    let mut text = format!("# {}\n", plain(&report.title));
    for paragraph in &report.lead {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{}\n", plain(paragraph));
    }
    if !report.facts.is_empty() {
        text.push('\n');
        for (name, value) in &report.facts {
            let _ = writeln!(text, "- {}: {}", plain(name), plain(value));
        }
    }
    if !report.verdicts.is_empty() {
        text.push_str("\n## What became of each claim\n\n| claim | place | verdict | numbers |\n|---|---|---|---|\n");
        for line in &report.verdicts {
            let cells = [&line.claim, &line.place, line.verdict.name(), &line.why].map(cell);
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
    }
    for section in &report.sections {
        let _ = write!(text, "\n## {}\n", plain(&section.title));
        for block in &section.blocks {
            text.push('\n');
            self::block(&mut text, block);
        }
    }
    text
}

/// Text that no longer means anything to Markdown but itself.
fn plain(text: &str) -> String {
    text.replace('\n', " ").replace('<', "&lt;")
}

/// Text in a table.
fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|")
}

fn block(text: &mut String, block: &Block) {
    match block {
        Block::Text(words) => {
            let _ = writeln!(text, "{}", plain(words));
        }
        Block::List(items) => {
            for item in items {
                let _ = writeln!(text, "- {}", plain(item));
            }
        }
        Block::Code(code) => {
            for line in code.lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
        Block::Table(item) => table(text, item),
        Block::Chart(item) => chart(text, item),
        Block::Board(item) => {
            let _ = writeln!(text, "{}\n", plain(&item.caption));
            for line in item.text.lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
}

fn table(text: &mut String, table: &Table) {
    if !table.caption.is_empty() {
        let _ = write!(text, "{}\n\n", plain(&table.caption));
    }
    let paper = |cited: bool| if cited { "paper: " } else { "" };
    let heads: Vec<String> =
        table.heads.iter().map(|head| format!("{}{}", paper(head.paper), cell(&head.name))).collect();
    rows(text, &heads, table.rows.iter().map(|row| row.iter().map(|item| cell(&item.words())).collect()));
}

fn rows(text: &mut String, heads: &[String], rows: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(text, "| {} |\n|{}", heads.join(" | "), "---|".repeat(heads.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
}

/// The data of a chart, a point a row.
fn chart(text: &mut String, chart: &Chart) {
    let _ = write!(text, "{}. {}\n\n", plain(&chart.title), plain(&chart.caption));
    let (x, y) = match chart.shape {
        Shape::Bars => ("", chart.x.name.as_str()),
        Shape::Lines | Shape::Dots => (chart.x.name.as_str(), chart.y.name.as_str()),
    };
    let heads = ["series", x, y, "interval"].map(cell);
    let points = chart.series.iter().flat_map(|series| series.points.iter().map(move |point| (series, point)));
    let lines = points.map(|(series, point)| {
        let x = match chart.shape {
            Shape::Bars => chart.rows.get(point.x as usize).cloned().unwrap_or_default(),
            Shape::Lines | Shape::Dots if !point.name.is_empty() => format!("{} ({})", point.name, point.x),
            Shape::Lines | Shape::Dots => point.x.to_string(),
        };
        let interval = point.interval.map_or(String::new(), |(low, high)| format!("{low:.4} to {high:.4}"));
        let name = if series.paper { format!("{} (paper)", series.name) } else { series.name.clone() };
        vec![cell(&name), cell(&x), format!("{:.4}", point.y), interval]
    });
    rows(text, &heads, lines);
}
