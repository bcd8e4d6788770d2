# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants are computed once, at compile time: batch normalisation goes into weights, equal compilations give equal bytes."""
import re
import unittest

import numpy
import onnx
import support
from graph import FLOAT, Graph
from support import error_bound, heddle


def normalised(graph, random, x, channels, name):
    """BatchNormalization with statistics of its own."""
    values = {"scale": random.uniform(0.5, 2, channels), "bias": random.standard_normal(channels),
              "mean": random.standard_normal(channels), "variance": random.uniform(0.2, 3, channels)}
    operands = [graph.constant(f"{name}.{key}", value.astype(numpy.float32)) for key, value in values.items()]
    return graph.op("BatchNormalization", x, *operands, epsilon=1e-3)


def network():
    """A convolution, one of two groups, a depthwise one and a dense layer, each with a scale after it in another form."""
    random = numpy.random.default_rng(5)

    def weights(name, *shape):
        return graph.constant(name, random.standard_normal(shape).astype(numpy.float32) / numpy.float32(3))

    graph = Graph("normalised")
    x = graph.input("x", FLOAT, ["batch", 6, 20, 20])
    conv = graph.op("Conv", x, weights("w0", 8, 6, 3, 3), weights("b0", 8), pads=[1, 1, 1, 1])
    x = graph.op("Relu", normalised(graph, random, conv, 8, "n0"))
    x = normalised(graph, random, graph.op("Conv", x, weights("w1", 12, 4, 3, 3), group=2, strides=[2, 2]), 12, "n1")
    x = graph.op("Relu", x)
    x = graph.op("Conv", x, weights("w2", 12, 1, 3, 3), group=12)
    x = graph.op("Sub", graph.op("Div", x, weights("s2", 12, 1, 1)), weights("b2", 12, 1, 1))
    x = graph.op("Flatten", graph.op("Relu", x))
    x = graph.op("Gemm", x, weights("w3", 588, 10), weights("b3", 10))
    graph.output(graph.op("Mul", x, weights("s3", 10), name="y"), FLOAT, ["batch", 10])
    return graph.model()


class ConstantsTest(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model.onnx"
        onnx.save(network(), self.model)

    def compile(self, name, *flags):
        result = heddle("compile", self.model, "-o", self.folder / name, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return self.folder / name

    def test_batch_normalisation_is_gone(self):
        text = self.compile("model.mlir", "--compile-to=encode").read_text()
        contractions = len(re.findall(r'= linalg\.(?:matmul|generic .*"reduction")', text))
        self.assertEqual(4, contractions)
        products = text.count("arith.mulf") + text.count("linalg.matmul")
        self.assertEqual(4, products, "a scale is still applied to a result:\n" + text)
        for op in ("arith.divf", "arith.subf", "math.sqrt"):
            self.assertNotIn(op, text)

    def test_agrees_with_onnxruntime(self):
        import onnxruntime

        session = onnxruntime.InferenceSession(str(self.model), providers=["CPUExecutionProvider"])
        artifact = self.compile("model.heddle")
        for batch in (1, 3):
            x = numpy.random.default_rng(batch).standard_normal((batch, 6, 20, 20)).astype(numpy.float32)
            want = session.run(None, {"x": x})[0]
            result = heddle("run", artifact, f"--input=x={self.save('x', x)}", f"--output=y=@{self.file('y')}")
            self.assertEqual(0, result.returncode, result.stderr)
            bound = error_bound([54, 36, 9, 588, 16, 16, 16, 16], float(numpy.abs(want).max()))
            self.assert_close(numpy.load(self.file("y")), want, bound)

    def test_equal_compilations_give_equal_artifacts(self):
        self.assertEqual(self.compile("a.heddle").read_bytes(), self.compile("b.heddle").read_bytes())


if __name__ == "__main__":
    unittest.main()
