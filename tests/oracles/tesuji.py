"""Our side of a comparison: the `tesuji` binary behind pipes."""

import json
import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def binary():
    """The release binary, or the one that the environment variable TESUJI names."""
    path = Path(os.environ.get("TESUJI", REPOSITORY / "target/release/tesuji"))
    if not path.exists():
        raise SystemExit(f"{path} is missing: run `cargo build --release` or set TESUJI")
    return path


def run(arguments, lines=()):
    """The lines that `tesuji` answers, or an exception with its error message."""
    text = "".join(line + "\n" for line in lines)
    done = subprocess.run([binary(), *arguments], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"tesuji {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def moves(game, positions):
    """The sorted legal moves of each position."""
    answers = [line.split() for line in run(["moves", game, "--file", "-"], positions)] if positions else []
    if len(answers) != len(positions):
        raise RuntimeError(f"{len(positions)} positions asked, {len(answers)} answered")
    return answers


def states(game, positions, rules="official"):
    """What `tesuji show` knows of each position: outcome, ending, check, ..."""
    answers = run(["show", game, "--file", "-", "--json", "--rules", rules], positions) if positions else []
    if len(answers) != len(positions):
        raise RuntimeError(f"{len(positions)} positions asked, {len(answers)} answered")
    return [json.loads(line) for line in answers]


def random_games(game, seed, games):
    """Positions of our own random games, each with its moves and its outcome (None while the game goes on)."""
    for line in run(["play-random", game, "--games", str(games), "--seed", str(seed), "--dump"]):
        position, legal, outcome, _ending = line.split("\t")
        yield position, legal.split(), None if outcome == "-" else outcome
