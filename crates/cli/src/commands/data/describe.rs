//! `tesuji data describe`.

use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::ranges;
use crate::common::table::Table;
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tesuji_core::{AnyGame, Outcome, Side, Stream};
use tesuji_learn::data::{AnyDataSet, DataSetInfo, SampleText};

/// Arguments of `tesuji data describe`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji data describe data/ccrl
  tesuji data describe data/ccrl --sample 10 --seed 2
  tesuji data describe data/ccrl --check

--sample prints, separated by TABs: the number of the game among all that were read, the number of the
position in it (both from 1), the position, the move that was played, and the result for the first
player (1, 0 or -1).")]
pub struct DescribeArgs {
    /// The directory of a data set
    directory: PathBuf,
    /// Print this many positions, drawn at random, in order
    #[arg(long, value_name = "N", value_parser = ranges::games::<u64>())]
    sample: Option<u64>,
    /// The seed of --sample
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Read all of it: checksums, and every move
    #[arg(long)]
    check: bool,
}

/// Runs the subcommand.
pub fn run(args: &DescribeArgs, out: &mut Output) -> Result<()> {
    let about = DataSetInfo::read(&args.directory)?;
    let kit = tesuji_registry::kit(&about.game, about.rules)?;
    let set = kit.data_set(&args.directory)?;
    if let Some(count) = args.sample {
        return print_samples(set.as_ref(), count, args.seed, out);
    }
    if args.check {
        let mut progress = Progress::new("shards", about.shards.len() as u64);
        for number in 0..about.shards.len() {
            set.check_shard(number)?;
            progress.set(number as u64 + 1);
        }
    }
    print(kit.game().as_ref(), &args.directory, set.info(), out)?;
    if args.check && !out.json {
        out.line(&format!("checked: all {} shards are whole, every move is legal", about.shards.len()))?;
    }
    Ok(())
}

/// Prints what a set says of itself.
pub fn print(game: &dyn AnyGame, directory: &Path, about: &DataSetInfo, out: &mut Output) -> Result<()> {
    if out.json {
        return out.object(about);
    }
    let counts = &about.counts;
    let skipped: u64 = counts.skipped.values().sum();
    let bytes: u64 = about.shards.iter().map(|shard| shard.bytes).sum();
    let mut table = Table::new();
    table.row(["data set".to_owned(), directory.display().to_string()]);
    table.row(["game".to_owned(), format!("{} ({} rules, version {})", about.game, about.rules, about.rules_version)]);
    for source in &about.sources {
        let size = if source.bytes > 0 { format!(" ({:.1} MB)", source.bytes as f64 / 1e6) } else { String::new() };
        table.row(["source".to_owned(), format!("{}{size}", source.name)]);
    }
    table.row(["games".to_owned(), format!("{} read, {skipped} skipped", counts.games)]);
    for (reason, count) in &counts.skipped {
        table.row(["  skipped".to_owned(), format!("{reason}: {count}")]);
    }
    table.row(["results".to_owned(), shares(game, counts.outcomes)]);
    table.row(["positions".to_owned(), format!("{} seen, {} kept", counts.positions, counts.kept)]);
    table.row(["  by".to_owned(), format!("probability {}, seed {}", about.keep, about.seed)]);
    if counts.beyond_end > 0 {
        let text = format!("{} behind an end by our rules, such as a draw that nobody claimed", counts.beyond_end);
        table.row(["  left out".to_owned(), text]);
    }
    table.row(["  results".to_owned(), shares(game, counts.kept_outcomes)]);
    let each = bytes as f64 / counts.kept.max(1) as f64;
    let size = format!("{} files, {:.2} MB, {each:.1} bytes a position", about.shards.len(), bytes as f64 / 1e6);
    table.row(["shards".to_owned(), size]);
    out.bytes(table.text().as_bytes())
}

/// Shares of the results: `white 34.4%, drawn 40.1%, black 25.4%`.
fn shares(game: &dyn AnyGame, counts: [u64; 3]) -> String {
    let total = counts.iter().sum::<u64>().max(1) as f64;
    let [first, draw, second] = counts.map(|count| 100.0 * count as f64 / total);
    let [a, b] = Side::BOTH.map(|side| game.side_name(side));
    format!("{a} {first:.1}%, drawn {draw:.1}%, {b} {second:.1}%")
}

/// Prints positions drawn at random, in the order of the set.
fn print_samples(set: &dyn AnyDataSet, count: u64, seed: u64, out: &mut Output) -> Result<()> {
    let chosen = choose(set.info().counts.kept, count, seed);
    let mut before = 0;
    for (number, shard) in set.info().shards.iter().enumerate() {
        let after = before + shard.samples;
        let wanted: Vec<usize> = chosen.range(before..after).map(|index| (index - before) as usize).collect();
        if !wanted.is_empty() {
            set.samples(number, &wanted)?.iter().try_for_each(|sample| print_sample(sample, out))?;
        }
        before = after;
    }
    Ok(())
}

/// So many different numbers below `bound`, or all of them.
fn choose(bound: u64, count: u64, seed: u64) -> BTreeSet<u64> {
    if count >= bound {
        return (0..bound).collect();
    }
    let mut random = Stream::new(seed, "describe", 0);
    let mut chosen = BTreeSet::new();
    // Floyd's method: every set of numbers is equally likely.
    for last in bound - count..bound {
        let number = random.below(last as usize + 1) as u64;
        let number = if chosen.contains(&number) { last } else { number };
        chosen.insert(number);
    }
    chosen
}

fn print_sample(sample: &SampleText, out: &mut Output) -> Result<()> {
    let SampleText { position: text, mv, outcome, ply, source } = sample;
    let result = match outcome {
        Outcome::Win(Side::First) => 1,
        Outcome::Draw => 0,
        Outcome::Win(Side::Second) => -1,
    };
    if out.json {
        return out.object(&json!({
            "game": source, "ply": ply + 1, "position": text, "move": mv, "result": result }));
    }
    out.line(&format!("{source}\t{}\t{text}\t{mv}\t{result}", ply + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_different_numbers_are_drawn() {
        assert_eq!(choose(10, 10, 1), (0..10).collect());
        assert_eq!(choose(3, 10, 1), (0..3).collect());
        let chosen = choose(1000, 400, 1);
        assert_eq!(chosen.len(), 400);
        assert!(chosen.iter().all(|&number| number < 1000));
        assert_ne!(chosen, choose(1000, 400, 2));
        assert!(choose(0, 3, 1).is_empty());
    }
}
