# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements chosen by their rank or number."""
from __future__ import annotations

from typing import Any

import torch

from .sorting import forbid_ties, largest
from .table import Context, translates
from .values import Unsupported, Value


def _cumulative_extreme(operator: str, greatest: int) -> None:
    @translates(f"aten.{operator}.default")
    def function(c: Context, x: Value, dim: int) -> Any:
        b = c.b
        if x.rank == 0:
            return x, b.const(0, torch.int64)
        value = b.cast(x, torch.uint8) if x.dtype == torch.bool else x
        return b.ops("CumulativeExtreme", [value], [(value.dtype, x.shape), (torch.int64, x.shape)], domain="heddle", axis=dim % x.rank, greatest=greatest)


_cumulative_extreme("cummax", 1)
_cumulative_extreme("cummin", 0)


def _middle(c: Context, x: Value, ignores_nan: bool, dim: int) -> Value:
    """The lower of the middle elements; NaN where there is one, or where all are."""
    b, dim = c.b, dim % x.rank
    size = x.shape[dim]
    if not isinstance(size, int) or 0 in x.shape:
        raise Unsupported("the median of a free size, or of nothing")
    values, places = largest(c, x, size, dim, False)
    ordered = b.op("GatherElements", x, places, dtype=x.dtype, shape=x.shape, axis=dim)
    shape = [1 if axis == dim else length for axis, length in enumerate(x.shape)]
    if not ignores_nan or not x.dtype.is_floating_point:
        middle = b.slice(ordered, dim, (size - 1) // 2, (size - 1) // 2 + 1)
        if not x.dtype.is_floating_point:
            return middle
        last = b.slice(ordered, dim, size - 1, size)
        return b.where(b.is_nan(last), last, middle)
    count = b.reduce("ReduceSum", b.cast(b.op("Not", b.is_nan(x)), torch.int64), [dim], True)
    place = b.op("Max", b.op("Sub", count, b.const(1, torch.int64)), b.const(0, torch.int64))
    place = b.op("Div", place, b.const(2, torch.int64))
    return b.op("GatherElements", ordered, place, dtype=x.dtype, shape=shape, axis=dim)


def _median(operator: str, ignores_nan: bool) -> None:
    @translates(f"aten.{operator}.default")
    def whole(c: Context, x: Value) -> Value:
        if x.rank == 0:
            return x
        return c.b.reshape(_middle(c, c.b.reshape(x, (c.b.count_of(x),)), ignores_nan, 0), ())

    @translates(f"aten.{operator}.dim")
    def along(c: Context, x: Value, dim: int, keepdim: bool = False) -> Any:
        """The place: of the first element of that value."""
        b = c.b
        if x.rank == 0:
            return x, b.const(0, torch.int64)
        forbid_ties(c, x)
        middle = _middle(c, x, ignores_nan, dim)
        is_it = b.compare("Equal", x, middle)
        is_it = b.op("Or", is_it, b.op("And", b.is_nan(x), b.is_nan(middle)))
        place = b.op("ArgMax", b.cast(is_it, torch.int32), dtype=torch.int64, shape=middle.shape, axis=dim % x.rank, keepdims=1)
        return (middle, place) if keepdim else (b.squeeze(middle, dim), b.squeeze(place, dim))


_median("median", False)
_median("nanmedian", True)


def _histogram_edges(c: Context, x: Value, bins: int, low: Any, high: Any) -> tuple[Value, Value]:
    b = c.b
    if low == 0 and high == 0:
        least, most = b.reduce("ReduceMin", x), b.reduce("ReduceMax", x)
    else:
        least, most = c.value(float(low), x.dtype), c.value(float(high), x.dtype)
    is_point = b.compare("Equal", least, most)
    one = b.const(1.0, x.dtype)
    return b.where(is_point, b.op("Sub", least, one), least), b.where(is_point, b.op("Add", most, one), most)


@translates("aten.histc.default")
def histc(c: Context, x: Value, bins: int = 100, min: Any = 0, max: Any = 0) -> Value:
    b = c.b
    if not x.dtype.is_floating_point or b.count_of(x) == 0:
        raise Unsupported("a histogram of integers, or of nothing")
    value = c.math(x)
    least, most = _histogram_edges(c, value, bins, min, max)
    flat = b.reshape(value, (b.count_of(x),))
    place = b.op("Div", b.op("Mul", b.op("Sub", flat, least), c.math(float(bins))), b.op("Sub", most, least))
    place = b.op("Min", b.cast(b.op("Floor", place), torch.int64), b.const(bins - 1, torch.int64))
    inside = b.op("And", b.compare("GreaterOrEqual", flat, least), b.compare("LessOrEqual", flat, most))
    place = b.where(inside, b.op("Max", place, b.const(0, torch.int64)), b.const(0, torch.int64))
    ones = b.cast(inside, value.dtype)
    zeros = b.fill(0.0, value.dtype, (bins,))
    return b.op("ScatterElements", zeros, place, ones, dtype=value.dtype, shape=(bins,), axis=0, reduction="add")
