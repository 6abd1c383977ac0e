//! Values by complete games of the greedy policy: the chess paper values a leaf so.

use tesuji_core::{Evaluation, Evaluator, Leaf, Outcome, Position};

/// Judges a leaf by playing the most probable moves from there to the end; priors are the policy's own.
pub struct GreedyRollouts<E> {
    policy: E,
    /// A game that goes on for longer is a draw.
    limit: u32,
}

impl<E> GreedyRollouts<E> {
    /// Rollouts by this policy, cut as draws after so many plies.
    pub fn new(policy: E, limit: u32) -> GreedyRollouts<E> {
        GreedyRollouts { policy, limit }
    }

    /// The policy.
    pub fn policy(&self) -> &E {
        &self.policy
    }
}

/// A game on its way to the end.
struct Rollout<P: Position> {
    leaf: usize,
    position: P,
    moves: Vec<P::Move>,
}

impl<P: Position, E: Evaluator<P>> Evaluator<P> for GreedyRollouts<E> {
    fn refusal(&self, position: &P) -> Option<String> {
        self.policy.refusal(position)
    }

    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
        self.policy.evaluate(leaves, out);
        let begin = |(leaf, question): (usize, &Leaf<'_, P>)| Rollout {
            leaf,
            position: question.position.clone(),
            moves: question.moves.to_vec(),
        };
        let mut going: Vec<Rollout<P>> = leaves.iter().enumerate().map(begin).collect();
        let mut answers: Vec<Evaluation> = out.to_vec();
        for _ in 0..self.limit {
            let mut ended = Vec::new();
            for (rollout, answer) in going.iter_mut().zip(&answers) {
                let rated = rollout.moves.iter().zip(&answer.priors);
                let best = rated.reduce(|best, next| if next.1 > best.1 { next } else { best });
                // An evaluator without priors thinks all moves alike.
                let mv = best.map_or(rollout.moves[0], |(&mv, _)| mv);
                rollout.position.play(mv);
                let outcome = rollout.position.expand(&mut rollout.moves);
                if let Some(outcome) = outcome {
                    out[rollout.leaf].value = outcome.value();
                }
                ended.push(outcome.is_some());
            }
            let mut ended = ended.into_iter();
            going.retain(|_| !ended.next().unwrap_or(true));
            if going.is_empty() {
                return;
            }
            answers.resize_with(going.len().max(answers.len()), Evaluation::default);
            let asked: Vec<Leaf<'_, P>> =
                going.iter().map(|rollout| Leaf { position: &rollout.position, moves: &rollout.moves }).collect();
            self.policy.evaluate(&asked, &mut answers[..going.len()]);
        }
        for rollout in going {
            out[rollout.leaf].value = Outcome::Draw.value();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::{GameRules, Rules, Value};
    use tesuji_games::tictactoe::TicTacToe;

    /// Prefers the last move.
    struct Last;

    impl<P: Position> Evaluator<P> for Last {
        fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
            for (leaf, out) in leaves.iter().zip(out) {
                out.value = Value::new(0.25);
                out.priors = (0..leaf.moves.len()).map(|number| number as f32).collect();
            }
        }
    }

    #[test]
    fn leaves_are_worth_what_the_greedy_policy_makes_of_them() {
        let game = TicTacToe::new(Rules::Official);
        let mut positions = vec![game.start()];
        for line in ["a1", "a1 b1", "a1 b1 c1 a2"] {
            let mut position = game.start();
            for mv in line.split(' ') {
                position.play(position.parse_move(mv).unwrap());
            }
            positions.push(position);
        }
        let moves: Vec<Vec<_>> = positions
            .iter()
            .map(|position| {
                let mut moves = Vec::new();
                position.moves(&mut moves);
                moves
            })
            .collect();
        let leaves: Vec<_> =
            positions.iter().zip(&moves).map(|(position, moves)| Leaf { position, moves: moves.as_slice() }).collect();
        let mut out = vec![Evaluation::default(); leaves.len()];
        GreedyRollouts::new(Last, 9).evaluate(&leaves, &mut out);
        for (start, out) in positions.iter().zip(&out) {
            let mut position = *start;
            let mut moves = Vec::new();
            while position.expand(&mut moves).is_none() {
                position.play(*moves.last().unwrap());
            }
            assert_eq!(out.value, position.outcome().unwrap().value());
        }
        // Cut short, a game is a draw, whatever the policy's value says.
        GreedyRollouts::new(Last, 1).evaluate(&leaves, &mut out);
        assert!(out.iter().all(|out| out.value == Outcome::Draw.value()));
    }
}
