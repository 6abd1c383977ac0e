//! A chart as SVG: data in attributes, colours by class.

use crate::axis::Scale;
use crate::chart::{Chart, Point, Series, Shape};
use crate::escape::escape;
use std::fmt::Write;

/// Width of a plot with its axes.
const WIDTH: f64 = 480.0;
/// Height of a plot of curves or dots.
const HEIGHT: f64 = 280.0;
/// Room for what stands beside the plot: left, top, right, bottom.
const ROOM: (f64, f64, f64, f64) = (76.0, 10.0, 14.0, 48.0);
/// Room for the names of rows.
const NAMES: f64 = 168.0;
/// Height of a bar, and the space between groups.
const BAR: (f64, f64) = (15.0, 9.0);
/// Letters of a name in the legend of a file.
const MOST: usize = 60;
/// How many colours there are.
const COLOURS: usize = 7;

/// Where a chart is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    /// On a page of ours.
    Page,
    /// By itself.
    File,
}

/// The style of a file: light, dark where the reader asks for it, colours that the colour-blind tell apart.
const STYLE: &str = include_str!("chart.css");

impl Chart {
    /// The chart with its axes as SVG for a page, whose style sheet has the colours and which shows the legend itself;
    /// nothing if there is no point to draw.
    pub fn svg(&self) -> Option<String> {
        draw(self, For::Page)
    }

    /// The chart as an SVG file of its own, with title, legend and colours.
    pub fn file(&self) -> Option<String> {
        draw(self, For::File)
    }
}

/// Draws a chart; `None` if there is nothing to draw.
fn draw(chart: &Chart, place: For) -> Option<String> {
    let points = chart.series.iter().flat_map(|series| &series.points);
    if !points.clone().any(|point| point.y.is_finite() && point.x.is_finite()) {
        return None;
    }
    let plot = match chart.shape {
        Shape::Bars => bars(chart),
        Shape::Lines | Shape::Dots => curves(chart),
    };
    let (title, about) = (escape(&chart.title), escape(&format!("{}. {}", chart.title, chart.caption)));
    let Plot { height, body } = plot;
    if place == For::Page {
        return Some(format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{about}\">{body}</svg>"
        ));
    }
    let whole = height.max(20.0 * chart.series.len() as f64 + 20.0) + 30.0;
    let longest = chart.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0).min(MOST);
    let wide = WIDTH + 44.0 + 7.5 * longest as f64;
    let mut legend = String::new();
    for (number, series) in chart.series.iter().enumerate() {
        let y = 30.0 + 20.0 * number as f64;
        let (class, name) = (class(number, series), escape(&short(&series.name, MOST)));
        // Writing to a string cannot fail.
        let _ = write!(
            legend,
            "<g class=\"{class}\"><path class=\"l\" d=\"M{WIDTH} {y}h22\"/></g><text x=\"{}\" y=\"{}\">{name}</text>",
            WIDTH + 28.0,
            y + 4.0
        );
    }
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart file\" width=\"{wide}\" height=\"{whole}\" \
         viewBox=\"0 0 {wide} {whole}\" role=\"img\"><title>{title}</title><style>{STYLE}</style>\
         <rect class=\"paper\" width=\"{wide}\" height=\"{whole}\"/><text class=\"t\" x=\"12\" y=\"20\">{title}</text>\
         <g transform=\"translate(0 30)\">{body}{legend}</g></svg>\n"
    ))
}

/// A drawn plot.
struct Plot {
    height: f64,
    body: String,
}

/// The classes of a series.
pub(crate) fn class(number: usize, series: &Series) -> String {
    let paper = if series.paper { " cited" } else { "" };
    format!("s s{}{paper}", number % COLOURS)
}

/// At most so many letters.
fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most - 1).collect();
    format!("{cut}…")
}

fn ends(point: &Point) -> impl Iterator<Item = f64> {
    let (low, high) = point.interval.unwrap_or((point.y, point.y));
    [low, point.y, high].into_iter()
}

/// A number as it is told exactly.
fn exact(number: f64) -> String {
    let text = if number.abs() >= 100.0 { format!("{number:.1}") } else { format!("{number:.4}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The attributes of a point: its data, and the same in words for whoever points at it.
fn data(chart: &Chart, series: &Series, point: &Point) -> (String, String) {
    let interval = point.interval.map_or(String::new(), |(low, high)| format!(" [{}, {}]", exact(low), exact(high)));
    let (x, y) = (exact(point.x), exact(point.y));
    let words = match (chart.shape, point.name.as_str()) {
        (Shape::Bars, _) => {
            let row = chart.rows.get(point.x as usize).map_or("", String::as_str);
            format!("{row}, {}: {y}{interval}", series.name)
        }
        (_, "") => format!("{}: {y}{interval} at {x}", series.name),
        (_, name) => format!("{name}: {y}{interval} at {x}"),
    };
    let attributes = format!("data-x=\"{x}\" data-y=\"{y}{interval}\"");
    (attributes, escape(&words))
}

fn curves(chart: &Chart) -> Plot {
    let (left, top, right, bottom) = ROOM;
    let points = || chart.series.iter().flat_map(|series| &series.points);
    let xs = Scale::new(&chart.x, points().map(|point| point.x), (left, WIDTH - right));
    let ys = Scale::new(&chart.y, points().flat_map(ends), (HEIGHT - bottom, top));
    let mut body = String::new();
    frame(&mut body, (&xs, &chart.x.name), (&ys, &chart.y.name), HEIGHT);
    for (number, series) in chart.series.iter().enumerate() {
        let _ = write!(body, "<g class=\"{}\" data-s=\"{number}\">", class(number, series));
        let placed: Vec<(f64, f64, &Point)> =
            series.points.iter().filter_map(|point| Some((xs.at(point.x)?, ys.at(point.y)?, point))).collect();
        if chart.shape == Shape::Lines {
            band(&mut body, &xs, &ys, series);
            let line: Vec<String> = placed.iter().map(|(x, y, _)| format!("{x:.1} {y:.1}")).collect();
            if line.len() > 1 {
                let _ = write!(body, "<path class=\"l\" d=\"M{}\"/>", line.join("L"));
            }
        }
        for (x, y, point) in placed {
            if let Some((low, high)) = point.interval
                && (chart.shape == Shape::Dots || series.points.len() == 1)
                && let (Some(low), Some(high)) = (ys.at(low), ys.at(high))
            {
                let _ = write!(body, "<path class=\"w\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
            }
            let (attributes, words) = data(chart, series, point);
            let _ = write!(
                body,
                "<path class=\"p\" {attributes} d=\"{}\"><title>{words}</title></path>",
                mark(number, x, y)
            );
        }
        body.push_str("</g>");
    }
    Plot { height: HEIGHT, body }
}

/// A mark: every series has another form, so that colour is not all that tells them apart.
fn mark(number: usize, x: f64, y: f64) -> String {
    let r = 3.2;
    match number % 4 {
        0 => format!("M{:.1} {y:.1}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", x - r, d = 2.0 * r),
        1 => format!("M{:.1} {:.1}h6v6h-6z", x - 3.0, y - 3.0),
        2 => format!("M{x:.1} {:.1}l4 7h-8z", y - 4.0),
        _ => format!("M{x:.1} {:.1}l4 4l-4 4l-4 -4z", y - 4.0),
    }
}

/// The intervals of a series as a band.
fn band(body: &mut String, xs: &Scale, ys: &Scale, series: &Series) {
    let edge = |which: fn((f64, f64)) -> f64| -> Vec<String> {
        let ends = series.points.iter().filter_map(|point| Some((xs.at(point.x)?, ys.at(which(point.interval?))?)));
        ends.map(|(x, y)| format!("{x:.1} {y:.1}")).collect()
    };
    let (low, mut high) = (edge(|(low, _)| low), edge(|(_, high)| high));
    if low.len() > 1 {
        high.reverse();
        let _ = write!(body, "<path class=\"b\" d=\"M{}L{}z\"/>", low.join("L"), high.join("L"));
    }
}

/// The grid, ticks and names of both axes.
fn frame(body: &mut String, (xs, x): (&Scale, &str), (ys, y): (&Scale, &str), height: f64) {
    let (left, top, right, bottom) = ROOM;
    let (base, end) = (height - bottom, WIDTH - right);
    for (number, name) in ys.ticks(5) {
        let Some(at) = ys.at(number) else { continue };
        let _ = write!(
            body,
            "<path class=\"g\" d=\"M{left} {at:.1}H{end}\"/><text class=\"n y\" x=\"{}\" y=\"{:.1}\">{name}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    x_ticks(body, xs, (top, base));
    let middle = 0.5 * (left + end);
    let _ = write!(body, "<text class=\"n x\" x=\"{middle}\" y=\"{}\">{}</text>", height - 8.0, escape(&short(x, 56)));
    let half = 0.5 * (top + base);
    let _ = write!(
        body,
        "<text class=\"n x\" transform=\"translate(13 {half}) rotate(-90)\">{}</text>",
        escape(&short(y, 34))
    );
}

/// Ticks of the horizontal axis, as many as stand beside each other.
fn x_ticks(body: &mut String, xs: &Scale, (top, base): (f64, f64)) {
    let mut free = f64::NEG_INFINITY;
    for (number, name) in xs.ticks(6) {
        let Some(at) = xs.at(number) else { continue };
        let _ = write!(body, "<path class=\"g\" d=\"M{at:.1} {top}V{base}\"/>");
        let half = 4.5 * name.chars().count() as f64;
        if at - half > free && at + half < WIDTH {
            let _ = write!(body, "<text class=\"n x\" x=\"{at:.1}\" y=\"{}\">{name}</text>", base + 19.0);
            free = at + half + 4.0;
        }
    }
}

fn bars(chart: &Chart) -> Plot {
    let (_, top, right, bottom) = ROOM;
    let group = BAR.0 * chart.series.len() as f64 + BAR.1;
    let height = top + group * chart.rows.len() as f64 + bottom;
    let numbers = chart.series.iter().flat_map(|series| &series.points).flat_map(ends);
    let axis = crate::chart::Axis { from_zero: !chart.x.logarithmic, ..chart.x.clone() };
    let xs = Scale::new(&axis, numbers, (NAMES, WIDTH - right));
    let base = height - bottom;
    let mut body = String::new();
    x_ticks(&mut body, &xs, (top, base));
    let middle = 0.5 * (NAMES + WIDTH - right);
    let _ = write!(
        body,
        "<text class=\"n x\" x=\"{middle}\" y=\"{}\">{}</text>",
        height - 8.0,
        escape(&short(&chart.x.name, 44))
    );
    for (row, name) in chart.rows.iter().enumerate() {
        let y = top + group * row as f64 + 0.5 * group + 4.0;
        let _ = write!(
            body,
            "<text class=\"n y\" x=\"{}\" y=\"{y:.1}\"><title>{}</title>{}</text>",
            NAMES - 8.0,
            escape(name),
            escape(&short(name, 20))
        );
    }
    let zero = xs.at(0.0).unwrap_or(NAMES);
    for (number, series) in chart.series.iter().enumerate() {
        let _ = write!(body, "<g class=\"{}\" data-s=\"{number}\">", class(number, series));
        for point in &series.points {
            let Some(x) = xs.at(point.y) else { continue };
            let y = top + group * point.x + 0.5 * BAR.1 + BAR.0 * number as f64;
            let (attributes, words) = data(chart, series, point);
            let (from, width) = (x.min(zero), (x - zero).abs().max(1.5));
            let _ = write!(
                body,
                "<rect class=\"p r\" {attributes} x=\"{from:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{}\"><title>{words}</title></rect>",
                y + 1.0,
                BAR.0 - 2.0
            );
            if let Some((low, high)) = point.interval
                && let (Some(low), Some(high)) = (xs.at(low), xs.at(high))
            {
                let _ = write!(body, "<path class=\"w over\" d=\"M{low:.1} {:.1}H{high:.1}\"/>", y + 0.5 * BAR.0);
            }
        }
        body.push_str("</g>");
    }
    Plot { height, body }
}

#[cfg(test)]
mod tests {
    use crate::chart::{Axis, Chart, Point, Series, Shape};

    fn chart(shape: Shape, points: Vec<Point>) -> Chart {
        let series = Series { name: "ours <1>".to_owned(), paper: false, points };
        let rows = vec!["first & last".to_owned(), "second".to_owned()];
        let (x, y) = (Axis::logarithmic("games"), Axis::from_zero("wins"));
        Chart { title: "T".to_owned(), x, y, shape, rows, series: vec![series], ..Chart::default() }
    }

    /// The x of each point, in pixels.
    fn places(svg: &str) -> Vec<f64> {
        let marks = svg.split("class=\"p\"").skip(1).map(|text| text.split(" d=\"M").nth(1).unwrap());
        marks.map(|text| text.split(' ').next().unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn scales_space_points_as_they_say() {
        let points = || vec![Point::new(1.0, 0.5), Point::new(10.0, 0.3), Point::new(100.0, 0.1)];
        let logarithmic = places(&chart(Shape::Lines, points()).svg().unwrap());
        assert!((logarithmic[2] + logarithmic[0] - 2.0 * logarithmic[1]).abs() < 0.5, "{logarithmic:?}");
        let linear = Chart { x: Axis::linear("games"), ..chart(Shape::Lines, points()) };
        let linear = places(&linear.svg().unwrap());
        assert!(linear[2] - linear[1] > 5.0 * (linear[1] - linear[0]), "{linear:?}");
    }

    #[test]
    fn data_stand_in_attributes_and_names_are_escaped() {
        let point = Point { interval: Some((0.25, 0.75)), ..Point::new(1.0, 0.5) };
        for shape in [Shape::Lines, Shape::Dots, Shape::Bars] {
            let svg = chart(shape, vec![point.clone(), Point::new(2.0, 0.1)]).svg().unwrap();
            assert!(svg.contains("data-y=\"0.5 [0.25, 0.75]\"") && svg.contains("ours &lt;1&gt;"), "{svg}");
            assert!(!svg.contains("ours <1>") && !svg.contains("NaN") && !svg.contains("inf"));
        }
    }

    #[test]
    fn nothing_is_drawn_of_nothing_and_something_of_little() {
        for shape in [Shape::Lines, Shape::Dots, Shape::Bars] {
            assert_eq!(chart(shape, Vec::new()).svg(), None);
            assert_eq!(chart(shape, vec![Point::new(f64::NAN, 1.0)]).svg(), None);
            let file = chart(shape, vec![Point::new(1.0, 0.0)]).file().unwrap();
            assert!(file.contains("<style>") && file.contains("ours &lt;1&gt;"));
        }
    }
}
