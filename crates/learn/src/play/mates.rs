//! The mate solver at the root of a search, and at leaves.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tesuji_core::{Game, MateBoard, MateVisitor, Move, Position};
use tesuji_search::mate::{Answer, Limits, Solver, SolverSpec};

/// Bytes of the solver's table: enough for the few thousand positions that a root is worth, and quick to clear.
const TABLE: usize = 1 << 20;

/// How mates are looked for: `none`, `dfs:DEPTH`, `dfpn:NODES`, `exact:MOVES`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MateOption(pub Option<SolverSpec>);

impl MateOption {
    /// Not at all.
    pub const NONE: MateOption = MateOption(None);

    /// What may be written.
    pub const FORMS: &'static str = "none, dfpn:NODES, dfs:DEPTH (odd, 1 to 31) or exact:MOVES (1 to 99)";
}

impl fmt::Display for MateOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("none"),
            Some(spec) => spec.fmt(f),
        }
    }
}

impl FromStr for MateOption {
    type Err = String;

    fn from_str(text: &str) -> Result<MateOption, String> {
        match SolverSpec::parse_optional(text) {
            // A search without a limit might never come back.
            Ok(Some(SolverSpec::Dfpn { nodes: None })) => Err("dfpn needs a limit here, such as dfpn:1000".to_owned()),
            Ok(spec) => Ok(MateOption(spec)),
            Err(error) => Err(format!("{error}; here {}", MateOption::FORMS)),
        }
    }
}

impl TryFrom<String> for MateOption {
    type Error = String;

    fn try_from(text: String) -> Result<MateOption, String> {
        text.parse()
    }
}

impl From<MateOption> for String {
    fn from(option: MateOption) -> String {
        option.to_string()
    }
}

/// Whether a game has mate at all.
pub fn has_mate<G: Game>(game: &G) -> bool {
    struct Nothing;

    impl MateVisitor for Nothing {
        type Output = ();

        fn visit<B: MateBoard>(self, _board: &B) {}
    }

    game.mate_board(&game.start(), Nothing).is_some()
}

/// Looks for mates in positions of a game. An answer depends on nothing but the position.
pub struct RootSolver(Solver);

impl RootSolver {
    /// The solver that is meant; none if none is wanted.
    pub fn new(option: MateOption) -> Option<RootSolver> {
        option.0.map(|spec| RootSolver(Solver::new(spec, TABLE)))
    }

    /// A forced mate for the side to move, as a verified line; none if there is none or it was not found.
    pub fn mate<G: Game>(&mut self, game: &G, position: &G::Position) -> Option<Vec<<G::Position as Position>::Move>> {
        self.mate_within(game, position, &Limits::default())
    }

    /// As [`mate`](Self::mate); gives up after so many positions, if a limit is given.
    pub fn mate_by_nodes<G: Game>(
        &mut self,
        game: &G,
        position: &G::Position,
        nodes: Option<u64>,
    ) -> Option<Vec<<G::Position as Position>::Move>> {
        self.mate_within(game, position, &Limits { nodes, ..Limits::default() })
    }

    /// As [`mate`](Self::mate); gives up when `stop` says so, which is asked now and then.
    pub fn mate_unless<G: Game>(
        &mut self,
        game: &G,
        position: &G::Position,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<<G::Position as Position>::Move>> {
        self.mate_within(game, position, &Limits { stop, ..Limits::default() })
    }

    fn mate_within<G: Game>(
        &mut self,
        game: &G,
        position: &G::Position,
        limits: &Limits<'_>,
    ) -> Option<Vec<<G::Position as Position>::Move>> {
        let line = game.mate_board(position, Solve(&mut self.0, limits))??;
        line.into_iter().map(<G::Position as Position>::Move::from_bits).collect()
    }
}

struct Solve<'a>(&'a mut Solver, &'a Limits<'a>);

impl MateVisitor for Solve<'_> {
    /// The moves' numeric forms.
    type Output = Option<Vec<u32>>;

    fn visit<B: MateBoard>(self, board: &B) -> Option<Vec<u32>> {
        match self.0.solve(board, self.1).0 {
            Answer::Mate(line) => Some(line.into_iter().map(Move::to_bits).collect()),
            Answer::NoMate | Answer::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::{GameRules, Rules};
    use tesuji_games::chess::Chess;
    use tesuji_games::shogi::Minishogi;

    #[test]
    fn options_read_what_they_write() {
        for text in ["none", "dfs:7", "dfpn:1000", "exact:2"] {
            assert_eq!(text.parse::<MateOption>().unwrap().to_string(), text);
        }
        for text in ["", "dfpn", "dfs:4", "df:1"] {
            assert!(text.parse::<MateOption>().is_err(), "{text:?}");
        }
    }

    fn mate<G: Game>(game: &G, position: &str, option: &str) -> Option<Vec<String>> {
        let mut position = game.parse_position(position).unwrap();
        let mut solver = RootSolver::new(option.parse().unwrap()).unwrap();
        let line = solver.mate(game, &position)?;
        let text = |mv| {
            let text = position.format_move(mv);
            position.play(mv);
            text
        };
        let texts = line.into_iter().map(text).collect();
        assert!(position.outcome().is_some());
        Some(texts)
    }

    #[test]
    fn a_solver_gives_up_when_it_is_told_to() {
        let game = Minishogi::new(Rules::Official);
        // Mate in seven plies; depth-first search looks at 745 positions for it.
        let position = game.parse_position("4g/P1sbk/2G1p/2S+r1/KR3 w b 32").unwrap();
        let mut solver = RootSolver::new("dfs:7".parse().unwrap()).unwrap();
        assert_eq!(solver.mate_by_nodes(&game, &position, Some(300)), None);
        assert_eq!(solver.mate_unless(&game, &position, &|| true), None);
        let line = solver.mate_by_nodes(&game, &position, Some(1000)).map(|line| line.len());
        assert_eq!(line, Some(7));
        assert_eq!(solver.mate_unless(&game, &position, &|| false), solver.mate(&game, &position));
    }

    #[test]
    fn mates_are_found_in_games_that_have_them() {
        let (minishogi, chess) = (Minishogi::new(Rules::Official), Chess::new(Rules::Official));
        for option in ["dfs:3", "dfpn:100", "exact:1"] {
            assert_eq!(mate(&minishogi, "4k/5/4G/5/K4 b G 1", option).map(|line| line.len()), Some(1), "{option}");
            let back_rank = mate(&chess, "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", option);
            assert_eq!(back_rank.unwrap(), ["e1e8"], "{option}");
        }
        assert_eq!(mate(&chess, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "dfpn:100"), None);
    }
}
