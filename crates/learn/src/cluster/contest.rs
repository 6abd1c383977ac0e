//! Games between two agents, which any process may play: measuring matches of a run, games of `tesuji data generate`.
//!
//! What a worker is sent says all that the games depend on: the conditions, the agents' lines, and the networks that they name,
//! but for those that come with the program. A worker opens no file for it, and starts a program only if it may.

use super::part::names_a_file;
use super::seal;
use super::unit::Task;
use crate::agents::{AgentSpec, NetworkSpec, best};
use crate::data::generate::play_games;
use crate::kit::{Agents, GameKit};
use crate::networks::{NetworkKind, NetworkStore, Place, foreign};
use crate::run::ledger::PlayCost;
use crate::run::{Checkpoint, Done, Play, PlayedGame};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tesuji_arena::matches::{GameResult, MatchSpec, moves_of_round, play_numbers};
use tesuji_arena::opening::Openings;
use tesuji_core::{AnyGame, Budget, GameRecord, Player};
use tesuji_nn::{ConvMethod, Isa};
use tesuji_search::AgentSource;

/// What the games are for, which decides how they are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// A match: pairs of games from one opening; who fails has lost.
    Match,
    /// To learn from: an opening for each game, with the players' values; who fails has lost nothing.
    Data,
}

/// Who sits down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seat {
    /// The agent of a line, playing as it does everywhere.
    Line(String),
    /// A network of the run, by the kernels of the run, as the agent of a line that does not name it: the line, and the
    /// network's name.
    Own(String, String),
}

/// What is played: everything that decides the games but the networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// What for.
    pub purpose: Purpose,
    /// Names of the players, budgets, openings, seed.
    pub spec: MatchSpec,
    /// Who plays.
    pub seats: [Seat; 2],
    /// How the run's own networks compute 3x3 convolutions.
    pub method: ConvMethod,
}

/// Networks by the names that lines call them by.
pub type Networks = BTreeMap<String, Checkpoint>;

/// The header of a contest that is sent.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    terms: Terms,
    /// The instruction set of networks in floats.
    isa: Isa,
    /// Names and lengths of the networks that follow.
    networks: Vec<(String, usize)>,
}

/// Games between two agents.
pub struct Contest {
    terms: Terms,
    /// Where the run's own networks are.
    ours: Arc<NetworkStore>,
    /// Where all others are.
    others: Arc<NetworkStore>,
}

impl Terms {
    /// The agents' lines.
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.seats.iter().map(|seat| match seat {
            Seat::Line(line) | Seat::Own(line, _) => line.as_str(),
        })
    }

    /// Why other processes cannot play it to the same games; `None` if they can.
    pub fn refusal(&self) -> Option<String> {
        if let Openings::Lines(lines) = &self.spec.openings
            && let Some(line) = lines.iter().find(|line| names_a_file(line))
        {
            return Some(format!("{line} is a file, which workers elsewhere do not have"));
        }
        let named = self.lines().find(|line| option(line, "strengths").is_some_and(|name| !name.is_empty()));
        named.map(|line| format!("{line}: its strengths are a file, which workers elsewhere do not have"))
    }

    /// Whether one of the players is a foreign program.
    pub fn has_engines(&self) -> bool {
        self.lines().any(is_engine)
    }

    /// Adds the networks that lines name to those that are there, but for those that come with the program.
    ///
    /// # Errors
    /// If one is not there or cannot be read, in one line.
    pub fn add_networks(&self, game: &dyn AnyGame, networks: &mut Networks) -> Result<(), String> {
        for seat in &self.seats {
            let Seat::Line(line) = seat else { continue };
            let line = best::in_game(game.name(), line);
            let Some(name) = AgentSpec::network_of(&line) else { continue };
            if networks.contains_key(name) {
                continue;
            }
            let file = match Place::of(name)? {
                Place::File(path) if foreign::is_onnx(&path) => {
                    Checkpoint::Float(Box::new(foreign::open(&path, game, "")?))
                }
                place @ Place::File(_) => place.checkpoint()?,
                _ => continue,
            };
            networks.insert(name.to_owned(), file);
        }
        Ok(())
    }

    /// The bytes by which a worker plays it, with the networks.
    pub fn to_bytes(&self, networks: &Networks) -> Vec<u8> {
        let files: Vec<(&String, Vec<u8>)> =
            networks.iter().map(|(name, file)| (name, file.without_state().to_bytes())).collect();
        let sizes = files.iter().map(|(name, bytes)| ((*name).clone(), bytes.len())).collect();
        let header = Header { terms: self.clone(), isa: Isa::best(), networks: sizes };
        let body: Vec<u8> = files.into_iter().flat_map(|(_, bytes)| bytes).collect();
        seal::seal(&header, &body)
    }
}

impl Task {
    /// The task of contests between agents of these lines, and with networks of a run of this kind, if there is one.
    pub fn of_agents<'l>(game: &str, lines: impl Iterator<Item = &'l str>, run: Option<NetworkKind>) -> Task {
        let (mut engines, mut floats) = (false, run.is_some_and(|kind| kind != NetworkKind::Nnue));
        for line in lines {
            engines |= is_engine(line);
            let line = best::in_game(game, line);
            let named = AgentSpec::network_of(&line).and_then(|name| Place::of(name).ok());
            // One that cannot be read is refused when it is its turn.
            floats |= named.is_some_and(|place| !matches!(place.checkpoint(), Ok(Checkpoint::Integer(_))));
        }
        Task::Contests { engines, floats }
    }
}

fn is_engine(line: &str) -> bool {
    matches!(AgentSpec::parse(line), Ok(AgentSpec::Engine(_)))
}

/// The value of an option in an agent's line.
fn option<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let options = line.split_once(':').map_or("", |(_, options)| options);
    options.split(',').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == key).map(|(_, value)| value)
}

impl Contest {
    /// A contest that this process plays, whatever files its lines name.
    pub fn here(terms: Terms, networks: &Networks) -> Contest {
        let ours = NetworkStore::with_method(terms.method).with_networks(networks.clone());
        let others = NetworkStore::new().with_networks(networks.clone());
        Contest { terms, ours: Arc::new(ours), others: Arc::new(others) }
    }

    /// A contest that was sent. Engines are refused unless they are allowed, and files always.
    ///
    /// # Errors
    /// If it cannot be read, or must not or cannot be played here, in one line.
    pub fn sent(bytes: &[u8], may_start_engines: bool) -> Result<Contest, String> {
        let (Header { terms, isa, networks: sizes }, mut body) = seal::open::<Header>(bytes)?;
        if let Some(problem) = terms.refusal() {
            return Err(problem);
        }
        if terms.has_engines() && !may_start_engines {
            return Err("it names a program to run; --allow-engines lets it run".to_owned());
        }
        if !isa.is_available() {
            return Err(format!("it uses {isa:?}, which this machine lacks"));
        }
        let mut networks = Networks::new();
        for (name, size) in sizes {
            let (bytes, rest) = body.split_at_checked(size).ok_or("damaged: half a network")?;
            networks.insert(name, Checkpoint::from_bytes(bytes)?);
            body = rest;
        }
        let ours = NetworkStore::with_method(terms.method).with_networks(networks.clone()).closed(isa);
        let others = NetworkStore::new().with_networks(networks).closed(isa);
        Ok(Contest { terms, ours: Arc::new(ours), others: Arc::new(others) })
    }

    /// What is played.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// With the game that it is of.
    pub fn of<'c>(&'c self, kit: &'c dyn GameKit) -> ContestPlay<'c> {
        let agents = |networks: &Arc<NetworkStore>| Agents::new(kit, Arc::clone(networks));
        ContestPlay { terms: &self.terms, kit, ours: agents(&self.ours), others: agents(&self.others) }
    }
}

/// A contest of a game, ready to be played.
pub struct ContestPlay<'c> {
    terms: &'c Terms,
    kit: &'c dyn GameKit,
    ours: Agents<'c>,
    others: Agents<'c>,
}

impl ContestPlay<'_> {
    /// A network of the run as the agent of a line, whose network has no name that could stand in a line.
    fn own(line: &str, network: &str) -> Result<AgentSpec, String> {
        let mut spec = AgentSpec::parse(line).map_err(|error| error.to_string())?;
        if let AgentSpec::Network(NetworkSpec::Pv(options)) = &mut spec {
            network.clone_into(&mut options.net);
        }
        Ok(spec)
    }

    fn player(&self, place: usize) -> Result<Box<dyn Player>, String> {
        match &self.terms.seats[place] {
            Seat::Line(line) => self.others.player(line, 0).map_err(|error| error.to_string()),
            Seat::Own(line, network) => {
                let spec = Self::own(line, network)?;
                self.ours.seat((&spec, spec.limits()), &self.terms.spec.players[place], 0)
            }
        }
    }

    /// Whether two machines play the same games: no clock and no foreign program decides a move.
    pub fn repeats(&self) -> bool {
        let budgets = self.terms.spec.budgets.iter();
        self.terms.seats.iter().zip(budgets).all(|(seat, budget)| {
            let (line, limits) = match seat {
                Seat::Line(line) => (line, self.others.searcher(line, 0).ok().flatten().map(|found| found.limits)),
                Seat::Own(line, network) => (line, Self::own(line, network).ok().map(|spec| spec.limits())),
            };
            let timed = |budget: Budget| budget.time.is_some() || budget.soft.is_some() || budget.cpu.is_some();
            let alone = option(line, "threads").is_none_or(|threads| threads == "1");
            alone && limits.is_some_and(|limits| !timed(limits.budget(budget)))
        })
    }

    /// Plays the games of a match with these numbers on so many threads; `done` gets each as it ends.
    ///
    /// # Errors
    /// If a player cannot be made or refuses to play, an opening is wrong, or `done` fails.
    pub fn results(
        &self,
        numbers: &[usize],
        threads: usize,
        stop: &AtomicBool,
        done: &mut dyn FnMut(GameResult) -> Result<(), String>,
    ) -> Result<(), String> {
        let (game, halt) = (self.kit.game(), || stop.load(Ordering::Relaxed));
        let (first, second) = (|| self.player(0), || self.player(1));
        play_numbers(game.as_ref(), &self.terms.spec, (numbers, threads), [&first, &second], &halt, done)
    }
}

impl Play for ContestPlay<'_> {
    fn play(&self, todo: &[u64], threads: usize, stop: &AtomicBool, done: &mut Done<'_>) -> Result<PlayCost, String> {
        let (game, spec) = (self.kit.game(), &self.terms.spec);
        let mut cost = PlayCost::default();
        match self.terms.purpose {
            Purpose::Match => {
                let numbers: Vec<usize> = todo.iter().map(|&number| number as usize).collect();
                self.results(&numbers, threads, stop, &mut |result| {
                    let cpu = result.costs.iter().map(|cost| cost.cpu).sum();
                    cost.cpu += Duration::try_from_secs_f64(cpu).unwrap_or_default();
                    cost.evaluations += result.costs[0].evaluations;
                    let record = result.record(game.as_ref(), spec).map_err(|error| error.to_string())?;
                    done(PlayedGame { index: result.index as u64, record, cost })
                })?;
            }
            Purpose::Data => {
                let (first, second) = (|| self.player(0), || self.player(1));
                let numbers = (todo.iter().copied(), threads);
                let wrong = |problem: String| problem;
                play_games(game.as_ref(), spec, numbers, [&first, &second], stop, wrong, |index, record| {
                    done(PlayedGame { index, record, cost })
                })?;
            }
        }
        Ok(cost)
    }
}

/// Checks a game of a contest that another process says it has played: its number, its rules, each move.
///
/// # Errors
/// With what is wrong, in words.
pub fn check_contest_game(game: &dyn AnyGame, record: &GameRecord, number: u64) -> Result<(), String> {
    let index = usize::try_from(number).map_err(|error| error.to_string())?;
    moves_of_round(game, index, record).map_err(|error| error.to_string())?;
    let thoughts = record.moves.iter().filter_map(|played| played.thought.as_ref());
    for thought in thoughts {
        if !thought.policy.is_empty() || !(-1.0..=1.0).contains(&thought.value.get()) {
            return Err("a value that is none".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::Kit;
    use tesuji_arena::play::Adjudication;
    use tesuji_core::Rules;
    use tesuji_games::connect4::Connect4;

    fn terms(lines: [&str; 2], openings: Openings) -> Terms {
        let spec = MatchSpec {
            game: "connect4".to_owned(),
            rules: Rules::Official,
            players: lines.map(str::to_owned),
            budgets: [Budget::UNLIMITED; 2],
            margin: Duration::from_secs(1),
            openings,
            adjudication: Adjudication::default(),
            seed: 5,
        };
        let seats = spec.players.clone().map(Seat::Line);
        Terms { purpose: Purpose::Data, spec, seats, method: ConvMethod::Direct }
    }

    fn sent(lines: [&str; 2], openings: Openings, may_start_engines: bool) -> Result<Contest, String> {
        Contest::sent(&terms(lines, openings).to_bytes(&Networks::new()), may_start_engines)
    }

    #[test]
    fn what_was_sent_starts_nothing_and_opens_nothing() {
        let random = Openings::Random(2);
        assert!(sent(["random", "bot"], random.clone(), false).is_ok());
        let engine = ["random", "engine:touch /tmp/x"];
        let problem = sent(engine, random.clone(), false).err().unwrap();
        assert!(problem.contains("--allow-engines"), "{problem}");
        assert!(sent(engine, random.clone(), true).is_ok());
        let problem =
            sent(["random", "pmc:rollout=strength,strengths=/etc/passwd"], random.clone(), true).err().unwrap();
        assert!(problem.contains("strengths are a file"), "{problem}");
        let lines = Openings::Lines(vec!["/etc/x.tbsmap".to_owned()]);
        assert!(sent(["random", "bot"], lines, true).err().unwrap().contains("is a file"));
        // A network that is named and was not sent is not looked for.
        let kit = Kit(Connect4::new(Rules::Official));
        let named = sent(["random", "pv:net=/etc/passwd"], random.clone(), false).unwrap();
        let played = named.of(&kit).play(&[0], 1, &AtomicBool::new(false), &mut |_| Ok(()));
        assert!(played.err().unwrap().contains("came with the work"));
        let mut bytes = terms(["random", "bot"], random).to_bytes(&Networks::new());
        bytes[9] ^= 1;
        assert!(Contest::sent(&bytes, true).is_err());
    }

    #[test]
    fn clocks_and_programs_do_not_repeat() {
        let kit = Kit(Connect4::new(Rules::Official));
        let repeats = |line| sent([line, "random"], Openings::Random(2), true).unwrap().of(&kit).repeats();
        for line in ["uct:sims=20", "alphabeta:depth=2", "bot", "alphabeta:depth=2,threads=1"] {
            assert!(repeats(line), "{line}");
        }
        for line in ["uct:time=1ms", "alphabeta:cpu=1ms", "engine:nobody", "alphabeta:depth=2,threads=2"] {
            assert!(!repeats(line), "{line}");
        }
    }

    #[test]
    fn games_of_contests_are_checked() {
        let kit = Kit(Connect4::new(Rules::Official));
        let contest = sent(["uct:sims=20", "bot"], Openings::Random(2), false).unwrap();
        let mut games = Vec::new();
        let mut keep = |game: PlayedGame| {
            games.push(game);
            Ok(())
        };
        contest.of(&kit).play(&[3, 4], 2, &AtomicBool::new(false), &mut keep).unwrap();
        let game = kit.game();
        for played in &games {
            check_contest_game(game.as_ref(), &played.record, played.index).unwrap();
            assert!(check_contest_game(game.as_ref(), &played.record, played.index + 1).is_err());
            let mut wrong = played.record.clone();
            wrong.moves.swap(0, 1);
            wrong.moves.truncate(1);
            wrong.moves[0].bits = 9999;
            assert!(check_contest_game(game.as_ref(), &wrong, played.index).is_err());
        }
        assert_eq!(games.iter().map(|played| played.index).collect::<Vec<_>>(), [3, 4]);
    }
}
