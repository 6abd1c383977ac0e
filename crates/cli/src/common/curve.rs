//! A falling curve in a terminal.

/// Columns and rows of a curve.
const WIDTH: usize = 64;
const HEIGHT: usize = 10;
/// A column's top, in eighths of a row.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// (x, value) as columns over a logarithmic x axis from 1, the value of a column being that of the latest point at or
/// before it. Points are in order; values are at least 0; `unit` is what x counts.
pub fn curve(points: &[(u64, f64)], unit: &str) -> String {
    let last = points.last().map_or(1, |point| point.0).max(2);
    let highest = points.iter().fold(f64::MIN_POSITIVE, |highest: f64, point| highest.max(point.1));
    let column_of = |x: u64| ((WIDTH - 1) as f64 * (x as f64).ln() / (last as f64).ln()).round() as usize;
    let mut columns = [0.0; WIDTH];
    for &(x, value) in points {
        columns[column_of(x)..].fill(value);
    }
    let mut text = String::new();
    for row in (0..HEIGHT).rev() {
        let label = match row {
            _ if row == HEIGHT - 1 => format!("{highest:.3}"),
            0 => "0".to_owned(),
            _ => String::new(),
        };
        let block = |value: &f64| {
            let eighths = (value / highest * (8 * HEIGHT) as f64).ceil() as usize;
            BLOCKS[eighths.saturating_sub(8 * row).min(8)]
        };
        let line: String = columns.iter().map(block).collect();
        text += &format!("{label:>7} │{}\n", line.trim_end());
    }
    text += &format!("{:>7} └{}\n", "", "─".repeat(WIDTH));
    text + &format!("{:>7}  {} {unit}\n", "", axis(last, &column_of))
}

/// Powers of ten under their columns, and the last x under the last if there is room for it.
fn axis(last: u64, column_of: &dyn Fn(u64) -> usize) -> String {
    let mut line = String::new();
    let powers = std::iter::successors(Some(1_u64), |power| power.checked_mul(10)).take_while(|&power| power <= last);
    for power in powers {
        let column = column_of(power);
        if column > line.len() || column == 0 {
            line = format!("{line:<column$}{power}");
        }
    }
    let end = last.to_string();
    if line.len() + 1 + end.len() <= WIDTH {
        line = format!("{line:<rest$}{end}", rest = WIDTH - end.len());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_over_their_numbers() {
        let text = curve(&[(1, 1.0), (10, 0.5), (100, 0.0)], "games");
        let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        assert_eq!(lines.len(), HEIGHT + 2);
        // Nine characters of labels; 10 stands in the middle, 100 at the end.
        let height = |column: usize| lines[..HEIGHT].iter().filter(|line| line.get(9 + column) == Some(&'█')).count();
        assert_eq!([0, 31, 32, 62, 63].map(height), [10, 10, 5, 5, 0]);
        assert!(text.starts_with("  1.000 │█") && text.contains("\n      0 │█"), "{text}");
        let axis: String = lines[HEIGHT + 1][9..].iter().collect();
        assert!(
            axis.starts_with("1 ") && axis.find("10") == Some(32) && axis.find("100 games") == Some(61 + 2),
            "{axis}"
        );
    }

    #[test]
    fn small_and_empty_curves_are_drawn() {
        assert_eq!(curve(&[], "sweeps").lines().count(), HEIGHT + 2);
        assert!(curve(&[(1, 0.0)], "sweeps").contains("1 "));
        let text = curve(&[(1, 0.25), (2, 0.25), (7, 0.1)], "sweeps");
        assert!(text.ends_with("7 sweeps\n") && text.starts_with("  0.250 │█"), "{text}");
    }
}
