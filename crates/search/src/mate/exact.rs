//! Exact search by depth for mates in which the attacker may also play quiet moves.
//!
//! Mate in one move, in two, in three: each is one proof-number search over all legal moves with that horizon. The first
//! guess of a move's proof number is how many replies it leaves, so checks and moves that take the king's squares come
//! first, and the table of one depth orders the moves of the next. Most mates are mates by checks, so those are looked
//! for before anything else, unless the shortest mate is wanted.

use super::answer::{Answer, Attack};
use super::dfpn::Dfpn;
use super::limits::{Limits, Meter};
use tesuji_core::MateBoard;

/// How many positions the search by checks alone may take. Of 269 mates of chess (up to 6 moves) it settles all that
/// are mates by checks within a fraction of this.
const CHECKS_FIRST: u64 = 20_000;

/// Looks for a mate in at most `moves` moves of the attacker; also says how many positions it looked at.
///
/// Forgets what the solver's table holds: results of other searches do not speak about quiet moves.
pub fn solve<B: MateBoard>(solver: &mut Dfpn, board: &B, moves: u16, limits: &Limits<'_>) -> (Answer<B::Move>, u64) {
    let most = limits.plies.unwrap_or(u16::MAX).min(moves.saturating_mul(2).saturating_sub(1));
    let mut spent = 0;
    if !limits.shortest {
        solver.clear();
        let nodes = Some(limits.nodes.map_or(CHECKS_FIRST, |most| most.min(CHECKS_FIRST)));
        let (answer, nodes) = solver.solve(board, &Limits { nodes, plies: Some(most), ..*limits });
        spent = nodes;
        if matches!(answer, Answer::Mate(_)) {
            return (answer, spent);
        }
    }
    solver.clear();
    let mut meter = Meter::new(limits, spent);
    let mut horizon = 1;
    while horizon <= most {
        let answer = solver.round(board, Attack::Anything, horizon, &mut meter);
        if answer != Answer::NoMate {
            return (answer, meter.nodes);
        }
        horizon += 2;
    }
    (Answer::NoMate, meter.nodes)
}
