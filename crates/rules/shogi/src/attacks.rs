//! Sliding pieces.
//!
//! On the 9x9 board rays are cut by subtraction: with `t` the occupied squares of a ray that leads to higher indices,
//! `t ^ (t - 1)` is every bit up to and including the nearest of them. Rays that lead to lower indices are reversed
//! first. Along ranks and diagonals the squares are 8, 9 or 10 bits apart, never two in one byte, so swapping the
//! bytes reverses them (Qugiy's idea); files are nine bits in a row and go through a table of 2 KB. Nothing needs
//! instructions beyond those of every 64-bit processor, and nothing falls out of the first-level cache, as the
//! megabytes of magic or pext tables of a 9x9 board would.
//!
//! On the 5x5 board magic tables are small (7 KB) and the quickest.

/// Sliders of the 9x9 board.
pub(super) mod nine {
    use crate::square::{Square, TABLE};
    use crate::tables::{DIRECTIONS, NINE, walk};
    use tesuji_core::Side;

    /// The rays towards lower indices with their bytes swapped: along the rank, and the two diagonals.
    static SWAPPED: [[u128; TABLE]; 3] = {
        let mut table = [[0; TABLE]; 3];
        let directions = [2, 4, 7];
        let mut n = 0;
        while n < 3 {
            let mut square = 0;
            while square < 81 {
                table[n][square] = walk::<9>(square, DIRECTIONS[directions[n]], true).swap_bytes();
                square += 1;
            }
            n += 1;
        }
        table
    };

    /// The squares that a rook attacks along its file, by its rank and the seven inner squares' occupancy.
    static FILE: [[u16; 128]; 16] = {
        let mut table = [[0; 128]; 16];
        let mut rank = 0;
        while rank < 9 {
            let mut inner = 0;
            while inner < 128 {
                let occupied = inner << 1;
                let mut attacks = 0;
                let mut up = rank;
                while up > 0 {
                    up -= 1;
                    attacks |= 1 << up;
                    if occupied >> up & 1 != 0 {
                        break;
                    }
                }
                let mut down = rank;
                while down < 8 {
                    down += 1;
                    attacks |= 1 << down;
                    if occupied >> down & 1 != 0 {
                        break;
                    }
                }
                table[rank][inner] = attacks;
                inner += 1;
            }
            rank += 1;
        }
        table
    };

    /// The part of a ray up to and including the nearest occupied square.
    #[inline(always)]
    fn cut(ray: u128, occupied: u128) -> u128 {
        let blockers = ray & occupied;
        (blockers ^ blockers.wrapping_sub(1)) & ray
    }

    #[inline(always)]
    fn along_file(square: Square, occupied: u128) -> u128 {
        let rank = square.slot() % 9;
        let shift = (square.slot() - rank) as u32;
        let inner = (occupied >> (shift + 1)) as usize & 127;
        u128::from(FILE[rank][inner]) << shift
    }

    #[inline(always)]
    pub(crate) fn bishop(square: Square, occupied: u128) -> u128 {
        let swapped = occupied.swap_bytes();
        let behind = cut(SWAPPED[1][square.slot()], swapped) | cut(SWAPPED[2][square.slot()], swapped);
        cut(NINE.ray(5, square), occupied) | cut(NINE.ray(6, square), occupied) | behind.swap_bytes()
    }

    #[inline(always)]
    pub(crate) fn rook(square: Square, occupied: u128) -> u128 {
        let behind = cut(SWAPPED[0][square.slot()], occupied.swap_bytes()).swap_bytes();
        cut(NINE.ray(3, square), occupied) | behind | along_file(square, occupied)
    }

    #[inline(always)]
    pub(crate) fn lance(side: Side, square: Square, occupied: u128) -> u128 {
        match side {
            Side::First => along_file(square, occupied) & NINE.ray(0, square),
            Side::Second => cut(NINE.ray(1, square), occupied),
        }
    }
}

/// Sliders of the 5x5 board.
pub(super) mod five {
    use crate::square::Square;
    use crate::tables::{DIRECTIONS, walk};

    /// One square's part of a magic table: `(occupied & mask) * factor`, of which the highest bits count.
    #[derive(Clone, Copy)]
    struct Magic<const ENTRIES: usize> {
        mask: u32,
        factor: u32,
        attacks: [u32; ENTRIES],
    }

    /// Found by trying random numbers; building the tables checks them.
    const ROOK_FACTORS: [u32; 25] = [
        0x1841_001f,
        0x0914_8985,
        0x0700_4a20,
        0x9c44_4412,
        0x1420_1006,
        0xdc28_0800,
        0x0010_4041,
        0x8262_0284,
        0x1380_8138,
        0x0491_0200,
        0x0408_8120,
        0x2096_8804,
        0x463a_0332,
        0xa805_4488,
        0x1807_00a0,
        0x042d_2050,
        0x5061_448a,
        0x1098_0880,
        0xa020_3801,
        0x0020_2a2a,
        0x0649_0081,
        0x4ec1_8081,
        0x2092_c900,
        0x0148_aa04,
        0x1022_4100,
    ];

    const BISHOP_FACTORS: [u32; 25] = [
        0x60c1_2808,
        0x0121_0cc0,
        0x0480_4004,
        0x0102_0000,
        0x8441_9800,
        0x0804_21a0,
        0x8002_0615,
        0x3102_1280,
        0x0028_5000,
        0x2002_4200,
        0x4040_8030,
        0x0050_c000,
        0x0584_1001,
        0x5044_2280,
        0xb910_1004,
        0x008c_0080,
        0x20c3_8000,
        0x0104_4804,
        0x4458_1000,
        0x0025_004a,
        0x0084_6004,
        0x1804_8880,
        0x0041_6140,
        0x0042_4048,
        0x0128_0400,
    ];

    static ROOK: [Magic<64>; 32] = build(ROOK_FACTORS, 0);
    static BISHOP: [Magic<16>; 32] = build(BISHOP_FACTORS, 4);

    /// The table of the piece that slides in the four directions from `first` on.
    const fn build<const ENTRIES: usize>(factors: [u32; 25], first: usize) -> [Magic<ENTRIES>; 32] {
        let mut table = [Magic { mask: 0, factor: 0, attacks: [0; ENTRIES] }; 32];
        let mut square = 0;
        while square < 25 {
            // What stands on the last square of a ray does not matter.
            let mut mask = 0;
            let mut direction = first;
            while direction < first + 4 {
                let (file, rank) = DIRECTIONS[direction];
                let ray = walk::<5>(square, (file, rank), true) as u32;
                let edge = walk_last(ray, file * 5 + rank > 0);
                mask |= ray & !edge;
                direction += 1;
            }
            table[square].mask = mask;
            table[square].factor = factors[square];
            let mut occupied = 0_u32;
            loop {
                let mut attacks = 0;
                let mut direction = first;
                while direction < first + 4 {
                    attacks |= slide(square, DIRECTIONS[direction], occupied);
                    direction += 1;
                }
                let slot = occupied.wrapping_mul(factors[square]) as usize >> (32 - ENTRIES.trailing_zeros());
                assert!(
                    table[square].attacks[slot] == 0 || table[square].attacks[slot] == attacks,
                    "a factor maps different attacks to one slot"
                );
                table[square].attacks[slot] = attacks;
                // The next subset of the mask, or none again after the last.
                occupied = occupied.wrapping_sub(mask) & mask;
                if occupied == 0 {
                    break;
                }
            }
            square += 1;
        }
        table
    }

    /// The last square of a ray that leads to higher (`rising`) or lower indices.
    const fn walk_last(ray: u32, rising: bool) -> u32 {
        match ray {
            0 => 0,
            _ if rising => 1 << (31 - ray.leading_zeros()),
            _ => ray & ray.wrapping_neg(),
        }
    }

    /// The squares from `square` in a direction up to and including the first occupied one.
    const fn slide(square: usize, step: (i8, i8), occupied: u32) -> u32 {
        let (mut file, mut rank) = ((square / 5) as i8 + step.0, (square % 5) as i8 + step.1);
        let mut met = 0;
        while 0 <= file && file < 5 && 0 <= rank && rank < 5 {
            let bit = 1 << (file * 5 + rank);
            met |= bit;
            if occupied & bit != 0 {
                break;
            }
            file += step.0;
            rank += step.1;
        }
        met
    }

    #[inline(always)]
    pub(crate) fn bishop(square: Square, occupied: u32) -> u32 {
        let magic = &BISHOP[square.slot() & 31];
        magic.attacks[((occupied & magic.mask).wrapping_mul(magic.factor) >> 28) as usize]
    }

    #[inline(always)]
    pub(crate) fn rook(square: Square, occupied: u32) -> u32 {
        let magic = &ROOK[square.slot() & 31];
        magic.attacks[((occupied & magic.mask).wrapping_mul(magic.factor) >> 26) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::{five, nine};
    use crate::geometry::{Five, Geometry, Nine};
    use crate::square::Square;
    use tesuji_core::{Side, Stream};

    /// The squares met by walking one by one in the given directions, up to and including the first occupied one.
    fn walk(size: i32, square: i32, directions: &[(i32, i32)], occupied: u128) -> u128 {
        let mut met = 0;
        for (file_step, rank_step) in directions {
            let (mut file, mut rank) = (square / size + file_step, square % size + rank_step);
            while (0..size).contains(&file) && (0..size).contains(&rank) {
                let bit = 1 << (file * size + rank);
                met |= bit;
                if occupied & bit != 0 {
                    break;
                }
                file += file_step;
                rank += rank_step;
            }
        }
        met
    }

    const STRAIGHT: [(i32, i32); 4] = [(0, -1), (0, 1), (1, 0), (-1, 0)];
    const DIAGONAL: [(i32, i32); 4] = [(-1, -1), (1, 1), (1, -1), (-1, 1)];

    #[test]
    fn sliders_stop_at_the_first_piece() {
        let mut random = Stream::new(1, "sliders", 0);
        for round in 0..400 {
            let mut draw = || u128::from(random.next_u64()) | u128::from(random.next_u64()) << 64;
            // Boards from crowded to nearly empty.
            let occupied = (0..round % 5).fold(draw(), |occupied, _| occupied & draw());
            for n in 0..81 {
                let (square, on) = (Square(n), i32::from(n));
                let occupied = occupied & Nine::tables().all;
                assert_eq!(nine::rook(square, occupied), walk(9, on, &STRAIGHT, occupied));
                assert_eq!(nine::bishop(square, occupied), walk(9, on, &DIAGONAL, occupied));
                assert_eq!(nine::lance(Side::First, square, occupied), walk(9, on, &STRAIGHT[..1], occupied));
                assert_eq!(nine::lance(Side::Second, square, occupied), walk(9, on, &STRAIGHT[1..2], occupied));
            }
            for n in 0..25 {
                let (square, on) = (Square(n), i32::from(n));
                let occupied = occupied & u128::from(Five::tables().all);
                assert_eq!(u128::from(five::rook(square, occupied as u32)), walk(5, on, &STRAIGHT, occupied));
                assert_eq!(u128::from(five::bishop(square, occupied as u32)), walk(5, on, &DIAGONAL, occupied));
            }
        }
    }
}
