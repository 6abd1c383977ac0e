//! `tesuji play-random`: random games, for measuring and for comparing with other programs.

use crate::common::files::NewFile;
use crate::common::input::{self, position_text};
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::ranges;
use crate::common::words::outcome_word;
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tesuji_core::{AnyGame, AnyPosition, GameRecord, Outcome, Rules, Side, Stream};
use tesuji_games::formats;

/// Arguments of `tesuji play-random`.
#[derive(Debug, Args)]
#[command(after_help = "\
Game number i depends on the seed and on i alone: the same games come out at any number of threads.
Where a game has a quick way to play to the end, games that are neither dumped nor written are played by it; they are
other games than the dumped ones of the same seed, and as random.

--dump prints a line for every position: notation, TAB, the sorted moves, TAB, `-` or the outcome (`first`, `second`,
`draw`), TAB, why the game ended. The results then go to standard error.

Examples:
  tesuji play-random bingo3d --games 1000000 --threads 2
  tesuji play-random chess --games 10 --seed 7 --dump
  tesuji play-random shogi --games 100 --out games.tsjr")]
pub struct PlayRandomArgs {
    /// A game, see `tesuji games`
    game: String,
    /// Where the games start: `startpos` (the default) or the game's notation, then perhaps `moves M1 M2 ...`
    #[arg(value_name = "POSITION")]
    words: Vec<String>,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = ranges::count::<u64>())]
    games: u64,
    /// Seed of all random choices
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Threads to play on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = ranges::threads::<u16>())]
    threads: u16,
    /// Start from varied starts, as self-play does (random maps, say), where the game has them
    #[arg(long, conflicts_with = "words")]
    varied: bool,
    /// Print every position with its moves and outcome
    #[arg(long)]
    dump: bool,
    /// Write the games to a file of game records
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &PlayRandomArgs, common: &Common, out: &mut Output) -> Result<()> {
    let game = tesuji_games::game(&args.game, common.rules)?;
    let start = input::position(game.as_ref(), &position_text(&args.words))?;
    let player = Player { game: game.as_ref(), args, start };
    let mut records = args.out.as_deref().map(NewFile::create).transpose()?;
    let mut progress = Progress::new("games", args.games);
    let mut total = Tally::default();
    let begun = Instant::now();
    let mut chunk = 1;
    while total.games() < args.games {
        let round = Instant::now();
        for tally in player.play_round(total.games(), chunk) {
            total.merge(&tally);
            out.bytes(&tally.dump)?;
            if let Some(file) = &mut records {
                file.write(&tally.records)?;
            }
        }
        progress.set(total.games());
        // Rounds of a tenth of a second keep the threads busy, the progress alive and the buffers small.
        if round.elapsed() < Duration::from_millis(100) {
            chunk *= 2;
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    drop(progress);
    if let Some(file) = records {
        file.finish()?;
    }
    report(game.as_ref(), args, total, seconds, out)
}

/// What came out of some games. Adding is commutative: the order of threads does not show.
#[derive(Clone, Debug, Default)]
struct Tally {
    first: u64,
    second: u64,
    draws: u64,
    plies: u64,
    endings: BTreeMap<&'static str, u64>,
    /// Lines and records, in the order of the games.
    dump: Vec<u8>,
    records: Vec<u8>,
}

impl Tally {
    fn add(&mut self, outcome: Outcome, plies: u64, ending: &'static str) {
        match outcome {
            Outcome::Win(Side::First) => self.first += 1,
            Outcome::Win(Side::Second) => self.second += 1,
            Outcome::Draw => self.draws += 1,
        }
        self.plies += plies;
        *self.endings.entry(ending).or_default() += 1;
    }

    /// Takes over the counts of `other` (not its bytes).
    fn merge(&mut self, other: &Tally) {
        self.first += other.first;
        self.second += other.second;
        self.draws += other.draws;
        self.plies += other.plies;
        for (ending, count) in &other.endings {
            *self.endings.entry(ending).or_default() += count;
        }
    }

    fn games(&self) -> u64 {
        self.first + self.second + self.draws
    }
}

/// The answer.
#[derive(Serialize)]
struct Results {
    game: &'static str,
    rules: Rules,
    seed: u64,
    threads: u16,
    games: u64,
    first: u64,
    second: u64,
    draws: u64,
    mean_plies: f64,
    endings: BTreeMap<&'static str, u64>,
    seconds: f64,
    games_per_second: f64,
}

/// Plays the games of one run.
struct Player<'a> {
    game: &'a dyn AnyGame,
    args: &'a PlayRandomArgs,
    start: Box<dyn AnyPosition>,
}

impl Player<'_> {
    /// Plays the next games, `chunk` on each thread; the tallies are in the order of the games.
    fn play_round(&self, done: u64, chunk: u64) -> Vec<Tally> {
        let end = |thread: u64| (done + chunk * thread).min(self.args.games);
        let ranges = (0..u64::from(self.args.threads)).map(|thread| end(thread)..end(thread + 1));
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                ranges.filter(|range| !range.is_empty()).map(|range| scope.spawn(|| self.play(range))).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }

    fn play(&self, numbers: std::ops::Range<u64>) -> Tally {
        let mut tally = Tally::default();
        for number in numbers {
            let mut random = Stream::new(self.args.seed, "play-random", number);
            let mut position = if self.args.varied { self.game.varied_start(&mut random) } else { self.start.boxed() };
            let first_ply = position.ply();
            let outcome = if self.args.dump || self.args.out.is_some() {
                self.play_listed(position.as_mut(), number, &mut random, &mut tally)
            } else {
                position.playout(&mut random, u32::MAX).expect("the games of the registry end")
            };
            tally.add(outcome, u64::from(position.ply() - first_ply), position.ending());
        }
        tally
    }

    /// Plays move by move and keeps what was asked for.
    fn play_listed(
        &self,
        position: &mut dyn AnyPosition,
        number: u64,
        random: &mut Stream,
        tally: &mut Tally,
    ) -> Outcome {
        let mut record = self.record(position, number);
        let outcome = loop {
            let outcome = position.outcome();
            if self.args.dump {
                dump(position, outcome, &mut tally.dump);
            }
            if let Some(outcome) = outcome {
                break outcome;
            }
            let moves = position.moves();
            let mv = moves[random.below(moves.len())];
            record.push(mv);
            position.play(mv).expect("the position's own moves are legal");
        };
        if self.args.out.is_some() {
            record.outcome = Some(outcome);
            record.ending = position.ending().to_owned();
            record.write(&mut tally.records);
        }
        outcome
    }

    fn record(&self, start: &dyn AnyPosition, number: u64) -> GameRecord {
        let mut record = formats::unplayed(self.game, &start.text());
        record.tags.push(("players".into(), "random".into()));
        record.tags.push(("seed".into(), self.args.seed.to_string()));
        record.tags.push(("number".into(), number.to_string()));
        record
    }
}

fn dump(position: &dyn AnyPosition, outcome: Option<Outcome>, out: &mut Vec<u8>) {
    let notation = position.text();
    let moves = position.sorted_moves().join(" ");
    let outcome = outcome.map_or("-", outcome_word);
    out.extend_from_slice(format!("{notation}\t{moves}\t{outcome}\t{}\n", position.ending()).as_bytes());
}

fn report(game: &dyn AnyGame, args: &PlayRandomArgs, total: Tally, seconds: f64, out: &mut Output) -> Result<()> {
    let games = total.games();
    let results = Results {
        game: game.name(),
        rules: game.rules(),
        seed: args.seed,
        threads: args.threads,
        games,
        first: total.first,
        second: total.second,
        draws: total.draws,
        mean_plies: total.plies as f64 / games.max(1) as f64,
        endings: total.endings,
        seconds,
        games_per_second: games as f64 / seconds.max(1e-9),
    };
    let text =
        if out.json { serde_json::to_string(&results).context("cannot write JSON")? } else { text(game, &results) };
    if args.dump {
        eprintln!("{text}");
        Ok(())
    } else {
        out.line(&text)
    }
}

fn text(game: &dyn AnyGame, results: &Results) -> String {
    let share = |count: u64| 100.0 * count as f64 / results.games.max(1) as f64;
    let mut lines = vec![format!("games      {}", results.games)];
    for (side, wins) in Side::BOTH.into_iter().zip([results.first, results.second]) {
        lines.push(format!("{:<10} {wins} ({:.2}%), {}", side.to_string(), share(wins), game.side_name(side)));
    }
    lines.push(format!("draws      {} ({:.2}%)", results.draws, share(results.draws)));
    for (ending, count) in &results.endings {
        lines.push(format!("  {count} by {ending}"));
    }
    lines.push(format!("mean plies {:.2}", results.mean_plies));
    lines.push(format!("time       {:.3} s", results.seconds));
    let plies = results.games_per_second * results.mean_plies;
    lines.push(format!("rate       {:.0} games/s, {plies:.0} plies/s", results.games_per_second));
    lines.join("\n")
}
