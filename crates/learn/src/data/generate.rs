//! Games between agents, to learn from.
//!
//! Games are appended to `games.tsjr` in the order of their numbers as they are finished, so that a killed command goes
//! on behind the last whole game; the data set is made of that file when all games are there. Game number i depends on
//! the seed and on i alone (and on the players), so more games can be asked for later.

use super::about::{self, DataSetInfo, Source};
use super::check::{Checked, OPENING_TAG, Skip};
use super::error::DataError;
use super::ordered::ordered;
use super::writer::{Settings, Writer};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tesuji_arena::matches::{self, MakePlayer, MatchSpec};
use tesuji_arena::play::{GameConditions, guarded, play_game};
use tesuji_core::{AnyGame, GameRecord, ParseError, Player, Side, Stream, record};
use tesuji_nn::file::write_atomically;

/// The games.
pub const GAMES: &str = "games.tsjr";
/// The conditions under which they are played.
pub const CONDITIONS: &str = "generate.json";
/// What a directory may hold besides the set.
const FILES: [&str; 3] = [GAMES, CONDITIONS, "generate.json.tmp"];

/// Finished games are on the disk after this time at the latest.
const SYNC: Duration = Duration::from_secs(1);

/// What is to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Players, budgets, openings, seed. Every game has an opening of its own, and the colours change from game to game.
    pub spec: MatchSpec,
    /// How many games.
    pub games: u64,
    /// The probability with which a position is kept.
    pub keep: f64,
    /// Games at a time; results do not depend on it.
    pub threads: usize,
}

/// Has the games of these numbers played by other processes: hands over each, in any order, when all of them are there, or
/// as many as there are if it was stopped.
pub type Elsewhere<'e> =
    dyn FnMut(Range<u64>, &mut dyn FnMut(u64, GameRecord) -> Result<(), String>) -> Result<(), String> + 'e;

/// Games that other processes are asked for at a time: so many are kept in memory.
pub const AT_ONCE: u64 = 1024;

/// Plays the games that are not there yet, here or elsewhere, calling `progress` with the number of games after each, and makes a data set
/// of them all; `None` if it was stopped. `check` is [`check`](super::check::check) of the game.
///
/// # Errors
/// If the directory holds games under other conditions or something else, a player cannot be made, an opening is wrong,
/// or a file cannot be written.
pub fn generate(
    game: &dyn AnyGame,
    check: &dyn Fn(&GameRecord) -> Result<Checked, Skip>,
    directory: &Path,
    plan: &Plan,
    (players, elsewhere): ([&MakePlayer<'_>; 2], Option<&mut Elsewhere<'_>>),
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<DataSetInfo>, DataError> {
    let settings = Settings { seed: plan.spec.seed, keep: plan.keep, sources: vec![source(&plan.spec)] };
    let conditions = conditions(&plan.spec);
    check_conditions(directory, &conditions)?;
    if let Ok(about) = DataSetInfo::read(directory) {
        let is_done = about.counts.games + about.counts.skipped.values().sum::<u64>() == plan.games;
        if is_done && about.keep == plan.keep && about.check(game).is_ok() {
            return Ok(Some(about));
        }
        // Everything in it can be made of the games again.
        let path = directory.join(about::FILE);
        fs::remove_file(&path).map_err(DataError::io(&path))?;
    }
    // Whatever would stop the set from being written is to be known before the games are played.
    drop(Writer::create_beside(&FILES, game, directory, settings.clone())?);
    let path = directory.join(CONDITIONS);
    write_atomically(&path, conditions.as_bytes()).map_err(DataError::io(&path))?;
    let mut log = Log::open(&directory.join(GAMES))?;
    progress(log.games.min(plan.games));
    let numbers = log.games..plan.games;
    let wrong = |problem: String| DataError::bad(directory, problem);
    match elsewhere {
        None => play_games(game, &plan.spec, (numbers, plan.threads), players, stop, wrong, |_, record| {
            log.append(&record)?;
            progress(log.games);
            Ok(())
        })?,
        Some(play) => {
            while log.games < plan.games && !stop.load(Ordering::Relaxed) {
                let mut played = BTreeMap::new();
                let end = plan.games.min((log.games / AT_ONCE + 1) * AT_ONCE);
                let mut keep = |number: u64, record: GameRecord| {
                    // One that comes again replaces the one before: its worker was not to be believed.
                    played.insert(number, record);
                    Ok(())
                };
                play(log.games..end, &mut keep).map_err(wrong)?;
                while let Some(record) = played.remove(&log.games) {
                    log.append(&record)?;
                }
                progress(log.games);
            }
        }
    }
    let stopped = log.games < plan.games;
    log.sync()?;
    if stopped {
        return Ok(None);
    }
    let mut writer = Writer::create_beside(&FILES, game, directory, settings)?;
    for record in log.records()?.take(usize::try_from(plan.games).unwrap_or(usize::MAX)) {
        let record = record.map_err(|error| DataError::bad(&log.path, error.to_string()))?;
        match check(&record) {
            Ok(game) => writer.add(game)?,
            Err(skip) => writer.skip(&skip),
        }
    }
    writer.finish().map(Some)
}

/// The games so far, one by one.
///
/// # Errors
/// If there are none.
pub fn games(directory: &Path) -> Result<impl Iterator<Item = Result<GameRecord, ParseError>>, DataError> {
    let path = directory.join(GAMES);
    let file = File::open(&path).map_err(DataError::io(&path))?;
    Ok(record::Reader::new(BufReader::new(file)))
}

/// Who played, in a line.
fn source(spec: &MatchSpec) -> Source {
    let [a, b] = &spec.players;
    let [x, y] = spec.budgets;
    let budgets = if x == y { x.to_string() } else { format!("{x} v {y}") };
    Source { name: format!("{a} v {b}, {budgets} a move"), bytes: 0 }
}

/// The conditions as they are written.
fn conditions(spec: &MatchSpec) -> String {
    let mut text = serde_json::to_string_pretty(spec).expect("conditions are plain data");
    text.push('\n');
    text
}

/// Checks that a directory does not hold games under other conditions.
fn check_conditions(directory: &Path, wanted: &str) -> Result<(), DataError> {
    let path = directory.join(CONDITIONS);
    match fs::read_to_string(&path) {
        Ok(found) if found == wanted => Ok(()),
        Ok(found) => {
            let different = found.lines().zip(wanted.lines()).find(|(found, wanted)| found != wanted);
            let (found, wanted) = different.map_or(("", ""), |(found, wanted)| (found.trim(), wanted.trim()));
            let problem =
                format!("holds games under other conditions ({found} then, {wanted} now); give another directory");
            Err(DataError::bad(directory, problem))
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            if directory.join(about::FILE).exists() {
                return Err(DataError::bad(directory, "already holds a data set; give another directory"));
            }
            Ok(())
        }
        Err(cause) => Err(DataError::Io { path, cause }),
    }
}

/// Plays the games of these numbers on so many threads and hands over each in its turn, until all are played or it is stopped.
///
/// # Errors
/// If a player cannot be made or started or refuses to play, or an opening is wrong, as `wrong` puts it; or what `each` gives.
pub fn play_games<E: Send>(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    (numbers, threads): (impl Iterator<Item = u64> + Send, usize),
    players: [&MakePlayer<'_>; 2],
    stop: &AtomicBool,
    wrong: impl Fn(String) -> E + Sync,
    mut each: impl FnMut(u64, GameRecord) -> Result<(), E>,
) -> Result<(), E> {
    let make = || -> Result<[Box<dyn Player>; 2], E> {
        let mut seats = [players[0]().map_err(&wrong)?, players[1]().map_err(&wrong)?];
        matches::check(game, spec, &mut seats).map_err(&wrong)?;
        Ok(seats)
    };
    let play = |seats: &mut [Box<dyn Player>; 2], number: u64| {
        let played = play_one(game, spec, number, seats, stop)?;
        if played.as_ref().is_some_and(|record| record.outcome.is_none()) {
            // Who failed may be in any state.
            *seats = [players[0]()?, players[1]()?];
        }
        Ok(played.map(|record| (number, record)))
    };
    ordered(threads, numbers, make, play, |played| match played.map_err(|problem: String| wrong(problem))? {
        Some((number, record)) => each(number, record).map(ControlFlow::Continue),
        None => Ok(ControlFlow::Break(())),
    })
}

/// Plays game number `number`, from 0; `None` if it was stopped.
fn play_one(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    number: u64,
    seats: &mut [Box<dyn Player>; 2],
    stop: &AtomicBool,
) -> Result<Option<GameRecord>, String> {
    let halt = || stop.load(Ordering::Relaxed);
    if halt() {
        return Ok(None);
    }
    let opening = spec.openings.opening(game, spec.seed, number);
    let mut budgets = spec.budgets;
    let mut names = spec.players.clone();
    let [zero, one] = seats;
    let mut sides: [&mut dyn Player; 2] = [zero.as_mut(), one.as_mut()];
    if number % 2 == 1 {
        sides.swap(0, 1);
        budgets.swap(0, 1);
        names.swap(0, 1);
    }
    let mut seeds = Stream::new(spec.seed, "player", number);
    for player in &mut sides {
        // Unlike in a match there is nobody to lose: games without a player teach nothing.
        let seed = seeds.next_u64();
        guarded(|| player.new_game(seed)).map_err(|error| format!("a player cannot start: {error}"))?;
    }
    let (margin, adjudication) = (spec.margin, spec.adjudication);
    let conditions = GameConditions { budgets, margin, adjudication, values: true };
    let finished = play_game(game, &opening, sides, &conditions, &halt).map_err(|error| error.to_string())?;
    Ok(finished.map(|finished| {
        let mut record = finished.record;
        if finished.failed {
            // Who crashes has not lost by the moves that were played: nothing is to be learned from them.
            record.outcome = None;
        }
        record.tags.push(("Round".to_owned(), (number + 1).to_string()));
        record.tag_players(Side::BOTH.map(|side| game.side_name(side)), names);
        record.tags.push((OPENING_TAG.to_owned(), opening.moves.len().to_string()));
        record
    }))
}

/// The file of games.
struct Log {
    path: PathBuf,
    file: File,
    games: u64,
    synced: Instant,
}

impl Log {
    /// Opens the file, or begins it; what is behind the last whole game is cut off.
    fn open(path: &Path) -> Result<Log, DataError> {
        let wrong = DataError::io;
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(wrong(path))?;
        let (mut games, mut whole) = (0, 0);
        for record in record::Reader::new(BufReader::new(&mut file)) {
            let Ok(record) = record else { break };
            games += 1;
            whole += record.to_bytes().len() as u64;
        }
        file.set_len(whole).and_then(|()| file.seek(SeekFrom::End(0))).map_err(wrong(path))?;
        Ok(Log { path: path.to_owned(), file, games, synced: Instant::now() })
    }

    fn append(&mut self, record: &GameRecord) -> Result<(), DataError> {
        self.file.write_all(&record.to_bytes()).map_err(DataError::io(&self.path))?;
        self.games += 1;
        if self.synced.elapsed() >= SYNC { self.sync() } else { Ok(()) }
    }

    fn sync(&mut self) -> Result<(), DataError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(DataError::io(&self.path))
    }

    fn records(&self) -> Result<record::Reader<BufReader<File>>, DataError> {
        let file = File::open(&self.path).map_err(DataError::io(&self.path))?;
        Ok(record::Reader::new(BufReader::new(file)))
    }
}
