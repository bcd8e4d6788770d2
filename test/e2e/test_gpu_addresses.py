# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that a kernel's descriptors do not reach, on the first Vulkan device of the machine: they are reached by address.

The target says how much descriptors reach, so that small tensors are too large and few are too many.
"""
import json
import unittest

import numpy
import onnx
import onnxruntime
import support
from onnx import TensorProto, helper, numpy_helper
from support import error_bound, heddle

NOT_LARGE = "vulkan{maxStorageBufferRange=%d}"
FEW = "vulkan{maxPerStageDescriptorStorageBuffers=2}"
NO_ADDRESSES = '#device.target<"vulkan", [#device.executable<"spirv", {features = ["shaderInt64"], maxStorageBufferRange = 34839}>]>'


def mixed():
    """A product, rows, a table that is gathered from, and elements of every width."""
    random = numpy.random.default_rng(1)
    types = {"h": TensorProto.FLOAT16, "b": TensorProto.INT8, "d": TensorProto.DOUBLE}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Softmax", ["p"], ["q"]),
             helper.make_node("Gather", ["q", "i"], ["g"]), helper.make_node("Greater", ["g", "limit"], ["c"])]
    nodes += [helper.make_node("Cast", ["g"], [name], to=to) for name, to in types.items()]
    outputs = {"g": TensorProto.FLOAT, "c": TensorProto.BOOL} | types
    graph = helper.make_graph(
        nodes, "mixed", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [130, 67]),
                         helper.make_tensor_value_info("i", TensorProto.INT64, [200])],
        [helper.make_tensor_value_info(name, to, None) for name, to in outputs.items()],
        [numpy_helper.from_array(random.standard_normal((67, 9), numpy.float32), "w"),
         numpy_helper.from_array(numpy.float32(0.1), "limit")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, {"x": random.standard_normal((130, 67), numpy.float32), "i": random.integers(0, 130, 200)}


class GpuAddressesTest(support.EndToEnd):
    def compile(self, device):
        """The model, its inputs, the artifact, and how many of its kernels use addresses."""
        model, inputs = mixed()
        source, artifact = self.folder / "m.onnx", self.folder / "m.heddle"
        onnx.save(model, source)
        result = heddle("compile", source, "-o", artifact, f"--target-device={device}")
        self.assertEqual(0, result.returncode, result.stderr)
        contents = json.loads(heddle("inspect", "--json", artifact).stdout)
        features = [variant["features"] for each in contents["executables"] for variant in each["variants"]]
        return model, inputs, artifact, ["bufferDeviceAddress" in needed for needed in features]

    def arguments(self, model, inputs):
        given = [f"--input={name}={self.save(name, value)}" for name, value in inputs.items()]
        return ["--device=vulkan", *given, *(f"--output={out.name}=@{self.file(out.name)}" for out in model.graph.output)]

    def check(self, device):
        model, inputs, artifact, uses = self.compile(device)
        result = heddle("run", artifact, *self.arguments(model, inputs))
        self.assertEqual(0, result.returncode, result.stderr)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        for out, want in zip(model.graph.output, session.run(None, inputs)):
            got = numpy.load(self.file(out.name))
            if want.dtype.kind == "f":
                step = 2.0 ** -10 if want.dtype == numpy.float16 else 0
                numpy.testing.assert_allclose(got, want, rtol=step, atol=error_bound([67, 16, 9], 1))
            else:
                numpy.testing.assert_array_equal(got, want)
        return uses

    def test_descriptors_where_they_reach(self):
        self.assertNotIn(True, self.check("vulkan"))

    def test_tensors_too_large(self):
        self.assertNotIn(False, self.check(NOT_LARGE % 100))

    def test_only_kernels_that_need_them(self):
        """x has 34,840 bytes and is the largest tensor: one kernel reads it."""
        self.assertEqual(1, sum(self.check(NOT_LARGE % 34839)))
        self.assertEqual(0, sum(self.check(NOT_LARGE % 34840)))

    def test_too_many_tensors(self):
        self.assertIn(True, self.check(FEW))

    def test_a_tensor_that_is_large(self):
        """135 MB, where Vulkan promises descriptors of 128 MiB, and lavapipe's reach no more."""
        self.check_outer((7500, 1), 7500)

    def test_a_tensor_that_turns_out_to_be_large(self):
        """By the same artifact as small ones, for which descriptors serve."""
        for rows in (5, 7456, 7500):
            self.check_outer(("n", 1), rows)

    def check_outer(self, shape, count):
        columns = numpy.arange(4500, dtype=numpy.int32)[None]
        rows = numpy.arange(count, dtype=numpy.int32)[:, None]
        graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "outer",
                                  [helper.make_tensor_value_info("x", TensorProto.INT32, shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.INT32, None)],
                                  [numpy_helper.from_array(columns, "w")])
        source, artifact = self.folder / "m.onnx", self.folder / "m.heddle"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), source)
        result = heddle("compile", source, "-o", artifact, "--target-device=vulkan")
        self.assertEqual(0, result.returncode, result.stderr)
        result = heddle("run", artifact, "--device=vulkan", f"--input=x={self.save('x', rows)}", f"--output=y=@{self.file('y')}")
        self.assertEqual(0, result.returncode, result.stderr)
        numpy.testing.assert_array_equal(numpy.load(self.file("y")), rows + columns)

    def test_validation_layers(self):
        model, inputs, artifact, _ = self.compile(NOT_LARGE % 100)
        self.run_validated(artifact, *self.arguments(model, inputs))

    def test_a_target_without_addresses(self):
        source = self.folder / "m.onnx"
        onnx.save(mixed()[0], source)
        self.assert_fails(1, "a tensor of 34840 bytes (tensor<130x67xf32>) is larger than the 34839 bytes that a kernel reaches "
                          "at once; if the device reaches more, its target says so by maxStorageBufferRange, or has the "
                          "features bufferDeviceAddress and shaderInt64",
                          "compile", source, "-o", self.folder / "m", f"--target-device={NO_ADDRESSES}")


if __name__ == "__main__":
    unittest.main()
