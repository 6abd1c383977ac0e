//! Mate solvers against problems and against plain search.

use tesuji_core::{Game, MateBoard, MoveList, Position, Rules, Stream};
use tesuji_games::shogi::{Board, Five, Geometry, Minishogi, Nine, Setup};
use tesuji_search::mate::dfpn::Dfpn;
use tesuji_search::mate::{Answer, Limits, is_mating_line};

fn problem<G: Geometry>(sfen: &str) -> Board<G> {
    sfen.parse::<Setup<G>>().and_then(|setup| setup.mate_problem()).unwrap()
}

/// Whether there is a mate by checks within `plies`, by trying everything.
fn plain(board: &impl MateBoard, plies: u16) -> bool {
    if plies == 0 {
        return false;
    }
    let mut moves = MoveList::new();
    board.checks(&mut moves);
    moves.into_iter().any(|check| {
        let mut next = board.clone();
        next.play(check);
        let mut evasions = MoveList::new();
        next.legal_moves(&mut evasions);
        evasions.into_iter().all(|evasion| {
            let mut after = next.clone();
            after.play(evasion);
            plies > 2 && plain(&after, plies - 2)
        })
    })
}

#[test]
fn problems_are_solved_at_their_length() {
    let text = include_str!("../../../tests/mate/shogi.txt");
    let mut solver = Dfpn::new(16 << 20);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (sfen, plies) = (fields.next().unwrap(), fields.next().unwrap().parse::<usize>().unwrap());
        let board = problem::<Nine>(sfen);
        solver.clear();
        let (Answer::Mate(any), _) = solver.solve(&board, &Limits::default()) else { panic!("{sfen}: not solved") };
        assert!(is_mating_line(&board, &any), "{sfen}: {any:?}");
        solver.clear();
        let shortest = Limits { shortest: true, ..Limits::default() };
        let (Answer::Mate(line), _) = solver.solve(&board, &shortest) else { panic!("{sfen}: not solved") };
        assert!(is_mating_line(&board, &line), "{sfen}: {line:?}");
        assert_eq!(line.len(), plies, "{sfen}");
    }
}

#[test]
fn answers_are_those_of_trying_everything() {
    let game = Minishogi::new(Rules::Official);
    let mut solver = Dfpn::new(1 << 20);
    let (mut mates, mut positions) = (0, 0);
    for index in 0..60 {
        let mut random = Stream::new(1, "mate test", index);
        let mut position = game.start();
        let mut moves = MoveList::new();
        while position.expand(&mut moves).is_none() && position.ply() < 60 {
            position.play(moves[random.below(moves.len())]);
            let board = problem::<Five>(&game.format_position(&position));
            positions += 1;
            solver.clear();
            let (answer, _) = solver.solve(&board, &Limits { plies: Some(5), ..Limits::default() });
            let expected = plain(&board, 5);
            match answer {
                Answer::Mate(line) => {
                    assert!(expected && is_mating_line(&board, &line), "{}", game.format_position(&position));
                    mates += 1;
                }
                Answer::NoMate => assert!(!expected, "{}", game.format_position(&position)),
                Answer::Unknown => panic!("no limit was set: {}", game.format_position(&position)),
            }
        }
    }
    assert!(mates > 30 && positions > 500, "{mates} mates in {positions} positions");
}

#[test]
fn a_small_table_and_a_small_budget_do_no_harm() {
    let sfen = "l1R1pksp+B/3Sng3/p4pnPl/6p1p/3P5/8P/PG1KGPP+B1/9/LN2Sr1NL b GS6P 95";
    let board = problem::<Nine>(sfen);
    let (answer, nodes) = Dfpn::new(1 << 20).solve(&board, &Limits { nodes: Some(5), ..Limits::default() });
    assert_eq!(answer, Answer::Unknown);
    assert!(nodes <= 6);
    let (answer, _) = Dfpn::new(16 << 10).solve(&board, &Limits::default());
    assert!(matches!(answer, Answer::Mate(line) if is_mating_line(&board, &line)));
    // Nothing but kings: no checks at all.
    let (answer, _) = Dfpn::new(1 << 20).solve(&problem::<Five>("4k/5/5/5/K4 b - 1"), &Limits::default());
    assert_eq!(answer, Answer::NoMate);
}

#[test]
fn pawn_drop_mates_are_no_mates() {
    // The only check that would mate is a pawn drop.
    let board = problem::<Five>("3pk/5/3G1/5/K4 b P 1");
    let (answer, _) = Dfpn::new(1 << 20).solve(&board, &Limits { plies: Some(1), ..Limits::default() });
    assert_eq!(answer, Answer::NoMate);
}
