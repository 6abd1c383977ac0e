//! Games by epsilon-greedy choice, many at a time: what deep Q-learning and TD learning play.

use super::game::{GameInProgress, Series};
use super::mates::RootSolver;
use super::options::SelfPlay;
use super::threads::{Desk, on_threads};
use crate::ranges::{KeyRanges, SHARE, real, whole};
use crate::run::ledger::PlayCost;
use crate::run::{Done, Play, PlayedGame};
use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use tesuji_core::{Game, GameRecord, Position};

/// Chooses the best moves by a network.
pub trait Chooser<P: Position> {
    /// The best move of each position, given with its moves, which are not empty.
    fn choose(&mut self, asked: &[(&P, &[P::Move])]) -> Vec<P::Move>;

    /// Views that went through the network so far.
    fn evaluations(&self) -> u64;
}

/// The share of random moves, by game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "epsilon: expected a list of shares such as [0.1], or { start, end, games }")]
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

    /// The ranges of its numbers, where the key is `epsilon`.
    pub fn ranges() -> KeyRanges {
        vec![
            ("epsilon", SHARE),
            // It falls exponentially, which never reaches 0.
            ("epsilon.start", real(0.000_001..=1.0)),
            ("epsilon.end", real(0.000_001..=1.0)),
            ("epsilon.games", whole(0..=1_000_000_000_000)),
        ]
    }

    /// Checks that there are shares.
    ///
    /// # Errors
    /// If the list is empty.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Epsilon::List(list) if list.is_empty() => {
                Err("method.epsilon = []: expected at least one share".to_owned())
            }
            Epsilon::List(_) | Epsilon::Falls { .. } => Ok(()),
        }
    }
}

/// The tag of a record that lists the plies at which moves were random.
const RANDOM: &str = "random";

/// The plies of a record at which moves were random, in order.
pub fn random_plies(record: &GameRecord) -> Vec<usize> {
    let tag = record.tags.iter().find(|(name, _)| name == RANDOM);
    tag.map(|(_, plies)| plies.split(' ').filter_map(|ply| ply.parse().ok()).collect()).unwrap_or_default()
}

/// The games of a generation by epsilon-greedy choice.
pub struct EpsilonGames<'a, G: Game> {
    /// The games: in flight, their greatest length, where they begin, and the mate solver.
    pub series: Series<'a, G>,
    /// The share of random moves.
    pub epsilon: &'a Epsilon,
    /// Games of the generations before.
    pub games_before: u64,
}

/// The games of a generation by epsilon-greedy choice, of whichever game.
#[derive(Clone, Copy)]
pub struct EpsilonPlan<'a> {
    /// How games are played.
    pub options: &'a SelfPlay,
    /// The share of random moves.
    pub epsilon: &'a Epsilon,
    /// The run's seed.
    pub seed: u64,
    /// The generation, from 1.
    pub generation: u64,
    /// Games of the generations before.
    pub games_before: u64,
}

impl<'a> EpsilonPlan<'a> {
    /// Those of a game.
    pub fn of<G: Game>(self, game: &'a G) -> EpsilonGames<'a, G> {
        let EpsilonPlan { options, epsilon, seed, generation, games_before } = self;
        EpsilonGames { series: Series { game, options, seed, generation }, epsilon, games_before }
    }
}

/// Plays them, each thread with a chooser of its own.
pub struct EpsilonPlay<'a, G: Game> {
    /// The games.
    pub games: EpsilonGames<'a, G>,
    /// Makes a chooser.
    pub chooser: Box<dyn Fn() -> Box<dyn Chooser<G::Position>> + Sync + 'a>,
}

/// A game under way.
pub struct Playing<P: Position> {
    /// The game.
    pub game: GameInProgress<P>,
    /// The share of random moves.
    epsilon: f32,
    moves: Vec<P::Move>,
    /// The plies at which moves were random.
    random_plies: Vec<usize>,
}

impl<G: Game> EpsilonGames<'_, G> {
    /// Game number `index` of the generation at its start.
    pub fn new_game(&self, index: u64) -> Playing<G::Position> {
        let game = self.series.begin("epsilon-greedy", index);
        let epsilon = self.epsilon.of(self.games_before + index);
        Playing { game, epsilon, moves: Vec::new(), random_plies: Vec::new() }
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
        let mate = solver.mate(self.series.game, &playing.game.position);
        cost.mate += clock.elapsed();
        let Some(line) = mate else { return false };
        playing.game.play_mate(line[0], None);
        true
    }
}

impl<G: Game> Play for EpsilonPlay<'_, G> {
    fn play(&self, todo: &[u64], threads: usize, stop: &AtomicBool, done: &mut Done<'_>) -> Result<PlayCost, String> {
        on_threads(todo, threads, stop, done, &|desk| Ok(self.play_on_thread(desk)))
    }
}

impl<G: Game> EpsilonPlay<'_, G> {
    fn play_on_thread(&self, desk: &Desk<'_>) -> PlayCost {
        let clock = ThreadTime::now();
        let mut cost = PlayCost::default();
        let mut chooser = (self.chooser)();
        let mut solver = self.games.series.solver();
        let mut playing: Vec<Playing<G::Position>> = Vec::new();
        while !desk.halts() {
            while playing.len() < self.games.series.options.in_flight
                && let Some(index) = desk.take()
            {
                playing.push(self.games.new_game(index));
            }
            if playing.is_empty() {
                break;
            }
            let mut asks = |game: &mut Playing<G::Position>| !self.games.plays_alone(game, &mut solver, &mut cost);
            let thinking: Vec<usize> =
                playing.iter_mut().enumerate().filter_map(|(place, game)| asks(game).then_some(place)).collect();
            let asked: Vec<_> = thinking.iter().map(|&place| playing[place].asked()).collect();
            let start = ThreadTime::now();
            let chosen = chooser.choose(&asked);
            cost.inference += start.elapsed();
            cost.evaluations = chooser.evaluations();
            thinking.into_iter().zip(chosen).for_each(|(place, mv)| playing[place].game.play(mv, None));
            cost.cpu = clock.elapsed();
            let mut at = 0;
            while at < playing.len() {
                if playing[at].game.is_over() {
                    let ended = playing.swap_remove(at);
                    desk.hand_over(PlayedGame { index: ended.game.index, record: ended.into_record(), cost });
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
        self.game.position.moves(&mut self.moves);
        let explores = self.game.random.unit() < f64::from(self.epsilon);
        if explores && let Some(&mv) = self.game.random.choose(&self.moves) {
            self.random_plies.push(self.game.plies());
            self.game.play(mv, None);
        }
        explores
    }

    /// Whether the latest move was random.
    pub fn latest_was_random(&self) -> bool {
        self.random_plies.last().is_some_and(|ply| ply + 1 == self.game.plies())
    }

    /// What a chooser is asked about: the position with its moves, known since [`EpsilonGames::plays_alone`].
    pub fn asked(&self) -> (&P, &[P::Move]) {
        (&self.game.position, &self.moves)
    }

    /// The record of the game that has ended.
    pub fn into_record(self) -> GameRecord {
        let plies: Vec<String> = self.random_plies.iter().map(usize::to_string).collect();
        self.game.into_record((!plies.is_empty()).then(|| (RANDOM, plies.join(" "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::events::MATES;
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
        let series = Series { game: &game, options: &options, seed: 1, generation: 1 };
        let games = EpsilonGames { series, epsilon: &epsilon, games_before: 0 };
        let mut records = Vec::new();
        let mut done = |game: PlayedGame| {
            records.push(game.record);
            Ok(())
        };
        let todo: Vec<u64> = (0..16).collect();
        let play = EpsilonPlay { games, chooser: Box::new(|| Box::new(First)) };
        let cost = play.play(&todo, 2, &AtomicBool::new(false), &mut done).unwrap();
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
