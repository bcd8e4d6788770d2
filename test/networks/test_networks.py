"""Networks of test/models against ONNX Runtime, one artifact each, on one core and on two.

A slice by default; HEDDLE_NETWORKS=all (`make networks`) takes every network.
"""
import os
import pathlib
import sys
import unittest

import numpy
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import support  # noqa: E402
from support import DEVICES, error_bound, oracle  # noqa: E402


def normal(seed, *shape):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


def images(argument, *shapes):
    return lambda: [{argument: normal(sum(shape), *shape)} for shape in shapes]


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
}
REST = {
    "light_bvlc_alexnet": images("data_0", IMAGE),
    "light_inception_v1": images("data_0", IMAGE),
    "light_inception_v2": images("data_0", IMAGE),
    "light_vgg19": images("data_0", IMAGE),
    "light_zfnet512": images("gpu_0/data_0", IMAGE),
}
NETWORKS = SLICE | REST if os.environ.get("HEDDLE_NETWORKS") == "all" else SLICE


def reductions(name):
    """The lengths of the sums in a network's convolutions and products with weights: an upper bound for those on a path."""
    graph = onnx.load(support.model(name)).graph
    weights = {tensor.name: tensor.dims for tensor in graph.initializer}
    weights |= {node.output[0]: node.attribute[0].t.dims for node in graph.node if node.op_type == "Constant"}
    lengths = []
    for node in graph.node:
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
                        # Values inside a network are a few times as large as what comes out of it.
                        scale = 8 * float(numpy.abs(expected).max())
                        self.assertGreater(float(expected.std()), 0, "the network's output is constant and proves nothing")
                        self.assert_close(got, expected, error_bound(lengths, scale))


def add_test(name, feeds):
    setattr(NetworksTest, f"test_{name}", lambda self: self.compare(name, feeds()))


for network, feeds in NETWORKS.items():
    add_test(network, feeds)


if __name__ == "__main__":
    unittest.main()
