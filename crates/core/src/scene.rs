//! A position as something to look at and to touch: what a page or a window draws without knowing a rule.
//!
//! A [`Scene`] is boards with cells, pieces on them, hands beside them and marks. A [`Gesture`] is a legal move as the steps
//! in which a person makes it: cells, a piece in hand, a choice. Whoever shows the scene offers, at each moment, the next
//! steps of the moves whose first steps have been made already, and nothing else.

use serde::Serialize;

/// How several boards belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Side by side; most games have one board.
    Flat,
    /// One above the other, the first at the bottom.
    Levels,
}

/// What a board looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// Light and dark squares.
    Checkered,
    /// Lines on wood.
    Wood,
    /// Lines on paper.
    Paper,
    /// Columns that discs fall into.
    Rack,
    /// Terrain.
    Map,
}

/// A cell of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The name, unique over all boards of a scene.
    pub id: String,
    /// The column, from 0 at the left as the first player sees it.
    pub column: usize,
    /// The row, from 0 at the top as the first player sees it.
    pub row: usize,
    /// What it is made of, where that matters.
    pub terrain: Option<&'static str>,
}

/// A board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Board {
    /// The name, unique in its scene.
    pub id: String,
    /// What to write above it, if there are several.
    pub title: Option<String>,
    /// How many columns.
    pub columns: usize,
    /// How many rows.
    pub rows: usize,
    /// What the columns are called, from the left.
    pub column_labels: Vec<String>,
    /// What the rows are called, from the top.
    pub row_labels: Vec<String>,
    /// What it looks like.
    pub style: Look,
    /// Its cells, row by row.
    pub cells: Vec<Cell>,
}

impl Board {
    /// A board all of whose cells are plain; `name` gives the id of the cell at a column and row.
    pub fn plain(
        id: &str,
        style: Look,
        columns: Vec<String>,
        rows: Vec<String>,
        name: impl Fn(usize, usize) -> String,
    ) -> Board {
        let places = (0..rows.len()).flat_map(|row| (0..columns.len()).map(move |column| (column, row)));
        let cells = places.map(|(column, row)| Cell { id: name(column, row), column, row, terrain: None }).collect();
        Board {
            id: id.to_owned(),
            title: None,
            columns: columns.len(),
            rows: rows.len(),
            column_labels: columns,
            row_labels: rows,
            style,
            cells,
        }
    }
}

/// A piece on a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The id of its cell.
    pub cell: String,
    /// 0 for the first player, 1 for the second; none for what belongs to nobody.
    pub owner: Option<usize>,
    /// What it is: `pawn`, `disc`, `infantry`.
    pub kind: &'static str,
    /// Whether it has been promoted.
    pub promoted: bool,
    /// What to write on it where there is no picture of it.
    pub text: String,
    /// Its strength, where pieces have one.
    pub hp: Option<u8>,
    /// Whether it can do nothing more in this turn.
    pub spent: bool,
}

impl Piece {
    /// A piece that is only of a kind.
    pub fn new(cell: String, owner: usize, kind: &'static str, text: impl Into<String>) -> Piece {
        Piece { cell, owner: Some(owner), kind, promoted: false, text: text.into(), hp: None, spent: false }
    }
}

/// How many pieces of a kind are in hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InHand {
    /// What they are.
    pub kind: &'static str,
    /// What to write on them where there is no picture of them.
    pub text: String,
    /// How many there are.
    pub count: u32,
}

/// A player's pieces beside the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hand {
    /// 0 for the first player, 1 for the second.
    pub owner: usize,
    /// The pieces.
    pub pieces: Vec<InHand>,
}

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// A king in check.
    Check,
    /// The line that won.
    Line,
    /// What the opponent could do next.
    Threat,
}

/// Cells that stand out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// What it says.
    pub kind: MarkKind,
    /// The ids of the cells.
    pub cells: Vec<String>,
}

/// A position to be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scene {
    /// How the boards belong together.
    pub layout: Layout,
    /// The boards.
    pub boards: Vec<Board>,
    /// The pieces on them.
    pub pieces: Vec<Piece>,
    /// The pieces beside them; empty in games without hands.
    pub hands: Vec<Hand>,
    /// The cells of the last move; set by whoever knows it.
    pub last: Vec<String>,
    /// Cells that stand out.
    pub marks: Vec<Mark>,
    /// 0 if the first player is to move, 1 if the second; none once the game is over.
    pub to_move: Option<usize>,
    /// What the players are called.
    pub sides: [String; 2],
    /// What else people want to know, a line each.
    pub notes: Vec<String>,
}

impl Scene {
    /// Boards without anything on them. The players and the side to move are filled in by the handle of the game.
    pub fn of(boards: Vec<Board>) -> Scene {
        Scene {
            layout: Layout::Flat,
            boards,
            pieces: Vec::new(),
            hands: Vec::new(),
            last: Vec::new(),
            marks: Vec::new(),
            to_move: None,
            sides: [String::new(), String::new()],
            notes: Vec::new(),
        }
    }
}

/// What a person does at one moment of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Touch {
    /// Points at a cell, by its id.
    Cell(String),
    /// Takes a piece of this kind from the mover's hand.
    Hand(&'static str),
    /// Chooses between words: `promote` or `keep`, `queen`, `end turn`.
    Choice(&'static str),
}

/// A step of a gesture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What is done.
    #[serde(flatten)]
    pub touch: Touch,
    /// What will come of it, where that can be told: `-4 / -2 HP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<String>,
}

impl Step {
    /// Points at a cell.
    pub fn cell(id: impl Into<String>) -> Step {
        Step { touch: Touch::Cell(id.into()), forecast: None }
    }

    /// Takes a piece from the hand.
    pub fn hand(kind: &'static str) -> Step {
        Step { touch: Touch::Hand(kind), forecast: None }
    }

    /// Chooses a word.
    pub fn choice(word: &'static str) -> Step {
        Step { touch: Touch::Choice(word), forecast: None }
    }
}

/// A legal move as a person makes it. No gesture of a position begins with all the steps of another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gesture {
    /// The move in the notation that every part of the program reads.
    #[serde(rename = "move")]
    pub text: String,
    /// The move as people write it.
    pub notation: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A word with a capital letter in front, as names of players are shown.
pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The labels `a`, `b`, ... of so many columns.
pub fn letters(count: usize) -> Vec<String> {
    (0..count).map(|number| char::from(b'a' + number as u8).to_string()).collect()
}

/// The labels of so many rows from the top, counted from the bottom: `8`, `7`, ... `1`.
pub fn downward(count: usize) -> Vec<String> {
    (1..=count).rev().map(|number| number.to_string()).collect()
}
