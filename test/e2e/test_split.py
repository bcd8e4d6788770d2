# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions in parts: right for every length, on every device; as many parts as were asked for; none where one is best."""
import json
import unittest

import numpy
import onnx
from support import ToolTest

SEED = 5


def product(m, n, k, split="", epilogue="", kind="f32", out="f32"):
    """C = A.B with `split` on the op; sizes may be '?'."""
    def sizes(*dims):
        return "x".join(map(str, dims))

    a, b, c = f"tensor<{sizes(m, k)}x{kind}>", f"tensor<{sizes(k, n)}x{kind}>", f"tensor<{sizes(m, n)}x{out}>"
    dynamic = [f"%d{i}" for i, dim in enumerate((m, n)) if dim == "?"]
    attribute = f"{{heddle.split = {split} : i64}} " if split else ""
    return f"""
func.func @main(%a: {a} {{heddle.dims = ["m", "k"]}}, %b: {b} {{heddle.dims = ["k", "n"]}}) -> {c} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %a, %c0 : {a}
  %d1 = tensor.dim %b, %c1 : {b}
  %z = arith.constant 0.0 : {out}
  %e = tensor.empty({", ".join(dynamic)}) : {c}
  %f = linalg.fill ins(%z : {out}) outs(%e : {c}) -> {c}
  %m = linalg.matmul {attribute}ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}
  {epilogue.format(c=c) or f"return %m : {c}"}
}}"""


RELU = """%r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
      ins(%m : {c}) outs(%e : {c}) {{
    ^bb0(%x: f32, %o: f32):
      %y = arith.maximumf %x, %z : f32
      linalg.yield %y : f32
    }} -> {c}
  return %r : {c}"""


def reduction(shape, dimensions, combiner, neutral, split="", kind="f32"):
    sizes = "x".join(map(str, shape))
    kept = "x".join([str(size) for i, size in enumerate(shape) if i not in dimensions] + [kind])
    attribute = f"{{heddle.split = {split} : i64}}" if split else ""
    return f"""
func.func @main(%a: tensor<{sizes}x{kind}>) -> tensor<{kept}> {{
  %z = arith.constant {neutral} : {kind}
  %e = tensor.empty() : tensor<{kept}>
  %f = linalg.fill ins(%z : {kind}) outs(%e : tensor<{kept}>) -> tensor<{kept}>
  %m = linalg.reduce {{ {combiner} }} ins(%a : tensor<{sizes}x{kind}>) outs(%f : tensor<{kept}>) dimensions = {list(dimensions)} {attribute}
  return %m : tensor<{kept}>
}}"""


class Split(ToolTest):
    SEED = SEED

    def compile(self, text, *flags):
        (self.folder / "m.mlir").write_text(text)
        self.tool("compile", self.folder / "m.mlir", "-o", self.folder / "m.heddle", *flags)
        return self.folder / "m.heddle"

    def run_on(self, device, artifact, *arrays):
        for i, array in enumerate(arrays):
            numpy.save(self.folder / f"{i}.npy", array)
        inputs = [f"--input=@{self.folder}/{i}.npy" for i in range(len(arrays))]
        self.tool("run", artifact, f"--device={device}", *inputs, f"--output=@{self.folder}/o.npy")
        return numpy.load(self.folder / "o.npy")

    def dispatches(self, artifact, device):
        bound = json.loads(self.tool("inspect", artifact, "--json", "--bound", f"--device={device}").stdout)
        return [entry["name"] for entry in bound["host"] if entry["op"] == "dispatch"]

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(numpy.float32)

    def check_product(self, artifact, m, n, k, device="local://0-1"):
        a, b = self.normal(m, k), self.normal(k, n)
        exact = a.astype(numpy.float64) @ b.astype(numpy.float64)
        bound = numpy.abs(a).astype(numpy.float64) @ numpy.abs(b).astype(numpy.float64)
        error = numpy.abs(self.run_on(device, artifact, a, b) - exact)
        self.assertTrue((error <= 1e-6 * bound).all(), (m, n, k, device, error.max()))

    def test_as_many_parts_as_asked(self):
        artifact = self.compile(product(123, 456, 51234, split=77))
        self.check_product(artifact, 123, 456, 51234)
        text = self.tool("inspect", artifact, "--json").stdout
        self.assertEqual(len(self.dispatches(artifact, "local://0")), 2, text)

    def test_lengths_that_nothing_divides(self):
        for k in (40961, 40963):
            self.check_product(self.compile(product(3, 40, k, split=13)), 3, 40, k)

    def test_every_length_in_one_artifact(self):
        artifact = self.compile(product("?", "?", "?", split=9))
        for k in (0, 1, 7, 8, 9, 10, 31, 32, 33, 100000):
            for device in ("local://0", "local://0-1"):
                self.check_product(artifact, 5, 17, k, device)

    def test_more_parts_than_granules(self):
        self.check_product(self.compile(product(4, 16, 6, split=1000)), 4, 16, 6)

    def test_an_epilogue_belongs_to_the_merge(self):
        artifact = self.compile(product(8, 32, 50000, split=4, epilogue=RELU))
        self.assertEqual(len(self.dispatches(artifact, "local://0")), 2)
        a, b = self.normal(8, 50000), self.normal(50000, 32)
        exact = numpy.maximum(a.astype(numpy.float64) @ b, 0)
        numpy.testing.assert_allclose(self.run_on("local://0-1", artifact, a, b), exact, atol=2e-3)

    def test_sums_of_sixteen_bits_are_of_thirty_two(self):
        artifact = self.compile(product(4, 32, 9001, split=5, kind="f16"))
        a, b = self.normal(4, 9001).astype(numpy.float16), self.normal(9001, 32).astype(numpy.float16)
        exact = a.astype(numpy.float64) @ b.astype(numpy.float64)
        numpy.testing.assert_allclose(self.run_on("local://0-1", artifact, a, b), exact, atol=1e-3)

    def test_the_greatest_of_ragged_parts(self):
        artifact = self.compile(reduction((100003,), (0,), "arith.maximumf", "0xFF800000", split=7))
        x = -numpy.abs(self.normal(100003)) - 1
        self.assertEqual(self.run_on("local://0-1", artifact, x), x.max())
        x[99999] = numpy.nan
        self.assertTrue(numpy.isnan(self.run_on("local://0-1", artifact, x)))

    def test_columns_and_two_dimensions(self):
        x = self.normal(60, 70, 8)
        for dimensions in ((0,), (0, 1), (1,)):
            artifact = self.compile(reduction((60, 70, 8), dimensions, "arith.addf", "0.0", split=6))
            numpy.testing.assert_allclose(self.run_on("local://0-1", artifact, x), x.sum(dimensions, dtype=numpy.float64), atol=1e-3)

    def test_integers_are_exact(self):
        artifact = self.compile(reduction((12345,), (0,), "arith.addi", "0", split=11, kind="i32"))
        x = self.random.integers(-1000, 1000, 12345, dtype=numpy.int32)
        self.assertEqual(self.run_on("local://0-1", artifact, x), x.sum())

    def test_what_a_part_begins_with_counts_once(self):
        text = product(4, 32, 9001, split=5).replace("arith.constant 0.0", "arith.constant 10.0")
        a, b = self.normal(4, 9001), self.normal(9001, 32)
        numpy.testing.assert_allclose(self.run_on("local://0-1", self.compile(text), a, b), a.astype(numpy.float64) @ b + 10, atol=1e-3)

    def test_the_same_bits_every_time(self):
        artifact = self.compile(product(16, 48, 65537, split=6))
        a, b = self.normal(16, 65537), self.normal(65537, 48)
        first = self.run_on("local://0-1", artifact, a, b)
        self.assertEqual(first.tobytes(), self.run_on("local://0-1", artifact, a, b).tobytes())

    def test_the_default_looks_at_the_device(self):
        artifact = self.compile(reduction((5000017,), (0,), "arith.addf", "0.0"))
        self.assertEqual(len(self.dispatches(artifact, "local://0")), 1)
        self.assertEqual(len(self.dispatches(artifact, "local://0-1")), 2)
        x = self.normal(5000017)
        for device in ("local://0", "local://0-1"):
            self.assertAlmostEqual(float(self.run_on(device, artifact, x)), float(x.sum(dtype=numpy.float64)), delta=0.1)

    def test_short_ones_stay_whole(self):
        artifact = self.compile(product(64, 64, 100))
        self.assertEqual(len(self.dispatches(artifact, "local://0-1")), 1)

    def compile_node(self, kind, shape, *flags, **attributes):
        """One ONNX operator on x of f32."""
        x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)
        y = onnx.helper.make_empty_tensor_value_info("y")
        graph = onnx.helper.make_graph([onnx.helper.make_node(kind, ["x"], ["y"], **attributes)], "g", [x], [y])
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), self.folder / "m.onnx")
        self.tool("compile", self.folder / "m.onnx", "-o", self.folder / "m.heddle", *flags)
        return self.folder / "m.heddle"

    def test_without_a_buffer_for_a_branch(self):
        artifact = self.compile(reduction((5000017,), (0,), "arith.addf", "0.0"))
        for device in ("local://0", "local://0-1"):
            bound = json.loads(self.tool("inspect", artifact, "--json", "--bound", f"--device={device}").stdout)
            self.assertFalse([entry for entry in bound["host"] if entry["op"] == "copy"], device)

    def test_positions_of_the_greatest(self):
        x = self.normal(1, 3000001)
        x[0, [17, 2000000, 2999999]] = 9.0
        for last, at in ((0, 17), (1, 2999999)):
            artifact = self.compile_node("ArgMax", x.shape, axis=1, select_last_index=last)
            self.assertGreater(len(self.dispatches(artifact, "local://0-1")), 2)
            for device in ("local://0", "local://0-1"):
                self.assertEqual(self.run_on(device, artifact, x).item(), at)
        x[0, 1500000] = numpy.nan
        self.assertEqual(self.run_on("local://0-1", artifact, x).item(), 1500000)

    def test_rows_of_several_reductions(self):
        x = self.normal(2, 1000003) * 3
        wide = x.astype(numpy.float64)
        powers = numpy.exp(wide - wide.max(1, keepdims=True))
        for kind, expected in (("Softmax", powers / powers.sum(1, keepdims=True)),
                               ("LogSoftmax", numpy.log(powers / powers.sum(1, keepdims=True))),
                               ("ReduceLogSumExp", numpy.log(numpy.exp(wide).sum(1, keepdims=True)))):
            attributes = {"axes": [1]} if kind.startswith("Reduce") else {"axis": 1}
            artifact = self.compile_node(kind, x.shape, **attributes)
            self.assertGreater(len(self.dispatches(artifact, "local://0-1")), len(self.dispatches(artifact, "local://0")))
            for device in ("local://0", "local://0-1"):
                numpy.testing.assert_allclose(self.run_on(device, artifact, x), expected, rtol=1e-4, atol=1e-9)

    def test_reproducible_on_any_number_of_cores(self):
        artifact = self.compile(reduction((5000017,), (0,), "arith.addf", "0.0"), "--reproducible")
        x = self.normal(5000017)
        self.assertEqual(self.run_on("local://0", artifact, x).tobytes(), self.run_on("local://0-1", artifact, x).tobytes())
        self.assertEqual(len(self.dispatches(artifact, "local://0")), 2)

    def test_strict_float_keeps_sums_whole_and_explain_says_so(self):
        artifact = self.compile(reduction((5000017,), (0,), "arith.addf", "0.0"), "--strict-float")
        self.assertEqual(len(self.dispatches(artifact, "local://0-1")), 1)
        self.assertIn("not split: --strict-float keeps the order in which floats are combined", self.tool("explain", artifact).stdout)
        artifact = self.compile(reduction((5000017,), (0,), "arith.maximumf", "0xFF800000"), "--strict-float")
        self.assertEqual(len(self.dispatches(artifact, "local://0-1")), 2)

    def test_explain_says_how_many(self):
        self.compile(product(123, 456, 51234, split=77))
        self.assertIn("split into 77 parts: 77 asked for, length 51234", self.tool("explain", self.folder / "m.heddle").stdout)
        artifact = self.compile(reduction((5000017,), (0,), "arith.addf", "0.0"))
        self.assertIn("split into parts: 2 for each of the device's units", self.tool("explain", artifact).stdout)

    def test_gpu(self):
        artifact = self.compile(product(20, 48, 40961, split=13), "--target-device=vulkan")
        self.check_product(artifact, 20, 48, 40961, "vulkan")
        artifact = self.compile(reduction((5000017,), (0,), "arith.addf", "0.0"), "--target-device=vulkan")
        x = self.normal(5000017)
        self.assertAlmostEqual(float(self.run_on("vulkan", artifact, x)), float(x.sum(dtype=numpy.float64)), delta=0.5)


if __name__ == "__main__":
    unittest.main()
