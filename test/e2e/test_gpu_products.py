# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products that workgroups compute in blocks through shared memory, on the first Vulkan device of the machine.

Blocks are asked for by a subgroup size, or chosen at load (docs/design/codegen-gpu.md). Sums run in the same order in blocks and without, so
results must be equal to the bit; they are compared with ONNX Runtime too, where it has the type.
"""
import json
import os
import re
import unittest

import numpy
import onnx
import onnxruntime
import support
from onnx import TensorProto, helper, numpy_helper
from support import error_bound, heddle

BLOCKS = "vulkan{subgroupSize=32}"
# Larger workgroups and more to share: tiles of 8x8; subgroups of other shapes.
LARGE = "vulkan{subgroupSize=64,workgroup=128,maxComputeSharedMemorySize=32768}"
NARROW = "vulkan{subgroupSize=16,workgroup=32}"
REGISTERS = "vulkan{subgroupSize=8}"


def values(random, shape, dtype):
    if numpy.issubdtype(dtype, numpy.integer):
        info = numpy.iinfo(dtype)
        return random.integers(max(info.min, -1000), min(info.max, 1000), shape, dtype=dtype, endpoint=True)
    return random.standard_normal(shape).astype(dtype)


def product(kind, left, right, dtype=numpy.float32, more=(), sizes=None, **attributes):
    """A model of one product whose second operand is a constant; `sizes` are the first one's where they are free."""
    random = numpy.random.default_rng(17)
    constants = [numpy_helper.from_array(values(random, right, dtype), "w")]
    constants += [numpy_helper.from_array(array, f"c{i}") for i, array in enumerate(more)]
    node = helper.make_node(kind, ["x", "w", *(f"c{i}" for i in range(len(more)))], ["p"], **attributes)
    out = TensorProto.INT32 if kind == "MatMulInteger" else helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
    nodes = [node, helper.make_node("Relu" if numpy.issubdtype(dtype, numpy.floating) else "Identity", ["p"], ["y"])]
    graph = helper.make_graph(
        nodes, "product", [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)), left)],
        [helper.make_tensor_value_info("y", out, None)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, values(random, sizes or left, dtype)


class GpuProductsTest(support.EndToEnd):
    def compile(self, model, device):
        source, artifact, dump = self.folder / "m.onnx", self.folder / "m.heddle", self.folder / "dump"
        onnx.save(model, source)
        result = heddle("compile", source, "-o", artifact, f"--target-device={device}", f"--dump-dir={dump}")
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact, re.findall(r'kernel.strategy = "(\w+)', (dump / "10-codegen.mlir").read_text())

    def run_on_vulkan(self, artifact, x, **options):
        result = heddle("run", artifact, "--device=vulkan", f"--input=x={self.save('x', x)}", f"--output=y=@{self.file('y')}",
                        **options)
        self.assertEqual(0, result.returncode, result.stderr)
        return numpy.load(self.file("y"))

    def check(self, case, device=BLOCKS, scale=10):
        model, x = case
        got = self.check_equal(model, x, device)
        want = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
        if numpy.issubdtype(want.dtype, numpy.integer):
            numpy.testing.assert_array_equal(got, want)
        elif want.dtype == numpy.float16:
            numpy.testing.assert_allclose(got, want, rtol=0, atol=0.25)  # sums of 67 terms of order one, in steps of 2^-8
        else:
            self.assert_close(got, want, error_bound([100], scale))

    def check_equal(self, model, x, device=BLOCKS):
        artifact, strategies = self.compile(model, device)
        self.assertIn("blocks", strategies)
        got = self.run_on_vulkan(artifact, x)
        artifact, strategies = self.compile(model, REGISTERS)
        self.assertNotIn("blocks", strategies)
        numpy.testing.assert_array_equal(got, self.run_on_vulkan(artifact, x))
        return got

    def test_ragged(self):
        self.check(product("MatMul", (130, 67), (67, 129)))

    def test_one_past_a_step(self):
        self.check(product("MatMul", (128, 17), (17, 129)))

    def test_free_rows(self):
        for rows in (1, 15, 65):
            self.check(product("MatMul", ("m", 50), (50, 301), sizes=(rows, 50)))

    def test_batches(self):
        self.check(product("MatMul", (3, 75, 40), (3, 40, 73)))

    def test_one_right_side_for_all_batches(self):
        self.check(product("MatMul", (2, 65, 48), (48, 130)))

    def test_transposed_with_bias(self):
        bias = numpy.linspace(-1, 1, 129, dtype=numpy.float32)
        self.check(product("Gemm", (131, 33), (129, 33), more=(bias,), transB=1))

    def test_tiles_of_sixty_four(self):
        self.check(product("MatMul", (521, 35), (35, 517)), LARGE)

    def test_other_subgroups(self):
        self.check(product("MatMul", (130, 67), (67, 129)), NARROW)

    def test_padded_convolution(self):
        self.check(product("Conv", (2, 5, 43, 41), (20, 5, 3, 3), pads=[1, 1, 1, 1], strides=[2, 2]))

    def test_groups(self):
        self.check(product("Conv", (1, 8, 31, 33), (34, 4, 3, 3), group=2))

    def test_types(self):
        for dtype in (numpy.float16, numpy.float64, numpy.int32, numpy.int64):
            with self.subTest(dtype.__name__):
                self.check(product("MatMul", (130, 67), (67, 129), dtype))

    def test_bfloat16(self):
        """Between casts; ONNX Runtime has no such product."""
        casts = [helper.make_node("Cast", [name], [name + "b"], to=TensorProto.BFLOAT16) for name in "xw"]
        nodes = [*casts, helper.make_node("MatMul", ["xb", "wb"], ["p"]), helper.make_node("Cast", ["p"], ["y"], to=TensorProto.FLOAT)]
        random = numpy.random.default_rng(3)
        x, w = random.standard_normal((130, 67), numpy.float32), random.standard_normal((67, 129), numpy.float32)
        graph = helper.make_graph(nodes, "product", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [numpy_helper.from_array(w, "w")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        # A unit roundoff of 2^-9 for operands of order one and for sums of 67 products.
        numpy.testing.assert_allclose(self.check_equal(model, x), x @ w, rtol=0, atol=1)

    def test_bytes_with_zero_points(self):
        zeros = (numpy.uint8(3), numpy.uint8(200))
        self.check(product("MatMulInteger", (130, 67), (67, 129), numpy.uint8, more=zeros))

    def test_validation_layers(self):
        model, x = product("MatMul", (130, 67), (67, 129))
        artifact, _ = self.compile(model, BLOCKS)
        self.run_validated(artifact, "--device=vulkan", f"--input=x={self.save('x', x)}", f"--output=y=@{self.file('y')}")

    def test_only_conflicts_are_ordered(self):
        """Products side by side and one after the other, rows and a selection, as the validation layers see them."""
        random = numpy.random.default_rng(5)
        weights = [numpy_helper.from_array(random.standard_normal((64, 64), numpy.float32) / 8, f"w{i}") for i in range(5)]
        steps = [("MatMul", "x w0", "q0"), ("MatMul", "x w1", "q1"), ("MatMul", "x w2", "q2"), ("Softmax", "q0", "s0"),
                 ("MatMul", "s0 q1", "t0"), ("MatMul", "q2 w3", "t1"), ("Softmax", "t1", "t2"), ("MatMul", "t0 t2", "u"),
                 ("TopK", "u k", "v i"), ("MatMul", "u w4", "y")]
        nodes = [helper.make_node(kind, inputs.split(), outputs.split()) for kind, inputs, outputs in steps]
        outputs = [helper.make_tensor_value_info(name, TensorProto.INT64 if name == "i" else TensorProto.FLOAT, None) for name in "yvi"]
        graph = helper.make_graph(nodes, "branches", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])], outputs,
                                  [*weights, numpy_helper.from_array(numpy.array([5]), "k")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        x = random.standard_normal((64, 64), numpy.float32)
        artifact, _ = self.compile(model, "vulkan")
        self.run_validated(artifact, "--device=vulkan", f"--input=x={self.save('x', x)}",
                           *(f"--output={name}=@{self.file(name)}" for name in "yvi"))
        want = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(["y"], {"x": x})[0]
        self.assert_close(numpy.load(self.file("y")), want, error_bound([64] * 5, 10))

    def test_small_products_stay_in_registers(self):
        model, _ = product("MatMul", (16, 67), (67, 33))
        self.assertNotIn("blocks", self.compile(model, BLOCKS)[1])
        self.assertEqual(["elements"], self.compile(model, "vulkan")[1])

    def test_chosen_at_load(self):
        """A device whose subgroups have 8 invocations keeps registers; Mesa's, told to use wider vectors, has 16."""
        model, x = product("MatMul", (521, 67), (67, 517))
        artifact, strategies = self.compile(model, "vulkan")
        self.assertEqual(["tiles", "blocks"], strategies)
        results = []
        for bits, loaded in ((256, "vulkan 1"), (512, "vulkan{subgroupSize=32} 1")):
            environment = os.environ | {"LP_NATIVE_VECTOR_WIDTH": str(bits)}
            plan = heddle("run", artifact, "--device=vulkan", "--dry-run", env=environment).stdout
            if f", {bits} bits)" not in heddle("devices", env=environment).stdout:
                self.skipTest("the first Vulkan device is not Mesa's llvmpipe")
            self.assertIn(f"variants: {loaded}\n", plan)
            results.append(self.run_on_vulkan(artifact, x, env=environment))
        numpy.testing.assert_array_equal(*results)
        variants = json.loads(heddle("inspect", artifact, "--json").stdout)["executables"][0]["variants"]
        self.assertEqual([[], ["subgroupSize>=16"]], [v["features"] for v in variants])

    def test_wrong_limits(self):
        source = self.folder / "m.onnx"
        onnx.save(product("MatMul", (2, 3), (3, 4))[0], source)
        self.assert_fails(2, "device 'vulkan': subgroupSize is positive, got 0", "compile", source, "-o", self.folder / "m",
                          "--target-device=vulkan{subgroupSize=0}")


if __name__ == "__main__":
    unittest.main()
