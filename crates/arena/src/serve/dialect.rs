//! The differences between UCI and USI on the engine side.

use crate::engine::notation;
use crate::protocol::{Protocol, Words};
use tesuji_core::{AnyPosition, MoveId, Outcome, Side, Value};

/// A protocol for one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    pub words: Words,
    /// The side of a shogi board, whose moves UCI writes as Fairy-Stockfish does.
    board: Option<u8>,
}

impl Dialect {
    /// The game's usual protocol, before the client has chosen one.
    pub(super) fn usual(game: &str) -> Dialect {
        Dialect { words: Protocol::usual(game), board: Protocol::board(game) }
    }

    /// The game by the protocol that the client has chosen; `None` if it is not played by it.
    pub(super) fn chosen(game: &str, words: Words) -> Option<Dialect> {
        Protocol::speaks(game, words).then(|| Dialect { words, board: Protocol::board(game) })
    }

    /// What stands for a move where there is none.
    pub(super) fn no_move(self) -> &'static str {
        match self.words {
            Words::Uci => "(none)",
            Words::Usi => "resign",
        }
    }

    /// A move of ours as the client writes it.
    pub(super) fn move_to_client(self, text: String) -> String {
        match (self.words, self.board) {
            (Words::Uci, Some(size)) => notation::usi_to_uci(&text, size).unwrap_or(text),
            _ => text,
        }
    }

    /// A move of the client's as we write it.
    pub(super) fn move_from_client(self, text: &str) -> String {
        let ours = match (self.words, self.board) {
            (Words::Uci, Some(size)) => notation::uci_to_usi(text, size),
            _ => None,
        };
        ours.unwrap_or_else(|| text.to_owned())
    }

    /// A position of the client's (`fen`) as we write it.
    pub(super) fn position_from_client(self, fen: &str) -> String {
        let ours = if self.board.is_some() { notation::fen_to_sfen(fen) } else { None };
        ours.unwrap_or_else(|| fen.to_owned())
    }

    /// The clock of a side among `wtime`, `btime`: White moves first in chess, Black in shogi.
    pub(super) fn clock_of(self, side: Side) -> usize {
        match self.words {
            Words::Uci => side.index(),
            Words::Usi => side.other().index(),
        }
    }

    /// The score of a line for the mover: `cp N`, or `mate N` where the line leads to a decided end (N counts moves in
    /// UCI, plies in USI).
    pub(super) fn score(self, root: &dyn AnyPosition, scored: &Scored<'_>) -> String {
        let mover = root.mover();
        if let Some(Outcome::Win(winner)) = scored.proof {
            let sign = if winner == mover { "" } else { "-" };
            if scored.is_over(root) {
                let plies = scored.line.len();
                return match self.words {
                    Words::Uci => format!("mate {sign}{}", plies.div_ceil(2)),
                    Words::Usi => format!("mate {sign}{plies}"),
                };
            }
            // Decided, but not how soon.
            return match self.words {
                Words::Uci => format!("cp {sign}{DECIDED}"),
                Words::Usi => format!("mate {}", if winner == mover { "+" } else { "-" }),
            };
        }
        let value = f64::from(scored.value.for_side(mover)).clamp(-SURE, SURE);
        // Whole numbers have no negative zero.
        format!("cp {}", (f64::from(root.game().heuristic_scale()) * libm::atanh(value)).round() as i64)
    }
}

/// Centipawns for a game that is proved to be won at an unknown distance.
const DECIDED: u32 = 30_000;
/// Values are clamped to this: `atanh` goes to infinity.
const SURE: f64 = 0.999_99;

/// A line with its evaluation.
pub(super) struct Scored<'a> {
    pub value: Value,
    pub proof: Option<Outcome>,
    pub line: &'a [MoveId],
}

impl Scored<'_> {
    /// Whether the game is over at the end of the line.
    fn is_over(&self, root: &dyn AnyPosition) -> bool {
        let mut position = root.boxed();
        self.line.iter().all(|&mv| position.play(mv).is_ok()) && position.outcome().is_some()
    }
}
