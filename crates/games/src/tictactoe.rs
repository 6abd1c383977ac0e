//! Tic-tac-toe, the tutorial game: `docs/adding-a-game.md` walks through this file.

use std::sync::Arc;
use tesuji_core::features::LineInputs;
use tesuji_core::scene::{self, Look, MarkKind, downward, letters};
use tesuji_core::{
    Encoder, Encoders, Features, GameRules, Heuristics, MateHooks, Move, MoveError, MoveList, Outcome, ParseError,
    Position, Render, RuleBot, Rules, Scene, Shape, Side, Step, Style, game, random,
};

/// The eight lines of three, as sets of squares (bit 0 is a1, bit 1 is b1, bit 8 is c3).
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// All nine squares.
const FULL: u16 = 0o777;

/// The game: rules without options.
#[derive(Clone, Copy, Debug)]
pub struct TicTacToe {
    rules: Rules,
}

impl TicTacToe {
    /// The game; both sets of rules are the same.
    pub fn new(rules: Rules) -> TicTacToe {
        TicTacToe { rules }
    }
}

/// A move: the square to mark, 0..9, counted from a1 along the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(u8);

impl Mark {
    /// The square, 0..9.
    pub fn square(self) -> usize {
        usize::from(self.0)
    }
}

impl Move for Mark {
    fn to_bits(self) -> u32 {
        u32::from(self.0)
    }

    fn from_bits(bits: u32) -> Option<Mark> {
        (bits < 9).then_some(Mark(bits as u8))
    }
}

/// A board: the squares of each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Board {
    marks: [u16; 2],
}

impl Board {
    fn occupied(&self) -> u16 {
        self.marks[0] | self.marks[1]
    }

    fn has_line(&self, side: Side) -> bool {
        LINES.iter().any(|&line| self.marks[side.index()] & line == line)
    }
}

impl Position for Board {
    type Move = Mark;

    fn mover(&self) -> Side {
        if self.ply().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn movements(&self, out: &mut MoveList<Mark>) {
        out.clear();
        if self.outcome().is_none() {
            out.extend((0..9).filter(|square| self.occupied() & (1 << square) == 0).map(Mark));
        }
    }

    fn play(&mut self, mv: Mark) {
        self.marks[self.mover().index()] |= 1 << mv.0;
    }

    fn outcome(&self) -> Option<Outcome> {
        // Only the side that has just moved can have completed a line.
        let last = self.mover().other();
        if self.has_line(last) {
            Some(Outcome::Win(last))
        } else if self.occupied() == FULL {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    fn ending(&self) -> &'static str {
        match self.outcome() {
            Some(Outcome::Win(_)) => "three in a row",
            Some(Outcome::Draw) => "full board",
            None => "",
        }
    }

    fn key(&self) -> u64 {
        random::mix(u64::from(self.marks[0]) | u64::from(self.marks[1]) << 16)
    }

    fn ply(&self) -> u32 {
        self.occupied().count_ones()
    }

    fn format_move(&self, mv: Mark) -> String {
        format!("{}{}", char::from(b'a' + mv.0 % 3), mv.0 / 3 + 1)
    }

    fn parse_move(&self, text: &str) -> Result<Mark, MoveError> {
        let [file @ b'a'..=b'c', rank @ b'1'..=b'3'] = text.as_bytes() else {
            return Err(MoveError::malformed(text, "expected a square from a1 to c3"));
        };
        let mv = Mark((rank - b'1') * 3 + (file - b'a'));
        if self.is_legal(mv) { Ok(mv) } else { Err(MoveError::illegal(text)) }
    }

    fn symmetries(&self) -> usize {
        8
    }

    fn transform(&self, symmetry: usize) -> Board {
        let moved = |marks: u16| {
            (0..9).filter(|square| marks & (1 << square) != 0).map(|square| 1 << symmetric(symmetry, square)).sum()
        };
        Board { marks: self.marks.map(moved) }
    }

    fn transform_move(&self, symmetry: usize, mv: Mark) -> Mark {
        Mark(symmetric(symmetry, mv.0))
    }
}

/// The square that a symmetry of the board moves `square` to: bit 0 mirrors the files, bit 1 the ranks, bit 2 swaps
/// files and ranks.
fn symmetric(symmetry: usize, square: u8) -> u8 {
    let (mut file, mut rank) = (square % 3, square / 3);
    if symmetry & 1 != 0 {
        file = 2 - file;
    }
    if symmetry & 2 != 0 {
        rank = 2 - rank;
    }
    if symmetry & 4 != 0 {
        (file, rank) = (rank, file);
    }
    rank * 3 + file
}

impl GameRules for TicTacToe {
    type Position = Board;

    fn handle(&self) -> Arc<dyn tesuji_core::AnyGame> {
        Arc::new(*self)
    }

    fn name(&self) -> &'static str {
        "tictactoe"
    }

    fn title(&self) -> &'static str {
        "Tic-tac-toe, the tutorial game"
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "X",
            Side::Second => "O",
        }
    }

    fn start(&self) -> Board {
        Board::default()
    }

    fn parse_position(&self, text: &str) -> Result<Board, ParseError> {
        game::parse_moves(self.start(), text)
    }

    fn format_position(&self, position: &Board) -> String {
        // Any order of the moves that keeps the turns gives the same board, but it must not complete a line early: the
        // winner's last move is a square that all of its lines share.
        let line = Side::BOTH.map(|side| {
            let marks = position.marks[side.index()];
            let shared = LINES.iter().filter(|&&line| marks & line == line).fold(FULL, |shared, line| shared & line);
            let mut squares: Vec<u8> = (0..9).filter(|square| marks & (1 << square) != 0).collect();
            squares.sort_by_key(|square| shared & (1 << square) != 0);
            squares
        });
        let mut texts = Vec::new();
        for turn in 0..position.ply() as usize {
            texts.push(position.format_move(Mark(line[turn % 2][turn / 2])));
        }
        if texts.is_empty() { "startpos".to_owned() } else { texts.join(" ") }
    }
}

impl Render for TicTacToe {
    fn render(&self, position: &Board, style: Style) -> String {
        let mut text = String::new();
        for rank in (0..3).rev() {
            text.push_str(&format!("{} ", rank + 1));
            for file in 0..3 {
                let square = 1 << (rank * 3 + file);
                let (mark, color) = match () {
                    () if position.marks[0] & square != 0 => ('X', "31"),
                    () if position.marks[1] & square != 0 => ('O', "34"),
                    () => ('.', "2"),
                };
                text.push(' ');
                if style.color {
                    text.push_str(&format!("\x1b[{color}m{mark}\x1b[0m"));
                } else {
                    text.push(mark);
                }
            }
            text.push('\n');
        }
        text + "   a b c"
    }

    fn scene(&self, position: &Board) -> Scene {
        let name = |square: usize| format!("{}{}", char::from(b'a' + (square % 3) as u8), square / 3 + 1);
        let paper = scene::Board::plain("board", Look::Paper, letters(3), downward(3), |column, row| {
            name(3 * (2 - row) + column)
        });
        let mut scene = Scene::of(vec![paper]);
        for side in Side::BOTH {
            let (marks, text) = (position.marks[side.index()], ["X", "O"][side.index()]);
            let squares = |set: u16| (0..9).filter(move |square| set & (1 << square) != 0).map(name);
            scene.pieces.extend(squares(marks).map(|cell| scene::Piece::new(cell, side.index(), "mark", text)));
            let lines = LINES.iter().filter(|&&line| marks & line == line).fold(0, |all, line| all | line);
            if lines != 0 {
                scene.marks.push(scene::Mark { kind: MarkKind::Line, cells: squares(lines).collect() });
            }
        }
        scene
    }

    fn steps(&self, position: &Board, mv: Mark, _moves: &[Mark]) -> Vec<Step> {
        vec![Step::cell(position.format_move(mv))]
    }
}

impl Heuristics for TicTacToe {
    fn heuristic(&self, position: &Board) -> i32 {
        // Lines still open to each side.
        let open = |side: Side| LINES.iter().filter(|&&line| position.marks[side.other().index()] & line == 0).count();
        100 * (open(Side::First) as i32 - open(Side::Second) as i32)
    }
}

impl RuleBot for TicTacToe {}

impl MateHooks for TicTacToe {}

impl Encoders for TicTacToe {
    fn encoders(&self) -> Vec<Box<dyn Encoder<Board>>> {
        vec![Box::new(Planes)]
    }

    fn features(&self) -> Vec<Box<dyn Features<Board>>> {
        vec![Box::new(Lines)]
    }
}

/// Two planes, the mover's marks and the opponent's; the policy is the square.
#[derive(Clone, Copy, Debug)]
pub struct Planes;

impl Encoder<Board> for Planes {
    fn name(&self) -> &'static str {
        "planes"
    }

    fn shape(&self) -> Shape {
        Shape { planes: 2, height: 3, width: 3 }
    }

    fn policy_len(&self) -> usize {
        9
    }

    fn policy_planes(&self) -> Option<usize> {
        Some(1)
    }

    fn encode(&self, position: &Board, _view: usize, out: &mut [f32]) {
        let mover = position.mover();
        for (side, plane) in [mover, mover.other()].into_iter().zip(out.chunks_exact_mut(9)) {
            for (square, cell) in plane.iter_mut().enumerate() {
                *cell = f32::from(position.marks[side.index()] >> square & 1);
            }
        }
    }

    fn index(&self, _position: &Board, mv: Mark) -> (usize, usize) {
        (0, mv.square())
    }
}

/// Marks, open lines and the squares that would complete one, as [`LineInputs`] has them: for integer networks.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

const INPUTS: LineInputs =
    LineInputs { cells: 9, squares: 9, lines: &[0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124], length: 3 };

impl Features<Board> for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn inputs(&self) -> usize {
        INPUTS.inputs()
    }

    fn most_active(&self) -> usize {
        INPUTS.most_active()
    }

    fn active(&self, position: &Board, side: Side, out: &mut Vec<u32>) {
        let [own, other] = [side, side.other()].map(|side| u64::from(position.marks[side.index()]));
        INPUTS.active(own, other, u64::from(FULL & !position.occupied()), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::perft::{divide, perft, perft_playing};
    use tesuji_core::{GameRecord, Stream};

    fn board(moves: &str) -> Board {
        game::parse_line(&TicTacToe::new(Rules::Official), moves).unwrap()
    }

    #[test]
    fn perft_is_the_known_one() {
        let start = board("startpos");
        let counts: Vec<u64> = (0..=9).map(|depth| perft(&start, depth)).collect();
        assert_eq!(counts, [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]);
        assert_eq!(perft_playing(&start, 7), 148_176);
        assert_eq!(divide(&start, 7).iter().map(|(_, nodes)| nodes).sum::<u64>(), 148_176);
    }

    #[test]
    fn the_bot_wins_then_blocks() {
        let tictactoe = TicTacToe::new(Rules::Official);
        for (moves, expected) in [("a1 b2 a2 c3", "a3"), ("a1 b2 c3 b3", "b1")] {
            let position = board(moves);
            let mut legal = MoveList::new();
            position.moves(&mut legal);
            for index in 0..20 {
                let chosen = tictactoe.bot_move(&position, &legal, &mut Stream::new(1, "bot", index));
                assert_eq!(position.format_move(chosen), expected, "after {moves}");
            }
        }
    }

    #[test]
    fn lines_name_the_bad_move() {
        let tictactoe = TicTacToe::new(Rules::Official);
        assert_eq!(board("startpos moves a1 b2"), board("a1 moves b2"));
        for (line, number) in [("a1 a1", "move 2"), ("startpos moves a1 b2 d9", "move 3"), ("x", "move 1")] {
            let error = game::parse_line(&tictactoe, line).unwrap_err().to_string();
            assert!(error.contains(number), "{line:?}: {error}");
        }
    }

    #[test]
    fn records_refuse_moves_that_were_not_legal() {
        let mut record = GameRecord::new("tictactoe", Rules::Official, 1, "startpos");
        record.push(Mark(4));
        record.push(Mark(4));
        let error = record.replay(Board::default(), |_, _, _| ()).unwrap_err();
        assert!(error.to_string().contains("move 2"), "{error}");
        record.moves.truncate(1);
        assert_eq!(record.replay(Board::default(), |_, _, _| ()), Ok(board("b2")));
    }
}
