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


def node_model(kind, feed, constants, attributes):
    """A graph of one node with all outputs that the operator always has; their types are inferred."""
    helper = onnx.helper
    values = [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for key, value in feed.items()]
    initializers = [onnx.numpy_helper.from_array(numpy.asarray(value), f"constant_{i}") for i, value in enumerate(constants)]
    outputs = [f"y{i}" for i in range(max(1, onnx.defs.get_schema(kind, OPSET).min_output))]
    names = [*feed, *(tensor.name for tensor in initializers)]
    node = helper.make_node(kind, names, outputs, name=kind, **attributes)
    graph = helper.make_graph([node], kind, values, [helper.make_empty_tensor_value_info(name) for name in outputs], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def op(kind, *operands, constants=(), what="", **attributes):
    """A case of one node. `operands`: arrays, the call's arguments; then `constants`."""
    feed = {f"x{i}": value for i, value in enumerate(operands)}
    sizes = "x".join(map(str, operands[0].shape)) or "scalar"
    return Case(" ".join(filter(None, (kind, what, sizes))), lambda: node_model(kind, feed, constants, attributes), feed)


def axes(*values):
    return numpy.array(values, numpy.int64)


def unary():
    x = normal(1, *TOKENS)
    kinds = ("Relu", "Sigmoid", "Tanh", "Erf", "Exp", "Sqrt", "Gelu", "Softplus", "HardSwish", "Elu", "LeakyRelu", "Sin", "Abs", "Neg")
    cases = [op(kind, numpy.abs(x) if kind == "Sqrt" else x) for kind in kinds]
    return cases + [op("Log", numpy.abs(x) + 1), op("Clip", x, constants=[numpy.float32(0), numpy.float32(6)]),
                    op("Round", x), op("Reciprocal", x + 8)]


def binary():
    x, y, row = normal(1, *TOKENS), normal(2, *TOKENS), normal(3, 768)
    return [
        *(op(kind, x, y) for kind in ("Add", "Mul", "Sub", "Max")), op("Div", x, numpy.abs(y) + 1), op("Pow", numpy.abs(x), constants=[numpy.float32(2)]),
        op("Add", x, row, what="row"), op("Mul", normal(1, *IMAGE), normal(2, 1, 64, 1, 1), what="channel"),
        op("Equal", integers(9, 1, 65536), integers(9, 1, 65536)), op("Greater", x, y),
        op("Where", x > 0, x, y), op("Add", integers(99, 1, 65536), integers(99, 1, 65536), what="i64"),
    ]


def reductions():
    x, image = normal(1, *TOKENS), normal(1, *IMAGE)
    return [
        op("ReduceMean", x, constants=[axes(-1)], what="last"), op("ReduceSum", x, constants=[axes(1)], what="middle"),
        op("ReduceMax", image, constants=[axes(2, 3)], what="spatial"), op("ReduceL2", x, constants=[axes(-1)], what="last"),
        op("ArgMax", x, axis=-1), op("ArgMax", normal(1, 1, 32000), axis=-1),
        op("CumSum", x, constants=[numpy.int64(1)], what="middle"), op("CumSum", x, constants=[numpy.int64(-1)], what="last"),
        op("Softmax", normal(1, *HEADS), axis=-1), op("Softmax", image, axis=1, what="channels"), op("LogSoftmax", normal(1, 1, 32000), axis=-1),
        op("LayerNormalization", x, constants=[normal(2, 768), normal(3, 768)], axis=-1),
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
        op("GridSample", image, normal(2, 1, 56, 56, 2), what="bilinear"),
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
        op("ConvTranspose", normal(1, 1, 64, 28, 28), constants=[normal(2, 64, 32, 2, 2)], kernel_shape=[2, 2], strides=[2, 2], what="2x2"),
        op("ConvTranspose", normal(1, 1, 64, 28, 28), constants=[normal(2, 64, 32, 4, 4)], kernel_shape=[4, 4], strides=[2, 2], pads=[1] * 4, what="4x4"),
    ]


def products():
    return [
        op("MatMul", normal(1, *TOKENS), constants=[normal(2, 768, 768)], what="weight"),
        op("MatMul", normal(1, 1, 12, 128, 64), normal(2, 1, 12, 64, 128), what="heads"), op("Gemm", normal(1, 1, 2048), constants=[normal(2, 2048, 1000), normal(3, 1000)]),
        op("Einsum", normal(1, 1, 128, 12, 64), normal(2, 1, 128, 12, 64), equation="bqhd,bkhd->bhqk"),
        op("LSTM", normal(1, 32, 1, 256), constants=[normal(2, 1, 1024, 256) * 0.05, normal(3, 1, 1024, 256) * 0.05], hidden_size=256),
        op("GRU", normal(1, 32, 1, 256), constants=[normal(2, 1, 768, 256) * 0.05, normal(3, 1, 768, 256) * 0.05], hidden_size=256),
    ]


def operators():
    """One case for each operator and shape."""
    return unary() + binary() + reductions() + movement() + quantised() + windows() + products()
