//! A tournament: ratings, costs, and after how many games training has paid for itself.

use crate::entry::{Data, Entry};
use crate::standing::{Standing, Training};
use tesuji_arena::cost::Cost;
use tesuji_arena::matches::Summary;
use tesuji_arena::tournament::Crosstable;
use tesuji_learn::Experiment;
use tesuji_learn::agents::AgentSpec;
use tesuji_learn::report::generations;
use tesuji_learn::run::Event;
use tesuji_learn::run::ledger::{self, Phase};
use tesuji_report::{Axis, Block, Cell, Chart, Head, Point, Quantity, Series, Shape, Table};

/// A player before the games: its name, its line, and what trained it.
pub struct Contender<'a> {
    /// The name in tables.
    pub name: &'a str,
    /// The agent's line.
    pub line: &'a str,
    /// The run that its network is from, if it has one.
    pub run: Option<(&'a Experiment, &'a [Event], &'a [ledger::Entry])>,
}

/// The players of a step from the matches of its pairings (labels `a` and `b`), in the order of `players`.
pub fn standings(step: &str, players: &[Contender<'_>], entries: &[Entry]) -> Vec<Entry> {
    let mut table = Crosstable::new(players.len());
    let mut costs = vec![(Cost::default(), 0_u64); players.len()];
    // Both players of a match share a process, whose memory is the greater one's: what a player needs itself shows in the match
    // that needed least.
    let mut memory = vec![u64::MAX; players.len()];
    let mut against_random = vec![None; players.len()];
    let place = |name: Option<&str>| players.iter().position(|player| Some(player.name) == name);
    let mut timed = false;
    for entry in entries.iter().filter(|entry| entry.step == step) {
        let (Some(a), Some(b), Data::Match { results, .. }) =
            (place(entry.label("a")), place(entry.label("b")), &entry.data)
        else {
            continue;
        };
        timed |= entry.timed;
        table.add((a, b), results);
        let summary = Summary::of(results);
        for (player, other, score, cost) in
            [(a, b, summary.score, summary.costs[0]), (b, a, summary.score.reversed(), summary.costs[1])]
        {
            costs[player].0 += cost;
            costs[player].1 += summary.score.games();
            memory[player] = memory[player].min(cost.peak_memory);
            if players[other].name == "random" {
                against_random[player] = Some(Quantity::Share { hits: score.wins as f64, of: score.games() as f64 });
            }
        }
    }
    let ratings = table.ratings();
    let made = players.iter().enumerate().map(|(number, player)| {
        let total = table.total(number);
        let standing = Standing {
            line: player.line.to_owned(),
            rating: ratings.players[number],
            score: Quantity::Share {
                hits: total.wins as f64 + 0.5 * total.draws as f64,
                of: total.games().max(1) as f64,
            },
            against_random: against_random[number],
            cost: Cost { peak_memory: memory[number].min(costs[number].0.peak_memory), ..costs[number].0 },
            games: costs[number].1,
            settings: settings(player),
            training: player.run.map(|(_, events, costs)| training(events, costs)),
        };
        let labels = vec![("player".to_owned(), player.name.to_owned())];
        Entry { step: step.to_owned(), labels, timed, data: Data::Player(standing) }
    });
    made.collect()
}

/// What a run took.
pub fn training(events: &[Event], costs: &[ledger::Entry]) -> Training {
    let spent = costs.iter().filter(|entry| entry.phase != Phase::Measuring);
    Training {
        games: generations(events).map(|event| event.play.games).sum(),
        cpu: spent.clone().map(|entry| entry.cpu).sum(),
        memory: spent.map(|entry| entry.peak_memory).max().unwrap_or(0),
    }
}

/// What is to be chosen about a player: the options of its kind of agent, and the values of the experiment that trained its
/// network. A measure of the effort of setting it up that can be counted.
fn settings(player: &Contender<'_>) -> u64 {
    let kind = player.line.split(':').next().unwrap_or_default();
    let options =
        AgentSpec::kinds().into_iter().find(|info| info.name == kind).map_or(0, |info| info.keys.len() as u64);
    let chosen = player.run.map_or(0, |(experiment, ..)| {
        let table: toml::Table = experiment.to_toml().parse().unwrap_or_default();
        let sections =
            table.iter().filter(|(name, _)| ["network", "selfplay", "training", "method"].contains(&name.as_str()));
        sections.map(|(_, value)| leaves(value)).sum()
    });
    options + chosen
}

fn leaves(value: &toml::Value) -> u64 {
    match value {
        toml::Value::Table(table) => table.values().map(leaves).sum(),
        _ => 1,
    }
}

/// The players of a step.
fn players<'a>(step: &str, entries: &'a [Entry]) -> Vec<(&'a str, &'a Standing)> {
    let of_step = entries.iter().filter(|entry| entry.step == step);
    let players = of_step.filter_map(|entry| match &entry.data {
        Data::Player(standing) => Some((entry.label("player")?, standing)),
        _ => None,
    });
    let mut players: Vec<_> = players.collect();
    players.sort_by(|a, b| b.1.rating.elo.total_cmp(&a.1.rating.elo));
    players
}

/// The table and pictures of a tournament.
pub fn show(step: &str, caption: &str, entries: &[Entry]) -> Vec<Block> {
    let players = players(step, entries);
    let mut blocks = vec![Block::Table(table(caption, &players))];
    let dots = players.iter().map(|(name, standing)| {
        let each = 1e3 * standing.cost.cpu / standing.cost.moves.max(1) as f64;
        let point = Point { name: (*name).to_owned(), ..Point::of(each.max(1e-4), &standing.elo(), 1.0) };
        Series { name: (*name).to_owned(), paper: false, points: vec![point] }
    });
    blocks.push(Block::Chart(Chart {
        title: "Strength against the time of a move".to_owned(),
        caption: "Up and to the left is better: stronger, and cheaper to play. Whiskers are 95% intervals. Training is not counted here.".to_owned(),
        x: Axis::logarithmic("CPU-milliseconds a move"),
        y: Axis::linear("Elo above the mean"),
        shape: Shape::Dots,
        series: dots.collect(),
        ..Chart::default()
    }));
    let lines = players.iter().map(|(name, standing)| {
        let points = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5].map(|games| Point::new(games, standing.total(games).max(1e-6)));
        Series { name: (*name).to_owned(), paper: false, points: points.to_vec() }
    });
    blocks.push(Block::Chart(Chart {
        title: "What so many games cost, training included".to_owned(),
        caption: "A flat line is training that is not yet paid for by games; where a line crosses another, its training has paid for itself.".to_owned(),
        x: Axis::logarithmic("games played"),
        y: Axis::logarithmic("CPU-seconds in all"),
        series: lines.collect(),
        ..Chart::default()
    }));
    let curves = players.iter().map(|(name, standing)| {
        let points = [1e6, 1e4, 1e3, 100.0, 10.0, 1.0].map(|games| Point {
            name: format!("{name}, {games} games"),
            ..Point::new((standing.total(games) / games).max(1e-6), standing.rating.elo)
        });
        Series { name: (*name).to_owned(), paper: false, points: points.to_vec() }
    });
    blocks.push(Block::Chart(Chart {
        title: "Strength against total cost".to_owned(),
        caption: "CPU-seconds a game with training shared by 1,000,000 games (left end of a line) down to 1 game (right end): search has no training, and its line no length.".to_owned(),
        x: Axis::logarithmic("CPU-seconds a game, training included"),
        y: Axis::linear("Elo above the mean"),
        series: curves.collect(),
        ..Chart::default()
    }));
    blocks.push(Block::List(paid(&players)));
    blocks
}

fn table(caption: &str, players: &[(&str, &Standing)]) -> Table {
    let names = [
        "player",
        "settings to choose",
        "training games",
        "training CPU-hours",
        "memory, MB",
        "CPU-ms a move",
        "wins v random, %",
        "Elo above the mean",
        "agent",
    ];
    let number = |standing: &Standing, name: &str, digits: usize, percent: bool| match standing.metric(name) {
        Some((quantity, _)) => Cell::Number { quantity, digits, percent },
        None => Cell::Empty,
    };
    let rows = players.iter().map(|(name, standing)| {
        vec![
            Cell::text(*name),
            number(standing, "settings", 0, false),
            number(standing, "training-games", 0, false),
            number(standing, "training-cpu-hours", 3, false),
            number(standing, "memory-mb", 0, false),
            number(standing, "cpu-ms", 3, false),
            number(standing, "win-share-v-random", 1, true),
            number(standing, "elo", 0, false),
            Cell::text(standing.line.as_str()),
        ]
    });
    Table { caption: caption.to_owned(), heads: names.map(Head::ours).to_vec(), rows: rows.collect() }
}

/// After how many games each training has paid for itself beside each search that is not cheaper to play.
fn paid(players: &[(&str, &Standing)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, trained) in players {
        let Some(training) = trained.training else { continue };
        for (other, search) in players.iter().filter(|(other, search)| search.training.is_none() && *other != "random")
        {
            let saved = search.cpu_a_game() - trained.cpu_a_game();
            lines.push(if saved > 0.0 {
                let games = training.cpu / saved;
                format!("{name}: its training has paid for itself beside {other} after {games:.0} games ({:.1} CPU-s of training, {saved:.4} CPU-s saved a game)", training.cpu)
            } else {
                format!("{name}: its training never pays beside {other}, which costs less a game ({:.4} against {:.4} CPU-s)", search.cpu_a_game(), trained.cpu_a_game())
            });
        }
    }
    lines
}
