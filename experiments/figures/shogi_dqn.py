#!/usr/bin/env python3
"""The shogi paper's tables 7 and 8 in one command: ten games of deep Q-learning, then twenty against random moves.

    cargo build --release
    python3 experiments/figures/shogi_dqn.py                # one to two hours on two cores, 10 GB of memory; resumable
    python3 experiments/figures/shogi_dqn.py --dummy --out /tmp/shogi-dqn       # to see that it runs

Trains `dqn-shogi-paper` (or goes on with the run that --run names), then plays the test. Writes tables.md with our
numbers beside the paper's.
"""
import pathlib
import tomllib

from lab import Lab, arguments, costs, events, table

# Table 7: winner, moves, minutes, epsilon, end of each training game.
TRAINED = [
    ("1", 320, 214, 0.8, "checkmate"), ("1", 700, 437, 0.525, "checkmate"), ("1", 226, 205, 0.36, "checkmate"),
    ("2", 305, 275, 0.256, "checkmate"), ("-", 220, 205, 0.19, "repetition"), ("-", 370, 323, 0.15, "repetition"),
    ("2", 303, 269, 0.13, "checkmate"), ("-", 638, 588, 0.12, "repetition"), ("-", 50, 49, 0.11, "repetition"),
    ("-", 226, 207, 0.10, "repetition"),
]
# Table 8: won, drawn, lost as first and as second player; seconds a move of the test.
TESTED = [(2, 6, 2), (2, 5, 3)]
TEST_SECONDS = 0.887

# What a dummy run changes: seconds instead of hours.
DUMMY = ["network.hidden=[16, 8]", "selfplay.max_plies=12", "measure.final_games=0"]


def trained(run):
    """Table 7, and the seconds of a move with its training step."""
    epsilon = tomllib.loads((run / "experiment.toml").read_text())["method"]["epsilon"]
    seconds = {}
    for entry in costs(run):
        if entry["phase"] != "measuring":
            seconds[entry["generation"]] = seconds.get(entry["generation"], 0.0) + entry["wall"]
    rows = []
    total = 0
    for event in events(run, "generation"):
        game, play = event["generation"], event["play"]
        first, drawn, _ = play["outcomes"]
        winner = "-" if drawn else "1" if first else "2"
        theirs = TRAINED[game - 1] if game <= len(TRAINED) else ("",) * 5
        ending = next(iter(play["endings"]))
        total += play["positions"]
        rows.append((game, epsilon[min(game, len(epsilon)) - 1], winner, play["positions"], f"{seconds[game] / 60:.1f}", ending,
                     theirs[0], theirs[1], theirs[2], theirs[4]))
    return rows, sum(seconds.values()) / total


def main():
    parser = arguments(__doc__, "runs/shogi-dqn-figures")
    parser.add_argument("--games", type=int, default=20, help="games of the test, half of them as each side")
    parser.add_argument("--max-plies", type=int, default=400, help="a test game of so many plies is a draw")
    parser.add_argument("--run", help="a run of dqn-shogi-paper [default: OUT/run]")
    parser.add_argument("--dummy", action="store_true", help="tiny networks: shows that it runs, tells nothing")
    args = parser.parse_args()
    lab = Lab(args)
    run = pathlib.Path(args.run or lab.out / "run")
    games, plies = (2, 12) if args.dummy else (args.games, args.max_plies)
    lab.train(run, "dqn-shogi-paper", 2 if args.dummy else 10, DUMMY if args.dummy else ["measure.final_games=0"])
    rows, a_move = trained(run)
    text = ["# Shogi by deep Q-learning: the paper's tables 7 and 8", "", "## Training games", ""]
    heads = ["game", "epsilon", "winner", "moves", "minutes", "ended by", "paper: winner", "moves", "minutes", "ended by"]
    text += [table(heads, rows), f"{a_move:.2f} s a move with its training step; the paper: nearly 50 s.", ""]
    # Openings are not random: the random player's moves tell the games apart.
    words = ["--rules", "paper", "--openings", "random:0", "--max-plies", str(plies)]
    result = lab.match("shogi", [f"dqn:net={run}", "random"], games, "test", *words)
    first = result["as_first"]
    second = {key: result[key] - first[key] for key in first}
    text += [f"## Test against random moves, {result['games']} games, a draw after {plies} plies", ""]
    rows = [(name, *(ours[key] for key in ("wins", "draws", "losses")), *theirs)
            for name, ours, theirs in zip(("first player", "second player"), (first, second), TESTED)]
    text += [table(["as", "won", "drawn", "lost", "paper: won", "drawn", "lost"], rows)]
    cost = result["costs"][0]
    text += [f"{cost['wall'] / max(cost['moves'], 1):.3f} s a move; the paper: {TEST_SECONDS} s. Ended by:"
             f" {', '.join(f'{name} {count}' for name, count in result['endings'].items())}."]
    (lab.out / "tables.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))
    print(f"written: {lab.out / 'tables.md'}")


if __name__ == "__main__":
    main()
