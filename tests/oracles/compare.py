#!/usr/bin/env python3
"""Compares whole lists of legal moves with independent programs, position by position, on random games.

    compare.py shogi minishogi chess --positions 100000 --seed 1

Three quarters of the positions come from games played by an oracle's rules (see walks.py), one quarter from our own
`tesuji play-random`. Prints what the positions were like; exits with 1 if any list differs. Position sets depend on
the seed alone, not on the number of processes.
"""

import argparse
import collections
import os
import random
import sys
import time

import oracles
import parallel
import tesuji
import traits
import walks

CHUNK = 500
SHOWN_DIFFERENCES = 10


def own_positions(game, rng, count):
    """Positions of our own random games."""
    found = []
    while len(found) < count:
        for position, _moves, _outcome in tesuji.random_games(game, rng.getrandbits(32), 10):
            found.append(position)
    # Later positions are the interesting ones, and every game has a fair share.
    return rng.sample(found, count)


def compare_chunk(game, seed, number, size):
    """Compares one chunk: (positions compared with each oracle, counts of traits, differences as text)."""
    rng = random.Random(f"{game} {seed} {number}")
    source = own_positions if number % 4 == 3 else walks.positions
    positions = source(game, rng, size)
    assert len(positions) == size, f"{len(positions)} positions made, {size} wanted"
    ours = tesuji.moves(game, positions)
    asked = collections.Counter()
    differences = []
    for name, moves_of, share in oracles.ORACLES[game]:
        sample = [i for i in range(size) if share == 1.0 or rng.random() < share]
        theirs = moves_of([positions[i] for i in sample])
        if len(theirs) != len(sample):
            raise RuntimeError(f"{name}: {len(sample)} positions asked, {len(theirs)} answered")
        asked[name] += len(sample)
        for i, expected in zip(sample, theirs):
            if ours[i] != expected:
                differences.append(describe(game, positions[i], name, ours[i], expected))
    seen = collections.Counter()
    for position, moves in zip(positions, ours):
        seen.update(name for name, has in traits.TRAITS[game](position, moves).items() if has)
    return asked, seen, differences


def describe(game, position, name, ours, expected):
    """One difference, for people."""
    few = collections.Counter(expected) - collections.Counter(ours)
    many = collections.Counter(ours) - collections.Counter(expected)
    parts = [f"{game} {position}"]
    parts += [f"  only {name} lists: {' '.join(sorted(few.elements()))}"] if few else []
    parts += [f"  only tesuji lists: {' '.join(sorted(many.elements()))}"] if many else []
    parts += ["  same moves, but not sorted"] if not few and not many else []
    return "\n".join(parts)


def compare(game, count, seed, jobs):
    """Compares a game and prints a summary; returns the number of differences."""
    start = time.monotonic()
    tasks = [(game, seed, i, min(CHUNK, count - i * CHUNK)) for i in range((count + CHUNK - 1) // CHUNK)]
    asked, seen, differences = collections.Counter(), collections.Counter(), []
    for chunk_asked, chunk_seen, chunk_differences in parallel.run(compare_chunk, tasks, jobs):
        asked += chunk_asked
        seen += chunk_seen
        differences += chunk_differences
    for name, _, share in oracles.ORACLES[game]:
        # No differences mean nothing unless everything was compared.
        if share == 1.0 and asked[name] != count:
            raise RuntimeError(f"{game}: {name} was asked about {asked[name]} of {count} positions")
    for text in differences[:SHOWN_DIFFERENCES]:
        print(text, file=sys.stderr)
    print(f"{game}: {count} positions in {time.monotonic() - start:.1f} s, {len(differences)} differences")
    print("  compared with " + ", ".join(f"{name} ({number})" for name, number in asked.items()))
    print("  positions with " + ", ".join(f"{name} {number}" for name, number in sorted(seen.items())), flush=True)
    return len(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(oracles.ORACLES)}; default: all")
    parser.add_argument("--positions", type=int, default=2000, metavar="N", help="for each game (default 2000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of all random choices (default 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes (default: all cores)")
    arguments = parser.parse_args()
    unknown = [game for game in arguments.games if game not in oracles.ORACLES]
    if unknown:
        parser.error(f"no oracle for {', '.join(unknown)}")
    tesuji.binary()
    games = arguments.games or oracles.ORACLES
    differences = sum(compare(game, arguments.positions, arguments.seed, arguments.jobs) for game in games)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
