# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of many products: as exact as peers' whatever their length, also with constants and on one core; constants that lie in
tiles are cut into parts; any number of rows and steps in one artifact."""
import itertools
import unittest

import numpy
import onnx
from onnx import helper, numpy_helper
from support import ToolTest

SEED = 7
# Root mean square of the errors of normal elements over the square root of the steps. Peers that sum 1,024 steps at a time
# reach 5.8e-7; one sum of 4,096 has 1.2e-6, one of 50,000 4e-6.
MOST = 7e-7


class LongSums(ToolTest):
    SEED = SEED

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(numpy.float32)

    def compile(self, nodes, inputs, constants, *flags):
        values = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in inputs.items()]
        stored = [numpy_helper.from_array(array, name) for name, array in constants.items()]
        graph = helper.make_graph(nodes, "g", values, [helper.make_empty_tensor_value_info("y")], stored)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "m.onnx")
        self.tool("compile", self.folder / "m.onnx", "-o", self.folder / "m.heddle", *flags)
        return self.folder / "m.heddle"

    def run_on(self, device, artifact, *arrays):
        for i, array in enumerate(arrays):
            numpy.save(self.folder / f"{i}.npy", array)
        inputs = [f"--input=@{self.folder}/{i}.npy" for i in range(len(arrays))]
        self.tool("run", artifact, f"--device={device}", *inputs, f"--output=@{self.folder}/o.npy")
        return numpy.load(self.folder / "o.npy")

    def check(self, got, exact, steps, where, most=MOST):
        self.assertEqual(got.shape, exact.shape, where)
        if got.size == 0:
            return
        error = numpy.sqrt(numpy.mean((got - exact) ** 2)) / numpy.sqrt(max(steps, 1))
        self.assertLessEqual(error, most, where)

    def check_product(self, m, n, k, constant, *flags, transposed=False):
        a, b = self.normal(m, k), self.normal(k, n)
        right = numpy.ascontiguousarray(b.T) if transposed else b
        nodes = [helper.make_node("Gemm", ["x", "w"], ["y"], transB=1)] if transposed else [helper.make_node("MatMul", ["x", "w"], ["y"])]
        inputs = {"x": a.shape} if constant else {"x": a.shape, "w": right.shape}
        artifact = self.compile(nodes, inputs, {"w": right} if constant else {}, *flags)
        for device in ("local://0", "local://0-1"):
            got = self.run_on(device, artifact, a, *([] if constant else [right]))
            self.check(got, a.astype(numpy.float64) @ b, k, (m, n, k, constant, flags, transposed, device))

    def test_every_length(self):
        for (m, n, k), constant in itertools.product(((1, 70, 4097), (5, 33, 1025), (67, 64, 20011), (130, 200, 2305), (16, 16, 40961)), (False, True)):
            self.check_product(m, n, k, constant)

    def test_every_level_of_processors(self):
        for cpu in ("x86-64-v2", "x86-64-v3", "x86-64-v4"):
            for constant in (False, True):
                self.check_product(19, 37, 5003, constant, f"--target-cpu={cpu}")

    def test_columns_that_are_copied(self):
        self.check_product(70, 50, 5003, False, transposed=True)

    def test_what_sums_begin_with_counts_once(self):
        a, b, bias = self.normal(31, 6001), self.normal(6001, 45), 1000 * self.normal(31, 45)
        for split in ("default", "off"):
            artifact = self.compile([helper.make_node("Gemm", ["x", "w", "b"], ["p"]), helper.make_node("Relu", ["p"], ["y"])],
                                    {"x": a.shape, "b": bias.shape}, {"w": b}, f"--strategy=split:{split}")
            exact = numpy.maximum(a.astype(numpy.float64) @ b + bias, 0)
            self.check(self.run_on("local://0-1", artifact, a, bias), exact, 6001, split, most=2e-6)

    def test_convolutions(self):
        x, w = self.normal(1, 300, 9, 11), self.normal(40, 300, 3, 3)
        artifact = self.compile([helper.make_node("Conv", ["x", "w"], ["y"])], {"x": x.shape}, {"w": w})
        patches = numpy.lib.stride_tricks.sliding_window_view(x[0].astype(numpy.float64), (3, 3), (1, 2))
        exact = numpy.einsum("chwij,ocij->ohw", patches, w.astype(numpy.float64))[None]
        for device in ("local://0", "local://0-1"):
            self.check(self.run_on(device, artifact, x), exact, 2700, device)

    def test_strict_float_keeps_the_order(self):
        a, b = self.normal(8, 16384), self.normal(16384, 64)
        artifact = self.compile([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": a.shape}, {"w": b}, "--strict-float")
        chain = numpy.zeros((8, 64), numpy.float64)  # each sum and product rounded once, as a fused instruction does
        for k in range(16384):
            chain = (chain + numpy.outer(a[:, k].astype(numpy.float64), b[k])).astype(numpy.float32).astype(numpy.float64)
        numpy.testing.assert_array_equal(self.run_on("local://0-1", artifact, a), chain.astype(numpy.float32))

    def test_constants_are_cut_in_their_tiles(self):
        b = self.normal(16384, 64)
        artifact = self.compile([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": (3, 16384)}, {"w": b})
        self.assertIn("split into parts: 2 for each of the device's units", self.tool("explain", artifact).stdout)
        inspected = self.tool("inspect", artifact, "--json").stdout
        self.assertIn("inner_tiles", inspected)
        a = self.normal(3, 16384)
        self.check(self.run_on("local://0-1", artifact, a), a.astype(numpy.float64) @ b, 16384, "tiles")

    def test_constants_of_bytes_are_cut_in_their_groups(self):
        a = self.random.integers(0, 255, (3, 9001), dtype=numpy.uint8)
        b = self.random.integers(-128, 127, (9001, 40), dtype=numpy.int8)
        x = helper.make_tensor_value_info("x", onnx.TensorProto.UINT8, a.shape)
        graph = helper.make_graph([helper.make_node("MatMulInteger", ["x", "w"], ["y"])], "g", [x],
                                  [helper.make_empty_tensor_value_info("y")], [numpy_helper.from_array(b, "w")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "i.onnx")
        self.tool("compile", self.folder / "i.onnx", "-o", self.folder / "i.heddle")
        for device in ("local://0", "local://0-1"):
            numpy.testing.assert_array_equal(self.run_on(device, self.folder / "i.heddle", a), a.astype(numpy.int32) @ b.astype(numpy.int32))

    def test_any_rows_and_any_length_in_one_artifact(self):
        artifact = self.compile([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": ("m", "k"), "w": ("k", 7)}, {})
        for m, k in itertools.product((0, 1, 7, 8, 9), (0, 1, 7, 8, 9, 20011)):
            a, b = self.normal(m, k), self.normal(k, 7)
            self.check(self.run_on("local://0-1", artifact, a, b), a.astype(numpy.float64) @ b, k, (m, k))
        for m, k in ((1, 1000000), (8, 1000000), (100000, 9)):
            a, b = self.normal(m, k), self.normal(k, 7)
            self.check(self.run_on("local://0-1", artifact, a, b), a.astype(numpy.float64) @ b, k, (m, k))

    def test_free_rows_of_long_sums_are_split(self):
        b = self.normal(50000, 8)
        artifact = self.compile([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": ("m", 50000)}, {"w": b})
        self.assertIn("split into parts", self.tool("explain", artifact).stdout)
        for m in (0, 1, 5, 300):
            a = self.normal(m, 50000)
            self.check(self.run_on("local://0-1", artifact, a), a.astype(numpy.float64) @ b, 50000, m)

    def test_kernels_of_parts_are_checked(self):
        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
        for rows, depth, columns in ((1, 9216, 100), (3, 16384, 40)):
            self.compile(nodes, {"x": (rows, depth)}, {"w": self.normal(depth, columns)})
            self.assertIn("codegen ok", self.tool("check", self.folder / "m.onnx").stdout)


if __name__ == "__main__":
    unittest.main()
