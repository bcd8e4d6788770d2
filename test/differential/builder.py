# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random typed graphs, node by node: what every operator of operators.py is built on.

    b = Builder(seed, prefix="g3_", dynamic=True)
    x = b.operand("float16", rank=3, layout="transposed")      # a Value of this type, rank and history
    y = b.node("Relu", [x], x.shape)

A layout says what a value went through before an operator reads it, because that is what passes act on: `rows` (an argument
or another result), `transposed`, `sliced`, `broadcast`, `reshaped`, `tiled` (the result of a contraction, which data tiling
may keep packed), `constant`.

Values stay of order one. An *exact* value is the same bits whoever computes it (arguments, and what only moves or counts
them); operators with steps (Floor, comparisons, casts to integers, ArgMax) read exact values only, or a difference in the last
place would be one of whole numbers.
"""
import contextlib
import dataclasses

import ml_dtypes
import numpy
from onnx import helper, numpy_helper

FLOATS = ("float16", "bfloat16", "float32", "float64")
SIGNED, UNSIGNED = ("int8", "int16", "int32", "int64"), ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
NUMBERS, ALL = FLOATS + INTEGERS, FLOATS + INTEGERS + ("bool",)
LAYOUTS = ("rows", "transposed", "sliced", "broadcast", "reshaped", "tiled", "constant")
SIZES = (1, 2, 3, 4, 5, 7, 8, 16, 17)
MOST_ELEMENTS = 2048  # of a tensor
MOST = 64             # magnitude of a value that others read
MS = "com.microsoft"
OPSET = 24            # of a graph without a newer operator
UNKNOWN = 0           # a size that only the call tells: nobody but the operator's own generator reads the value


def numpy_type(dtype):
    return numpy.dtype(getattr(ml_dtypes, dtype, dtype))


def proto_type(dtype):
    return helper.np_dtype_to_tensor_dtype(numpy_type(dtype))


@dataclasses.dataclass
class Value:
    name: str
    dtype: str
    shape: tuple
    exact: bool = True
    scale: float = 4.0  # the largest magnitude in its history: what rounding errors are relative to
    depth: int = 0      # roundings it went through

    @property
    def rank(self):
        return len(self.shape)


@dataclasses.dataclass(frozen=True)
class Domain:
    """What an operator asks of a floating operand: values in [low, high], which fresh arguments have."""
    low: float = -4
    high: float = 4


class Builder:
    def __init__(self, seed, prefix="", dynamic=False):
        self.random = numpy.random.default_rng(seed)
        self.prefix, self.dynamic = prefix, dynamic
        self.nodes, self.constants, self.arguments, self.feed = [], [], [], {}
        self.values, self.used, self.results = [], set(), []
        self.types = {}  # by name
        self.opset, self.made = OPSET, 0
        self.rows = int(self.random.integers(2, 8))  # what the dynamic dimension is this time

    # Choices.

    def chance(self, one_in):
        return bool(self.random.integers(one_in) == 0)

    def choose(self, options):
        return options[self.random.integers(len(options))]

    def between(self, low, high):
        return int(self.random.integers(low, high + 1))

    def shape(self, rank, least=1):
        """Sizes, the product of which is bounded."""
        sizes, elements = [], 1
        for _ in range(rank):
            fitting = [size for size in SIZES if size >= least and elements * size * least ** (rank - 1) <= MOST_ELEMENTS]
            sizes.append(int(self.choose(fitting or [least])))
            elements *= sizes[-1]
        if rank and self.rows >= least and self.chance(2):
            sizes[0] = self.rows
        return tuple(sizes)

    # Values.

    def numbers(self, dtype, shape, domain=None):
        kind = numpy_type(dtype)
        if dtype == "bool":
            return self.random.integers(0, 2, shape).astype(kind)
        if dtype in INTEGERS:
            low, high = (domain.low, domain.high) if domain else (0 if dtype in UNSIGNED else -9, 9)
            return self.random.integers(int(low), int(high) + 1, shape).astype(kind)
        domain = domain or Domain()
        values = self.random.uniform(domain.low, domain.high, shape)
        return numpy.asarray(numpy.round(values * 64) / 64).astype(kind)  # few bits: sums of few are exact, ties happen

    def constant(self, array):
        name = f"{self.prefix}c{len(self.constants)}"
        array = numpy.asarray(array)
        self.constants.append(numpy_helper.from_array(array, name))
        self.types[name] = array.dtype.name
        return Value(name, array.dtype.name, array.shape)

    def integers(self, values, dtype="int64"):
        return self.constant(numpy.asarray(values, numpy_type(dtype)))

    def random_constant(self, dtype, shape, domain=None):
        return self.constant(self.numbers(dtype, shape, domain))

    def argument(self, dtype, shape, domain=None, fixed=False):
        """`fixed`: no dimension is dynamic."""
        name = f"{self.prefix}x{len(self.feed)}"
        self.feed[name] = self.numbers(dtype, shape, domain)
        sizes = [f"{self.prefix}n" if self.dynamic and not fixed and axis == 0 and size == self.rows else size
                 for axis, size in enumerate(shape)]
        self.arguments.append(helper.make_tensor_value_info(name, proto_type(dtype), sizes))
        self.types[name] = dtype
        return Value(name, dtype, tuple(shape))

    def known(self, array, fixed=False):
        """These numbers: a constant, or an argument that has them."""
        array = numpy.asarray(array)
        if self.chance(2):
            return self.constant(array)
        value = self.argument(array.dtype.name, array.shape, fixed=fixed)
        self.feed[value.name] = array
        return value

    @contextlib.contextmanager
    def body(self):
        """Nodes made in this block are in the list that it gives: those of a branch or a loop, which may read all around them."""
        outer, self.nodes = self.nodes, []
        try:
            yield self.nodes
        finally:
            self.nodes = outer

    def node(self, kind, inputs, *results, dtype=None, exact=None, rounds=0, scale=None, domain="", opset=OPSET, named=None,
             **attributes):
        """Adds a node; `results` are shapes, or (shape, dtype) pairs. Returns its only Value, or all. `exact` says whether
        the operator keeps exact values exact, `rounds` how many roundings it adds where it does not, `opset` which operator
        set it needs at least; `named`: attributes that have the name of a parameter here."""
        number, self.made = self.made, self.made + 1
        self.opset = max(self.opset, opset)
        read = [value for value in inputs if value is not None]
        self.used |= {value.name for value in read}
        first = read[0].dtype if read else "float32"
        keeps = exact if exact is not None else not rounds
        out = []
        for i, result in enumerate(results):
            shape, kind_of = result if result and isinstance(result[-1], str) else (result, dtype or first)
            out.append(Value(f"{self.prefix}v{number}_{i}", kind_of, tuple(int(size) for size in shape),
                             keeps and all(value.exact for value in read),
                             max([1.0, scale or 0, *(value.scale for value in read)]),
                             max([0, *(value.depth for value in read)]) + rounds))
            self.types[out[-1].name] = kind_of
        self.nodes.append(helper.make_node(kind, [value.name if value else "" for value in inputs],
                                           [value.name for value in out], f"{self.prefix}n{number}", domain=domain,
                                           **attributes))
        self.nodes[-1].attribute.extend(helper.make_attribute(name, value) for name, value in (named or {}).items())
        return out[0] if len(out) == 1 else out

    def publish(self, value):
        """A result that others may read, unless it is too large, too big or too far from exact."""
        elements = int(numpy.prod(value.shape))
        if 0 < elements <= MOST_ELEMENTS and value.scale <= MOST and value.depth < 6:
            self.values.append(value)
        self.results.append(value)

    # Operands.

    def operand(self, dtype, rank, layout="rows", exact=False, domain=None, least=1, shape=None):
        """A value of this type and rank (or shape), that went through what the layout says."""
        if layout == "rows" and domain is None:
            found = [value for value in self.values if value.dtype == dtype and (value.exact or not exact)
                     and (value.rank == rank and min(value.shape, default=least) >= least if shape is None
                          else value.shape == tuple(shape))]
            if found and not self.chance(3):
                return self.choose(found)
        shape = tuple(shape) if shape is not None else self.shape(rank, least)
        return getattr(self, f"_{layout}")(dtype, shape, domain)

    def _rows(self, dtype, shape, domain):
        return self.argument(dtype, shape, domain)

    def _constant(self, dtype, shape, domain):
        return self.random_constant(dtype, shape, domain)

    def _transposed(self, dtype, shape, domain):
        order = [int(axis) for axis in self.random.permutation(len(shape))]
        if len(shape) > 1 and order == sorted(order):
            order = order[1:] + order[:1]
        source = [0] * len(shape)
        for to, axis in enumerate(order):
            source[axis] = shape[to]
        return self.node("Transpose", [self.argument(dtype, source, domain)], shape, perm=order)

    def _sliced(self, dtype, shape, domain):
        axis = self.between(0, len(shape) - 1)
        step = self.choose([1, 1, 2, -1, -2])
        source = list(shape)
        start = self.between(0, 2)
        source[axis] = start + (shape[axis] - 1) * abs(step) + 1 + self.between(0, 1)
        last = start + (shape[axis] - 1) * abs(step)
        bounds = (start, last + 1) if step > 0 else (last, start - 1 if start else -source[axis] - 1)
        return self.node("Slice", [self.argument(dtype, source, domain),
                                   *(self.integers([number]) for number in (*bounds, axis, step))], shape)

    def _broadcast(self, dtype, shape, domain):
        source = [1 if self.chance(2) else size for size in shape]
        source[self.between(0, len(shape) - 1)] = 1
        while source and source[0] == 1 and self.chance(3):
            del source[0]
        return self.node("Expand", [self.argument(dtype, source, domain), self.integers(shape)], shape)

    def _reshaped(self, dtype, shape, domain):
        elements = int(numpy.prod(shape))
        split = self.choose([size for size in (1, 2, 3, 4, 7) if elements % size == 0])
        source = self.choose([(elements,), (split, elements // split), (elements // split, split)])
        return self.node("Reshape", [self.argument(dtype, source, domain), self.integers(shape)], shape)

    def _tiled(self, dtype, shape, domain):
        """A contraction of small whole numbers: exact in any order of the sum."""
        inner = self.choose([1, 3, 4, 8])
        rows, columns = (*shape[:-1], inner), (inner, *shape[-1:])
        small = Domain(-2, 2)
        x = self.argument("float32", rows, small)
        self.feed[x.name] = numpy.round(self.feed[x.name])
        weights = numpy.round(self.numbers("float32", columns, small))
        product = self.node("MatMul", [x, self.constant(weights)], shape, scale=4 * inner)
        low, high = (domain.low, domain.high) if domain else (0 if dtype in UNSIGNED else -4, 4)
        # The bounds take the sum into the domain and leave it exact.
        bounded = self.node("Clip", [product, self.constant(numpy.float32(low)), self.constant(numpy.float32(high))], shape)
        bounded.scale = max(1.0, abs(low), abs(high))
        if dtype == "float32":
            return bounded
        return self.node("Cast", [bounded], shape, dtype=dtype, to=proto_type(dtype))


def layouts_of(rank):
    """Those that a value of this rank can have."""
    return ("rows", "reshaped", "tiled", "constant") if rank == 0 else LAYOUTS
