//! The setting of every tabular method: the states of a small game as numbers, and what follows what.

use std::collections::VecDeque;
use std::collections::hash_map::{Entry, HashMap};
use tesuji_core::{AnyPosition, Side, Stream};

/// The longest random walk: an episode of it takes ten thousand steps on average.
pub const LONGEST_WALK: usize = 199;

/// Why a game's states cannot be numbered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There are too many.
    #[error(
        "more than {limit} states: tabular methods need a small game such as tictactoe, or a position near the end of \
         a greater one"
    )]
    TooMany {
        /// How many there may be.
        limit: usize,
    },
    /// There is nothing to learn.
    #[error("the game is over there: {ending}")]
    Over {
        /// Why.
        ending: &'static str,
    },
    /// The value of a position depends on how it was reached.
    #[error("a game ends there by its history ({ending}), which a table of positions does not hold")]
    History {
        /// Why the game ended.
        ending: &'static str,
    },
    /// A walk of no or too many states.
    #[error("a walk has 1 to {LONGEST_WALK} states, not {states}")]
    Walk {
        /// How many were asked for.
        states: usize,
    },
}

/// The states of a small game, numbered, with their successors; ends have none.
///
/// The reward `R` of a step is the outcome for the first player if the step ends the game, else 0; the value `V` of an
/// end is 0, since nothing follows it. So `V(s)` is the expected outcome for the **first** player, whoever moves at
/// `s`; values are turned only where a mover compares ([`sign`](Self::sign)).
#[derive(Clone, Debug)]
pub struct Setting {
    /// Where episodes begin.
    pub start: usize,
    /// The actions at the start, in the game's notation.
    pub moves: Vec<String>,
    /// The number of states of a random walk; `None` in games, in which every successor has a greater number.
    pub walk: Option<usize>,
    states: Vec<State>,
    /// The states that are no ends.
    open: Vec<usize>,
}

/// What is known of a state.
#[derive(Clone, Debug)]
struct State {
    mover: Side,
    /// The reward for coming here.
    reward: f64,
    next: Vec<u32>,
}

impl Setting {
    /// Every state that can be reached from a position, if there are at most `limit`.
    ///
    /// A state is what [`AnyPosition::key`] and [`AnyPosition::ply`] tell apart, so that no state follows from itself.
    ///
    /// # Errors
    /// If there are more, if the game is over, or if its history decides how it ends.
    pub fn of_position(start: &dyn AnyPosition, limit: usize) -> Result<Setting, SettingError> {
        if start.outcome().is_some() {
            return Err(SettingError::Over { ending: start.ending() });
        }
        let mut numbers = HashMap::from([((start.key(), start.ply()), 0)]);
        let mut queue = VecDeque::from([start.boxed()]);
        let mut states = Vec::new();
        while let Some(position) = queue.pop_front() {
            let (outcome, moves) = (position.outcome(), position.moves());
            if outcome.is_some() && position.ended_by_history() {
                return Err(SettingError::History { ending: position.ending() });
            }
            let mut next = Vec::with_capacity(moves.len());
            for &mv in &moves {
                let mut child = position.clone();
                child.play(mv).expect("it was listed as legal");
                let fresh = numbers.len();
                let number = match numbers.entry((child.key(), child.ply())) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(_) if fresh >= limit => return Err(SettingError::TooMany { limit }),
                    Entry::Vacant(vacant) => {
                        queue.push_back(child);
                        *vacant.insert(fresh as u32)
                    }
                };
                next.push(number);
            }
            let reward = outcome.map_or(0.0, |outcome| f64::from(outcome.value().get()));
            states.push(State { mover: position.mover(), reward, next });
        }
        let moves = start.moves().into_iter().map(|mv| start.format_move(mv)).collect();
        Ok(Setting::new(states, 0, moves, None))
    }

    /// The random walk of Sutton and Barto (their chapters 6 and 7): `states` in a row, an end with the outcome -1 on
    /// the left and one with +1 on the right; the walker steps left or right, and begins in the middle.
    ///
    /// States recur here, which they never do in a game that fills its board. The walker is the first player; there is
    /// no second.
    ///
    /// # Errors
    /// If there are no states, or more than [`LONGEST_WALK`].
    pub fn walk(states: usize) -> Result<Setting, SettingError> {
        if !(1..=LONGEST_WALK).contains(&states) {
            return Err(SettingError::Walk { states });
        }
        let right = states + 1;
        let state = |number: usize| State {
            mover: Side::First,
            reward: if number == 0 { -1.0 } else { f64::from(number == right) },
            next: if number == 0 || number == right { vec![] } else { vec![number as u32 - 1, number as u32 + 1] },
        };
        let moves = ["left", "right"].map(str::to_owned).to_vec();
        Ok(Setting::new((0..=right).map(state).collect(), right / 2, moves, Some(states)))
    }

    fn new(states: Vec<State>, start: usize, moves: Vec<String>, walk: Option<usize>) -> Setting {
        let open = (0..states.len()).filter(|&state| !states[state].next.is_empty()).collect();
        Setting { start, moves, walk, states, open }
    }

    /// The number of states, the ends included.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none (there is always one).
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The states that are no ends, in order.
    pub fn open(&self) -> &[usize] {
        &self.open
    }

    /// The number of actions in all states together: what a sweep over all of them looks at.
    pub fn transitions(&self) -> u64 {
        self.states.iter().map(|state| state.next.len() as u64).sum()
    }

    /// The states that the actions of a state lead to, in the order of the game's move list; none for ends.
    pub fn next(&self, state: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.states[state].next.iter().map(|&next| next as usize)
    }

    /// The number of actions of a state; 0 for ends.
    pub fn actions(&self, state: usize) -> usize {
        self.states[state].next.len()
    }

    /// The state that an action leads to.
    pub fn after(&self, state: usize, action: usize) -> usize {
        self.states[state].next[action] as usize
    }

    /// The reward `R` of coming to a state.
    pub fn reward(&self, state: usize) -> f64 {
        self.states[state].reward
    }

    /// +1 where the first player moves, -1 where the second does: turns values for the first player into values for the
    /// mover, who wants them great.
    pub fn sign(&self, state: usize) -> f64 {
        f64::from(self.states[state].mover.sign())
    }

    /// The value of the mover's best choice among `targets`, the first player's values of the actions; 0 for ends.
    pub fn best(&self, state: usize, targets: impl Iterator<Item = f64>) -> f64 {
        let sign = self.sign(state);
        // Adding 0 turns the -0 of a drawn state into 0.
        targets.map(|target| sign * target).reduce(f64::max).map_or(0.0, |best| sign * best + 0.0)
    }

    /// The action that is the mover's best choice among `targets`; the first of several, 0 for ends.
    pub fn choice(&self, state: usize, targets: impl Iterator<Item = f64>) -> usize {
        let sign = self.sign(state);
        let mut best = (0, f64::NEG_INFINITY);
        for (action, target) in targets.enumerate() {
            if sign * target > best.1 {
                best = (action, sign * target);
            }
        }
        best.0
    }

    /// What each action of a state is worth if the states have these values: `R + gamma V(s')`.
    pub fn targets<'a>(&'a self, state: usize, values: &'a [f64], gamma: f64) -> impl Iterator<Item = f64> + 'a {
        self.next(state).map(move |next| self.reward(next) + gamma * values[next])
    }

    /// The states of one episode under the random policy, from `start` to an end.
    ///
    /// Episode number i of a seed is the same for every method, so that methods differ by what they learn from it.
    pub fn random_episode(&self, start: usize, random: &mut Stream) -> Vec<usize> {
        let mut path = vec![start];
        let mut state = start;
        while self.actions(state) > 0 {
            state = self.after(state, random.below(self.actions(state)));
            path.push(state);
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{late_connect4, setting_of, tictactoe};
    use super::*;
    use tesuji_core::Rules;
    use tesuji_games::chess::Chess;
    use tesuji_games::tictactoe::TicTacToe;

    #[test]
    fn tictactoe_has_its_known_states() {
        let setting = tictactoe();
        // 5478 states, 958 of them ends: 626 won by the first player, 316 by the second, 16 drawn.
        assert_eq!((setting.len(), setting.open().len()), (5478, 4520));
        let ends = |reward: f64| {
            (0..setting.len()).filter(|&state| setting.actions(state) == 0 && setting.reward(state) == reward).count()
        };
        assert_eq!([1.0, -1.0, 0.0].map(ends), [626, 316, 16]);
        assert_eq!(setting.moves.len(), 9);
        assert!((0..setting.len()).all(|state| setting.next(state).all(|next| next > state)));
        let counted = (0..setting.len()).map(|state| setting.actions(state) as u64).sum::<u64>();
        assert_eq!((setting.transitions(), counted), (16_167, 16_167));
    }

    #[test]
    fn large_and_finished_games_are_refused() {
        let refused = |position: Result<Setting, SettingError>| position.unwrap_err().to_string();
        let text = refused(setting_of(&Chess::new(Rules::Official), "startpos", 1000));
        assert!(text.contains("more than 1000 states") && text.contains("tictactoe"), "{text}");
        assert_eq!(
            setting_of(&TicTacToe::new(Rules::Official), "startpos", 5478).map(|setting| setting.len()),
            Ok(5478)
        );
        assert!(setting_of(&TicTacToe::new(Rules::Official), "startpos", 5477).is_err());
        let over = setting_of(&TicTacToe::new(Rules::Official), "a1 a2 b1 b2 c1", 10);
        assert_eq!(refused(over), "the game is over there: three in a row");
        // One ply before the fifty-move rule ends the game, whatever is played.
        let old = setting_of(&Chess::new(Rules::Official), "8/8/4k3/8/8/4K3/4R3/8 w - - 99 100", 1000);
        assert!(refused(old).contains("by its history"));
        assert!(refused(Setting::walk(0)).contains("1 to 199"));
        assert!(refused(Setting::walk(200)).contains("not 200"));
    }

    #[test]
    fn the_end_of_a_greater_game_is_small_enough() {
        let setting = late_connect4();
        assert!(setting.open().len() > 10);
    }

    #[test]
    fn movers_choose_by_their_side() {
        let setting = tictactoe();
        let reply = setting.after(setting.start, 0);
        assert_eq!((setting.sign(setting.start), setting.sign(reply)), (1.0, -1.0));
        let targets = || [0.0, -0.5, 0.5, 0.5, -0.5].into_iter();
        assert_eq!((setting.best(setting.start, targets()), setting.choice(setting.start, targets())), (0.5, 2));
        assert_eq!((setting.best(reply, targets()), setting.choice(reply, targets())), (-0.5, 1));
    }
}
