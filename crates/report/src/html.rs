//! A report as one HTML file: no network, readable without script, light and dark, prints well.

use crate::chart::{Chart, Shape};
use crate::document::{Block, Cell, Report, Table, Verdict, VerdictLine};
use crate::escape::escape;
use crate::{board, svg};
use std::fmt::Write;

const CHART_STYLE: &str = include_str!("chart.css");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The report as a page.
pub fn html(report: &Report) -> String {
    let title = escape(&report.title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>{CHART_STYLE}{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n"
    );
    for paragraph in &report.lead {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "<p class=\"lead\">{}</p>", escape(paragraph));
    }
    if !report.facts.is_empty() {
        page.push_str("<dl class=\"facts\">");
        for (name, value) in &report.facts {
            let _ = write!(page, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
        }
        page.push_str("</dl>\n");
    }
    page.push_str("</header>\n");
    if !report.verdicts.is_empty() {
        verdicts(&mut page, report);
    }
    contents(&mut page, report);
    for (number, section) in report.sections.iter().enumerate() {
        let _ = writeln!(page, "<section id=\"{}\">\n<h2>{}</h2>", anchor(number), escape(&section.title));
        for item in &section.blocks {
            block(&mut page, item);
        }
        page.push_str("</section>\n");
    }
    let _ = write!(page, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

fn anchor(number: usize) -> String {
    format!("s{}", number + 1)
}

fn contents(page: &mut String, report: &Report) {
    if report.sections.len() < 2 {
        return;
    }
    page.push_str("<nav aria-label=\"Contents\"><ol>");
    for (number, section) in report.sections.iter().enumerate() {
        let _ = write!(page, "<li><a href=\"#{}\">{}</a></li>", anchor(number), escape(&section.title));
    }
    page.push_str("</ol></nav>\n");
}

/// The class and the sign of a verdict: colour is not all that tells them apart.
const fn sign(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Holds => ("holds", "✓"),
        Verdict::DoesNotHold => ("fails", "✗"),
        Verdict::NotDecided => ("open", "?"),
    }
}

fn verdicts(page: &mut String, report: &Report) {
    page.push_str("<section class=\"verdicts\"><h2>What became of each claim</h2>\n<ul>\n");
    for line in &report.verdicts {
        let VerdictLine { claim, place, verdict, why, section, .. } = line;
        let (class, mark) = sign(*verdict);
        let link = report.sections.iter().position(|known| known.title == *section);
        let link = link.map_or(String::new(), |number| format!(" <a href=\"#{}\">data</a>", anchor(number)));
        let _ = writeln!(
            page,
            "<li><span class=\"verdict {class}\">{mark} {}</span><p>{} <span class=\"place\">({})</span></p>\
             <p class=\"why\">{}{link}</p></li>",
            verdict.name(),
            escape(claim),
            escape(place),
            escape(why),
        );
    }
    page.push_str("</ul></section>\n");
}

fn block(page: &mut String, block: &Block) {
    match block {
        Block::Text(text) => {
            let _ = writeln!(page, "<p>{}</p>", escape(text));
        }
        Block::List(items) => {
            page.push_str("<ul class=\"list\">");
            for item in items {
                let _ = write!(page, "<li>{}</li>", escape(item));
            }
            page.push_str("</ul>\n");
        }
        Block::Code(text) => {
            let _ = writeln!(page, "<pre tabindex=\"0\"><code>{}</code></pre>", escape(text));
        }
        Block::Table(item) => table(page, item),
        Block::Chart(item) => chart(page, item),
        Block::Board(item) => {
            let (drawn, caption) = (board::svg(&item.text, &item.caption), escape(&item.caption));
            let _ = writeln!(page, "<figure>{drawn}<figcaption>{caption}</figcaption></figure>");
        }
    }
}

fn table(page: &mut String, table: &Table) {
    // Above the table, not in it: a narrow table would make a narrow caption.
    if !table.caption.is_empty() {
        let _ = writeln!(page, "<p class=\"caption\">{}</p>", escape(&table.caption));
    }
    page.push_str("<div class=\"wide\" tabindex=\"0\"><table>");
    page.push_str("<thead><tr>");
    for (number, head) in table.heads.iter().enumerate() {
        let numbers = table.rows.iter().any(|row| matches!(row.get(number), Some(Cell::Number { .. })));
        let class = match (head.paper, numbers) {
            (true, _) => " class=\"num cited\"",
            (false, true) => " class=\"num\"",
            (false, false) => "",
        };
        let _ = write!(page, "<th scope=\"col\"{class}>{}</th>", escape(&head.name));
    }
    page.push_str("</tr></thead><tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for (cell, head) in row.iter().zip(&table.heads) {
            let cited = if head.paper { " cited" } else { "" };
            let words = escape(&cell.words());
            let _ = match cell {
                Cell::Number { quantity, .. } => {
                    let (number, interval) = words.split_once(" [").unwrap_or((&words, ""));
                    let interval =
                        if interval.is_empty() { String::new() } else { format!(" <small>[{interval}</small>") };
                    write!(page, "<td class=\"num{cited}\" data-v=\"{}\">{number}{interval}</td>", quantity.value())
                }
                // Lines of agents have no spaces: they may be broken behind a comma.
                Cell::Text(_) | Cell::Empty => {
                    write!(page, "<td class=\"{}\">{}</td>", cited.trim(), words.replace(',', ",<wbr>"))
                }
            };
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

fn chart(page: &mut String, chart: &Chart) {
    let Some(drawn) = chart.svg() else {
        let _ = writeln!(page, "<p class=\"none\">{}: nothing to draw yet.</p>", escape(&chart.title));
        return;
    };
    let _ = write!(
        page,
        "<figure class=\"plot\"><p class=\"title\">{}</p><div class=\"beside\">{drawn}",
        escape(&chart.title)
    );
    if chart.series.len() > 1 || chart.series.iter().any(|series| series.paper) {
        page.push_str("<ul class=\"legend\">");
        for (number, series) in chart.series.iter().enumerate() {
            let (class, name) = (svg::class(number, series), escape(&series.name));
            let key = if chart.shape == Shape::Bars { "key bar" } else { "key" };
            let _ = write!(
                page,
                "<li class=\"{class}\" data-s=\"{number}\"><span class=\"{key}\"></span><span>{name}</span></li>"
            );
        }
        page.push_str("</ul>");
    }
    let _ = writeln!(page, "</div><figcaption>{}</figcaption></figure>", escape(&chart.caption));
}
