//! Connect four: discs fall into seven columns, six high; four in a row wins.
//!
//! A move names its column, `a` to `g`; the numbers `1` to `7` and squares such as `d1`, if the disc comes to lie there,
//! are read as well. A position is written as the moves that led to it: `d d c`. A full board without four in a row is
//! a draw. The game is solved: the first player wins, and only by beginning in the centre.

mod board;
mod encoder;
mod features;
mod scene;
pub mod solver;

pub use board::{Board, Column};
pub use encoder::Planes;
pub use features::Lines;

use std::sync::Arc;
use tesuji_core::{
    Encoder, Encoders, Features, GameRules, Heuristics, MateHooks, ParseError, Position, Render, RuleBot, Rules, Scene,
    Side, Step, Style, game,
};

/// The game: rules without options.
#[derive(Clone, Copy, Debug)]
pub struct Connect4 {
    rules: Rules,
}

impl Connect4 {
    /// The game; both sets of rules are the same.
    pub fn new(rules: Rules) -> Connect4 {
        Connect4 { rules }
    }
}

/// What two and three discs in a row that can still become four are worth.
const ROW_VALUES: [i32; 2] = [10, 50];

impl GameRules for Connect4 {
    type Position = Board;

    fn handle(&self) -> Arc<dyn tesuji_core::AnyGame> {
        Arc::new(*self)
    }

    fn name(&self) -> &'static str {
        "connect4"
    }

    fn title(&self) -> &'static str {
        "Connect four on six rows and seven columns"
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
        let moves: Vec<String> = position.history().map(|column| position.format_move(column)).collect();
        if moves.is_empty() { "startpos".to_owned() } else { moves.join(" ") }
    }
}

impl Render for Connect4 {
    fn render(&self, position: &Board, style: Style) -> String {
        let won = scene::winning_discs(position);
        let mut text = String::new();
        for row in (0..board::ROWS).rev() {
            text.push_str(&format!("{} ", row + 1));
            for column in 0..board::COLUMNS {
                let (disc, color) = match position.owner(column, row) {
                    Some(Side::First) => ('X', "31"),
                    Some(Side::Second) => ('O', "33"),
                    None => ('.', "2"),
                };
                // The row that won stands out without colours too.
                let wins = won >> (column * board::STRIDE + row) & 1 != 0;
                text.push(if wins { '*' } else { ' ' });
                let color = if wins { "1;7;33" } else { color };
                if style.color {
                    text.push_str(&format!("\x1b[{color}m{disc}\x1b[0m"));
                } else {
                    text.push(disc);
                }
            }
            text.push('\n');
        }
        text + "   a b c d e f g"
    }

    fn scene(&self, position: &Board) -> Scene {
        scene::scene(position)
    }

    fn steps(&self, position: &Board, mv: Column, _moves: &[Column]) -> Vec<Step> {
        scene::steps(position, mv)
    }
}

impl Heuristics for Connect4 {
    fn heuristic(&self, position: &Board) -> i32 {
        let worth = |side| -> i32 { ROW_VALUES.iter().zip(position.open_rows(side)).map(|(v, n)| v * n as i32).sum() };
        worth(Side::First) - worth(Side::Second)
    }
}

impl RuleBot for Connect4 {}

impl MateHooks for Connect4 {}

impl Encoders for Connect4 {
    fn encoders(&self) -> Vec<Box<dyn Encoder<Board>>> {
        vec![Box::new(Planes)]
    }

    fn features(&self) -> Vec<Box<dyn Features<Board>>> {
        vec![Box::new(Lines)]
    }
}
