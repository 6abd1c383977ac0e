//! A position as SVG, from the letters that the game draws it with.

use crate::escape::escape;
use std::fmt::Write;

/// Width and height of a letter's cell.
const CELL: (f64, f64) = (11.0, 21.0);

/// The board as SVG: every letter in its own cell, so that no font can pull them apart.
pub fn svg(text: &str, about: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let (width, height) = (CELL.0 * columns as f64 + 16.0, CELL.1 * lines.len() as f64 + 16.0);
    let mut body = String::new();
    for (row, line) in lines.iter().enumerate() {
        for (column, letter) in line.chars().enumerate().filter(|(_, letter)| !letter.is_whitespace()) {
            let (x, y) = (8.0 + CELL.0 * (column as f64 + 0.5), 8.0 + CELL.1 * (row as f64 + 0.72));
            // Frames and empty cells step back behind the pieces.
            let class = if letter.is_alphanumeric() { "" } else { " class=\"e\"" };
            // Writing to a string cannot fail.
            let _ = write!(body, "<text{class} x=\"{x}\" y=\"{y:.1}\">{}</text>", escape(&letter.to_string()));
        }
    }
    let about = escape(about);
    format!(
        "<svg class=\"board\" viewBox=\"0 0 {width} {height}\" style=\"max-width:{width}px\" role=\"img\" \
         aria-label=\"{about}\"><rect width=\"{width}\" height=\"{height}\" rx=\"6\"/>{body}</svg>"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn letters_stand_in_rows_and_columns() {
        let svg = super::svg("a .\n .b", "<x>");
        assert_eq!(svg.matches("<text").count(), 4);
        assert!(svg.contains("aria-label=\"&lt;x&gt;\"") && svg.contains("class=\"e\""));
        assert!(super::svg("", "").contains("<svg"));
    }
}
