#!/usr/bin/env python3
"""Writes torch_golden.json: losses and outputs of a small network trained by PyTorch.

    pip install torch
    python3 crates/nn/tests/golden/torch_golden.py

`tests/golden.rs` trains the same network from the same numbers and compares. All numbers come from `number`, which
the test repeats.
"""
import json
import pathlib

import torch
import torch.nn.functional as F
from torch import nn

BOARD, PLANES, BLOCKS, FILTERS, MOVES, BATCH, STEPS = 4, 3, 2, 8, 10, 12, 20
# The heads of planes: planes of moves, moves behind them that belong to no square, channels, hidden units of the value.
MOVE_PLANES, REST, HEAD, HIDDEN = 2, 3, 6, 5
torch.set_num_threads(1)


def number(tensor, index):
    """A number in -0.5..0.5 that depends on two indices in a way that two languages compute alike."""
    return ((index * 7919 + tensor * 104729 + index * index % 1009) % 2003) / 2003 - 0.5


def numbers(tensor, *shape):
    count = torch.Size(shape).numel()
    return torch.tensor([number(tensor, i) for i in range(count)], dtype=torch.float64).reshape(shape)


class Parameters:
    """Hands out tensors in the order and layout of Tesuji's networks."""

    def __init__(self):
        self.count = 0

    def next(self, *shape):
        self.count += 1
        return numbers(self.count - 1, *shape)

    def conv(self, layer):
        outputs, inputs, height, width = layer.weight.shape
        weight = self.next(height, width, inputs, outputs) * 2 * (2 / (height * width * inputs)) ** 0.5
        layer.weight.data = weight.permute(3, 2, 0, 1).contiguous().float()
        if layer.bias is not None:
            layer.bias.data = self.next(outputs).float()

    def norm(self, layer):
        layer.weight.data = (1 + self.next(*layer.weight.shape)).float()
        layer.bias.data = self.next(*layer.bias.shape).float()
        self.count += 2  # the running statistics begin at 0 and 1

    def dense(self, layer, channels=1):
        """A dense layer of an image with so many channels: ours flattens [square][channel], PyTorch the reverse."""
        outputs, inputs = layer.weight.shape
        weight = self.next(inputs, outputs) * 2 * (2 / inputs) ** 0.5
        weight = weight.reshape(inputs // channels, channels, outputs).permute(2, 1, 0).reshape(outputs, inputs)
        layer.weight.data = weight.contiguous().float()
        layer.bias.data = self.next(outputs).float()


def conv(inputs, outputs, size, bias=False):
    return nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=bias)


class Net(nn.Module):
    """A residual tower; `planes` chooses a policy head of planes instead of dense layers."""

    def __init__(self, planes):
        super().__init__()
        self.planes = planes
        squares = BOARD * BOARD
        self.convs = nn.ModuleList([conv(PLANES, FILTERS, 3)] + [conv(FILTERS, FILTERS, 3) for _ in range(2 * BLOCKS)])
        self.norms = nn.ModuleList([nn.BatchNorm2d(FILTERS) for _ in self.convs])
        if planes:
            self.p_conv, self.p_norm = conv(FILTERS, HEAD, 3), nn.BatchNorm2d(HEAD)
            self.p_planes, self.p_rest = conv(HEAD, MOVE_PLANES, 1, bias=True), nn.Linear(2 * HEAD, REST)
        else:
            self.p_conv, self.p_norm = conv(FILTERS, 2, 1), nn.BatchNorm2d(2)
            self.p1, self.p2 = nn.Linear(2 * squares, 256), nn.Linear(256, MOVES)
        self.v_conv, self.v_norm = conv(FILTERS, 1, 1), nn.BatchNorm2d(1)
        self.v1, self.v2 = nn.Linear(squares, 256), nn.Linear(256, 1)
        parameters = Parameters()
        for layer, norm in zip(self.convs, self.norms):
            parameters.conv(layer)
            parameters.norm(norm)
        parameters.conv(self.p_conv)
        parameters.norm(self.p_norm)
        if planes:
            parameters.conv(self.p_planes)
            parameters.dense(self.p_rest)
        else:
            parameters.dense(self.p1, 2)
            parameters.dense(self.p2)
        parameters.conv(self.v_conv)
        parameters.norm(self.v_norm)
        parameters.dense(self.v1, 1)
        parameters.dense(self.v2)

    def forward(self, x):
        x = F.relu(self.norms[0](self.convs[0](x)))
        for block in range(BLOCKS):
            y = F.relu(self.norms[1 + 2 * block](self.convs[1 + 2 * block](x)))
            x = F.relu(x + self.norms[2 + 2 * block](self.convs[2 + 2 * block](y)))
        p = F.relu(self.p_norm(self.p_conv(x)))
        if self.planes:
            pooled = torch.cat([p.mean((2, 3)), p.amax((2, 3))], 1)
            p = torch.cat([self.p_planes(p).flatten(1), self.p_rest(pooled)], 1)
        else:
            p = self.p2(F.relu(self.p1(p.flatten(1))))
        v = torch.tanh(self.v2(F.relu(self.v1(F.relu(self.v_norm(self.v_conv(x))).flatten(1)))))
        return p, v


class QNet(nn.Module):
    """Residual blocks without batch norm, Q as planes, duelling."""

    def __init__(self):
        super().__init__()
        self.stem = conv(PLANES, FILTERS, 3, bias=True)
        self.blocks = nn.ModuleList([conv(FILTERS, FILTERS, 3, bias=True) for _ in range(2 * BLOCKS)])
        self.head, self.q_planes = conv(FILTERS, FILTERS, 3, bias=True), conv(FILTERS, MOVE_PLANES, 1, bias=True)
        self.v_conv = conv(FILTERS, 4, 1, bias=True)
        self.v1, self.v2 = nn.Linear(4 * BOARD * BOARD, HIDDEN), nn.Linear(HIDDEN, 1)
        parameters = Parameters()
        for layer in [self.stem, *self.blocks, self.head, self.q_planes, self.v_conv]:
            parameters.conv(layer)
        parameters.dense(self.v1, 4)
        parameters.dense(self.v2)

    def forward(self, x):
        x = F.relu(self.stem(x))
        for block in range(BLOCKS):
            x = F.relu(x + self.blocks[2 * block + 1](F.relu(self.blocks[2 * block](x))))
        a = self.q_planes(F.relu(self.head(x))).flatten(1)
        v = self.v2(F.relu(self.v1(F.relu(self.v_conv(x)).flatten(1))))
        return a - a.mean(1, keepdim=True) + v


def run_q(optimiser):
    net = QNet()
    optimiser = optimiser(net.parameters())
    x = numbers(1000, BATCH, PLANES, BOARD, BOARD).float() * 2
    target = numbers(1002, BATCH, 1).float() * 2
    actions = torch.tensor([[position * 3 % (MOVE_PLANES * BOARD * BOARD)] for position in range(BATCH)])
    losses = []
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss = F.huber_loss(net(x).gather(1, actions), target, delta=0.5)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    with torch.no_grad():
        return {"losses": losses, "policy": net(x)[0].tolist(), "value": []}


def run(optimiser, divergence, planes=False):
    net = Net(planes)
    moves = MOVE_PLANES * BOARD * BOARD + REST if planes else MOVES
    optimiser = optimiser(net.parameters())
    x = numbers(1000, BATCH, PLANES, BOARD, BOARD).float() * 2
    pi = numbers(1001, BATCH, moves).float() + 0.5
    pi = pi / pi.sum(1, keepdim=True)
    z = numbers(1002, BATCH, 1).float() * 2
    losses = []
    for _ in range(STEPS):
        optimiser.zero_grad()
        p, v = net(x)
        log_p = F.log_softmax(p, 1)
        policy = F.kl_div(log_p, pi, reduction="batchmean") if divergence else -(log_p * pi).sum() / BATCH
        loss = policy + ((v - z) ** 2).mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        p, v = net(x)
    return {"losses": losses, "policy": p[0].tolist(), "value": v.flatten().tolist()}


if __name__ == "__main__":
    optim = torch.optim
    golden = {
        "momentum": run(lambda p: optim.SGD(p, 0.01, momentum=0.9, weight_decay=2e-4), False),
        "nesterov": run(lambda p: optim.SGD(p, 0.01, momentum=0.9, nesterov=True, weight_decay=2e-4), True),
        "adam": run(lambda p: optim.Adam(p, 0.001), False),
        "adagrad": run(lambda p: optim.Adagrad(p, 0.01), False),
        "planes": run(lambda p: optim.Adam(p, 0.001), False, planes=True),
        "q": run_q(lambda p: optim.Adam(p, 0.001)),
        "gradient-descent": run(lambda p: optim.SGD(p, 0.02), False),
    }
    path = pathlib.Path(__file__).with_name("torch_golden.json")
    path.write_text(json.dumps(golden, indent=1) + "\n")
