//! Games of the rule bot against itself: records to learn from before a network can play.

use super::game::Series;
use super::threads::on_threads;
use crate::run::ledger::PlayCost;
use crate::run::{Done, Play, PlayedGame};
use cpu_time::ThreadTime;
use std::sync::atomic::AtomicBool;
use tesuji_core::{Game, Position};

/// The games of a generation by the rule bot.
pub struct BotPlay<'a, G: Game> {
    /// The games: their greatest length and where they begin.
    pub series: Series<'a, G>,
}

impl<G: Game> Play for BotPlay<'_, G> {
    fn play(&self, todo: &[u64], threads: usize, stop: &AtomicBool, done: &mut Done<'_>) -> Result<PlayCost, String> {
        on_threads(todo, threads, stop, done, &|desk| {
            let clock = ThreadTime::now();
            let mut cost = PlayCost::default();
            let mut moves = Vec::new();
            while !desk.halts()
                && let Some(index) = desk.take()
            {
                let mut game = self.series.begin("rule bot", index);
                while !game.is_over() {
                    game.position.moves(&mut moves);
                    let mv = self.series.game.bot_move(&game.position, &moves, &mut game.random);
                    game.play(mv, None);
                }
                cost.cpu = clock.elapsed();
                desk.hand_over(PlayedGame { index, record: game.into_record(None), cost });
            }
            Ok(cost)
        })
    }
}
