"""What makes a position worth comparing: counted, so that a run shows what it has seen."""

import chess
import cshogi
import minishogilib

import lines
import sfen


def shogi(text, moves):
    return _shogi(text, moves, bool(cshogi.Board(text).is_check()))


def minishogi(text, moves):
    board = minishogilib.Position()
    board.set_sfen_simple(text)
    return _shogi(text, moves, board.is_in_check())


def _shogi(text, moves, check):
    king = "K" if text.split()[1] == "b" else "k"
    [home] = [sfen.square(*place) for place, piece in sfen.board(text).items() if piece == king]
    return {
        "in check": check,
        "in check, only king moves": check and bool(moves) and all(move.startswith(home) for move in moves),
        "no moves": not moves,
        "drops": any("*" in move for move in moves),
        "promotions": any(move.endswith("+") for move in moves),
        "pawn-drop mate forbidden": not check and sfen.forbids_pawn_drop_mate(text, moves),
    }


def chess_(text, moves):
    board = chess.Board(text)
    legal = [chess.Move.from_uci(move) for move in moves]
    return {
        "in check": board.is_check(),
        "double check": len(board.checkers()) > 1,
        "no moves": not moves,
        "en passant": any(board.is_en_passant(move) for move in legal),
        "castling": any(board.is_castling(move) for move in legal),
        "promotions": any(move.promotion for move in legal),
        "pinned pieces": any(board.is_pinned(board.turn, square) for square in board.piece_map()),
    }


def of_lines(game):
    return lambda text, moves: {
        "no moves": not moves,
        "won": lines.GAMES[game].outcome(text) in ("first", "second"),
    }


TRAITS = {
    "shogi": shogi,
    "minishogi": minishogi,
    "chess": chess_,
    **{game: of_lines(game) for game in lines.GAMES},
}
