//! Searches and mate solvers behind object-safe traits: what everything above the searches uses.
//!
//! See [`tesuji_core::handle`]. A typed search is wrapped once, when the agent is made; from then on positions are
//! `&dyn AnyPosition` and moves are numbers.

use crate::agent::{AgentLimits, KindInfo};
use crate::mate::{Answer, Limits, Solver, SolverSpec};
use std::sync::Arc;
use tesuji_core::handle::typed;
use tesuji_core::{
    AnyGame, AnyPosition, Budget, Considered, Focus, Found, Game, Info, Line, MateBoard, MateVisitor, Move, MoveId,
    ParseError, Player, Position, Report, Search,
};

/// A search whose game is not known statically. See [`Search`] for the details.
pub trait AnySearch: Send {
    /// Searches a position whose game still goes on.
    ///
    /// # Panics
    /// If it is a position of another game than the search was made for.
    fn search(&mut self, root: &dyn AnyPosition, budget: &Budget, report: &mut dyn Report<MoveId>) -> Found<MoveId>;

    /// Why it cannot search this position and those that follow from it, in words; see [`Search::refusal`].
    ///
    /// # Panics
    /// If it is a position of another game than the search was made for.
    fn refusal(&self, root: &dyn AnyPosition) -> Option<String>;

    /// Tells the search that `mv` was played in the position that it searched last.
    fn advance(&mut self, mv: MoveId);

    /// Sets what the searches from now on look at.
    fn focus(&mut self, focus: &Focus<MoveId>);

    /// What the last search knows of each move of its root; empty if it keeps no such numbers.
    fn considered(&self) -> Vec<Considered<MoveId>>;

    /// Forgets the previous game; the random choices of the next one follow from `seed`.
    fn new_game(&mut self, seed: u64);
}

/// A typed search as an [`AnySearch`].
pub struct ErasedSearch<P: Position>(pub Box<dyn Search<P>>);

impl<P: Position> AnySearch for ErasedSearch<P> {
    fn search(&mut self, root: &dyn AnyPosition, budget: &Budget, report: &mut dyn Report<MoveId>) -> Found<MoveId> {
        self.0.search(typed(root), budget, &mut ByNumber(report)).by_number()
    }

    fn refusal(&self, root: &dyn AnyPosition) -> Option<String> {
        self.0.refusal(typed(root))
    }

    fn advance(&mut self, mv: MoveId) {
        self.0.advance(mv.typed());
    }

    fn focus(&mut self, focus: &Focus<MoveId>) {
        let only = focus.only.iter().map(|mv| mv.typed()).collect();
        self.0.focus(&Focus { only, lines: focus.lines });
    }

    fn considered(&self) -> Vec<Considered<MoveId>> {
        self.0.considered().into_iter().map(Considered::by_number).collect()
    }

    fn new_game(&mut self, seed: u64) {
        self.0.new_game(seed);
    }
}

/// Forwards the reports of a typed search, with numbers for moves.
struct ByNumber<'a>(&'a mut dyn Report<MoveId>);

impl<M: Move> Report<M> for ByNumber<'_> {
    fn info(&mut self, info: &Info<M>) {
        self.0.info(&info.clone().by_number());
    }

    fn others(&mut self, lines: &[Line<M>]) {
        let lines: Vec<Line<MoveId>> = lines.iter().cloned().map(Line::by_number).collect();
        self.0.others(&lines);
    }

    fn considered(&mut self, moves: &[Considered<M>]) {
        let moves: Vec<Considered<MoveId>> = moves.iter().copied().map(Considered::by_number).collect();
        self.0.considered(&moves);
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// One of our own agents: a search with the limits that its line sets.
pub struct Searcher {
    /// The search.
    pub search: Box<dyn AnySearch>,
    /// Its limits.
    pub limits: AgentLimits,
}

impl Searcher {
    /// A typed search with its limits.
    pub fn new<P: Position>(search: Box<dyn Search<P>>, limits: AgentLimits) -> Searcher {
        Searcher { search: Box::new(ErasedSearch(search)), limits }
    }

    /// The limits of one search: see [`AgentLimits::budget`].
    pub fn budget(&self, given: &Budget) -> Budget {
        self.limits.budget(given)
    }
}

/// Where the agents of one game come from: lines such as `uct:sims=2000` in, players and searches out.
pub trait AgentSource: Send + Sync {
    /// The game.
    fn game(&self) -> Arc<dyn AnyGame>;

    /// Every kind of agent, documented.
    fn kinds(&self) -> Vec<KindInfo>;

    /// Makes an agent of our own; `None` if the line names one that only plays, such as a foreign engine.
    ///
    /// # Errors
    /// If the kind is unknown, its options do not fit, or something that it needs is missing.
    fn searcher(&self, line: &str, seed: u64) -> Result<Option<Searcher>, ParseError>;

    /// Makes any agent as a player, named by the line.
    ///
    /// # Errors
    /// As [`searcher`](Self::searcher).
    fn player(&self, line: &str, seed: u64) -> Result<Box<dyn Player>, ParseError>;

    /// A mate solver with a table of about this many bytes; `None` if the game has no mate.
    fn solver(&self, spec: SolverSpec, bytes: usize) -> Option<Box<dyn MateSolver>>;
}

/// What a mate solver found, in the game's notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The answer.
    pub answer: Answer<String>,
    /// Positions looked at.
    pub nodes: u64,
}

/// A mate solver whose game is not known statically.
pub trait MateSolver: Send {
    /// Looks for a mate in a position that need not occur in a game: the attacker's king may be missing.
    ///
    /// # Errors
    /// If the text is malformed or describes an impossible position.
    fn solve_problem(&mut self, text: &str, limits: &Limits<'_>) -> Result<Solved, ParseError>;

    /// Looks for a mate in a position of a game.
    ///
    /// # Panics
    /// If it is a position of another game than the solver was made for.
    fn solve(&mut self, position: &dyn AnyPosition, limits: &Limits<'_>) -> Solved;
}

/// The mate solver of a game.
pub struct GameSolver<G: Game> {
    game: G,
    solver: Solver,
}

impl<G: Game> GameSolver<G> {
    /// A solver with a table of about this many bytes; `None` if the game has no mate.
    pub fn new(game: &G, spec: SolverSpec, bytes: usize) -> Option<GameSolver<G>> {
        game.mate_board(&game.start(), HasMate)?;
        Some(GameSolver { game: game.clone(), solver: Solver::new(spec, bytes) })
    }
}

impl<G: Game> MateSolver for GameSolver<G> {
    fn solve_problem(&mut self, text: &str, limits: &Limits<'_>) -> Result<Solved, ParseError> {
        let solve = Solve { solver: &mut self.solver, limits };
        self.game.mate_problem(text, solve).expect("solvers are made only for games with mate")
    }

    fn solve(&mut self, position: &dyn AnyPosition, limits: &Limits<'_>) -> Solved {
        let solve = Solve { solver: &mut self.solver, limits };
        self.game.mate_board(typed(position), solve).expect("solvers are made only for games with mate")
    }
}

/// Looks whether a game has mate at all.
struct HasMate;

impl MateVisitor for HasMate {
    type Output = ();

    fn visit<B: MateBoard>(self, _board: &B) {}
}

struct Solve<'a, 'l> {
    solver: &'a mut Solver,
    limits: &'a Limits<'l>,
}

impl MateVisitor for Solve<'_, '_> {
    type Output = Solved;

    fn visit<B: MateBoard>(self, board: &B) -> Solved {
        let (answer, nodes) = self.solver.solve(board, self.limits);
        let answer = match answer {
            Answer::Mate(line) => Answer::Mate(line_text(board, &line)),
            Answer::NoMate => Answer::NoMate,
            Answer::Unknown => Answer::Unknown,
        };
        Solved { answer, nodes }
    }
}

fn line_text<B: MateBoard>(board: &B, line: &[B::Move]) -> Vec<String> {
    let mut board = board.clone();
    let text = |&mv: &B::Move| {
        let text = board.format_move(mv);
        board.play(mv);
        text
    };
    line.iter().map(text).collect()
}
