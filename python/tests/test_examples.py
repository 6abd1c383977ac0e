"""The example scripts run."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"
ARGUMENTS = {
    "own_agent.py": ["--games", "2", "--opponents", "random"],
    "train_and_plot.py": ["td-tictactoe", "--budget", "2", "--out", "run"],
    "rollout.py": ["--envs", "8", "--steps", "5"],
    "torch_network.py": ["--games", "4", "--teacher", "random", "--epochs", "1", "--matches", "2"],
}
# PyTorch is larger than everything else together: without it, test_agents.py plays by a file that it has exported.
NEEDS = {"torch_network.py": "torch"}


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_an_example_runs(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    call = [sys.executable, str(EXAMPLES / name), *ARGUMENTS[name]]
    done = subprocess.run(call, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
