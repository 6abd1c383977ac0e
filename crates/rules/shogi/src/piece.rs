//! Pieces and how they move.

use tesuji_core::Side;

/// A kind of piece. The number of a promoted kind is that of its base plus 8; the first seven can be in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// 歩
    Pawn,
    /// 香
    Lance,
    /// 桂
    Knight,
    /// 銀
    Silver,
    /// 角
    Bishop,
    /// 飛
    Rook,
    /// 金
    Gold,
    /// 玉
    King,
    /// と: moves like a gold.
    ProPawn,
    /// 杏: moves like a gold.
    ProLance,
    /// 圭: moves like a gold.
    ProKnight,
    /// 全: moves like a gold.
    ProSilver,
    /// 馬: moves like a bishop or a king.
    Horse,
    /// 龍: moves like a rook or a king.
    Dragon,
}

impl Kind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Kind; 14] = [
        Kind::Pawn,
        Kind::Lance,
        Kind::Knight,
        Kind::Silver,
        Kind::Bishop,
        Kind::Rook,
        Kind::Gold,
        Kind::King,
        Kind::ProPawn,
        Kind::ProLance,
        Kind::ProKnight,
        Kind::ProSilver,
        Kind::Horse,
        Kind::Dragon,
    ];

    /// The kinds that can be in hand, in the order of their numbers.
    pub const IN_HAND: [Kind; 7] =
        [Kind::Pawn, Kind::Lance, Kind::Knight, Kind::Silver, Kind::Bishop, Kind::Rook, Kind::Gold];

    /// The number, 0..14: for indexing tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind with this number.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Kind> {
        if index < 14 { Some(Kind::ALL[index]) } else { None }
    }

    /// Whether the piece has been promoted.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 >= 8
    }

    /// The unpromoted kind: what the piece becomes in the hand of its captor.
    #[inline]
    pub const fn base(self) -> Kind {
        Kind::ALL[self as usize & 7]
    }

    /// The kind it promotes to, or `None` of gold, king and promoted pieces.
    #[inline]
    pub const fn promoted(self) -> Option<Kind> {
        if (self as u8) < Kind::Gold as u8 { Some(Kind::ALL[self as usize + 8]) } else { None }
    }

    /// How the piece moves.
    #[inline]
    pub const fn movement(self) -> Movement {
        match self {
            Kind::Pawn => Movement::Pawn,
            Kind::Lance => Movement::Lance,
            Kind::Knight => Movement::Knight,
            Kind::Silver => Movement::Silver,
            Kind::Bishop => Movement::Bishop,
            Kind::Rook => Movement::Rook,
            Kind::King => Movement::King,
            Kind::Horse => Movement::Horse,
            Kind::Dragon => Movement::Dragon,
            Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => Movement::Gold,
        }
    }

    /// The letter of the unpromoted kind, upper case, as SFEN writes it.
    pub const fn letter(self) -> char {
        ['P', 'L', 'N', 'S', 'B', 'R', 'G', 'K'][self as usize & 7]
    }

    /// The unpromoted kind with this upper-case letter.
    pub fn from_letter(letter: char) -> Option<Kind> {
        Kind::ALL[..8].iter().copied().find(|kind| kind.letter() == letter)
    }
}

/// A way of moving: kinds that move alike share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Movement {
    /// One step forward.
    Pawn,
    /// Any distance forward.
    Lance,
    /// Jumps two forward and one aside.
    Knight,
    /// One step forward or diagonally.
    Silver,
    /// Any distance diagonally.
    Bishop,
    /// Any distance straight.
    Rook,
    /// One step straight or diagonally forward; also promoted pawns, lances, knights and silvers.
    Gold,
    /// One step in any direction.
    King,
    /// Bishop or king.
    Horse,
    /// Rook or king.
    Dragon,
}

impl Movement {
    /// Every movement, in the order of their numbers.
    pub const ALL: [Movement; 10] = [
        Movement::Pawn,
        Movement::Lance,
        Movement::Knight,
        Movement::Silver,
        Movement::Bishop,
        Movement::Rook,
        Movement::Gold,
        Movement::King,
        Movement::Horse,
        Movement::Dragon,
    ];

    /// The number, 0..10: for indexing tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A piece of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Whose it is.
    pub side: Side,
    /// What it is.
    pub kind: Kind,
}

impl Piece {
    /// A piece.
    pub const fn new(side: Side, kind: Kind) -> Piece {
        Piece { side, kind }
    }

    /// The piece as SFEN writes it: `P` of the first player, `+p` of the second and promoted.
    pub fn sfen(self) -> String {
        let letter = match self.side {
            Side::First => self.kind.letter(),
            Side::Second => self.kind.letter().to_ascii_lowercase(),
        };
        if self.kind.is_promoted() { format!("+{letter}") } else { letter.to_string() }
    }

    /// The piece as a byte of the board array.
    #[inline(always)]
    pub(super) const fn code(self) -> u8 {
        (self.side as u8) << 4 | self.kind as u8
    }

    /// The piece behind a byte of the board array, or `None` of an empty square.
    #[inline(always)]
    pub(super) const fn from_code(code: u8) -> Option<Piece> {
        match Kind::from_index((code & 15) as usize) {
            Some(kind) => {
                let side = if code & 16 == 0 { Side::First } else { Side::Second };
                Some(Piece { side, kind })
            }
            None => None,
        }
    }
}

/// The byte of an empty square in the board array: no kind has the number 15.
pub(super) const EMPTY: u8 = 15;
