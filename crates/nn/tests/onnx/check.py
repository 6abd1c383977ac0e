#!/usr/bin/env python3
"""Runs every NAME.onnx of a directory by onnxruntime and compares with the outputs in NAME.json.

    pip install onnxruntime
    TESUJI_ONNXRUNTIME=python3 cargo test -p tesuji-nn --test onnx

Fails if an output differs by more than 1e-4 of the greatest.
"""
import json
import pathlib
import sys

import numpy
import onnxruntime

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
    sample = json.loads(path.with_suffix(".json").read_text())
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    planes = numpy.array(sample["planes"], dtype=numpy.float32).reshape(sample["shape"])
    names = [output.name for output in session.get_outputs()]
    if sorted(names) != sorted(sample["outputs"]):
        sys.exit(f"{path.stem}: outputs {names}")
    worst = 0.0
    for name, theirs in zip(names, session.run(names, {"planes": planes})):
        ours = numpy.array(sample["outputs"][name], dtype=numpy.float32).reshape(theirs.shape)
        worst = max(worst, float(abs(ours - theirs).max() / abs(theirs).max()))
    if not worst <= 1e-4:
        sys.exit(f"{path.stem}: differs by {worst:.1e}")
    print(f"{path.stem}: {worst:.1e}")
