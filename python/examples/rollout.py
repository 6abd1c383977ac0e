"""Fills a buffer with games that a network plays against itself, many at once, without a copy between the two.

    python rollout.py --envs 256 --steps 100
"""

import argparse
import time

import numpy as np

import tesuji


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", default="minishogi", choices=tesuji.networks())
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    network = tesuji.network(arguments.network)
    game = tesuji.load_game(network.game, encoder=network.encoder)
    if len(game.observation_tensor_shape()) > 3:
        parser.error(f"{network.game} has several views of a position; choose another network")
    env = tesuji.VectorEnv(game, arguments.envs, seed=arguments.seed)
    # One row for each step: the environment writes straight into it.
    observations = np.zeros((arguments.steps + 1, *env.observations.shape), np.float32)
    rewards = np.zeros((arguments.steps + 1, arguments.envs, 2), np.float32)
    terminated = np.zeros((arguments.steps + 1, arguments.envs), bool)
    observations[0] = env.observations
    random = np.random.default_rng(arguments.seed)
    clock = time.perf_counter()
    for step in range(arguments.steps):
        logits = network.evaluate(observations[step])["policy"]
        # The greatest of the logits with Gumbel noise is a sample of the policy, over the legal actions.
        noisy = np.where(env.masks, logits + random.gumbel(size=logits.shape), -np.inf)
        env.write_to(observations=observations[step + 1], rewards=rewards[step + 1], terminated=terminated[step + 1])
        env.step(noisy.argmax(axis=1))
    seconds = time.perf_counter() - clock
    positions = arguments.steps * arguments.envs
    games = int(terminated.sum())
    print(f"{positions} positions, {games} games ended, {positions / seconds:.0f} positions a second")
    if games:
        print(f"mean result of the first player: {rewards[..., 0][terminated].mean():+.3f}")


if __name__ == "__main__":
    main()
