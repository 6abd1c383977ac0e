#!/usr/bin/env python3
"""The yardstick networks in PyTorch and onnxruntime, one thread: what `--example speed` is set beside.

    pip install torch onnx onnxruntime
    python3 yardstick.py infer ab && cargo run --release -p tesuji-nn --example speed -- infer ab
    python3 yardstick.py train bc && cargo run --release -p tesuji-nn --example speed -- train bc

Rates are per second of processor time, the best of three, so that a busy machine disturbs them little.
"""
import os
import sys
import tempfile
import time
import warnings

os.environ["OMP_NUM_THREADS"] = "1"
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

torch.set_num_threads(1)
torch.set_num_interop_threads(1)
warnings.filterwarnings("ignore")

# Board, planes, blocks, filters, policy.
NETS = {
    "a": (5, 31, 10, 256, 1500),
    "b": (5, 31, 6, 64, 1500),
    "c": (9, 45, 6, 64, 2187),
    "d": (8, 112, 12, 256, 1858),
}


def conv(inputs, outputs, size):
    return nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False)


class Block(nn.Module):
    def __init__(self, filters):
        super().__init__()
        self.conv1, self.norm1 = conv(filters, filters, 3), nn.BatchNorm2d(filters)
        self.conv2, self.norm2 = conv(filters, filters, 3), nn.BatchNorm2d(filters)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(x + self.norm2(self.conv2(y)))


class Net(nn.Module):
    def __init__(self, board, planes, blocks, filters, policy):
        super().__init__()
        squares = board * board
        self.stem, self.norm = conv(planes, filters, 3), nn.BatchNorm2d(filters)
        self.blocks = nn.Sequential(*[Block(filters) for _ in range(blocks)])
        self.policy = nn.Sequential(
            conv(filters, 2, 1), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(),
            nn.Linear(2 * squares, 256), nn.ReLU(), nn.Linear(256, policy))
        self.value = nn.Sequential(
            conv(filters, 1, 1), nn.BatchNorm2d(1), nn.ReLU(), nn.Flatten(),
            nn.Linear(squares, 256), nn.ReLU(), nn.Linear(256, 1), nn.Tanh())

    def forward(self, x):
        x = self.blocks(F.relu(self.norm(self.stem(x))))
        return self.policy(x), self.value(x)


def rate(call, seconds):
    """Calls a second of processor time, the best of three."""
    call()
    best = 0.0
    for _ in range(3):
        start, calls = time.process_time(), 0
        while calls == 0 or time.process_time() - start < seconds:
            call()
            calls += 1
        best = max(best, calls / (time.process_time() - start))
    return best


def infer(name, seconds):
    board, planes = NETS[name][:2]
    torch.manual_seed(0)
    for batch in (1, 8, 32, 256):
        best = {}
        x = torch.rand(batch, planes, board, board)
        with torch.inference_mode():
            for way in ("eager", "channels-last", "jit", "jit-channels-last"):
                net, y = Net(*NETS[name]).eval(), x
                if "channels-last" in way:
                    net, y = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
                if "jit" in way:
                    net = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(net, y)))
                    net(y)
                best["torch " + way] = batch * rate(lambda: net(y), seconds)
        try:
            best["onnxruntime"] = batch * onnx_rate(name, x, seconds)
        except ImportError:
            pass
        way = max(best, key=best.get)
        others = ", ".join(f"{way} {speed:.0f}" for way, speed in best.items())
        print(f"{name} infer, batch {batch}: {best[way]:.0f} positions/s by {way} ({others})", flush=True)


def onnx_rate(name, x, seconds):
    import onnxruntime

    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        axes = {"x": {0: "n"}, "p": {0: "n"}, "v": {0: "n"}}
        torch.onnx.export(Net(*NETS[name]).eval(), x[:1], file.name, input_names=["x"], output_names=["p", "v"],
                          dynamic_axes=axes, opset_version=17, dynamo=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(file.name, options, providers=["CPUExecutionProvider"])
        feed = {"x": x.numpy()}
        return rate(lambda: session.run(None, feed), seconds)


def train(name, seconds):
    board, planes, _, _, moves = NETS[name]
    for batch in (128, 1024):
        best = 0.0
        for memory in (torch.contiguous_format, torch.channels_last):
            net = Net(*NETS[name]).to(memory_format=memory).train()
            optimiser = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9, weight_decay=2e-4)
            x = torch.rand(batch, planes, board, board).to(memory_format=memory)
            pi, z = torch.full((batch, moves), 1.0 / moves), torch.full((batch, 1), 0.5)

            def step():
                optimiser.zero_grad()
                p, v = net(x)
                loss = -(F.log_softmax(p, 1) * pi).sum() / batch + ((v - z) ** 2).mean()
                loss.backward()
                optimiser.step()

            best = max(best, batch * rate(step, seconds))
        print(f"{name} train, batch {batch}: {best:.0f} positions/s", flush=True)


if __name__ == "__main__":
    what, nets = (sys.argv + ["infer", "ab"])[1:3] if len(sys.argv) > 2 else ("infer", "ab")
    duration = float(sys.argv[3]) if len(sys.argv) > 3 else 0.5
    for net_name in nets:
        (train if what == "train" else infer)(net_name, duration)
