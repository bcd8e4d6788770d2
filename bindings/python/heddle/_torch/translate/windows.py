# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows that are gathered: pools and convolutions of integers, and adaptive pools, whose windows differ in length."""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence

import torch

from .products import matmul
from .reductions import position
from .table import Context, translates
from .values import Unsupported, Value


class Axis(NamedTuple):
    """The places that the windows of one dimension have: [windows, length]; which of them count."""

    places: torch.Tensor
    counts: torch.Tensor

    @staticmethod
    def sliding(size: int, made: int, kernel: int, stride: int, padding: int, dilation: int = 1) -> "Axis":
        places = (torch.arange(made) * stride - padding).unsqueeze(1) + torch.arange(kernel) * dilation
        return Axis(places, (places >= 0) & (places < size))

    @staticmethod
    def transposed(size: int, made: int, kernel: int, stride: int, padding: int, dilation: int = 1) -> "Axis":
        """Of a transposed convolution: which element each tap brings to a place."""
        reach = torch.arange(made).unsqueeze(1) + padding - torch.arange(kernel) * dilation
        places = reach // stride
        return Axis(places, (reach % stride == 0) & (places >= 0) & (places < size))

    @staticmethod
    def adaptive(size: int, made: int) -> "Axis":
        start, end = torch.arange(made) * size // made, -(-(torch.arange(1, made + 1) * size) // made)
        places = start.unsqueeze(1) + torch.arange(int((end - start).max()))
        return Axis(places, places < end.unsqueeze(1))

    @staticmethod
    def reached(size: int, made: int) -> "Axis":
        """For each place of an adaptive pool's operand the windows it is in."""
        window = Axis.adaptive(size, made)
        inside = torch.zeros((size, made), dtype=torch.bool)
        for number in range(made):
            inside[window.places[number][window.counts[number]], number] = True
        first, count = inside.int().argmax(1), inside.sum(1)
        places = first.unsqueeze(1) + torch.arange(int(count.max()))
        return Axis(places, torch.arange(int(count.max())) < count.unsqueeze(1))


def gathered(c: Context, x: Value, axes: Sequence[Axis], fill: Any) -> Value:
    """[…, windows of each axis…, places of a window], of the last dimensions of `x`; `fill` where nothing counts."""
    b, count = c.b, len(axes)
    lead = x.rank - count
    for number, axis in enumerate(axes):
        at = lead + 2 * number
        size = x.shape[at]
        assert isinstance(size, int)
        shape = (*x.shape[:at], *axis.places.shape, *x.shape[at + 1:])
        x = b.op("Gather", x, b.tensor(axis.places.clamp(0, size - 1)), dtype=x.dtype, shape=shape, axis=at)
    x = b.transpose(x, [*range(lead), *range(lead, x.rank, 2), *range(lead + 1, x.rank, 2)])
    mask = torch.ones((1,) * 2 * count, dtype=torch.bool)
    for number, axis in enumerate(axes):
        sizes = [1] * 2 * count
        sizes[number], sizes[count + number] = axis.counts.shape
        mask = mask & axis.counts.reshape(sizes)
    if not bool(mask.all()):
        x = b.where(b.tensor(mask), x, b.const(fill, x.dtype))
    made = x.shape[lead:lead + count]
    return b.reshape(x, (*x.shape[:lead], *made, math.prod(x.shape[lead + count:])))


def _numbers(axes: Sequence[Axis], sizes: Sequence[int]) -> torch.Tensor:
    """For each window and place of it its number within the plane: [windows, places]."""
    count = len(axes)
    total = torch.zeros((1,) * 2 * count, dtype=torch.int64)
    for number, axis in enumerate(axes):
        shape = [1] * 2 * count
        shape[number], shape[count + number] = axis.places.shape
        total = total * sizes[number] + axis.places.clamp(0, sizes[number] - 1).reshape(shape)
    return total.reshape(math.prod(total.shape[:count]), -1)


def greatest(c: Context, x: Value, axes: Sequence[Axis]) -> tuple[Value, Value]:
    """Of each window, and its place within the plane."""
    b = c.b
    sizes = [size for size in x.shape[x.rank - len(axes):] if isinstance(size, int)]
    lowest = -math.inf if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
    windows = gathered(c, x, axes, lowest)
    values, places = b.reduce("ReduceMax", windows, [-1]), position(c, "ArgMax", windows, -1, False)
    if x.dtype.is_floating_point:  # of several NaN the last counts
        last = b.op("ArgMax", b.cast(b.is_nan(windows), torch.int32), dtype=torch.int64, shape=places.shape, axis=-1, keepdims=0,
                    select_last_index=1)
        places = b.where(b.is_nan(values), last, places)
    numbers = _numbers(axes, sizes)
    rows = torch.arange(numbers.shape[0]) * numbers.shape[1]
    made = windows.shape[x.rank - len(axes):-1]
    place = b.op("Add", places, b.tensor(rows.reshape(made)))
    return values, b.op("Gather", b.tensor(numbers.reshape(-1)), place, dtype=torch.int64, shape=places.shape, axis=0)


def _require(x: Value, made: Sequence[Any]) -> None:
    if not all(isinstance(size, int) and size > 0 for size in (*x.shape[x.rank - len(made):], *made)) or 0 in x.shape:
        raise Unsupported("windows of free or no places")


def _adaptive_max(count: int) -> None:
    @translates(f"aten.adaptive_max_pool{count}d.default")
    def function(c: Context, x: Value, output_size: Sequence[int]) -> Any:
        _require(x, output_size)
        sizes = x.shape[x.rank - count:]
        return greatest(c, x, [Axis.adaptive(size, made) for size, made in zip(sizes, output_size)])

    @translates(f"aten.adaptive_max_pool{count}d_backward.default")
    def backward(c: Context, grad: Value, x: Value, indices: Value) -> Value:
        from .pools import spread_maxima
        return spread_maxima(c, grad, x, indices, count)

    @translates(f"aten._adaptive_avg_pool{count}d_backward.default")
    def average_backward(c: Context, grad: Value, x: Value) -> Value:
        b, lead = c.b, x.rank - count
        _require(x, grad.shape[lead:])
        value = c.math(grad)
        for axis in range(lead, x.rank):
            size, made = x.shape[axis], grad.shape[axis]
            lengths = Axis.adaptive(size, made).counts.sum(1).to(value.dtype)
            value = b.op("Div", value, b.tensor(lengths.reshape([-1 if place == axis else 1 for place in range(x.rank)])))
        for axis in range(lead, x.rank):  # one dimension after the other, each moved to the end
            reached = Axis.reached(x.shape[axis], grad.shape[axis])
            value = b.reduce("ReduceSum", gathered(c, b.move(value, axis, -1), [reached], 0.0), [-1])
            value = b.move(value, -1, axis)
        return value


for _count in (2, 3):
    _adaptive_max(_count)


def convolve_gathered(c: Context, x: Value, weight: Value, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
                      transposed: bool, groups: int, made: Sequence[int]) -> Value:
    """A product with the gathered windows, for integers and where padding is wider than the kernel reaches."""
    b = c.b
    _require(x, made)
    kind = Axis.transposed if transposed else Axis.sliding
    axes = [kind(*row) for row in zip(x.shape[2:], made, weight.shape[2:], stride, padding, dilation)]
    windows = gathered(c, x, axes, 0)  # [n, groups * ins, made…, places]
    spots, places = math.prod(made), windows.shape[-1]
    if transposed:  # [groups * ins, outs, …]
        ins, outs = weight.shape[0] // groups, weight.shape[1]
        rows = b.transpose(b.reshape(weight, (groups, ins, outs, places)), [0, 2, 1, 3])
    else:
        outs, ins = weight.shape[0] // groups, weight.shape[1]
        rows = weight
    rows = b.reshape(rows, (1, groups, outs, ins * places))
    split = b.reshape(windows, (x.shape[0], groups, ins, spots, places))
    columns = b.reshape(b.transpose(split, [0, 1, 2, 4, 3]), (x.shape[0], groups, ins * places, spots))
    product = matmul(c, b.expand(rows, (x.shape[0], *rows.shape[1:])), columns)
    return b.reshape(product, (x.shape[0], groups * outs, *made))
