//! A state of play.

use crate::{MoveError, Outcome, Side, Stream};
use std::fmt::Debug;
use std::hash::Hash;

/// A buffer of moves that callers keep and reuse, so that hot loops do not allocate.
pub type MoveList<M> = Vec<M>;

/// A move: a small value with a stable numeric form.
///
/// The numeric form is what game records store. It must not change between versions (raise the game's
/// `rules_version` if it has to).
pub trait Move: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The stable numeric form.
    fn to_bits(self) -> u32;

    /// The move with this numeric form, or `None` if no move has it. Says nothing about legality.
    fn from_bits(bits: u32) -> Option<Self>;
}

/// An earlier occurrence of a position on the way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// How the game ends if both sides go round like this until the rules stop them.
    pub outcome: Outcome,
    /// How many plies ago the position occurred.
    pub plies: u32,
}

/// A state of play, with the history that its rules need (repetition, move counters).
///
/// # Three questions about moves
/// - [`movements`](Self::movements): what the rules of movement allow, whether or not the game has been adjudicated. Perft
///   counts these.
/// - [`moves`](Self::moves): what may be played: the movements until the game ends, and none afterwards.
///   [`expand`](Self::expand) gives the same list and the outcome with it.
/// - [`is_legal`](Self::is_legal): whether one move is among `moves`.
///
/// # Tactics
/// What selective search asks besides (from [`pass`](Self::pass) to [`repetition`](Self::repetition)) has defaults that
/// are right for every game, if not sharp. Values are in the unit of the game's heuristic.
///
/// # Speed
/// `Clone::clone_from` should reuse the target's buffers: searches keep scratch positions and overwrite them.
pub trait Position: Clone + Send + Sync + 'static {
    /// A move of this game.
    type Move: Move;

    /// The side to move. May be the same side twice in a row.
    fn mover(&self) -> Side;

    /// Replaces `out` by every move **by the rules of movement**, in a fixed order, also where the game has ended by
    /// adjudication (repetition, move limits, insufficient material): what perft and independent programs count.
    ///
    /// There are none where the position itself ends the game (mate, a completed line). Until the game ends these are
    /// the same as [`moves`](Self::moves), which players and searches want, or [`expand`](Self::expand).
    fn movements(&self, out: &mut MoveList<Self::Move>);

    /// Plays a legal move. Illegal moves may panic or corrupt the position: see [`try_play`](Self::try_play).
    fn play(&mut self, mv: Self::Move);

    /// Becomes `before` with a legal move played, whatever it was: what searches do with their scratch positions. As
    /// `clone_from` and [`play`](Self::play), which games override that can do both at once.
    #[inline]
    fn become_after(&mut self, before: &Self, mv: Self::Move) {
        self.clone_from(before);
        self.play(mv);
    }

    /// How the game has ended; `None` if it has not.
    fn outcome(&self) -> Option<Outcome>;

    /// A hash of everything that the legal moves and the encoders depend on, except the history.
    fn key(&self) -> u64;

    /// Moves played since the start of the game (positions read from text may start above 0).
    fn ply(&self) -> u32;

    /// The move in the game's usual notation (UCI for chess, USI for shogi).
    fn format_move(&self, mv: Self::Move) -> String;

    /// Reads a move in the game's notation.
    ///
    /// # Errors
    /// If the text is not a move, or the move is not legal here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError>;

    /// Whether a game that has ended did so by its history, which [`key`](Self::key) leaves out (repetition, move
    /// counters): what was learned from it holds on this path only.
    ///
    /// The default says so wherever moves are still listed.
    fn ended_by_history(&self) -> bool {
        self.count_movements() > 0
    }

    /// The outcome as far as it shows without listing moves: what quiescence asks. Games whose end may show only in the move
    /// list (mate) override this; `None` then leaves open whether there are moves.
    #[inline]
    fn quick_outcome(&self) -> Option<Outcome> {
        self.outcome()
    }

    /// Why the game ended ("checkmate", "fourfold repetition"); empty if it has not.
    fn ending(&self) -> &'static str {
        ""
    }

    /// Replaces `out` by the moves that may be played: the [`movements`](Self::movements) until the game ends, empty
    /// exactly when it is over ([`outcome`](Self::outcome) is `Some`).
    #[inline]
    fn moves(&self, out: &mut MoveList<Self::Move>) {
        self.expand(out);
    }

    /// The outcome, or else the [`moves`](Self::moves): one call for what a search needs to know of a new node. Replaces
    /// `out` as `moves` does.
    ///
    /// Games whose end shows only in the move list (mate) override this to generate moves once.
    #[inline]
    fn expand(&self, out: &mut MoveList<Self::Move>) -> Option<Outcome> {
        let outcome = self.outcome();
        match outcome {
            Some(_) => out.clear(),
            None => self.movements(out),
        }
        outcome
    }

    /// The number of [`movements`](Self::movements); games with bitboards count without listing.
    fn count_movements(&self) -> usize {
        let mut out = MoveList::new();
        self.movements(&mut out);
        out.len()
    }

    /// Whether the move may be played: is among [`moves`](Self::moves), so never once the game is over.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut out = MoveList::new();
        self.moves(&mut out);
        out.contains(&mv)
    }

    /// Plays a move if it is legal.
    ///
    /// # Errors
    /// If the move is not legal or the game is over; the position is unchanged.
    fn try_play(&mut self, mv: Self::Move) -> Result<(), MoveError> {
        if self.outcome().is_some() {
            return Err(MoveError::GameOver { text: self.format_move(mv) });
        }
        if !self.is_legal(mv) {
            return Err(MoveError::Illegal { text: self.format_move(mv) });
        }
        self.play(mv);
        Ok(())
    }

    /// Plays random moves, every move equally likely, until the game ends or `limit` moves have been played; returns the
    /// outcome if the game has ended.
    ///
    /// Games whose rules are quicker than listing moves override this. An override may draw other random numbers than
    /// this one, but the same numbers always give the same moves.
    fn playout(&mut self, random: &mut Stream, limit: u32) -> Option<Outcome> {
        let mut moves = MoveList::new();
        for _ in 0..limit {
            let outcome = self.expand(&mut moves);
            if outcome.is_some() {
                return outcome;
            }
            self.play(moves[random.below(moves.len())]);
        }
        self.outcome()
    }

    /// Replaces `out` by the legal moves that give check; empty in games without check.
    fn checks(&self, out: &mut MoveList<Self::Move>) {
        out.clear();
    }

    /// Whether the side to move is in check; `false` in games without check.
    fn in_check(&self) -> bool {
        false
    }

    /// Whether the legal move captures or attacks something: what quiescence and attack-first playouts look at.
    fn is_attack(&self, _mv: Self::Move) -> bool {
        false
    }

    /// Lets the side to move pass although the rules know no pass, so that a search can see what the opponent threatens
    /// (null move). Returns `false` and changes nothing if the side is in check, if the game's moves mostly make things
    /// worse (zugzwang), or if the game has none.
    ///
    /// Positions from before a pass do not count as repeated after it.
    fn pass(&mut self) -> bool {
        false
    }

    /// Whether a legal move gives check.
    fn gives_check(&self, mv: Self::Move) -> bool {
        let mut checks = MoveList::new();
        self.checks(&mut checks);
        checks.contains(&mv)
    }

    /// Whether the side to move has to answer a threat at once, so that a static evaluation means nothing: check, or an
    /// opponent who completes a line with the next move.
    fn threatened(&self) -> bool {
        self.in_check()
    }

    /// A move that wins the game at once; `None` if there is none, or if the game does not look for it. The game has not
    /// ended.
    fn win_in_one(&self) -> Option<Self::Move> {
        None
    }

    /// Whether a legal move changes the evaluation at once (a capture, a great promotion), so that quiescence follows it.
    fn is_noisy(&self, mv: Self::Move) -> bool {
        self.is_attack(mv)
    }

    /// Replaces `out` by the noisy ones among the [`movements`](Self::movements), in any fixed order.
    fn noisy(&self, out: &mut MoveList<Self::Move>) {
        self.movements(out);
        out.retain(|&mv| self.is_noisy(mv));
    }

    /// What a legal move wins at once: what it captures, what it promotes to; 0 for a quiet move.
    fn gain(&self, _mv: Self::Move) -> i32 {
        0
    }

    /// What a legal move wins if both sides then capture on its target as long as that pays (static exchange); below 0 if
    /// the piece is lost there.
    fn exchange(&self, mv: Self::Move) -> i32 {
        self.gain(mv)
    }

    /// How many rows [`row`](Self::row) has.
    const ROWS: usize = 1024;

    /// A small number, below [`ROWS`](Self::ROWS), for what a legal move of this position is: usually the kind of piece and
    /// the square that it goes to. Searches remember by it which moves were good.
    fn row(&self, mv: Self::Move) -> usize {
        crate::random::mix(u64::from(mv.to_bits())) as usize % Self::ROWS
    }

    /// The latest earlier occurrence of this position, at most `plies` plies ago, where the game counts repetitions.
    fn repetition(&self, _plies: u32) -> Option<Repetition> {
        None
    }

    /// The unit whose action the move is, in games in which a player chooses one of several units and then what it does;
    /// `None` elsewhere and for moves that no unit makes. The moves of a unit lie side by side in the move list.
    fn unit(&self, _mv: Self::Move) -> Option<u32> {
        None
    }

    /// How many symmetries the rules have here, the identity (number 0) included.
    fn symmetries(&self) -> usize {
        1
    }

    /// This position under a symmetry: same side to move, same outcome, the moves mapped by
    /// [`transform_move`](Self::transform_move).
    fn transform(&self, symmetry: usize) -> Self {
        debug_assert_eq!(symmetry, 0, "this game has only the identity");
        self.clone()
    }

    /// The move of [`transform`](Self::transform)`(symmetry)` that corresponds to `mv` here.
    fn transform_move(&self, symmetry: usize, mv: Self::Move) -> Self::Move {
        debug_assert_eq!(symmetry, 0, "this game has only the identity");
        mv
    }
}
