# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators, shapes and element types that common models have less often, as cases of run.py: `run.py --table=operators`."""
import numpy
import onnx

from cases import Case, normal
from operators import HEADS, IMAGE, INT64, NONE, TOKENS, axes, boxes, integers, op

FLOAT16, INT32, UINT8, BOOL, DOUBLE = (getattr(onnx.TensorProto, name) for name in ("FLOAT16", "INT32", "UINT8", "BOOL", "DOUBLE"))
HALF = numpy.float16


def unary():
    x = normal(1, *TOKENS)
    inside, above = numpy.tanh(x) * 0.99, numpy.abs(x) + 1
    return [
        *(op(kind, inside) for kind in ("Asin", "Acos", "Atanh")), *(op(kind, x) for kind in ("Atan", "Tan", "Sinh", "Cosh", "Asinh", "Celu", "Shrink", "ThresholdedRelu", "IsInf")),
        op("Acosh", above), op("Gelu", x, approximate="tanh", what="tanh"), op("Relu", normal(1, 16), what="tiny"),
    ]


def binary():
    x, y, z = normal(1, *TOKENS), normal(2, *TOKENS), normal(3, *TOKENS)
    image, mask = normal(1, *IMAGE), normal(4, 1, 1, 128, 128) > 0
    words, other = integers(99, 1, 65536, kind=numpy.int32), integers(9, 1, 65536, kind=numpy.int32)
    return [
        *(op(kind, x, y) for kind in ("Less", "LessOrEqual", "GreaterOrEqual", "Min")), op("Or", x > 0, y > 0), op("Xor", x > 0, y > 0),
        op("Sum", x, y, z), op("Mean", x, y, z), op("Max", x, y, z, what="of three"), op("BitwiseAnd", words, other),
        op("BitShift", integers(99, 1, 65536, kind=numpy.uint32), integers(9, 1, 65536, kind=numpy.uint32), direction="LEFT"),
        op("Add", normal(1, 1, 128, 1), normal(2, 1, 1, 768), what="outer"), op("Mul", x, normal(2, 1, 128, 1), what="column"), op("Div", x, constants=[numpy.float32(8)], what="scalar"),
        op("Add", normal(1, *HEADS), normal(2, 1, 1, 1, 128), what="mask of keys"), op("Mul", normal(2, 1, 64, 1, 1), image, what="channel first"),
        op("Where", mask, normal(1, *HEADS), constants=[numpy.float32(-1e9)], what="mask of heads"), op("Where", x > 0, constants=[numpy.float32(1), numpy.float32(0)], what="scalars"),
        op("Pow", numpy.abs(x), constants=[numpy.float32(0.5)], what="root"), op("Pow", x, constants=[numpy.float32(3)], what="cube"),
        op("Mod", x, numpy.abs(y) + 1, fmod=1, what="floats"),
    ]


def typed():
    x, y = normal(1, *TOKENS), normal(2, *TOKENS)
    whole, other = integers(99, 1, 65536), integers(9, 1, 65536, low=1)
    words, bytes_ = integers(99, 1, 65536, kind=numpy.int32), integers(256, *TOKENS, kind=numpy.uint8)
    cast = {"f16 to f32": (x.astype(HALF), onnx.TensorProto.FLOAT), "i64 to f32": (whole, onnx.TensorProto.FLOAT), "i32 to f32": (words, onnx.TensorProto.FLOAT),
            "to i32": (x, INT32), "to u8": (x * 20 + 128, UINT8), "to bool": (x, BOOL), "bool to f32": (x > 0, onnx.TensorProto.FLOAT), "i64 to i32": (whole, INT32),
            "i32 to i64": (words, INT64), "to f64": (x, DOUBLE), "bool to i64": (x > 0, INT64)}
    return [
        *(op("Cast", value, to=to, what=what) for what, (value, to) in cast.items()),
        *(op(kind, x.astype(HALF), y.astype(HALF), what="f16") for kind in ("Add", "Mul")), *(op(kind, x.astype(HALF), what="f16") for kind in ("Sigmoid", "Relu")),
        op("LayerNormalization", x.astype(HALF), constants=[normal(2, 768).astype(HALF), normal(3, 768).astype(HALF)], axis=-1, what="f16"),
        op("Softmax", x.astype(HALF), axis=-1, what="f16"),
        *(op(kind, whole, other, what="i64") for kind in ("Sub", "Mul", "Max", "Less")), *(op(kind, words, integers(9, 1, 65536, kind=numpy.int32, low=1), what="i32") for kind in ("Add", "Mul", "Div")),
        op("ReduceSum", integers(99, 128, 512), constants=[axes(-1)], what="i64"), op("ReduceMax", integers(99, 128, 512), constants=[axes(-1)], what="i64"),
        op("Where", whole > 50, whole, other, what="i64"), op("CumSum", integers(2, 1, 512), constants=[numpy.int64(1)], what="i64"), op("Abs", whole - 50, what="i64"),
        op("Clip", whole, constants=[numpy.int64(5), numpy.int64(60)], what="i64"), op("Add", x.astype(float), y.astype(float), what="f64"), op("Exp", x.astype(float), what="f64"),
        op("Transpose", integers(256, 1, 224, 224, 3, kind=numpy.uint8), perm=[0, 3, 1, 2], what="u8 channels first"), op("Concat", bytes_, bytes_, axis=-1, what="u8"),
        op("MaxPool", integers(256, *IMAGE, kind=numpy.uint8), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, what="u8"),
    ]


def reductions():
    x, image, deep = normal(1, *TOKENS), normal(1, *IMAGE), normal(1, 1, 256, 32, 32)
    return [
        op("ArgMin", x, axis=-1), op("ArgMax", x, axis=1, what="middle"), op("Hardmax", x), op("GlobalMaxPool", image),
        *(op(kind, x, constants=[axes(-1)], what="last") for kind in ("ReduceL1", "ReduceSumSquare")), op("ReduceLogSum", numpy.abs(x) + 1, constants=[axes(-1)], what="last"),
        op("ReduceMean", image, constants=[axes(0, 2, 3)], what="all but channels"), op("ReduceSum", normal(1, 8, 16, 768), constants=[axes(0, 1)], what="leading"),
        op("ReduceMax", image, constants=[axes(1)], what="channels"), op("ReduceMean", image, constants=[axes(1)], what="channels"), op("ReduceSum", normal(1, 100000), what="vector"),
        op("ReduceMean", normal(1, 1, 56, 56, 64), constants=[axes(1, 2)], what="spatial, channels last"), op("ReduceMax", normal(1, 768, 5), constants=[axes(-1)], what="of few"),
        op("ReduceMin", x, what="all"), op("ReduceSum", normal(1, 64, 3, 512), constants=[axes(1)], what="middle of few"), op("ReduceL2", normal(1, 128, 768), constants=[axes(0)], what="first"),
        op("LayerNormalization", normal(1, 8, 32, 14, 14), constants=[normal(2, 32, 14, 14), normal(3, 32, 14, 14)], axis=1, what="three axes"),
        op("LayerNormalization", normal(1, 4096, 64), constants=[normal(2, 64), normal(3, 64)], axis=-1, what="of few"),
        op("LayerNormalization", normal(1, 1, 768), constants=[normal(2, 768), normal(3, 768)], axis=-1, what="row"),
        op("GroupNormalization", deep, constants=[normal(2, 32), normal(3, 32)], num_groups=32, what="32 groups"), op("InstanceNormalization", normal(1, 1, 3, 224, 224), constants=[normal(2, 3), normal(3, 3)]),
        op("BatchNormalization", normal(1, 1, 512, 7, 7), constants=[normal(2, 512), normal(3, 512), normal(4, 512), numpy.abs(normal(5, 512))]),
        op("BatchNormalization", normal(1, 32, 256), constants=[normal(2, 256), normal(3, 256), normal(4, 256), numpy.abs(normal(5, 256))], what="rows"),
        op("LpNormalization", x, axis=1, what="middle"), op("LRN", normal(1, 1, 96, 27, 27), size=5, what="AlexNet"),
        op("Softmax", normal(1, 1, 1000), axis=-1, what="classes"), op("Softmax", normal(1, 1, 12, 1, 512), axis=-1, what="one query"), op("Softmax", normal(1, 4096, 10), axis=-1, what="of ten"),
        op("Softmax", normal(1, 1, 16, 8400, 4), axis=1, what="distances"), op("Softmax", normal(1, 1, 8, 49, 49), axis=-1, what="windows"), op("LogSoftmax", normal(1, 128, 1000), axis=-1),
        op("Softmax", normal(1, 1, 12, 197, 197), axis=-1, what="odd"), op("Softmax", normal(1, 1, 2048, 2048), axis=-1, what="long"),
        op("CumSum", normal(1, 512, 96), constants=[numpy.int64(0)], what="first"), op("CumProd", x, constants=[numpy.int64(-1)], opset=26),
        op("TopK", normal(1, 128, 1000), constants=[axes(5)], what="rows"), op("TopK", normal(1, 1, 8400), constants=[axes(300)], what="300 of"), op("TopK", normal(1, 64, 1000), constants=[axes(3)], axis=0, what="first"),
    ]


def movement():
    x, image = normal(1, *TOKENS), normal(1, *IMAGE)
    turned = {(0, 3, 1, 2): (1, 56, 56, 64), (0, 1, 3, 2): (1, 12, 128, 64), (0, 2, 3, 1): (1, 12, 128, 64), (3, 0, 1, 2): (8, 16, 16, 64), (1, 0, 2, 3): (8, 16, 16, 64), (2, 1, 0): (128, 8, 768),
              (0, 4, 1, 2, 3): (1, 16, 14, 14, 32), (0, 2, 1, 3, 4): (1, 2, 58, 28, 28), (0, 3, 1, 4, 2, 5): (1, 8, 4, 4, 8, 64)}
    return [
        *(op("Transpose", normal(1, *shape), perm=list(perm), what=" ".join(map(str, perm))) for perm, shape in turned.items()),
        op("Concat", *(normal(n, 1, 32, 28, 28) for n in range(4)), axis=1, what="of four"), op("Concat", normal(1, 1, 80, 8400), normal(2, 1, 4, 8400), axis=1, what="boxes"),
        op("Concat", normal(1, 1, 12, 127, 64), normal(2, 1, 12, 1, 64), axis=2, what="cache"), op("Concat", *(normal(n, 8400, 1) for n in range(4)), axis=1, what="columns"),
        op("Slice", normal(1, 1, 8400, 85), constants=[axes(4), axes(5), axes(2)], what="column"), op("Slice", x, constants=[axes(-1), axes(-1000), axes(1), axes(-1)], what="backwards"),
        op("Slice", normal(1, 1, 12, 128, 64), constants=[axes(32), axes(64), axes(3)], what="half"), op("Slice", image, constants=[axes(1, 1), axes(55, 55), axes(2, 3)], what="crop"),
        op("Expand", normal(1, 1, 64, 1, 1), constants=[axes(*IMAGE)], what="channels"), op("Expand", normal(1, 1, 8, 1, 128, 64), constants=[axes(1, 8, 4, 128, 64)], what="heads"),
        op("Tile", normal(1, 1, 56, 56), constants=[axes(64, 1, 1)], what="leading"), op("Tile", normal(1, 128, 1), constants=[axes(1, 768)], what="column"),
        op("Pad", image, constants=[axes(0, 0, 1, 1, 0, 0, 1, 1)], mode="edge", what="edge"), op("Pad", normal(1, 1, 16000), constants=[axes(0, 200, 0, 200)], mode="reflect", what="signal"),
        op("Pad", normal(1, 1, 3, 200, 300), constants=[axes(0, 0, 0, 0, 0, 0, 24, 20)], what="to a multiple"), op("Pad", x, constants=[axes(0, 1, 0, 0, 0, 0)], what="row"),
        op("Gather", image, constants=[integers(64, 32)], axis=1, what="channels"), op("Gather", x, constants=[numpy.int64(0)], axis=1, what="first row"), op("Gather", normal(1, 1000), constants=[integers(1000, 128, 128)], what="table"),
        op("Gather", normal(1, 225, 12), constants=[integers(225, 2401)], what="bias table"), op("GatherND", x, constants=[integers(128, 1, 64, 1)], batch_dims=1, what="batch"),
        op("GatherElements", x, integers(128, 1, 64, 768), axis=1, what="rows"), op("ScatterElements", x, integers(128, 1, 64, 768), normal(2, 1, 64, 768), axis=1, what="rows"),
        op("ScatterND", normal(1, 128, 768), integers(128, 64, 1), normal(2, 64, 768), reduction="add", what="add"),
        op("OneHot", integers(21, 1, 64, 64), constants=[numpy.int64(21), numpy.array([0, 1], numpy.float32)], axis=1, what="classes"),
        op("Trilu", normal(1, *HEADS), upper=0, what="lower"), op("NonZero", normal(1, 10000) > 1, what="vector"), op("Compress", x, constants=[integers(2, 98304).astype(bool)], what="flat"),
        op("Resize", normal(1, 1, 256, 14, 14), constants=[NONE, numpy.array([1, 1, 2, 2], numpy.float32)], mode="nearest", what="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        op("Resize", normal(1, 1, 21, 65, 65), constants=[NONE, NONE, axes(1, 21, 513, 513)], mode="linear", what="segmentation"),
        op("Resize", normal(1, 1, 3, 480, 640), constants=[NONE, NONE, axes(1, 3, 640, 640)], mode="nearest", what="nearest letterbox"),
        op("Resize", normal(1, 1, 3, 224, 224), constants=[NONE, NONE, axes(1, 3, 112, 112)], mode="linear", antialias=1, what="antialias"),
        op("Resize", normal(1, 1, 1, 80, 100), constants=[NONE, NONE, axes(1, 1, 80, 300)], mode="linear", what="time"),
        op("MaxRoiPool", normal(1, 1, 256, 50, 68), numpy.concatenate([numpy.zeros((100, 1), numpy.float32), boxes(100, 200)], 1), pooled_shape=[7, 7], spatial_scale=0.25),
        op("RoiAlign", normal(1, 1, 256, 50, 68), boxes(100, 200), constants=[numpy.zeros(100, numpy.int64)], output_height=7, output_width=7, spatial_scale=0.25, what="adaptive"),
        op("GridSample", normal(1, 4, 32, 32, 32), normal(2, 4, 32, 32, 2) / 2, what="bilinear border", padding_mode="border"),
        op("DepthToSpace", normal(1, 1, 48, 64, 64), blocksize=4, mode="CRD", what="CRD"), op("ReverseSequence", normal(1, 8, 128, 96), constants=[integers(128, 8, low=1)], batch_axis=0, time_axis=1, what="batch first"),
        op("Unique", integers(50, 1000), outputs=4, what="all results"), op("TopK", integers(9999, 1, 10000), constants=[axes(10)], what="i64"),
    ]


def windows():
    image = normal(1, *IMAGE)
    return [
        op("DeformConv", normal(1, 1, 64, 28, 28), constants=[normal(2, 64, 64, 3, 3) * 0.05, normal(3, 1, 18, 28, 28)], kernel_shape=[3, 3], pads=[1] * 4),
        op("ConvTranspose", normal(1, 1, 256, 16, 16), constants=[normal(2, 256, 128, 4, 4) * 0.05], kernel_shape=[4, 4], strides=[2, 2], pads=[1] * 4, what="4x4"),
        op("ConvTranspose", normal(1, 1, 128, 200), constants=[normal(2, 128, 64, 16) * 0.05], kernel_shape=[16], strides=[8], pads=[4, 4], what="1-D"),
        op("ConvTranspose", normal(1, 1, 64, 28, 28), constants=[normal(2, 64, 1, 4, 4)], kernel_shape=[4, 4], strides=[2, 2], pads=[1] * 4, group=64, what="depthwise"),
        op("ConvTranspose", normal(1, 1, 16, 8, 14, 14), constants=[normal(2, 16, 8, 2, 2, 2)], kernel_shape=[2] * 3, strides=[2] * 3, what="3-D"),
        op("MaxUnpool", normal(1, 1, 64, 28, 28), constants=[numpy.arange(64 * 56 * 56).reshape(1, 64, 28, 2, 28, 2)[:, :, :, 0, :, 0]], kernel_shape=[2, 2], strides=[2, 2]),
        op("Col2Im", normal(1, 1, 64 * 9, 784), constants=[axes(28, 28), axes(3, 3)], pads=[1] * 4), op("MaxPool", image, kernel_shape=[2, 2], strides=[2, 2], outputs=2, what="with places"),
        op("MaxPool", normal(1, 1, 64, 3000), kernel_shape=[3], strides=[2], pads=[1, 1], what="1-D"), op("AveragePool", image, kernel_shape=[3, 3], pads=[1] * 4, what="3x3"),
        op("AveragePool", image, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, ceil_mode=1, what="ceiling"), op("MaxPool", normal(1, 1, 64, 112, 112), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
        op("GlobalAveragePool", normal(1, 1, 2048, 7, 7)), op("GlobalLpPool", image),
    ]


def products():
    heads = normal(1, 1, 12, 196, 64)
    return [
        op("QLinearMatMul", integers(256, 128, 768, kind=numpy.uint8), constants=[numpy.float32(0.02), numpy.uint8(128), integers(127, 768, 768, kind=numpy.int8, low=-127), numpy.float32(0.01), numpy.int8(0), numpy.float32(0.1), numpy.uint8(128)]),
        op("QuantizeLinear", normal(1, *IMAGE), constants=[numpy.abs(normal(2, 64)) + 0.1, numpy.zeros(64, numpy.int8)], axis=1, what="channels"),
        op("DequantizeLinear", integers(127, 768, 768, kind=numpy.int8), constants=[numpy.abs(normal(2, 768)) + 0.1], axis=0, what="rows"),
        op("Einsum", heads.reshape(12, 14, 14, 64), normal(2, 14, 14, 64), equation="bhwc,hkc->bhwk", what="relative places"),
        op("Einsum", normal(1, 1, 64, 300, 25), constants=[normal(2, 3, 25, 25)], equation="nctv,kvw->nctw", what="graph"), op("Einsum", normal(1, 256, 256), equation="ij->ji", what="transpose"),
        op("Einsum", normal(1, 32, 64), normal(2, 32, 64), equation="bi,bj->bij", what="outer"),
        op("DFT", normal(1, 1, 512, 2), constants=[], what="512"), op("DFT", normal(1, 100, 400, 1), onesided=1, axis=1, what="real", opset=17),
        op("STFT", normal(1, 1, 16000, 1), constants=[numpy.int64(160), numpy.hanning(400).astype(numpy.float32)], onesided=1),
        op("Det", normal(1, 64, 4, 4)), op("GRU", normal(1, 32, 8, 256), constants=[normal(2, 2, 768, 256) * 0.05, normal(3, 2, 768, 256) * 0.05], hidden_size=256, direction="bidirectional", what="both ways"),
        op("RotaryEmbedding", heads, constants=[normal(2, 1, 196, 32), normal(3, 1, 196, 32)], opset=23), op("RandomNormalLike", normal(1, *TOKENS)), op("RandomUniformLike", normal(1, *TOKENS)), op("Bernoulli", numpy.abs(numpy.tanh(normal(1, *TOKENS)))),
        op("Multinomial", normal(1, 4, 1000), sample_size=10), op("HannWindow", numpy.array(400)), op("MelWeightMatrix", numpy.array(80), constants=[numpy.int64(400), numpy.int64(16000), numpy.float32(0), numpy.float32(8000)]),
        op("SoftmaxCrossEntropyLoss", normal(1, 128, 1000), integers(1000, 128)), op("NegativeLogLikelihoodLoss", normal(1, 128, 1000), integers(1000, 128)),
    ]


def contrib(kind, *inputs, what="", result=onnx.TensorProto.FLOAT, **attributes):
    """An operator of ONNX Runtime's own; a list holds a constant, None is an operand left out."""
    feed = {f"x{i}": value for i, value in enumerate(inputs) if isinstance(value, numpy.ndarray)}
    constants = [onnx.numpy_helper.from_array(numpy.asarray(value[0]), f"x{i}") for i, value in enumerate(inputs) if isinstance(value, list)]

    def model():
        helper = onnx.helper
        names = ["" if value is None else f"x{i}" for i, value in enumerate(inputs)]
        node = helper.make_node(kind, names, ["y"], name=kind, domain="com.microsoft", **attributes)
        values = [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for key, value in feed.items()]
        graph = helper.make_graph([node], kind, values, [helper.make_tensor_value_info("y", result, None)], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)], ir_version=9)

    sizes = "x".join(map(str, next(iter(feed.values())).shape))
    return Case(" ".join(filter(None, (kind, what, sizes))), model, feed)


def own():
    """What ONNX Runtime's optimiser and quantiser leave of BERT and image networks."""
    x, y, row = normal(1, 1, 128, 768), normal(2, 1, 128, 768), [normal(3, 768)]
    image, other = (integers(256, *IMAGE, kind=numpy.uint8, low=low) for low in (0, 5))
    wide = integers(256, 1, 2048, 7, 7, kind=numpy.uint8)
    step = [[numpy.float32(scale)] for scale in (0.02, 0.03, 0.04)]
    zero, weights = [numpy.uint8(128)], [integers(127, 768, 768, kind=numpy.int8, low=-127)]
    by, eight = (step[1], [numpy.int8(0)]), dict(result=UINT8)
    return [
        contrib("Attention", x, [normal(4, 768, 2304) * 0.05], [normal(5, 2304)], num_heads=12), contrib("MultiHeadAttention", x, y, y, num_heads=12),
        contrib("SkipLayerNormalization", x, y, row, row), contrib("SkipSimplifiedLayerNormalization", x, y, row), contrib("BiasGelu", x, row),
        contrib("FastGelu", x), contrib("QuickGelu", x), contrib("Gelu", x, what="own"), contrib("FusedMatMul", x, normal(4, 1, 768, 128), alpha=0.5),
        contrib("QLinearAdd", image, step[0], zero, other, step[1], zero, step[2], zero, **eight),
        contrib("QLinearMul", image, step[0], zero, other, step[1], zero, step[2], zero, **eight),
        contrib("QLinearSigmoid", image, step[0], zero, [numpy.float32(1 / 256)], [numpy.uint8(0)], **eight),
        contrib("QLinearLeakyRelu", image, step[0], zero, step[1], zero, alpha=0.1, **eight),
        contrib("QLinearConcat", step[0], zero, image, step[1], zero, other, step[2], zero, axis=1, **eight),
        contrib("QLinearAveragePool", image, step[0], zero, step[1], zero, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, **eight),
        contrib("QLinearGlobalAveragePool", wide, step[0], zero, step[1], zero, **eight),
        contrib("QLinearSoftmax", integers(256, 128, 1000, kind=numpy.uint8), step[0], zero, [numpy.float32(1 / 256)], [numpy.uint8(0)], axis=1, opset=13, **eight),
        contrib("QGemm", integers(256, 1, 768, kind=numpy.uint8), step[0], zero, weights, *by, [integers(999, 768, kind=numpy.int32)], step[2], zero, **eight),
        contrib("MatMulIntegerToFloat", integers(256, 128, 768, kind=numpy.uint8), weights, step[0], by[0], zero, by[1]),
        contrib("DynamicQuantizeMatMul", x, weights, *by),
    ]


def rarer_operators():
    return unary() + binary() + typed() + reductions() + movement() + windows() + products() + own()
