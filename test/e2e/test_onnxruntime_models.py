# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as ONNX Runtime's own tools leave them: optimised (its fused operators) and quantised (its operators on 8 bits)."""
import collections
import logging
import unittest

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from support import EndToEnd, heddle, model

TOLERANCE = 2e-5
IMAGE = numpy.random.default_rng(7).random((1, 3, 224, 224), numpy.float32)
SOUND = numpy.random.default_rng(7).standard_normal((1, 144160)).astype(numpy.float32)


def tokens():
    ids = numpy.random.default_rng(1).integers(1000, 30000, (1, 24))
    return {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}


def image_network():
    """A convolution, a residual block, a concatenation, pools, a product: what quantisation has an operator of its own for."""
    random = numpy.random.default_rng(3)
    weights = {"w": (8, 3, 3, 3), "v": (8, 8, 3, 3), "b": (8,), "m": (16, 10), "n": (10,)}
    constants = [onnx.numpy_helper.from_array((random.standard_normal(shape) * 0.3).astype(numpy.float32), name) for name, shape in weights.items()]
    node = onnx.helper.make_node
    same = {"kernel_shape": [3, 3], "pads": [1] * 4}
    nodes = [node("Conv", ["x", "w", "b"], ["c"], **same), node("LeakyRelu", ["c"], ["r"], alpha=0.1), node("Conv", ["r", "v", "b"], ["d"], **same),
             node("Add", ["c", "d"], ["s"]), node("Sigmoid", ["s"], ["g"]), node("Mul", ["s", "g"], ["t"]), node("Concat", ["t", "r"], ["k"], axis=1),
             node("AveragePool", ["k"], ["p"], kernel_shape=[2, 2], strides=[2, 2]), node("GlobalAveragePool", ["p"], ["q"]),
             node("Flatten", ["q"], ["f"]), node("Gemm", ["f", "m", "n"], ["y"])]
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(nodes, "g", [info("x", onnx.TensorProto.FLOAT, [1, 3, 20, 20])], [info("y", onnx.TensorProto.FLOAT, [1, 10])], constants)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)


logging.getLogger().setLevel(logging.ERROR)  # the quantiser's advice


class Batches(CalibrationDataReader):
    def __init__(self):
        random = numpy.random.default_rng(5)
        self.left = [{"x": random.standard_normal((1, 3, 20, 20)).astype(numpy.float32)} for _ in range(4)]

    def get_next(self):
        return self.left.pop() if self.left else None


class OnnxRuntimeModels(EndToEnd):
    def check(self, path, feed, expected, tolerance=TOLERANCE):
        """The file has the operators `expected` of com.microsoft, and Heddle computes what ONNX Runtime does."""
        graph = onnx.load(path).graph
        found = collections.Counter(node.op_type for node in graph.node if node.domain == "com.microsoft")
        self.assertLessEqual(set(expected), set(found))
        want = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, feed)
        result = heddle("compile", path, "-o", self.folder / "m.heddle")
        self.assertEqual(0, result.returncode, result.stderr)
        names = [output.name for output in graph.output]
        arguments = [f"--input={key}={self.save(f'in_{i}', value)}" for i, (key, value) in enumerate(feed.items())]
        arguments += [f"--output={key}=@{self.file(f'out_{i}')}" for i, key in enumerate(names)]
        result = heddle("run", self.folder / "m.heddle", *arguments)
        self.assertEqual(0, result.returncode, result.stderr)
        for i, array in enumerate(want):
            self.assert_close(numpy.load(self.file(f"out_{i}")), array, tolerance * float(numpy.abs(array).max()))

    def optimised(self, name):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = str(self.folder / f"{name}.onnx")
        options.log_severity_level = 4
        onnxruntime.InferenceSession(model(name), options, providers=["CPUExecutionProvider"])
        return options.optimized_model_filepath

    def test_transformer_optimised(self):
        self.check(self.optimised("minilm"), tokens(), ["BiasGelu", "FusedMatMul"])

    def test_transformer_quantised_and_optimised(self):
        """A step's last digit moves later values by a step (docs/design/quantisation.md)."""
        self.check(self.optimised("minilm_dq8"), tokens(), ["MatMulIntegerToFloat", "DynamicQuantizeMatMul", "SkipLayerNormalization"], 0.05)

    def test_images_optimised(self):
        self.check(self.optimised("light_squeezenet"), {"data_0": IMAGE}, ["FusedConv"])

    def test_sound_optimised(self):
        self.check(self.optimised("dnsmos"), {"input_1": SOUND}, ["FusedConv", "FusedGemm"])

    def test_images_quantised(self):
        """Every operator on 8 bits; results are within a step of the last scale."""
        source, target = self.folder / "float.onnx", self.folder / "quantised.onnx"
        onnx.save(image_network(), source)
        for kind in (QuantType.QUInt8, QuantType.QInt8):
            with self.subTest(kind):
                quantize_static(source, target, Batches(), quant_format=QuantFormat.QOperator, activation_type=kind, weight_type=QuantType.QInt8)
                self.check(target, Batches().get_next(),
                           ["QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearConcat", "QLinearAveragePool",
                            "QLinearGlobalAveragePool", "QGemm"], 1 / 64)


if __name__ == "__main__":
    unittest.main()
