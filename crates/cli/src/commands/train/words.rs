//! What a run says about itself: when it begins, when it is asked (`--explain`), and what to do when it has ended.

use super::cost::span;
use indicatif::HumanCount;
use std::fs;
use std::path::Path;
use tesuji_learn::Experiment;
use tesuji_learn::methods::Method;
use tesuji_learn::run::StopRule;

/// What is learned, how, and for how long.
fn about(experiment: &Experiment) -> String {
    let method = experiment.method.name();
    let learned = Method::ALL.iter().find(|(name, _)| *name == method).map_or(method, |(_, about)| about);
    format!("{}: {learned}", experiment.game)
}

fn budget(extent: StopRule) -> String {
    match extent {
        StopRule::Time(time) => format!("{} of playing and training", span(time.as_secs_f64())),
        StopRule::Generations(1) => "1 generation".to_owned(),
        StopRule::Generations(all) => format!("{all} generations"),
    }
}

fn matches(experiment: &Experiment) -> String {
    let measure = &experiment.measure;
    if measure.opponents.is_empty() {
        return "not measured".to_owned();
    }
    let when = match measure.every {
        0 => "at the end".to_owned(),
        1 => "after each generation".to_owned(),
        every => format!("every {every} generations and at the end"),
    };
    format!("matches against {}, {when}", measure.opponents.join(", "))
}

/// The lines above everything else.
pub struct Header {
    before: String,
    after: String,
}

impl Header {
    /// The header of a run in this directory.
    pub fn new(root: &Path, experiment: &Experiment, extent: StopRule, threads: usize) -> Header {
        let title =
            if experiment.about.is_empty() { String::new() } else { format!("           {}\n", experiment.about) };
        let root = root.display();
        let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
        Header {
            before: format!("learning   {}\n{title}", about(experiment)),
            after: format!(
                "budget     {} on {threads}; matches come on top\n\
                 strength   {}\n\
                 run        {root}; Ctrl-C stops it, tesuji train --resume --out {root} goes on\n\
                 numbers    tesuji train --explain says what they mean",
                budget(extent),
                matches(experiment),
            ),
        }
    }

    /// The text, for a network of this size.
    pub fn text(&self, parameters: usize, flops: u64, from: &str) -> String {
        let parameters = HumanCount(parameters as u64);
        let operations = match flops {
            ..100_000 => format!("{:.1} kFLOP", flops as f64 / 1e3),
            _ => format!("{:.1} MFLOP", flops as f64 / 1e6),
        };
        format!("{}network    {parameters} parameters, {operations} a position; {from}\n{}", self.before, self.after)
    }
}

/// What everything on the screen means, for an experiment of this name.
pub fn explain(name: &str, experiment: &Experiment, extent: StopRule) -> String {
    let mut text = format!(
        "`tesuji train {name}` learns\n  {}\n  for {}\n  strength: {}\n\n",
        about(experiment),
        budget(extent),
        matches(experiment)
    );
    text += "\
A line of a generation
  generation    one round: games with the newest network, then training on them, which makes the next network
  games         of this round: +won by the first player, =drawn, -won by the second; then their mean length in plies
                (a ply is a move of one side)
  mates found   games that ended because the mate solver saw a forced mate
  steps         training steps of this round; each looks at one batch of positions
  policy loss   how surprised the network is by the move of the search, in nats: ln(legal moves) is guessing;
                in brackets how often its first choice is the search's
  value loss    squared error of the expected result, which goes from -1 (lost) to 1 (won): 1 is knowing nothing;
                in brackets how often it names the winner
  held out      the same on games that were not learned from

A line of strength
  +a =b -c      games won, drawn, lost against a fixed opponent; the percentage counts a draw as half a point
  Elo [x, y]    the difference in strength and its 95% interval: 0 is equal, +200 scores 76%, +400 scores 91%;
                inf means that one side won everything, so that only a bound is known
  the curve     one column a measurement, from no point (the lowest block) to all points (the highest)

The bar
  per cent      of the budget; matches are not counted
  positions/s   positions played, all threads together; evaluations/s: positions that the network judged
  strength      the opponent that tells most at present: the score nearest to 50%

At the end
  cost          the ledger: seconds by the clock, processor seconds, games, evaluations, training samples, operations

A falling loss is not strength: the targets change while the network learns. Only matches tell.
The learning methods: docs/learners.md. All values and their ranges: tesuji train NAME --print-config
";
    text
}

/// Three things to do with a run that has ended: a title and a command each.
pub fn next(root: &Path, experiment: &Experiment) -> Vec<(&'static str, String)> {
    let game = &experiment.game;
    let line = experiment.agent().split(':').next().unwrap_or_default().to_owned();
    let directory = root.display().to_string();
    // The settings are stored with the network, so that its name is enough; other lines name it in another place.
    let agent = match line.as_str() {
        "pv" | "dqn" | "nnue" | "policy" => format!("{line}:net={directory}"),
        _ => experiment.agent().replace("NET", &directory),
    };
    let runs = root
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .map_or(".".to_owned(), |parent| parent.display().to_string());
    let serve = if runs == "runs" {
        "tesuji serve --open".to_owned()
    } else {
        format!("tesuji serve --open --runs {}", quoted(&runs))
    };
    let rules = if experiment.rules == tesuji_core::Rules::Official { "" } else { " --rules paper" };
    let watch = match newest_games(root) {
        Some(file) => format!("tesuji record {} --number 1{rules}", quoted(&file)),
        None => format!("tesuji match {game} {} random --games 2 --save games.tsjr{rules}", quoted(&agent)),
    };
    let strongest = experiment.measure.opponents.iter().rev().find(|opponent| !opponent.starts_with("generation:"));
    let opponent = strongest.map_or("uct:sims=400", String::as_str);
    vec![
        ("play it in the browser", serve),
        ("watch one of its games", watch),
        ("compare it", format!("tesuji match {game} {} {} --games 100{rules}", quoted(&agent), quoted(opponent))),
    ]
}

/// The newest file of a run's own games.
fn newest_games(root: &Path) -> Option<String> {
    let entries = fs::read_dir(root.join("records")).ok()?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let newest = files.filter(|path| path.extension().is_some_and(|end| end == "tsjr")).max()?;
    Some(newest.display().to_string())
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell_are_quoted_where_they_must_be() {
        assert_eq!(quoted("pv:net=runs/a,c=1.5"), "pv:net=runs/a,c=1.5");
        assert_eq!(quoted("engine:sh -c 'x'"), r"'engine:sh -c '\''x'\'''");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn three_things_to_do_name_the_run() {
        let experiment = Experiment::load("minishogi-quick", &[]).expect("it comes with the program").experiment;
        let next = next(Path::new("elsewhere/a b"), &experiment);
        let commands: Vec<&str> = next.iter().map(|(_, command)| command.as_str()).collect();
        assert_eq!(
            commands,
            [
                "tesuji serve --open --runs elsewhere",
                "tesuji match minishogi 'pv:net=elsewhere/a b' random --games 2 --save games.tsjr",
                "tesuji match minishogi 'pv:net=elsewhere/a b' alphabeta:pure,depth=3 --games 100",
            ]
        );
    }
}
