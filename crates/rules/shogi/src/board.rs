//! The board without its history: pieces, hands, the side to move, whom it is in check from.

use super::bits::Bits;
use super::geometry::Geometry;
use super::hand::{Hand, Hands};
use super::mv::Move;
use super::piece::{EMPTY, Kind, Movement, Piece};
use super::square::Square;
use super::tables::{FORWARD, HANDS, SECOND_TO_MOVE, ZOBRIST};
use tesuji_core::Side;

/// A position without its history: small enough to be copied for every move.
///
/// Boards come from a validated [`Setup`](super::Setup) or by playing legal moves. Either king may be missing in a mate
/// problem; its side is then never in check and has no king moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board<G: Geometry> {
    /// The pieces by movement, both sides together; horses are among the bishops, dragons among the rooks.
    class: [G::Bits; 8],
    /// The pieces by side.
    side: [G::Bits; 2],
    /// The horses and dragons.
    crowned: G::Bits,
    /// The pieces that give check to the side to move.
    checkers: G::Bits,
    /// The sum of [`ZOBRIST`] over the pieces on the board.
    sum: u64,
    hands: Hands,
    cells: G::Cells,
    kings: [Square; 2],
    turn: Side,
}

/// The index into `Board::class` by the number of a kind.
const CLASS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 6, 6, 6, 6, 4, 5, 0, 0];

impl<G: Geometry> Board<G> {
    /// The board of pieces and hands that have been validated, for the side to move.
    pub(super) fn from_valid(cells: &G::Cells, hands: [Hand; 2], turn: Side) -> Board<G> {
        let none = G::Bits::NONE;
        let mut board = Board {
            class: [none; 8],
            side: [none; 2],
            crowned: none,
            checkers: none,
            sum: 0,
            hands: Hands::new(hands),
            cells: G::NO_CELLS,
            kings: [Square::NONE; 2],
            turn,
        };
        for (square, &code) in G::squares().zip(cells.as_ref()) {
            if let Some(piece) = Piece::from_code(code) {
                board.put(piece.code(), square);
                if piece.kind == Kind::King {
                    board.kings[piece.side.index()] = square;
                }
            }
        }
        board.checkers = board.attackers(board.kings[board.turn.index()], board.turn.other(), board.occupied());
        board
    }

    /// Overwrites this board by another.
    ///
    /// The same as an assignment, but field by field, which the compiler turns into moves in place; of the whole it
    /// makes a call of `memcpy`, which takes twice the instructions.
    #[inline(always)]
    pub(super) fn copy_from(&mut self, other: &Board<G>) {
        self.class = other.class;
        self.side = other.side;
        self.crowned = other.crowned;
        self.checkers = other.checkers;
        self.sum = other.sum;
        self.hands = other.hands;
        self.cells = other.cells;
        self.kings = other.kings;
        self.turn = other.turn;
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// The piece on a square.
    #[inline]
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.cells.as_ref().get(square.index()).and_then(|&code| Piece::from_code(code))
    }

    /// The bytes of the squares; see [`Piece::code`].
    #[inline]
    pub(super) fn codes(&self) -> &G::Cells {
        &self.cells
    }

    /// Every piece on the board with its square, in the order of the squares.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        G::squares().filter_map(|square| self.piece(square).map(|piece| (square, piece)))
    }

    /// The hand of a side.
    #[inline]
    pub fn hand(&self, side: Side) -> Hand {
        self.hands.of(side)
    }

    /// The king of a side; only in mate problems it may be missing.
    #[inline]
    pub fn king(&self, side: Side) -> Option<Square> {
        let king = self.kings[side.index()];
        (king != Square::NONE).then_some(king)
    }

    /// The occupied squares.
    #[inline(always)]
    pub fn occupied(&self) -> G::Bits {
        self.side[0] | self.side[1]
    }

    /// The squares of a side's pieces.
    #[inline(always)]
    pub fn side(&self, side: Side) -> G::Bits {
        self.side[side.index()]
    }

    /// The squares of the pieces of both sides that move in a way; see [`Kind::movement`].
    #[inline]
    pub fn moving(&self, movement: Movement) -> G::Bits {
        match movement {
            Movement::Bishop => self.class[4] & !self.crowned,
            Movement::Rook => self.class[5] & !self.crowned,
            Movement::Horse => self.class[4] & self.crowned,
            Movement::Dragon => self.class[5] & self.crowned,
            other => self.class[other.index()],
        }
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> G::Bits {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.checkers.is_empty()
    }

    /// A hash of the board, the hands and the side to move.
    #[inline]
    pub fn key(&self) -> u64 {
        // Both hands are one word. Times an odd number it stays different for different hands, and against the
        // random sum of the board that is as good as a key for each piece in hand, and cheaper.
        self.board_key() ^ self.hands.bits().wrapping_mul(HANDS)
    }

    /// A hash of the board and the side to move without the hands: what hand dominance is looked up by.
    #[inline]
    pub fn board_key(&self) -> u64 {
        match self.turn {
            Side::First => self.sum,
            Side::Second => self.sum ^ SECOND_TO_MOVE,
        }
    }

    /// The squares that a piece attacks from a square, whether own or enemy pieces stand there.
    #[inline]
    pub fn attacks(&self, piece: Piece, from: Square) -> G::Bits {
        let (occupied, tables) = (self.occupied(), G::tables());
        let king = tables.reach(piece.side, Movement::King.index(), from);
        match piece.kind.movement() {
            Movement::Lance => G::lance(piece.side, from, occupied),
            Movement::Bishop => G::bishop(from, occupied),
            Movement::Rook => G::rook(from, occupied),
            Movement::Horse => G::bishop(from, occupied) | king,
            Movement::Dragon => G::rook(from, occupied) | king,
            step => tables.reach(piece.side, step.index(), from),
        }
    }

    /// The pieces of a side that attack a square.
    #[inline]
    pub fn attackers_of(&self, square: Square, by: Side) -> G::Bits {
        self.attackers(square, by, self.occupied())
    }

    /// The pieces of `by` that attack a square, when the given squares are occupied.
    #[inline]
    pub(super) fn attackers(&self, square: Square, by: Side, occupied: G::Bits) -> G::Bits {
        let tables = G::tables();
        // A piece attacks a square exactly if the same piece of the other side would attack it from there.
        let seen =
            |movement: Movement| tables.reach(by.other(), movement.index(), square) & self.class[movement.index()];
        let mut found = seen(Movement::Pawn) | seen(Movement::Silver) | seen(Movement::Gold) | seen(Movement::King);
        found |= tables.reach(by, Movement::King.index(), square) & self.crowned;
        if G::LANCES_AND_KNIGHTS {
            found |= seen(Movement::Knight);
            found |= G::lance(by.other(), square, occupied) & self.class[Movement::Lance.index()];
        }
        if tables.reach(by, Movement::Bishop.index(), square).meets(self.class[4] & self.side(by)) {
            found |= G::bishop(square, occupied) & self.class[4];
        }
        if tables.reach(by, Movement::Rook.index(), square).meets(self.class[5] & self.side(by)) {
            found |= G::rook(square, occupied) & self.class[5];
        }
        found & self.side(by)
    }

    /// Plays a legal move. An illegal one corrupts the board: see [`is_legal`](Self::is_legal).
    #[inline]
    pub fn play(&mut self, mv: Move) {
        let us = self.turn;
        let to = mv.to();
        let to_bit = G::bit(to);
        // The sides' pieces are kept in variables, because a set that has just been stored in two halves cannot be
        // loaded as a whole without waiting for the stores.
        let (mut ours, mut theirs) = (self.side(us) | to_bit, self.side(us.other()));
        let mut moved = mv.origin().0 | (us as u8) << 4;
        if mv.is_drop() {
            self.hands.take(us, usize::from(moved & 7));
        } else {
            let from = mv.origin();
            let from_bit = G::bit(from);
            let cells = self.cells.as_mut();
            let piece = std::mem::replace(&mut cells[from.index()], EMPTY);
            let captured = cells[to.index()];
            moved = mv.promotes(piece);
            *self.class_of(piece) ^= from_bit;
            ours ^= from_bit;
            self.crowned &= !from_bit;
            self.sum = self.sum.wrapping_sub(zobrist(piece, from));
            if captured != EMPTY {
                *self.class_of(captured) ^= to_bit;
                theirs ^= to_bit;
                self.side[us.other().index()] = theirs;
                self.crowned &= !to_bit;
                self.sum = self.sum.wrapping_sub(zobrist(captured, to));
                self.hands.add(us, usize::from(captured & 7));
            }
            if piece & 15 == Kind::King as u8 {
                self.kings[us.index()] = to;
            }
        }
        self.side[us.index()] = ours;
        *self.class_of(moved) ^= to_bit;
        if moved & 15 >= Kind::Horse as u8 {
            self.crowned |= to_bit;
        }
        self.sum = self.sum.wrapping_add(zobrist(moved, to));
        self.cells.as_mut()[to.index()] = moved;
        self.turn = us.other();
        self.checkers = self.checkers_after(moved, mv, ours, ours | theirs);
    }

    /// Gives the turn away; the side to move must not be in check.
    #[inline]
    pub(super) fn pass(&mut self) {
        debug_assert!(!self.in_check());
        self.turn = self.turn.other();
    }

    /// Whether a legal move gives check.
    #[inline]
    pub(super) fn gives_check(&self, mv: Move) -> bool {
        let us = self.turn;
        let king = self.kings[us.other().index()];
        // Without the target: what is captured there still counts among the sliders.
        let mut ours = self.side(us);
        let mut moved = mv.origin().0;
        if !mv.is_drop() {
            ours &= !G::bit(mv.origin());
            moved = mv.promotes(self.code(mv.origin()));
        }
        let occupied = ours | self.side(us.other()) | G::bit(mv.to());
        !self.checkers_of(king, us.other(), moved, mv, ours, occupied).is_empty()
    }

    /// The byte of a square: the side in bit 4, the kind's number in bits 0 to 3, which are [`EMPTY`] if there is none.
    #[inline(always)]
    pub(super) fn code(&self, square: Square) -> u8 {
        self.cells.as_ref()[square.index()]
    }

    /// The bytes of all squares, as [`code`](Self::code) gives them.
    #[cfg(test)]
    pub(super) fn cells(&self) -> &[u8] {
        self.cells.as_ref()
    }

    /// Puts a piece on an empty square.
    fn put(&mut self, code: u8, square: Square) {
        let bit = G::bit(square);
        *self.class_of(code) |= bit;
        self.side[usize::from(code >> 4 & 1)] |= bit;
        if code & 15 >= Kind::Horse as u8 {
            self.crowned |= bit;
        }
        self.sum = self.sum.wrapping_add(zobrist(code, square));
        self.cells.as_mut()[square.index()] = code;
    }

    #[inline(always)]
    fn class_of(&mut self, code: u8) -> &mut G::Bits {
        &mut self.class[usize::from(CLASS[usize::from(code & 15)] & 7)]
    }

    /// The pieces that give check after a move, which has been played except for this; `ours` are the pieces of the
    /// side that moved.
    #[inline(always)]
    fn checkers_after(&self, moved: u8, mv: Move, ours: G::Bits, occupied: G::Bits) -> G::Bits {
        let them = self.turn;
        self.checkers_of(self.kings[them.index()], them, moved, mv, ours, occupied)
    }

    /// The pieces that attack the king of `them` once the other side has moved a piece, which is `moved` by then; `ours`
    /// are the other pieces of that side.
    #[inline(always)]
    fn checkers_of(&self, king: Square, them: Side, moved: u8, mv: Move, ours: G::Bits, occupied: G::Bits) -> G::Bits {
        let tables = G::tables();
        let (us, to) = (them.other(), mv.to());
        let mut checkers = G::Bits::NONE;
        // Would this piece, on an empty board, attack the king from there?
        if tables.threats[them.index()][king.slot()][to.slot()] >> (moved & 15) & 1 != 0
            && !self.between(king, to).meets(occupied)
        {
            checkers = G::bit(to);
        }
        if !mv.is_drop() {
            // A slider may have been uncovered: only in the direction that the piece came from.
            let direction = tables.direction(king, mv.origin());
            let behind = tables.ray(direction, king) & ours & self.sliders(direction, us);
            if !behind.is_empty() {
                behind.each(|square| {
                    if !self.between(king, Square(square)).meets(occupied) {
                        checkers |= G::bit(Square(square));
                    }
                });
            }
        }
        checkers
    }

    /// The sliders of both sides that, standing in this direction from a square, can attack it if they are `by`'s.
    #[inline(always)]
    fn sliders(&self, direction: usize, by: Side) -> G::Bits {
        let sliders = self.class[if direction < 4 { 5 } else { 4 }];
        // A lance attacks forward, so it stands behind: in the other side's forward direction.
        if G::LANCES_AND_KNIGHTS && direction == FORWARD + by.other().index() {
            sliders | self.class[1]
        } else {
            sliders
        }
    }

    /// The squares strictly between two squares on a line; nothing for others.
    #[inline(always)]
    pub(super) fn between(&self, a: Square, b: Square) -> G::Bits {
        let tables = G::tables();
        let direction = tables.direction(a, b);
        tables.ray(direction, a) & !tables.ray(direction, b) & !G::bit(b)
    }

    /// The pieces of `blocker` that alone keep a slider of `by` from attacking a square.
    #[inline(always)]
    pub(super) fn blockers(&self, square: Square, by: Side, blocker: Side) -> G::Bits {
        let tables = G::tables();
        let mut snipers = tables.reach(by, Movement::Bishop.index(), square) & self.class[4];
        snipers |= tables.reach(by, Movement::Rook.index(), square) & self.class[5];
        if G::LANCES_AND_KNIGHTS {
            snipers |= tables.reach(by.other(), Movement::Lance.index(), square) & self.class[1];
        }
        let mut blockers = G::Bits::NONE;
        let occupied = self.occupied();
        (snipers & self.side(by)).each(|sniper| {
            let between = self.between(square, Square(sniper)) & occupied;
            if !between.is_several() {
                blockers |= between;
            }
        });
        blockers & self.side(blocker)
    }

    /// The pieces of one class that belong to a side.
    #[inline(always)]
    pub(super) fn of(&self, movement: Movement, side: Side) -> G::Bits {
        self.class[movement.index() & 7] & self.side(side)
    }

    /// Whether the bishop or rook on a square is promoted.
    #[inline(always)]
    pub(super) fn is_crowned(&self, square: Square) -> bool {
        self.crowned.meets(G::bit(square))
    }

    /// The king's square, or [`Square::NONE`], where every table is empty.
    #[inline(always)]
    pub(super) fn king_slot(&self, side: Side) -> Square {
        self.kings[side.index()]
    }

    /// The squares next to `king` that `by` attacks, when the given squares are occupied; squares farther away may be
    /// among them or not.
    #[inline(always)]
    pub(super) fn attacked_around(&self, king: Square, by: Side, occupied: G::Bits) -> G::Bits {
        let tables = G::tables();
        let near = tables.near[king.slot()];
        let step = |movement: Movement, from: u8| tables.reach(by, movement.index(), Square(from));
        let mut attacked = forward::<G>(by, self.of(Movement::Pawn, by));
        (self.of(Movement::Silver, by) & near).each(|from| attacked |= step(Movement::Silver, from));
        (self.of(Movement::Gold, by) & near).each(|from| attacked |= step(Movement::Gold, from));
        ((self.class[7] | self.crowned) & self.side(by) & near).each(|from| attacked |= step(Movement::King, from));
        // Sliders that do not point at the king's neighbourhood are passed over by a look at a table.
        let around = tables.reach(by, Movement::King.index(), king);
        self.of(Movement::Bishop, by).each(|from| {
            if step(Movement::Bishop, from).meets(around) {
                attacked |= G::bishop(Square(from), occupied);
            }
        });
        self.of(Movement::Rook, by).each(|from| {
            if step(Movement::Rook, from).meets(around) {
                attacked |= G::rook(Square(from), occupied);
            }
        });
        if G::LANCES_AND_KNIGHTS {
            let knights = self.of(Movement::Knight, by);
            let (back, ahead) = match by {
                Side::First => (G::SIZE + 2, G::SIZE - 2),
                Side::Second => (G::SIZE - 2, G::SIZE + 2),
            };
            attacked |= knights >> u32::from(back) | knights << u32::from(ahead);
            (self.of(Movement::Lance, by) & tables.files_around[king.slot()])
                .each(|from| attacked |= G::lance(by, Square(from), occupied));
        }
        attacked
    }
}

/// The squares one step ahead of each of a side's pawns, which never stand on the last rank.
#[inline(always)]
pub(super) fn forward<G: Geometry>(side: Side, pawns: G::Bits) -> G::Bits {
    match side {
        Side::First => pawns >> 1,
        Side::Second => pawns << 1,
    }
}

#[inline(always)]
fn zobrist(code: u8, square: Square) -> u64 {
    ZOBRIST[usize::from(code & 31)][square.slot()]
}
