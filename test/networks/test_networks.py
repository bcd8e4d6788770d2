# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of test/models against ONNX Runtime, one artifact each, on one core and on two.

A slice by default; HEDDLE_NETWORKS=all (`make networks`) takes every network.
"""
import os
import pathlib
import sys
import unittest

import numpy
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import support  # noqa: E402
from support import DEVICES, error_bound, oracle  # noqa: E402


def normal(seed, *shape):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


def images(argument, *shapes):
    return lambda: [{argument: normal(sum(shape), *shape)} for shape in shapes]


def run_perturbed(model, part, feed):
    """ONNX Runtime's results when the weights with `part` in their names differ by a millionth."""
    import onnxruntime

    generator = numpy.random.default_rng(0)
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    for tensor in changed.graph.initializer:
        if part in tensor.name and tensor.data_type == onnx.TensorProto.FLOAT:
            values = numpy_helper.to_array(tensor)
            factors = 1 + 1e-6 * generator.standard_normal(values.shape)
            tensor.CopyFrom(numpy_helper.from_array((values * factors).astype(numpy.float32), tensor.name))
    return onnxruntime.InferenceSession(changed.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)


def tokens(batch, length):
    ids = numpy.random.default_rng(batch + length).integers(1000, 30000, (batch, length))
    return {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}


IMAGE = (1, 3, 224, 224)
# Every network: its inputs, several sizes where sizes are free. The first ones are the slice.
SLICE = {
    "light_squeezenet": images("data_0", IMAGE),
    "light_shufflenet": images("gpu_0/data_0", IMAGE),
    "light_resnet50": images("gpu_0/data_0", IMAGE),
    "light_densenet121": images("data_0", IMAGE),
    "open_nsfw": images("input_0", (1, 224, 224, 3), (3, 224, 224, 3)),
    "ppocr_det": images("x", (1, 3, 160, 224), (1, 3, 320, 96)),
    "ppocr_rec": images("x", (1, 3, 48, 320), (2, 3, 48, 100)),
    "ppocr_cls": images("x", (1, 3, 48, 192), (4, 3, 48, 192)),
    "minilm_w8": lambda: [tokens(1, 128), tokens(2, 9)],
    "nudenet": images("images", (1, 3, 320, 320), (2, 3, 256, 192)),
    "orientation": images("x", IMAGE, (3, 3, 224, 224)),
}
REST = {
    "light_bvlc_alexnet": images("data_0", IMAGE),
    "light_inception_v1": images("data_0", IMAGE),
    "light_inception_v2": images("data_0", IMAGE),
    "light_vgg19": images("data_0", IMAGE),
    "light_zfnet512": images("gpu_0/data_0", IMAGE),
    "basic_pitch": images("serving_default_input_2:0", (1, 43844, 1), (2, 43844, 1)),
    "dnsmos": images("input_1", (1, 144160), (2, 144160)),
    "layout_cdla": images("image", (1, 3, 800, 608)),
}
NETWORKS = SLICE | REST if os.environ.get("HEDDLE_NETWORKS") == "all" else SLICE


def reductions(name):
    """The lengths of the sums in a network's convolutions and products with weights: an upper bound for those on a path."""
    graph = onnx.load(support.model(name)).graph
    weights = {tensor.name: tensor.dims for tensor in graph.initializer}
    weights |= {node.output[0]: node.attribute[0].t.dims for node in graph.node if node.op_type == "Constant"}
    lengths = []
    for node in graph.node:
        if node.op_type in ("Cast", "Mul") and node.input[0] in weights:  # weights in eight bits
            weights[node.output[0]] = weights[node.input[0]]
        shape = weights.get(node.input[1]) if len(node.input) > 1 else None
        if shape and node.op_type in ("Conv", "ConvTranspose"):
            lengths.append(int(numpy.prod(shape[1:])))
        elif shape and node.op_type in ("Gemm", "MatMul"):
            lengths.append(max(shape))
    return lengths


class NetworksTest(support.EndToEnd):
    def compare(self, name, feeds):
        reference = oracle(name)
        outputs = [value.name for value in onnx.load(support.model(name)).graph.output]
        lengths = reductions(name)
        for feed in feeds:
            want = reference(feed)
            for device in DEVICES:
                with self.subTest(device=device, **{key: value.shape for key, value in feed.items()}):
                    for got, expected in zip(self.run_model(name, feed, outputs, device), want):
                        # Logits reach tens, and their absolute error is the relative error of a small probability.
                        scale = 32 * float(numpy.abs(expected).max())
                        self.assertGreater(float(expected.std()), 0, "the network's output is constant and proves nothing")
                        self.assert_close(got, expected, error_bound(lengths, scale))


class QuantizedTest(support.EndToEnd):
    """Networks in integers. A difference in a last digit can move a value by a whole quantisation step, and the next
    layers multiply that, so the measure is what ONNX Runtime's own result does when nothing but last digits change."""

    def run_both(self, name, feed):
        (want,) = oracle(name)(feed)
        outputs = [value.name for value in onnx.load(support.model(name)).graph.output]
        for device in DEVICES:
            (got,) = self.run_model(name, feed, outputs, device)
            self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype))
            yield got, want

    def test_minilm_dq8(self):
        model = onnx.load(support.model("minilm_dq8"))
        for length in (16, 128):
            feed = tokens(2, length)
            (moved,) = run_perturbed(model, "LayerNorm", feed)
            for got, want in self.run_both("minilm_dq8", feed):
                noise = float(numpy.abs(moved - want).mean())
                self.assertGreater(noise, 0)
                self.assertLessEqual(float(numpy.abs(got - want).mean()), 2 * noise)

    def test_resnet50_qdq(self):
        graph = onnx.load(support.model("resnet50_qdq")).graph
        last = next(node for node in graph.node if node.op_type == "DequantizeLinear" and node.output[0] == graph.output[0].name)
        step = next(float(numpy_helper.to_array(t)) for t in graph.initializer if t.name == last.input[1])
        for got, want in self.run_both("resnet50_qdq", {"gpu_0/data_0": normal(7, *IMAGE)}):
            steps = numpy.rint(numpy.abs(got - want) / step)
            self.assertLessEqual(steps.max(), 1)
            self.assertLessEqual((steps > 0).mean(), 0.02)


def add_test(name, feeds):
    setattr(NetworksTest, f"test_{name}", lambda self: self.compare(name, feeds()))


for network, feeds in NETWORKS.items():
    add_test(network, feeds)


if __name__ == "__main__":
    unittest.main()
