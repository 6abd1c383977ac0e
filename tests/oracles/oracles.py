"""The independent programs: each gives the sorted legal moves of positions in our notation.

Two of them list pawn-drop mates, which shogi forbids: they are asked for the replies, and the drops without any are
removed.
"""

import os
import re
import subprocess

import chess
import cshogi
import minishogilib
import pyffish
import shogi

import lines
import sfen
from tesuji import REPOSITORY

# Debian keeps games out of the usual path.
PATH = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/games"}


def each(function):
    """An oracle for many positions from one for a single position."""
    return lambda positions: [sorted(function(position)) for position in positions]


def cshogi_moves(position):
    board = cshogi.Board(position)
    return [cshogi.move_to_usi(move) for move in board.legal_moves]


def python_shogi_moves(position):
    return [move.usi() for move in shogi.Board(position).legal_moves]


def minishogilib_legal(board):
    """The legal moves of a board of minishogilib."""
    found = []
    for move in board.generate_moves():
        if move.sfen().startswith("P*"):
            board.do_move(move)
            mate = board.is_in_check() and not board.generate_moves()
            board.undo_move()
            if mate:
                continue
        found.append(move)
    return found


def minishogilib_moves(position):
    board = minishogilib.Position()
    board.set_sfen_simple(position)
    return [move.sfen() for move in minishogilib_legal(board)]


def pyffish_moves(position):
    """Fairy-Stockfish as a Python module."""
    fen = sfen.to_fairy(position)
    # Only a pawn in front of the king gives check; asking for its replies costs as much as the list.
    drop = f"P*{sfen.before_enemy_king(position)}"
    found = []
    for move in pyffish.legal_moves("minishogi", fen, []):
        text = sfen.from_fairy(move, 5)
        if text != drop or pyffish.legal_moves("minishogi", fen, [move]):
            found.append(text)
    return found


def fairy_stockfish_moves(positions):
    """Fairy-Stockfish as a program: its perft of two plies shows which drops leave no reply."""
    commands = ["setoption name UCI_Variant value minishogi"]
    for position in positions:
        # The fields `- -` are what its UCI form wants; pyffish leaves them out.
        placed, mover, _, _ = sfen.to_fairy(position).split()
        commands += [f"position fen {placed} {mover} - - 0 1", "go perft 2"]
    text = "\n".join([*commands, "quit", ""])
    done = subprocess.run(["fairy-stockfish"], input=text, capture_output=True, text=True, check=True, env=PATH)
    found, moves = [], []
    for line in done.stdout.splitlines():
        counted = re.fullmatch(r"(\S+): (\d+)", line)
        if line.startswith("Nodes searched"):
            drop = f"P*{sfen.before_enemy_king(positions[len(found)])}"
            found.append(sorted(move for move, replies in moves if move != drop or replies))
            moves = []
        elif counted:
            moves.append((sfen.from_fairy(counted[1], 5), int(counted[2])))
    return found


def chess_moves(position):
    return [move.uci() for move in chess.Board(position).legal_moves]


def rsshogi_moves(positions):
    """rsshogi through `benches/oracle`, built by `cargo build --release -p tesuji-oracle` in `benches/`."""
    program = os.environ.get("TESUJI_ORACLE", REPOSITORY / "benches/target/release/tesuji-oracle")
    text = "".join(position + "\n" for position in positions)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


# For each game: the name of the oracle, the oracle, and the share of the positions that it is asked about.
ORACLES = {
    "shogi": [
        ("cshogi", each(cshogi_moves), 1.0),
        ("rsshogi", rsshogi_moves, 1.0),
        # Hundreds of times slower than the others.
        ("python-shogi", each(python_shogi_moves), 0.02),
    ],
    "minishogi": [
        ("minishogilib", each(minishogilib_moves), 1.0),
        ("fairy-stockfish", fairy_stockfish_moves, 1.0),
        # The same rules, but a build of its own; it sets up its tables anew on every call.
        ("pyffish", each(pyffish_moves), 0.1),
    ],
    "chess": [("python-chess", each(chess_moves), 1.0)],
    "bingo3d": [("plain", each(lines.bingo3d_moves), 1.0)],
    "connect4": [("plain", each(lines.connect4_moves), 1.0)],
    "tictactoe": [("plain", each(lines.tictactoe_moves), 1.0)],
}
