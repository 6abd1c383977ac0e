//! The recursion.

use super::order::{NO_KILLERS, Rank, Seen, add_killer, pick, rank};
use super::params::Feature;
use super::scores::KNOWN;
use super::table::{Bound, Hit, NO_MOVE};
use super::worker::{FREE, Ply, Value, Watch, Worker};
use crate::score::{DECIDED, INFINITE, Score, WIN};
use tesuji_core::{Move, Position};

/// A window of scores for the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub alpha: Score,
    pub beta: Score,
}

impl Window {
    /// The narrowest window above `alpha`.
    #[inline]
    pub fn null(alpha: Score) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    /// The window as a child sees it.
    #[inline]
    pub fn below(self, same_mover: bool) -> Window {
        if same_mover { self } else { Window { alpha: -self.beta, beta: -self.alpha } }
    }

    /// Whether it is wide: the node is of the principal variation.
    #[inline]
    pub fn is_wide(self) -> bool {
        self.beta - self.alpha > 1
    }
}

/// Whether a score from the table decides a window.
#[inline]
pub fn settles(hit: &Hit, window: Window) -> bool {
    match hit.bound {
        Bound::Exact => true,
        Bound::Lower => hit.score >= window.beta,
        Bound::Upper => hit.score <= window.alpha,
        Bound::None => false,
    }
}

/// What a finished search says about the true score.
#[inline]
pub fn bound(score: Score, floor: Score, beta: Score) -> Bound {
    match score {
        score if score >= beta => Bound::Lower,
        score if score <= floor => Bound::Upper,
        _ => Bound::Exact,
    }
}

/// The static evaluation, made sharper by what the table knows.
#[inline]
pub fn sharpened(eval: Score, hit: Option<&Hit>) -> Score {
    match hit {
        Some(hit) if hit.score.abs() < KNOWN => match hit.bound {
            Bound::Exact => hit.score,
            Bound::Lower => eval.max(hit.score),
            Bound::Upper => eval.min(hit.score),
            Bound::None => eval,
        },
        _ => eval,
    }
}

/// What a node knows of itself before it looks at its moves.
#[derive(Clone, Copy)]
struct Here {
    window: Window,
    depth: i32,
    ply: usize,
    /// Whether a cut-off is expected.
    cut: bool,
    wide: bool,
    threatened: bool,
    /// The evaluation, sharpened by the table; meaningless if threatened.
    eval: Score,
    improving: bool,
    excluded: u32,
}

impl<P: Position> Worker<P> {
    /// Searches a position to `depth` plies, `ply` plies below the root. `cut` says that a cut-off is expected.
    #[expect(clippy::too_many_arguments, reason = "what a node is made of")]
    pub fn node(
        &mut self,
        position: &P,
        plies: &mut [Ply<P>],
        mut window: Window,
        depth: i32,
        ply: usize,
        cut: bool,
        watch: &mut Watch<'_, P::Move>,
    ) -> Value {
        if depth <= 0 {
            return self.leaf(position, plies, window, ply, watch);
        }
        plies[0].line.clear();
        if self.enter(watch) {
            return Value::free(0);
        }
        let excluded = self.frames[ply].excluded;
        let wide = window.is_wide();
        if ply > 0 && excluded == NO_MOVE {
            if let Some(outcome) = position.quick_outcome() {
                return Self::ended(position, outcome, ply);
            }
            if let Some(value) = self.repeated(position, ply) {
                return value;
            }
            if self.has(Feature::MateDistance) {
                window.alpha = window.alpha.max(ply as Score - WIN);
                window.beta = window.beta.min(WIN - ply as Score - 1);
                if window.alpha >= window.beta {
                    return Value::free(window.alpha);
                }
            }
            if self.has(Feature::WinInOne)
                && let Some(mv) = position.win_in_one()
            {
                plies[0].line.push(mv);
                return Value::free(WIN - ply as Score - 1);
            }
        }
        if Self::is_full(plies) {
            return Value::free(self.evaluate(position));
        }
        let key = position.key();
        let hit = if excluded == NO_MOVE { self.table.probe(key, ply) } else { None };
        if let Some(hit) = &hit
            && !wide
            && (hit.depth == depth || self.has(Feature::Deep) && (hit.depth > depth || hit.score.abs() > DECIDED))
            && settles(hit, window)
        {
            return Value::free(hit.score);
        }
        let threatened = position.threatened();
        let mover = position.mover();
        self.frames[ply].mover = mover;
        self.frames[ply + 1].killers = NO_KILLERS;
        let pure = match () {
            () if threatened => None,
            () if excluded != NO_MOVE => self.frames[ply].eval,
            () if !self.uses_evaluations() => None,
            () => Some(hit.and_then(|hit| hit.eval).unwrap_or_else(|| self.evaluate(position))),
        };
        self.frames[ply].eval = pure;
        let eval = pure.map_or(-KNOWN, |eval| sharpened(eval, hit.as_ref()));
        let improving = pure.is_some_and(|eval| self.improving(ply, eval));
        let mut here = Here { window, depth, ply, cut, wide, threatened, eval, improving, excluded };
        if !wide
            && pure.is_some()
            && excluded == NO_MOVE
            && window.beta.abs() < KNOWN
            && let Some(value) = self.cut_early(position, plies, here, watch)
        {
            return value;
        }
        let table_move = hit.map_or(NO_MOVE, |hit| hit.mv);
        if self.has(Feature::Internal) && here.depth >= 4 && table_move == NO_MOVE && excluded == NO_MOVE {
            here.depth -= 1;
        }
        self.moves(position, plies, here, hit, table_move, watch)
    }

    /// Whether anything asks for evaluations above the horizon.
    #[inline]
    fn uses_evaluations(&self) -> bool {
        const USERS: [Feature; 5] = [Feature::Reverse, Feature::Razor, Feature::Null, Feature::Futility, Feature::Late];
        USERS.iter().any(|&feature| self.has(feature))
    }

    /// The ends of a node that need no moves: reverse futility, razoring, the null move.
    #[inline]
    fn cut_early(
        &mut self,
        position: &P,
        plies: &mut [Ply<P>],
        here: Here,
        watch: &mut Watch<'_, P::Move>,
    ) -> Option<Value> {
        let Here { window: Window { alpha, beta }, depth, ply, eval, .. } = here;
        let margin = self.params.reverse * (depth - i32::from(here.improving)).max(1);
        if self.has(Feature::Reverse) && depth <= 7 && eval - margin >= beta && eval < KNOWN {
            return Some(Value::free((eval + beta) / 2));
        }
        if self.has(Feature::Razor) && depth <= 3 && eval + self.params.razor * (1 + depth * depth) < alpha {
            let value = self.quiesce(position, plies, Window::null(alpha), ply, 0, watch);
            if self.stopped || value.score <= alpha {
                return Some(value);
            }
        }
        // Never two passes in a row, and none at the root.
        if !self.has(Feature::Null) || depth < 3 || eval < beta || ply == 0 || self.frames[ply - 1].played.is_none() {
            return None;
        }
        let (first, below) = plies.split_first_mut().expect("there are buffers for every ply");
        first.child.clone_from(position);
        if !first.child.pass() {
            return None;
        }
        self.table.prefetch(first.child.key());
        let reduction = 3 + depth / 4 + ((eval - beta) / self.params.null).clamp(0, 3);
        self.frames[ply].played = None;
        self.evaluator.push(position, &first.child);
        let window = Window::null(beta - 1).below(false);
        let value = self.node(&first.child, below, window, depth - reduction, ply + 1, !here.cut, watch).above(false);
        self.evaluator.pop();
        if self.stopped {
            return Some(value);
        }
        // A win after a pass is no proof of one.
        (value.score >= beta).then(|| Value { score: value.score.min(KNOWN - 1), ..value })
    }

    /// Searches the moves of a node.
    #[inline]
    fn moves(
        &mut self,
        position: &P,
        plies: &mut [Ply<P>],
        node: Here,
        hit: Option<Hit>,
        table_move: u32,
        watch: &mut Watch<'_, P::Move>,
    ) -> Value {
        let Here { window: Window { mut alpha, beta }, depth, ply, wide, threatened, excluded, .. } = node;
        let floor = alpha;
        let (here, below) = plies.split_first_mut().expect("there are buffers for every ply");
        if let Some(outcome) = position.expand(&mut here.moves) {
            return Self::ended(position, outcome, ply);
        }
        let partial = ply == 0 && !(self.only.is_empty() && self.without.is_empty());
        if partial {
            here.moves.retain(|mv| self.allows(mv));
        }
        let before = self.before(ply);
        let killers = if self.has(Feature::Killers) { self.frames[ply].killers } else { NO_KILLERS };
        self.order.score(position, table_move, killers, before, &here.moves, &mut here.scores);
        here.tried.clear();
        let mover = position.mover();
        let (mut best, mut best_move) = (-INFINITE, NO_MOVE);
        let mut base = FREE;
        let (mut number, mut skip_quiets) = (0, false);
        for index in 0..here.moves.len() {
            let (mv, promise) = pick(&mut here.moves, &mut here.scores, index);
            let bits = mv.to_bits();
            if bits == excluded {
                continue;
            }
            number += 1;
            let noisy = position.is_noisy(mv);
            let checks = position.gives_check(mv);
            let seen = Seen::new(position, mv);
            let history = if noisy { 0 } else { self.order.quiet(seen, before) };
            let mut reduction = self.reductions[depth.min(63) as usize][number.min(63)];
            // A side that has found nothing but losses yet leaves nothing out.
            if ply > 0 && best > -KNOWN {
                let left = (depth - reduction / 1024).max(0);
                if !noisy && !checks {
                    if skip_quiets {
                        continue;
                    }
                    if !threatened {
                        let enough = (5 + depth * depth) as usize / if node.improving { 1 } else { 2 };
                        skip_quiets |= self.has(Feature::Count) && depth <= 6 && here.tried.len() >= enough;
                        if self.has(Feature::Futility)
                            && left <= 6
                            && node.eval + self.params.futility * (1 + left) <= alpha
                            && rank(promise) == Rank::Quiet
                        {
                            skip_quiets = true;
                            continue;
                        }
                    }
                    if self.has(Feature::Bad) && left <= 3 && history < -4000 * depth {
                        continue;
                    }
                    if self.has(Feature::Exchange)
                        && left <= 6
                        && position.exchange(mv) < -self.params.exchange * left * left
                    {
                        continue;
                    }
                } else if self.has(Feature::Exchange)
                    && depth <= 5
                    && rank(promise) == Rank::Bad
                    && position.exchange(mv) < -4 * self.params.exchange * depth
                {
                    continue;
                }
            }
            let mut extension = 0;
            let may_extend = ply > 0 && ply < 2 * self.root_depth as usize;
            if may_extend
                && self.has(Feature::Singular)
                && depth >= 7
                && bits == table_move
                && excluded == NO_MOVE
                && let Some(hit) = hit
                && hit.score.abs() < KNOWN
                && matches!(hit.bound, Bound::Lower | Bound::Exact)
                && hit.depth >= depth - 3
            {
                let limit = hit.score - self.params.singular * depth;
                self.frames[ply].excluded = bits;
                let others = self.node(position, below, Window::null(limit - 1), (depth - 1) / 2, ply, node.cut, watch);
                self.frames[ply].excluded = NO_MOVE;
                if self.stopped {
                    return others;
                }
                if others.score < limit {
                    extension = 1;
                } else if limit >= beta && !wide {
                    // Two moves are above the window.
                    return Value { score: limit, ..others };
                }
            }
            here.child.become_after(position, mv);
            let child = &here.child;
            self.table.prefetch(child.key());
            if extension == 0
                && may_extend
                && self.has(Feature::CheckExtension)
                && child.threatened()
                && position.exchange(mv) >= 0
            {
                extension = 1;
            }
            self.frames[ply].played = seen.played(P::ROWS);
            self.evaluator.push(position, child);
            let same = child.mover() == mover;
            // Whoever expects a cut-off expects none of the opponent, and of itself again.
            let cut_below = if same { node.cut } else { !node.cut };
            let full = depth - 1 + extension;
            let mut value = Value::free(alpha + 1);
            if self.has(Feature::Late)
                && depth >= 2
                && number > 1 + usize::from(ply == 0)
                && (!noisy || rank(promise) == Rank::Bad)
            {
                reduction += if node.cut { 1024 } else { 0 };
                reduction += if node.improving { 0 } else { 512 };
                reduction -= if wide { 1024 } else { 0 };
                reduction -= if checks { 1024 } else { 0 };
                reduction -= if threatened { 512 } else { 0 };
                reduction -= if rank(promise) == Rank::Killer { 1024 } else { history / 8 };
                let less = (full - reduction / 1024).clamp(1, full.max(1));
                if less < full {
                    let narrow = Window::null(alpha).below(same);
                    value = self.node(child, below, narrow, less, ply + 1, !same, watch).above(same);
                }
            }
            if value.score > alpha && (number > 1 || !wide) {
                let narrow = Window::null(alpha).below(same);
                value = self.node(child, below, narrow, full, ply + 1, cut_below, watch).above(same);
            }
            if wide && (number == 1 || value.score > alpha && value.score < beta) {
                let window = Window { alpha, beta }.below(same);
                value = self.node(child, below, window, full, ply + 1, false, watch).above(same);
            }
            self.evaluator.pop();
            if self.stopped {
                return value;
            }
            base = base.min(value.base);
            if value.score > best {
                best = value.score;
                if best > alpha {
                    alpha = best;
                    best_move = bits;
                    if wide {
                        here.line.clear();
                        here.line.push(mv);
                        here.line.extend_from_slice(&below[0].line);
                        if ply == 0 {
                            self.best = Some((best, here.line.clone()));
                        }
                    }
                }
            }
            if alpha >= beta {
                // One good move is enough: what the others go back to does not matter.
                base = value.base;
                self.learn(position, mv, ply, depth, &here.tried);
                break;
            }
            if !noisy {
                here.tried.push(mv);
            }
        }
        if number == 0 {
            // Only the excluded move is legal: nothing else keeps the score.
            return Value::free(alpha);
        }
        let value = Value { score: best, base };
        if excluded == NO_MOVE && !partial {
            let bound = if value.holds_at(ply) { bound(best, floor, beta) } else { Bound::None };
            let eval = self.frames[ply].eval;
            let hit = Hit { mv: best_move, score: best, eval, depth, bound };
            self.table.store(position.key(), ply, hit);
        }
        value
    }

    /// Learns that a move cut off and that others, tried before it, did not.
    fn learn(&mut self, position: &P, mv: P::Move, ply: usize, depth: i32, tried: &[P::Move]) {
        let bonus = (130 * depth).min(1600);
        let before = self.before(ply);
        let seen = Seen::new(position, mv);
        if position.is_noisy(mv) {
            self.order.learn_noisy(seen, position.gain(mv), bonus);
        } else {
            add_killer(&mut self.frames[ply].killers, mv.to_bits());
            self.order.learn_quiet(seen, before, bonus);
        }
        for &other in tried {
            self.order.learn_quiet(Seen::new(position, other), before, -bonus);
        }
    }
}
