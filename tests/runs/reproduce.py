#!/usr/bin/env python3
"""Kills `tesuji reproduce all` at random moments and goes on with it; then compares it with one that was left alone.

    python3 tests/runs/reproduce.py --kills 5

Five reports must be there, and `results.json` of each paper must be the same, byte for byte. Ends with 1 if it is not.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ["report.html", "report.md", "report.json", "results.json"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tesuji", default=ROOT / "target/release/tesuji", type=Path)
    parser.add_argument("--paper", default="all")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random.seed(args.seed)
    folder = Path(tempfile.mkdtemp(prefix="tesuji-reproduce-"))

    def start(name):
        words = [args.tesuji.resolve(), "reproduce", args.paper, "--scale", "smoke", "--out", folder / name]
        return subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)

    began = time.monotonic()
    if start("whole").wait() != 0:
        sys.exit("reproduce failed")
    whole = time.monotonic() - began
    killed = 0
    while killed < args.kills:
        process = start("killed")
        try:
            # What was done before is not done again, so that all moments are reached.
            if process.wait(random.uniform(0.02, 1.5 * whole / args.kills)) != 0:
                sys.exit("reproduce failed after a kill")
            print(f"it ended after {killed} kills; begun anew")
            shutil.rmtree(folder / "killed")
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            killed += 1
    if start("killed").wait() != 0:
        sys.exit("reproduce failed after the last kill")
    reports = sorted(path.relative_to(folder / "whole") for path in (folder / "whole").rglob("results.json"))
    wanted = 5 if args.paper == "all" else 1
    missing = [at.parent / name for at in reports for name in REPORTS if not (folder / "killed" / at.parent / name).is_file()]
    differ = [at for at in reports if (folder / "whole" / at).read_bytes() != (folder / "killed" / at).read_bytes()]
    print(f"{whole:.1f} s without kills; {killed} kills, {len(reports)} reports; missing {missing}, different {differ}")
    if len(reports) != wanted or missing or differ:
        sys.exit(f"left in {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
