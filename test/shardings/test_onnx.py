# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small ONNX models with a sharding file, run as threads, against ONNX Runtime: whole arrays go in and come out, whatever becomes of
the requests."""
import pathlib
import subprocess
import sys
import unittest

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from support import BIN, TIMEOUT_S, EndToEnd  # noqa: E402

random = numpy.random.default_rng(11)


def array(*shape):
    return random.standard_normal(shape).astype(numpy.float32)


def model(nodes, inputs, outputs, weights):
    """`inputs`: shapes of floats by name; `outputs`: element types."""
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()]
    results = [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()]
    graph = helper.make_graph(nodes, "g", values, results, [numpy_helper.from_array(value, name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def convolution(shape, **attributes):
    return model([helper.make_node("Conv", ["x", "w", "b"], ["y"], **attributes)], {"x": shape}, {"y": TensorProto.FLOAT},
                 {"w": array(6, 4, 3), "b": array(6)})


class Models(EndToEnd):
    def compile(self, proto, shards, *flags):
        """What the compiler says."""
        path, file = self.folder / "m.onnx", self.folder / "m.shard"
        onnx.save(proto, path)
        file.write_text(shards)
        done = self.tool("compile", path, "-o", self.folder / "m.heddle", f"--shard-file={file}", *flags)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stderr

    def tool(self, *command):
        return subprocess.run([BIN / "heddle", *map(str, command)], capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)

    def run_ranks(self, inputs, outputs):
        for i, value in enumerate(inputs.values()):
            numpy.save(self.folder / f"in{i}.npy", value)
        given = [f"--input=@{self.folder}/in{i}.npy" for i in range(len(inputs))]
        return self.tool("run", self.folder / "m.heddle", *given, *[f"--output=@{self.folder}/out{i}.npy" for i in range(outputs)])

    def check(self, proto, shards, inputs, *flags):
        said = self.compile(proto, shards, *flags)
        wanted = onnxruntime.InferenceSession(proto.SerializeToString()).run(None, inputs)
        done = self.run_ranks(inputs, len(wanted))
        self.assertEqual(0, done.returncode, f"{shards}\n{done.stderr}")
        for i, value in enumerate(wanted):
            got = numpy.load(self.folder / f"out{i}.npy")
            self.assertEqual(value.shape, got.shape, shards)
            numpy.testing.assert_allclose(got.astype(numpy.float32), value.astype(numpy.float32), rtol=1e-4, atol=1e-4, err_msg=shards)
        return said

    def test_convolutions(self):
        """Of sizes that the call tells, and cut where windows overlap; three ranks share two samples."""
        for shape, attributes in ((["n", 4, "t"], dict(pads=[1, 1])), (["n", 4, "t"], dict(pads=[2, 0], strides=[2])),
                                  ([2, 4, 9], dict(strides=[2], dilations=[2]))):
            proto = convolution(shape, **attributes)
            for request in ("x = [a, -, -]", "x = [-, a, -]", "y = [-, a, -]", "y = [-, -, a]", "y = [a, -, b]"):
                with self.subTest(shape=shape, request=request):
                    self.check(proto, f"mesh a = 3, b = 2\n{request}\n", {"x": array(2, 4, 9)})

    def test_a_batch_of_fewer_than_ranks(self):
        """A mirrored padding looks its elements up: of a free size or of fewer rows than ranks, nothing is cut so that a rank has none."""
        for shape in (["n", 4, "t"], [1, 4, 5]):
            proto = model([helper.make_node("Pad", ["x", "p"], ["y"], mode="reflect")], {"x": shape}, {"y": TensorProto.FLOAT},
                          {"p": numpy.array([0, 0, 2, 0, 1, 2])})
            for request in ("x = [a, -, -]", "y = [a, -, -]", "x = [-, -, a]", "y = [-, -, a]", "x = [-, a, -]"):
                with self.subTest(shape=shape, request=request):
                    self.check(proto, f"mesh a = 3\n{request}\n", {"x": array(1, 4, 5)})

    def test_granules_of_sizes_that_the_call_tells(self):
        proto = convolution(["n", 4, "t"], pads=[1, 1])
        for name in ("x", "y"):
            shards = f"mesh a = 2\n{name} = [a by 2, -, -]\n"
            with self.subTest(name):
                self.check(proto, shards, {"x": array(6, 4, 5)})
                done = self.run_ranks({"x": array(5, 4, 5)}, 1)
                self.assertNotEqual(0, done.returncode)
                self.assertIn("dimension 0 is to be cut at multiples of 2, which does not divide its size", done.stderr)

    def test_without_requests(self):
        """None is written, met, or of a value that is needed: still whole arrays."""
        proto = model([helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Neg", ["x"], ["unread"])],
                      {"x": ["n", 8]}, {"y": TensorProto.FLOAT}, {"w": array(8, 6)})
        x = {"x": array(4, 8)}
        self.check(proto, "mesh a = 3\n", x)
        self.check(proto, "mesh a = 3\n", x, "--shard=auto")
        self.assertIn("this sharding is not applied: it cuts dimension 1", self.check(proto, "mesh a = 3\nw = [-, a by 4]\n", x))
        self.assertIn("in 'unread': this sharding is not applied: no result depends on the value",
                      self.check(proto, "mesh a = 3\nunread = [a, -]\n", x))

    def test_partial_truth_values(self):
        proto = model([helper.make_node("Greater", ["x", "z"], ["y"])], {"x": [6, 5], "z": [5]}, {"y": TensorProto.BOOL}, {})
        for reduction in ("max", "min", "or", "and", "xor"):
            with self.subTest(reduction):
                self.check(proto, f"mesh a = 3\ny = [-, -] partial {reduction} a\n", {"x": array(6, 5), "z": array(5)})


if __name__ == "__main__":
    unittest.main()
