#!/usr/bin/env python3
"""Compares `tesuji data import` with python-chess: every position of a sample must be where python-chess finds it.

    pgn.py tests/pgn/engine.pgn --sample 2000

Both read the same file. The counts of games, results and positions must be the same, and for each position that was
kept and drawn: the FEN, the move, the result. Imports on one and on three threads must be the same bytes. Exits with 1
if anything differs.
"""

import argparse
import collections
import json
import sys
import tempfile
from pathlib import Path

import chess.pgn

import tesuji

RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}
STANDARD = {"", "standard", "chess", "normal", "from position"}
SHOWN_DIFFERENCES = 10


def games(path):
    """The games of a file in order: (first board, moves, opening, result), or None for one that is not to be learned from."""
    with open(path, encoding="utf-8", errors="surrogateescape") as source:
        while (game := chess.pgn.read_game(source)) is not None:
            result = RESULTS.get(game.headers.get("Result", "*"))
            moves = list(game.mainline_moves())
            variant = game.headers.get("Variant", "").lower()
            good = not game.errors and result is not None and moves and variant in STANDARD
            # Moves of the opening that nobody chose.
            opening = min(int(game.headers.get("OpeningPlies", 0)), len(moves))
            yield (game.board(), moves, opening, result) if good else None


def differences(path, sample, seed):
    """How many positions were compared, and what differs, in words."""
    found = []
    with tempfile.TemporaryDirectory() as directory:
        sets = []
        for threads in ("1", "3"):
            out = Path(directory) / threads
            tesuji.run(["data", "import", str(path), "--out", str(out), "--seed", str(seed), "--threads", threads])
            sets.append({file.name: file.read_bytes() for file in sorted(out.iterdir())})
        if sets[0] != sets[1]:
            found.append("one and three threads made different sets")
        about = json.loads(sets[0]["data.json"])
        out = str(Path(directory) / "1")
        lines = tesuji.run(["data", "describe", out, "--sample", str(sample), "--seed", str(seed), "--json"])
        tesuji.run(["data", "describe", out, "--check"])
    wanted = collections.defaultdict(list)
    for line in map(json.loads, lines):
        wanted[line["game"]].append(line)
    counts = collections.Counter()
    compared = 0
    for number, game in enumerate(games(path), 1):
        if game is None:
            continue
        board, moves, opening, result = game
        counts["games"] += 1
        counts["positions"] += len(moves) - opening
        counts[result] += 1
        asked = {line["ply"]: line for line in wanted.pop(number, [])}
        for ply, move in enumerate(moves, 1):
            if line := asked.pop(ply, None):
                theirs = (board.fen(en_passant="legal"), board.uci(move), result)
                ours = (line["position"], line["move"], line["result"])
                compared += 1
                if ours != theirs:
                    found.append(f"game {number} ply {ply}: {ours}, python-chess {theirs}")
            board.push(move)
        found.extend(f"game {number} has no ply {ply}" for ply in asked)
    found.extend(f"python-chess has no game {number} to learn from" for number in wanted)
    ours = about["counts"]
    for name, mine, theirs in [
        ("games", ours["games"], counts["games"]),
        ("positions", ours["positions"] + ours["beyond_end"], counts["positions"]),
        ("results", ours["outcomes"], [counts[result] for result in (1, 0, -1)]),
    ]:
        if mine != theirs:
            found.append(f"{name}: {mine}, python-chess {theirs}")
    share = ours["kept"] / ours["positions"]
    print(f"{path}: {ours['games']} games, {ours['positions']} positions, {share:.4f} of them kept, {compared} compared")
    return compared, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, default=2000, help="positions of each file to compare")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    different = 0
    for path in arguments.files:
        compared, found = differences(path, arguments.sample, arguments.seed)
        for line in found[:SHOWN_DIFFERENCES]:
            print(f"  {line}")
        if compared == 0:
            print("  nothing was compared")
        different += len(found) + (compared == 0)
    print(f"{different} differences")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
