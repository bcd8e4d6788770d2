# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move, gather, make or count elements (see operators.py)."""
import numpy
from onnx import helper

from builder import ALL, Domain, proto_type
from operators import ANY, SOME, operator

WIDE = ("float32", "float16", "float64", "bfloat16", "int8", "uint8", "int32", "int64", "bool")


@operator("Transpose", ALL, range(1, 6))
def transpose(b, kind, x):
    order = [int(axis) for axis in b.random.permutation(x.rank)]
    return b.node(kind, [x], tuple(x.shape[axis] for axis in order), perm=order)


@operator("Reshape", WIDE, ANY)
def reshape(b, kind, x):
    elements = length(x.shape)
    split = b.choose([size for size in (1, 2, 3, 4, 7) if elements % size == 0])
    shape = b.choose([(elements,), (split, elements // split), (1, elements), (elements // split, 1, split)])
    given = list(shape)
    if b.chance(3):
        given[b.between(0, len(given) - 1)] = -1
    return b.node(kind, [x, b.integers(given)], shape)


def length(shape):
    out = 1
    for size in shape:
        out *= size
    return out


@operator("Flatten", WIDE, ANY)
def flatten(b, kind, x):
    axis = b.between(0, x.rank)
    return b.node(kind, [x], (length(x.shape[:axis]), length(x.shape[axis:])), axis=axis)


@operator("Unsqueeze", WIDE, range(0, 5))
def unsqueeze(b, kind, x):
    axis = b.between(0, x.rank)
    return b.node(kind, [x, b.integers([axis])], (*x.shape[:axis], 1, *x.shape[axis:]))


@operator("Squeeze", WIDE, range(0, 4))
def squeeze(b, kind, x):
    axis = b.between(0, x.rank)
    wide = b.node("Unsqueeze", [x, b.integers([axis])], (*x.shape[:axis], 1, *x.shape[axis:]))
    more = [b.integers([axis])] if b.chance(2) or 1 in x.shape else []
    return b.node(kind, [wide, *more], x.shape)


@operator("Concat", ALL, range(1, 6))
def concat(b, kind, x):
    axis = b.between(0, x.rank - 1)
    others = []
    for _ in range(b.between(1, 3)):
        shape = list(x.shape)
        shape[axis] = b.choose([1, 2, 5])
        others.append(b.operand(x.dtype, x.rank, b.choose(["rows", "constant", "transposed"]), shape=tuple(shape)))
    values = [x, *others]
    values = [values[i] for i in b.random.permutation(len(values))]
    shape = list(x.shape)
    shape[axis] = sum(value.shape[axis] for value in values)
    return b.node(kind, values, shape, axis=axis - x.rank if b.chance(2) else axis)


@operator("Split", WIDE, SOME, least=2)
def split(b, kind, x):
    axis = b.between(0, x.rank - 1)
    at = b.between(1, x.shape[axis] - 1)
    parts = [at, x.shape[axis] - at]
    shapes = [(*x.shape[:axis], part, *x.shape[axis + 1:]) for part in parts]
    return b.node(kind, [x, b.integers(parts)], *shapes, axis=axis)


@operator("Slice", ALL, range(1, 6))
def cut(b, kind, x):
    axis = b.between(0, x.rank - 1)
    size = x.shape[axis]
    start, step = b.between(0, size - 1), b.choose([1, 1, 2, -1, -3])
    if step > 0:
        end = b.between(start + 1, size + 2)
        count = -(-(min(end, size) - start) // step)
    else:
        end = b.choose([-size - 1, -size - 1, 2 ** 31 - 1, 2 ** 63 - 1])  # the greatest ones too mean "to the first"
        count = -(-(start + 1) // -step)
    return b.node(kind, [x, *(b.integers([number]) for number in (start, end, axis, step))],
                  (*x.shape[:axis], count, *x.shape[axis + 1:]))


@operator("Pad", ("float32", "float16", "float64", "int32", "int64", "uint8", "int8"), SOME)
def pad(b, kind, x):
    mode = b.choose(["constant", "constant", "edge", "reflect", "wrap"])
    cut = [b.between(1, size - 1) if size > 1 and b.chance(4) else 0 for size in x.shape]  # what is padded is the rest
    limits = [min(2, size - gone - 1) if mode == "reflect" else min(2, size - gone) for size, gone in zip(x.shape, cut)]
    before, after = ([b.between(0, limit) for limit in limits] for _ in range(2))
    for at, gone in enumerate(cut):
        if gone:
            b.choose([before, after])[at] = -gone
    more = [b.integers(3, x.dtype)] if mode == "constant" and b.chance(2) else []
    return b.node(kind, [x, b.integers([*before, *after]), *more], [p + size + q for p, size, q in zip(before, x.shape, after)],
                  mode=mode)


@operator("Tile", WIDE, SOME)
def tile(b, kind, x):
    repeats = [b.choose([1, 1, 2, 3]) for _ in x.shape]
    return b.node(kind, [x, b.integers(repeats)], [size * repeat for size, repeat in zip(x.shape, repeats)])


@operator("Expand", WIDE, range(0, 5))
def expand(b, kind, x):
    shape = [b.choose([1, 3]) if size == 1 else size for size in x.shape]
    if len(shape) < 5 and b.chance(2):
        shape.insert(0, b.choose([1, 2]))
    return b.node(kind, [x, b.integers(shape)], shape)


@operator("Trilu", ("float32", "float64", "int64", "bool"), range(2, 5))
def triangle(b, kind, x):
    return b.node(kind, [x, b.integers(b.between(-2, 2))], x.shape, upper=b.between(0, 1))


def positions(b, count, shape, name="int64"):
    """Indices below count, from the start or the end; known now or at the call."""
    return b.known(b.random.integers(-count, count, shape).astype(name))


@operator("Gather", ALL, range(1, 5))
def gather(b, kind, x):
    axis = b.between(0, x.rank - 1)
    shape = b.choose([(), (1,), (4,), (2, 3)])
    index = positions(b, x.shape[axis], shape, b.choose(["int64", "int32"]))
    return b.node(kind, [x, index], (*x.shape[:axis], *shape, *x.shape[axis + 1:]), axis=axis)


@operator("GatherElements", WIDE, SOME)
def gather_elements(b, kind, x):
    axis = b.between(0, x.rank - 1)
    shape = [b.between(1, size) for size in x.shape]
    return b.node(kind, [x, positions(b, x.shape[axis], shape)], shape, axis=axis)


@operator("GatherND", WIDE, SOME)
def gather_nd(b, kind, x):
    depth = b.between(1, x.rank)
    index = b.integers([[b.between(-size, size - 1) for size in x.shape[:depth]] for _ in range(3)])
    return b.node(kind, [x, index], (3, *x.shape[depth:]))


@operator("ScatterElements", ("float32", "float64", "int32", "int64"), SOME)
def scatter_elements(b, kind, x):
    axis = b.between(0, x.rank - 1)
    count = b.between(1, x.shape[axis])
    order = b.random.permutation(x.shape[axis])[:count]  # no index twice: which write would be last is not said
    shape = (*x.shape[:axis], count, *x.shape[axis + 1:])
    along = order.reshape([-1 if a == axis else 1 for a in range(x.rank)])
    index = b.integers(along + 0 * b.random.integers(0, 2, shape))
    updates = b.operand(x.dtype, x.rank, b.choose(["rows", "constant"]), shape=shape)
    reduction = b.choose(["none", "none", "add", "max", "min", "mul"])
    return b.node(kind, [x, index, updates], x.shape, exact=reduction in ("none", "max", "min"), scale=4 * x.scale, axis=axis,
                  reduction=reduction)


@operator("ScatterND", ("float32", "float16", "int32", "int64", "bool"), SOME)
def scatter_nd(b, kind, x):
    count = b.between(1, x.shape[0])
    order = b.random.permutation(x.shape[0])[:count]
    updates = b.operand(x.dtype, x.rank, b.choose(["rows", "constant"]), shape=(count, *x.shape[1:]))
    return b.node(kind, [x, b.integers(order[:, None]), updates], x.shape)


@operator("OneHot", ("int64", "int32"), range(1, 4))
def one_hot(b, kind, x):
    depth, axis = b.between(2, 6), b.between(-1, x.rank)
    values = b.random_constant(b.choose(["float32", "int64"]), (2,))
    at = axis if axis >= 0 else x.rank
    return b.node(kind, [x, b.integers(depth), values], (*x.shape[:at], depth, *x.shape[at:]), dtype=values.dtype, axis=axis)


@operator("EyeLike", ("float32", "float64", "int64", "int32"), [2])
def eye(b, kind, x):
    return b.node(kind, [x], x.shape, exact=True, k=b.between(-2, 2))


@operator("Shape", WIDE, ANY)
@operator("Size", WIDE, ANY)
def sizes(b, kind, x):
    return b.node(kind, [x], (x.rank,) if kind == "Shape" else (), dtype="int64", exact=True, scale=MOST_SIZE)


MOST_SIZE = 2048


@operator("ConstantOfShape", ("int64",), [1], domain=Domain(1, 4), layouts=("constant",))
def filled(b, kind, x):
    shape = [2, 3][: x.shape[0]]
    value = b.choose([("float32", 1.5), ("int64", 7), ("bool", True)])
    return b.node(kind, [b.integers(shape)], shape, dtype=value[0], exact=True,
                  value=helper.make_tensor("v", proto_type(value[0]), [1], [value[1]]))


@operator("Range", ("float32", "int32", "int64"), [0], exact=True, layouts=("rows", "constant"))
def counted(b, kind, x):
    """Adds the operand so that it plays a part: the bounds are known."""
    step, count = b.choose([1, 2, -1]), b.between(1, 9)
    numbers = b.node(kind, [b.integers(number, x.dtype) for number in (0, step * count, step)], (count,), exact=True)
    return b.node("Add", [numbers, x], (count,))


@operator("QuantizeLinear", ("float32", "float16"), SOME, exact=True)
def quantize(b, kind, x):
    to = b.choose(["uint8", "int8"])
    # A power of two: no quotient is a half that two divisions could round differently.
    scale = b.constant(numpy.asarray(0.25, x.dtype))
    return b.node(kind, [x, scale, b.integers(3, to)], x.shape, dtype=to, exact=True)


@operator("DequantizeLinear", ("uint8", "int8", "int32"), SOME)
def dequantize(b, kind, x):
    zero = [b.integers(0 if x.dtype == "int32" else 3, x.dtype)]
    if b.chance(2):
        scales = b.constant(numpy.asarray(b.random.choice([0.25, 0.5, 2.0], x.shape[-1]), numpy.float32))
        return b.node(kind, [x, scales], x.shape, dtype="float32", axis=x.rank - 1)
    return b.node(kind, [x, b.constant(numpy.float32(0.5)), *zero], x.shape, dtype="float32")
