# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants of forms that the text language lacks: sparse ones, strings that nothing reads, and initialisers that are inputs."""
import pathlib
import subprocess
import tempfile
import unittest

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import tools

FLOAT = TensorProto.FLOAT


def value(name, shape=("n",), kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def sparse(name, values, indices, dims):
    return helper.make_sparse_tensor(numpy_helper.from_array(numpy.asarray(values), name), numpy_helper.from_array(numpy.asarray(indices, numpy.int64), name + "_indices"), dims)


def model(nodes, inputs, initializers=(), sparse_initializers=(), ir_version=8, kind=FLOAT, opset=17):
    graph = helper.make_graph(nodes, "g", inputs, [value("y", None, kind)], [numpy_helper.from_array(array, name) for name, array in initializers],
                              sparse_initializer=list(sparse_initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)


class ConstantsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, proto):
        onnx.save(proto, self.folder / "m.onnx")
        tools.run(("heddle-compile", self.folder / "m.onnx", "-o", self.folder / "m.heddle"))

    def call(self, program="heddle-run", **inputs):
        """The result y; inputs by name."""
        words = []
        for name, array in inputs.items():
            numpy.save(self.folder / f"{name}.npy", array)
            words.append(f"--input={name}=@{self.folder}/{name}.npy")
        source = "m.heddle" if program == "heddle-run" else "m.onnx"
        tools.run((program, self.folder / source, *words, f"--output=y=@{self.folder}/y.npy"))
        return numpy.load(self.folder / "y.npy")

    def test_sparse(self):
        x = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
        for indices in ([1, 6, 11], [[0, 1], [1, 2], [2, 3]]):
            w = sparse("w", numpy.array([2, 3, 5], numpy.float32), indices, [3, 4])
            want = numpy.zeros((3, 4), numpy.float32)
            want[[0, 1, 2], [1, 2, 3]] = 2, 3, 5
            with self.subTest(indices=indices, form="initialiser"):
                self.compile(model([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", (3, 4))], sparse_initializers=[w]))
                numpy.testing.assert_array_equal(self.call(x=x), x + want)
            with self.subTest(indices=indices, form="constant"):
                self.compile(model([helper.make_node("Constant", [], ["c"], sparse_value=w), helper.make_node("Add", ["x", "c"], ["y"])], [value("x", (3, 4))]))
                numpy.testing.assert_array_equal(self.call(x=x), x + want)

    def test_sparse_of_other_types(self):
        for kind, element in ((numpy.int64, -7), (numpy.uint8, 200), (numpy.float16, 0.5), (numpy.bool_, True)):
            with self.subTest(kind=kind):
                w = sparse("w", numpy.array([element], kind), [70], [100])
                self.compile(model([helper.make_node("Gather", ["w", "x"], ["y"])], [value("x", ("n",), TensorProto.INT64)], sparse_initializers=[w],
                                   kind=helper.np_dtype_to_tensor_dtype(numpy.dtype(kind))))
                numpy.testing.assert_array_equal(self.call(x=numpy.array([70, 71, 0])), numpy.array([element, 0, 0], kind))

    def test_sparse_in_a_branch(self):
        branch = helper.make_graph([helper.make_node("Add", ["x", "w"], ["u"])], "t", [], [value("u", (4,))],
                                   sparse_initializer=[sparse("w", numpy.array([3], numpy.float32), [2], [4])])
        other = helper.make_graph([helper.make_node("Neg", ["x"], ["v"])], "e", [], [value("v", (4,))])
        self.compile(model([helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=other)], [value("x", (4,)), value("c", (), TensorProto.BOOL)]))
        x = numpy.ones(4, numpy.float32)
        numpy.testing.assert_array_equal(self.call(x=x, c=numpy.array(True)), x + numpy.array([0, 0, 3, 0], numpy.float32))

    def test_broken_sparse(self):
        of = {"index 12 is outside 12 elements": sparse("w", numpy.array([1], numpy.float32), [12], [3, 4]),
              "index 4 is outside dimension 1, of size 4": sparse("w", numpy.array([1], numpy.float32), [[0, 4]], [3, 4]),
              "index -1 is outside 12 elements": sparse("w", numpy.array([1], numpy.float32), [-1], [3, 4]),
              "needs values [n] and int64 indices [n] or [n, 2]": sparse("w", numpy.array([1, 2], numpy.float32), [1], [3, 4]),
              "has a negative dimension: -3": sparse("w", numpy.array([1], numpy.float32), [0], [-3, 4]),
              "has more than 4 GiB when its zeros are stored": sparse("w", numpy.array([1], numpy.float32), [0], [2 ** 40, 2 ** 40])}
        for reason, w in of.items():
            with self.subTest(reason=reason), self.assertRaisesRegex(tools.ToolError, "error: initialiser 'w': " + reason.replace("[", r"\[").replace("]", r"\]")):
                self.compile(model([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", (3, 4))], sparse_initializers=[w]))

    def test_strings_that_nothing_reads(self):
        proto = model([helper.make_node("Neg", ["x"], ["y"])], [value("x"), value("title", (1,), TensorProto.STRING)])
        proto.graph.initializer.append(helper.make_tensor("labels", TensorProto.STRING, [2], [b"a", b"b"]))
        proto.graph.node.append(helper.make_node("Constant", [], ["unit"], value=helper.make_tensor("u", TensorProto.STRING, [1], [b"kg"])))
        self.compile(proto)
        x = numpy.ones(3, numpy.float32)
        numpy.testing.assert_array_equal(self.call(x=x), -x)

    def test_strings_that_are_read(self):
        proto = model([helper.make_node("Shape", ["title"], ["y"])], [value("title", (1,), TensorProto.STRING)], kind=TensorProto.INT64)
        with self.assertRaisesRegex(tools.ToolError, "input 'title': element type string is not supported"):
            self.compile(proto)

    # Initialisers that are inputs: callers may replace them from IR version 4 on.
    SCALED = [helper.make_node("Mul", ["x", "w"], ["p"]), helper.make_node("Cast", ["k"], ["f"], to=FLOAT), helper.make_node("Add", ["p", "f"], ["y"])]
    DEFAULTS = [("w", numpy.array([3, 4], numpy.float32)), ("k", numpy.array(5, numpy.float32))]

    def test_defaults(self):
        self.compile(model(self.SCALED, [value("w", (2,)), value("x", (2,)), value("k", ())], self.DEFAULTS))
        x = numpy.array([1, 2], numpy.float32)
        for program in ("heddle-run", "heddle-reference"):
            with self.subTest(program=program):
                numpy.testing.assert_array_equal(self.call(program, x=x), x * [3, 4] + 5)
                numpy.testing.assert_array_equal(self.call(program, x=x, w=numpy.array([10, 20], numpy.float32)), x * [10, 20] + 5)
                numpy.testing.assert_array_equal(self.call(program, x=x, k=numpy.array(-1, numpy.float32)), x * [3, 4] - 1)
        with self.assertRaisesRegex(tools.ToolError, "'x' is missing"):
            self.call(w=x)
        with self.assertRaisesRegex(tools.ToolError, "argument 1 'w'.*dimension 0 is 2, got 3"):
            self.call(x=x, w=numpy.zeros(3, numpy.float32))
        shown = subprocess.run([tools.BIN / "heddle-inspect", self.folder / "m.heddle"], capture_output=True, text=True, check=True).stdout
        self.assertIn("main(x: 2xf32, w: 2xf32 (default [3 4]), k: f32 (default 5)) -> (y: 2xf32)", shown)

    def test_types_of_defaults(self):
        kinds = [("FLOAT", 1.5), ("FLOAT16", -0.5), ("BFLOAT16", 2.5), ("DOUBLE", 0.1), ("FLOAT8E4M3FN", 1.5)]
        for part in (kinds[:2], kinds[2:]):
            tensors = [helper.make_tensor(f"k_{kind}", getattr(TensorProto, kind), [], [number]) for kind, number in part]
            graph = helper.make_graph([helper.make_node("Identity", [tensor.name], [tensor.name + "_out"]) for tensor in tensors], "g",
                                      [value(tensor.name, (), tensor.data_type) for tensor in tensors],
                                      [value(tensor.name + "_out", (), tensor.data_type) for tensor in tensors], tensors)
            self.compile(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10))
            want = [str(number) for _, number in part]
            for program, source in (("heddle-run", "m.heddle"), ("heddle-reference", "m.onnx")):
                with self.subTest(program=program):
                    lines = subprocess.run([tools.BIN / program, self.folder / source], capture_output=True, text=True, check=True).stdout.splitlines()
                    self.assertEqual([line.split("=")[-1] for line in lines if "=" in line], want)

    def test_defaults_listed_strangely(self):
        """Twice, with a free size, with another type, without a name: the initialiser says what it is."""
        x, w = numpy.array([1, 2], numpy.float32), numpy.array([3, 4], numpy.float32)
        for listed in ([value("w", (2,))] * 2, [value("w", ("n",))], [value("w", (2,), TensorProto.INT64)], [value("w", (2,)), value("", (2,))]):
            with self.subTest(listed=[str(info) for info in listed]):
                self.compile(model([helper.make_node("Mul", ["x", "w"], ["y"])], [value("x", (2,)), *listed], [("w", w), ("", w)]))
                numpy.testing.assert_array_equal(self.call(x=x), x * w)
                numpy.testing.assert_array_equal(self.call(x=x, w=x), x * x)
                with self.assertRaisesRegex(tools.ToolError, "'main' takes 2 inputs|the model has 2 inputs"):
                    self.call()

    def test_a_default_is_not_written_through_the_result(self):
        """The result that is the argument has memory of its own."""
        self.compile(model([helper.make_node("Identity", ["w"], ["y"])], [value("w", (2,))], [("w", numpy.array([3, 4], numpy.float32))]))
        numpy.testing.assert_array_equal(self.call(), [3, 4])
        numpy.testing.assert_array_equal(self.call(w=numpy.array([5, 6], numpy.float32)), [5, 6])

    def test_defaults_of_the_first_versions_are_constants(self):
        self.compile(model(self.SCALED, [value("w", (2,)), value("x", (2,)), value("k", ())], self.DEFAULTS, ir_version=3))
        x = numpy.array([1, 2], numpy.float32)
        numpy.testing.assert_array_equal(self.call(x=x), x * [3, 4] + 5)
        with self.assertRaisesRegex(tools.ToolError, "the model has no input 'w'"):
            self.call(x=x, w=x)

    def test_weights_are_constants(self):
        weights = [(f"w{n}", numpy.array([n], numpy.float32)) for n in range(9)]
        nodes = [helper.make_node("Sum", ["x", *[name for name, _ in weights]], ["y"])]
        self.compile(model(nodes, [value("x", (1,)), *[value(name, (1,)) for name, _ in weights]], weights))
        numpy.testing.assert_array_equal(self.call(x=numpy.zeros(1, numpy.float32)), [36])
        with self.assertRaisesRegex(tools.ToolError, "the model has no input 'w3'"):
            self.call(x=numpy.zeros(1, numpy.float32), w3=numpy.zeros(1, numpy.float32))

    def test_integers_are_constants(self):
        """They are positions, axes and shapes, which importing needs."""
        nodes = [helper.make_node("SequenceConstruct", ["x", "x"], ["s"]), helper.make_node("SequenceAt", ["s", "i"], ["y"])]
        self.compile(model(nodes, [value("x", (2,)), value("i", (), TensorProto.INT64)], [("i", numpy.array(1))]))
        x = numpy.array([1, 2], numpy.float32)
        numpy.testing.assert_array_equal(self.call(x=x), x)

    def test_large_weights_and_shapes_are_constants(self):
        initializers = [("w", numpy.ones((9, 9), numpy.float32)), ("s", numpy.array([3, 3])), ("b", numpy.ones(9, numpy.float32))]
        nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["q"]), helper.make_node("Reshape", ["q", "s"], ["y"])]
        self.compile(model(nodes, [value("x", (1, 9)), value("w", (9, 9)), value("s", (2,), TensorProto.INT64), value("b", (9,))], initializers))
        x = numpy.ones((1, 9), numpy.float32)
        numpy.testing.assert_array_equal(self.call(x=x, b=numpy.zeros(9, numpy.float32)), numpy.full((3, 3), 9, numpy.float32))
        with self.assertRaisesRegex(tools.ToolError, "the model has no input 's'"):
            self.call(x=x, s=numpy.array([1, 9]))


if __name__ == "__main__":
    unittest.main()
