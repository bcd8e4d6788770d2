# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An index out of range fails the call, whatever the table holds: elements that are all equal, of a constant, a fill, or
what is computed from constants. On a processor and on Vulkan, as ONNX Runtime does."""
import unittest

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import support

FULL = numpy.full(8, 3, numpy.float32)
INDEX = [("i", TensorProto.INT64, [1])]
VECTOR = [("i", TensorProto.INT64, [1, 1])]
GATHER = helper.make_node("Gather", ["t", "i"], ["y"])
ONE = [1]

# name → nodes, arguments, the result's shape, initialisers, an index that is right.
CASES = {
    "gather": ([GATHER], INDEX, ONE, {"t": FULL}),
    "rows": ([GATHER], INDEX, [1, 4], {"t": numpy.full((8, 4), 3, numpy.float32)}),
    "one element": ([GATHER], INDEX, ONE, {"t": FULL[:1]}),
    "narrow index": ([GATHER], [("i", TensorProto.INT32, [1])], ONE, {"t": FULL}),
    "elements": ([helper.make_node("GatherElements", ["t", "i"], ["y"])], INDEX, ONE, {"t": FULL}),
    "nd": ([helper.make_node("GatherND", ["t", "i"], ["y"])], VECTOR, ONE, {"t": FULL}),
    "read again": ([helper.make_node("Gather", ["t", "i"], ["g"]), helper.make_node("Mul", ["g", "g"], ["y"])], INDEX, ONE, {"t": FULL}),
    "reduced": ([helper.make_node("Gather", ["t", "i"], ["g"]), helper.make_node("ReduceSum", ["g"], ["y"], keepdims=1)], INDEX, ONE, {"t": FULL}),
    "concatenated": ([helper.make_node("Concat", ["s", "s"], ["t"], axis=0), GATHER], INDEX, ONE, {"s": FULL}),
    "expanded": ([helper.make_node("Expand", ["s", "n"], ["t"]), GATHER], INDEX, ONE, {"s": FULL[:1], "n": numpy.array([8])}),
    "of a shape": ([helper.make_node("ConstantOfShape", ["n"], ["t"]), GATHER], INDEX, ONE, {"n": numpy.array([8])}),
    "computed": ([helper.make_node("Add", ["a", "b"], ["t"]), GATHER], INDEX, ONE,
                 {"a": numpy.arange(8, dtype=numpy.float32), "b": 7 - numpy.arange(8, dtype=numpy.float32)}),
    "computed late": ([helper.make_node("Transpose", ["a"], ["u"]), helper.make_node("Sub", ["u", "u"], ["v"]),
                       helper.make_node("Reshape", ["v", "n"], ["t"]), GATHER], INDEX, ONE,
                      {"a": numpy.arange(8, dtype=numpy.float32).reshape(2, 4), "n": numpy.array([8])}),
    "reversed": ([helper.make_node("ReverseSequence", ["t", "i"], ["y"], batch_axis=1, time_axis=0)], INDEX, [8, 1], {"t": FULL.reshape(8, 1)}),
    "unlike elements": ([GATHER], INDEX, ONE, {"t": numpy.arange(8, dtype=numpy.float32)}),
}


class IndexChecksTest(support.EndToEnd):
    def make(self, name):
        nodes, arguments, shape, initializers = CASES[name]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*one) for one in arguments],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
                                  [numpy_helper.from_array(value, key) for key, value in initializers.items()])
        path = self.folder / "model.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), path)
        return path, "x".join(map(str, arguments[0][2])) + ("xi32" if arguments[0][1] == TensorProto.INT32 else "xi64")

    def check_on(self, target, device):
        for name in CASES:
            with self.subTest(name):
                model, value = self.make(name)
                artifact = self.folder / "model.heddle"
                compiled = support.heddle("compile", model, "-o", artifact, f"--target-device={target}")
                self.assertEqual(0, compiled.returncode, compiled.stderr)
                run = lambda index: support.heddle("run", artifact, f"--device={device}", f"--input={value}={index}")  # noqa: E731
                right = run(0)
                self.assertEqual(0, right.returncode, right.stderr)
                for index in (99, -17):
                    wrong = run(index)
                    self.assertEqual(1, wrong.returncode, f"{index}: {wrong.stdout}")
                    self.assertIn("an index is out of range; check the indices given to the model", wrong.stderr)

    def test_on_a_processor(self):
        self.check_on("local", "local://0")

    def test_on_vulkan(self):
        self.check_on("vulkan", "vulkan")


if __name__ == "__main__":
    unittest.main()
