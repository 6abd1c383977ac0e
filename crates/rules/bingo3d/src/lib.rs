//! 3D-Bingo: cubes fall on 4x4 pegs, four high; four in a line, in any of 76 ways, wins.
//!
//! The game of the thesis "Game AI and Reinforcement Learning" (Tu, Wan, Chen). A move names a peg, `a1` to `d4`; a
//! position is written as the moves that led to it. A full board without a line is a tie.

mod encoder;
mod features;
mod lines;
mod position;
mod scene;

pub use encoder::{Paper, Planes};
pub use features::Lines;
pub use lines::Cells;
pub use position::{Bingo, Peg};

use lines::Tally;
use std::sync::Arc;
use tesuji_core::{
    Encoder, Encoders, Features, GameRules, Heuristics, MateHooks, ParseError, Position, Render, RuleBot, Rules, Scene,
    Side, Step, Stream, Style, game,
};

/// The game: rules without options.
#[derive(Clone, Copy, Debug)]
pub struct Bingo3d {
    rules: Rules,
}

impl Bingo3d {
    /// The game; both sets of rules are the same.
    pub fn new(rules: Rules) -> Bingo3d {
        Bingo3d { rules }
    }
}

/// What an open line with one, two and three cubes is worth.
const LINE_VALUES: [i32; 3] = [10, 40, 150];

impl GameRules for Bingo3d {
    type Position = Bingo;

    fn handle(&self) -> Arc<dyn tesuji_core::AnyGame> {
        Arc::new(*self)
    }

    fn name(&self) -> &'static str {
        "bingo3d"
    }

    fn title(&self) -> &'static str {
        "3D-Bingo: four in a line on 4x4 pegs, four high"
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

    fn start(&self) -> Bingo {
        Bingo::default()
    }

    fn parse_position(&self, text: &str) -> Result<Bingo, ParseError> {
        game::parse_moves(self.start(), text)
    }

    fn format_position(&self, position: &Bingo) -> String {
        let moves: Vec<String> = position.history().map(|peg| position.format_move(peg)).collect();
        if moves.is_empty() { "startpos".to_owned() } else { moves.join(" ") }
    }
}

impl Render for Bingo3d {
    fn render(&self, position: &Bingo, style: Style) -> String {
        let paint = |text: char, code: &str| {
            if style.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
        };
        let won = scene::winning_cubes(position);
        let mut text = String::from("   level 1    level 2    level 3    level 4\n");
        for rank in (0..4).rev() {
            text.push_str(&format!("{} ", rank + 1));
            for level in 0..4 {
                for file in 0..4 {
                    let cell = 16 * level + 4 * rank + file;
                    let (mark, code) = match position.owner(cell) {
                        Some(Side::First) => ('X', "31"),
                        Some(Side::Second) => ('O', "34"),
                        None => ('.', "2"),
                    };
                    // The line that won stands out without colours too.
                    let wins = won >> cell & 1 != 0;
                    text.push(if wins { '*' } else { ' ' });
                    let code = match () {
                        () if wins => "1;7;33",
                        () if position.last_cell() == Some(cell) => "1;33",
                        () => code,
                    };
                    text.push_str(&paint(mark, code));
                }
                text.push_str("   ");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text + "   a b c d    a b c d    a b c d    a b c d"
    }

    fn scene(&self, position: &Bingo) -> Scene {
        scene::scene(position)
    }

    fn steps(&self, position: &Bingo, mv: Peg, _moves: &[Peg]) -> Vec<Step> {
        scene::steps(position, mv)
    }
}

impl Heuristics for Bingo3d {
    fn heuristic(&self, position: &Bingo) -> i32 {
        // A line counts for a side as long as the opponent has no cube on it.
        let [first, second] = Side::BOTH.map(|side| Tally::of(position.cubes(side)));
        let worth = |open: [u32; 3]| -> i32 { LINE_VALUES.iter().zip(open).map(|(value, n)| value * n as i32).sum() };
        worth(first.open(&second)) - worth(second.open(&first))
    }
}

impl RuleBot for Bingo3d {
    fn bot_move(&self, position: &Bingo, moves: &[Peg], random: &mut Stream) -> Peg {
        // The paper's bot: unlike the general one, it does not mind which cell its move opens above it.
        let playable = position.playable();
        let mover = position.mover();
        for side in [mover, mover.other()] {
            let wins = lines::completions(position.cubes(side)) & playable;
            if wins != 0 {
                return Peg::of_cell(nth_cell(wins, random.below(wins.count_ones() as usize)));
            }
        }
        moves[random.below(moves.len())]
    }
}

impl MateHooks for Bingo3d {}

impl Encoders for Bingo3d {
    fn encoders(&self) -> Vec<Box<dyn Encoder<Bingo>>> {
        vec![Box::new(Planes), Box::new(Paper)]
    }

    fn features(&self) -> Vec<Box<dyn Features<Bingo>>> {
        vec![Box::new(Lines)]
    }
}

/// The `n`-th cell of a set, from 0.
fn nth_cell(mut cells: Cells, n: usize) -> usize {
    for _ in 0..n {
        cells &= cells - 1;
    }
    cells.trailing_zeros() as usize
}
