"""Trains a network, follows the run, and plots its losses.

    python train_and_plot.py connect4-laptop --budget 5m --out runs/plot

Needs pandas, and matplotlib for the picture; without it the table is printed.
"""

import argparse

import tesuji


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", nargs="?", default="connect4-laptop", choices=sorted(tesuji.experiments()))
    parser.add_argument("--budget", default="5m", help="a time, or a number of generations")
    parser.add_argument("--out", default="runs/plot", help="the run's directory")
    parser.add_argument("--resume", action="store_true")
    arguments = parser.parse_args()
    experiment = None if arguments.resume else arguments.experiment
    # Ctrl-C leaves the block, which stops the run; --resume goes on with it.
    with tesuji.train(experiment, out=arguments.out, budget=arguments.budget, resume=arguments.resume) as run:
        for event in run:
            if event["event"] == "generation":
                print(f"generation {event['generation']}: value loss {event['value_loss']:.3f}")
            if event["event"] == "strength":
                print(f"generation {event['generation']} v {event['opponent']}: {event['score']}")
    frame = run.to_pandas()
    columns = [name for name in ("policy_loss", "value_loss", "total_loss") if name in frame]
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print(frame[["generation", *columns]].to_string(index=False))
        return
    frame.plot(x="generation", y=columns)
    plt.savefig(f"{arguments.out}/losses.png")
    print(f"{arguments.out}/losses.png")


if __name__ == "__main__":
    main()
