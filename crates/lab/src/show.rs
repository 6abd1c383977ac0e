//! Tables and figures, ours beside the paper's.

use crate::entry::{Data, Entry, of_generation};
use crate::file::{ChartSpec, Cited, Show, ShowKind};
use crate::standings;
use crate::template::scalar;
use tesuji_arena::matches::Summary;
use tesuji_learn::report::generations;
use tesuji_learn::run::curves::Places;
use tesuji_learn::run::ledger::Phase;
use tesuji_report::document::Board;
use tesuji_report::{Axis, Block, Cell, Chart, Head, Point, Quantity, Series, Shape, Table};

/// What a table or figure shows.
pub fn show(show: &Show, entries: &[Entry]) -> Vec<Block> {
    let wanted = |entry: &Entry| {
        let labels = || entry.labels.iter().map(|(_, label)| label);
        show.only.is_empty() || entry.labels.is_empty() || labels().any(|label| show.only.contains(label))
    };
    let of_steps = |entry: &&Entry| show.steps.contains(&entry.step) && wanted(entry);
    let chosen: Vec<&Entry> = entries.iter().filter(of_steps).collect();
    if chosen.is_empty() {
        return vec![Block::Text("Not at this scale.".to_owned())];
    }
    match show.kind {
        ShowKind::List => list(show, &chosen),
        ShowKind::Grid => grid(show, &chosen),
        ShowKind::Curves => curves(show, &chosen),
        ShowKind::Games => games(show, &chosen),
        ShowKind::Training => training(show, &chosen),
        ShowKind::Phases => phases(show, &chosen),
        ShowKind::Position => position(show, &chosen),
        ShowKind::Standings => standings::show(&show.steps[0], &show.caption, entries),
    }
}

/// The paper's numbers for a row.
fn cited<'a>(show: &'a Show, row: usize, entry: Option<&Entry>) -> Option<&'a Cited> {
    let by_name = |cited: &&Cited| {
        !cited.at.is_empty()
            && entry.is_some_and(|entry| cited.at.iter().all(|(axis, label)| entry.label(axis) == Some(label)))
    };
    let by_number = || show.cited.get(row).filter(|cited| cited.at.is_empty());
    show.cited.iter().find(by_name).or_else(by_number)
}

fn cited_cells(show: &Show, cited: Option<&Cited>) -> Vec<Cell> {
    let cell = |value: &toml::Value| match value {
        toml::Value::Integer(number) => Cell::number(*number as f64, 0),
        toml::Value::Float(number) => {
            let digits = number.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
            Cell::number(*number, digits)
        }
        other => Cell::text(scalar(other)),
    };
    (0..show.cited_heads.len())
        .map(|place| cited.and_then(|cited| cited.values.get(place)).map_or(Cell::Empty, cell))
        .collect()
}

/// The axes of entries, in order.
fn axes(entries: &[&Entry]) -> Vec<String> {
    let mut axes: Vec<String> = Vec::new();
    for (axis, _) in entries.iter().flat_map(|entry| &entry.labels) {
        if !axes.contains(axis) {
            axes.push(axis.clone());
        }
    }
    axes
}

fn list(show: &Show, entries: &[&Entry]) -> Vec<Block> {
    let axes = axes(entries);
    let several = show.steps.len() > 1;
    let mut heads: Vec<Head> = Vec::new();
    if several {
        heads.push(Head::ours("step"));
    }
    heads.extend(axes.iter().map(|axis| Head::ours(axis.as_str())));
    heads.extend(show.columns.iter().map(|column| Head::ours(column.head.as_str())));
    heads.extend(show.cited_heads.iter().map(|head| Head::paper(head.as_str())));
    let mut rows = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let mut row = Vec::new();
        if several {
            row.push(Cell::text(entry.step.as_str()));
        }
        row.extend(axes.iter().map(|axis| Cell::text(entry.label(axis).unwrap_or_default())));
        for column in &show.columns {
            row.push(match entry.metric(&column.metric) {
                Some(measure) => {
                    Cell::Number { quantity: measure.quantity, digits: column.digits, percent: column.percent }
                }
                None => Cell::Empty,
            });
        }
        row.extend(cited_cells(show, cited(show, number, Some(entry))));
        rows.push(row);
    }
    // What the paper lists beyond our rows stays visible.
    for (number, rest) in show.cited.iter().enumerate().filter(|(_, cited)| cited.at.is_empty()) {
        if number >= entries.len() {
            let mut row = vec![Cell::Empty; heads.len() - show.cited_heads.len()];
            row.extend(cited_cells(show, Some(rest)));
            rows.push(row);
        }
    }
    if show.mean {
        let empty = heads.len() - show.columns.len() - show.cited_heads.len();
        let mut row = vec![Cell::Empty; empty];
        if let Some(first) = row.first_mut() {
            *first = Cell::text("mean [95% interval]");
        }
        for column in &show.columns {
            let all: Vec<f64> =
                entries.iter().filter_map(|entry| Some(entry.metric(&column.metric)?.quantity.value())).collect();
            row.push(Quantity::of(&all).map_or(Cell::Empty, |quantity| Cell::Number {
                quantity,
                digits: column.digits,
                percent: column.percent,
            }));
        }
        row.extend(cited_cells(show, None));
        rows.push(row.clone());
        for (cell, column) in row.iter_mut().skip(empty).zip(&show.columns) {
            if let Cell::Number { quantity: Quantity::Mean { deviation, .. }, .. } = *cell {
                let scale = if column.percent { 100.0 } else { 1.0 };
                *cell = Cell::number(scale * deviation, column.digits);
            }
        }
        row[0] = Cell::text("standard deviation");
        rows.push(row);
    }
    let mut blocks = vec![Block::Table(Table { caption: show.caption.clone(), heads, rows })];
    blocks.extend(show.chart.as_ref().map(|spec| Block::Chart(chart(show, spec, entries))));
    blocks
}

/// One number over two axes.
fn grid(show: &Show, entries: &[&Entry]) -> Vec<Block> {
    let ([row_axis, column_axis], [column]) = (&show.axes[..], &show.columns[..]) else {
        return vec![Block::Text("A grid needs two axes and one number.".to_owned())];
    };
    let labels = |axis: &str| {
        let mut labels: Vec<&str> = Vec::new();
        for label in entries.iter().filter_map(|entry| entry.label(axis)) {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels
    };
    let (across, down) = (labels(column_axis), labels(row_axis));
    let mut heads = vec![Head::ours(format!("{row_axis} \\ {column_axis}"))];
    heads.extend(across.iter().map(|label| Head::ours(*label)));
    let rows = down.iter().map(|row| {
        let mut cells = vec![Cell::text(*row)];
        for label in &across {
            let at = |entry: &&&Entry| entry.label(row_axis) == Some(row) && entry.label(column_axis) == Some(label);
            let found: Vec<Quantity> =
                entries.iter().filter(at).filter_map(|entry| Some(entry.metric(&column.metric)?.quantity)).collect();
            cells.push(Quantity::pool(&found).map_or(Cell::Empty, |quantity| Cell::Number {
                quantity,
                digits: column.digits,
                percent: column.percent,
            }));
        }
        cells
    });
    let rows = rows.collect();
    let mut blocks = vec![Block::Table(Table { caption: show.caption.clone(), heads, rows })];
    blocks.extend(show.chart.as_ref().map(|spec| Block::Chart(chart(show, spec, entries))));
    blocks
}

/// A chart of a list or a grid.
fn chart(show: &Show, spec: &ChartSpec, entries: &[&Entry]) -> Chart {
    let scale = if spec.percent { 100.0 } else { 1.0 };
    let mut series: Vec<Series> = Vec::new();
    let mut rows: Vec<String> = Vec::new();
    let mut add = |name: String, paper: bool, point: Point| {
        let place =
            series.iter().position(|series| series.name == name && series.paper == paper).unwrap_or_else(|| {
                series.push(Series { name, paper, points: Vec::new() });
                series.len() - 1
            });
        series[place].points.push(point);
    };
    for (number, entry) in entries.iter().enumerate() {
        let Some(x) = place_of(spec, entry, number, &mut rows) else { continue };
        for (y, metric) in spec.y.iter().enumerate() {
            let name = match (entry.label(&spec.series), spec.y.len()) {
                (Some(label), 1) if spec.series.is_empty() => label.to_owned(),
                (Some(label), 1) => format!("{} {label}", spec.series),
                (Some(label), _) => format!("{label}, {metric}"),
                (None, 1) if show.steps.len() > 1 && !spec.bars => entry.step.clone(),
                (None, _) => metric.clone(),
            };
            if let Some(measure) = entry.metric(metric) {
                let label =
                    entry.labels.iter().map(|(axis, label)| format!("{axis} {label}")).collect::<Vec<_>>().join(", ");
                add(name.clone(), false, Point { name: label, ..Point::of(x, &measure.quantity, scale) });
            }
            let value = spec.cited.get(y).and_then(|place| cited(show, number, Some(entry))?.values.get(*place));
            if let Some(value) =
                value.and_then(|value| value.as_float().or_else(|| value.as_integer().map(|value| value as f64)))
            {
                add(format!("{name}, paper"), true, Point::new(x, value));
            }
        }
    }
    for series in &mut series {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let [x, y] = &spec.names;
    let axis = if spec.logarithmic { Axis::logarithmic(x.as_str()) } else { Axis::linear(x.as_str()) };
    let value = Axis::from_zero(y.as_str());
    let (x, y, shape) = if spec.bars { (value, Axis::default(), Shape::Bars) } else { (axis, value, Shape::Lines) };
    let caption = "Bands and whiskers are 95% intervals; dashed and hollow: the paper.".to_owned();
    Chart { title: show.title.clone(), caption, x, y, shape, rows, series }
}

/// Where an entry stands on the horizontal axis; of bars, its row.
fn place_of(spec: &ChartSpec, entry: &Entry, number: usize, rows: &mut Vec<String>) -> Option<f64> {
    if spec.bars {
        let name = entry.label(&spec.x).map_or_else(|| entry.name(), str::to_owned);
        let place = rows.iter().position(|row| *row == name).unwrap_or_else(|| {
            rows.push(name);
            rows.len() - 1
        });
        return Some(place as f64);
    }
    match entry.label(&spec.x) {
        Some(label) => Some(label.parse().unwrap_or(number as f64)),
        None => entry.metric(&spec.x).map(|measure| measure.quantity.value()),
    }
}

/// Curves of runs.
fn curves(show: &Show, entries: &[&Entry]) -> Vec<Block> {
    let Some(spec) = &show.chart else { return vec![Block::Text("Curves need a chart.".to_owned())] };
    let mut series = Vec::new();
    for entry in entries {
        let Data::Run { id, events, costs, .. } = &entry.data else { continue };
        let places = Places::of(events, costs);
        for metric in &spec.y {
            let points = generations(events).filter_map(|event| {
                let place = places.at(event.generation);
                let x = match spec.x.as_str() {
                    "steps" => place.steps as f64,
                    "minutes" => place.minutes,
                    "cpu-minutes" => place.cpu_minutes,
                    _ => place.generation as f64,
                };
                Some(Point::new(x, of_generation(metric, event)?))
            });
            let name = if spec.y.len() == 1 { id.clone() } else { format!("{id}, {metric}") };
            series.push(Series { name, paper: false, points: points.collect() });
        }
    }
    series.retain(|series| !series.points.is_empty());
    let [x, y] = &spec.names;
    let chart = Chart {
        title: show.title.clone(),
        caption: show.caption.clone(),
        x: Axis::linear(x.as_str()),
        y: Axis::linear(y.as_str()),
        series,
        ..Chart::default()
    };
    vec![Block::Chart(chart)]
}

/// The games of a match, one by one.
fn games(show: &Show, entries: &[&Entry]) -> Vec<Block> {
    let mut heads = ["game", "moves", "minutes", "won by", "ended by"].map(Head::ours).to_vec();
    heads.extend(show.cited_heads.iter().map(|head| Head::paper(head.as_str())));
    let mut rows = Vec::new();
    for entry in entries {
        let Data::Match { spec, results } = &entry.data else { continue };
        for result in results {
            let minutes = result.costs.iter().map(|cost| cost.wall).sum::<f64>() / 60.0;
            // Options would make the table wide; the match's own caption has them.
            let kind = |line: &'_ str| line.split(':').next().unwrap_or_default().to_owned();
            let winner = match result.points() {
                points if points > 0.5 => kind(&spec.players[0]),
                points if points < 0.5 => kind(&spec.players[1]),
                _ => "-".to_owned(),
            };
            let mut row = vec![
                Cell::count(result.index as u64 + 1),
                Cell::count(result.moves.len() as u64),
                Cell::number(minutes, 3),
                Cell::text(winner),
                Cell::text(result.ending.as_str()),
            ];
            row.extend(cited_cells(show, cited(show, rows.len(), None)));
            rows.push(row);
        }
    }
    for number in rows.len()..show.cited.len() {
        let mut row = vec![Cell::Empty; 5];
        row.extend(cited_cells(show, cited(show, number, None)));
        rows.push(row);
    }
    vec![Block::Table(Table { caption: show.caption.clone(), heads, rows })]
}

/// The generations of a run, one by one.
fn training(show: &Show, entries: &[&Entry]) -> Vec<Block> {
    let mut heads = ["game", "winner", "moves", "minutes", "ended by"].map(Head::ours).to_vec();
    heads.extend(show.cited_heads.iter().map(|head| Head::paper(head.as_str())));
    let mut rows = Vec::new();
    for entry in entries {
        let Data::Run { events, costs, .. } = &entry.data else { continue };
        for event in generations(events) {
            let [first, _, second] = event.play.outcomes;
            let winner = if first > 0 {
                "1"
            } else if second > 0 {
                "2"
            } else {
                "-"
            };
            let spent =
                costs.iter().filter(|cost| cost.generation == event.generation && cost.phase != Phase::Measuring);
            let ending = event.play.endings.keys().next().map_or("", String::as_str);
            let mut row = vec![
                Cell::count(event.generation),
                Cell::text(winner),
                Cell::number(event.play.mean_plies, 0),
                Cell::number(spent.map(|cost| cost.wall).sum::<f64>() / 60.0, 2),
                Cell::text(ending),
            ];
            row.extend(cited_cells(show, cited(show, rows.len(), None)));
            rows.push(row);
        }
    }
    for number in rows.len()..show.cited.len() {
        let mut row = vec![Cell::Empty; 5];
        row.extend(cited_cells(show, cited(show, number, None)));
        rows.push(row);
    }
    vec![Block::Table(Table { caption: show.caption.clone(), heads, rows })]
}

/// Time by the phase of the game.
fn phases(show: &Show, entries: &[&Entry]) -> Vec<Block> {
    let heads = ["from ply", "s a move", "CPU-s a move", "nodes a move", "legal moves"].map(Head::ours).to_vec();
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    for entry in entries {
        let Data::Match { results, .. } = &entry.data else { continue };
        for phase in Summary::of(results).phases {
            let own = phase.costs[0];
            let both: u64 = phase.costs.iter().map(|cost| cost.moves).sum();
            if own.moves == 0 {
                continue;
            }
            let each = |total: f64| total / own.moves as f64;
            points.push(Point::new(phase.first_ply as f64 + 1.0, each(own.wall)));
            rows.push(vec![
                Cell::count(phase.first_ply as u64 + 1),
                Cell::number(each(own.wall), 4),
                Cell::number(each(own.cpu), 4),
                Cell::number(each(own.nodes as f64), 0),
                Cell::number(phase.choices as f64 / both.max(1) as f64, 1),
            ]);
        }
    }
    let chart = Chart {
        title: show.title.clone(),
        caption: show.caption.clone(),
        x: Axis::linear("ply of the game"),
        y: Axis::from_zero("seconds a move"),
        series: vec![Series { name: "ours".to_owned(), paper: false, points }],
        ..Chart::default()
    };
    vec![Block::Chart(chart), Block::Table(Table { caption: String::new(), heads, rows })]
}

/// A position with what the agents think of it.
fn position(show: &Show, entries: &[&Entry]) -> Vec<Block> {
    let opinions: Vec<(&Entry, &crate::entry::Opinion)> = entries
        .iter()
        .filter_map(|entry| match &entry.data {
            Data::Opinion(opinion) => Some((*entry, opinion)),
            _ => None,
        })
        .collect();
    let Some((_, first)) = opinions.first() else { return Vec::new() };
    let mut moves: Vec<&str> = Vec::new();
    for (_, opinion) in &opinions {
        for thought in opinion.thoughts.iter().take(5) {
            if !moves.contains(&thought.mv.as_str()) {
                moves.push(&thought.mv);
            }
        }
    }
    for mv in show.axes.iter().filter(|mv| first.thoughts.iter().any(|thought| thought.mv == **mv)) {
        if !moves.contains(&mv.as_str()) {
            moves.push(mv);
        }
    }
    let mut heads = vec![Head::ours("move")];
    for (entry, _) in &opinions {
        let name = entry.labels.first().map_or(entry.step.as_str(), |(_, label)| label);
        heads.extend([Head::ours(format!("{name}: policy, %")), Head::ours(format!("{name}: visits"))]);
    }
    let rows = moves.iter().map(|mv| {
        let mut row = vec![Cell::text(*mv)];
        for (_, opinion) in &opinions {
            let thought = opinion.thoughts.iter().find(|thought| thought.mv == *mv);
            row.push(thought.map_or(Cell::Empty, |thought| Cell::number(100.0 * thought.prior, 2)));
            row.push(thought.map_or(Cell::Empty, |thought| Cell::count(thought.visits)));
        }
        row
    });
    let rows = rows.collect();
    let board = Board { caption: format!("{} ({})", show.caption, first.position), text: first.board.clone() };
    let caption = "The five most probable moves of each, and the move that mates.".to_owned();
    vec![Block::Board(board), Block::Table(Table { caption, heads, rows })]
}
