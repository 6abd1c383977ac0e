//! Games by alpha-beta at a fixed number of nodes a move: what integer networks learn from.

use super::game::{GameInProgress, Series};
use super::threads::{Desk, on_threads};
use crate::run::events::WOULD_RESIGN;
use crate::run::ledger::PlayCost;
use crate::run::{Done, Play, PlayedGame};
use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use tesuji_core::record::Thought;
use tesuji_core::{Budget, Found, Game, GameRecord, Outcome, Position, Quiet, Search, Side};

/// Own moves in a row that a side must see as lost before it resigns.
const RESIGN_MOVES: u32 = 3;

/// Openings that are drawn before an uneven one is taken.
const OPENINGS: u32 = 8;

/// How the moves of games by alpha-beta are found. How games begin and end is in [`SelfPlay`](super::SelfPlay).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlphaBetaPlay {
    /// Nodes of a search.
    pub nodes: u64,
    /// The number of nodes varies from move to move by this share, so that games from like openings part.
    pub node_spread: f64,
    /// At least so many random moves at the beginning; at most `selfplay.random_plies`.
    pub least_random_plies: u32,
    /// Openings that the first search values beyond this for one side are drawn again; 1 takes all.
    pub opening_limit: f32,
    /// Share of random moves behind the opening. Positions before one are not learned from by the game's result.
    pub random_moves: f64,
    /// Megabytes of each thread's transposition table.
    pub hash: usize,
}

impl Default for AlphaBetaPlay {
    fn default() -> AlphaBetaPlay {
        AlphaBetaPlay {
            nodes: 1000,
            node_spread: 0.25,
            least_random_plies: 0,
            opening_limit: 0.85,
            random_moves: 0.0,
            hash: 2,
        }
    }
}

/// Plays the games of a generation by alpha-beta, each thread with a search of its own.
pub struct AlphaBetaGames<'a, G: Game> {
    /// The games.
    pub series: Series<'a, G>,
    /// How moves are found.
    pub options: &'a AlphaBetaPlay,
    /// Makes a search.
    pub search: Box<dyn Fn() -> Box<dyn Search<G::Position>> + Sync + 'a>,
}

impl<G: Game> Play for AlphaBetaGames<'_, G> {
    fn play(&self, todo: &[u64], threads: usize, stop: &AtomicBool, done: &mut Done<'_>) -> Result<PlayCost, String> {
        on_threads(todo, threads, stop, done, &|desk| Ok(self.play_on_thread(desk)))
    }
}

impl<G: Game> AlphaBetaGames<'_, G> {
    fn play_on_thread(&self, desk: &Desk<'_>) -> PlayCost {
        let clock = ThreadTime::now();
        let mut player = Thinker { options: self.options, search: (self.search)(), cost: PlayCost::default() };
        while !desk.halts()
            && let Some(index) = desk.take()
        {
            let Some(record) = self.one_game(index, &mut player, desk) else { break };
            player.cost.cpu = clock.elapsed();
            desk.hand_over(PlayedGame { index, record, cost: player.cost });
        }
        player.cost.cpu = clock.elapsed();
        player.cost
    }

    /// Plays game number `index`; `None` if the desk halts.
    fn one_game(&self, index: u64, player: &mut Thinker<'_, G::Position>, desk: &Desk<'_>) -> Option<GameRecord> {
        let mut game = self.series.begin("alpha-beta", index);
        // What a search remembers of other games must not show.
        player.search.new_game(game.random.next_u64());
        let mut first = self.opening(&mut game, player);
        let control = game.random.unit() < self.series.options.resign_control;
        let (mut hopeless, mut would_resign) = ([0; 2], None);
        while !game.is_over() {
            if desk.halts() {
                return None;
            }
            if first.is_none() && self.options.random_moves > 0.0 && game.random.unit() < self.options.random_moves {
                let before = game.plies();
                game.play_random(1);
                // A random move that would end the game is not played.
                if game.plies() > before {
                    continue;
                }
            }
            let found = match first.take() {
                Some(found) => found,
                None => player.think(&mut game),
            };
            if let Some(outcome) = found.proof {
                game.end(outcome, "proven");
                break;
            }
            let mover = game.position.mover();
            if self.is_hopeless(&found, mover, &mut hopeless) {
                if !control {
                    game.end(Outcome::Win(mover.other()), "resignation");
                    break;
                }
                would_resign.get_or_insert(mover);
            }
            game.play(found.best, Some(Thought { value: found.value, policy: Vec::new() }));
        }
        Some(game.into_record(would_resign.map(|side: Side| (WOULD_RESIGN, side.to_string()))))
    }

    /// Plays the opening; returns what a search found behind it.
    fn opening(
        &self,
        game: &mut GameInProgress<G::Position>,
        player: &mut Thinker<'_, G::Position>,
    ) -> Option<Found<<G::Position as Position>::Move>> {
        let (least, most) = (self.options.least_random_plies, self.series.options.random_plies);
        for left in (0..OPENINGS).rev() {
            let plies = least as usize + game.random.below(most.saturating_sub(least) as usize + 1);
            game.play_random(plies);
            if game.is_over() {
                return None;
            }
            let found = player.think(game);
            let even = found.proof.is_none() && found.value.get().abs() <= self.options.opening_limit;
            if even || plies == 0 || left == 0 {
                return Some(found);
            }
            game.begin_again();
        }
        None
    }

    /// Whether the side to move has seen itself lost often enough to resign.
    fn is_hopeless<M>(&self, found: &Found<M>, mover: Side, hopeless: &mut [u32; 2]) -> bool {
        let (value, resign) = (found.value.for_side(mover), self.series.options.resign);
        let count = &mut hopeless[mover.index()];
        *count = if resign > 0.0 && value <= -resign { *count + 1 } else { 0 };
        *count >= RESIGN_MOVES
    }
}

/// A search with what it has cost.
struct Thinker<'a, P: Position> {
    options: &'a AlphaBetaPlay,
    search: Box<dyn Search<P>>,
    cost: PlayCost,
}

impl<P: Position> Thinker<'_, P> {
    /// Searches the position of a game, which has not ended.
    fn think(&mut self, game: &mut GameInProgress<P>) -> Found<P::Move> {
        let share = 1.0 + self.options.node_spread * (2.0 * game.random.unit() - 1.0);
        let nodes = ((self.options.nodes as f64 * share) as u64).max(1);
        let found = self.search.search(&game.position, &Budget::nodes(nodes), &mut Quiet);
        self.cost.evaluations += found.evaluations;
        found
    }
}
