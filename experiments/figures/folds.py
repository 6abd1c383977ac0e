#!/usr/bin/env python3
"""Five-fold cross-validation of learning from game records in one command: what each held-out fold's test says.

    cargo build --release
    python3 experiments/figures/folds.py --data data/games             # five runs of 16 CPU-minutes; resumable
    python3 experiments/figures/folds.py --dummy --out /tmp/folds      # to see that it runs, on a few random games

Trains `chess-supervised-laptop` and its variants `fold-1` to `fold-4`, each of which learns from all games but one fold's
and is tested on that fold. Writes folds.md with top-1 and top-5 accuracy and the error of the value, by fold and mean.
"""
import pathlib
import statistics

from lab import Lab, arguments, events, table

COLUMNS = {"top1": "top-1", "top5": "top-5", "cross_entropy": "cross-entropy", "value_error": "squared value error"}
DUMMY = ["network.blocks=1", "network.filters=16", "training.batch=8", "training.steps=2"]


def main():
    parser = arguments(__doc__, "runs/folds")
    parser.add_argument("--data", help="what `tesuji data import` made")
    parser.add_argument("--experiment", default="chess-supervised-laptop")
    parser.add_argument("--generations", type=int, default=36)
    parser.add_argument("--dummy", action="store_true", help="tiny networks: shows that it runs, tells nothing")
    args = parser.parse_args()
    lab = Lab(args)
    if args.dummy:
        args.data, args.generations = str(lab.out / "data"), 1
        if not pathlib.Path(args.data).exists():
            games = str(lab.out / "games.pgn")
            lab.tesuji("match", "chess", "random", "random", "--games", "20", "--save", games)
            lab.tesuji("data", "import", games, "--out", args.data)
    if not args.data:
        raise SystemExit("--data DIR is missing: what `tesuji data import GAMES.pgn --out DIR` made")
    tests = []
    for fold in range(5):
        run = lab.out / f"fold-{fold}"
        changes = [f"method.data={args.data}", "measure.final_games=0"] + DUMMY * args.dummy
        lab.train(run, args.experiment + (f"/fold-{fold}" if fold else ""), args.generations, changes)
        tests.append(events(run, "generation")[-1]["test"])
        print(f"fold {fold}:", *(f"{name} {tests[-1][key]:.4f}" for key, name in COLUMNS.items()), sep="  ", flush=True)
    rows = [(fold, test["positions"], *(f"{test[key]:.4f}" for key in COLUMNS)) for fold, test in enumerate(tests)]
    numbers = [[test[key] for test in tests] for key in COLUMNS]
    rows.append(("mean", "", *(f"{statistics.mean(column):.4f}" for column in numbers)))
    rows.append(("standard deviation", "", *(f"{statistics.stdev(column):.4f}" for column in numbers)))
    (lab.out / "folds.md").write_text(table(["fold held out", "positions tested", *COLUMNS.values()], rows))
    print(f"written: {lab.out / 'folds.md'}")


if __name__ == "__main__":
    main()
