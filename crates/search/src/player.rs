//! A search as a player.

use crate::agent::Searcher;
use cpu_time::ThreadTime;
use tesuji_core::player::Choice;
use tesuji_core::{Budget, Game, GameLine, Player, PlayerError, Position, Quiet, Rules, game};

/// One of our own searches behind the face that matches know.
pub struct SearchPlayer<G: Game> {
    game: G,
    name: String,
    searcher: Searcher<G::Position>,
    /// The game so far: its start, the moves that were played since and the position they led to.
    known: Option<Known<G::Position>>,
}

struct Known<P: Position> {
    rules: Rules,
    start: String,
    moves: Vec<String>,
    position: P,
}

impl<G: Game> SearchPlayer<G> {
    /// A player of this game.
    pub fn new(game: G, name: &str, searcher: Searcher<G::Position>) -> SearchPlayer<G> {
        SearchPlayer { game, name: name.to_owned(), searcher, known: None }
    }

    /// The position at the end of a line. Moves that are new since the last call are told to the search.
    fn follow(&mut self, line: &GameLine) -> Result<&G::Position, PlayerError> {
        let protocol = |problem: String| PlayerError::Protocol(problem);
        if line.game != self.game.name() || line.rules != self.game.rules() {
            return Err(protocol(format!("a player of {} was given a game of {}", self.game.name(), line.game)));
        }
        let continues = self.known.as_ref().is_some_and(|known| {
            known.rules == line.rules && known.start == line.start && line.moves.starts_with(&known.moves)
        });
        if !continues {
            let position = game::parse_line(&self.game, &line.start).map_err(|error| protocol(error.to_string()))?;
            let (rules, start) = (line.rules, line.start.clone());
            self.known = Some(Known { rules, start, moves: Vec::new(), position });
        }
        let known = self.known.as_mut().expect("it has just been set");
        for text in &line.moves[known.moves.len()..] {
            let mv = known.position.parse_move(text).map_err(|error| protocol(error.to_string()))?;
            known.position.play(mv);
            known.moves.push(text.clone());
            self.searcher.search.advance(mv);
        }
        if known.position.outcome().is_some() {
            return Err(protocol("asked to move in a game that is over".to_owned()));
        }
        Ok(&known.position)
    }
}

impl<G: Game> Player for SearchPlayer<G> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.searcher.search.new_game(seed);
        self.known = None;
        Ok(())
    }

    fn choose(&mut self, line: &GameLine, budget: &Budget) -> Result<Choice, PlayerError> {
        let clock = ThreadTime::now();
        let position = self.follow(line)?.clone();
        let budget = self.searcher.budget(budget);
        let found = self.searcher.search.search(&position, &budget, &mut Quiet);
        let mut texts = Vec::with_capacity(found.line.len());
        let mut along = position.clone();
        for &mv in &found.line {
            texts.push(along.format_move(mv));
            along.play(mv);
        }
        Ok(Choice {
            text: position.format_move(found.best),
            value: Some(found.value.for_side(position.mover())),
            nodes: found.nodes,
            evaluations: found.evaluations,
            cpu: clock.elapsed(),
            line: texts,
        })
    }
}
