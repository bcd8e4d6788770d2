# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a model: nodes, constants, sizes."""
from __future__ import annotations

import math
from typing import Any, Callable, Mapping, Sequence

import sympy
import torch
from torch.utils._sympy import functions as sizes

from . import wire
from .values import FLOAT8, KINDS, NARROW, Size, Unsupported, Value, broadcast, is_fixed, linear, shape_of, size_of

INLINE = 1024   # bytes: larger tensors lie in the file beside the model
ALIGNMENT = 64  # of each there
Number = "bool | int | float | torch.SymInt"


def raw(tensor: torch.Tensor) -> bytes:
    tensor = tensor.detach().contiguous()
    return bytes(tensor.reshape(-1).view(torch.uint8).numpy()) if tensor.numel() else b""


class Builder:
    """Collects the parts of a model. A node's name begins with `place`, the FX node it comes from, so that errors name it."""

    def __init__(self) -> None:
        self.place = ""
        self.nodes: list[bytes] = []
        self.inputs: list[bytes] = []
        self.initializers: list[bytes] = []
        self.tensors: dict[str, torch.Tensor] = {}
        self.offset = 0
        self.domains: dict[str, None] = {}
        self.count = 0
        self.constants: dict[Any, Value] = {}
        self.known: dict[Any, Value] = {}  # sizes by their expressions
        self.sources: dict[sympy.Symbol, tuple[Value, int | None]] = {}
        self.numbers: dict[sympy.Expr, Value] = {}  # floats that are arguments

    # Nodes.

    def op(self, kind: str, /, *operands: Value | None, dtype: torch.dtype | None = None, shape: Sequence[Size] | None = None,
           domain: str = "", **attributes: Any) -> Value:
        """A node of one result. Without `dtype` and `shape` it is elementwise, of its first operand's type."""
        return self.ops(kind, operands, [(dtype, shape)], domain, **attributes)[0]

    def ops(self, kind: str, operands: Sequence[Value | None], results: Sequence[tuple[torch.dtype | None, Sequence[Size] | None]], /,
            domain: str = "", **attributes: Any) -> list[Value]:
        given = list(operands)
        while given and given[-1] is None:
            given.pop()
        made = []
        for dtype, shape in results:
            self.count += 1
            if shape is None:
                shape = broadcast(*[value.shape for value in given if value is not None])
            made.append(Value(f"v.{self.count}", dtype if dtype is not None else given[0].dtype, tuple(shape)))  # type: ignore[union-attr]
        if domain:
            self.domains[domain] = None
        self.nodes.append(wire.node(kind, ["" if value is None else value.name for value in given], [value.name for value in made],
                                    f"{self.place}.{kind}.{len(self.nodes)}", domain, attributes))
        return made

    # Constants.

    def tensor(self, tensor: torch.Tensor, name: str | None = None) -> Value:
        """A constant of these elements; a large one is not copied, but kept in `tensors`."""
        self.count += 1
        value = Value(name or f"c.{self.count}", tensor.dtype, tuple(tensor.shape))
        length = tensor.numel() * tensor.element_size()
        if length <= INLINE:
            self.initializers.append(wire.tensor(value.name, KINDS[tensor.dtype], tensor.shape, raw(tensor)))
            return value
        self.offset += -self.offset % ALIGNMENT
        self.initializers.append(wire.outside_tensor(value.name, KINDS[tensor.dtype], tensor.shape, self.offset, length))
        self.tensors[value.name] = tensor
        self.offset += length
        return value

    def const(self, number: bool | int | float, dtype: torch.dtype) -> Value:
        """A scalar."""
        key = (number.hex() if isinstance(number, float) else number, type(number), dtype)
        if key not in self.constants:
            if isinstance(number, int) and not dtype.is_floating_point and dtype != torch.bool:  # wraps
                bits = torch.iinfo(dtype).bits
                number = (number + (1 << bits - 1 if dtype.is_signed else 0)) % (1 << bits) - (1 << bits - 1 if dtype.is_signed else 0)
            try:
                made = torch.tensor(number, dtype=torch.float32 if dtype in FLOAT8 else dtype).to(dtype)
            except (RuntimeError, OverflowError, ValueError) as error:
                raise Unsupported(f"{number} is no number of {dtype}") from error
            self.constants[key] = self.tensor(made)
        return self.constants[key]

    def ints(self, numbers: Sequence[int]) -> Value:
        """A list of i64."""
        key = tuple(numbers)
        if key not in self.constants:
            self.constants[key] = self.tensor(torch.tensor(numbers, dtype=torch.int64))
        return self.constants[key]

    # Sizes.

    def learn(self, value: Value) -> None:
        """Free sizes may be read off this tensor."""
        for axis, size in enumerate(value.shape):
            if isinstance(size, sympy.Symbol):
                self.sources.setdefault(size, (value, axis))
            elif not isinstance(size, int):
                self.known.setdefault(size, self.op("Shape", value, dtype=torch.int64, shape=(1,), start=axis, end=axis + 1))

    def size(self, size: Any) -> Value:
        """A size as a list of one i64."""
        size = size_of(size)
        if isinstance(size, int):
            return self.ints([size])
        if size not in self.known:
            self.known[size] = self._compute(size)
        return self.known[size]

    def _compute(self, size: sympy.Expr) -> Value:
        if isinstance(size, sympy.Symbol):
            if size not in self.sources:
                return self._solve(size)
            value, axis = self.sources[size]
            return self.reshape(value, (1,)) if axis is None else \
                self.op("Shape", value, dtype=torch.int64, shape=(1,), start=axis, end=axis + 1)
        parts = [self.size(part) if isinstance(part, sympy.Expr) and not isinstance(part, sympy.Rational) or
                 isinstance(part, sympy.Integer) else None for part in size.args]
        if any(part is None for part in parts):
            raise Unsupported(f"the size {size} is no formula of integers")
        if isinstance(size, sympy.Pow) and isinstance(size.args[1], sympy.Integer) and size.args[1] > 0:
            parts = [parts[0]] * int(size.args[1])
        name = {sympy.Add: "Add", sympy.Mul: "Mul", sympy.Pow: "Mul", sympy.Max: "Max", sympy.Min: "Min", sizes.Max: "Max", sizes.Min: "Min",
                sizes.FloorDiv: "Div", sizes.CleanDiv: "Div", sizes.Mod: "Mod", sizes.PythonMod: "Mod"}.get(type(size))
        if name is None or len(parts) < 2 and not isinstance(size, sympy.Pow):
            raise Unsupported(f"the size {size} is no formula of sums, products and quotients")
        result = parts[0]
        if isinstance(size, sizes.FloorDiv) and not all(part.is_nonnegative for part in size.args):  # Div truncates
            result = self.op("Sub", result, self.op("Mod", result, parts[1]))
        for part in parts[1:]:
            result = self.op(name, result, part)
        return result  # type: ignore[return-value]

    def _solve(self, symbol: sympy.Symbol) -> Value:
        """By a tensor's size that is a formula of it."""
        for size, value in list(self.known.items()):
            form = linear(size)
            if form is not None and form[0] == symbol:
                rest = self.op("Sub", value, self.ints([form[2]])) if form[2] else value
                return self.op("Div", rest, self.ints([form[1]])) if form[1] != 1 else rest
        raise Unsupported(f"the size {symbol} is none of a tensor")

    def scalar(self, size: Any) -> Value:
        """A size as a scalar of i64."""
        size = size_of(size)
        return self.const(size, torch.int64) if isinstance(size, int) else self.reshape(self.size(size), ())

    def number(self, number: Any) -> Value:
        """A float of sizes as a scalar of f64."""
        expression = number.node.expr if isinstance(number, torch.SymFloat) else number
        if expression in self.numbers:
            return self.numbers[expression]
        if expression.is_number:
            return self.const(float(expression), torch.float64)
        if expression.is_integer:
            return self.cast(self.scalar(expression), torch.float64)
        if isinstance(expression, sizes.ToFloat):
            return self.cast(self.scalar(expression.args[0]), torch.float64)
        name = {sympy.Add: "Add", sympy.Mul: "Mul", sympy.Max: "Max", sympy.Min: "Min", sizes.Max: "Max", sizes.Min: "Min",
                sizes.FloatTrueDiv: "Div", sizes.IntTrueDiv: "Div", sizes.FloatPow: "Pow", sizes.PowByNatural: "Pow", sympy.Pow: "Pow"}.get(type(expression))
        if type(expression).__name__ == "OpaqueUnaryFn_sqrt":
            return self.op("Sqrt", self.number(expression.args[0]))
        if name is None:
            raise Unsupported(f"the number {expression} is no formula of sums, products and quotients")
        result, *rest = (self.number(part) for part in expression.args)
        for part in rest:
            result = self.op(name, result, part)
        return result

    def list(self, numbers: Sequence[Any]) -> Value:
        """Sizes as a list of i64."""
        numbers = shape_of(numbers)
        if is_fixed(numbers):
            return self.ints(numbers)
        return self.op("Concat", *[self.size(number) for number in numbers], dtype=torch.int64, shape=(len(numbers),), axis=0)

    # Graphs inside of nodes. What is outside may be read there; what is made there stays inside.

    def inside(self, body: Callable[[], Sequence[Value]]) -> tuple[Sequence[bytes], Sequence[Value]]:
        """The nodes that `body` makes, and what it gives."""
        nodes, known = self.nodes, self.known
        self.nodes, self.known = [], dict(known)
        try:
            given = body()
            return self.nodes, given
        finally:
            self.nodes, self.known = nodes, known

    def loop(self, trips: Value | None, condition: Value | None, carried: Sequence[Value],
             body: Callable[[Value, Sequence[Value]], tuple[Value | None, Sequence[Value]]]) -> Sequence[Value]:
        """`body` gets the number of the turn and what is carried, and gives whether to go on (None: as long as `trips` says) and what is
        carried on, of the same types and shapes."""
        self.count += 1
        name = f"loop.{self.count}"
        turn, more = Value(f"{name}.turn", torch.int64, ()), Value(f"{name}.more", torch.bool, ())
        given = [Value(f"{name}.{place}", value.dtype, value.shape) for place, value in enumerate(carried)]

        def whole() -> Sequence[Value]:
            goes_on, made = body(turn, given)
            return [self.op("Identity", value, dtype=value.dtype, shape=value.shape) for value in (goes_on if goes_on is not None else more, *made)]
        nodes, results = self.inside(whole)
        outputs = [wire.value(value.name, KINDS[value.dtype], None) for value in results]
        inputs = [wire.value(value.name, KINDS[value.dtype], None) for value in (turn, more, *given)]
        return self.ops("Loop", [trips, condition, *carried], [(value.dtype, value.shape) for value in carried],
                        body=wire.graph(nodes, inputs, outputs))

    # What nearly every translation needs.

    def cast(self, value: Value, dtype: torch.dtype) -> Value:
        """As Tensor.to does it: floats beyond a narrow integer wrap."""
        if value.dtype == dtype:
            return value
        if value.dtype.is_floating_point and not dtype.is_floating_point and dtype not in (torch.bool, torch.int32, torch.int64):
            value = self.op("Cast", value, dtype=torch.int64, to=KINDS[torch.int64])
        return self.op("Cast", value, dtype=dtype, to=KINDS[dtype], **({"saturate": 0} if dtype in FLOAT8 else {}))  # type: ignore[arg-type]

    def reshape(self, value: Value, shape: Sequence[Any]) -> Value:
        shape = shape_of(shape)
        if shape == value.shape:
            return value
        free = [place for place, size in enumerate(shape) if not isinstance(size, int)]
        if len(free) == 1 and 0 not in shape:
            target = self.ints([size if isinstance(size, int) else -1 for size in shape])
        else:
            target = self.list(shape)
        return self.op("Reshape", value, target, dtype=value.dtype, shape=shape, **({"allowzero": 1} if 0 in shape else {}))  # type: ignore[arg-type]

    def expand(self, value: Value, shape: Sequence[Any]) -> Value:
        shape = shape_of(shape)
        return value if shape == value.shape else self.op("Expand", value, self.list(shape), dtype=value.dtype, shape=shape)

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        order = [axis % value.rank for axis in order]
        if order == list(range(value.rank)):
            return value
        return self.op("Transpose", value, dtype=value.dtype, shape=[value.shape[axis] for axis in order], perm=order)

    def move(self, value: Value, axis: int, to: int) -> Value:
        """One dimension to another place."""
        order = list(range(value.rank))
        order.insert(to % value.rank, order.pop(axis % value.rank))
        return self.transpose(value, order)

    def unsqueeze(self, value: Value, *axes: int) -> Value:
        """With dimensions of 1 at these places of the result."""
        rank = value.rank + len(axes)
        places = sorted(axis % rank for axis in axes)
        rest = iter(value.shape)
        shape = [1 if axis in places else next(rest) for axis in range(rank)]
        return self.op("Unsqueeze", value, self.ints(places), dtype=value.dtype, shape=shape) if axes else value

    def squeeze(self, value: Value, *axes: int) -> Value:
        places = sorted(axis % value.rank for axis in axes)
        shape = [size for axis, size in enumerate(value.shape) if axis not in places]
        return self.op("Squeeze", value, self.ints(places), dtype=value.dtype, shape=shape) if axes else value

    def slice(self, value: Value, axis: int, start: Any, end: Any, step: int = 1) -> Value:
        """Elements [start, end) of a dimension; bounds within it, not negative. A negative step: from `start` down to after `end`."""
        axis, start, end = axis % value.rank, size_of(start), size_of(end)
        if step == 1 and start == 0 and end == value.shape[axis]:
            return value
        count = (end - start + step - 1) // step if step == 1 or isinstance(start, int) and isinstance(end, int) else sizes.FloorDiv(end - start + step - 1, step)
        shape = [count if place == axis else size for place, size in enumerate(value.shape)]
        return self.op("Slice", value, self.size(start), self.size(end), self.ints([axis]), self.ints([step]), dtype=value.dtype, shape=shape)

    def concat(self, values: Sequence[Value], axis: int) -> Value:
        axis %= values[0].rank
        if len(values) == 1:
            return values[0]
        total = sum(value.shape[axis] for value in values)
        shape = [total if place == axis else size for place, size in enumerate(values[0].shape)]
        return self.op("Concat", *values, dtype=values[0].dtype, shape=shape, axis=axis)

    def reduce(self, kind: str, value: Value, axes: Sequence[int] | None = None, keep: bool = False) -> Value:
        """ReduceSum and the like; no axes: all."""
        places = range(value.rank) if axes is None else [axis % value.rank for axis in axes]
        if value.rank == 0 or len(places) == 0:
            return value
        shape = [1 if place in places else size for place, size in enumerate(value.shape) if keep or place not in places]
        return self.op(kind, value, self.ints(list(places)), dtype=value.dtype, shape=shape, keepdims=int(keep))

    def where(self, condition: Value, yes: Value, no: Value) -> Value:
        return self.op("Where", condition, yes, no, dtype=yes.dtype)

    def compare(self, kind: str, left: Value, right: Value) -> Value:
        return self.op(kind, left, right, dtype=torch.bool)

    def is_nan(self, value: Value) -> Value:
        return self.op("IsNaN", value, dtype=torch.bool)

    def fill(self, number: bool | int | float, dtype: torch.dtype, shape: Sequence[Any]) -> Value:
        return self.expand(self.const(number, dtype), shape)

    def range(self, length: Any, dtype: torch.dtype = torch.int64) -> Value:
        """0, 1, … length - 1."""
        length = size_of(length)
        if isinstance(length, int) and length <= INLINE:
            key = ("range", length, dtype)
            if key not in self.constants:
                self.constants[key] = self.tensor(torch.arange(length, dtype=dtype))
            return self.constants[key]
        made = self.op("Range", self.const(0, torch.int64), self.scalar(length), self.const(1, torch.int64), dtype=torch.int64, shape=(length,))
        return self.cast(made, dtype)

    def count_of(self, value: Value, axes: Sequence[int] | None = None) -> Size:
        """How many elements these dimensions have."""
        places = range(value.rank) if axes is None else axes
        return math.prod(value.shape[place] for place in places)

    def model(self, outputs: Sequence[tuple[str, torch.dtype]]) -> bytes:
        return wire.model(self.nodes, self.initializers, self.inputs, [wire.value(name, KINDS[dtype], None) for name, dtype in outputs],
                          self.domains)


def math_type(dtype: torch.dtype) -> torch.dtype:
    """In which PyTorch computes it."""
    return torch.float32 if dtype in NARROW else dtype
