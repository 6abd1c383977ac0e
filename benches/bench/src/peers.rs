//! Other people's move generators, each used as its authors do.

use crate::Mode;
use crate::ours::Work;
use rsshogi::board::{Move32List, generate_legal_all_move32};
use shakmaty::{CastlingMode, Chess, Position as _, fen::Fen};

/// haitaka 0.3.2, as in its example `perft`.
///
/// # Errors
/// If the position cannot be read.
pub fn haitaka(sfen: &str, depth: u32, mode: Mode) -> Result<Work, String> {
    let board = haitaka::Board::from_sfen(sfen).map_err(|error| format!("haitaka: {error:?}"))?;
    Ok(Box::new(move || match mode {
        Mode::Bulk => haitaka_bulk(&board, depth),
        Mode::Playing => haitaka_playing(&board, depth),
    }))
}

fn haitaka_bulk(board: &haitaka::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    match depth {
        0 => nodes = 1,
        1 => {
            board.generate_board_moves(|moves| {
                nodes += moves.into_iter().len() as u64;
                false
            });
            board.generate_drops(|moves| {
                nodes += moves.into_iter().len() as u64;
                false
            });
        }
        _ => nodes = haitaka_children(board, |child| haitaka_bulk(child, depth - 1)),
    }
    nodes
}

fn haitaka_playing(board: &haitaka::Board, depth: u32) -> u64 {
    if depth == 0 { 1 } else { haitaka_children(board, |child| haitaka_playing(child, depth - 1)) }
}

/// The sum over the positions after each move; board moves and drops have a loop each, as in haitaka's example.
#[inline(always)]
fn haitaka_children(board: &haitaka::Board, below: impl Fn(&haitaka::Board) -> u64) -> u64 {
    let mut nodes = 0;
    board.generate_board_moves(|moves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            nodes += below(&child);
        }
        false
    });
    board.generate_drops(|moves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            nodes += below(&child);
        }
        false
    });
    nodes
}

/// rsshogi 1.7.3: its own perft, and the same with the last ply played.
///
/// # Errors
/// If the position cannot be read.
pub fn rsshogi(sfen: &str, depth: u32, mode: Mode) -> Result<Work, String> {
    let mut position = rsshogi::board::position_from_sfen(sfen).map_err(|error| format!("rsshogi: {error}"))?;
    position.init_stack();
    let bulk_depth = u8::try_from(depth).map_err(|error| error.to_string())?;
    let mut lists = vec![Move32List::new(); depth as usize];
    Ok(Box::new(move || match mode {
        Mode::Bulk => rsshogi::board::perft::compute_perft(&mut position, bulk_depth),
        Mode::Playing => rsshogi_walk(&mut position, &mut lists),
    }))
}

fn rsshogi_walk(position: &mut rsshogi::board::Position, lists: &mut [Move32List]) -> u64 {
    let Some((list, rest)) = lists.split_last_mut() else { return 1 };
    list.clear();
    generate_legal_all_move32(position, list);
    let mut nodes = 0;
    for &mv in list.iter() {
        position.apply_move32(mv);
        nodes += rsshogi_walk(position, rest);
        // SAFETY: `mv` is the move that was played last. As in rsshogi's own perft; the checked form would slow the peer.
        unsafe { position.undo_move32_unchecked(mv) };
    }
    nodes
}

/// shakmaty 0.30.1, on which our chess is built: shows what our wrapper costs.
///
/// # Errors
/// If the position cannot be read.
pub fn shakmaty(fen: &str, depth: u32, mode: Mode) -> Result<Work, String> {
    let fen: Fen = fen.parse().map_err(|error| format!("shakmaty: {error}"))?;
    let position: Chess = fen.into_position(CastlingMode::Standard).map_err(|error| format!("shakmaty: {error}"))?;
    Ok(Box::new(move || shakmaty_walk(&position, depth, mode)))
}

fn shakmaty_walk(position: &Chess, depth: u32, mode: Mode) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.legal_moves();
    if depth == 1 && mode == Mode::Bulk {
        return moves.len() as u64;
    }
    let below = |mv| {
        let mut child = position.clone();
        child.play_unchecked(mv);
        shakmaty_walk(&child, depth - 1, mode)
    };
    moves.into_iter().map(below).sum()
}

/// cozy-chess.
///
/// # Errors
/// If the position cannot be read.
pub fn cozy_chess(fen: &str, depth: u32, mode: Mode) -> Result<Work, String> {
    let board = cozy_chess::Board::from_fen(fen, false).map_err(|error| format!("cozy-chess: {error}"))?;
    Ok(Box::new(move || cozy_chess_walk(&board, depth, mode)))
}

fn cozy_chess_walk(board: &cozy_chess::Board, depth: u32, mode: Mode) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 && mode == Mode::Bulk {
            nodes += moves.len() as u64;
        } else {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                nodes += cozy_chess_walk(&child, depth - 1, mode);
            }
        }
        false
    });
    nodes
}
