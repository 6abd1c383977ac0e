#!/usr/bin/env python3
"""Kills a training run at random moments and goes on with it, until it ends; then compares it with one that was left alone.

    python3 tests/runs/kill.py --kills 50
    python3 tests/runs/kill.py --learner dqn --generations 60       # or td, or records

Everything but costs and the report must be the same, byte for byte. Ends with 1 if it is not.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXPERIMENT = """
game = "minishogi"
[network]
blocks = 2
filters = 16
reply = true
moves_left = true
[selfplay]
games = 48
simulations = 24
playout_cap_share = 0.3
playout_cap_simulations = 8
forced = 2.0
mate = "dfpn:200"
resign = 0.9
[training]
batch = 32
window_positions = 3000
[measure]
every = 2
games = 4
final_games = 8
simulations = 16
opponents = ["random", "generation:0"]
[keep]
networks_every = 3
"""

DQN = """
game = "tictactoe"
[network]
kind = "dqn"
hidden = [64]
duelling = true
[selfplay]
games = 64
[training]
batch = 32
optimiser = { adam = { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } }
schedule = { constant = { rate = 0.001 } }
[method]
kind = "dqn"
replay = 1000
steps = 2
priority = 0.6
target_every = 7
[measure]
every = 2
games = 4
final_games = 8
opponents = ["random", "generation:0"]
[keep]
networks_every = 3
"""

TD = """
game = "tictactoe"
[network]
kind = "dense"
hidden = [64, 64]
[selfplay]
games = 64
[training]
optimiser = { adagrad = { epsilon = 1e-10 } }
schedule = { constant = { rate = 0.05 } }
l2 = 0.0
[method]
kind = "td"
lambda = 0.5
[measure]
every = 2
games = 4
final_games = 8
agent = "minimax:depth=1,eval=net:NET"
opponents = ["random"]
"""

RECORDS = """
game = "tictactoe"
[network]
blocks = 1
filters = 16
[training]
batch = 32
steps = 30
schedule = { constant = { rate = 0.05 } }
[method]
kind = "records"
data = "data"
folds = 4
[measure]
every = 2
games = 4
final_games = 8
agent = "policy:net=NET"
opponents = ["random"]
"""

LEARNERS = {"alphazero": EXPERIMENT, "dqn": DQN, "td": TD, "records": RECORDS}

# Never the same twice, or shown with what never is; half-written files are overwritten by the next attempt.
DIFFERENT = {"costs.jsonl", "report.html"}


def files(root):
    """Every file of a run that must repeat, by name."""
    found = {}
    for path in sorted(Path(root).rglob("*")):
        name = str(path.relative_to(root))
        if path.is_file() and name not in DIFFERENT and not name.endswith(".tmp"):
            found[name] = path.read_bytes()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="how often to kill the run")
    parser.add_argument("--generations", type=int, default=8, help="how long the run is")
    parser.add_argument("--learner", choices=LEARNERS, default="alphazero", help="the way of learning")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    arguments = parser.parse_args()
    tesuji = os.path.abspath(os.environ.get("TESUJI", "target/release/tesuji"))
    chance = random.Random(arguments.seed)
    directory = Path(tempfile.mkdtemp(prefix="tesuji-kill-"))
    experiment = directory / "experiment.toml"
    experiment.write_text(LEARNERS[arguments.learner])
    budget = ["--budget", str(arguments.generations)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": directory}

    if arguments.learner == "records":
        words = ["--game", "tictactoe", "--first", "uct:sims=20", "--games", "300", "--out", "data"]
        subprocess.run([tesuji, "data", "generate", *words], check=True, **quiet)
    began = time.monotonic()
    subprocess.run([tesuji, "train", experiment, "--out", "whole", "--threads", "2", *budget], check=True, **quiet)
    seconds = time.monotonic() - began
    print(f"left alone: {seconds:.1f} s")

    command = [tesuji, "train", experiment, "--out", "killed", *budget]
    kills = 0
    while True:
        threads = ["--threads", str(chance.choice([1, 2, 4]))]
        process = subprocess.Popen([*command, *threads], **quiet)
        # Short enough that the kills spread over the whole run; starting costs some of it.
        patience = chance.uniform(0.02, 2.5 * seconds / arguments.kills) if kills < arguments.kills else None
        try:
            code = process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        else:
            if code != 0:
                sys.exit(f"the run failed with {code} after {kills} kills: {directory}")
            break
        if (directory / "killed" / "experiment.toml").exists():
            command = [tesuji, "train", "--resume", "--out", "killed", *budget]

    whole, killed = files(directory / "whole"), files(directory / "killed")
    differences = [name for name in sorted(whole.keys() | killed.keys()) if whole.get(name) != killed.get(name)]
    if differences:
        sys.exit(f"after {kills} kills these differ: {', '.join(differences)}; see {directory}")
    print(f"killed {kills} times: {len(whole)} files, all the same")
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
