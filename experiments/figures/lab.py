"""What the figures have in common: running `tesuji` and keeping what it makes in one directory."""
import argparse
import json
import pathlib
import subprocess


def arguments(about, out):
    """The parser of a figure's arguments, with those that all of them take."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--binary", default="target/release/tesuji")
    parser.add_argument("--out", default=out, help="directory of runs, journals and the result [default: %(default)s]")
    return parser


class Lab:
    def __init__(self, args):
        if not pathlib.Path(args.binary).is_file():
            raise SystemExit(f"no program {args.binary}: `cargo build --release` makes it, or name it with --binary")
        self.args = args
        self.out = pathlib.Path(args.out)
        self.out.mkdir(parents=True, exist_ok=True)

    def tesuji(self, *words):
        """What `tesuji` prints; its progress and its errors go to the terminal."""
        done = subprocess.run([self.args.binary, *words], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"failed: {' '.join(words)}")
        return done.stdout

    def train(self, run, experiment, generations, changes=()):
        """Trains a run up to so many generations, or goes on with it if it was begun."""
        if len(events(run, "generation")) >= generations:
            return
        begun = (run / "experiment.toml").exists()
        words = ["--resume"] if begun else [experiment, *(word for change in changes for word in ("--set", change))]
        self.tesuji("train", *words, "--out", str(run), "--budget", str(generations), "--threads", str(self.args.threads))

    def match(self, game, agents, games, journal, *words):
        """The result of a match as `tesuji match --json` gives it, gone on with if it was begun."""
        where = ["--threads", str(self.args.threads), "--journal", str(self.out / f"{journal}.journal"), "--json"]
        text = self.tesuji("match", game, *agents, "--games", str(games), *where, *words)
        return json.loads(text.strip().splitlines()[-1])


def objects(file):
    """The objects of a file, one a line; none if there is no file yet."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def events(run, kind):
    """The events of one kind of a run, in their order."""
    return [event for event in objects(run / "events.jsonl") if event["event"] == kind]


def costs(run):
    """What a run's ledger holds, one entry for a generation and a phase of it."""
    return objects(run / "costs.jsonl")


def table(heads, rows):
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in lines) + "\n"
