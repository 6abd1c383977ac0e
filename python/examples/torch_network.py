"""A network of PyTorch's in our tree search: learn from games, export to ONNX, play as `pv:net=FILE.onnx`.

    python torch_network.py --games 2000 --epochs 10

Needs PyTorch. Games of a teacher become a data set, a small residual network learns its moves and the results, and plays matches with
tree search. Any network can do the same whose operators docs/networks.md lists; others are refused by name.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy as np
import torch
from torch import nn

import tesuji


class Block(nn.Module):
    """A residual block."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(filters, filters, 3, padding=1, bias=False),
            nn.BatchNorm2d(filters),
            nn.ReLU(),
            nn.Conv2d(filters, filters, 3, padding=1, bias=False),
            nn.BatchNorm2d(filters),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.layers(x) + x)


class Net(nn.Module):
    """A residual tower with a policy, as logits, and a value for the side to move."""

    def __init__(self, shape: list[int], actions: int, blocks: int = 2, filters: int = 32) -> None:
        super().__init__()
        planes, rows, columns = shape
        begin = [nn.Conv2d(planes, filters, 3, padding=1, bias=False), nn.BatchNorm2d(filters), nn.ReLU()]
        self.tower = nn.Sequential(*begin, *(Block(filters) for _ in range(blocks)))
        squares = rows * columns
        self.policy = nn.Sequential(nn.Conv2d(filters, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * squares, actions))
        value = [nn.Conv2d(filters, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(2 * squares, 32), nn.ReLU(), nn.Linear(32, 1)]
        self.value = nn.Sequential(*value, nn.Tanh())

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.tower(x)
        return self.policy(x), self.value(x)


def learn(net: Net, data: tesuji.DataSet, epochs: int) -> None:
    """Learns the moves that were played and the results of the games."""
    shards = [data.shard(number) for number in range(data.shards)]
    arrays = [np.concatenate([shard[name] for shard in shards]) for name in ("observations", "actions", "returns")]
    observations, actions, returns = (torch.from_numpy(array) for array in arrays)
    optimiser = torch.optim.Adam(net.parameters(), 2e-3)
    net.train()
    for epoch in range(epochs):
        losses = []
        for rows in torch.randperm(len(actions)).split(256):
            if len(rows) < 2:
                continue
            policy, value = net(observations[rows])
            loss = nn.functional.cross_entropy(policy, actions[rows].long())
            loss = loss + nn.functional.mse_loss(value.squeeze(1), returns[rows].float())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--teacher", default="uct:sims=200")
    parser.add_argument("--games", type=int, default=1000, help="to learn from")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--matches", type=int, default=20, help="games against each opponent")
    parser.add_argument("--out", default="torch-network", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    arguments.out.mkdir(exist_ok=True)
    games, teacher = str(arguments.games), arguments.teacher
    data = str(arguments.out / "data")
    words = ["data", "generate", "--game", arguments.game, "--first", teacher, "--games", games, "--out", data]
    subprocess.run([sys.executable, "-m", "tesuji", *words], check=True)
    game = tesuji.load_game(arguments.game)
    net = Net(game.observation_tensor_shape(), game.num_distinct_actions())
    learn(net, tesuji.data_set(data), arguments.epochs)
    # As it plays: batch norms by their averages.
    net.eval()
    file = arguments.out / "net.onnx"
    example = torch.zeros(1, *game.observation_tensor_shape())
    axes = {name: {0: "n"} for name in ("input", "policy", "value")}
    torch.onnx.export(net, example, str(file), input_names=["input"], output_names=["policy", "value"], dynamic_axes=axes)
    for opponent in ["random", "uct:sims=100"]:
        result = tesuji.play_match(arguments.game, f"pv:net={file},sims=100", opponent, games=arguments.matches)
        print(f"{file} v {opponent}: +{result['wins']} ={result['draws']} -{result['losses']}")


if __name__ == "__main__":
    main()
