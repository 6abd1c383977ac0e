//! Games by epsilon-greedy choice, many at a time: what deep Q-learning and TD learning play.

use crate::experiment::SelfPlay;
use crate::mates::RootSolver;
use crate::selfplay::{MATES, PlayCost, on_threads};
use crate::train::Done;
use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use tesuji_core::{Game, GameRecord, Move, Outcome, Position, Stream};

/// Chooses the best moves by a network.
pub trait Chooser<P: Position> {
    /// The best move of each position, given with its moves, which are not empty.
    fn choose(&mut self, asked: &[(&P, &[P::Move])]) -> Vec<P::Move>;

    /// Views that went through the network so far.
    fn evaluations(&self) -> u64;
}

/// The share of random moves, by game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Epsilon {
    /// One number for each game; the last one stays.
    List(Vec<f32>),
    /// Falls exponentially from `start` to `end` in so many games.
    Falls {
        /// At the first game.
        start: f32,
        /// From then on.
        end: f32,
        /// Games.
        games: u64,
    },
}

impl Epsilon {
    /// The share of a game, counted from 0 over the whole run.
    pub fn of(&self, game: u64) -> f32 {
        match self {
            Epsilon::List(list) => list.get(game as usize).or(list.last()).copied().unwrap_or(0.0),
            &Epsilon::Falls { start, end, games } => {
                let share = if games == 0 { 1.0 } else { (game as f32 / games as f32).min(1.0) };
                start * (end / start).powf(share)
            }
        }
    }

    /// Whether all of its numbers are shares.
    pub fn is_sane(&self) -> bool {
        let share = |number: f32| (0.0..=1.0).contains(&number);
        match self {
            Epsilon::List(list) => !list.is_empty() && list.iter().all(|&epsilon| share(epsilon)),
            &Epsilon::Falls { start, end, .. } => share(start) && share(end) && start > 0.0 && end > 0.0,
        }
    }
}

/// Who plays, and what.
pub struct Actor<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// Games in flight, their greatest length, where they begin, and the mate solver.
    pub options: &'a SelfPlay,
    /// The share of random moves.
    pub epsilon: &'a Epsilon,
    /// The run's seed.
    pub seed: u64,
    /// The generation.
    pub generation: u64,
    /// Games of the generations before.
    pub games_before: u64,
}

/// A game under way.
pub struct Playing<P: Position> {
    /// Its number in the generation.
    pub index: u64,
    /// Where it is.
    pub position: P,
    /// The share of random moves.
    pub epsilon: f32,
    record: GameRecord,
    random: Stream,
    moves: Vec<P::Move>,
    max_plies: usize,
    /// The plies at which moves were random.
    random_plies: Vec<usize>,
    /// Mates that the solver found.
    mates: u32,
}

/// The tag of a record that lists the plies at which moves were random.
const RANDOM: &str = "random";

/// The plies of a record at which moves were random, in order.
pub fn random_plies(record: &GameRecord) -> Vec<usize> {
    let tag = record.tags.iter().find(|(name, _)| name == RANDOM);
    tag.map(|(_, plies)| plies.split(' ').filter_map(|ply| ply.parse().ok()).collect()).unwrap_or_default()
}

impl<G: Game> Actor<'_, G> {
    /// Game number `index` of the generation at its start.
    pub fn new_game(&self, index: u64) -> Playing<G::Position> {
        let play = self.options;
        let mut random = Stream::new(self.seed, &format!("epsilon-greedy {}", self.generation), index);
        let position = if play.varied_starts { self.game.varied_start(&mut random) } else { self.game.start() };
        let start = self.game.format_position(&position);
        let mut record = GameRecord::new(self.game.name(), self.game.rules(), self.game.rules_version(), &start);
        record.tags.push(("generation".to_owned(), self.generation.to_string()));
        record.tags.push(("game".to_owned(), index.to_string()));
        let epsilon = self.epsilon.of(self.games_before + index);
        Playing {
            index,
            position,
            epsilon,
            record,
            random,
            moves: Vec::new(),
            max_plies: play.max_plies as usize,
            random_plies: Vec::new(),
            mates: 0,
        }
    }

    /// The mate solver that the options ask for.
    pub fn solver(&self) -> Option<RootSolver> {
        RootSolver::new(self.options.mate)
    }

    /// Plays a move that needs no network: a random one with probability epsilon, otherwise a mate that the solver
    /// finds. If neither, `false` is returned and the network is to be asked. Chance comes first, so that learners see
    /// what becomes of a mate that is missed.
    pub fn plays_alone(
        &self,
        playing: &mut Playing<G::Position>,
        solver: &mut Option<RootSolver>,
        cost: &mut PlayCost,
    ) -> bool {
        if playing.explores() {
            return true;
        }
        let Some(solver) = solver else { return false };
        let clock = ThreadTime::now();
        let mate = solver.mate(self.game, &playing.position);
        cost.mate += clock.elapsed();
        let Some(line) = mate else { return false };
        playing.mates += 1;
        playing.play(line[0]);
        true
    }

    /// Plays the games whose numbers `todo` lists on so many threads, each with a chooser of its own.
    ///
    /// # Errors
    /// If `done` fails.
    pub fn play<C: Chooser<G::Position>>(
        &self,
        chooser: &(dyn Fn() -> C + Sync),
        todo: &[u64],
        threads: usize,
        stop: &AtomicBool,
        done: &mut Done<'_>,
    ) -> Result<PlayCost, String> {
        on_threads(todo, threads, stop, done, &|take, halt, finished| {
            Ok(self.play_on_thread(&mut chooser(), take, halt, finished))
        })
    }

    fn play_on_thread(
        &self,
        chooser: &mut dyn Chooser<G::Position>,
        take: &dyn Fn() -> Option<u64>,
        halt: &dyn Fn() -> bool,
        finished: &mut dyn FnMut(u64, GameRecord, PlayCost),
    ) -> PlayCost {
        let clock = ThreadTime::now();
        let mut cost = PlayCost::default();
        let mut solver = self.solver();
        let mut games: Vec<Playing<G::Position>> = Vec::new();
        while !halt() {
            while games.len() < self.options.in_flight
                && let Some(index) = take()
            {
                games.push(self.new_game(index));
            }
            if games.is_empty() {
                break;
            }
            let mut asks = |game: &mut Playing<G::Position>| !self.plays_alone(game, &mut solver, &mut cost);
            let thinking: Vec<usize> =
                games.iter_mut().enumerate().filter_map(|(place, game)| asks(game).then_some(place)).collect();
            let asked: Vec<_> = thinking.iter().map(|&place| games[place].asked()).collect();
            let start = ThreadTime::now();
            let chosen = chooser.choose(&asked);
            cost.inference += start.elapsed();
            cost.evaluations = chooser.evaluations();
            thinking.into_iter().zip(chosen).for_each(|(place, mv)| games[place].play(mv));
            cost.cpu = clock.elapsed();
            let mut at = 0;
            while at < games.len() {
                if games[at].is_over() {
                    let game = games.swap_remove(at);
                    finished(game.index, game.into_record(), cost);
                } else {
                    at += 1;
                }
            }
        }
        cost.cpu = clock.elapsed();
        cost
    }
}

impl<P: Position> Playing<P> {
    /// With probability epsilon plays a random move; otherwise returns `false`.
    fn explores(&mut self) -> bool {
        self.position.moves(&mut self.moves);
        let explores = self.random.unit() < f64::from(self.epsilon);
        if explores && let Some(&mv) = self.random.choose(&self.moves) {
            self.random_plies.push(self.record.moves.len());
            self.play(mv);
        }
        explores
    }

    /// What a chooser is asked about: the position with its moves, known since [`Actor::plays_alone`].
    pub fn asked(&self) -> (&P, &[P::Move]) {
        (&self.position, &self.moves)
    }

    /// Plays a move.
    pub fn play(&mut self, mv: P::Move) {
        self.record.push(mv);
        self.position.play(mv);
    }

    /// The latest move.
    pub fn latest(&self) -> Option<P::Move> {
        self.record.moves.last().and_then(|played| P::Move::from_bits(played.bits))
    }

    /// Whether the game has ended by its rules or by the limit on its length; the record then says how.
    pub fn is_over(&mut self) -> bool {
        if let Some(outcome) = self.position.outcome() {
            self.record.outcome = Some(outcome);
            self.record.ending = self.position.ending().to_owned();
        } else if self.record.moves.len() >= self.max_plies {
            self.record.outcome = Some(Outcome::Draw);
            self.record.ending = "move limit".to_owned();
        }
        self.record.outcome.is_some()
    }

    /// The record of the game that has ended.
    pub fn into_record(mut self) -> GameRecord {
        if !self.random_plies.is_empty() {
            let plies: Vec<String> = self.random_plies.iter().map(usize::to_string).collect();
            self.record.tags.push((RANDOM.to_owned(), plies.join(" ")));
        }
        if self.mates > 0 {
            self.record.tags.push((MATES.to_owned(), self.mates.to_string()));
        }
        self.record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Rules;
    use tesuji_games::shogi::Minishogi;

    /// Plays the first move of the list.
    struct First;

    impl<P: Position> Chooser<P> for First {
        fn choose(&mut self, asked: &[(&P, &[P::Move])]) -> Vec<P::Move> {
            asked.iter().map(|(_, moves)| moves[0]).collect()
        }

        fn evaluations(&self) -> u64 {
            0
        }
    }

    /// Games of minishogi, half of their moves random: the mates that were found, and how many of them ended by checkmate.
    fn games(mate: &str) -> (u32, usize) {
        let options = SelfPlay { mate: mate.parse().unwrap(), max_plies: 200, ..SelfPlay::default() };
        let (game, epsilon) = (Minishogi::new(Rules::Official), Epsilon::List(vec![0.5]));
        let actor =
            Actor { game: &game, options: &options, epsilon: &epsilon, seed: 1, generation: 1, games_before: 0 };
        let mut records = Vec::new();
        let mut done = |_, record, _: PlayCost| {
            records.push(record);
            Ok(())
        };
        let todo: Vec<u64> = (0..16).collect();
        let cost = actor.play(&|| First, &todo, 2, &AtomicBool::new(false), &mut done).unwrap();
        assert_eq!(cost.mate.is_zero(), mate == "none");
        let mates = records.iter().flat_map(|record| &record.tags).filter(|(name, _)| name == MATES);
        let ended = records.iter().filter(|record| record.ending == "checkmate").count();
        (mates.map(|(_, count)| count.parse::<u32>().unwrap()).sum(), ended)
    }

    #[test]
    fn mates_that_the_solver_finds_are_played() {
        let (mates, ended) = games("dfpn:100");
        assert_eq!(ended, 16);
        assert!(mates >= 16, "{mates}");
        let (mates, ended) = games("none");
        assert_eq!(mates, 0);
        assert!(ended < 16, "{ended}");
    }
}
