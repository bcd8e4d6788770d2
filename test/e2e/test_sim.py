# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What --place=auto expects, against the time that simulated devices take: one model of the machine, told twice."""
import json
import pathlib
import re
import tempfile
import unittest

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from support import heddle

TOLERANCE = 0.1
WIDTH = 384
MIB = 1 << 20


class Model:
    """A graph on 'x' of ROWSxWIDTH that ends in 'y'."""

    def __init__(self, rows=128):
        self.rows, self.nodes, self.weights, self.names = rows, [], [], 0

    def op(self, kind, *inputs, **attributes):
        self.names += 1
        self.nodes.append(helper.make_node(kind, list(inputs), [f"v{self.names}"], **attributes))
        return f"v{self.names}"

    def weight(self, *shape):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(numpy.full(shape, 1 / WIDTH, numpy.float32), name))
        return name

    def product(self, value):
        return self.op("Relu", self.op("MatMul", value, self.weight(WIDTH, WIDTH)))

    def save(self, path, result):
        self.nodes.append(helper.make_node("Identity", [result], ["y"]))
        shape = [self.rows, WIDTH]
        graph = helper.make_graph(
            self.nodes, "model", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def chain(model, length, value="x"):
    for _ in range(length):
        value = model.product(value)
    return value


def diamond(model):
    first = model.product("x")
    return model.op("Add", chain(model, 2, first), chain(model, 3, first))


def attention(model):
    query, key, value = (model.product("x") for _ in range(3))
    scores = model.op("Softmax", model.op("MatMul", query, model.op("Transpose", key, perm=[1, 0])), axis=1)
    return model.product(model.op("MatMul", scores, value))


def norms(model):
    value = "x"
    for _ in range(3):
        centred = model.op("Sub", value, model.op("ReduceMean", value, axes=[1]))
        value = model.product(model.op("Tanh", centred))
    return value


# Name, graph, rows, rates of the devices a and b, memory of each (None: no limit), whether both are needed.
CASES = [
    ("chain over two small devices", lambda m: chain(m, 8), 128, (50, 200), 3 * MIB, True),
    ("chain on the faster device", lambda m: chain(m, 6), 128, (50, 200), None, False),
    ("chain on equal devices", lambda m: chain(m, 4), 128, (100, 100), None, False),
    ("long chain over two small devices", lambda m: chain(m, 14), 64, (100, 100), 5 * MIB, True),
    ("few rows, memory decides", lambda m: chain(m, 5), 2, (1000, 1000), None, False),
    ("diamond, its sides on two devices", diamond, 128, (100, 100), None, True),
    ("diamond over two small devices", diamond, 256, (100, 400), 3 * MIB, True),
    ("many rows", lambda m: chain(m, 2), 2048, (100, 50), None, False),
    ("attention, its products side by side", attention, 256, (100, 100), None, True),
    ("norms", norms, 512, (20, 10), None, False),
    ("elementwise", lambda m: m.op("Tanh", m.op("Add", "x", m.weight(WIDTH))), 4096, (100, 300), None, False),
]
UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1}


class SimTest(unittest.TestCase):
    def expected(self, model, artifact, rates, memory):
        """Compiles; gives the time that placement prints."""
        limit = f",memory={memory // 1024}KiB" if memory else ""
        flags = [f"--target-device={name}=local{{gflops={rate}{limit}}}" for name, rate in zip("ab", rates)]
        result = heddle("compile", model, *flags, "--place=auto", "-o", artifact)
        self.assertEqual(result.returncode, 0, result.stderr)
        time = re.search(r"placed by cost: ([\d.]+) (\S+) expected with", result.stderr)
        self.assertIsNotNone(time, result.stderr)
        return float(time[1]) * UNITS[time[2]]

    def simulated(self, artifact, rates, rows, folder):
        """Runs on simulated devices; gives the makespan, and how many devices had work."""
        devices = [f"--device=sim://{name}?gflops={rate}" for name, rate in zip("ab", rates)]
        path = folder / "trace.json"
        result = heddle("trace", artifact, *devices, f"--input={rows}x{WIDTH}xf32=1", "-o", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        events = json.loads(path.read_text())["traceEvents"]
        work = [event for event in events if event.get("cat") in ("dispatch", "copy", "fill")]
        span = max(event["ts"] + event["dur"] for event in work) - min(event["ts"] for event in work)
        return span * 1e-6, len({event["pid"] for event in work if event["cat"] == "dispatch"})

    def compare(self, case):
        """Both times of a case, in seconds."""
        _, build, rows, rates, memory, both = case
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            model = Model(rows)
            model.save(folder / "model.onnx", build(model))
            expected = self.expected(folder / "model.onnx", folder / "model.heddle", rates, memory)
            took, used = self.simulated(folder / "model.heddle", rates, rows, folder)
            self.assertEqual(used, 2 if both else 1)
        return expected, took

    def test_estimates_are_what_simulation_takes(self):
        for case in CASES:
            with self.subTest(case[0]):
                expected, took = self.compare(case)
                self.assertLess(abs(took - expected), TOLERANCE * took, f"expected {expected}, took {took}")


if __name__ == "__main__":
    unittest.main()
