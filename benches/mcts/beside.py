#!/usr/bin/env python3
"""UCT beside its peers: simulations a second of processor time, one thread, both sides in turn in one run.

    python3 benches/mcts/beside.py [--rounds N] [connect4|chess|shogi ...]

Installs the peers into target/peers and builds ours (`--example speed`) if need be. All search the start of the game,
with uniform playouts and a new tree each time. The best of the rounds counts. Ends with 1 if a ratio is below its floor.

| game | ours | peer |
|---|---|---|
| connect4, chess | uct | OpenSpiel's MCTSBot (C++), one random rollout a leaf |
| shogi | uct:cut=15 | plain UCT in Python on cshogi (C++), playouts of 15 plies judged by material |
"""
import argparse
import math
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = ROOT / "target" / "peers"
# Our line of `--example speed`, and the floor of the ratio.
GAMES = {"connect4": ("connect4", 3.0), "chess": ("chess", 20.0), "shogi": ("shogi:cut=15", 3.0)}
# Seconds that a measurement takes at least.
SECONDS = 1.0


def measured(search):
    """Simulations a second of processor time of `search(n)`, which makes n simulations."""
    simulations = 200
    while True:
        start = time.process_time()
        search(simulations)
        seconds = time.process_time() - start
        if seconds >= SECONDS:
            return simulations / seconds
        simulations *= 4


def open_spiel(name):
    import pyspiel

    game = pyspiel.load_game({"connect4": "connect_four"}.get(name, name))
    state = game.new_initial_state()

    def search(simulations):
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        policy = pyspiel.ChildSelectionPolicy.UCT
        bot = pyspiel.MCTSBot(game, evaluator, 1.19, simulations, 1000, False, 1, False, policy)
        bot.mcts_search(state)

    return measured(search)


class Node:
    __slots__ = ("children", "move", "visits", "won")

    def __init__(self, move):
        self.move, self.visits, self.won, self.children = move, 0, 0.0, None


# Worth of the pieces 1..14 of cshogi: P L N S B R G K +P +L +N +S +B +R.
WORTH = [0, 1, 3, 3, 5, 8, 10, 6, 0, 6, 6, 6, 6, 10, 12]


def material(board):
    """The material of the first player less that of the second."""
    balance = 0
    for piece in board.pieces:
        if piece:
            balance += WORTH[piece] if piece < 16 else -WORTH[piece - 16]
    hands = board.pieces_in_hand
    # Hands list P L N S G B R.
    return balance + sum(w * (a - b) for w, a, b in zip((1, 3, 3, 5, 6, 8, 10), hands[0], hands[1]))


def cshogi_uct(simulations):
    import cshogi

    board = cshogi.Board()
    root = Node(None)
    for _ in range(simulations):
        node, path, played = root, [root], 0
        while node.children:
            log = math.log(node.visits)
            best, best_score = None, -1.0
            for child in node.children:
                if child.visits == 0:
                    best = child
                    break
                score = child.won / child.visits + 1.19 * math.sqrt(log / child.visits)
                if score > best_score:
                    best, best_score = child, score
            node = best
            board.push(node.move)
            played += 1
            path.append(node)
        if node.visits > 0 or node is root:
            node.children = [Node(move) for move in board.legal_moves]
            if node.children:
                node = random.choice(node.children)
                board.push(node.move)
                played += 1
                path.append(node)
        share = None
        for _ in range(15):
            moves = list(board.legal_moves)
            if not moves:
                # The side to move is mated; 0 is the first player.
                share = 0.0 if board.turn == 0 else 1.0
                break
            board.push(random.choice(moves))
            played += 1
        if share is None:
            share = 0.5 + 0.5 * math.tanh(material(board) / 6)
        for _ in range(played):
            board.pop()
        # The moves of the first player lead to the nodes at odd depths.
        for depth, visited in enumerate(path):
            visited.visits += 1
            visited.won += share if depth % 2 else 1.0 - share


def peer(name):
    """Runs in the peers' own process, so that its processor time is its own."""
    print(measured(cshogi_uct) if name == "shogi" else open_spiel(name))


def run(command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def install():
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    requirements = pathlib.Path(__file__).with_name("requirements.txt")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements], check=True)
    return python


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=3, help="rounds of each comparison (3)")
    arguments.add_argument("--peer", choices=GAMES, help=argparse.SUPPRESS)
    arguments.add_argument("games", nargs="*", help="some of " + ", ".join(GAMES))
    options = arguments.parse_args()
    if options.peer:
        return peer(options.peer)
    unknown = [game for game in options.games if game not in GAMES]
    if unknown or options.rounds < 1:
        arguments.error(f"no such game: {unknown[0]}" if unknown else "--rounds must be at least 1")
    python = install()
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "tesuji-registry", "--example", "speed"], check=True, cwd=ROOT)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    speed = target / "release" / "examples" / "speed"
    good = True
    print(f"{'simulations/CPU-s':18} {'ours':>12} {'peer':>12} {'ratio':>8} {'floor':>6}")
    for game in options.games or GAMES:
        line, floor = GAMES[game]
        ours = theirs = 0.0
        for _ in range(options.rounds):
            ours = max(ours, float(run([speed, line]).split()[1]))
            theirs = max(theirs, float(run([python, __file__, "--peer", game])))
        ratio = ours / theirs
        good &= ratio >= floor
        verdict = "ok" if ratio >= floor else "BELOW"
        print(f"{game:18} {ours:12.0f} {theirs:12.0f} {ratio:8.1f} {floor:6.1f} {verdict}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
