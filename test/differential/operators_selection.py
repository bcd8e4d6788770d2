# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that select, sort, or write where data say (see operators.py)."""
import numpy

from builder import ALL, MS, UNKNOWN, Domain, numpy_type, proto_type
from operators import F3, SOME, operator, rounds

SORTED = ("float32", "float64", "int32", "int64")
CARRIED = ("float32", "float16", "float64", "int8", "uint8", "int32", "int64", "bool")


def read_rows(b, value, axis):
    """What may follow a dimension whose size only data tell: nothing, an elementwise operator, a reduction, a part of it."""
    way = b.between(0, 3)
    if way == 1:
        return b.node("Equal", [value, value], value.shape, dtype="bool", exact=True)
    if way == 2 and value.dtype not in ("bool", "float16", "int8", "uint8"):
        shape = [1 if each == axis else size for each, size in enumerate(value.shape)]
        # A sum, not a maximum: there may be nothing.
        return b.node("ReduceSum", [value, b.integers([axis])], shape, rounds=rounds(value, 2), scale=value.scale * 64)
    if way == 3:
        return b.node("Slice", [value, *(b.integers([number]) for number in (0, 3, axis))], value.shape)
    return value


@operator("TopK", SORTED, SOME, exact=True)
def top_k(b, kind, x):
    axis = b.between(0, x.rank - 1)
    count = b.between(1, x.shape[axis])
    shape = (*x.shape[:axis], count, *x.shape[axis + 1:])
    return b.node(kind, [x, b.known(numpy.int64([count]), fixed=True)], shape, (shape, "int64"), exact=True,
                  axis=axis - x.rank if b.chance(2) else axis, largest=b.between(0, 1), sorted=1)


@operator("Unique", ("float32", "int64", "int8"), SOME, exact=True)
def unique(b, kind, x):
    """Whole numbers, few of them, so that some are equal."""
    few = x if x.dtype != "float32" else b.node("Round", [x], x.shape, exact=True)
    attributes, axis, shape, length = {"sorted": b.between(0, 1)}, 0, (UNKNOWN,), int(numpy.prod(x.shape))
    if b.chance(2):
        axis = attributes["axis"] = b.between(0, x.rank - 1)
        shape, length = (*x.shape[:axis], UNKNOWN, *x.shape[axis + 1:]), x.shape[axis]
    values, first, inverse, counts = b.node(kind, [few], shape, ((UNKNOWN,), "int64"), ((length,), "int64"), ((UNKNOWN,), "int64"),
                                            exact=True, **attributes)
    return [read_rows(b, values, axis), first, inverse, counts]


@operator("NonZero", CARRIED, SOME, exact=True)
def non_zero(b, kind, x):
    few = x if x.dtype not in F3 else b.node("Round", [x], x.shape, exact=True)
    return read_rows(b, b.node(kind, [few], (x.rank, UNKNOWN), dtype="int64", exact=True, scale=32), 1)


@operator("Compress", CARRIED, SOME)
def compress(b, kind, x):
    axis = b.between(0, x.rank - 1)
    flat = b.chance(3)
    length = int(numpy.prod(x.shape)) if flat else x.shape[axis]
    chosen = b.known(b.random.integers(0, 2, b.between(1, length)).astype(bool), fixed=b.chance(2))
    shape = (UNKNOWN,) if flat else (*x.shape[:axis], UNKNOWN, *x.shape[axis + 1:])
    return read_rows(b, b.node(kind, [x, chosen], shape, **({} if flat else {"axis": axis})), 0 if flat else axis)


@operator("NonMaxSuppression", ("float32",), [3], exact=True)
def suppress(b, kind, scores):
    """No two boxes overlap by just the limit: corners are of sixteenths, the limit is not a quotient of such."""
    batch, _, count = scores.shape
    low = b.random.integers(0, 32, (batch, count, 2)) / 16
    corners = numpy.concatenate([low, low + b.random.integers(1, 32, (batch, count, 2)) / 16], -1).astype(numpy.float32)
    boxes = b.argument("float32", corners.shape)
    b.feed[boxes.name] = corners
    limits = [b.known(numpy.int64([b.between(0, 5)]), fixed=True), b.constant(numpy.float32([b.choose([0.0, 0.3001, 0.7001])]))]
    if b.chance(2):
        limits.append(b.constant(numpy.float32([0.2501])))
    return read_rows(b, b.node(kind, [boxes, scores, *limits], (UNKNOWN, 3), dtype="int64", exact=True, scale=32), 0)


@operator("ReverseSequence", CARRIED, range(2, 5))
def reverse_sequence(b, kind, x):
    batch = b.between(0, 1)
    lengths = b.known(b.random.integers(1, x.shape[1 - batch] + 1, x.shape[batch]))
    return b.node(kind, [x, lengths], x.shape, batch_axis=batch, time_axis=1 - batch)


@operator("CenterCropPad", CARRIED, SOME)
def center_crop_pad(b, kind, x):
    axes = sorted(int(axis) for axis in b.random.choice(x.rank, b.between(1, x.rank), replace=False))
    shape = list(x.shape)
    for axis in axes:
        shape[axis] = b.choose([1, 2, 3, 5, 9])
    attributes = {} if len(axes) == x.rank and b.chance(2) else {"axes": [axis - x.rank if b.chance(3) else axis for axis in axes]}
    return b.node(kind, [x, b.known(numpy.int64([shape[axis] for axis in axes]), fixed=True)], shape, **attributes)


@operator("TensorScatter", CARRIED, range(2, 5))
def tensor_scatter(b, kind, x):
    axis = b.between(1, x.rank - 1)
    count = b.between(1, x.shape[axis])
    update = b.operand(x.dtype, x.rank, b.choose(["rows", "constant", "transposed"]),
                       shape=(*x.shape[:axis], count, *x.shape[axis + 1:]))
    circular = b.chance(2)
    most = x.shape[axis] - (1 if circular else count)
    inputs = [x, update] + ([] if b.chance(4) else [b.known(b.random.integers(0, most + 1, x.shape[0]))])
    return b.node(kind, inputs, x.shape, axis=axis - x.rank, mode="circular" if circular else "linear")


@operator("CumProd", SORTED, SOME, domain=Domain(0.5, 1.5))
def running_product(b, kind, x):
    axis = b.between(-x.rank, x.rank - 1)
    return b.node(kind, [x, b.integers(axis)], x.shape, rounds=rounds(x, 3), scale=1.5 ** x.shape[axis], opset=26,
                  exclusive=b.between(0, 1), reverse=b.between(0, 1))


@operator("Hardmax", F3, SOME, exact=True)
def hardmax(b, kind, x):
    return b.node(kind, [x], x.shape, exact=True, axis=b.between(-x.rank, x.rank - 1))


WIDTHS = {dtype: numpy_type(dtype).itemsize for dtype in ALL if dtype != "bool"}


@operator("BitCast", WIDTHS, SOME)
def bit_cast(b, kind, x):
    """From integers to floats and back at once, as some of the bits are of no number."""
    to = b.choose([dtype for dtype in WIDTHS if WIDTHS[dtype] == WIDTHS[x.dtype]])
    there = b.node(kind, [x], x.shape, dtype=to, opset=26, to=proto_type(to))
    return b.node(kind, [there], x.shape, dtype=x.dtype, opset=26, to=proto_type(x.dtype))


@operator("Einsum", ("float32", "float64", "int32", "int64"), range(1, 5))
def einsum(b, kind, x):
    own = "abcd"[: x.rank]
    kept = "".join(letter for letter in own if not b.chance(3))
    size = dict(zip(own, x.shape))
    terms, operands = [own], [x]
    for _ in range(b.choose([0, 1, 1, 1, 2])):
        term = "".join(letter for letter in own if b.chance(2)) or own[-1]
        if b.chance(2) and "e" not in kept:
            size["e"], kept = b.choose([1, 3, 5]), kept + "e"
            term += "e"
        term = "".join(b.random.permutation(list(term)))
        terms.append(term)
        operands.append(b.operand(x.dtype, len(term), b.choose(["rows", "constant"]), domain=Domain(-1, 1), shape=[size[l] for l in term]))
    kept = "".join(b.random.permutation(list(kept)))
    summed = numpy.prod([size[letter] for letter in own if letter not in kept] or [1])
    return b.node(kind, operands, [size[letter] for letter in kept], rounds=rounds(x, 2), scale=x.scale * summed,
                  equation=f"{','.join(terms)}->{kept}")


@operator("FusedMatMul", ("float32",), range(2, 5))
def fused_matmul(b, kind, x):
    turned = [b.between(0, 1) for _ in range(2)]
    rows, inner = x.shape[-2:][::-1] if turned[0] else x.shape[-2:]
    columns = b.choose([1, 3, 8, 17])
    shape = (*x.shape[:-2], columns, inner) if turned[1] else (*x.shape[:-2], inner, columns)
    y = b.operand(x.dtype, x.rank, b.choose(["rows", "transposed", "constant"]), domain=Domain(-1, 1), shape=shape)
    return b.node(kind, [x, y], (*x.shape[:-2], rows, columns), rounds=3, scale=x.scale * inner, domain=MS, transA=turned[0],
                  transB=turned[1], alpha=b.choose([1.0, 0.5]))
