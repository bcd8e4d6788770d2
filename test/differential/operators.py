# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of the differential fuzzer: for each, the types and ranks of its main operand, and how a node of it is made.

    @operator("Relu LeakyRelu", FLOATS, ranks=range(0, 6))
    def activation(b, kind, x): …

`x` is the operand that coverage counts: each combination of operator, its type, its rank and its layout (builder.py) is a
*cell*. What the function needs besides it makes or picks itself. `exact=True`: x is an exact value; `domain`: its range;
`least`: its smallest dimension; `shape(b, rank)`: its shape, where not every one will do.
"""
import collections

import numpy

from builder import ALL, FLOATS, INTEGERS, NUMBERS, SIGNED, UNSIGNED, Domain, layouts_of, proto_type

Operator = collections.namedtuple("Operator", "kind dtypes ranks make exact domain least layouts shape")
OPERATORS = {}
F3 = ("float32", "float64", "float16")
ANY = range(0, 6)
SOME = range(1, 5)

# Operators of docs/operators.md that have no entry here, with the reason.
LEFT_OUT = {
    "Upsample": "deprecated before the operator set of the models", "Scatter": "deprecated before the operator set of the models",
    **{f"QLinear{kind}": "two ways may round a quotient to neighbouring steps: test/onnx_ops has some that they do not"
       for kind in ("Sigmoid", "Softmax", "GlobalAveragePool")},
    "FusedConv": "Conv and an activation by their own lowerings", "FusedGemm": "Gemm and an activation by their own lowerings",
    **{kind: "a list or a choice while importing, which computes nothing: test/onnx_ops/sequence_cases.py"
       for kind in ("ConcatFromSequence Optional OptionalGetElement OptionalHasElement SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceMap "
                    "SequenceInsert SequenceLength SplitToSequence").split()},
    **{kind: "quantised operands of its own layout: test/onnx_ops/test_contrib.py" for kind in ("GatherBlockQuantized", "QAttention")},
    "Erfc": "no operator of ONNX: test/onnx_ops/test_contrib.py",
    **{kind: "of the domain heddle, which PyTorch's graphs are written in: test/onnx_ops/test_heddle_domain.py"
       for kind in ("Atan2 BesselI1e Cholesky CumulativeExtreme Digamma ErfInv Expm1 FormQ Gcd Igamma Igammac Lgamma Log1p Lu NextAfter OrthogonalPolynomial "
                    "Permutation Polygamma Qr Svd SymmetricEigen TriangularSolve Zeta").split()},
    "Constant": "every `constant` operand is one after import", "Dropout": "random but for inference, where it is Identity",
}


def operator(kinds, dtypes, ranks=SOME, exact=False, domain=None, least=1, layouts=None, shape=None):
    def register(make):
        for kind in kinds.split():
            OPERATORS[kind] = Operator(kind, tuple(dtypes), tuple(ranks), make, exact, domain, least, layouts, shape)
        return make
    return register


def cells():
    """All (operator, type, rank, layout) there are."""
    return [(op.kind, dtype, rank, layout) for op in OPERATORS.values() for dtype in op.dtypes for rank in op.ranks
            for layout in (op.layouts or layouts_of(rank)) if layout in layouts_of(rank)]


def add(b, cell):
    """Adds a node that covers the cell, and publishes its result."""
    kind, dtype, rank, layout = cell
    op = OPERATORS[kind]
    x = b.operand(dtype, rank, layout, op.exact, op.domain, op.least, op.shape and op.shape(b, rank))
    results = op.make(b, kind, x)
    for value in results if isinstance(results, list) else [results]:
        b.publish(value)


def rounds(x, floats=1):
    return floats if x.dtype in FLOATS else 0


# Elementwise, one operand.

@operator("Abs Neg", FLOATS + SIGNED, ANY)
@operator("Identity", ALL, ANY)
@operator("Relu", FLOATS + ("int8", "int32"), ANY)
def unary_exact(b, kind, x):
    return b.node(kind, [x], x.shape)


@operator("Sign", NUMBERS, ANY, exact=True)
@operator("Ceil Floor Round", FLOATS, ANY, exact=True)
@operator("Not", ("bool",), ANY)
@operator("BitwiseNot", INTEGERS, ANY)
def unary_step(b, kind, x):
    return b.node(kind, [x], x.shape, exact=True, scale=256 if kind == "BitwiseNot" else 0)


@operator("IsNaN IsInf", F3, ANY)
def is_special(b, kind, x):
    return b.node(kind, [x], x.shape, dtype="bool", exact=True)


@operator("Cos Sin Tanh Sigmoid Softsign Erf HardSigmoid HardSwish Elu Selu Celu Softplus LeakyRelu Gelu Mish Swish Exp Atan "
          "Asinh ThresholdedRelu Shrink", F3, ANY, domain=Domain(-4, 4))
@operator("Sinh Cosh", F3, ANY, domain=Domain(-2, 2))
@operator("Tan", F3, ANY, domain=Domain(-1.2, 1.2))
@operator("Sqrt Log Reciprocal", F3, ANY, domain=Domain(0.25, 4))
@operator("Asin Acos Atanh", F3, ANY, domain=Domain(-0.9, 0.9))
@operator("Acosh", F3, ANY, domain=Domain(1.25, 6))
def unary_float(b, kind, x):
    attributes = {}
    if kind in ("LeakyRelu", "Elu", "Celu", "ThresholdedRelu") and b.chance(2):
        attributes["alpha"] = float(b.choose([0.25, 0.5, 1.5]))
    if kind == "Gelu" and b.chance(2):
        attributes["approximate"] = "tanh"
    if kind == "Shrink":
        attributes.update(lambd=1.03, bias=b.choose([0.0, 0.5]))  # lambd is no value of an argument
    return b.node(kind, [x], x.shape, rounds=1, scale=60 if kind == "Exp" else 8, **attributes)


# Elementwise, several operands.

def partner(b, x, domain=None, exact=False):
    """An operand that broadcasts to x, or to which x broadcasts in one dimension."""
    shape = list(x.shape)
    for axis in range(len(shape)):
        if b.chance(4):
            shape[axis] = 1
    while shape and b.chance(4):
        del shape[0]
    layout = b.choose(["rows", "rows", "constant"] + [l for l in layouts_of(len(shape)) if l != "tiled"])
    return b.operand(x.dtype, len(shape), layout, exact, domain, shape=tuple(shape))


def pair(b, x, y):
    return [x, y] if b.chance(2) else [y, x]


@operator("Add Sub", NUMBERS, ANY)
def sum_of_two(b, kind, x):
    y = partner(b, x)
    return b.node(kind, pair(b, x, y), x.shape, rounds=rounds(x), scale=x.scale + y.scale)


@operator("Mul", NUMBERS, ANY)
def product(b, kind, x):
    y = partner(b, x)
    return b.node(kind, pair(b, x, y), x.shape, rounds=rounds(x), scale=x.scale * y.scale)


@operator("Div", NUMBERS, ANY)
def quotient(b, kind, x):
    y = partner(b, x, Domain(1, 4))
    return b.node(kind, [x, y], x.shape, rounds=rounds(x), scale=x.scale)


@operator("Mod", F3 + INTEGERS, ANY, exact=True)
def remainder(b, kind, x):
    fmod = int(x.dtype in FLOATS or b.chance(2))
    return b.node(kind, [x, partner(b, x, Domain(1, 4), exact=True)], x.shape, exact=True, fmod=fmod)


@operator("Pow", ("float32", "float64", "int32", "int64"), ANY, domain=Domain(1, 3))
def power(b, kind, x):
    return b.node(kind, [x, partner(b, x, Domain(1, 3))], x.shape, rounds=rounds(x, 2), scale=27)


@operator("Max Min Sum Mean", F3, ANY)
def variadic(b, kind, x):
    others = [partner(b, x) for _ in range(b.between(0, 2))]
    scale = sum(value.scale for value in (x, *others))
    return b.node(kind, [x, *others], x.shape, rounds=0 if kind in ("Max", "Min") else 2, scale=scale)


@operator("Equal", ALL, ANY, exact=True)
@operator("Greater GreaterOrEqual Less LessOrEqual", NUMBERS, ANY, exact=True)
def comparison(b, kind, x):
    return b.node(kind, pair(b, x, partner(b, x, exact=True)), x.shape, dtype="bool", exact=True)


@operator("And Or Xor", ("bool",), ANY)
@operator("BitwiseAnd BitwiseOr BitwiseXor", INTEGERS, ANY)
def bits(b, kind, x):
    return b.node(kind, pair(b, x, partner(b, x)), x.shape)


@operator("BitShift", UNSIGNED, ANY)
def shift(b, kind, x):
    direction = b.choose(["LEFT", "RIGHT"])
    return b.node(kind, [x, partner(b, x, Domain(0, 5))], x.shape, scale=x.scale * 32, direction=direction)


@operator("PRelu", ("float32", "float64", "float16"), range(1, 5))
def prelu(b, kind, x):
    slope = b.random_constant(x.dtype, x.shape[-1:] if b.chance(2) else (1,))
    return b.node(kind, [x, slope], x.shape, rounds=1, scale=x.scale * 4)


@operator("Clip", F3 + ("int8", "uint8", "int32", "int64"), ANY)
def clip(b, kind, x):
    low = b.integers(1, x.dtype) if b.chance(2) else None
    high = b.integers(3, x.dtype) if b.chance(2) or low is None else None
    return b.node(kind, [x, low, high][: 3 if high else 2], x.shape)


@operator("Where", ALL, ANY)
def select(b, kind, x):
    return b.node(kind, [partner_of(b, x, "bool"), *pair(b, x, partner(b, x))], x.shape, dtype=x.dtype)


def partner_of(b, x, dtype):
    return b.operand(dtype, x.rank, "rows", shape=x.shape)


@operator("Cast CastLike", ALL, ANY, exact=True)
def cast(b, kind, x):
    to = b.choose([dtype for dtype in ALL if not (dtype in UNSIGNED and x.dtype not in UNSIGNED + ("bool",))])
    if kind == "CastLike":
        return b.node(kind, [x, b.operand(to, 1, "rows")], x.shape, dtype=to, exact=True)
    return b.node(kind, [x], x.shape, dtype=to, exact=True, to=proto_type(to))


# Reductions.

def reduced(b, x, axes, keep):
    return tuple(1 if axis in axes else size for axis, size in enumerate(x.shape) if keep or axis not in axes)


def length(x, axes):
    out = 1
    for axis in axes:
        out *= x.shape[axis]
    return out


@operator("ReduceSum ReduceMean ReduceL1 ReduceL2 ReduceSumSquare", ("float32", "float64", "float16"), range(1, 6))
@operator("ReduceMax ReduceMin", ("float32", "float64", "float16", "int8", "uint8", "int32", "int64"), range(1, 6))
@operator("ReduceLogSumExp", ("float32", "float64"), range(1, 6))
@operator("ReduceLogSum", ("float32", "float64"), range(1, 6), domain=Domain(0.25, 4))
@operator("ReduceProd", ("float32", "int32", "int64"), range(1, 6), domain=Domain(1, 1.5))
def reduction(b, kind, x):
    axes = sorted(int(axis) for axis in b.random.choice(x.rank, b.between(1, x.rank), replace=False))
    keep = b.between(0, 1)
    given = [axis - x.rank if b.chance(3) else axis for axis in axes]
    count = length(x, axes)
    scale = x.scale if kind in ("ReduceMax", "ReduceMin", "ReduceMean") else x.scale * count
    if kind in ("ReduceSumSquare", "ReduceProd"):
        scale = x.scale ** 2 * count
    exact = kind in ("ReduceMax", "ReduceMin") or x.dtype in INTEGERS
    return b.node(kind, [x, b.integers(given)], reduced(b, x, axes, keep), exact=exact, rounds=0 if exact else 2, scale=scale,
                  keepdims=keep)


@operator("ArgMax ArgMin", ("float32", "float64", "float16", "int8", "uint8", "int32"), range(1, 5), exact=True)
def arg_reduction(b, kind, x):
    axis, keep = b.between(0, x.rank - 1), b.between(0, 1)
    last = int(b.chance(2))
    return b.node(kind, [x], reduced(b, x, [axis], keep), dtype="int64", exact=True, axis=axis, keepdims=keep,
                  select_last_index=last)


@operator("CumSum", ("float32", "float64", "int32", "int64"), SOME)
def running_sum(b, kind, x):
    axis = b.between(-x.rank, x.rank - 1)
    return b.node(kind, [x, b.integers(axis)], x.shape, rounds=rounds(x, 2), scale=x.scale * x.shape[axis],
                  exclusive=b.between(0, 1), reverse=b.between(0, 1))


@operator("Softmax LogSoftmax", ("float32", "float64", "float16"), SOME)
def softmax(b, kind, x):
    return b.node(kind, [x], x.shape, rounds=2, axis=b.between(-x.rank, x.rank - 1))


# Normalisations.

@operator("LayerNormalization RMSNormalization", ("float32", "float64", "float16"), SOME, least=2)
def layer_norm(b, kind, x):
    axis = b.between(0, x.rank - 1)
    inner = x.shape[axis:]
    more = [b.random_constant(x.dtype, inner, Domain(0.5, 2))]
    if kind == "LayerNormalization" and b.chance(2):
        more.append(b.random_constant(x.dtype, inner))
    return b.node(kind, [x, *more], x.shape, rounds=3, scale=16, axis=axis, epsilon=0.125)


@operator("BatchNormalization", ("float32", "float64", "float16"), range(2, 6))
def batch_norm(b, kind, x):
    channels = x.shape[1:2]
    given = [b.random_constant(x.dtype, channels, domain) for domain in (Domain(), Domain(), Domain(), Domain(0.5, 2))]
    return b.node(kind, [x, *given], x.shape, rounds=2, scale=4 * x.scale + 16, epsilon=0.125)


@operator("InstanceNormalization", ("float32",), range(3, 6), least=2)
def instance_norm(b, kind, x):
    channels = x.shape[1:2]
    given = [b.random_constant(x.dtype, channels) for _ in range(2)]
    return b.node(kind, [x, *given], x.shape, rounds=3, scale=32, epsilon=0.125)


@operator("LRN", ("float32",), range(3, 5))
def lrn(b, kind, x):
    return b.node(kind, [x], x.shape, rounds=3, size=b.choose([1, 3, 5]))


# Contractions.

def pick_size(b):
    return b.choose([1, 2, 3, 5, 8, 16, 17, 33])


@operator("MatMul", F3 + ("int32", "int64", "uint32"), range(1, 5))
def matmul(b, kind, x):
    inner, outer = x.shape[-1], pick_size(b)
    shape = (inner,) if b.chance(5) else (inner, outer)
    if x.rank > 2 and b.chance(2):
        shape = (*x.shape[:-2], inner, outer)
    if b.chance(2):
        y = b.random_constant(x.dtype, shape, Domain(-1, 1))
    else:
        y = b.operand(x.dtype, len(shape), b.choose(["rows", "transposed", "sliced"]), domain=Domain(-1, 1)
                      if x.dtype in FLOATS else Domain(0, 2), shape=shape)
    result = (*x.shape[:-1], *shape[-1:]) if len(shape) > 1 else x.shape[:-1]
    return b.node(kind, [x, y], result, rounds=rounds(x, 2), scale=x.scale * inner)


@operator("Gemm", ("float32", "float64", "float16"), [2])
def gemm(b, kind, x):
    trans_a, trans_b = b.between(0, 1), b.between(0, 1)
    rows, inner = x.shape[::-1] if trans_a else x.shape
    outer = pick_size(b)
    y = b.random_constant(x.dtype, (outer, inner) if trans_b else (inner, outer), Domain(-1, 1))
    more = [b.random_constant(x.dtype, b.choose([(outer,), (1, outer), (rows, 1), ()]))] if b.chance(2) else []
    return b.node(kind, [x, y, *more], (rows, outer), rounds=3, scale=x.scale * inner + 4, transA=trans_a, transB=trans_b,
                  alpha=b.choose([1.0, 0.5]), beta=b.choose([1.0, 2.0]))


@operator("MatMulInteger", ("uint8", "int8"), range(2, 5))
def matmul_integer(b, kind, x):
    inner, outer = x.shape[-1], pick_size(b)
    y = b.operand(b.choose(["uint8", "int8"]) if x.dtype == "uint8" else "int8", 2, "rows", shape=(inner, outer))
    more = [b.integers(2, x.dtype)] if b.chance(2) else []
    return b.node(kind, [x, y, *more], (*x.shape[:-1], outer), dtype="int32", scale=1000)


# Images: (batch, channels, space…).

@operator("Resize", ("float32", "uint8"), range(3, 5), exact=True)
def resize(b, kind, x):
    sizes = [*x.shape[:2], *(b.choose([size, 2 * size, max(1, size // 2), size + 1]) for size in x.shape[2:])]
    mode = b.choose(["nearest", "linear"]) if x.dtype == "float32" else "nearest"
    where = b.choose(["half_pixel", "asymmetric", "align_corners"])
    if where != "align_corners" and b.chance(3):  # a scale by which the exact length is a whole number, and not its f32
        scale = numpy.float32(b.choose([2.6, 1.4, 0.6]))
        sizes = [*x.shape[:2], *(int(numpy.float32(size) * scale) for size in x.shape[2:])]
        if min(sizes) > 0:
            scales = b.known(numpy.array([1, 1, *[scale] * (x.rank - 2)], numpy.float32), fixed=True)
            return b.node(kind, [x, None, scales], sizes, rounds=2 if mode == "linear" else 0, mode=mode, coordinate_transformation_mode=where)
        sizes = list(x.shape)
    return b.node(kind, [x, None, None, b.integers(sizes)], sizes, rounds=2 if mode == "linear" else 0, mode=mode,
                  coordinate_transformation_mode=where)


@operator("DepthToSpace SpaceToDepth", ("float32", "float16", "uint8"), [4])
def blocks(b, kind, x):
    block, (batch, channels, rows, columns) = 2, x.shape
    if kind == "DepthToSpace":
        shape, result = (batch, 4, rows, columns), (batch, 1, 2 * rows, 2 * columns)
        more = {"mode": b.choose(["DCR", "CRD"])}
    else:
        shape, result, more = (batch, channels, 2, 4), (batch, 4 * channels, 1, 2), {}
    if x.shape != shape:
        x = b.node("Reshape", [x, b.integers([batch, -1])], (batch, channels * rows * columns))
        count = shape[1] * shape[2] * shape[3]
        repeats = -(-count // x.shape[1])
        x = b.node("Tile", [x, b.integers([1, repeats])], (batch, repeats * x.shape[1]))
        x = b.node("Slice", [x, b.integers([0]), b.integers([count]), b.integers([1])], (batch, count))
        x = b.node("Reshape", [x, b.integers(shape)], shape)
    return b.node(kind, [x], result, blocksize=block, **more)
