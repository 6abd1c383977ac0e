//! A slow generator that is plainly right: pseudo-moves by stepping over an array, legality by looking whether the
//! king could be taken, pawn-drop mate by trying every answer. The quick generator must agree with it everywhere.

use super::random_boards;
use tesuji_core::{MoveList, Side};
use tesuji_games::shogi::{Board, Five, Geometry, Kind, Move, Movement, Nine, Piece};

/// An array of pieces by (file, rank), and the hands.
#[derive(Clone)]
struct Plain {
    size: i32,
    zone: i32,
    cells: Vec<Option<Piece>>,
    hands: [[u32; 7]; 2],
    turn: Side,
}

/// The steps (file, rank) of a movement for the first player, and whether they are repeated.
fn steps(movement: Movement) -> Vec<(i32, i32, bool)> {
    let straight = [(0, -1), (0, 1), (-1, 0), (1, 0)];
    let diagonal = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
    let all = |steps: &[(i32, i32)], slides| steps.iter().map(|&(f, r)| (f, r, slides)).collect::<Vec<_>>();
    match movement {
        Movement::Pawn => all(&[(0, -1)], false),
        Movement::Lance => all(&[(0, -1)], true),
        Movement::Knight => all(&[(-1, -2), (1, -2)], false),
        Movement::Silver => [all(&diagonal, false), all(&[(0, -1)], false)].concat(),
        Movement::Gold => [all(&straight, false), all(&[(-1, -1), (1, -1)], false)].concat(),
        Movement::King => [all(&straight, false), all(&diagonal, false)].concat(),
        Movement::Bishop => all(&diagonal, true),
        Movement::Rook => all(&straight, true),
        Movement::Horse => [all(&diagonal, true), all(&straight, false)].concat(),
        Movement::Dragon => [all(&straight, true), all(&diagonal, false)].concat(),
    }
}

impl Plain {
    fn of<G: Geometry>(board: &Board<G>) -> Plain {
        Plain {
            size: i32::from(G::SIZE),
            zone: i32::from(G::ZONE_RANKS),
            cells: G::squares().map(|square| board.piece(square)).collect(),
            hands: Side::BOTH.map(|side| Kind::IN_HAND.map(|kind| board.hand(side).count(kind))),
            turn: board.turn(),
        }
    }

    /// The rank counted from the far edge as the side sees it.
    fn ahead(&self, side: Side, square: usize) -> i32 {
        let rank = square as i32 % self.size;
        if side == Side::First { rank } else { self.size - 1 - rank }
    }

    fn may_stay(&self, piece: Piece, square: usize) -> bool {
        match piece.kind {
            Kind::Pawn | Kind::Lance => self.ahead(piece.side, square) >= 1,
            Kind::Knight => self.ahead(piece.side, square) >= 2,
            _ => true,
        }
    }

    /// The squares that the piece on a square attacks.
    fn attacks(&self, from: usize) -> Vec<usize> {
        let Some(piece) = self.cells[from] else { return Vec::new() };
        let turn = if piece.side == Side::First { 1 } else { -1 };
        let mut found = Vec::new();
        for (file_step, rank_step, slides) in steps(piece.kind.movement()) {
            let (mut file, mut rank) = (from as i32 / self.size, from as i32 % self.size);
            loop {
                file += turn * file_step;
                rank += turn * rank_step;
                if !(0..self.size).contains(&file) || !(0..self.size).contains(&rank) {
                    break;
                }
                let to = (file * self.size + rank) as usize;
                found.push(to);
                if !slides || self.cells[to].is_some() {
                    break;
                }
            }
        }
        found
    }

    fn is_attacked(&self, square: usize, by: Side) -> bool {
        (0..self.cells.len())
            .any(|from| self.cells[from].is_some_and(|piece| piece.side == by) && self.attacks(from).contains(&square))
    }

    fn in_check(&self, side: Side) -> bool {
        let king = self.cells.iter().position(|&piece| piece == Some(Piece::new(side, Kind::King)));
        king.is_some_and(|king| self.is_attacked(king, side.other()))
    }

    fn play(&self, (from, to, promote, dropped): Step) -> Plain {
        let mut next = self.clone();
        let hand = &mut next.hands[self.turn.index()];
        if let Some(kind) = dropped {
            hand[kind.index()] -= 1;
            next.cells[to] = Some(Piece::new(self.turn, kind));
        } else {
            let mut piece = next.cells[from].take().unwrap();
            if let Some(captured) = next.cells[to] {
                hand[captured.kind.base().index()] += 1;
            }
            if promote {
                piece.kind = piece.kind.promoted().unwrap();
            }
            next.cells[to] = Some(piece);
        }
        next.turn = self.turn.other();
        next
    }

    fn pseudo_moves(&self) -> Vec<Step> {
        let mut found = Vec::new();
        for from in 0..self.cells.len() {
            let Some(piece) = self.cells[from].filter(|piece| piece.side == self.turn) else { continue };
            for to in self.attacks(from) {
                if self.cells[to].is_some_and(|other| other.side == self.turn) {
                    continue;
                }
                let in_zone = |square| self.ahead(self.turn, square) < self.zone;
                if piece.kind.promoted().is_some() && (in_zone(from) || in_zone(to)) {
                    found.push((from, to, true, None));
                }
                if self.may_stay(piece, to) {
                    found.push((from, to, false, None));
                }
            }
        }
        for kind in Kind::IN_HAND.into_iter().filter(|kind| self.hands[self.turn.index()][kind.index()] > 0) {
            for to in (0..self.cells.len()).filter(|&to| self.cells[to].is_none()) {
                let piece = Piece::new(self.turn, kind);
                let size = self.size as usize;
                let file = to / size * size..(to / size + 1) * size;
                let second_pawn = kind == Kind::Pawn && self.cells[file].contains(&Some(piece));
                if self.may_stay(piece, to) && !second_pawn {
                    found.push((0, to, false, Some(kind)));
                }
            }
        }
        found
    }

    fn legal_moves(&self) -> Vec<Step> {
        let legal = |&step: &Step| {
            let next = self.play(step);
            let mates = || next.in_check(next.turn) && next.legal_moves().is_empty();
            !(next.in_check(self.turn) || step.3 == Some(Kind::Pawn) && mates())
        };
        self.pseudo_moves().into_iter().filter(legal).collect()
    }
}

/// From, to, promotion, dropped kind.
type Step = (usize, usize, bool, Option<Kind>);

fn to_move<G: Geometry>((from, to, promote, dropped): Step) -> Move {
    let square = |index: usize| G::squares().nth(index).unwrap();
    match dropped {
        Some(kind) => Move::drop(kind, square(to)),
        None => Move::new(square(from), square(to), promote),
    }
}

/// Compares everything that the board says about its moves with the slow generator.
fn compare<G: Geometry>(board: &Board<G>) {
    let sfen = || tesuji_games::shogi::Setup::of(board, 1).to_string();
    let plain = Plain::of(board);
    let sorted = |mut moves: MoveList<Move>| {
        moves.sort_unstable();
        moves
    };
    let steps = plain.legal_moves();
    let legal = sorted(steps.iter().map(|&step| to_move::<G>(step)).collect());
    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    assert_eq!(sorted(moves), legal, "legal moves of {}", sfen());
    assert_eq!(board.count_moves(), legal.len(), "count of {}", sfen());
    assert_eq!(board.has_moves(), !legal.is_empty(), "any move of {}", sfen());
    assert_eq!(board.in_check(), plain.in_check(plain.turn), "check in {}", sfen());
    assert!(legal.iter().all(|&mv| board.is_legal(mv)), "legality in {}", sfen());

    let after = |step: &Step| plain.play(*step);
    let checking: Vec<&Step> = steps.iter().filter(|step| after(step).in_check(plain.turn.other())).collect();
    let mut checks = MoveList::new();
    board.checks(&mut checks);
    let expected = sorted(checking.iter().map(|step| to_move::<G>(**step)).collect());
    assert_eq!(sorted(checks), expected, "checks of {}", sfen());

    let mates: Vec<Move> =
        checking.iter().filter(|step| after(step).legal_moves().is_empty()).map(|step| to_move::<G>(**step)).collect();
    match board.mate_in_one() {
        Some(mv) => assert!(mates.contains(&mv), "{mv:?} is no mate in {}", sfen()),
        None => assert!(mates.is_empty(), "mate overlooked in {}", sfen()),
    }
}

#[test]
fn shogi_agrees_with_the_slow_generator() {
    random_boards::<Nine>(6, 200, compare);
}

#[test]
fn minishogi_agrees_with_the_slow_generator() {
    random_boards::<Five>(60, 100, compare);
}

#[test]
fn mate_problems_without_the_attackers_king_agree_too() {
    // The slow generator does not ask for kings either.
    let problem = "2k1s1B2/S3+P4/2p1R2p1/2gprpp2/Lb1S5/2N3P2/2PPP4/9/L8 b L3gs3nl8p 1";
    let setup: tesuji_games::shogi::Setup<Nine> = problem.parse().unwrap();
    assert!(setup.board().is_err());
    let board = setup.mate_problem().unwrap();
    compare(&board);
    let mut checks = MoveList::new();
    board.checks(&mut checks);
    for mv in checks {
        let mut next = board;
        next.play(mv);
        assert!(next.in_check());
        compare(&next);
    }
}
