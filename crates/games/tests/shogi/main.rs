//! Shogi and minishogi: the rules against known numbers, positions and a slow generator that is plainly right.

mod checks;
mod endings;
mod movement;
mod notation;
mod perft;
mod reference;

use tesuji_core::{GameRules, Rules, Stream, game};
use tesuji_games::shogi::{Board, Geometry, Setup, ShogiGame, ShogiPosition};

/// The position of a line such as `startpos moves 7g7f`, under official rules.
fn position<G: Geometry>(line: &str) -> ShogiPosition<G> {
    game::parse_line(&ShogiGame::<G>::new(Rules::Official), line).unwrap()
}

/// The board of an SFEN.
fn board<G: Geometry>(sfen: &str) -> Board<G> {
    sfen.parse::<Setup<G>>().unwrap().board().unwrap()
}

/// The legal moves in USI notation, sorted.
fn moves<G: Geometry>(sfen: &str) -> Vec<String> {
    game::sorted_moves(&position::<G>(sfen))
}

/// Calls `visit` with the boards of random games.
fn random_boards<G: Geometry>(games: u64, plies: usize, mut visit: impl FnMut(&Board<G>)) {
    let start = ShogiGame::<G>::new(Rules::Official).start();
    for game in 0..games {
        let mut random = Stream::new(game, "random boards", 0);
        let mut board = *start.board();
        let mut moves = Vec::new();
        for _ in 0..plies {
            visit(&board);
            moves.clear();
            board.legal_moves(&mut moves);
            let Some(&mv) = random.choose(&moves) else { break };
            board.play(mv);
        }
    }
}
