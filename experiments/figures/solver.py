#!/usr/bin/env python3
"""The minishogi paper's claim in one command: self-play with the mate solver against self-play without, at equal CPU time.

    cargo build --release
    python3 experiments/figures/solver.py                   # 10, 20 and 30 CPU-minutes each, 200 games; resumable
    python3 experiments/figures/solver.py --minutes 0.05 --games 2 --out /tmp/solver --dummy    # to see that it runs

Trains `minishogi-laptop` and its variant `without-solver`, then lets their networks of about the same CPU time play
each other, both with the solver, as the paper does. Writes solver.md with scores, 95% intervals and the mean length of the
games that each learned from. --with and --without take runs that exist, which are gone on with if they are too short.
"""
import pathlib

from lab import Lab, arguments, costs, events, table

# What a dummy run changes: seconds instead of minutes.
DUMMY = ["network.blocks=1", "network.filters=16", "selfplay.games=8", "selfplay.simulations=8", "keep.networks_every=1"]


class Solver(Lab):
    def train_minutes(self, experiment, run, minutes):
        """Trains until so many CPU-minutes are spent, some generations at a time."""
        step = 1 if self.args.dummy else 5
        changes = ["measure.every=0", "measure.final_games=0"] + DUMMY * self.args.dummy
        while True:
            spent = cpu_seconds(run)
            if spent and sum(spent.values()) >= 60 * minutes:
                return
            self.train(run, experiment, max(spent, default=0) // step * step + step, changes)

    def play(self, first, second):
        agents = [f"pv:net={run}@{generation},sims={self.args.simulations},mate=dfpn:1000" for run, generation in (first, second)]
        journal = f"{first[0].name}-{first[1]}-{second[0].name}-{second[1]}"
        return self.match("minishogi", agents, self.args.games, journal, "--openings", "random:2")


def cpu_seconds(run):
    """CPU-seconds of playing and training by generation; measuring is not a part of learning."""
    spent = {}
    for entry in costs(run):
        if entry["phase"] != "measuring":
            spent[entry["generation"]] = spent.get(entry["generation"], 0.0) + entry["cpu"]
    return spent


def checkpoint(run, minutes):
    """The latest kept network that had cost no more than this, and what it had cost."""
    kept = {int(path.stem) for path in (run / "networks").glob("*.safetensors")}
    total, best = 0.0, None
    for generation, cpu in sorted(cpu_seconds(run).items()):
        total += cpu
        if total > 60 * minutes * 1.05:
            break
        if generation in kept:
            best = (generation, total / 60)
    if best is None:
        raise SystemExit(f"{run} has no network of {minutes} CPU-minutes")
    return best


def games(run, until):
    """Games, mean length, shortest and longest of the generations up to one; the last number: mean of its latest fifth."""
    plays = [event["play"] for event in events(run, "generation") if event["generation"] <= until]
    count = sum(play["games"] for play in plays)
    mean = sum(play["games"] * play["mean_plies"] for play in plays) / count
    late = plays[-max(1, len(plays) // 5):]
    lately = sum(play["mean_plies"] for play in late) / len(late)
    return count, mean, min(p["plies"][0] for p in plays), max(p["plies"][1] for p in plays), lately


def main():
    parser = arguments(__doc__, "runs/solver")
    parser.add_argument("--minutes", default="10,20,30", help="checkpoints in CPU-minutes of playing and training")
    parser.add_argument("--games", type=int, default=200, help="games of each match")
    parser.add_argument("--simulations", type=int, default=100, help="of a move in the matches")
    parser.add_argument("--with", dest="on", help="a run with the solver [default: OUT/with]")
    parser.add_argument("--without", dest="off", help="a run without [default: OUT/without]")
    parser.add_argument("--dummy", action="store_true", help="tiny networks: shows that it runs, tells nothing")
    args = parser.parse_args()
    lab = Solver(args)
    on, off = pathlib.Path(args.on or lab.out / "with"), pathlib.Path(args.off or lab.out / "without")
    minutes = [float(number) for number in args.minutes.split(",")]
    lab.train_minutes("minishogi-laptop", on, max(minutes))
    lab.train_minutes("minishogi-laptop/without-solver", off, max(minutes))
    heads = ["CPU-minutes, with / without", "generations", "games learned from", "mean plies", "their latest fifth",
             "shortest, longest", "with : without", "Elo of the solver"]
    rows = []
    for number in minutes:
        (first, first_cost), (second, second_cost) = checkpoint(on, number), checkpoint(off, number)
        result = lab.play((on, first), (off, second))
        a, b = games(on, first), games(off, second)
        low, elo, high = (f"{result[key]:+.0f}" if result[key] is not None else "?" for key in ("elo_low", "elo", "elo_high"))
        rows.append((
            f"{first_cost:.1f} / {second_cost:.1f}", f"{first} / {second}", f"{a[0]} / {b[0]}", f"{a[1]:.1f} / {b[1]:.1f}",
            f"{a[4]:.1f} / {b[4]:.1f}", f"{a[2]}, {a[3]} / {b[2]}, {b[3]}",
            f"+{result['wins']} ={result['draws']} -{result['losses']}", f"{elo} [{low}, {high}]"))
        print(*rows[-1], sep="  ", flush=True)
    (lab.out / "solver.md").write_text(table(heads, rows))
    print(f"written: {lab.out / 'solver.md'}")


if __name__ == "__main__":
    main()
