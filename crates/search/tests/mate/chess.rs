//! Mates of chess: puzzles from games, and endings against trying everything.

use super::everything::{mates, mates_by_checks};
use tesuji_core::{MateBoard, MateHooks, MateVisitor, Rules, Stream};
use tesuji_games::chess::Chess;
use tesuji_search::mate::{Answer, Attack, Limits, Solver, is_mating_line_by};

/// The length of the mate that a solver finds, in plies; 0 for none.
struct Plies<'a> {
    solver: &'a mut Solver,
    limits: Limits<'a>,
    attack: Attack,
}

impl MateVisitor for Plies<'_> {
    type Output = usize;

    fn visit<B: MateBoard>(self, board: &B) -> usize {
        match self.solver.solve(board, &self.limits).0 {
            Answer::Mate(line) => {
                assert!(is_mating_line_by(self.attack, board, &line), "{line:?}");
                line.len()
            }
            Answer::NoMate => 0,
            Answer::Unknown => panic!("no limit was set"),
        }
    }
}

fn plies(solver: &str, text: &str, shortest: bool) -> usize {
    let mut solver = Solver::new(solver.parse().unwrap(), 4 << 20);
    let attack = if solver.spec().to_string().starts_with("exact") { Attack::Anything } else { Attack::Checks };
    let limits = Limits { shortest, ..Limits::default() };
    Chess::new(Rules::Official).mate_problem(text, Plies { solver: &mut solver, limits, attack }).unwrap().unwrap()
}

#[test]
fn puzzles_are_solved() {
    let text = include_str!("../../../../tests/mate/chess.epd");
    let mut quiet = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let moves = line.split("dm ").nth(1).and_then(|rest| rest.split(';').next()).unwrap().parse::<usize>().unwrap();
        let found = plies(&format!("exact:{moves}"), line, false);
        assert!((1..=2 * moves - 1).contains(&found), "{line}: {found} plies");
        if line.contains("allchecks:yes") {
            assert_eq!(plies("dfpn", line, true), 2 * moves - 1, "{line}");
            if moves <= 3 {
                assert_eq!(plies("dfs:5", line, false), 2 * moves - 1, "{line}");
            }
        } else if line.contains("allchecks:no") {
            quiet += 1;
            assert_eq!(plies(&format!("exact:{moves}"), line, true), 2 * moves - 1, "{line}");
            assert_eq!(plies(&format!("exact:{}", moves - 1), line, true), 0, "{line}");
            assert_eq!(plies(&format!("dfs:{}", 2 * moves - 1), line, false), 0, "{line}");
        }
    }
    assert!(quiet >= 2);
}

/// The shortest mates of an ending by checks and by any moves, as trying everything finds them.
struct Everything {
    most: u16,
}

impl MateVisitor for Everything {
    type Output = (usize, usize);

    fn visit<B: MateBoard>(self, board: &B) -> (usize, usize) {
        let shortest =
            |found: &dyn Fn(u16) -> bool| (1..=self.most).step_by(2).find(|&plies| found(plies)).unwrap_or(0);
        (shortest(&|plies| mates_by_checks(board, plies)).into(), shortest(&|plies| mates(board, plies)).into())
    }
}

#[test]
fn endings_are_answered_as_by_trying_everything() {
    let game = Chess::new(Rules::Official);
    let (mut found, mut quiet, mut none) = (0, 0, 0);
    for index in 0..300 {
        let mut random = Stream::new(5, "chess endings", index);
        // The defender's king on the edge, the attacker's near it: mates and stalemates abound.
        let mut squares = ['1'; 64];
        squares[random.below(8)] = 'k';
        squares[16 + random.below(8)] = 'K';
        for list in ["QR", "RBNP", "pn1"] {
            let piece = list.as_bytes()[random.below(list.len())];
            let free: Vec<usize> = (8..40).filter(|&square| squares[square] == '1').collect();
            squares[free[random.below(free.len())]] = char::from(piece);
        }
        let rows: Vec<String> = squares.chunks(8).map(|row| row.iter().collect()).collect();
        let text = format!("{} w - - 0 1", rows.join("/"));
        let Some(Ok((by_checks, by_any))) = game.mate_problem(&text, Everything { most: 3 }) else { continue };
        assert_eq!(plies("dfs:3", &text, false), by_checks, "{text}");
        assert_eq!(plies("exact:2", &text, true), by_any, "{text}");
        assert_eq!(plies("exact:2", &text, false) > 0, by_any > 0, "{text}");
        found += u32::from(by_any > 0);
        quiet += u32::from(by_any > 0 && by_checks != by_any);
        none += u32::from(by_any == 0);
    }
    assert!(found > 50 && quiet > 10 && none > 20, "{found} mates, {quiet} of them quiet, {none} without");
}
