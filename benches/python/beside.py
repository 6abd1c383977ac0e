"""States a second of the vectorised environment beside OpenSpiel and pgx, in turn, in one run, on one thread.

    pip install ./python numpy open_spiel pgx "jax[cpu]"
    python benches/python/beside.py --rounds 3

Everybody plays random legal moves and makes, for every state, the observation and the mask of legal actions. OpenSpiel is
asked state by state, as its Python users do; pgx steps a compiled batch, its compilation is not counted, and the best of
several sizes of batch counts. Minishogi, which the others do not have, stands beside pgx's gardner chess and animal shogi. A
program that is not installed is left out. Rates are for a second of processor time of the whole process, so that other work on the machine
disturbs them little. Ends with 1 if we are not 5 times as fast as OpenSpiel, or not as fast as pgx.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Callable

# One thread for everybody, before anybody starts some.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import tesuji

# Ours, OpenSpiel's name, pgx's names.
GAMES = [
    ("tictactoe", "tic_tac_toe", ["tic_tac_toe"]),
    ("connect4", "connect_four", ["connect_four"]),
    ("chess", "chess", ["chess"]),
    ("minishogi", None, ["gardner_chess", "animal_shogi"]),
    ("shogi", None, ["shogi"]),
]


def ours(name: str, envs: int) -> Callable[[float], float]:
    env = tesuji.VectorEnv(tesuji.load_game(name), envs, seed=1)

    def run(seconds: float) -> float:
        steps, clock = 0, time.process_time()
        while time.process_time() - clock < seconds:
            env.step(env.random_actions())
            steps += 1
        return steps * envs / (time.process_time() - clock)

    return run


def open_spiel(name: str) -> Callable[[float], float]:
    import pyspiel

    game = pyspiel.load_game(name)
    choices = random.Random(1)

    def run(seconds: float) -> float:
        states, clock = 0, time.process_time()
        while time.process_time() - clock < seconds:
            state = game.new_initial_state()
            while not state.is_terminal():
                state.observation_tensor(state.current_player())
                state.legal_actions_mask()
                state.apply_action(choices.choice(state.legal_actions()))
                states += 1
        return states / (time.process_time() - clock)

    return run


def pgx(name: str, envs: int) -> Callable[[float], float]:
    import jax
    import jax.numpy as jnp
    import pgx as package
    from pgx.experimental import auto_reset

    env = package.make(name)
    begin = jax.jit(jax.vmap(env.init))
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def play(state, key):
        key, choose, again = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(choose, logits, axis=-1)
        return step(state, action, jax.random.split(again, envs)), key

    state, key = begin(jax.random.split(jax.random.PRNGKey(1), envs)), jax.random.PRNGKey(2)
    state, key = play(state, key)
    jax.block_until_ready(state)

    def run(seconds: float) -> float:
        nonlocal state, key
        steps, clock = 0, time.process_time()
        while time.process_time() - clock < seconds:
            state, key = play(state, key)
            jax.block_until_ready(state.observation)
            steps += 1
        return steps * envs / (time.process_time() - clock)

    return run


def attempt(make: Callable[[], Callable[[float], float]]) -> Callable[[float], float] | None:
    try:
        return make()
    except ImportError as error:
        print(f"left out: {error}")
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=[name for name, _, _ in GAMES])
    parser.add_argument("--envs", type=int, default=256, help="of ours")
    parser.add_argument("--pgx-envs", type=int, nargs="+", default=[64, 256, 1024], help="of pgx: the best of them counts")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print("| game | Tesuji | other | theirs | ratio |\n|---|---|---|---|---|")
    low = []
    for name, spiel, others in GAMES:
        if name not in arguments.games:
            continue
        us = ours(name, arguments.envs)
        rivals = [(f"OpenSpiel {spiel}", 5.0, [lambda spiel=spiel: open_spiel(spiel)])] if spiel else []
        for other in others:
            makers = [lambda other=other, envs=envs: pgx(other, envs) for envs in arguments.pgx_envs]
            rivals.append((f"pgx {other}", 1.0, makers))
        for title, floor, makers in rivals:
            found = []
            for make in makers:
                them = attempt(make)
                if them is None:
                    break
                pairs = [(us(arguments.seconds), them(arguments.seconds)) for _ in range(arguments.rounds)]
                mine, theirs = (statistics.median(rates) for rates in zip(*pairs, strict=True))
                found.append((statistics.median(a / b for a, b in pairs), mine, theirs))
            if not found:
                continue
            ratio, mine, theirs = min(found)
            print(f"| {name} | {mine:,.0f} | {title} | {theirs:,.0f} | {ratio:.1f} |", flush=True)
            if ratio < floor:
                low.append(f"{name} beside {title}")
    if low:
        sys.exit(f"too slow: {', '.join(low)}")


if __name__ == "__main__":
    main()
