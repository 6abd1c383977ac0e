"""The command `tesuji`, also as `python -m tesuji`."""

import sys

from ._tesuji import run_command


def main() -> int:
    """Runs the command with the arguments of this process."""
    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
