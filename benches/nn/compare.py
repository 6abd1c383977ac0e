#!/usr/bin/env python3
"""Our networks beside PyTorch and onnxruntime, in one run: rates, and ours over the best of theirs.

    cargo build --release
    pip install torch onnx onnxruntime
    python3 benches/nn/compare.py                      # inference of a-d at 32 and 256, training of b and c, one thread
    python3 benches/nn/compare.py infer --nets ab --batches 1,8,32,256
    python3 benches/nn/compare.py train --nets bc --batches 128,1024
    python3 benches/nn/compare.py dqn                  # a step of the shogi paper's networks on two threads

Ours and theirs are measured in turn for each line, so that a busy machine disturbs both alike. Rates are per second of
processor time, the best of three; `dqn` gives seconds by the clock, which needs an idle machine, and of the processor.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
import warnings

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

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


def infer(name, batch, seconds):
    """Positions a second by each way that PyTorch and onnxruntime know."""
    board, planes = NETS[name][:2]
    torch.manual_seed(0)
    rates = {}
    x = torch.rand(batch, planes, board, board)
    with torch.inference_mode():
        for way in ("eager", "channels-last", "jit", "jit-channels-last"):
            net, y = Net(*NETS[name]).eval(), x
            if "channels-last" in way:
                net, y = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
            if "jit" in way:
                net = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(net, y)))
                net(y)
            rates["torch " + way] = batch * rate(lambda: net(y), seconds)
    rates["onnxruntime"] = batch * onnx_rate(name, x, seconds)
    return rates


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


def train(name, batch, seconds):
    """Positions a second of PyTorch in both memory formats."""
    board, planes, _, _, moves = NETS[name]
    rates = {}
    for way, memory in (("contiguous", torch.contiguous_format), ("channels-last", torch.channels_last)):
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

        rates["torch " + way] = batch * rate(step, seconds)
    return rates


def dqn_net(outputs):
    return nn.Sequential(
        nn.Conv2d(9, 63, 5, padding=2), nn.ReLU(), nn.Conv2d(63, 126, 3, padding=1), nn.ReLU(),
        nn.Conv2d(126, 126, 1), nn.ReLU(), nn.Flatten(), nn.Linear(71442, 2352), nn.ReLU(),
        nn.Linear(2352, 441), nn.ReLU(), nn.Linear(441, outputs))


def dqn(batch, fused):
    """Seconds of a step of both networks with their targets, by the clock and of the processor, and bytes."""
    nets = []
    for outputs in (88, 81):
        net, target = dqn_net(outputs), dqn_net(outputs)
        target.load_state_dict(net.state_dict())
        nets.append((net, target, torch.optim.Adam(net.parameters(), 1e-4, fused=fused)))
    x = torch.rand(batch, 9, 63, 9)
    actions = torch.arange(batch).unsqueeze(1)
    best = processor = float("inf")
    for attempt in range(4):
        start, processor_start = time.perf_counter(), time.process_time()
        for net, target, optimiser in nets:
            with torch.no_grad():
                wanted = 0.1 + 0.9 * target(x).max(1, keepdim=True).values
            optimiser.zero_grad()
            F.mse_loss(net(x).gather(1, actions), wanted).backward()
            optimiser.step()
        if attempt > 0:
            best = min(best, time.perf_counter() - start)
            processor = min(processor, time.process_time() - processor_start)
    numbers = sum(p.numel() for net, target, _ in nets for p in net.parameters()) * 5
    return best, processor, 4 * numbers, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def ours(binary, *arguments):
    text = subprocess.run([binary, "bench", "nn", "--json", *arguments], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in text.stdout.splitlines()]


def compare(what, options, nets, batches):
    theirs = infer if what == "infer" else train
    for name in nets:
        for batch in batches:
            mine = ours(options.binary, "--what", what, "--net", name, "--batch", str(batch), "--seconds",
                        str(options.seconds))[0]
            rates = theirs(name, batch, options.seconds)
            way = max(rates, key=rates.get)
            ratio = mine["positions_per_second"] / rates[way]
            print(f"{what} {name}, batch {batch}: ours {mine['positions_per_second']:.0f} positions/s by {mine['path']}"
                  f" ({mine['gflops']:.0f} GFLOP/s, {mine['bytes'] / 1e6:.0f} MB) = {ratio:.2f} x {way}  ["
                  + ", ".join(f"{way} {speed:.0f}" for way, speed in rates.items()) + "]", flush=True)


def compare_dqn(options):
    torch.set_num_threads(2)
    mine = ours(options.binary, "--what", "dqn")[0]
    print(f"dqn, batch 10, two threads: ours {mine['seconds']:.2f} s by the clock, {mine['cpu_seconds']:.2f} s of"
          f" processor time, {mine['bytes'] / 1e9:.1f} GB of numbers", flush=True)
    for fused in (True, False):
        seconds, processor, numbers, peak = dqn(10, fused)
        print(f"    PyTorch, {'fused' if fused else 'plain'} Adam: {seconds:.2f} s ({seconds / mine['seconds']:.2f} x"
              f" ours), {processor:.2f} s of processor time ({processor / mine['cpu_seconds']:.2f} x ours),"
              f" {numbers / 1e9:.1f} GB of numbers, {peak / 1e9:.1f} GB at its peak", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="all", choices=["all", "infer", "train", "dqn"])
    parser.add_argument("--nets", help="letters of the yardstick networks, a to d")
    parser.add_argument("--batches", type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--seconds", type=float, default=0.5, help="of each of the three tries")
    parser.add_argument("--binary", default="target/release/tesuji")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    if options.what in ("all", "infer"):
        compare("infer", options, options.nets or "abcd", options.batches or [32, 256])
    if options.what in ("all", "train"):
        compare("train", options, options.nets or "bc", options.batches or [128, 1024])
    if options.what in ("all", "dqn"):
        compare_dqn(options)


if __name__ == "__main__":
    main()
