# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of networks: normalisations, activations, losses, recurrent and quantised ones (see operators.py)."""
import numpy

from builder import MS, Domain, numpy_type
from operators import F3, SOME, operator, pick_size
from operators_windows import window


# Normalisations. None is of one element only: what is left of it would be its rounding errors.

@operator("LpNormalization", ("float32", "float64"), SOME, domain=Domain(0.25, 4))
def lp_norm(b, kind, x):
    return b.node(kind, [x], x.shape, rounds=3, axis=b.between(-x.rank, x.rank - 1), p=b.between(1, 2))


@operator("MeanVarianceNormalization", ("float32",), range(3, 6), domain=Domain(), least=2, layouts=("rows", "transposed", "sliced", "reshaped"))
def mean_variance(b, kind, x):
    axes = {} if x.rank == 4 and b.chance(2) else {"axes": [0, *range(2, x.rank)]}
    return b.node(kind, [x], x.shape, rounds=5, scale=32, **axes)


@operator("GroupNormalization", F3, range(3, 6), least=2)
def group_norm(b, kind, x):
    channels = x.shape[1]
    groups = b.choose([count for count in (1, 2, 3, 4, 8, channels) if channels % count == 0])
    given = [b.random_constant(x.dtype, (channels,), Domain(0.5, 2)) for _ in range(2)]
    return b.node(kind, [x, *given], x.shape, rounds=4, scale=32, num_groups=groups, epsilon=0.125)


@operator("SimplifiedLayerNormalization", ("float32", "float64", "float16"), SOME, least=2)
def simplified_norm(b, kind, x):
    return b.node(kind, [x, b.random_constant(x.dtype, x.shape[-1:], Domain(0.5, 2))], x.shape, rounds=3, scale=16, axis=-1, epsilon=0.125)


def skipped(b, x):
    return b.operand(x.dtype, x.rank, b.choose(["rows", "constant", "transposed", "sliced"]), shape=x.shape)


@operator("SkipLayerNormalization SkipSimplifiedLayerNormalization", ("float32", "float16"), range(2, 4), least=2)
def skip_norm(b, kind, x):
    vectors = [b.random_constant(x.dtype, x.shape[-1:], Domain(0.5, 2)) for _ in range(b.between(1, 3))]
    if kind == "SkipSimplifiedLayerNormalization":
        vectors = vectors[:2]
    return b.node(kind, [x, skipped(b, x), *vectors], x.shape, rounds=4, scale=32, domain=MS, epsilon=0.125)


@operator("EmbedLayerNormalization", ("int32",), [2], exact=True, domain=Domain(0, 6))
def embed_norm(b, kind, words):
    hidden = b.choose([4, 8, 12])
    tables = [b.random_constant("float32", (rows, hidden)) for rows in (7, words.shape[1], 2)]
    vectors = [b.random_constant("float32", (hidden,), Domain(0.5, 2)) for _ in range(2)]
    segments = b.known(b.random.integers(0, 2, words.shape).astype(numpy.int32)) if b.chance(2) else None
    return b.node(kind, [words, segments, tables[0], tables[1], tables[2] if segments else None, *vectors], (*words.shape, hidden),
                  (words.shape[:1], "int32"), dtype="float32", rounds=4, scale=32, domain=MS, epsilon=0.125)[0]


# Activations of ONNX Runtime's own.

@operator("BiasGelu FastGelu QuickGelu", ("float32", "float16"), SOME, domain=Domain(-4, 4))
def fused_gelu(b, kind, x):
    if kind == "QuickGelu":
        return b.node(kind, [x], x.shape, rounds=3, scale=8, domain=MS, alpha=b.choose([1.0, 1.5]))
    bias = [b.random_constant(x.dtype, x.shape[-1:])] if kind == "BiasGelu" or b.chance(2) else []
    return b.node(kind, [x, *bias], x.shape, rounds=3, scale=8, domain=MS)


# Losses.

@operator("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", ("float32", "float64"), range(2, 5))
def loss(b, kind, x):
    batch, classes, *space = x.shape
    labels = b.random.integers(0, classes, (batch, *space))
    labels.reshape(-1)[0] = 0
    more = [b.random_constant(x.dtype, (classes,), Domain(0.5, 2))] if b.chance(2) else []
    attributes = {"reduction": b.choose(["none", "sum", "mean"])}
    if b.chance(2) and classes > 1 and labels.size > 1:
        labels.reshape(-1)[1] = attributes["ignore_index"] = classes - 1  # not all: a mean of nothing has no value
    shape = labels.shape if attributes["reduction"] == "none" else ()
    many = 1 if attributes["reduction"] == "none" else labels.size
    results = [shape, x.shape] if kind == "SoftmaxCrossEntropyLoss" and b.chance(2) else [shape]
    return b.node(kind, [x, b.known(labels), *more], *results, rounds=3, scale=2 * x.scale * many, **attributes)


# Recurrent.

def steps(b, rank):
    return b.choose([1, 2, 3, 6, b.rows]), b.choose([1, 2, 3]), b.choose([1, 2, 5, 8])


ACTIVATIONS = ("Sigmoid", "Tanh", "Relu", "Softsign", "HardSigmoid", "Softplus", "Elu")


@operator("LSTM GRU RNN", ("float32",), [3], shape=steps)
def recurrent(b, kind, x):
    time, batch, size = x.shape
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
    direction, hidden = b.choose(["forward", "reverse", "bidirectional"]), b.choose([1, 2, 4])
    ways = 1 + (direction == "bidirectional")
    small = Domain(-0.5, 0.5)
    weights = [b.random_constant(x.dtype, (ways, gates * hidden, inner), small) for inner in (size, hidden)]
    bias = b.random_constant(x.dtype, (ways, 2 * gates * hidden), small) if b.chance(2) else None
    lengths = b.known(b.random.integers(1, time + 1, batch).astype(numpy.int32)) if b.chance(3) else None
    states = [b.operand(x.dtype, 3, b.choose(["rows", "constant"]), shape=(ways, batch, hidden), domain=Domain(-1, 1))
              if b.chance(2) else None for _ in range(2 if kind == "LSTM" else 1)]
    attributes = {"linear_before_reset": b.between(0, 1)} if kind == "GRU" else {}
    if b.chance(4):
        attributes["clip"] = b.choose([0.25, 1.0])
    if b.chance(3):
        attributes["activations"] = [b.choose(ACTIVATIONS) for _ in range(ways * {"LSTM": 3, "GRU": 2, "RNN": 1}[kind])]
    peepholes = b.random_constant(x.dtype, (ways, 3 * hidden), small) if kind == "LSTM" and b.chance(3) else None
    shapes = [(time, ways, batch, hidden)] + [(ways, batch, hidden)] * (2 if kind == "LSTM" else 1)
    return b.node(kind, [x, *weights, bias, lengths, *states, peepholes], *shapes, rounds=5, scale=8, hidden_size=hidden, direction=direction,
                  **attributes)


# Quantised. Scales are powers of two, so that no quotient is a half that two divisions could round differently.

SCALES = (0.125, 0.25, 0.5)


def quantised_by(b, dtype, scale=None):
    return [b.constant(numpy.float32(scale or b.choose(SCALES))), b.integers(b.between(0, 3), dtype)]


@operator("DynamicQuantizeLinear", ("float32",), SOME, exact=True)
def dynamic_quantize(b, kind, x):
    return b.node(kind, [x], (x.shape, "uint8"), ((), "float32"), ((), "uint8"), exact=True, scale=256)


@operator("QLinearMatMul", ("uint8", "int8"), range(2, 5))
def quantised_matmul(b, kind, x):
    inner, columns = x.shape[-1], pick_size(b)
    y = b.operand(x.dtype, 2, b.choose(["rows", "constant"]), shape=(inner, columns))
    return b.node(kind, [x, *quantised_by(b, x.dtype), y, *quantised_by(b, x.dtype), *quantised_by(b, x.dtype, 2.0)],
                  (*x.shape[:-1], columns), scale=256)


@operator("QLinearConv", ("uint8", "int8"), [4])
def quantised_conv(b, kind, x):
    batch, channels, *space = x.shape
    group = channels if b.chance(3) else 1
    filters = group * b.choose([1, 2, 5])
    kernel, result, attributes = window(b, space)
    weights = b.random_constant(x.dtype, (filters, channels // group, *kernel))
    bias = [b.random_constant("int32", (filters,))] if b.chance(2) else []
    of = quantised_by(b, x.dtype)
    if b.chance(2):  # a scale for each filter
        of = [b.constant(b.random.choice(SCALES, filters).astype(numpy.float32)), b.integers([0] * filters, x.dtype)]
    return b.node(kind, [x, *quantised_by(b, x.dtype), weights, *of, *quantised_by(b, x.dtype, 2.0), *bias], (batch, filters, *result),
                  scale=256, group=group, **attributes)


# ONNX Runtime's own, between dequantisation and quantisation.

BYTES = ("uint8", "int8")
ODD = 0.28374651  # of results: multiples of SCALES are no halves of it, which ONNX Runtime rounds otherwise in some of its kernels


def like(b, x):
    return b.operand(x.dtype, x.rank, b.choose(["rows", "constant"]), shape=x.shape)


@operator("QLinearAdd QLinearMul", BYTES, SOME)
def quantised_pair(b, kind, x):
    return b.node(kind, [x, *quantised_by(b, x.dtype), like(b, x), *quantised_by(b, x.dtype), *quantised_by(b, x.dtype, ODD)], x.shape,
                  scale=256, domain=MS)


@operator("QLinearLeakyRelu", BYTES, SOME)
def quantised_leaky(b, kind, x):
    return b.node(kind, [x, *quantised_by(b, x.dtype), *quantised_by(b, x.dtype, ODD)], x.shape, scale=256, domain=MS, alpha=0.25)


@operator("QLinearConcat", BYTES, SOME)
def quantised_concat(b, kind, x):
    axis = b.between(0, x.rank - 1)
    shape = [2 * size if d == axis else size for d, size in enumerate(x.shape)]
    return b.node(kind, [*quantised_by(b, x.dtype, ODD), x, *quantised_by(b, x.dtype), like(b, x), *quantised_by(b, x.dtype)], shape, dtype=x.dtype,
                  scale=256, domain=MS, axis=axis)


@operator("QLinearWhere", BYTES, SOME)
def quantised_where(b, kind, x):
    chosen = b.known(b.random.integers(0, 2, x.shape).astype(bool))
    return b.node(kind, [chosen, x, *quantised_by(b, x.dtype), like(b, x), *quantised_by(b, x.dtype), *quantised_by(b, x.dtype, ODD)], x.shape,
                  dtype=x.dtype, scale=256, domain=MS)


@operator("QLinearAveragePool", BYTES, [4], least=2)
def quantised_pool(b, kind, x):
    return b.node(kind, [x, *quantised_by(b, x.dtype), *quantised_by(b, x.dtype, ODD)], (*x.shape[:2], *(size - 1 for size in x.shape[2:])),
                  scale=256, domain=MS, kernel_shape=[2, 2])


@operator("QGemm", BYTES, [2])
def quantised_gemm(b, kind, x):
    rows, inner = x.shape
    columns, turned = pick_size(b), b.between(0, 1)
    y = b.operand(x.dtype, 2, b.choose(["rows", "constant"]), shape=(columns, inner) if turned else (inner, columns))
    sums = b.random_constant("int32", (columns,)) if b.chance(2) else None
    return b.node(kind, [x, *quantised_by(b, x.dtype), y, *quantised_by(b, x.dtype), sums, *quantised_by(b, x.dtype, ODD)], (rows, columns),
                  scale=256, domain=MS, transB=turned)


@operator("MatMulIntegerToFloat", BYTES, range(2, 4))
def matmul_integer_to_float(b, kind, x):
    inner, columns = x.shape[-1], pick_size(b)
    y = b.operand(x.dtype, 2, b.choose(["rows", "constant"]), shape=(inner, columns))
    by, of = quantised_by(b, x.dtype), quantised_by(b, x.dtype)
    return b.node(kind, [x, y, by[0], of[0], by[1], of[1]], ((*x.shape[:-1], columns), "float32"), rounds=2, scale=2 ** 14 * inner, domain=MS)


@operator("DynamicQuantizeMatMul", ("float32",), range(2, 4), exact=True)
def dynamic_matmul(b, kind, x):
    inner, columns = x.shape[-1], pick_size(b)
    weights = b.operand("int8", 2, b.choose(["rows", "constant"]), shape=(inner, columns))
    return b.node(kind, [x, weights, *quantised_by(b, "int8")], (*x.shape[:-1], columns), rounds=3, scale=x.scale * 2 ** 7 * inner, domain=MS)


@operator("MatMulNBits", ("float32",), range(2, 5))
def matmul_n_bits(b, kind, x):
    inner, columns, block, bits = x.shape[-1], pick_size(b), 16, b.choose([4, 4, 8])
    blocks = -(-inner // block)
    packed = b.constant(b.random.integers(0, 256, (columns, blocks, block * bits // 8)).astype(numpy.uint8))
    scales = b.constant(b.random.choice(SCALES, (columns, blocks)).astype(numpy.float32))
    return b.node(kind, [x, packed, scales], (*x.shape[:-1], columns), rounds=3, scale=x.scale * inner * 2 ** bits / 4, domain=MS, K=inner,
                  N=columns, bits=bits, block_size=block)


@operator("DynamicQuantizeLSTM", ("float32",), [3], exact=True, shape=steps)
def quantised_lstm(b, kind, x):
    time, batch, size = x.shape
    hidden, dtype = b.choose([1, 2, 4]), b.choose(["int8", "uint8"])
    zero = 128 if dtype == "uint8" else 0
    whole = [b.constant((zero + b.random.integers(-100, 100, (1, inner, 4 * hidden))).astype(numpy_type(dtype))) for inner in (size, hidden)]
    by = [b.constant(numpy.float32([0.0040])), b.integers([zero], dtype)]
    bias = b.random_constant("float32", (1, 8 * hidden), Domain(-0.5, 0.5)) if b.chance(2) else None
    return b.node(kind, [x, *whole, bias, None, None, None, None, *by, *by], (time, 1, batch, hidden), (1, batch, hidden), (1, batch, hidden),
                  rounds=5, scale=8, domain=MS, hidden_size=hidden)
