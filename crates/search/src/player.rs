//! A search as a player.

use crate::handle::Searcher;
use cpu_time::ThreadTime;
use std::sync::Arc;
use tesuji_core::player::Choice;
use tesuji_core::{AnyGame, AnyPosition, Budget, GameLine, Player, PlayerError, Quiet, Rules};

/// One of our own searches as a [`Player`] of matches.
pub struct SearchPlayer {
    game: Arc<dyn AnyGame>,
    name: String,
    searcher: Searcher,
    /// The game so far: its start, the moves that were played since and the position they led to.
    known: Option<Known>,
}

struct Known {
    rules: Rules,
    start: String,
    moves: Vec<String>,
    position: Box<dyn AnyPosition>,
}

impl SearchPlayer {
    /// A player of this game.
    pub fn new(game: Arc<dyn AnyGame>, name: &str, searcher: Searcher) -> SearchPlayer {
        SearchPlayer { game, name: name.to_owned(), searcher, known: None }
    }

    /// The position at the end of a line. The search is advanced by the moves that are new since the last call.
    fn follow(&mut self, line: &GameLine) -> Result<&dyn AnyPosition, PlayerError> {
        let protocol = |problem: String| PlayerError::Protocol(problem);
        if line.game != self.game.name() || line.rules != self.game.rules() {
            return Err(protocol(format!("a player of {} was given a game of {}", self.game.name(), line.game)));
        }
        let continues = self.known.as_ref().is_some_and(|known| {
            known.rules == line.rules && known.start == line.start && line.moves.starts_with(&known.moves)
        });
        if !continues {
            let position = self.game.parse(&line.start).map_err(|error| protocol(error.to_string()))?;
            let (rules, start) = (line.rules, line.start.clone());
            self.known = Some(Known { rules, start, moves: Vec::new(), position });
        }
        let known = self.known.as_mut().expect("it has just been set");
        for text in &line.moves[known.moves.len()..] {
            let mv = known.position.parse_move(text).map_err(|error| protocol(error.to_string()))?;
            known.position.play(mv).map_err(|error| protocol(error.to_string()))?;
            known.moves.push(text.clone());
            self.searcher.search.advance(mv);
        }
        if known.position.outcome().is_some() {
            return Err(protocol("asked to move in a game that is over".to_owned()));
        }
        if let Some(problem) = self.searcher.search.refusal(known.position.as_ref()) {
            return Err(PlayerError::Refused(problem));
        }
        Ok(known.position.as_ref())
    }
}

impl Player for SearchPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.searcher.search.new_game(seed);
        self.known = None;
        Ok(())
    }

    fn check(&mut self, line: &GameLine, _budget: &Budget) -> Result<(), PlayerError> {
        let checked = self.follow(line).map(drop);
        self.known = None;
        checked
    }

    fn choose(&mut self, line: &GameLine, budget: &Budget) -> Result<Choice, PlayerError> {
        let clock = ThreadTime::now();
        let position = self.follow(line)?.boxed();
        let budget = self.searcher.budget(budget);
        let found = self.searcher.search.search(position.as_ref(), &budget, &mut Quiet);
        Ok(Choice {
            text: position.format_move(found.best),
            value: Some(found.value.for_side(position.mover())),
            nodes: found.nodes,
            evaluations: found.evaluations,
            cpu: clock.elapsed(),
            line: position.format_line(&found.line),
        })
    }
}
