//! Material and piece placement, blended from the middle game to the endgame.

use super::position::ChessPosition;
use shakmaty::{Color, Position as _, Role};

/// What a piece is worth in hundredths of a pawn: its material, plus a term for its rank, plus one for its file.
///
/// Ranks are counted from the piece's own side, files from the edge to the centre. A sum of the two says nearly as
/// much as a full table of 64 squares and can be read.
struct Worth {
    material: i32,
    rank: [i32; 8],
    file: [i32; 4],
}

/// Pawn, knight, bishop, rook, queen, king.
type Worths = [Worth; 6];

const MIDDLE_GAME: Worths = [
    Worth { material: 85, rank: [0, -6, -4, 6, 16, 40, 70, 0], file: [-10, -2, 2, 10] },
    Worth { material: 330, rank: [-30, -15, 0, 10, 18, 18, 0, -40], file: [-20, -6, 6, 12] },
    Worth { material: 345, rank: [-12, 6, 6, 8, 8, 4, -10, -15], file: [-6, 2, 2, 4] },
    Worth { material: 480, rank: [-2, -8, -8, -6, 0, 6, 16, 12], file: [-8, -2, 4, 10] },
    Worth { material: 990, rank: [-4, 2, 2, 0, 0, 4, 2, 4], file: [-4, 0, 2, 4] },
    Worth { material: 0, rank: [20, 0, -30, -50, -60, -60, -60, -60], file: [12, 20, -10, -18] },
];

const ENDGAME: Worths = [
    Worth { material: 105, rank: [0, -6, -4, 4, 20, 55, 100, 0], file: [6, 4, -2, -6] },
    Worth { material: 300, rank: [-20, -10, 0, 12, 14, 6, -6, -20], file: [-16, -4, 4, 10] },
    Worth { material: 320, rank: [-8, -4, 2, 6, 6, 4, -2, -6], file: [-6, 0, 2, 4] },
    Worth { material: 540, rank: [-6, -6, -4, 0, 4, 6, 8, 6], file: [0, 0, 0, 0] },
    Worth { material: 990, rank: [-24, -14, 0, 12, 18, 14, 10, 0], file: [-10, 0, 6, 10] },
    Worth { material: 0, rank: [-30, -12, 4, 16, 24, 24, 12, -16], file: [-20, -2, 8, 14] },
];

/// How much of the middle game each piece stands for; 24 in the start position.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
const FULL_PHASE: i32 = 24;

/// Middle-game and endgame worth of a white piece on a square.
static TABLE: [[(i16, i16); 64]; 6] = table();

const fn table() -> [[(i16, i16); 64]; 6] {
    let mut table = [[(0, 0); 64]; 6];
    let mut role = 0;
    while role < 6 {
        let mut square = 0;
        while square < 64 {
            table[role][square] = (on(&MIDDLE_GAME[role], square), on(&ENDGAME[role], square));
            square += 1;
        }
        role += 1;
    }
    table
}

const fn on(worth: &Worth, square: usize) -> i16 {
    let file = square % 8;
    let from_edge = if file < 4 { file } else { 7 - file };
    (worth.material + worth.rank[square / 8] + worth.file[from_edge]) as i16
}

/// The judgement for White, in hundredths of a pawn.
pub(super) fn heuristic(position: &ChessPosition) -> i32 {
    let board = position.board().board();
    let (mut middle, mut end, mut phase) = (0, 0, 0);
    for (role, (table, weight)) in Role::ALL.into_iter().zip(TABLE.iter().zip(PHASE)) {
        for square in board.by_piece(role.of(Color::White)) {
            let (in_middle, in_end) = table[square.to_usize()];
            middle += i32::from(in_middle);
            end += i32::from(in_end);
        }
        for square in board.by_piece(role.of(Color::Black)) {
            let (in_middle, in_end) = table[square.flip_vertical().to_usize()];
            middle -= i32::from(in_middle);
            end -= i32::from(in_end);
        }
        phase += weight * board.by_role(role).count() as i32;
    }
    // Promotions can bring more pieces on the board than the start has.
    let phase = phase.min(FULL_PHASE);
    (middle * phase + end * (FULL_PHASE - phase)) / FULL_PHASE
}
