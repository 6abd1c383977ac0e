//! Below the horizon: captures, promotions, answers to threats, and at first quiet checks.

use super::node::{Window, bound, settles, sharpened};
use super::order::{NO_KILLERS, Rank, Seen, pick, rank};
use super::params::Feature;
use super::scores::KNOWN;
use super::table::{Bound, Hit, NO_MOVE};
use super::worker::{FREE, Ply, Value, Watch, Worker};
use crate::score::{INFINITE, Score, WIN};
use tesuji_core::{Move, Position};

/// How many quiet answers to a threat are looked at once one has been found that does not lose.
const QUIET_ANSWERS: usize = 3;

impl<P: Position> Worker<P> {
    /// A position at the horizon.
    pub fn leaf(
        &mut self,
        position: &P,
        plies: &mut [Ply<P>],
        window: Window,
        ply: usize,
        watch: &mut Watch<'_, P::Move>,
    ) -> Value {
        if self.has(Feature::Quiesce) {
            return self.quiesce(position, plies, window, ply, 0, watch);
        }
        plies[0].line.clear();
        if self.enter(watch) {
            return Value::free(0);
        }
        match position.outcome() {
            Some(outcome) => Self::ended(position, outcome, ply),
            None => match self.repeated(position, ply) {
                Some(value) => value,
                None => Value::free(self.evaluate(position)),
            },
        }
    }

    /// Follows what is noisy until it is quiet; `down` plies of it have been played already.
    ///
    /// A side that is not threatened may leave things as they are. One that is looks at all its moves.
    pub fn quiesce(
        &mut self,
        position: &P,
        plies: &mut [Ply<P>],
        Window { mut alpha, beta }: Window,
        ply: usize,
        down: usize,
        watch: &mut Watch<'_, P::Move>,
    ) -> Value {
        let (here, below) = plies.split_first_mut().expect("there are buffers for every ply");
        here.line.clear();
        if self.enter(watch) {
            return Value::free(0);
        }
        if let Some(outcome) = position.quick_outcome() {
            return Self::ended(position, outcome, ply);
        }
        let threatened = position.threatened();
        // Captures do not come back.
        if (down == 0 || threatened)
            && let Some(value) = self.repeated(position, ply)
        {
            return value;
        }
        let wide = beta - alpha > 1;
        let key = position.key();
        let hit = self.table.probe(key, ply);
        if let Some(hit) = &hit
            && !wide
            && settles(hit, Window { alpha, beta })
        {
            return Value::free(hit.score);
        }
        if self.has(Feature::WinInOne)
            && let Some(mv) = position.win_in_one()
        {
            here.line.push(mv);
            return Value::free(WIN - ply as Score - 1);
        }
        let deep = Self::is_full(below) || down >= self.params.quiescence;
        let floor = alpha;
        let (mut eval, mut quiet) = (None, 0);
        let mut best = -INFINITE;
        if threatened && !deep {
            if let Some(outcome) = position.expand(&mut here.moves) {
                return Self::ended(position, outcome, ply);
            }
        } else {
            let pure = hit.and_then(|hit| hit.eval).unwrap_or_else(|| self.evaluate(position));
            eval = (!threatened).then_some(pure);
            quiet = sharpened(pure, hit.as_ref());
            best = quiet;
            if best >= beta || deep {
                if hit.is_none() && !deep {
                    self.table.store(key, ply, Hit { mv: NO_MOVE, score: best, eval, depth: 0, bound: Bound::Lower });
                }
                return Value::free(best);
            }
            alpha = alpha.max(best);
            position.noisy(&mut here.moves);
            if down == 0 && self.has(Feature::QuietChecks) {
                position.checks(&mut here.tried);
                here.moves.extend(here.tried.iter().copied().filter(|&mv| !position.is_noisy(mv)));
            }
        }
        let table_move = hit.map_or(NO_MOVE, |hit| hit.mv);
        self.order.score(position, table_move, NO_KILLERS, self.before(ply), &here.moves, &mut here.scores);
        self.frames[ply].mover = position.mover();
        let (mut best_move, mut base) = (NO_MOVE, FREE);
        let mut answers = 0;
        for index in 0..here.moves.len() {
            let (mv, promise) = pick(&mut here.moves, &mut here.scores, index);
            let noisy = position.is_noisy(mv);
            if threatened {
                if !noisy && best > -KNOWN {
                    answers += 1;
                    if answers > QUIET_ANSWERS {
                        continue;
                    }
                }
            } else if noisy {
                if rank(promise) == Rank::Bad || quiet + position.gain(mv) + self.params.delta <= alpha {
                    continue;
                }
            } else if position.exchange(mv) < 0 {
                continue;
            }
            here.child.become_after(position, mv);
            self.table.prefetch(here.child.key());
            self.frames[ply].played = Seen::new(position, mv).played(P::ROWS);
            self.evaluator.push(position, &here.child);
            let same = here.child.mover() == position.mover();
            let window = Window { alpha, beta }.below(same);
            let value = self.quiesce(&here.child, below, window, ply + 1, down + 1, watch).above(same);
            self.evaluator.pop();
            if self.stopped {
                return value;
            }
            base = base.min(value.base);
            if value.score > best {
                best = value.score;
                if best > alpha {
                    alpha = best;
                    best_move = mv.to_bits();
                    if wide {
                        here.line.clear();
                        here.line.push(mv);
                        here.line.extend_from_slice(&below[0].line);
                    }
                    if alpha >= beta {
                        base = value.base;
                        break;
                    }
                }
            }
        }
        let value = Value { score: best, base };
        let bound = if value.holds_at(ply) { bound(best, floor, beta) } else { Bound::None };
        self.table.store(key, ply, Hit { mv: best_move, score: best, eval, depth: 0, bound });
        value
    }
}
