//! Material and piece placement, blended from the middle game to the endgame.

use super::position::ChessPosition;
use shakmaty::{Color, Role};

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

// Both tables were fitted to Stockfish 15.1's scores (depth 5) of 40,000 quiet positions from and near human games: on
// 10,000 others the mean squared error of the winning chance is 0.0155, with material alone 0.0180.

const MIDDLE_GAME: Worths = [
    Worth { material: 65, rank: [0, -5, -9, 3, 20, 40, 69, 0], file: [-18, 2, -1, 7] },
    Worth { material: 316, rank: [-18, -14, 2, 15, 27, 56, -5, 1], file: [-37, 0, 6, 5] },
    Worth { material: 349, rank: [-18, -4, 11, 7, 7, 37, 21, -3], file: [-3, 3, 1, -3] },
    Worth { material: 417, rank: [-7, -21, -17, -3, 33, 44, 50, 35], file: [-7, -14, 3, 13] },
    Worth { material: 911, rank: [0, -3, -6, 2, 12, 21, 9, 6], file: [0, -5, 1, 2] },
    Worth { material: 0, rank: [37, -14, -53, -47, -27, -21, -20, -17], file: [-1, 14, -15, -11] },
];

const ENDGAME: Worths = [
    Worth { material: 134, rank: [0, 0, -6, -12, 1, 63, 67, 0], file: [8, 6, -4, -8] },
    Worth { material: 282, rank: [-36, -14, 1, 3, 34, 0, 3, -7], file: [-18, -14, 5, 9] },
    Worth { material: 293, rank: [-17, -3, 2, 16, 8, -12, 2, 2], file: [-18, -3, -3, 11] },
    Worth { material: 524, rank: [-14, -12, -6, 7, 5, 17, 24, 6], file: [-2, 1, -1, 2] },
    Worth { material: 901, rank: [-43, -10, 7, 12, 22, 21, 20, 14], file: [-22, -3, -3, 15] },
    Worth { material: 0, rank: [-43, -3, 13, 26, 38, 42, 32, 51], file: [1, 2, 7, -11] },
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
    let board = position.board();
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
