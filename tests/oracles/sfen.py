"""SFEN, for both board sizes, and Fairy-Stockfish's way of writing it."""

import re

# All pieces of a set but the kings.
FULL = {5: "RRBBGGSSPP", 9: "RRBBGGGGSSSSNNNNLLLLPPPPPPPPPPPPPPPPPP"}


def size(position):
    """The number of files and ranks."""
    return position.split()[0].count("/") + 1


def board(position):
    """The pieces by (file, rank), both from 1: `{(5, 9): "K", (2, 8): "+r"}`."""
    pieces = {}
    ranks = position.split()[0].split("/")
    for rank, row in enumerate(ranks, 1):
        file = len(ranks)
        for token in re.findall(r"\d|\+?[A-Za-z]", row):
            if token.isdigit():
                file -= int(token)
            else:
                pieces[file, rank] = token
                file -= 1
    return pieces


def hand(text):
    """The pieces of a hand field, one letter each."""
    return "".join(piece * int(count or 1) for count, piece in re.findall(r"(\d*)([A-Za-z])", text))


def square(file, rank):
    """The USI name of a square."""
    return f"{file}{chr(ord('a') + rank - 1)}"


def join(pieces, width, mover, hands):
    """The SFEN of a board, a side to move (`b`, `w`) and the pieces in hand."""
    rows = []
    for rank in range(1, width + 1):
        row = "".join(pieces.get((file, rank), "1") for file in range(width, 0, -1))
        rows.append(re.sub(r"1+", lambda empty: str(len(empty.group())), row))
    held = ""
    for piece in "RBGSNLPrbgsnlp":
        count = hands.count(piece)
        held += f"{count if count > 1 else ''}{piece}" if count else ""
    return f"{'/'.join(rows)} {mover} {held or '-'} 1"


def before_enemy_king(position):
    """The square from which a pawn of the side to move would attack the king, or None at the edge."""
    mover = position.split()[1]
    king, behind = ("k", 1) if mover == "b" else ("K", -1)
    for (file, rank), piece in board(position).items():
        if piece == king:
            return square(file, rank + behind) if 1 <= rank + behind <= size(position) else None
    return None


def forbids_pawn_drop_mate(position, moves):
    """Whether a pawn drop before the king is missing from the moves for no other reason than that it mates."""
    pieces = board(position)
    _, mover, hands, _ = position.split()
    pawn = "P" if mover == "b" else "p"
    front = before_enemy_king(position)
    if pawn not in hands or front is None or f"P*{front}" in moves:
        return False
    file, rank = int(front[0]), ord(front[1]) - ord("a") + 1
    doubled = any(pieces.get((file, other)) == pawn for other in range(1, size(position) + 1))
    return (file, rank) not in pieces and not doubled


def to_fairy(position):
    """The position as Fairy-Stockfish writes it: the first player is `w`, the hand is in brackets."""
    placed, mover, hands, _ = position.split()
    return f"{placed}[{hand(hands) or '-'}] {'w' if mover == 'b' else 'b'} 0 1"


def from_fairy(move, width):
    """A move of Fairy-Stockfish (`a1b2+`, `P@c3`) in USI."""

    def turn(text):
        return square(width - (ord(text[0]) - ord("a")), width + 1 - int(text[1:]))

    if "@" in move:
        return f"{move[0]}*{turn(move[2:])}"
    return turn(move[:2]) + turn(move[2:4]) + move[4:]


def to_fairy_move(move, width):
    """The opposite of `from_fairy`."""

    def turn(text):
        return f"{chr(ord('a') + width - int(text[0]))}{width - (ord(text[1]) - ord('a'))}"

    if "*" in move:
        return f"{move[0]}@{turn(move[2:])}"
    return turn(move[:2]) + turn(move[2:4]) + move[4:]
