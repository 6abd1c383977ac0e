#!/usr/bin/env python3
"""Lets the disk of a training run fill up and become read-only, and goes on with it when it is well again.

    python3 tests/runs/disk.py

The run must stop with one line that names a file and the problem, and in the end everything but costs and the report
must be as in a run with room enough, byte for byte. Ends with 1 otherwise. The disk is a tmpfs in a mount namespace of
its own (`unshare`), so nothing outside sees it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from kill import EXPERIMENT, files

GENERATIONS = ["--budget", "3", "--threads", "2"]


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def main():
    if "TESUJI_OWN_MOUNTS" not in os.environ:
        os.environ["TESUJI_OWN_MOUNTS"] = "yes"
        unshare = ["unshare", "--map-root-user", "--mount"]
        if subprocess.run([*unshare, "true"], check=False).returncode != 0:
            print("skipped: mounts of our own are not allowed here")
            return
        os.execvp("unshare", [*unshare, sys.executable, *sys.argv])
    tesuji = os.path.abspath(os.environ.get("TESUJI", "target/release/tesuji"))
    with tempfile.TemporaryDirectory(prefix="tesuji-disk-") as name:
        directory = Path(name)
        experiment, disk = directory / "experiment.toml", directory / "disk"
        experiment.write_text(EXPERIMENT)
        disk.mkdir()

        def train(*words):
            command = [tesuji, "train", *words, *GENERATIONS]
            return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)

        def fails(problem, *words):
            ended = train(*words)
            last = ended.stderr.strip().splitlines()[-1:]
            if ended.returncode == 0 or not last or problem not in last[0] or "disk/" not in last[0]:
                sys.exit(f"expected an error with {problem!r}:\n{ended.stdout}{ended.stderr}")
            print(last[0])

        whole = train(str(experiment), "--out", "whole")
        if whole.returncode != 0:
            sys.exit(whole.stderr)

        mount("-t", "tmpfs", "tmpfs", str(disk))
        begin = [str(experiment), "--out", "disk/run"]
        go_on = ["--resume", "--out", "disk/run"]
        # Too small to begin, then for the rest.
        needed = sum(path.stat().st_size for path in (directory / "whole").rglob("*") if path.is_file())
        for share in [0.05, 0.5, 0.8]:
            mount("-o", f"remount,size={int(share * needed)}", str(disk))
            known = (disk / "run" / "experiment.toml").exists()
            fails("No space left", *(go_on if known else begin))
        mount("-o", "remount,ro,size=64m", str(disk))
        fails("Read-only", *go_on)
        mount("-o", "remount,rw,size=64m", str(disk))
        ended = train(*go_on)
        if ended.returncode != 0:
            sys.exit(f"did not go on:\n{ended.stdout}{ended.stderr}")

        kept, expected = files(disk / "run"), files(directory / "whole")
        differences = [name for name in sorted(kept.keys() | expected.keys()) if kept.get(name) != expected.get(name)]
        subprocess.run(["umount", str(disk)], check=True)
        if differences:
            sys.exit(f"these differ: {', '.join(differences)}")
        print(f"four times refused: {len(expected)} files, all the same")


if __name__ == "__main__":
    main()
