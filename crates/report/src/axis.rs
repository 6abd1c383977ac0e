//! Where ticks stand and what they are called.

use crate::chart::Axis;

/// A scale from numbers to pixels.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    logarithmic: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// The scale of an axis over numbers, onto the pixels `from..to`. Numbers that the axis cannot show are left out of it.
    pub(crate) fn new(axis: &Axis, numbers: impl Iterator<Item = f64>, (from, to): (f64, f64)) -> Scale {
        let usable = |number: &f64| number.is_finite() && number.abs() < 1e300 && (!axis.logarithmic || *number > 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for number in numbers.filter(usable) {
            low = low.min(number);
            high = high.max(number);
        }
        if low > high {
            (low, high) = (1.0, 2.0);
        }
        if axis.logarithmic {
            if low == high {
                (low, high) = (low / 2.0, high * 2.0);
            }
            return Scale { logarithmic: true, low: low.log10(), high: high.log10(), from, to };
        }
        if axis.from_zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if high - low < 1e-12 * high.abs().max(1e-9) {
            let half = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
            (low, high) = (low - half, high + half);
        } else if !axis.from_zero {
            let margin = 0.04 * (high - low);
            (low, high) = (low - margin, high + margin);
        } else if high > 0.0 {
            high += 0.04 * (high - low);
        }
        Scale { logarithmic: false, low, high, from, to }
    }

    /// The pixel of a number; `None` if the axis cannot show it.
    pub(crate) fn at(&self, number: f64) -> Option<f64> {
        let place = if self.logarithmic { (number > 0.0).then(|| number.log10())? } else { number };
        let share = (place - self.low) / (self.high - self.low);
        share.is_finite().then(|| self.from + share.clamp(-0.5, 1.5) * (self.to - self.from))
    }

    /// Ticks, about so many of them: numbers with their names.
    pub(crate) fn ticks(&self, about: usize) -> Vec<(f64, String)> {
        if self.logarithmic { self.powers(about) } else { self.even(about) }
    }

    fn even(&self, about: usize) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / about.max(1) as f64;
        let power = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|&step| step >= rough).unwrap_or(rough);
        let (first, last) = ((self.low / step).ceil(), (self.high / step + 1e-9).floor());
        let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        let count = (last - first).clamp(0.0, 50.0) as u32;
        (0..=count).map(|index| (first + f64::from(index)) * step).map(|tick| (tick, name(tick, digits))).collect()
    }

    fn powers(&self, about: usize) -> Vec<(f64, String)> {
        let decades = self.high - self.low;
        let steps: &[f64] = if decades > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let every = (decades / about.max(1) as f64).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for power in self.low.floor() as i32..=self.high.ceil() as i32 {
            for step in steps.iter().filter(|&&step| step != 1.0 || power.rem_euclid(every) == 0) {
                let tick = step * 10.0_f64.powi(power);
                let place = tick.log10();
                if self.low - 1e-9 <= place && place <= self.high + 1e-9 {
                    ticks.push((tick, name(tick, (-power).clamp(0, 9) as usize)));
                }
            }
        }
        ticks
    }
}

/// A number on an axis: `0.25`, `150`, `20k`, `3M`, `2e-5`.
pub(crate) fn name(number: f64, digits: usize) -> String {
    let size = number.abs();
    let short = |unit: f64, letter: &str| {
        let text = format!("{:.2}", number / unit);
        format!("{}{letter}", text.trim_end_matches('0').trim_end_matches('.'))
    };
    match size {
        1e9.. => short(1e9, "G"),
        1e6.. => short(1e6, "M"),
        1e4.. => short(1e3, "k"),
        _ if size > 0.0 && size < 1e-3 => format!("{number:.0e}"),
        _ => format!("{number:.digits$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(axis: &Axis, numbers: &[f64], about: usize) -> Vec<String> {
        let scale = Scale::new(axis, numbers.iter().copied(), (0.0, 100.0));
        scale.ticks(about).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(names(&Axis::from_zero("x"), &[0.0, 97.0], 5), ["0", "50", "100"]);
        assert_eq!(names(&Axis::linear("x"), &[0.31, 0.46], 5), ["0.35", "0.40", "0.45"]);
        assert_eq!(names(&Axis::logarithmic("x"), &[1.0, 100_000.0], 6), ["1", "10", "100", "1000", "10k", "100k"]);
        assert_eq!(names(&Axis::logarithmic("x"), &[0.02, 0.3], 6), ["0.02", "0.05", "0.1", "0.2"]);
        assert_eq!(names(&Axis::linear("x"), &[2e-5, 4e-5], 3), ["2e-5", "3e-5", "4e-5"]);
    }

    #[test]
    fn odd_data_have_a_scale() {
        for numbers in [&[][..], &[f64::NAN], &[0.0], &[5.0, 5.0], &[f64::INFINITY, 1.0], &[-1.0, 1e299]] {
            for axis in [Axis::linear("x"), Axis::from_zero("x"), Axis::logarithmic("x")] {
                let scale = Scale::new(&axis, numbers.iter().copied(), (0.0, 100.0));
                assert!(scale.ticks(5).len() < 100, "{numbers:?}");
                assert!(scale.at(1.0).is_some_and(f64::is_finite), "{numbers:?} {axis:?}");
                assert!(scale.at(f64::NAN).is_none());
            }
        }
    }
}
