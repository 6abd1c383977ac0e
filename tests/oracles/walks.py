"""Random games, played by the oracles' rules, that visit the rare corners: captures, drops, promotions and king hunts.

Half of the games begin from pieces scattered over the board and the hands: random games from the start seldom come to
pawn-drop mates, double checks and pinned pieces.
"""

import chess
import cshogi
import minishogilib

import lines
import sfen
from oracles import minishogilib_legal

LONGEST_GAME = 100


class ShogiWalk:
    """Shogi by cshogi."""

    START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

    def __init__(self, rng, crowd=None):
        scattered = crowd is not None or rng.random() < 0.5
        self.board = cshogi.Board(scatter(rng, 9, self.in_check, crowd) if scattered else self.START)

    @staticmethod
    def in_check(text):
        return bool(cshogi.Board(text).is_check())

    def undo(self, _move):
        self.board.pop()

    def text(self, _rng):
        return self.board.sfen()

    def moves(self):
        return list(self.board.legal_moves)

    def notation(self, move):
        return cshogi.move_to_usi(move)

    def play(self, move):
        self.board.push(move)

    def gives_check(self, move):
        self.board.push(move)
        check = self.board.is_check()
        self.board.pop()
        return bool(check)

    def is_capture(self, move):
        return not cshogi.move_is_drop(move) and self.board.piece(cshogi.move_to(move)) != 0

    def is_special(self, move):
        return cshogi.move_is_drop(move)

    def is_promotion(self, move):
        return cshogi.move_is_promotion(move)


class MinishogiWalk:
    """Minishogi by minishogilib."""

    START = "rbsgk/4p/5/P4/KGSBR b - 1"

    def __init__(self, rng, crowd=None):
        scattered = crowd is not None or rng.random() < 0.5
        self.board = minishogilib.Position()
        self.board.set_sfen(scatter(rng, 5, self.in_check, crowd) if scattered else self.START)

    def undo(self, _move):
        self.board.undo_move()

    @staticmethod
    def in_check(text):
        board = minishogilib.Position()
        board.set_sfen(text)
        return board.is_in_check()

    def text(self, _rng):
        board, mover, hands, ply = self.board.sfen(False).split()
        # It writes `1P` where SFEN has `P`.
        return f"{board} {mover} {hands.replace('1', '')} {ply}"

    def moves(self):
        return minishogilib_legal(self.board)

    def notation(self, move):
        return move.sfen()

    def play(self, move):
        self.board.do_move(move)

    def gives_check(self, move):
        self.board.do_move(move)
        check = self.board.is_in_check()
        self.board.undo_move()
        return check

    def is_capture(self, move):
        file, rank = move.sfen()[2], move.sfen()[3]
        return (int(file), ord(rank) - ord("a") + 1) in sfen.board(self.board.sfen(False))

    def is_special(self, move):
        return "*" in move.sfen()

    def is_promotion(self, move):
        return move.sfen().endswith("+")


class ChessWalk:
    """Chess by python-chess."""

    def __init__(self, rng, crowd=None):
        scattered = crowd is not None or rng.random() < 0.5
        self.board = scatter_chess(rng, crowd) if scattered else chess.Board()

    def undo(self, _move):
        self.board.pop()

    def text(self, rng):
        # Some programs write the square behind any pawn that has moved two steps, some only where it can be taken.
        return self.board.fen(en_passant=rng.choice(["legal", "fen", "xfen"]))

    def moves(self):
        return list(self.board.legal_moves)

    def notation(self, move):
        return move.uci()

    def play(self, move):
        self.board.push(move)

    def gives_check(self, move):
        return self.board.gives_check(move)

    def is_capture(self, move):
        return self.board.is_capture(move)

    def is_special(self, move):
        return self.board.is_castling(move) or self.board.is_en_passant(move)

    def is_promotion(self, move):
        return move.promotion is not None or self.board.piece_type_at(move.from_square) == chess.PAWN


class LinesWalk:
    """The games of lines, whose positions are move lists."""

    def __init__(self, rng, game):
        self.game = lines.GAMES[game]
        self.line = []

    def text(self, _rng):
        return " ".join(self.line) or "startpos"

    def moves(self):
        return self.game.moves(self.text(None))

    def play(self, move):
        self.line.append(move)

    def gives_check(self, move):
        return self.game.outcome(" ".join([*self.line, move])) is not None

    def is_capture(self, move):
        return move in self.line

    is_special = is_promotion = is_capture


def scatter(rng, width, in_check, crowd=None):
    """A legal position with the pieces of a set in random places, about the share `crowd` of them on the board.

    With a given crowd the others are out of play, else many are in hand.
    """
    zone = {5: 1, 9: 3}[width]
    while True:
        squares = [(file, rank) for file in range(1, width + 1) for rank in range(1, width + 1)]
        rng.shuffle(squares)
        kings = squares.pop(), squares.pop()
        # The oracles do not count a king among the pieces that give check.
        if max(abs(a - b) for a, b in zip(*kings)) < 2:
            continue
        pieces = dict(zip(kings, "Kk"))
        pawns = set()
        hands = ""
        share = rng.random() if crowd is None else crowd
        for kind in sfen.FULL[width]:
            side = rng.choice("bw")
            letter = kind if side == "b" else kind.lower()
            if rng.random() > share:
                hands += letter if crowd is None and rng.random() < 0.8 else ""
                continue
            place = squares.pop()
            # The rank as its owner sees it: 1 is the last.
            rank = place[1] if side == "b" else width + 1 - place[1]
            promoted = kind != "G" and rng.random() < (0.5 if rank <= zone else 0.15)
            dead = rank <= {"P": 1, "L": 1, "N": 2}.get(kind, 0)
            if promoted or dead:
                letter = "+" + letter
            if letter in "Pp":
                if (side, place[0]) in pawns:
                    continue
                pawns.add((side, place[0]))
            pieces[place] = letter
        mover = rng.choice("bw")
        other = "w" if mover == "b" else "b"
        if not in_check(sfen.join(pieces, width, other, hands)):
            return sfen.join(pieces, width, mover, hands)


def scatter_chess(rng, crowd=None):
    """A legal position with random pieces, of each kind at most the share `crowd` of a set."""
    share = 1.0 if crowd is None else crowd
    while True:
        board = chess.Board(None)
        squares = list(chess.SQUARES)
        rng.shuffle(squares)
        for color in chess.COLORS:
            board.set_piece_at(squares.pop(), chess.Piece(chess.KING, color))
            officers = [chess.QUEEN] + 2 * [chess.ROOK, chess.BISHOP, chess.KNIGHT]
            for kind in rng.sample(officers, rng.randint(0, round(7 * share))):
                board.set_piece_at(squares.pop(), chess.Piece(kind, color))
            for _ in range(rng.randint(0, round(8 * share))):
                square = squares.pop()
                if 0 < chess.square_rank(square) < 7:
                    board.set_piece_at(square, chess.Piece(chess.PAWN, color))
        board.turn = rng.choice(chess.COLORS)
        # python-chess accepts double checks that no move can have given, two pawns' say; we rightly do not.
        if board.is_valid() and len(board.checkers()) < 2:
            return board


WALKS = {
    "shogi": ShogiWalk,
    "minishogi": MinishogiWalk,
    "chess": ChessWalk,
    **{game: (lambda rng, game=game: LinesWalk(rng, game)) for game in lines.GAMES},
}

# What a game's players like, and how much.
STYLES = [
    ("gives_check", 0.9),
    ("gives_check", 0.4),
    ("is_capture", 0.5),
    ("is_special", 0.5),
    ("is_promotion", 0.5),
    (None, 0.0),
]


def choose(rng, walk, moves, liked, bias):
    """A random move, one that the players like if a few tries find it."""
    if liked and rng.random() < bias:
        for move in rng.sample(moves, min(len(moves), 40)):
            if getattr(walk, liked)(move):
                return move
    return rng.choice(moves)


def positions(game, rng, count):
    """Positions of random games, in our notation."""
    found = []
    while len(found) < count:
        walk = WALKS[game](rng)
        liked, bias = rng.choice(STYLES)
        for _ in range(LONGEST_GAME):
            text = walk.text(rng)
            moves = walk.moves()
            found.append(text)
            if not moves or len(found) == count:
                break
            walk.play(choose(rng, walk, moves, liked, bias))
    return found
