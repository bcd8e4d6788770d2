# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single operators of common models at typical shapes, as cases of run.py: `run.py --table=operators`."""
import numpy
import onnx

from cases import Case, normal

OPSET = 20
FLOAT, INT64 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
TOKENS = (1, 128, 768)
IMAGE = (1, 64, 56, 56)
HEADS = (1, 12, 128, 128)
NONE = numpy.array([], numpy.float32)


def integers(high, *shape, kind=numpy.int64, low=0):
    return numpy.random.default_rng(3).integers(low, high, shape, dtype=kind)


def node_model(kind, feed, constants, attributes, outputs, opset):
    """A graph of one node with `outputs` outputs, 0: all that the operator always has; their types are inferred."""
    helper = onnx.helper
    values = [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for key, value in feed.items()]
    initializers = [onnx.numpy_helper.from_array(numpy.asarray(value), f"constant_{i}") for i, value in enumerate(constants)]
    results = [f"y{i}" for i in range(outputs or max(1, onnx.defs.get_schema(kind, opset).min_output))]
    names = [*feed, *(tensor.name for tensor in initializers)]
    node = helper.make_node(kind, names, results, name=kind, **attributes)
    schema = onnx.defs.get_schema(kind, opset)  # a function's results are not inferred
    infos = [helper.make_tensor_value_info(name, values[0].type.tensor_type.elem_type, None)
             if schema.outputs[min(i, len(schema.outputs) - 1)].type_str == schema.inputs[0].type_str else helper.make_empty_tensor_value_info(name)
             for i, name in enumerate(results)]
    graph = helper.make_graph([node], kind, values, infos, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9 if opset == OPSET else 11)


def op(kind, *operands, constants=(), what="", outputs=0, opset=OPSET, **attributes):
    """A case of one node. `operands`: arrays, the call's arguments; then `constants`."""
    feed = {f"x{i}": value for i, value in enumerate(operands)}
    sizes = "x".join(map(str, operands[0].shape)) or "scalar"
    return Case(" ".join(filter(None, (kind, what, sizes))), lambda: node_model(kind, feed, constants, attributes, outputs, opset), feed)


def lattice(size):
    """A grid that turns an image by a few degrees."""
    x, y = numpy.meshgrid(*[numpy.linspace(-1, 1, size)] * 2)
    return numpy.stack([0.98 * x - 0.17 * y, 0.17 * x + 0.98 * y], -1)[None].astype(numpy.float32)


def boxes(count, size):
    """Corners of boxes in an image of size x size."""
    random = numpy.random.default_rng(5)
    corner, extent = random.random((count, 2)) * size * 0.8, (random.random((count, 2)) * 0.2 + 0.01) * size
    return numpy.concatenate([corner, corner + extent], 1).astype(numpy.float32)


def axes(*values):
    return numpy.array(values, numpy.int64)


def unary():
    x = normal(1, *TOKENS)
    kinds = ("Relu", "Sigmoid", "Tanh", "Erf", "Exp", "Sqrt", "Gelu", "Softplus", "HardSwish", "Elu", "LeakyRelu", "Sin", "Cos", "Abs", "Neg", "Floor",
             "Ceil", "Sign", "HardSigmoid", "Mish", "Selu", "Softsign", "IsNaN")
    cases = [op(kind, numpy.abs(x) if kind == "Sqrt" else x) for kind in kinds]
    return cases + [op("Log", numpy.abs(x) + 1), op("Clip", x, constants=[numpy.float32(0), numpy.float32(6)]),
                    op("Round", x), op("Reciprocal", x + 8), op("Not", x > 0), op("Cast", x, to=onnx.TensorProto.FLOAT16, what="to f16")]


def binary():
    x, y, row = normal(1, *TOKENS), normal(2, *TOKENS), normal(3, 768)
    return [
        *(op(kind, x, y) for kind in ("Add", "Mul", "Sub", "Max")), op("Div", x, numpy.abs(y) + 1), op("Pow", numpy.abs(x), constants=[numpy.float32(2)]),
        op("Add", x, row, what="row"), op("Mul", normal(1, *IMAGE), normal(2, 1, 64, 1, 1), what="channel"),
        op("Equal", integers(9, 1, 65536), integers(9, 1, 65536)), op("Greater", x, y),
        op("Where", x > 0, x, y), op("Add", integers(99, 1, 65536), integers(99, 1, 65536), what="i64"),
        op("Pow", numpy.abs(x), y, what="any"), op("PRelu", normal(1, *IMAGE), constants=[normal(2, 64, 1, 1)]), op("And", x > 0, y > 0),
        op("Mod", integers(99, 1, 65536), integers(9, 1, 65536, low=1)), op("Div", integers(99, 1, 65536), integers(9, 1, 65536, low=1), what="i64"),
    ]


def reductions():
    x, image = normal(1, *TOKENS), normal(1, *IMAGE)
    return [
        op("ReduceMean", x, constants=[axes(-1)], what="last"), op("ReduceSum", x, constants=[axes(1)], what="middle"),
        op("ReduceMax", image, constants=[axes(2, 3)], what="spatial"), op("ReduceL2", x, constants=[axes(-1)], what="last"),
        op("ReduceSum", x, what="all"), op("ReduceMean", normal(1, 128, 768), constants=[axes(0)], what="first"), op("ReduceMin", x, constants=[axes(-1)], what="last"),
        op("ReduceProd", x, constants=[axes(-1)], what="last"), op("ReduceLogSumExp", x, constants=[axes(-1)], what="last"),
        op("ArgMax", x, axis=-1), op("ArgMax", normal(1, 1, 32000), axis=-1), op("ArgMax", normal(1, 1, 21, 128, 128), axis=1, what="channels"),
        op("Softmax", x, axis=-1), op("Softmax", x, axis=1, what="middle"), op("Softmax", normal(1, 8400, 17), axis=-1, what="of few"),
        op("CumSum", x, constants=[numpy.int64(1)], what="middle"), op("CumSum", x, constants=[numpy.int64(-1)], what="last"),
        op("Softmax", normal(1, *HEADS), axis=-1), op("Softmax", image, axis=1, what="channels"), op("LogSoftmax", normal(1, 1, 32000), axis=-1),
        op("LayerNormalization", x, constants=[normal(2, 768), normal(3, 768)], axis=-1),
        op("LayerNormalization", normal(1, 1, 56, 56, 96), constants=[normal(2, 96), normal(3, 96)], axis=-1),
        op("GroupNormalization", image, constants=[normal(2, 8), normal(3, 8)], num_groups=8), op("LRN", image, size=5),
        op("RMSNormalization", x, constants=[normal(2, 768)], axis=-1, opset=23), op("LpNormalization", x, axis=-1), op("MeanVarianceNormalization", image),
        op("InstanceNormalization", image, constants=[normal(2, 64), normal(3, 64)]),
        op("BatchNormalization", image, constants=[normal(2, 64), normal(3, 64), normal(4, 64), numpy.abs(normal(5, 64))]),
        op("TopK", normal(1, 1, 1000), constants=[axes(5)]), op("TopK", normal(1, 1, 100000), constants=[axes(100)]),
    ]


def movement():
    x, image = normal(1, *TOKENS), normal(1, *IMAGE)
    return [
        op("Transpose", normal(1, 1, 128, 12, 64), perm=[0, 2, 1, 3], what="heads"), op("Transpose", image, perm=[0, 2, 3, 1], what="to channels last"),
        op("Concat", image, normal(2, *IMAGE), axis=1), op("Concat", x, normal(2, *TOKENS), axis=-1, what="last"),
        op("Slice", x, constants=[axes(10), axes(100), axes(1)]), op("Slice", image, constants=[axes(0, 0), axes(56, 56), axes(2, 3), axes(2, 2)], what="strided"),
        op("Gather", normal(1, 30000, 384), constants=[integers(30000, 1, 128)], what="rows"), op("Tile", normal(1, 1, 128, 64), constants=[axes(1, 1, 8)]),
        op("Expand", normal(1, 1, 1, 768), constants=[axes(1, 128, 768)]), op("Pad", image, constants=[axes(0, 0, 1, 1, 0, 0, 1, 1)]),
        op("Resize", image, constants=[NONE, numpy.array([1, 1, 2, 2], numpy.float32)], mode="nearest", what="nearest"),
        op("Resize", image, constants=[NONE, numpy.array([1, 1, 2, 2], numpy.float32)], mode="linear", what="linear"),
        op("Resize", image, constants=[NONE, NONE, axes(1, 64, 80, 96)], mode="linear", what="linear to 80x96"),
        op("Resize", image, constants=[NONE, NONE, axes(1, 64, 80, 96)], mode="nearest", what="nearest to 80x96"),
        op("Resize", normal(1, 1, 3, 112, 112), constants=[NONE, numpy.array([1, 1, 2, 2], numpy.float32)], mode="cubic", what="cubic"),
        op("Resize", image, constants=[NONE, numpy.array([1, 1, 2, 2], numpy.float32)], mode="linear", coordinate_transformation_mode="align_corners",
           what="linear aligned"),
        op("Resize", normal(1, 1, 3, 640, 480), constants=[NONE, NONE, axes(1, 3, 224, 224)], mode="linear", what="shrinking"),
        op("GridSample", image, normal(2, 1, 56, 56, 2), what="bilinear"), op("GridSample", image, normal(2, 1, 56, 56, 2), what="nearest", mode="nearest"),
        op("GridSample", normal(1, 1, 3, 224, 224), lattice(224), what="bilinear smooth"), op("GridSample", normal(1, 1, 3, 224, 224), normal(2, 1, 224, 224, 2) / 2, what="bilinear"),
        op("GridSample", image, normal(2, 1, 56, 56, 2), what="bicubic", mode="cubic"), op("AffineGrid", normal(1, 1, 2, 3), constants=[axes(1, 64, 56, 56)]),
        op("RoiAlign", normal(1, 1, 256, 50, 68), boxes(100, 200), constants=[numpy.zeros(100, numpy.int64)], output_height=7, output_width=7,
           spatial_scale=0.25, sampling_ratio=2), op("NonMaxSuppression", boxes(8400, 640)[None], numpy.abs(normal(2, 1, 1, 8400)),
           constants=[axes(100), numpy.float32(0.5), numpy.float32(0.5)]),
        op("NonMaxSuppression", boxes(1917, 300)[None], numpy.abs(normal(2, 1, 90, 1917)) / 4, constants=[axes(20), numpy.float32(0.6), numpy.float32(0.5)], what="90 classes"),
        op("GatherND", normal(1, 128, 768), constants=[integers(128, 64, 1)]),
        op("GatherElements", x, integers(768, 1, 128, 100), axis=-1), op("Gather", x, constants=[integers(768, 100)], axis=-1, what="columns"),
        op("ScatterElements", x, integers(768, 1, 128, 100), normal(2, 1, 128, 100), axis=-1),
        op("ScatterElements", normal(1, 1000, 64), integers(1000, 1000, 64), normal(2, 1000, 64), axis=0, reduction="add", what="add"),
        op("ScatterND", normal(1, 1, 8400, 85), numpy.stack(numpy.meshgrid(0, numpy.arange(8400), numpy.arange(4), indexing="ij"), -1), normal(2, 1, 8400, 4), what="columns"),
        op("Split", x, constants=[axes(256, 256, 256)], axis=-1, outputs=3), op("Split", image, constants=[axes(32, 32)], axis=1, outputs=2, what="channels"),
        op("OneHot", integers(1000, 1, 128), constants=[numpy.int64(1000), numpy.array([0, 1], numpy.float32)]),
        op("Range", numpy.array(0), constants=[numpy.int64(65536), numpy.int64(1)]), op("ConstantOfShape", axes(1, 128, 768)),
        op("Unique", integers(1000, 10000), outputs=1), op("Compress", x, constants=[integers(2, 128).astype(bool)], axis=1), op("EyeLike", normal(1, 512, 512)),
        op("ReverseSequence", normal(1, 128, 8, 96), constants=[integers(128, 8, low=1)]), op("SpaceToDepth", image, blocksize=2),
        op("Pad", image, constants=[axes(0, 0, 3, 3, 0, 0, 3, 3)], mode="reflect", what="reflect"), op("Tile", normal(1, 1, 1, 56, 56), constants=[axes(1, 64, 1, 1)], what="channels"),
        op("Transpose", normal(1, 768, 768), perm=[1, 0]), op("Transpose", normal(1, 1, 8, 7, 8, 7, 96), perm=[0, 1, 3, 2, 4, 5], what="windows"),
        op("Cast", x, to=INT64, what="to i64"), op("Cast", integers(256, *TOKENS, kind=numpy.uint8), to=FLOAT, what="from u8"),
        op("ScatterND", normal(1, 128, 768), constants=[numpy.arange(64).reshape(64, 1) * 2, normal(2, 64, 768)]),
        op("DepthToSpace", image, blocksize=2), op("Trilu", normal(1, 1, 512, 512)), op("NonZero", (normal(1, 256, 256) > 1)),
    ]


def quantised():
    x = normal(1, *TOKENS)
    scale, zero = numpy.float32(0.05), numpy.uint8(128)
    return [
        op("QuantizeLinear", x, constants=[scale, zero]), op("DynamicQuantizeLinear", x),
        op("DequantizeLinear", integers(256, *TOKENS, kind=numpy.uint8), constants=[scale, zero]),
    ]


def windows():
    image = normal(1, *IMAGE)
    return [
        op("MaxPool", image, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), op("AveragePool", image, kernel_shape=[2, 2], strides=[2, 2]),
        *(op(kind, normal(1, 1, 512, 13, 13), kernel_shape=[size, size], pads=[size // 2] * 4, what=f"{size}x{size}")
          for kind, size in (("MaxPool", 5), ("MaxPool", 9), ("MaxPool", 13), ("AveragePool", 5), ("AveragePool", 9))),
        op("MaxPool", normal(1, 1, 256, 20, 20), kernel_shape=[5, 5], pads=[2] * 4, what="5x5"),
        op("GlobalAveragePool", image), op("Conv", image, constants=[normal(2, 64, 64, 3, 3) * 0.05], kernel_shape=[3, 3], pads=[1] * 4),
        op("Conv", image, constants=[normal(2, 64, 1, 3, 3)], kernel_shape=[3, 3], pads=[1] * 4, group=64, what="depthwise"),
        op("Conv", normal(1, 1, 384, 14, 14), constants=[normal(2, 384, 1, 7, 7)], kernel_shape=[7, 7], pads=[3] * 4, group=384, what="depthwise 7x7"),
        op("Conv", image, constants=[normal(2, 128, 64, 3, 3) * 0.05], kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2], what="stride 2"),
        op("Conv", normal(1, 1, 128, 28, 28), constants=[normal(2, 128, 4, 3, 3) * 0.05], kernel_shape=[3, 3], pads=[1] * 4, group=32, what="32 groups"),
        op("Conv", normal(1, 1, 80, 3000), constants=[normal(2, 384, 80, 3) * 0.05], kernel_shape=[3], pads=[1, 1], what="1-D"),
        op("Conv", normal(1, 1, 3, 224, 224), constants=[normal(2, 64, 3, 7, 7) * 0.05], kernel_shape=[7, 7], pads=[3] * 4, strides=[2, 2], what="7x7"),
        op("Conv", image, constants=[normal(2, 256, 64, 1, 1) * 0.1], kernel_shape=[1, 1], what="1x1"),
        op("Conv", normal(1, 1, 384, 14, 14), constants=[normal(2, 384, 1, 5, 5)], kernel_shape=[5, 5], pads=[2] * 4, group=384, what="depthwise 5x5"),
        op("Conv", normal(1, 1, 96, 56, 56), constants=[normal(2, 96, 1, 7, 7)], kernel_shape=[7, 7], pads=[3] * 4, group=96, what="depthwise 7x7"),
        op("Conv", normal(1, 1, 768, 7, 7), constants=[normal(2, 768, 1, 7, 7)], kernel_shape=[7, 7], pads=[3] * 4, group=768, what="depthwise 7x7"),
        op("Conv", normal(1, 1, 512, 200), constants=[normal(2, 512, 1, 31)], kernel_shape=[31], pads=[15, 15], group=512, what="depthwise 31"),
        op("Conv", normal(1, 1, 16, 16, 28, 28), constants=[normal(2, 32, 16, 3, 3, 3) * 0.05], kernel_shape=[3] * 3, pads=[1] * 6, what="3-D"),
        op("MaxPool", normal(1, 1, 32, 16, 28, 28), kernel_shape=[2] * 3, strides=[2] * 3, what="3-D"), op("LpPool", image, kernel_shape=[2, 2], strides=[2, 2]),
        op("ConvTranspose", normal(1, 1, 64, 28, 28), constants=[normal(2, 64, 32, 3, 3)], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, what="3x3"),
        op("ConvTranspose", normal(1, 1, 64, 28, 28), constants=[normal(2, 64, 32, 2, 2)], kernel_shape=[2, 2], strides=[2, 2], what="2x2"),
        op("ConvTranspose", normal(1, 1, 64, 28, 28), constants=[normal(2, 64, 32, 4, 4)], kernel_shape=[4, 4], strides=[2, 2], pads=[1] * 4, what="4x4"),
    ]


def products():
    return [
        op("MatMul", normal(1, *TOKENS), constants=[normal(2, 768, 768)], what="weight"),
        op("MatMul", normal(1, 1, 12, 128, 64), normal(2, 1, 12, 64, 128), what="heads"), op("Gemm", normal(1, 1, 2048), constants=[normal(2, 2048, 1000), normal(3, 1000)]),
        op("Einsum", normal(1, 1, 128, 12, 64), normal(2, 1, 128, 12, 64), equation="bqhd,bkhd->bhqk"),
        op("LSTM", normal(1, 32, 1, 256), constants=[normal(2, 1, 1024, 256) * 0.05, normal(3, 1, 1024, 256) * 0.05], hidden_size=256),
        op("RNN", normal(1, 32, 1, 256), constants=[normal(2, 1, 256, 256) * 0.05, normal(3, 1, 256, 256) * 0.05], hidden_size=256),
        op("LSTM", normal(1, 32, 8, 256), constants=[normal(2, 2, 1024, 256) * 0.05, normal(3, 2, 1024, 256) * 0.05], hidden_size=256,
           direction="bidirectional", what="both ways"),
        op("MatMul", normal(1, 128, 128, 1), normal(2, 128, 1, 128), what="outer"), op("Gemm", normal(1, 128, 768), constants=[normal(2, 3072, 768), normal(3, 3072)], transB=1),
        op("Einsum", normal(1, 8, 64, 64), normal(2, 8, 64, 64), equation="bij,bjk->bik", what="batch"),
        op("Einsum", normal(1, 128, 64), normal(2, 128, 64), equation="ij,ij->i", what="rows"),
        op("Attention", normal(1, 1, 12, 128, 64), normal(2, 1, 12, 128, 64), normal(3, 1, 12, 128, 64), opset=23),
        op("MatMulInteger", integers(256, 128, 768, kind=numpy.uint8), constants=[integers(127, 768, 768, kind=numpy.int8, low=-127)]),
        op("ConvInteger", integers(256, *IMAGE, kind=numpy.uint8), constants=[integers(127, 64, 64, 3, 3, kind=numpy.int8, low=-127)], kernel_shape=[3, 3], pads=[1] * 4),
        op("GRU", normal(1, 32, 1, 256), constants=[normal(2, 1, 768, 256) * 0.05, normal(3, 1, 768, 256) * 0.05], hidden_size=256),
    ]


def operators():
    """One case for each operator and shape."""
    return unary() + binary() + reductions() + movement() + quantised() + windows() + products()
