//! Random positions of every game.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use tesuji_core::{Game, MoveList, Outcome, Position, Rules, Side, Stream, game};
use tesuji_games::{Visitor, names, visit};

/// Something to be checked of a game.
pub trait Check: Copy {
    /// Panics if the game does not keep it.
    fn check<G: Game>(self, game: &G);
}

/// Checks every registered game under every set of rules.
pub fn every_game(check: impl Check) {
    struct Run<C>(C);
    impl<C: Check> Visitor for Run<C> {
        type Output = ();
        fn visit<G: Game>(self, game: G) {
            self.0.check(&game);
        }
    }
    for name in names() {
        for rules in Rules::ALL {
            let outcome = catch_unwind(AssertUnwindSafe(|| visit(name, rules, Run(check)).expect("a registered name")));
            if let Err(panic) = outcome {
                eprintln!("the failing game: {name} under {rules} rules");
                resume_unwind(panic);
            }
        }
    }
}

/// Calls `check` with many positions of random games, and with a stream for choices of its own.
pub fn every_position<G: Game>(game: &G, cases: u32, check: impl Fn(&G::Position, &mut Stream)) {
    let plies = prop_oneof![0_usize..8, 0_usize..60, 0_usize..300];
    proptest_cases(cases, &(any::<u64>(), plies), |(seed, plies)| {
        let mut random = Stream::new(seed, "conformance", 0);
        let position = reach(game, plies, &mut random);
        check(&position, &mut random);
    });
}

/// Runs a property; `check` panics where it fails.
pub fn proptest_cases<S: Strategy>(cases: u32, strategy: &S, check: impl Fn(S::Value)) {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    let outcome = TestRunner::new(config).run(strategy, |value| {
        check(value);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// The position after at most so many plies of a random game, from the start or from a varied start.
pub fn reach<G: Game>(game: &G, plies: usize, random: &mut Stream) -> G::Position {
    let mut position = if random.below(2) == 0 { game.start() } else { game.varied_start(random) };
    let mut moves = MoveList::new();
    for _ in 0..plies {
        if position.expand(&mut moves).is_some() {
            break;
        }
        position.play(moves[random.below(moves.len())]);
    }
    position
}

/// The legal moves.
pub fn legal<P: Position>(position: &P) -> MoveList<P::Move> {
    let mut moves = MoveList::new();
    position.movements(&mut moves);
    moves
}

/// The position after a move.
pub fn child<P: Position>(position: &P, mv: P::Move) -> P {
    let mut child = position.clone();
    child.play(mv);
    child
}

/// All that can be seen of a position from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub notation: String,
    pub key: u64,
    pub ply: u32,
    pub mover: Side,
    pub moves: Vec<String>,
    pub outcome: Option<Outcome>,
    pub ending: &'static str,
    pub in_check: bool,
    pub heuristic: i32,
}

/// What can be seen of this position.
pub fn snapshot<G: Game>(game: &G, position: &G::Position) -> Snapshot {
    Snapshot {
        notation: game.format_position(position),
        key: position.key(),
        ply: position.ply(),
        mover: position.mover(),
        moves: game::sorted_moves(position),
        outcome: position.outcome(),
        ending: position.ending(),
        in_check: position.in_check(),
        heuristic: game.heuristic(position),
    }
}
