# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal layers that differ in scales and zero points only are compiled once, and each calculates with its own.

Counted is what is compiled, not how long it takes: it must not grow with the number of layers.
"""
import json
import os
import pathlib
import tempfile
import unittest

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from support import heddle

SEED = int(os.environ.get("HEDDLE_SEED", 5))
ROWS, SIZE = 6, 48


class SharedCode(unittest.TestCase):
    def model(self, layers, kind):
        """x to as many results, each by a product of bytes and a quantised activation with numbers of its own."""
        random = numpy.random.default_rng(SEED)
        constants, nodes, outputs = {}, [], []

        def constant(name, value):
            constants[name] = numpy.asarray(value)
            return name

        for i in range(layers):
            def make(op, inputs, output, **attributes):
                nodes.append(helper.make_node(op, inputs, [f"{output}{i}"], **attributes))
                return f"{output}{i}"

            def numbers(name, least, most):
                zero = random.integers(100, 156) if kind == numpy.uint8 else random.integers(-20, 20)
                return [constant(f"{name}s{i}", numpy.float32(random.uniform(least, most))), constant(f"{name}z{i}", kind(zero))]

            step, after = numbers("x", 0.02, 0.03), numbers("a", 0.2, 0.3)
            weights = constant(f"w{i}", random.integers(-127, 128, (SIZE, SIZE)).astype(numpy.int8))
            scale = constant(f"ws{i}", numpy.float32(random.uniform(0.003, 0.006)))
            q = make("DequantizeLinear", [make("QuantizeLinear", ["x", *step], "q"), *step], "f")
            product = make("MatMul", [q, make("DequantizeLinear", [weights, scale], "v")], "p")
            a = make("DequantizeLinear", [make("QuantizeLinear", [product, *after], "r"), *after], "a")
            outputs.append(helper.make_tensor_value_info(make("Sigmoid", [a], "y"), TensorProto.FLOAT, [ROWS, SIZE]))
        graph = helper.make_graph(nodes, "layers", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ROWS, SIZE])], outputs,
                                  [numpy_helper.from_array(value, name) for name, value in constants.items()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def compile_and_compare(self, layers, kind, *flags):
        """The compiler's figures. A step of a quantisation is 0.3 of a sigmoid's argument, 0.075 of its value, at most."""
        model = self.model(layers, kind)
        x = numpy.random.default_rng(SEED + 1).normal(0, 1, (ROWS, SIZE)).astype(numpy.float32)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        want = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, {"x": x})
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model, folder / "m.onnx")
            numpy.save(folder / "x.npy", x)
            outputs = [f"--output=y{i}=@{folder}/y{i}.npy" for i in range(layers)]
            for arguments in (["compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--stats={folder}/stats.json", *flags],
                              ["run", folder / "m.heddle", f"--input=@{folder}/x.npy", *outputs]):
                result = heddle(*arguments)
                self.assertEqual(result.returncode, 0, result.stderr)
            for i in range(layers):
                error = numpy.abs(numpy.load(folder / f"y{i}.npy") - want[i])
                # Products of other signs and sums in another order move few values, by one step.
                self.assertLess(error.max(), 0.08, f"seed {SEED}, layer {i}")
                self.assertLess((error > 1e-4).mean(), 0.02, f"seed {SEED}, layer {i}")
            return json.loads((folder / "stats.json").read_text())

    def test_layers(self):
        for kind in (numpy.uint8, numpy.int8):
            few, many = (self.compile_and_compare(layers, kind) for layers in (3, 12))
            self.assertGreaterEqual(many["kernels"], few["kernels"] + 9)
            self.assertLessEqual(many["compiled"], few["compiled"] + 1)  # chance makes numbers equal, or powers of two
            self.assertLess(many["compiled"], 8)

    def test_levels(self):
        for flags in (["--target-cpu=x86-64-v3"], ["-O0"]):
            stats = self.compile_and_compare(8, numpy.uint8, *flags)
            self.assertLess(stats["compiled"], stats["kernels"])


if __name__ == "__main__":
    unittest.main()
