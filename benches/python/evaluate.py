"""Positions a second of `Network.evaluate` beside Rust's own rate, in turn, in one run, on one thread.

    pip install ./python numpy
    python benches/python/evaluate.py --rounds 15

Rust's rate is that of `tesuji bench nn` of the same package, by the same way through the kernels. Both are positions for a second of
processor time, so that other work on the machine disturbs them little, and both are the best of all rounds: what disturbs
makes a rate lower, never higher. Ends with 1 if Python's rate is below 97% of Rust's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

import numpy as np
import tesuji

# The way that `tesuji.network` takes.
PATH = "Winograd3"


def rust(name: str, batch: int, seconds: float) -> float:
    words = [sys.executable, "-m", "tesuji", "bench", "nn", "--net", name, "--batch", str(batch), "--all", "--json"]
    lines = subprocess.run([*words, "--seconds", str(seconds)], check=True, capture_output=True, text=True).stdout.splitlines()
    rates = {row["path"].split("/")[1]: row["positions_per_second"] for row in map(json.loads, lines)}
    return float(rates[PATH])


def python(network: tesuji.Network, inputs: np.ndarray, seconds: float) -> float:
    network.evaluate(inputs)
    best = 0.0
    for _ in range(3):
        batches, clock = 0, time.thread_time()
        while time.thread_time() - clock < seconds:
            network.evaluate(inputs)
            batches += 1
        best = max(best, batches * len(inputs) / (time.thread_time() - clock))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=["minishogi", "bingo3d", "tubstap"])
    parser.add_argument("--batches", nargs="+", type=int, default=[32, 256])
    parser.add_argument("--seconds", type=float, default=0.3, help="for each of the three tries of a measurement")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print("| network | batch | Rust | Python | ratio |\n|---|---|---|---|---|")
    low = []
    for name in arguments.networks:
        network = tesuji.network(name)
        for batch in arguments.batches:
            random = np.random.default_rng(1)
            inputs = random.random((batch, *network.input_shape), dtype=np.float32)
            pairs = [(rust(name, batch, arguments.seconds), python(network, inputs, arguments.seconds)) for _ in range(arguments.rounds)]
            theirs, ours = (max(rates) for rates in zip(*pairs, strict=True))
            print(f"| {name} | {batch} | {theirs:,.0f} | {ours:,.0f} | {ours / theirs:.3f} |", flush=True)
            if ours < 0.97 * theirs:
                low.append(f"{name} {batch}")
    if low:
        sys.exit(f"below 0.97: {', '.join(low)}")


if __name__ == "__main__":
    main()
