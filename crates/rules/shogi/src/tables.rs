//! Tables of both boards, computed at compile time.

use super::piece::Kind;
use super::square::{Square, TABLE};
use tesuji_core::{Side, random::mix};

/// The eight directions as steps (file, rank). The opposite of direction `d` is `d ^ 1`; the first four are straight.
pub(super) const DIRECTIONS: [(i8, i8); 8] = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (1, -1), (-1, 1)];

/// The first player's forward direction; the second player's is the next.
pub(super) const FORWARD: usize = 0;

/// The number that stands for "not on a line" in [`Tables::direction`].
const UNALIGNED: usize = 8;

/// What the move generator looks up. Rows have [`TABLE`] entries, those beyond the board empty.
#[derive(Debug)]
pub struct Tables<B: 'static> {
    /// The set of one square.
    pub(super) bit: [B; TABLE],
    /// The squares from a square (exclusive) to the edge, by direction; empty for [`UNALIGNED`].
    pub(super) rays: [[B; TABLE]; 9],
    /// What a piece attacks on an empty board, by side and movement.
    pub(super) reach: [[[B; TABLE]; 10]; 2],
    /// The file of a square.
    pub(super) file: [B; TABLE],
    /// The file of a square and the files beside it.
    pub(super) files_around: [B; TABLE],
    /// The squares at most two steps away.
    pub(super) near: [B; TABLE],
    /// The direction from a square to another, or [`UNALIGNED`].
    pub(super) direction: [[u8; TABLE]; TABLE],
    /// The kinds of piece of the other side that attack the king of a side, on an empty board: by side, the king's
    /// square and the piece's, one bit for each kind.
    pub(super) threats: [[[u16; TABLE]; TABLE]; 2],
    /// The promotion zone by side.
    pub(super) zone: [B; 2],
    /// The last rank by side: pawns and lances must not stay there.
    pub(super) last: [B; 2],
    /// The last two ranks by side: knights must not stay there.
    pub(super) last_two: [B; 2],
    /// The whole board.
    pub(super) all: B,
}

/// The tables of the 9x9 board.
pub(super) static NINE: Tables<u128> = build::<9>(3);

/// The tables of the 5x5 board.
pub(super) static FIVE: Tables<u32> = narrow(&build::<5>(1));

impl<B: Copy> Tables<B> {
    #[inline(always)]
    pub(super) fn ray(&self, direction: usize, from: Square) -> B {
        self.rays[direction][from.slot()]
    }

    #[inline(always)]
    pub(super) fn reach(&self, side: Side, movement: usize, from: Square) -> B {
        self.reach[side.index()][movement][from.slot()]
    }

    /// The direction from `a` to `b`; the ray of an unaligned pair is empty.
    #[inline(always)]
    pub(super) fn direction(&self, a: Square, b: Square) -> usize {
        // The table holds nothing above 8; the minimum tells the compiler.
        usize::from(self.direction[a.slot()][b.slot()]).min(UNALIGNED)
    }
}

/// The steps of each movement that one table row describes, for the first player: (file, rank, slides).
const fn steps(movement: usize) -> &'static [(i8, i8, bool)] {
    match movement {
        0 => &[(0, -1, false)],
        1 => &[(0, -1, true)],
        2 => &[(-1, -2, false), (1, -2, false)],
        3 => &[(0, -1, false), (-1, -1, false), (1, -1, false), (-1, 1, false), (1, 1, false)],
        4 => &[(-1, -1, true), (1, 1, true), (1, -1, true), (-1, 1, true)],
        5 => &[(0, -1, true), (0, 1, true), (-1, 0, true), (1, 0, true)],
        6 => &[(0, -1, false), (-1, -1, false), (1, -1, false), (-1, 0, false), (1, 0, false), (0, 1, false)],
        7 => &[
            (0, -1, false),
            (0, 1, false),
            (-1, 0, false),
            (1, 0, false),
            (-1, -1, false),
            (1, 1, false),
            (1, -1, false),
            (-1, 1, false),
        ],
        8 => &[
            (-1, -1, true),
            (1, 1, true),
            (1, -1, true),
            (-1, 1, true),
            (0, -1, false),
            (0, 1, false),
            (-1, 0, false),
            (1, 0, false),
        ],
        _ => &[
            (0, -1, true),
            (0, 1, true),
            (-1, 0, true),
            (1, 0, true),
            (-1, -1, false),
            (1, 1, false),
            (1, -1, false),
            (-1, 1, false),
        ],
    }
}

/// The squares met by walking from a square in steps of (file, rank), once or to the edge.
pub(super) const fn walk<const SIZE: usize>(square: usize, step: (i8, i8), slides: bool) -> u128 {
    let size = SIZE as i8;
    let mut file = (square / SIZE) as i8 + step.0;
    let mut rank = (square % SIZE) as i8 + step.1;
    let mut met = 0;
    while 0 <= file && file < size && 0 <= rank && rank < size {
        met |= 1 << (file * size + rank);
        if !slides {
            break;
        }
        file += step.0;
        rank += step.1;
    }
    met
}

const fn build<const SIZE: usize>(zone_ranks: usize) -> Tables<u128> {
    let mut t = Tables {
        bit: [0; TABLE],
        rays: [[0; TABLE]; 9],
        reach: [[[0; TABLE]; 10]; 2],
        file: [0; TABLE],
        files_around: [0; TABLE],
        near: [0; TABLE],
        direction: [[UNALIGNED as u8; TABLE]; TABLE],
        threats: [[[0; TABLE]; TABLE]; 2],
        zone: [0; 2],
        last: [0; 2],
        last_two: [0; 2],
        all: 0,
    };
    let mut square = 0;
    while square < SIZE * SIZE {
        let bit = 1 << square;
        t.bit[square] = bit;
        t.all |= bit;
        let mut side = 0;
        while side < 2 {
            // The rank counted from the side's far edge.
            let rank = if side == 0 { square % SIZE } else { SIZE - 1 - square % SIZE };
            if rank < zone_ranks {
                t.zone[side] |= bit;
            }
            if rank < 1 {
                t.last[side] |= bit;
            }
            if rank < 2 {
                t.last_two[side] |= bit;
            }
            let mut movement = 0;
            while movement < 10 {
                let steps = steps(movement);
                let mut n = 0;
                while n < steps.len() {
                    let (file, rank, slides) = steps[n];
                    let step = if side == 0 { (file, rank) } else { (-file, -rank) };
                    t.reach[side][movement][square] |= walk::<SIZE>(square, step, slides);
                    n += 1;
                }
                movement += 1;
            }
            let mut kind = 0;
            while kind < Kind::ALL.len() {
                let reach = t.reach[side][Kind::ALL[kind].movement() as usize][square];
                let mut king = 0;
                while king < SIZE * SIZE {
                    if reach >> king & 1 != 0 {
                        t.threats[1 - side][king][square] |= 1 << kind;
                    }
                    king += 1;
                }
                kind += 1;
            }
            side += 1;
        }
        let mut direction = 0;
        while direction < 8 {
            let ray = walk::<SIZE>(square, DIRECTIONS[direction], true);
            t.rays[direction][square] = ray;
            let mut other = 0;
            while other < SIZE * SIZE {
                if ray >> other & 1 != 0 {
                    t.direction[square][other] = direction as u8;
                }
                other += 1;
            }
            direction += 1;
        }
        t.file[square] = t.rays[0][square] | t.rays[1][square] | bit;
        let mut other = 0;
        while other < SIZE * SIZE {
            if (square / SIZE).abs_diff(other / SIZE) <= 1 {
                t.files_around[square] |= 1 << other;
            }
            if (square / SIZE).abs_diff(other / SIZE) <= 2 && (square % SIZE).abs_diff(other % SIZE) <= 2 {
                t.near[square] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    t
}

const fn narrow(wide: &Tables<u128>) -> Tables<u32> {
    const fn row(wide: &[u128; TABLE]) -> [u32; TABLE] {
        let mut row = [0; TABLE];
        let mut n = 0;
        while n < TABLE {
            row[n] = wide[n] as u32;
            n += 1;
        }
        row
    }
    const fn rows<const N: usize>(wide: &[[u128; TABLE]; N]) -> [[u32; TABLE]; N] {
        let mut rows = [[0; TABLE]; N];
        let mut n = 0;
        while n < N {
            rows[n] = row(&wide[n]);
            n += 1;
        }
        rows
    }
    const fn pair(wide: [u128; 2]) -> [u32; 2] {
        [wide[0] as u32, wide[1] as u32]
    }
    Tables {
        bit: row(&wide.bit),
        rays: rows(&wide.rays),
        reach: [rows(&wide.reach[0]), rows(&wide.reach[1])],
        file: row(&wide.file),
        files_around: row(&wide.files_around),
        near: row(&wide.near),
        direction: wide.direction,
        threats: wide.threats,
        zone: pair(wide.zone),
        last: pair(wide.last),
        last_two: pair(wide.last_two),
        all: wide.all as u32,
    }
}

/// A random number for each (piece code, square): a position's board key is their sum, modulo 2^64.
pub(super) static ZOBRIST: [[u64; TABLE]; 32] = {
    let mut table = [[0; TABLE]; 32];
    let mut piece = 0;
    while piece < 32 {
        let mut square = 0;
        while square < TABLE {
            table[piece][square] = mix(mix(0x5348_4f47_4900 + piece as u64) ^ square as u64);
            square += 1;
        }
        piece += 1;
    }
    table
};

/// What the hands, as one word, are multiplied by in a key: odd, so that different hands stay different.
pub(super) const HANDS: u64 = mix(0x6861_6e64) | 1;

/// What the key of a position with the second player to move is mixed with.
pub(super) const SECOND_TO_MOVE: u64 = mix(0x7475_726e);
