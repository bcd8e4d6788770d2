# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: networks of test/models with their inputs, and single kernels.

Every case has one ONNX file with fixed sizes, the same for every engine, and one input for each argument.
"""
import dataclasses
import pathlib
import sys

import numpy
import onnx

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "models"))

from graph import FLOAT, Graph  # noqa: E402
from make_models import model  # noqa: E402

IMAGE = (1, 3, 224, 224)


def file_name(name):
    return "".join(c if c.isalnum() else "_" for c in name)


@dataclasses.dataclass
class Case:
    """`work`: operations of one call and their unit ("GFLOP/s", "GB/s"), or nothing to say."""

    name: str
    build: object  # () -> onnx.ModelProto
    feed: dict  # {argument: array}
    work: tuple = None

    def write(self, folder):
        """The model with the sizes of `feed`; returns its path. One that is there already keeps its time stamp."""
        path = pathlib.Path(folder) / f"{file_name(self.name)}.onnx"
        data = pin_sizes(self.build(), self.feed).SerializeToString(deterministic=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
        return path


def pin_sizes(proto, feed):
    """Gives every argument the shape of its value. What was inferred from free sizes is dropped."""
    for value in proto.graph.input:
        if value.name in feed:
            value.type.tensor_type.shape.ClearField("dim")
            for size in feed[value.name].shape:
                value.type.tensor_type.shape.dim.add().dim_value = size
            value.type.tensor_type.shape.SetInParent()
    for value in proto.graph.output:
        value.type.tensor_type.ClearField("shape")
    del proto.graph.value_info[:]
    return onnx.shape_inference.infer_shapes(proto, data_prop=True)


def normal(seed, *shape):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


def tokens(length):
    ids = numpy.random.default_rng(1).integers(1000, 30000, (1, length))
    return {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}


def speech(samples, **state):
    """A chunk of sound: a chirp with noise, at a tenth of full scale."""
    time = numpy.arange(samples) / 16000
    wave = numpy.sin(2 * numpy.pi * (150 + 400 * time) * time) + 0.3 * normal(3, samples)
    return {"input": (0.1 * wave).astype(numpy.float32)[None], **state}


def network_feeds():
    """{model: {argument: array}}, in the order of the tables."""
    image = normal(7, *IMAGE)
    light = {f"light_{name}": {"data_0": image} for name in ("bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "squeezenet", "vgg19")}
    light |= {f"light_{name}": {"gpu_0/data_0": image} for name in ("resnet50", "shufflenet", "zfnet512")}
    state, rate = numpy.zeros((2, 1, 128), numpy.float32), numpy.array(16000)
    cell = numpy.zeros((1, 1, 128), numpy.float32)
    chunk = speech(576, state=state)
    return {
        "magika": {"bytes": numpy.random.default_rng(1).integers(0, 256, (1, 2048), dtype=numpy.int32)},
        "minilm": tokens(128), "minilm_w8": tokens(128), "minilm_dq8": tokens(128),
        **dict(sorted(light.items())),
        "resnet50_qdq": {"gpu_0/data_0": image},
        "open_nsfw": {"input_0": normal(7, 1, 224, 224, 3)},
        "ppocr_det": {"x": normal(7, 1, 3, 640, 640)},
        "ppocr_rec": {"x": normal(7, 1, 3, 48, 320)},
        "ppocr_cls": {"x": normal(7, 1, 3, 48, 192)},
        "silero_vad": speech(576, state=state, sr=rate),
        "silero_vad_16k_op15": speech(576, state=state, sr=rate),
        "silero_vad_16k_sequence": {"input": numpy.concatenate([chunk["input"]] * 32), "h": cell, "c": cell},
        "silero_vad_half": speech(576, state=state),
        "silero_vad_op18_ifless": speech(576, state=state, sr=rate),
        "silero_vad_openvino_16k": chunk,
        "basic_pitch": {"serving_default_input_2:0": normal(7, 1, 43844, 1)},
        "dnsmos": {"input_1": normal(7, 1, 144160)},
        "layout_cdla": {"image": normal(7, 1, 3, 800, 608)},
        "nudenet": {"images": normal(7, 1, 3, 320, 320)},
        "orientation": {"x": image},
    }


def networks():
    return [Case(name, lambda name=name: onnx.load(model(name)), feed) for name, feed in network_feeds().items()]


#===--- Kernels ---===#


def one_op(kind, feed, constants=(), outputs=None, **attributes):
    """A graph of one node: arguments in the order of `feed`, then the constants."""
    def build():
        graph = Graph(kind.lower())
        names = [graph.input(key, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for key, value in feed.items()]
        names += [graph.constant(f"constant_{i}", value) for i, value in enumerate(constants)]
        graph.output(graph.op(kind, *names, name="y", **attributes), outputs or FLOAT, [None] * next(iter(feed.values())).ndim)
        return graph.model()
    return build


def gemm(m, k, n):
    feed = {"a": normal(1, m, k)}
    return Case(f"gemm {m}x{k}x{n}", one_op("MatMul", feed, [normal(2, k, n)]), feed, (2 * m * k * n, "GFLOP/s"))


def integer_gemm(name, left, right, n):
    generator = numpy.random.default_rng(5)
    draw = lambda kind: generator.integers(numpy.iinfo(kind).min, numpy.iinfo(kind).max, (n, n), dtype=kind, endpoint=True)
    feed = {"a": draw(left)}
    return Case(f"{name} {n}³", one_op("MatMulInteger", feed, [draw(right)], onnx.TensorProto.INT32), feed, (2 * n**3, "GOP/s"))


def convolution(size, channels, filters, kernel, stride=1, group=1):
    feed = {"x": normal(1, 1, channels, size, size)}
    weights = normal(2, filters, channels // group, kernel, kernel) * 0.05
    pad = kernel // 2
    build = one_op("Conv", feed, [weights], kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, group=group)
    operations = 2 * weights.size * (-(-size // stride)) ** 2
    what = "depthwise" if group == channels else f"{channels}→{filters}"
    return Case(f"conv {kernel}x{kernel}/{stride} {what} at {size}²", build, feed, (operations, "GFLOP/s"))


def streaming(name, kind, shape, arrays, constants=(), operands=1, **attributes):
    feed = {f"x{i}": normal(i, *shape) for i in range(operands)}
    return Case(name, one_op(kind, feed, constants, **attributes), feed, (4 * arrays * int(numpy.prod(shape)), "GB/s"))


def attention(length, heads=12, depth=32):
    """softmax(q k / sqrt(depth) + mask) v, as exporters write it."""
    feed = {"q": normal(1, 1, heads, length, depth), "k": normal(2, 1, heads, depth, length),
            "mask": numpy.zeros((1, 1, 1, length), numpy.float32), "v": normal(3, 1, heads, length, depth)}

    def build():
        graph = Graph("attention")
        q, k, mask, v = (graph.input(key, FLOAT, value.shape) for key, value in feed.items())
        scores = graph.op("Div", graph.op("MatMul", q, k), graph.constant("root", numpy.float32(depth**0.5)))
        graph.output(graph.op("MatMul", graph.op("Softmax", graph.op("Add", scores, mask), axis=-1), v, name="y"), FLOAT, [None] * 4)
        return graph.model()

    return Case(f"attention {heads}x{length}x{depth}", build, feed, (4 * heads * length**2 * depth, "GFLOP/s"))


def gelu(shape):
    feed = {"x": normal(1, *shape)}

    def build():
        graph = Graph("gelu")
        x = graph.input("x", FLOAT, shape)
        erf = graph.op("Erf", graph.op("Div", x, graph.constant("root", numpy.float32(2**0.5))))
        product = graph.op("Mul", x, graph.op("Add", erf, graph.constant("one", numpy.float32(1))))
        graph.output(graph.op("Mul", product, graph.constant("half", numpy.float32(0.5)), name="y"), FLOAT, [None] * len(shape))
        return graph.model()

    return Case(f"gelu {'x'.join(map(str, shape))}", build, feed, (8 * int(numpy.prod(shape)), "GB/s"))


def products():
    return [
        gemm(512, 512, 512), gemm(1024, 1024, 1024), gemm(2048, 2048, 2048), gemm(384, 384, 1536), gemm(1, 4096, 4096),
        integer_gemm("u8 x i8", numpy.uint8, numpy.int8, 1024), integer_gemm("i8 x i8", numpy.int8, numpy.int8, 1024),
    ]


def kernels():
    return [
        *products(),
        convolution(224, 3, 64, 7, 2), convolution(56, 64, 64, 3), convolution(56, 64, 256, 1), convolution(28, 128, 128, 3),
        convolution(14, 256, 256, 3), convolution(7, 512, 512, 3), convolution(7, 2048, 512, 1), convolution(112, 64, 64, 3, 1, 64),
        streaming("softmax 4096x1024", "Softmax", (4096, 1024), 2, axis=-1),
        streaming("layernorm 4096x1024", "LayerNormalization", (4096, 1024), 2, [normal(8, 1024), normal(9, 1024)], axis=-1),
        streaming("add 64 MiB", "Add", (4096, 4096), 3, operands=2),
        streaming("transpose 4096²", "Transpose", (4096, 4096), 2, perm=[1, 0]),
        gelu((4096, 4096)), attention(128), attention(512), attention(2048),
        streaming("maxpool 3x3/2 64 at 112²", "MaxPool", (1, 64, 112, 112), 1.25, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
    ]
