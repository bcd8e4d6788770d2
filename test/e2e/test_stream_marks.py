# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Marks of loops over streams (`heddle.stream`) as users give them: on ops of TOSA and StableHLO, on nodes of ONNX models by
pattern in the placement file; and models without marks.
"""
import unittest

import numpy
from runtime import Program
from stream_programs import Case, Function
from support import heddle, model

TOSA = """
func.func @main(%x: tensor<6x5xf32>, %a: tensor<1x6x5xf32>, %b: tensor<1x5x4xf32>) -> (tensor<6x5xf32>, tensor<1x6x4xf32>, tensor<6x1xf32>) {
  %0 = tosa.exp %x {heddle.stream = #flow.stream_axis<1, 2>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %1 = tosa.matmul %a, %b, %zp, %zp {heddle.stream = #flow.stream_axis<1, 3>} : (tensor<1x6x5xf32>, tensor<1x5x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x4xf32>
  %2 = tosa.reduce_sum %x {axis = 1 : i32, heddle.stream = #flow.stream_axis<reduced 0, 4, parts = 3>} : (tensor<6x5xf32>) -> tensor<6x1xf32>
  return %0, %1, %2 : tensor<6x5xf32>, tensor<1x6x4xf32>, tensor<6x1xf32>
}
"""
STABLEHLO = """
module @jit_f {
  func.func public @main(%arg0: tensor<6x5xf32>, %arg1: tensor<5x4xf32>) -> tensor<6x4xf32> {
    %0 = stablehlo.exponential %arg0 {heddle.stream = #flow.stream_axis<0, 2>} : tensor<6x5xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] {heddle.stream = #flow.stream_axis<0, 2>} : (tensor<6x5xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
    return %1 : tensor<6x4xf32>
  }
}
"""


class Unmarked(Case):
    def test_nothing_changes(self):
        """A model without marks is the same artifact without the passes."""
        passes = ("import-keep-streams", "streams-form-loops", "streams-normalize-loops", "streams-hoist-invariants", "streams-verify")
        outputs = []
        for flags in ([], [f"--disable-pass={name}" for name in passes]):
            result = heddle("compile", model("magika"), "-o", self.folder / "m.heddle", "--target-cpu=x86-64-v3", *flags)
            self.assertEqual(result.returncode, 0, result.stderr)
            outputs.append((self.folder / "m.heddle").read_bytes())
        self.assertTrue(outputs[0] == outputs[1])


class Strict(Case):
    def test_sums_keep_their_order(self):
        text = Function("main", [6, "?"])
        text.reduce(text.values[0], [1], "reduced 0, 2")
        self.refuse(text.text(), "cannot be streamed: --strict-float keeps the order in which floats are combined", flags=["--strict-float"])

    def test_the_merge_is_whole_on_any_number_of_cores(self):
        """The bits depend on the parts, not on the device."""
        function = Function("main", [6, "?"])
        function.reduce(function.values[0], [1], "reduced 0, 2, parts = 9")
        program = self.program(function.text())
        program("main", self.normal((6, 200000)))
        self.assertLessEqual(program.statistics("main").dispatches, 11)


class Frontends(Case):
    def test_tosa(self):
        self.assertEqual(sorted(self.loops(TOSA)), ["2", "3", "4"])
        x, a, b = self.normal((6, 5)), self.normal((1, 6, 5)), self.normal((1, 5, 4))
        for got, want in zip(self.program(TOSA)("main", x, a, b), (numpy.exp(x), a @ b, x.sum(1, keepdims=True))):
            numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)

    def test_stablehlo(self):
        self.assertEqual(self.loops(STABLEHLO), ["2"])
        x, b = self.normal((6, 5)), self.normal((5, 4))
        numpy.testing.assert_allclose(self.program(STABLEHLO)("main", x, b)[0], numpy.exp(x) @ b, rtol=1e-5, atol=1e-5)

    def onnx_model(self, size):
        import onnx
        from onnx import TensorProto, helper

        weights = [onnx.numpy_helper.from_array(self.normal(shape), name) for name, shape in (("w", (8, 6)), ("b", (6,)))]
        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="enc/mm"), helper.make_node("Add", ["y", "b"], ["z"], name="enc/add"),
                 helper.make_node("Softmax", ["z"], ["s"], name="enc/soft", axis=-1), helper.make_node("Relu", ["s"], ["r"], name="dec/relu")]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["B", size, 8])],
                                  [helper.make_tensor_value_info("r", TensorProto.FLOAT, ["B", size, 6])], weights)
        path = self.folder / "m.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return path

    def place(self, model, lines, *flags, output="m.heddle"):
        (self.folder / "place.txt").write_text(lines)
        return heddle("compile", model, f"--place-file={self.folder / 'place.txt'}", "-o", self.folder / output, *flags)

    def test_onnx_nodes_by_pattern(self):
        import onnxruntime

        model = self.onnx_model(7)
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        for lines, loops in (("enc/* = stream(0, 4)\n", 1), ("enc/mm = stream(0, 4)\ndec/* = stream(0, 4)\n", 2),
                             ("# rows\nenc/mm = stream(reduced 0, 2, parts = 3)\n", 1), ("*/* = stream(0, ?, parts = 5)\n", 1)):
            result = self.place(model, lines, "--compile-to=place", output="p.mlir")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((self.folder / "p.mlir").read_text().count("heddle.streams ="), loops, lines)
            result = self.place(model, lines)
            self.assertEqual(result.returncode, 0, result.stderr)
            program = Program(self.folder / "m.heddle")
            self.addCleanup(program.close)
            for batch in (0, 1, 3, 9):
                x = self.normal((batch, 7, 8))
                numpy.testing.assert_allclose(program("main", x)[0], session.run(None, {"x": x})[0], rtol=1e-5, atol=1e-6)

    def test_padding_and_concatenation(self):
        """Along the dimensions that they leave as they are; all of it one loop."""
        import onnx
        import onnxruntime
        from onnx import TensorProto, helper

        pads = onnx.numpy_helper.from_array(numpy.array([0, 0, 2, 0, 0, 1], numpy.int64), "pads")
        for channels, axis, marks in ((3, 1, "stream(0, 3)"), (3, 1, "stream(0, 2, parts = 4)"), (3, 0, "stream(1, 2)"), ("C", 0, "stream(1, 3)"),
                                      ("C", 0, "stream(0, 2), stream(1, 2)")):
            axis = 2 if "), " in marks else axis
            nodes = [helper.make_node("Exp", ["x"], ["e"], name="n/exp"), helper.make_node("Pad", ["e", "pads"], ["p"], name="n/pad"),
                     helper.make_node("Neg", ["p"], ["q"], name="n/neg"), helper.make_node("Concat", ["p", "q"], ["c"], name="n/join", axis=axis),
                     helper.make_node("Abs", ["c"], ["y"], name="n/abs")]
            graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["B", channels, 8])],
                                      [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [pads])
            path = self.folder / "m.onnx"
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
            session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
            with self.subTest(channels=channels, axis=axis, marks=marks):
                result = self.place(path, f"n/* = {marks}\n", "--compile-to=place", output="p.mlir")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual((self.folder / "p.mlir").read_text().count("heddle.streams ="), marks.count("stream("))
                result = self.place(path, f"n/* = {marks}\n")
                self.assertEqual(result.returncode, 0, result.stderr)
                program = Program(self.folder / "m.heddle")
                self.addCleanup(program.close)
                for batch in (0, 1, 5):
                    x = self.normal((batch, 3, 8))
                    numpy.testing.assert_allclose(program("main", x)[0], session.run(None, {"x": x})[0], rtol=1e-5, atol=1e-6)
        result = self.place(path, "n/pad = stream(2, 2)\n")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "in 'n/pad'.*cannot be streamed: tensor.pad works along dimension 2 of its result")

    def test_softmax_as_one_op(self):
        text = """
func.func @main(%x: tensor<?x7xf32> {heddle.dims = ["n", ""]}) -> tensor<?x7xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7xf32>
  %e = tensor.empty(%n) : tensor<?x7xf32>
  %y = linalg.softmax {heddle.stream = #flow.stream_axis<0, 2, parts = 3>} dimension(1) ins(%x : tensor<?x7xf32>) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %y : tensor<?x7xf32>
}
"""
        self.assertEqual(self.loops(text), ["2"])
        program = self.program(text)
        for rows in (0, 1, 2, 10):
            x = self.normal((rows, 7))
            want = numpy.exp(x) / numpy.exp(x).sum(1, keepdims=True)
            numpy.testing.assert_allclose(program("main", x)[0], want, rtol=1e-5, atol=1e-6)

    def test_errors_name_the_node_and_the_line(self):
        model = self.onnx_model(7)
        for lines, words in (("enc/add = stream(3, 4)\n", ["in 'enc/add'", "its result has 3 dimensions, and 3 is none of them"]),
                             ("\nenc/add = stream(0, 0)\n", ["place.txt:2: 'stream(0, 0)'", "a loop runs on at least 1 stream"]),
                             ("enc/add = stream(0, 2\n", ["place.txt:1: expected 'pattern = stream(AXIS, STREAMS)'"]),
                             ("enc/ad = stream(0, 2)\n", ["the pattern 'enc/ad' fits no op", "did you mean 'enc/add'?"])):
            result = self.place(model, lines)
            self.assertEqual(result.returncode, 1, result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)
        result = self.place(model, "enc/mm = stream(1, 4)\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("it is one of several dimensions that one is split into, and not the outermost", result.stderr)

    def test_batches_of_free_sequences(self):
        """A product takes batch and sequence as one dimension; its parts are multiples of the sequence."""
        import onnxruntime

        model = self.onnx_model("S")
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        for lines in ("enc/* = stream(0, 4)\n", "enc/* = stream(0, 3, parts = 2)\n"):
            result = self.place(model, lines, "--compile-to=place", output="p.mlir")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((self.folder / "p.mlir").read_text().count("heddle.streams ="), 1)
            result = self.place(model, lines)
            self.assertEqual(result.returncode, 0, result.stderr)
            program = Program(self.folder / "m.heddle")
            self.addCleanup(program.close)
            for batch, sequence in ((0, 3), (3, 0), (1, 1), (4, 5), (7, 2)):
                x = self.normal((batch, sequence, 8))
                numpy.testing.assert_allclose(program("main", x)[0], session.run(None, {"x": x})[0], rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
