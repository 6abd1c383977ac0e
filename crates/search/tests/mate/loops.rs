//! Mates of any length where checks can go round in circles, against the whole graph of positions.
//!
//! A failure by repetition holds for the path on which it was met; a solver that remembers it for the position gives
//! wrong answers here (graph-history interaction).

use super::everything::mates_in_graph;
use tesuji_core::{Game, MateBoard, MateVisitor, Move, MoveList, Rules, Side, Stream};
use tesuji_games::chess::Chess;
use tesuji_games::shogi::Minishogi;
use tesuji_search::mate::{Answer, Limits, Solver};

/// Boards of more positions than this are left out.
const MOST: usize = 5_000;
/// Random graphs to try.
const GRAPHS: u64 = 5_000;

/// Compares a comfortable and a tiny table with the graph, if that is small enough.
struct Compare<'a> {
    solvers: &'a mut [Solver; 2],
    text: &'a str,
}

impl MateVisitor for Compare<'_> {
    type Output = Option<bool>;

    fn visit<B: MateBoard>(self, board: &B) -> Option<bool> {
        let expected = mates_in_graph(board, MOST)?;
        let [large, tiny] = self.solvers;
        // With a table of a few positions a search may never end; but it must not err.
        for (solver, nodes, may_fail) in [(large, 2_000_000, false), (tiny, 20_000, true)] {
            let (answer, nodes) = solver.solve(board, &Limits { nodes: Some(nodes), ..Limits::default() });
            let is_right = match answer {
                Answer::Mate(_) => expected,
                Answer::NoMate => !expected,
                Answer::Unknown => may_fail,
            };
            assert!(is_right, "{}: {answer:?} after {nodes}, mate in the graph: {expected}", self.text);
        }
        Some(expected)
    }
}

/// A board with the first `home` pieces in the corner of three by three squares, the others anywhere, rows from the top.
fn random_board(random: &mut Stream, size: usize, home: usize, pieces: &[&str]) -> String {
    let mut squares = vec![""; size * size];
    for (place, piece) in pieces.iter().enumerate() {
        let side = if place < home { 3 } else { size };
        let is_free = |&square: &usize| squares[square].is_empty() && square % size < side && square / size < side;
        let free: Vec<usize> = (0..squares.len()).filter(is_free).collect();
        squares[free[random.below(free.len())]] = piece;
    }
    let row = |row: &[&str]| row.iter().map(|&piece| if piece.is_empty() { "1" } else { piece }).collect::<String>();
    squares.chunks(size).map(row).collect::<Vec<_>>().join("/")
}

/// Compares on random positions made by `make`; returns how many were mates and how many were not.
fn compare<G: Game>(game: &G, name: &str, count: u64, make: impl Fn(&mut Stream) -> String) -> (u32, u32) {
    let mut solvers = [1 << 20, 2 << 10].map(|bytes| Solver::new("dfpn".parse().unwrap(), bytes));
    let (mut mates, mut others) = (0, 0);
    for index in 0..count {
        let text = make(&mut Stream::new(3, name, index));
        let visitor = Compare { solvers: &mut solvers, text: &text };
        // Impossible positions, such as one whose defender is in check, do not count.
        if let Some(Ok(Some(expected))) = game.mate_problem(&text, visitor) {
            mates += u32::from(expected);
            others += u32::from(!expected);
        }
    }
    (mates, others)
}

#[test]
fn minishogi_with_few_pieces() {
    let (mates, others) = compare(&Minishogi::new(Rules::Official), "loops of minishogi", 600, |random| {
        let mut choose = |list: &[&'static str]| list[random.below(list.len())];
        let home = ["k", choose(&["g", "s", "p"]), choose(&["s", "+p", "b"])];
        let attackers = [choose(&["R", "+R", "B", "+B", "G"]), choose(&["G", "S", "+P"])];
        let hand = choose(&["-", "-", "P", "S"]);
        format!("{} b {hand} 1", random_board(random, 5, 3, &[&home[..], &attackers].concat()))
    });
    assert!(mates >= 5 && others >= 30, "{mates} mates, {others} others");
}

#[test]
fn chess_with_few_pieces() {
    let (mates, others) = compare(&Chess::new(Rules::Official), "loops of chess", 600, |random| {
        let mut choose = |list: &[&'static str]| list[random.below(list.len())];
        let home = ["k", choose(&["n", "b", "r"]), choose(&["n", "b", "r"]), choose(&["b", "q", "n"])];
        let attackers = ["K", choose(&["Q", "R"]), choose(&["R", "B", "N"])];
        format!("{} w - - 0 1", random_board(random, 8, 4, &[&home[..], &attackers].concat()))
    });
    assert!(mates >= 5 && others >= 30, "{mates} mates, {others} others");
}

/// A made-up game: positions are the nodes of a random graph, those of the attacker even, those of the defender odd.
#[derive(Clone)]
struct Graph<'a> {
    edges: &'a [Vec<Step>],
    at: u16,
}

/// A move to the node of this number less one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Step(u16);

impl Move for Step {
    fn to_bits(self) -> u32 {
        self.0.into()
    }

    fn from_bits(bits: u32) -> Option<Step> {
        u16::try_from(bits).ok().filter(|&bits| bits > 0).map(Step)
    }
}

impl MateBoard for Graph<'_> {
    type Move = Step;
    type Hand = ();

    fn mover(&self) -> Side {
        if self.at.is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn checks(&self, out: &mut MoveList<Step>) {
        self.legal_moves(out);
    }

    fn legal_moves(&self, out: &mut MoveList<Step>) {
        out.clear();
        out.extend_from_slice(&self.edges[usize::from(self.at)]);
    }

    fn is_mate(&self) -> bool {
        self.mover() == Side::Second && self.edges[usize::from(self.at)].is_empty()
    }

    fn play(&mut self, mv: Step) {
        self.at = mv.0 - 1;
    }

    fn format_move(&self, mv: Step) -> String {
        mv.0.to_string()
    }

    fn board_key(&self) -> u64 {
        tesuji_core::random::mix(u64::from(self.at) + 1)
    }
}

#[test]
fn random_graphs() {
    let mut solvers = [64 << 10, 2 << 10].map(|bytes| Solver::new("dfpn".parse().unwrap(), bytes));
    let mut mates = 0;
    for index in 0..GRAPHS {
        let mut random = Stream::new(7, "random graphs", index);
        let size = 8 + 2 * random.below(20);
        let edges: Vec<Vec<Step>> = (0..size)
            .map(|node| {
                let mut steps: Vec<Step> = Vec::new();
                // Few nodes are mates, few without a check: much can go round.
                for _ in 0..random.below(5) + usize::from(node % 2 == 0 || random.below(4) > 0) {
                    let to = Step(1 + (2 * random.below(size / 2) + 1 - node % 2) as u16);
                    if !steps.contains(&to) {
                        steps.push(to);
                    }
                }
                steps
            })
            .collect();
        let text = format!("{edges:?}");
        let board = Graph { edges: &edges, at: 0 };
        mates += u64::from(Compare { solvers: &mut solvers, text: &text }.visit(&board).unwrap());
    }
    assert!(mates > GRAPHS / 10 && mates < GRAPHS * 9 / 10, "{mates} of {GRAPHS}");
}
