//! Mate solvers against problems and against plain search.

mod chess;
mod everything;
mod loops;

use everything::mates_by_checks;
use tesuji_core::{GameRules, MoveList, Position, Rules, Stream};
use tesuji_games::shogi::{Board, Five, Geometry, Minishogi, Nine, Setup};
use tesuji_search::mate::dfpn::Dfpn;
use tesuji_search::mate::{Answer, Attack, Limits, Solver, is_mating_line, is_mating_line_by};

fn problem<G: Geometry>(sfen: &str) -> Board<G> {
    sfen.parse::<Setup<G>>().and_then(|setup| setup.mate_problem()).unwrap()
}

#[test]
fn problems_are_solved_at_their_length() {
    let text = include_str!("../../../../tests/mate/shogi.txt");
    let mut solver = Dfpn::new(16 << 20);
    let mut dfs = Solver::new("dfs:5".parse().unwrap(), 0);
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
        if plies <= 5 {
            let (Answer::Mate(line), _) = dfs.solve(&board, &Limits::default()) else { panic!("{sfen}: not solved") };
            assert_eq!(line.len(), plies, "{sfen}");
        }
    }
}

/// Calls `visit` with positions of random games of minishogi.
fn random_positions(games: u64, mut visit: impl FnMut(&Board<Five>, &str)) {
    let game = Minishogi::new(Rules::Official);
    for index in 0..games {
        let mut random = Stream::new(1, "mate test", index);
        let mut position = game.start();
        let mut moves = MoveList::new();
        while position.expand(&mut moves).is_none() && position.ply() < 60 {
            position.play(moves[random.below(moves.len())]);
            let sfen = game.format_position(&position);
            visit(&problem::<Five>(&sfen), &sfen);
        }
    }
}

#[test]
fn answers_by_checks_are_those_of_trying_everything() {
    let mut solvers = ["dfpn", "dfs:5"].map(|spec| Solver::new(spec.parse().unwrap(), 1 << 20));
    let limits = Limits { plies: Some(5), ..Limits::default() };
    let (mut mates, mut positions) = (0, 0);
    random_positions(60, |board, sfen| {
        let shortest = [1, 3, 5].into_iter().find(|&plies| mates_by_checks(board, plies));
        positions += 1;
        mates += u32::from(shortest.is_some());
        for solver in &mut solvers {
            let spec = solver.spec();
            match (solver.solve(board, &limits).0, shortest) {
                (Answer::Mate(line), Some(_)) => assert!(is_mating_line(board, &line), "{spec}: {sfen}"),
                (Answer::NoMate, None) => {}
                (answer, _) => panic!("{spec}: {sfen}: {answer:?}, shortest {shortest:?}"),
            }
            let exactly = Limits { shortest: true, plies: limits.plies, ..Limits::default() };
            if let Answer::Mate(line) = solver.solve(board, &exactly).0 {
                assert_eq!(Some(line.len() as u16), shortest, "{spec}: {sfen}");
            }
        }
    });
    assert!(mates > 30 && positions > 500, "{mates} mates in {positions} positions");
}

#[test]
fn answers_with_quiet_moves_are_those_of_trying_everything() {
    let mut solver = Solver::new("exact:2".parse().unwrap(), 1 << 20);
    let (mut mates, mut quiet, mut positions) = (0, 0, 0);
    random_positions(12, |board, sfen| {
        let shortest = [1, 3].into_iter().find(|&plies| everything::mates(board, plies));
        positions += 1;
        mates += u32::from(shortest.is_some());
        quiet += u32::from(shortest.is_some_and(|plies| !mates_by_checks(board, plies)));
        for wanted in [false, true] {
            let limits = Limits { shortest: wanted, ..Limits::default() };
            match (solver.solve(board, &limits).0, shortest) {
                (Answer::Mate(line), Some(plies)) => {
                    assert!(is_mating_line_by(Attack::Anything, board, &line), "{sfen}: {line:?}");
                    assert!(!wanted || line.len() as u16 == plies, "{sfen}: {line:?}");
                }
                (Answer::NoMate, None) => {}
                (answer, _) => panic!("{sfen}: {answer:?}, shortest {shortest:?}"),
            }
        }
    });
    assert!(mates > 10 && quiet > 0 && positions > 100, "{mates} mates, {quiet} quiet, in {positions} positions");
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
fn every_solver_keeps_its_limits() {
    let board = problem::<Nine>("l1R1pksp+B/3Sng3/p4pnPl/6p1p/3P5/8P/PG1KGPP+B1/9/LN2Sr1NL b GS6P 95");
    for spec in ["dfpn", "dfpn:5", "dfs:31", "exact:99"] {
        let mut solver = Solver::new(spec.parse().unwrap(), 1 << 20);
        let nodes = if spec == "dfpn:5" { None } else { Some(5) };
        let (answer, spent) = solver.solve(&board, &Limits { nodes, ..Limits::default() });
        assert_eq!(answer, Answer::Unknown, "{spec}");
        assert!(spent <= 8, "{spec}: {spent}");
        let (_, spent) = solver.solve(&board, &Limits { stop: &|| true, ..Limits::default() });
        assert!(spent <= 260, "{spec}: {spent}");
    }
}

#[test]
fn a_used_solver_answers_like_a_new_one() {
    let text = include_str!("../../../../tests/mate/shogi.txt");
    for spec in ["dfpn", "exact:3"] {
        // A small table, whose every place has been used before.
        let new = || Solver::new(spec.parse().unwrap(), 64 << 10);
        let mut used = new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let board = problem::<Nine>(line.split('\t').next().unwrap());
            let limits = Limits { nodes: Some(2_000), ..Limits::default() };
            assert_eq!(used.solve(&board, &limits), new().solve(&board, &limits), "{spec}: {line}");
        }
    }
}

#[test]
fn pawn_drop_mates_are_no_mates() {
    // The only check that would mate is a pawn drop.
    let board = problem::<Five>("3pk/5/3G1/5/K4 b P 1");
    let (answer, _) = Dfpn::new(1 << 20).solve(&board, &Limits { plies: Some(1), ..Limits::default() });
    assert_eq!(answer, Answer::NoMate);
}
