//! Leaf values without playouts: the game's heuristic, and a mix of two evaluators.

use tesuji_core::{Evaluation, Evaluator, Game, Leaf, Position, Stream, Value};

/// The game's heuristic as a value for the first player: `tanh(h / scale)`.
///
/// `libm` rather than the platform's mathematics, so that a search is the same on every machine.
pub fn value<G: Game>(game: &G, position: &G::Position) -> f32 {
    score_value(game, game.heuristic(position))
}

/// A heuristic score as a value: `tanh(h / scale)`.
pub fn score_value<G: Game>(game: &G, score: i32) -> f32 {
    libm::tanhf(score as f32 / game.heuristic_scale())
}

/// Values leaves by the game's heuristic.
#[derive(Clone, Debug)]
pub struct Heuristic<G: Game> {
    game: G,
}

impl<G: Game> Heuristic<G> {
    /// The heuristic of this game.
    pub fn new(game: G) -> Heuristic<G> {
        Heuristic { game }
    }
}

impl<G: Game> Evaluator<G::Position> for Heuristic<G> {
    fn evaluate(&mut self, leaves: &[Leaf<'_, G::Position>], out: &mut [Evaluation]) {
        for (leaf, out) in leaves.iter().zip(out) {
            out.value = Value::new(value(&self.game, leaf.position));
            out.priors.clear();
        }
    }
}

/// Values leaves by `(1 - lambda) V + lambda z`, with the priors of `V` (a network or heuristic); `z` is a playout.
#[derive(Clone, Debug)]
pub struct Mix<V, Z> {
    evaluator: V,
    playout: Z,
    lambda: f32,
    scratch: Vec<Evaluation>,
}

impl<V, Z> Mix<V, Z> {
    /// A mix with this share of the playout.
    pub fn new(evaluator: V, playout: Z, lambda: f32) -> Mix<V, Z> {
        Mix { evaluator, playout, lambda, scratch: Vec::new() }
    }
}

impl<P: Position, V: Evaluator<P>, Z: Evaluator<P>> Evaluator<P> for Mix<V, Z> {
    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
        self.evaluator.evaluate(leaves, out);
        self.scratch.resize_with(leaves.len().max(self.scratch.len()), Evaluation::default);
        self.playout.evaluate(leaves, &mut self.scratch[..leaves.len()]);
        for (out, played) in out.iter_mut().zip(&self.scratch) {
            out.value = Value::new((1.0 - self.lambda) * out.value.get() + self.lambda * played.value.get());
        }
    }

    fn refusal(&self, position: &P) -> Option<String> {
        self.evaluator.refusal(position).or_else(|| self.playout.refusal(position))
    }

    fn reseed(&mut self, mut random: Stream) {
        self.evaluator.reseed(random.fork("judge"));
        self.playout.reseed(random);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::{GameRules, Heuristics, MoveList, Rules};
    use tesuji_games::tictactoe::TicTacToe;

    /// Always the same value, and priors that count up.
    struct Fixed(f32);

    impl<P: Position> Evaluator<P> for Fixed {
        fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
            for (leaf, out) in leaves.iter().zip(out) {
                out.value = Value::new(self.0);
                out.priors = (0..leaf.moves.len()).map(|i| i as f32).collect();
            }
        }
    }

    #[test]
    fn the_mix_is_the_papers() {
        let position = TicTacToe::new(Rules::Official).start();
        let mut moves = MoveList::new();
        position.moves(&mut moves);
        let leaves = [Leaf { position: &position, moves: &moves }];
        let mut out = [Evaluation::default()];
        Mix::new(Fixed(0.5), Fixed(-1.0), 0.7).evaluate(&leaves, &mut out);
        assert!((out[0].value.get() - (0.3 * 0.5 - 0.7)).abs() < 1e-6);
        assert_eq!(out[0].priors.len(), 9);
    }

    #[test]
    fn the_heuristic_saturates_at_its_scale() {
        let game = TicTacToe::new(Rules::Official);
        assert_eq!(score_value(&game, 0), 0.0);
        assert!((score_value(&game, game.heuristic_scale() as i32) - 0.761_594).abs() < 1e-5);
        assert!(score_value(&game, -1_000_000) >= -1.0);
    }
}
