//! How much of the clock to spend on a move.

use super::command::Clocks;
use std::time::Duration;

/// A game without a number of moves to the next time control is expected to last this many more.
const MOVES_AHEAD: u32 = 30;
/// A move for which the search is unsure may take this many shares.
const SHARES: u32 = 4;
/// Nothing is won by less.
const LEAST: Duration = Duration::from_millis(1);

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allotment {
    /// What the move should take; `None` if that is all there is.
    pub soft: Option<Duration>,
    /// What it must not exceed.
    pub hard: Duration,
}

/// The time for one move of the player whose clock has this index; `None` if it has no clock.
///
/// It should take an even share of what is left, three quarters of the increment, and the byoyomi, which is lost if it is
/// not used. It may take four shares; never more than there is, less `overhead` for the delay of the answer. Half of what
/// is left is kept for later moves, unless this is the last one before the time control.
pub(super) fn allot(clocks: &Clocks, player: usize, overhead: Duration) -> Option<Allotment> {
    if clocks.left[player].is_none() && clocks.byoyomi.is_zero() {
        return None;
    }
    let left = clocks.left[player].unwrap_or_default();
    let moves = clocks.moves_to_go.unwrap_or(MOVES_AHEAD).clamp(1, MOVES_AHEAD);
    let share = left / moves + clocks.increment[player] * 3 / 4;
    let most = if moves == 1 { left } else { left / 2 };
    let time = |shares: u32| {
        let time = share.saturating_mul(shares).min(most) + clocks.byoyomi;
        time.saturating_sub(overhead).max(LEAST)
    };
    let (soft, hard) = (time(1), time(SHARES));
    Some(Allotment { soft: (soft < hard).then_some(soft), hard })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn clocks(left: u32, increment: u32, byoyomi: u32, moves_to_go: Option<u32>) -> Clocks {
        Clocks { left: [Some(left * MS), None], increment: [increment * MS; 2], byoyomi: byoyomi * MS, moves_to_go }
    }

    /// Between these milliseconds.
    fn between(soft: u32, hard: u32) -> Option<Allotment> {
        Some(Allotment { soft: Some(soft * MS), hard: hard * MS })
    }

    /// These milliseconds, no more and no less.
    fn exactly(hard: u32) -> Option<Allotment> {
        Some(Allotment { soft: None, hard: hard * MS })
    }

    #[test]
    fn shares_are_safe() {
        let overhead = 30 * MS;
        assert_eq!(allot(&Clocks::default(), 0, overhead), None);
        assert_eq!(allot(&clocks(60_000, 0, 0, None), 0, overhead), between(1970, 7970));
        assert_eq!(allot(&clocks(60_000, 1000, 0, None), 0, overhead), between(2720, 10_970));
        // Byoyomi is used up and comes on top.
        assert_eq!(allot(&clocks(60_000, 0, 1000, None), 0, overhead), between(2970, 8970));
        // Half of the clock is kept.
        assert_eq!(allot(&clocks(60_000, 0, 0, Some(3)), 0, overhead), between(19_970, 29_970));
        assert_eq!(allot(&clocks(60_000, 0, 0, Some(2)), 0, overhead), exactly(29_970));
        // The last move before the control may use everything, but for the overhead.
        assert_eq!(allot(&clocks(500, 0, 0, Some(1)), 0, overhead), exactly(470));
        assert_eq!(allot(&clocks(0, 0, 1000, None), 0, overhead), exactly(970));
        // Only byoyomi, without clocks; and no clock for this player.
        assert_eq!(allot(&Clocks { byoyomi: 400 * MS, ..Clocks::default() }, 1, overhead), exactly(370));
        assert_eq!(allot(&clocks(1000, 0, 0, None), 1, overhead), None);
        assert_eq!(allot(&clocks(0, 0, 0, Some(0)), 0, overhead), exactly(1));
    }

    #[test]
    fn a_game_never_runs_out_of_time_even_if_every_move_is_unclear() {
        for (start, increment) in [(1000, 0), (10_000, 100), (100, 50)] {
            let mut left = start * MS;
            for _ in 0..500 {
                let clock = Clocks { left: [Some(left), None], increment: [increment * MS; 2], ..Clocks::default() };
                let Allotment { soft, hard } = allot(&clock, 0, Duration::ZERO).unwrap();
                assert!(hard <= left.max(LEAST), "{hard:?} of {left:?}");
                assert!(soft.is_none_or(|soft| soft < hard));
                left = left.saturating_sub(hard) + increment * MS;
            }
        }
    }
}
