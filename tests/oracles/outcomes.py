#!/usr/bin/env python3
"""Compares how games end with independent programs: repetition, perpetual check, declarations, draws.

    outcomes.py shogi minishogi chess --games 200 --seed 1

Few pieces, players who like to return to positions they have seen, and hunters who check whenever they can: such games
repeat. Every prefix of a game is compared up to its end. Exits with 1 if any outcome differs.

Shogi and minishogi are compared with pyffish, declarations in shogi with cshogi, chess with python-chess, the games of
lines with a plain program.
"""

import argparse
import collections
import os
import random
import sys
import time

import cshogi
import pyffish

import lines
import parallel
import sfen
import tesuji
import walks

LONGEST_GAME = 60
CHUNK = 10
SHOWN_DIFFERENCES = 10
SIDES = ("first", "second")


def other(side):
    return SIDES[1 - SIDES.index(side)]


class ShogiJudge:
    """Mate by the walk's own program, repetition by Fairy-Stockfish."""

    def __init__(self, variant, start):
        self.variant = variant
        self.width = sfen.size(start)
        self.fen = sfen.to_fairy(start)
        self.mover = "first" if start.split()[1] == "b" else "second"
        self.line = []

    def play(self, text):
        self.line.append(sfen.to_fairy_move(text, self.width))
        self.mover = other(self.mover)

    def outcome(self, walk):
        if not walk.moves():
            return other(self.mover)
        ended, value = pyffish.is_optional_game_end(self.variant, self.fen, self.line)
        if not ended:
            return None
        # The value is the mover's.
        return "draw" if value == 0 else self.mover if value > 0 else other(self.mover)


class ChessJudge:
    """All by python-chess; draws that a player may claim count from the moment when they could be."""

    def __init__(self, _variant, _start):
        pass

    def play(self, _text):
        pass

    def outcome(self, walk):
        board = walk.board
        if board.is_checkmate():
            return "second" if board.turn else "first"
        drawn = board.is_stalemate() or board.is_insufficient_material()
        return "draw" if drawn or board.halfmove_clock >= 100 or board.is_repetition(3) else None


JUDGES = {"shogi": ShogiJudge, "minishogi": ShogiJudge, "chess": ChessJudge}


def place(text):
    """A position without its counters."""
    return " ".join(text.split()[: 4 if text.count("/") == 7 else 3])


def choose(rng, walk, moves, seen, hunting):
    """A move that repeats if it can, and checks if the side hunts."""
    moves = rng.sample(moves, min(len(moves), 40))
    if hunting:
        moves = [move for move in moves if walk.gives_check(move)] or moves
    if rng.random() < 0.85:
        for move in moves:
            walk.play(move)
            known = place(walk.text(rng)) in seen
            walk.undo(move)
            if known:
                return move
    return moves[0]


def cyclic_game(game, rng):
    """The prefixes of one game as texts, and the outcome of each by the judge."""
    walk = walks.WALKS[game](rng, crowd=rng.choice([0.1, 0.25, 0.4]))
    if game == "chess":
        walk.board.halfmove_clock = rng.choice([0, 0, 80, 95])
    start = walk.text(rng)
    judge = JUDGES[game](game, start)
    hunter = rng.choice([(), (0,), (1,), (0, 1)])
    seen, line, texts, outcomes = set(), [], [], []
    for turn in range(LONGEST_GAME):
        if game == "shogi" and walk.board.is_nyugyoku():
            # Fairy-Stockfish knows no declarations: `declarations` looks at those.
            break
        texts.append(f"{start} moves {' '.join(line)}" if line else start)
        outcomes.append(judge.outcome(walk))
        if outcomes[-1]:
            break
        seen.add(place(walk.text(rng)))
        move = choose(rng, walk, walk.moves(), seen, turn % 2 in hunter)
        line.append(walk.notation(move))
        walk.play(move)
        judge.play(line[-1])
    return texts, outcomes


def cyclic_games(game, rng, count):
    texts, outcomes = [], []
    for _ in range(count):
        more_texts, more_outcomes = cyclic_game(game, rng)
        texts += more_texts
        outcomes += more_outcomes
    return texts, outcomes


def declarations(rng, count):
    """Positions in which a king has entered, and whether cshogi lets the mover declare a win."""
    texts, outcomes = [], []
    while len(texts) < count:
        text = entered(rng)
        board = cshogi.Board(text)
        if not board.legal_moves:
            continue
        mover = SIDES[board.turn]
        texts.append(text)
        outcomes.append(mover if board.is_nyugyoku() else None)
    return texts, outcomes


def entered(rng):
    """A legal position in which the first player's king has mostly entered, turned for the second in half the cases."""
    while True:
        zone = [(file, rank) for file in range(1, 10) for rank in range(1, 4)]
        field = [(file, rank) for file in range(1, 10) for rank in range(4, 10)]
        rng.shuffle(zone)
        rng.shuffle(field)
        king, enemy = (zone if rng.random() < 0.9 else field).pop(), field.pop()
        pieces, hands = {king: "K", enemy: "k"}, ""
        kinds = list(sfen.FULL[9])
        rng.shuffle(kinds)
        inside = rng.randint(8, 13)
        for kind in kinds:
            mine = rng.random() < 0.6
            if mine and inside:
                inside -= 1
                # Promoted, a piece may stand anywhere, and a pawn beside another.
                pieces[zone.pop()] = kind if kind == "G" else "+" + kind
            else:
                hands += kind if mine else kind.lower()
        mover, waiting = "b", "w"
        if rng.random() < 0.5:
            pieces = {(10 - file, 10 - rank): piece.swapcase() for (file, rank), piece in pieces.items()}
            hands = hands.swapcase()
            mover, waiting = waiting, mover
        touching = max(abs(a - b) for a, b in zip(king, enemy)) < 2
        if not touching and not cshogi.Board(sfen.join(pieces, 9, waiting, hands)).is_check():
            return sfen.join(pieces, 9, mover, hands)


def line_games(game, rng, count):
    texts = []
    for _ in range(count):
        texts += walks.positions(game, rng, 40)
    return texts, [lines.GAMES[game].outcome(text) for text in texts]


SOURCES = {
    "shogi": lambda rng, count: cyclic_games("shogi", rng, count),
    "minishogi": lambda rng, count: cyclic_games("minishogi", rng, count),
    "chess": lambda rng, count: cyclic_games("chess", rng, count),
    # As many positions as a game has plies.
    "shogi declarations": lambda rng, count: declarations(rng, 30 * count),
    **{game: (lambda rng, count, game=game: line_games(game, rng, count)) for game in lines.GAMES},
}


def compare_chunk(source, seed, number, games):
    """Compares some games: (positions compared, counts of endings, differences as text)."""
    rng = random.Random(f"{source} {seed} {number}")
    texts, expected = SOURCES[source](rng, games)
    endings, differences = collections.Counter(), []
    for text, wanted, state in zip(texts, expected, tesuji.states(source.split()[0], texts), strict=True):
        if state["outcome"]:
            endings[f"{state['outcome']} by {state['ending']}"] += 1
        if state["outcome"] != wanted:
            found = f"{state['outcome']} ({state['ending']})" if state["outcome"] else "nothing"
            differences.append(f"{source}: {text}\n  should be {wanted or 'nothing'}, tesuji says {found}")
    return len(texts), endings, differences


def compare(source, games, seed, jobs):
    """Compares one source of games and prints a summary; returns the number of differences."""
    start = time.monotonic()
    tasks = [(source, seed, i, min(CHUNK, games - i * CHUNK)) for i in range((games + CHUNK - 1) // CHUNK)]
    positions, endings, differences = 0, collections.Counter(), []
    for chunk_positions, chunk_endings, chunk_differences in parallel.run(compare_chunk, tasks, jobs):
        positions += chunk_positions
        endings += chunk_endings
        differences += chunk_differences
    for text in differences[:SHOWN_DIFFERENCES]:
        print(text, file=sys.stderr)
    seconds = time.monotonic() - start
    print(f"{source}: {games} games, {positions} positions in {seconds:.1f} s, {len(differences)} differences")
    print("  " + ", ".join(f"{number} {ending}" for ending, number in sorted(endings.items())), flush=True)
    return len(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="default: all")
    parser.add_argument("--games", type=int, default=100, metavar="N", dest="count", help="for each (default 100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of all random choices (default 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes (default: all cores)")
    arguments = parser.parse_args()
    sources = [source for source in SOURCES if not arguments.games or source.split()[0] in arguments.games]
    unknown = [game for game in arguments.games if game not in SOURCES]
    if unknown:
        parser.error(f"no judge for {', '.join(unknown)}")
    tesuji.binary()
    differences = sum(compare(source, arguments.count, arguments.seed, arguments.jobs) for source in sources)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
