//! Tesuji and its peers behind the same few functions, for the criterion benchmarks and the table of `ratios`.
//!
//! | module | what it holds |
//! |---|---|
//! | [`ours`] | our games, by name, through the registry |
//! | [`peers`] | the crates haitaka, rsshogi, shakmaty and cozy-chess |
//! | [`fairy`] | Fairy-Stockfish, a program |

pub mod fairy;
pub mod ours;
pub mod peers;

/// The positions that shogi is measured on: (name, SFEN, depth).
pub const SHOGI: [(&str, &str, u32); 2] = [
    ("start", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 4),
    ("middle", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 3),
];

/// The positions that chess is measured on: (name, FEN, depth).
pub const CHESS: [(&str, &str, u32); 2] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3),
];

/// Where minishogi begins.
pub const MINISHOGI: &str = "rbsgk/4p/5/P4/KGSBR b - 1";

/// Whether the last ply of a perft is counted or played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The moves of the last ply are counted.
    Bulk,
    /// The moves of the last ply are played: what a search would pay.
    Playing,
}

impl Mode {
    /// Both.
    pub const ALL: [Mode; 2] = [Mode::Bulk, Mode::Playing];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Bulk => "bulk",
            Mode::Playing => "playing",
        }
    }
}
