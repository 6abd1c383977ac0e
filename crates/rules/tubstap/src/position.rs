//! Battles as searches see them: [`Battle`] is a [`Position`].

pub use super::action::Action;
use super::action::{format_action, parse_action};
pub use super::battle::Battle;
use super::units::{Kind, Unit};
use super::{damage, heuristic, movegen};
use tesuji_core::{MoveError, MoveList, Outcome, Position, Side, Stream, random};

impl Position for Battle {
    type Move = Action;

    #[inline]
    fn mover(&self) -> Side {
        Battle::mover(self)
    }

    fn movements(&self, out: &mut MoveList<Action>) {
        out.clear();
        if !self.is_annihilated() {
            movegen::list(self, out);
        }
    }

    #[inline]
    fn play(&mut self, action: Action) {
        Battle::play(self, action);
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        Battle::outcome(self)
    }

    fn ending(&self) -> &'static str {
        match self.outcome() {
            None => "",
            Some(_) if self.is_annihilated() => "annihilation",
            Some(_) => "turn limit",
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        let [red, blue] = Side::BOTH.map(|side| self.army(side).key());
        red ^ blue ^ self.map().key() ^ random::mix(1 << 40 | u64::from(self.turn()))
    }

    #[inline]
    fn ply(&self) -> u32 {
        Battle::ply(self)
    }

    fn format_move(&self, action: Action) -> String {
        format_action(action)
    }

    fn parse_move(&self, text: &str) -> Result<Action, MoveError> {
        let action = parse_action(text)?;
        if self.outcome().is_some() {
            Err(MoveError::GameOver { text: format_action(action) })
        } else if !self.is_legal(action) {
            Err(MoveError::illegal(text))
        } else {
            Ok(action)
        }
    }

    fn count_movements(&self) -> usize {
        if self.is_annihilated() { 0 } else { movegen::count(self) }
    }

    fn is_legal(&self, action: Action) -> bool {
        self.outcome().is_none()
            && match action {
                Action::END_TURN => self.may_end_turn(),
                _ => movegen::is_possible(self, action),
            }
    }

    fn playout(&mut self, random: &mut Stream, limit: u32) -> Option<Outcome> {
        movegen::playout(self, random, limit)
    }

    fn ended_by_history(&self) -> bool {
        // The key covers the turns that are left.
        false
    }

    #[inline]
    fn is_attack(&self, action: Action) -> bool {
        action.target().is_some()
    }

    /// What the attack takes from the target less what the counter-attack takes from the unit.
    fn gain(&self, action: Action) -> i32 {
        let (army, opponents) = self.sides();
        let unit = army.find(action.from()).map(|index| army.units()[index]);
        let target = action.target().and_then(|cell| opponents.find(cell)).map(|index| opponents.units()[index]);
        let (Some(unit), Some(target)) = (unit, target) else { return 0 };
        let losses = damage::exchange(self.map(), Unit { cell: action.to(), ..unit }, target);
        i32::from(losses.damage) * heuristic::worth(target.kind)
            - i32::from(losses.counter) * heuristic::worth(unit.kind)
    }

    const ROWS: usize = Kind::ALL.len() * 256;

    /// The kind of unit and the cell that it goes to; the last row is the end of the turn.
    fn row(&self, action: Action) -> usize {
        let army = self.sides().0;
        match army.find(action.from()) {
            Some(index) if action != Action::END_TURN => army.units()[index].kind.index() * 256 + action.to().index(),
            _ => <Battle as Position>::ROWS - 1,
        }
    }

    #[inline]
    fn unit(&self, action: Action) -> Option<u32> {
        (action != Action::END_TURN).then(|| u32::from(action.from().byte()))
    }

    fn symmetries(&self) -> usize {
        self.map().ground().symmetries()
    }

    fn transform(&self, symmetry: usize) -> Battle {
        self.transformed(symmetry)
    }

    fn transform_move(&self, symmetry: usize, action: Action) -> Action {
        if action == Action::END_TURN {
            return action;
        }
        let moved = |cell| self.map().ground().symmetric(symmetry, cell);
        match action.target() {
            Some(target) => Action::attack(moved(action.from()), moved(action.to()), moved(target)),
            None => Action::go(moved(action.from()), moved(action.to())),
        }
    }
}
