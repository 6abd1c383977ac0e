//! Where units can go and what they can attack.
//!
//! Moves are generated as [`Span`]s: the moves of one unit against one target (or none), which differ only in where
//! the unit ends up. A span is a bitboard, so moves are counted by counting bits, and a random move is found without
//! listing the others.
//!
//! The order of moves is fixed by the look of the battle: by acting unit, then plain moves before attacks, then by
//! target, then by destination (cells row by row from the top); ending the turn comes last.

use super::action::Action;
use super::army::MOST_UNITS;
use super::battle::Battle;
use super::board::{Board, Cell, Large, Small};
use super::map::Paths;
use super::units::Unit;
use arrayvec::ArrayVec;
use std::ops::ControlFlow;
use tesuji_core::{MoveList, Outcome, Stream};

/// The moves of one unit against one target or none.
#[derive(Clone, Copy, Debug)]
pub struct Span<B> {
    /// Where the unit stands.
    pub from: Cell,
    /// Whom it attacks.
    pub target: Option<Cell>,
    /// Where it can end up.
    pub ends: B,
}

impl<B: Board> Span<B> {
    #[inline]
    fn action(self, end: Cell) -> Action {
        match self.target {
            Some(target) => Action::attack(self.from, end, target),
            None => Action::go(self.from, end),
        }
    }
}

/// The cells where a unit can end its move: those that it can reach through friends but not through enemies, and that
/// are free, and the one where it stands.
#[inline]
pub(super) fn destinations<B: Board>(paths: &Paths<B>, unit: Unit, friends: B, enemies: B) -> B {
    let movement = unit.kind.movement().index();
    let easy = paths.easy[movement].without(enemies);
    let hard = paths.hard[movement].without(enemies);
    let here = B::of(unit.cell);
    // After n rounds `reached` is what n points of movement reach. A cell that costs 2 is entered from what was
    // reached two rounds ago, that is, from the neighbours found in the round before.
    let mut reached = here;
    let mut neighbours_before = B::EMPTY;
    for _ in 0..unit.kind.steps() {
        let neighbours = reached.neighbours();
        reached = reached.or(neighbours.and(easy)).or(neighbours_before.and(hard));
        neighbours_before = neighbours;
    }
    reached.without(friends).or(here)
}

/// Calls `visit` with every span that has a move, in the order of moves.
#[inline]
fn visit_spans<B: Board, T>(
    battle: &Battle,
    paths: &Paths<B>,
    mut visit: impl FnMut(Span<B>) -> ControlFlow<T>,
) -> ControlFlow<T> {
    let (army, opponents) = battle.sides();
    let friends: B = army.cells();
    let enemies: B = opponents.cells();
    let front = enemies.neighbours();
    for unit in army.ready_units() {
        let ends = destinations(paths, unit, friends, enemies);
        visit(Span { from: unit.cell, target: None, ends })?;
        // One look at all enemies' neighbours tells whether there is anything to attack.
        if unit.kind.is_indirect() || ends.and(front) != B::EMPTY {
            visit_attacks(unit, opponents.units(), ends, &mut visit)?;
        }
    }
    ControlFlow::Continue(())
}

/// The spans of one unit's attacks.
#[inline]
fn visit_attacks<B: Board, T>(
    unit: Unit,
    enemies: &[Unit],
    ends: B,
    visit: &mut impl FnMut(Span<B>) -> ControlFlow<T>,
) -> ControlFlow<T> {
    let from = unit.cell;
    for enemy in enemies {
        let attacking = match unit.kind.is_indirect() {
            true if unit.kind.hits(enemy.kind, from.distance(enemy.cell)) => B::of(from),
            false if unit.kind.power(enemy.kind) > 0 => ends.and(B::of(enemy.cell).neighbours()),
            _ => B::EMPTY,
        };
        if attacking != B::EMPTY {
            visit(Span { from, target: Some(enemy.cell), ends: attacking })?;
        }
    }
    ControlFlow::Continue(())
}

/// Runs a generic function on the paths of the map's size.
macro_rules! by_size {
    ($battle:expr, $function:ident($($argument:expr),*)) => {
        match $battle.map().small() {
            Some(paths) => $function::<Small>($battle, paths, $($argument),*),
            None => $function::<Large>($battle, $battle.map().large(), $($argument),*),
        }
    };
}

/// Appends every action of the side to move.
pub(super) fn list(battle: &Battle, out: &mut MoveList<Action>) {
    fn list<B: Board>(battle: &Battle, paths: &Paths<B>, out: &mut MoveList<Action>) {
        let _ = visit_spans(battle, paths, |span| {
            let mut ends = span.ends;
            while let Some(end) = ends.pop() {
                out.push(span.action(end));
            }
            ControlFlow::<()>::Continue(())
        });
    }
    by_size!(battle, list(out));
    if battle.may_end_turn() {
        out.push(Action::END_TURN);
    }
}

/// The number of actions of the side to move.
pub(super) fn count(battle: &Battle) -> usize {
    fn count<B: Board>(battle: &Battle, paths: &Paths<B>) -> usize {
        let mut total = 0;
        let _ = visit_spans(battle, paths, |span| {
            total += span.ends.count();
            ControlFlow::<()>::Continue(())
        });
        total
    }
    by_size!(battle, count()) + usize::from(battle.may_end_turn())
}

/// Plays random moves, every one equally likely, until the game or the limit ends: the very moves that drawing from
/// [`list`] would play, without making the lists.
pub(super) fn playout(battle: &mut Battle, random: &mut Stream, limit: u32) -> Option<Outcome> {
    fn playout<B: Board>(
        battle: &mut Battle,
        paths: fn(&Battle) -> &Paths<B>,
        random: &mut Stream,
        limit: u32,
    ) -> Option<Outcome> {
        let mut spans: ArrayVec<(Span<B>, usize), { MOST_UNITS * (MOST_UNITS + 1) }> = ArrayVec::new();
        for _ in 0..limit {
            let outcome = battle.outcome();
            if outcome.is_some() {
                return outcome;
            }
            spans.clear();
            let mut total = 0;
            let _ = visit_spans(battle, paths(battle), |span| {
                let number = span.ends.count();
                spans.push((span, number));
                total += number;
                ControlFlow::<()>::Continue(())
            });
            let mut drawn = random.below(total + usize::from(battle.may_end_turn()));
            let mut action = Action::END_TURN;
            for &(span, number) in &spans {
                if drawn < number {
                    action = span.action(span.ends.nth(drawn));
                    break;
                }
                drawn -= number;
            }
            battle.play(action);
        }
        battle.outcome()
    }
    match battle.map().small() {
        Some(_) => playout::<Small>(battle, |battle| battle.map().small().expect("a small map"), random, limit),
        None => playout::<Large>(battle, |battle| battle.map().large(), random, limit),
    }
}

/// Whether the side to move can do this; `action` is not the end of the turn.
pub(super) fn is_possible(battle: &Battle, action: Action) -> bool {
    fn possible<B: Board>(battle: &Battle, paths: &Paths<B>, action: Action) -> bool {
        let wanted =
            |span: Span<B>| span.from == action.from() && span.target == action.target() && span.ends.has(action.to());
        visit_spans(battle, paths, |span| if wanted(span) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            .is_break()
    }
    battle.map().ground().contains(action.to()) && by_size!(battle, possible(action))
}

/// Calls `visit` with the cells where a unit of the side to move can end its move, row by row.
pub fn visit_reachable(battle: &Battle, unit: Unit, visit: impl FnMut(Cell)) {
    fn reachable<B: Board>(battle: &Battle, paths: &Paths<B>, unit: Unit, mut visit: impl FnMut(Cell)) {
        let (army, opponents) = battle.sides();
        let mut ends = destinations(paths, unit, army.cells(), opponents.cells());
        while let Some(end) = ends.pop() {
            visit(end);
        }
    }
    by_size!(battle, reachable(unit, visit));
}
