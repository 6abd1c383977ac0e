"""What the figures have in common: running `tesuji` and keeping what it makes in one directory."""
import pathlib
import subprocess


class Lab:
    def __init__(self, args):
        self.args = args
        self.out = pathlib.Path(args.out)
        self.out.mkdir(parents=True, exist_ok=True)

    def tesuji(self, *words):
        """What `tesuji` prints; its progress and its errors go to the terminal."""
        done = subprocess.run([self.args.binary, *words], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"failed: {' '.join(words)}")
        return done.stdout
