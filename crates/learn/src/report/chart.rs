//! Curves as SVG.

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// Width and height of a chart.
const SIZE: (u32, u32) = (640, 300);

/// A named curve.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// What the legend calls it.
    pub name: String,
    /// (x, value).
    pub points: Vec<(f64, f64)>,
    /// (x, low, high) around some of the points.
    pub intervals: Vec<(f64, f64, f64)>,
}

/// How x is spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, from 0.
    Linear,
    /// By powers of ten, from 1.
    Logarithmic,
}

/// A chart as SVG, with `x` under its axis.
///
/// # Errors
/// If it cannot be drawn.
pub fn chart(title: &str, x: &str, scale: Scale, curves: &[Curve]) -> Result<String, String> {
    let last = curves.iter().flat_map(|curve| &curve.points).fold(1.0, |last: f64, point| last.max(point.0));
    let mut svg = String::new();
    let drawn = match scale {
        Scale::Linear => draw(title, x, 0.0..last * 1.02, curves, &mut svg),
        Scale::Logarithmic => {
            // The legend of many curves stands beside them; an axis from 1 to 1 would have no length.
            let room = if curves.len() > 2 { 1.3 } else { 1.0 };
            draw(title, x, (1.0..last.max(2.0).powf(room)).log_scale(), curves, &mut svg)
        }
    };
    drawn.map_err(|error| format!("cannot draw {title:?}: {error}"))?;
    Ok(svg + "\n")
}

fn draw<X>(title: &str, x: &str, range: X, curves: &[Curve], svg: &mut String) -> Result<(), Box<dyn std::error::Error>>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
{
    let numbers = || {
        let intervals = curves.iter().flat_map(|curve| curve.intervals.iter().flat_map(|&(_, low, high)| [low, high]));
        curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1)).chain(intervals)
    };
    let low = numbers().fold(0.0, f64::min);
    let high = numbers().fold(low + 1e-3, f64::max);
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let margin = 0.05 * (high - low);
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(30)
        .y_label_area_size(56)
        .build_cartesian_2d(range, low - margin..high + margin)?;
    chart.configure_mesh().x_desc(x).light_line_style(WHITE).draw()?;
    for (number, curve) in curves.iter().enumerate() {
        let color = Palette99::pick(number).to_rgba();
        chart
            .draw_series(LineSeries::new(curve.points.iter().copied(), &color))?
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], color));
        let bars = curve.intervals.iter().map(|&(x, low, high)| PathElement::new(vec![(x, low), (x, high)], color));
        chart.draw_series(bars)?;
        chart.draw_series(curve.points.iter().map(|&point| Circle::new(point, 2, color.filled())))?;
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE.mix(0.8)).draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The x of each point of the only curve, in pixels.
    fn places(svg: &str) -> Vec<f64> {
        let circles = svg.split("<circle cx=\"").skip(1);
        circles.map(|text| text.split('"').next().unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn scales_space_points_as_they_say() {
        let points = vec![(1.0, 0.5), (10.0, 0.3), (100.0, 0.1)];
        let curve = Curve { name: "error".to_owned(), points, intervals: Vec::new() };
        let drawn = |scale| chart("A title", "episodes", scale, std::slice::from_ref(&curve)).unwrap();
        let log = drawn(Scale::Logarithmic);
        assert!(log.contains("A title") && log.contains("episodes") && log.contains("error"));
        let places_log = places(&log);
        assert!((places_log[2] + places_log[0] - 2.0 * places_log[1]).abs() <= 2.0, "{places_log:?}");
        let places_linear = places(&drawn(Scale::Linear));
        assert!(places_linear[2] - places_linear[1] > 5.0 * (places_linear[1] - places_linear[0]), "{places_linear:?}");
    }

    #[test]
    fn few_points_can_be_drawn() {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            for points in [vec![], vec![(1.0, 0.0)]] {
                let curve = Curve { points, ..Curve::default() };
                assert!(chart("", "", scale, &[curve]).unwrap().contains("<svg"));
            }
        }
    }
}
