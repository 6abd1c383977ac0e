#!/usr/bin/env python3
"""Looks for false mates: solves quiet positions of random games and has the claims confirmed by other programs.

    mates.py shogi minishogi chess --positions 10000 --seed 1

Every line that `tesuji mate` prints is replayed by another program's rules to a mate; a sample of the claims is put to
Stockfish (chess) or Fairy-Stockfish (shogi, minishogi), which must find a mate for the same side. The solvers must not
contradict each other either: where one finds a mate, none that looks as far may say that there is none. Exits with 1 if
a claim fails.
"""

import argparse
import json
import random
import subprocess
import sys
import time

import chess
import pyffish

import sfen
import tesuji

SOLVERS = ("dfpn", "dfs:3", "exact:2")
SHOWN_FAILURES = 10
# Longer mates may be beyond the engine in the time that it gets.
LONGEST_CONFIRMED = 7


class Engine:
    """A UCI engine that is asked for mates."""

    def __init__(self, game):
        self.game = game
        command = "stockfish" if game == "chess" else "fairy-stockfish"
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        if game != "chess":
            self.send(f"setoption name UCI_Variant value {game}")
        self.send("isready")
        self.until("readyok")

    def send(self, line):
        self.process.stdin.write(line + "\n")

    def until(self, word):
        """The lines up to the one that begins with the word."""
        lines = []
        while not lines or not lines[-1].startswith(word):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the engine for {self.game} ended")
            lines.append(line.strip())
        return lines

    def finds_mate(self, position, plies):
        """Whether the engine finds a mate for the side to move."""
        fen = position if self.game == "chess" else sfen.to_fairy(position)
        self.send("ucinewgame")
        self.send(f"position fen {fen}")
        # The limit of nodes is for claims that are false, where it would search for ever.
        self.send(f"go mate {(plies + 1) // 2} nodes 3000000")
        lines = self.until("bestmove")
        scores = [line.split(" score ")[1].split() for line in lines if " score " in line]
        return any(kind == "mate" and int(value) > 0 for kind, value, *_ in scores)

    def close(self):
        self.send("quit")
        self.process.wait(timeout=10)


def replays_to_mate(game, position, line):
    """Whether the line is legal and ends in mate by another program's rules."""
    if game == "chess":
        board = chess.Board(position)
        for text in line:
            move = chess.Move.from_uci(text)
            if move not in board.legal_moves:
                return False
            board.push(move)
        return board.is_checkmate()
    fen, played = sfen.to_fairy(position), []
    for text in line:
        move = sfen.to_fairy_move(text, sfen.size(position))
        if move not in pyffish.legal_moves(game, fen, played):
            return False
        played.append(move)
    return not pyffish.legal_moves(game, fen, played) and pyffish.gives_check(game, fen, played)


def quiet_positions(game, rng, count):
    """Positions of random games in which the side to move is not in check and the game goes on."""
    found = []
    while len(found) < count:
        games = tesuji.random_games(game, rng.getrandbits(32), 20)
        positions = [position for position, _moves, outcome in games if outcome is None]
        quiet = [p for p, state in zip(positions, tesuji.states(game, positions)) if not state["in_check"]]
        # Few of each game, lest neighbours fill the sample.
        found += rng.sample(quiet, min(len(quiet), max(20, count // 20)))
    return found[:count]


def solve(game, solver, positions):
    """What our solver says of each position."""
    options = ["--solver", solver, "--nodes", "20000", "--ms", "600000", "--hash", "16", "--json"]
    answers = [json.loads(line) for line in tesuji.run(["mate", game, "--file", "-", *options], positions)]
    if len(answers) != len(positions):
        raise RuntimeError(f"{len(positions)} positions asked, {len(answers)} answered")
    return answers


def check(game, count, sample, seed):
    """Checks a game and prints a summary; returns the number of failures."""
    start = time.monotonic()
    rng = random.Random(f"mates {game} {seed}")
    positions = quiet_positions(game, rng, count)
    answers = {solver: solve(game, solver, positions) for solver in SOLVERS}
    failures, claims = [], []
    for number, position in enumerate(positions):
        for solver in SOLVERS:
            answer = answers[solver][number]
            if answer["answer"] == "mate":
                claims.append((solver, position, answer["line"]))
        words = {solver: answers[solver][number]["answer"] for solver in SOLVERS}
        if words["dfs:3"] == "mate" and "no mate" in (words["dfpn"], words["exact:2"]):
            failures.append(f"{game} {position}: {words}")
    for solver, position, line in claims:
        if not replays_to_mate(game, position, line):
            failures.append(f"{game} {position}: {solver} claims {' '.join(line)}, which is no mate")
    short = [claim for claim in claims if len(claim[2]) <= LONGEST_CONFIRMED]
    asked = rng.sample(short, min(len(short), sample))
    engine = Engine(game)
    for solver, position, line in asked:
        if not engine.finds_mate(position, len(line)):
            failures.append(f"{game} {position}: {solver} claims {' '.join(line)}, the engine finds no mate")
    engine.close()
    for text in failures[:SHOWN_FAILURES]:
        print(text, file=sys.stderr)
    found = ", ".join(f"{sum(a['answer'] == 'mate' for a in answers[s])} by {s}" for s in SOLVERS)
    unknown = sum(a["answer"] == "unknown" for s in SOLVERS for a in answers[s])
    print(f"{game}: {count} quiet positions in {time.monotonic() - start:.1f} s, {len(failures)} failures")
    print(f"  mates: {found}; {unknown} answers unknown; {len(claims)} lines replayed, {len(asked)} put to an engine")
    if not asked:
        raise RuntimeError(f"{game}: no mate was claimed, so nothing was confirmed: take more positions")
    return len(failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    games = ("shogi", "minishogi", "chess")
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(games)}; default: all")
    parser.add_argument("--positions", type=int, default=1000, metavar="N", help="for each game (default 1000)")
    parser.add_argument("--sample", type=int, default=50, metavar="N", help="claims put to an engine (default 50)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of all random choices (default 1)")
    arguments = parser.parse_args()
    unknown = [game for game in arguments.games if game not in games]
    if unknown:
        parser.error(f"no mate solver for {', '.join(unknown)}")
    tesuji.binary()
    chosen = arguments.games or games
    failures = sum(check(game, arguments.positions, arguments.sample, arguments.seed) for game in chosen)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
