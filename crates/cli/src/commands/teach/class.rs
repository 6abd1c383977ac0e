//! Lessons: a method learns on a setting, and what is printed of it.

use crate::common::curve::curve;
use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::table::Table;
use anyhow::{Context, Result};
use serde_json::json;
use tesuji_learn::tabular::watch::is_round;
use tesuji_learn::tabular::{Goal, Lesson, Point, Setting, StepSize, TabularMethod, TabularOptions, Traces, Unit};
use tesuji_report::{Axis, Chart, Series};

/// What a method finds, in words.
pub fn goal(goal: Goal) -> &'static str {
    match goal {
        Goal::RandomPolicy => "random play",
        Goal::Optimum => "the optimum",
    }
}

/// Where the lessons take place, in words.
pub struct Place {
    /// The game's name.
    pub game: &'static str,
    /// Where it starts.
    pub position: String,
    /// What the first player is called.
    pub first: &'static str,
}

/// Lessons on one setting.
pub struct Class<'a> {
    /// The states of the random walk, if it is one.
    pub walk: Option<usize>,
    /// Where they take place.
    pub place: &'a Place,
    /// The states.
    pub setting: &'a Setting,
    /// What was chosen about the methods.
    pub options: TabularOptions,
}

impl Class<'_> {
    /// Lets a method learn.
    pub fn teach(&self, method: &TabularMethod) -> Lesson {
        let mut progress = Progress::new(method.unit.name(), self.options.episodes);
        method.teach(self.setting, &self.options, &mut |count| {
            // Nobody knows how many sweeps it will take.
            if method.unit == Unit::Episodes {
                progress.set(count);
            }
        })
    }

    /// `tictactoe from startpos: 5478 states, 958 of them ends`.
    fn place(&self) -> String {
        let Place { game, position, .. } = self.place;
        let (states, open) = (self.setting.len(), self.setting.open().len());
        format!("{game} from {position}: {states} states, {} of them ends", states - open)
    }

    /// The parameters that the method uses.
    fn parameters(&self, method: &TabularMethod) -> String {
        let options = &self.options;
        let mut texts = vec![format!("gamma {}", options.gamma)];
        let alpha = options.alpha.or(method.alpha);
        for option in method.options {
            texts.push(match *option {
                "alpha" => format!("alpha {}", alpha.unwrap_or(StepSize::MEAN)),
                "lambda" => format!("lambda {}", options.lambda),
                "steps" => format!("n {}", options.steps),
                "epsilon" => format!("epsilon {}", options.epsilon),
                "traces" if options.traces == Traces::Replacing => "replacing traces".to_owned(),
                "traces" => "accumulating traces".to_owned(),
                "exploring-starts" if options.exploring_starts => "exploring starts".to_owned(),
                "seed" => format!("seed {}", options.seed),
                _ => continue,
            });
        }
        texts.join(", ")
    }

    /// (move, what was learned of it, what is exact) at the start, for the first player.
    fn moves(&self, lesson: &Lesson) -> Vec<(&str, f64, f64)> {
        let Class { setting, options, .. } = self;
        let targets = |values| setting.targets(setting.start, values, options.gamma);
        let both = targets(&lesson.learned.values).zip(targets(&lesson.exact));
        setting.moves.iter().zip(both).map(|(mv, (learned, exact))| (mv.as_str(), learned, exact)).collect()
    }

    /// Prints one lesson.
    pub fn print(&self, method: &TabularMethod, lesson: &Lesson, out: &mut Output) -> Result<()> {
        out.line(&format!("{}: {}", method.name, method.title))?;
        out.line(&format!("  {}", method.formula))?;
        out.line(&self.place())?;
        let what = match method.goal {
            Goal::RandomPolicy => "the values of random play",
            Goal::Optimum => "the values of best play",
        };
        out.line(&format!("finds {what} for {}; {}", self.place.first, self.parameters(method)))?;
        out.line("")?;
        let mut table = Table::new().right(0..7);
        let mut head = vec![method.unit.name(), "transitions", "seen", "V(start)", "rms error", "largest"];
        head.extend((method.goal == Goal::Optimum).then_some("mistakes"));
        table.row(head);
        for point in rows(method, &lesson.points) {
            let mut row = vec![point.count.to_string(), point.transitions.to_string(), point.seen.to_string()];
            row.extend([point.start, point.rms, point.largest].map(decimal));
            row.extend(point.mistakes.map(|mistakes| mistakes.to_string()));
            table.row(row);
        }
        let exact = decimal(lesson.exact[self.setting.start]);
        table.row(["exact".to_owned(), String::new(), self.setting.open().len().to_string(), exact]);
        out.bytes(table.text().as_bytes())?;
        out.line("\nrms error")?;
        let points: Vec<(u64, f64)> = lesson.points.iter().map(|point| (point.count, point.rms)).collect();
        out.bytes(curve(&points, method.unit.name()).as_bytes())?;
        out.line("")?;
        let mut table = Table::new().right(1..3);
        table.row(["move", "learned", "exact"]);
        for (mv, learned, exact) in self.moves(lesson) {
            table.row([mv.to_owned(), decimal(learned), decimal(exact)]);
        }
        out.bytes(table.text().as_bytes())
    }

    /// The ends of all lessons in one table.
    pub fn compare(&self, methods: &[&TabularMethod], lessons: &[Lesson], out: &mut Output) -> Result<()> {
        out.line(&self.place())?;
        out.line("")?;
        let mut table = Table::new().right([2, 4, 5, 6, 7, 8, 9, 10]);
        let numbers = ["transitions", "seen", "V(start)", "exact", "rms error", "largest", "mistakes"];
        table.row(["method", "finds", "", "after"].into_iter().chain(numbers).map(str::to_owned));
        for (method, lesson) in methods.iter().zip(lessons) {
            let point = lesson.points.last().context("a method that learned nothing")?;
            let mut row = vec![method.name.to_owned(), goal(method.goal).to_owned(), point.count.to_string()];
            row.extend([method.unit.name().to_owned(), point.transitions.to_string(), point.seen.to_string()]);
            row.extend([point.start, lesson.exact[self.setting.start], point.rms, point.largest].map(decimal));
            row.push(point.mistakes.map_or("-".to_owned(), |mistakes| mistakes.to_string()));
            table.row(row);
        }
        out.bytes(table.text().as_bytes())
    }

    /// One method: its two errors by its own count. Several: their rms errors by what they have looked at.
    pub fn plot(&self, methods: &[&TabularMethod], lessons: &[Lesson]) -> Result<String> {
        let place = format!("{} from {}", self.place.game, self.place.position);
        let curve = |name: &str, lesson: &Lesson, at: &dyn Fn(&Point) -> (u64, f64)| Series {
            name: name.to_owned(),
            points: lesson.points.iter().map(at).map(|(x, y)| tesuji_report::Point::new(x as f64, y)).collect(),
            ..Series::default()
        };
        let (title, x, series) = match (methods, lessons) {
            ([method], [lesson]) => {
                let rms = curve("rms error", lesson, &|point| (point.count, point.rms));
                let largest = curve("largest error", lesson, &|point| (point.count, point.largest));
                (format!("{}: error on {place}", method.name), method.unit.name(), vec![rms, largest])
            }
            _ => {
                let curves = methods
                    .iter()
                    .zip(lessons)
                    .map(|(method, lesson)| curve(method.name, lesson, &|point| (point.transitions, point.rms)));
                (format!("rms error on {place}"), "transitions", curves.collect())
            }
        };
        let (x, y) = (Axis::logarithmic(x), Axis::from_zero("error"));
        Chart { title, x, y, series, ..Chart::default() }.file().context("there is nothing to draw")
    }

    /// Prints one lesson for machines.
    pub fn print_json(&self, method: &TabularMethod, lesson: &Lesson, out: &mut Output) -> Result<()> {
        let moves: Vec<serde_json::Value> = self
            .moves(lesson)
            .into_iter()
            .map(|(mv, learned, exact)| json!({ "move": mv, "learned": learned, "exact": exact }))
            .collect();
        out.object(&json!({
            "method": method.name, "goal": method.goal, "unit": method.unit, "game": self.place.game,
            "walk": self.walk, "position": self.place.position, "states": self.setting.len(),
            "ends": self.setting.len() - self.setting.open().len(), "parameters": self.parameters(method),
            "exact": lesson.exact[self.setting.start], "points": lesson.points, "moves": moves,
        }))
    }
}

/// The points that a table shows: every one of few sweeps, else those at 1, 2, 5, 10, 20, 50 ..., and the last.
fn rows<'a>(method: &TabularMethod, points: &'a [Point]) -> Vec<&'a Point> {
    let last = points.last().map_or(0, |point| point.count);
    let few = method.unit != Unit::Episodes && last <= 20;
    points.iter().filter(|point| few || is_round(point.count) || point.count == last).collect()
}

/// Four digits after the point; what rounds to 0 has no sign.
fn decimal(number: f64) -> String {
    let text = format!("{number:.4}");
    if text == "-0.0000" { "0.0000".to_owned() } else { text }
}
