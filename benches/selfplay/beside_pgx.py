#!/usr/bin/env python3
"""Self-play of connect four beside pgx + mctx in one run: evaluations a CPU-second, games a CPU-hour.

    cargo build --release
    pip install "jax[cpu]" pgx mctx
    python3 benches/selfplay/beside_pgx.py              # five rounds of each, in turn; about two minutes

Both play with a network of 5 residual blocks of 64 filters and 100 simulations a move on one core, without noise or a
solver. Ours is `tesuji train connect4-laptop` for one generation with its training cut to a single step, read from the ledger: playing
and inference. Theirs is Gumbel MuZero search over 256 games at a time, the whole loop compiled by XLA.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

# One core and one thread, before JAX looks.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import mctx  # noqa: E402
import pgx  # noqa: E402

FILTERS, BLOCKS = 64, 5


def ours(binary, games, simulations, seed):
    """(evaluations a CPU-second, games a CPU-hour, evaluations a move)"""
    changes = {
        "seed": seed,
        "selfplay.games": games,
        "selfplay.simulations": simulations,
        "selfplay.noise_epsilon": 0.0,
        "selfplay.solver": "false",
        "selfplay.playout_cap_share": 0.0,
        "training.steps": 1,
        "measure.final_games": 0,
    }
    with tempfile.TemporaryDirectory() as directory:
        run = pathlib.Path(directory) / "run"
        words = [binary, "train", "connect4-laptop", "--out", str(run), "--budget", "1", "--threads", "1"]
        for key, value in changes.items():
            words += ["--set", f"{key}={value}"]
        subprocess.run(words, check=True, capture_output=True)
        entries = [json.loads(line) for line in (run / "costs.jsonl").read_text().splitlines()]
    cpu = sum(entry["cpu"] for entry in entries if entry["phase"] in ("self-play", "inference", "mate-search"))
    total = lambda key: sum(entry.get(key, 0) for entry in entries)
    return total("evaluations") / cpu, 3600 * total("games") / cpu, total("evaluations") / total("positions")


def init(key):
    """The weights of the same network; norms are folded into the convolutions as in play."""
    keys = iter(jax.random.split(key, 64))
    conv = lambda size, inputs, outputs: (
        jax.random.normal(next(keys), (size, size, inputs, outputs)) * (2 / (size * size * inputs)) ** 0.5,
        jnp.zeros(outputs),
    )
    dense = lambda inputs, outputs: (jax.random.normal(next(keys), (inputs, outputs)) * inputs**-0.5, jnp.zeros(outputs))
    return {
        "stem": conv(3, 2, FILTERS),
        "blocks": [(conv(3, FILTERS, FILTERS), conv(3, FILTERS, FILTERS)) for _ in range(BLOCKS)],
        "policy": (conv(1, FILTERS, 8), dense(8 * 42, 7)),
        "value": (conv(1, FILTERS, 4), dense(4 * 42, 64), dense(64, 1)),
    }


def network(weights, planes):
    def conv(x, layer):
        return jax.lax.conv_general_dilated(x, layer[0], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + layer[1]

    x = jax.nn.relu(conv(planes.astype(jnp.float32), weights["stem"]))
    for first, second in weights["blocks"]:
        x = jax.nn.relu(x + conv(jax.nn.relu(conv(x, first)), second))
    flat = lambda y: jax.nn.relu(y).reshape(y.shape[0], -1)
    dense = lambda y, layer: y @ layer[0] + layer[1]
    logits = dense(flat(conv(x, weights["policy"][0])), weights["policy"][1])
    hidden = jax.nn.relu(dense(flat(conv(x, weights["value"][0])), weights["value"][1]))
    return logits, jnp.tanh(dense(hidden, weights["value"][2]))[:, 0]


class Theirs:
    def __init__(self, batch, simulations):
        self.batch, self.simulations = batch, simulations
        env = pgx.make("connect_four")
        step, start = jax.vmap(env.step), jax.vmap(env.init)

        def judged(weights, state):
            logits, value = network(weights, state.observation)
            logits = jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)
            return logits, jnp.where(state.terminated, 0.0, value)

        def recurrent(weights, _key, action, state):
            mover = state.current_player
            state = step(state, action)
            logits, value = judged(weights, state)
            reward = state.rewards[jnp.arange(batch), mover]
            discount = jnp.where(state.terminated, 0.0, -1.0)
            return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), state

        def move(weights, state, key):
            search, fresh = jax.random.split(key)
            logits, value = judged(weights, state)
            root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
            found = mctx.gumbel_muzero_policy(
                weights, search, root, recurrent, simulations, invalid_actions=~state.legal_action_mask
            )
            state = step(state, found.action)
            ended = state.terminated | state.truncated
            begun = start(jax.random.split(fresh, batch))
            pick = lambda new, old: jnp.where(ended.reshape((-1,) + (1,) * (old.ndim - 1)), new, old)
            return jax.tree_util.tree_map(pick, begun, state), ended.sum()

        self.move = jax.jit(move)
        self.weights = init(jax.random.PRNGKey(0))
        self.state = jax.jit(start)(jax.random.split(jax.random.PRNGKey(1), batch))
        self.key = jax.random.PRNGKey(2)
        # Compiled, and away from the common start.
        self.play(12)

    def play(self, moves):
        """(evaluations a CPU-second, games a CPU-hour)"""
        start, games = time.process_time(), 0
        for _ in range(moves):
            self.key, key = jax.random.split(self.key)
            self.state, ended = self.move(self.weights, self.state, key)
            games += int(ended)
        cpu = time.process_time() - start
        return moves * self.batch * (self.simulations + 1) / cpu, 3600 * games / cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=64, help="of ours, a round")
    parser.add_argument("--moves", type=int, default=2, help="of theirs, a round, in all 256 games")
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--binary", default="target/release/tesuji")
    args = parser.parse_args()
    theirs = Theirs(256, args.simulations)
    sums = [[], []]
    for number in range(args.rounds):
        our = ours(args.binary, args.games, args.simulations, number + 1)
        their = theirs.play(args.moves)
        sums[0].append(our)
        sums[1].append(their)
        print(
            f"round {number + 1}: ours {our[0]:.0f} evaluations/CPU-s, {our[1]:.0f} games/CPU-h"
            f" ({our[2]:.0f} evaluations a move); pgx + mctx {their[0]:.0f}, {their[1]:.0f}",
            flush=True,
        )
    mean = lambda rows, column: sum(row[column] for row in rows) / len(rows)
    for column, name in enumerate(["evaluations/CPU-s", "games/CPU-h"]):
        our, their = mean(sums[0], column), mean(sums[1], column)
        print(f"{name}: ours {our:.0f}, pgx + mctx {their:.0f}, ratio {our / their:.2f}")


if __name__ == "__main__":
    main()
