"""Writes ONNX files as other programs do, with what onnxruntime computes of them: `python3 foreign.py` beside this file.

Needs the packages onnx, onnxruntime and numpy. The files are for tic-tac-toe's planes (2 x 3 x 3, nine moves):

folded.onnx   as PyTorch exports a network in evaluation mode: batch norms folded into convolutions with a bias, dense layers
              as Gemm with transposed weights, Flatten
norms.onnx    batch norms apart, another epsilon, biases as well; dense layers as MatMul and Add, Reshape, constants as nodes,
              Identity and Dropout in between, LogSoftmax behind the policy
planes.onnx   a policy of planes of the board: 3x3 and 1x1 convolution
pooled.onnx   with an average over the board, which we do not read
"""

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).parent
PLANES, SIZE, FILTERS, MOVES = 2, 3, 6, 9


class Writer:
    """Collects operators and constants."""

    def __init__(self, seed: int, constants_as_nodes: bool = False):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.count = [], [], 0
        self.as_nodes = constants_as_nodes

    def constant(self, array: np.ndarray) -> str:
        self.count += 1
        name = f"onnx::{self.count}"
        tensor = numpy_helper.from_array(array, name)
        if self.as_nodes:
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        else:
            self.constants.append(tensor)
        return name

    def numbers(self, *shape: int, scale: float = 0.5) -> str:
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def op(self, kind: str, *inputs: str, **attributes) -> str:
        self.count += 1
        output = f"/net/{kind}_{self.count}_output_0"
        self.nodes.append(helper.make_node(kind, inputs, [output], f"/net/{kind}_{self.count}", **attributes))
        return output

    def conv(self, x: str, inputs: int, outputs: int, size: int, bias: bool, norm: bool) -> str:
        pad = size // 2
        parameters = [self.numbers(outputs, inputs, size, size, scale=0.3)] + ([self.numbers(outputs)] if bias else [])
        x = self.op("Conv", x, *parameters, kernel_shape=[size, size], pads=[pad] * 4, strides=[1, 1], group=1)
        if norm:
            variance = self.constant(self.random.uniform(0.3, 2.0, outputs).astype(np.float32))
            parts = [self.numbers(outputs), self.numbers(outputs), self.numbers(outputs), variance]
            x = self.op("BatchNormalization", x, *parts, epsilon=1e-3)
        return x

    def dense(self, x: str, inputs: int, outputs: int, apart: bool) -> str:
        if apart:
            product = self.op("MatMul", x, self.numbers(inputs, outputs, scale=0.3))
            return self.op("Add", self.numbers(outputs), product)
        return self.op("Gemm", x, self.numbers(outputs, inputs, scale=0.3), self.numbers(outputs), transB=1)

    def tower(self, blocks: int, bias: bool, norm: bool) -> str:
        x = self.op("Relu", self.conv("input", PLANES, FILTERS, 3, bias, norm))
        for _ in range(blocks):
            inner = self.op("Relu", self.conv(x, FILTERS, FILTERS, 3, bias, norm))
            x = self.op("Relu", self.op("Add", self.conv(inner, FILTERS, FILTERS, 3, bias, norm), x))
        return x

    def save(self, name: str, policy: str, value: str) -> dict:
        for output, end in (("policy", policy), ("value", value)):
            self.nodes.append(helper.make_node("Identity", [end], [output]))
        tensor = lambda name, *shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *shape])
        graph = helper.make_graph(
            self.nodes,
            "main_graph",
            [tensor("input", PLANES, SIZE, SIZE)],
            [tensor("policy", MOVES), tensor("value", 1)],
            self.constants,
        )
        model = helper.make_model(graph, producer_name="another", opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        path = HERE / name
        onnx.save(model, path)
        inputs = self.random.integers(0, 2, (3, PLANES, SIZE, SIZE)).astype(np.float32)
        policy, value = onnxruntime.InferenceSession(path.read_bytes()).run(["policy", "value"], {"input": inputs})
        return {name: {key: array.ravel().tolist() for key, array in (("input", inputs), ("policy", policy), ("value", value))}}


def folded() -> dict:
    net = Writer(1)
    x = net.tower(2, bias=True, norm=False)
    policy = net.op("Flatten", net.op("Relu", net.conv(x, FILTERS, 2, 1, True, False)), axis=1)
    policy = net.dense(policy, 2 * 9, MOVES, apart=False)
    value = net.op("Flatten", net.op("Relu", net.conv(x, FILTERS, 1, 1, True, False)), axis=1)
    value = net.dense(net.op("Relu", net.dense(value, 9, 7, apart=False)), 7, 1, apart=False)
    return net.save("folded.onnx", policy, net.op("Tanh", value))


def norms() -> dict:
    net = Writer(2, constants_as_nodes=True)
    x = net.op("Dropout", net.op("Identity", net.tower(1, bias=True, norm=True)))
    shape = net.constant(np.array([-1, 3 * 9], dtype=np.int64))
    policy = net.op("Reshape", net.op("Relu", net.conv(x, FILTERS, 3, 1, False, True)), shape)
    policy = net.dense(net.op("Relu", net.dense(policy, 3 * 9, 11, apart=True)), 11, MOVES, apart=True)
    shape = net.constant(np.array([-1, 2 * 9], dtype=np.int64))
    value = net.op("Reshape", net.op("Relu", net.conv(x, FILTERS, 2, 1, False, True)), shape)
    value = net.dense(value, 2 * 9, 1, apart=True)
    return net.save("norms.onnx", net.op("LogSoftmax", policy, axis=1), net.op("Tanh", value))


def planes() -> dict:
    net = Writer(3)
    x = net.tower(1, bias=True, norm=False)
    policy = net.conv(net.op("Relu", net.conv(x, FILTERS, 5, 3, True, False)), 5, 1, 1, True, False)
    value = net.op("Flatten", net.op("Relu", net.conv(x, FILTERS, 1, 1, True, False)), axis=1)
    return net.save("planes.onnx", net.op("Flatten", policy), net.op("Tanh", net.dense(value, 9, 1, apart=False)))


def pooled() -> dict:
    net = Writer(4)
    x = net.tower(1, bias=True, norm=False)
    policy = net.op("Flatten", net.op("Relu", net.conv(x, FILTERS, 2, 1, True, False)), axis=1)
    value = net.op("Flatten", net.op("GlobalAveragePool", x), axis=1)
    value = net.op("Tanh", net.dense(value, FILTERS, 1, apart=False))
    return net.save("pooled.onnx", net.dense(policy, 2 * 9, MOVES, apart=False), value)


if __name__ == "__main__":
    expected = folded() | norms() | planes() | pooled()
    (HERE / "foreign.json").write_text(json.dumps(expected, indent=1) + "\n")
