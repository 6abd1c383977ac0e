#!/usr/bin/env python3
"""Our df-pn beside cshogi's on the same problems, one core, one run: solved, positions a second, time ratio.

    target/oracles/bin/python benches/mate/beside_cshogi.py [FILE ...] [--nodes N] [--rounds N]

Files have one SFEN a line, text after a TAB and lines with # in front ignored; the default is tests/mate/shogi.txt. Both
solvers stop at the same number of positions; what is compared is processor time, rounds taking turns, so that other work
on the machine disturbs both alike. Starting up (ours makes its table then, cshogi when the solver is made) is not
counted. A position is what each program counts as one: the ratio of times is the honest figure.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import cshogi

REPOSITORY = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("TESUJI", REPOSITORY / "target/release/tesuji"))


def problems(path):
    lines = [line.split("\t")[0].strip() for line in open(path) if not line.startswith("#")]
    return [line for line in lines if line]


def ours(positions, nodes):
    """(solved, positions, processor seconds) of `tesuji mate`."""
    command = [BINARY, "mate", "shogi", "--file", "-", "--nodes", str(nodes), "--ms", "3600000", "--json"]
    text = "".join(line + "\n" for line in positions)
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{BINARY}: {done.stderr.strip()}")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(positions):
        raise SystemExit(f"{len(positions)} positions asked, {len(answers)} answered")
    seconds = sum(answer["cpu_ms"] for answer in answers) / 1e3
    return sum(a["answer"] == "mate" for a in answers), sum(a["nodes"] for a in answers), seconds


def theirs(positions, nodes):
    """The same of cshogi's DfPn."""
    solver = cshogi.DfPn(depth=1600, nodes=nodes, draw_ply=32767)
    solved = searched = 0
    start = time.process_time()
    for position in positions:
        board = cshogi.Board(position)
        solved += bool(solver.search(board))
        searched += solver.searched_node
    return solved, searched, time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = str(REPOSITORY / "tests/mate/shogi.txt")
    parser.add_argument("files", nargs="*", metavar="FILE", default=[default])
    parser.add_argument("--nodes", type=int, default=500_000, metavar="N", help="for each problem (default 500000)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="the best of so many (default 3)")
    arguments = parser.parse_args()
    if not BINARY.exists():
        raise SystemExit(f"{BINARY} is missing: run `cargo build --release` or set TESUJI")
    print(f"{'problems':24} {'':8} {'solved':>8} {'positions':>10} {'1000/s':>8} {'ms each':>9}")
    for path in arguments.files:
        positions = problems(path)
        rounds = [(ours(positions, arguments.nodes), theirs(positions, arguments.nodes)) for _ in range(arguments.rounds)]
        best = [min((both[side] for both in rounds), key=lambda result: result[2]) for side in (0, 1)]
        for name, (solved, searched, seconds) in zip(("tesuji", "cshogi"), best):
            share = f"{solved}/{len(positions)}"
            rate, each = searched / seconds / 1e3, seconds / len(positions) * 1e3
            print(f"{Path(path).name:24} {name:8} {share:>8} {searched:>10} {rate:>8.0f} {each:>9.3f}")
        print(f"{'':24} time of cshogi / ours: {best[1][2] / best[0][2]:.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
