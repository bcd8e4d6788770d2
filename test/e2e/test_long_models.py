# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of thousands of elementwise operators: several dispatches, none too large for code generation."""
import json
import pathlib
import tempfile
import unittest

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from support import heddle

SHAPE = [8, 16]
SEED = 3


class LongModels(unittest.TestCase):
    def run_model(self, nodes, last, constants=()):
        """(dispatches, result, argument)"""
        value = helper.make_tensor_value_info
        initializers = [numpy_helper.from_array(array, name) for name, array in constants]
        graph = helper.make_graph(nodes, "long", [value("x", TensorProto.FLOAT, SHAPE)], [value(last, TensorProto.FLOAT, SHAPE)], initializers)
        x = numpy.random.default_rng(SEED).standard_normal(SHAPE).astype(numpy.float32)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "long.onnx")
            numpy.save(folder / "x.npy", x)
            for arguments in (["compile", folder / "long.onnx", "-o", folder / "long.heddle", f"--stats={folder}/stats.json"],
                              ["run", folder / "long.heddle", f"--input=@{folder}/x.npy", f"--output=@{folder}/y.npy"]):
                result = heddle(*arguments)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.stats = json.loads((folder / "stats.json").read_text())
            return self.stats["dispatches"], numpy.load(folder / "y.npy"), x

    def test_a_chain(self):
        count = 1500
        nodes = [helper.make_node(("Softsign", "Neg", "Abs")[i % 3], [f"v{i}" if i else "x"], [f"v{i + 1}"]) for i in range(count)]
        dispatches, y, x = self.run_model(nodes, f"v{count}")
        for i in range(count):
            x = (lambda v: v / (1 + numpy.abs(v)), numpy.negative, numpy.abs)[i % 3](x)
        self.assertGreater(dispatches, count // 512)
        numpy.testing.assert_allclose(y, x, atol=1e-5)

    def test_functions(self):
        """Functions count as what they become: a kernel of 512 sines would compile for minutes."""
        count = 64
        nodes = [helper.make_node(("Sin", "Cos")[i % 2], [f"v{i}" if i else "x"], [f"v{i + 1}"]) for i in range(count)]
        dispatches, y, x = self.run_model(nodes, f"v{count}")
        for i in range(count):
            x = (numpy.sin, numpy.cos)[i % 2](x)
        self.assertGreaterEqual(dispatches, 4)
        self.assertLess(dispatches, 12)
        numpy.testing.assert_allclose(y, x, atol=1e-5)

    def test_many_constants(self):
        count = 200
        random = numpy.random.default_rng(SEED + 1)
        constants = [(f"c{i}", random.standard_normal(SHAPE).astype(numpy.float32)) for i in range(count)]
        nodes = [helper.make_node("Add", [f"v{i}" if i else "x", f"c{i}"], [f"v{i + 1}"]) for i in range(count)]
        dispatches, y, x = self.run_model(nodes, f"v{count}", constants)
        self.assertGreaterEqual(dispatches, count // 64)
        numpy.testing.assert_allclose(y, x + sum(array for _, array in constants), atol=1e-4)

    def test_many_parts(self):
        """Parts of a split that differ in their places only are read by one kernel, which is told where they begin."""
        count = 32
        nodes = [helper.make_node("Reshape", ["x", "rows"], ["line"]), helper.make_node("Split", ["line"], [f"p{i}" for i in range(count)], axis=1),
                 *(helper.make_node("MatMul", [f"p{i}", f"p{i}"], [f"q{i}"]) for i in range(count)),
                 helper.make_node("Concat", [f"q{i}" for i in reversed(range(count))], ["back"], axis=1), helper.make_node("Reshape", ["back", "shape"], ["y"])]
        _, y, x = self.run_model(nodes, "y", [("rows", numpy.array([2, 2 * count])), ("shape", numpy.array(SHAPE))])
        parts = numpy.split(x.reshape(2, 2 * count), count, axis=1)
        numpy.testing.assert_allclose(y, numpy.concatenate([part @ part for part in reversed(parts)], axis=1).reshape(SHAPE), atol=1e-5)
        self.assertLess(self.stats["kernels"], 10)


if __name__ == "__main__":
    unittest.main()
