# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements chosen by their rank or number."""
from __future__ import annotations

from typing import Any

import torch

from .sorting import forbid_ties, largest, sort_keys
from .table import Context, translates
from .values import Unsupported, Value, is_fixed

SORTED_BY_INSERTION = 16  # elements: of so few PyTorch keeps the order of equal ones


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


@translates("aten.mode.default")
def mode(c: Context, x: Value, dim: int = -1, keepdim: bool = False) -> Any:
    """The least of the most frequent elements, and the last place that has it."""
    b = c.b
    if x.rank == 0:
        return x, b.const(0, torch.int64)
    dim %= x.rank
    size = x.shape[dim]
    if 0 in x.shape or not is_fixed(x.shape) or b.count_of(x) * size > 1 << 22:
        raise Unsupported("the mode of a free size, of nothing or of much")
    if c.reads(1) and size > SORTED_BY_INSERTION:
        raise Unsupported("the place of one of several equal elements, in PyTorch's own order")
    moved = b.move(c.value(x, torch.uint8) if x.dtype == torch.bool else x, dim, -1)
    equal = b.compare("Equal", b.unsqueeze(moved, -1), b.unsqueeze(moved, -2))
    counts = b.reduce("ReduceSum", b.cast(equal, torch.int32), [-1])
    is_most = b.compare("Equal", counts, b.reduce("ReduceMax", counts, [-1], True))
    keys = sort_keys(c, moved)
    least = b.reduce("ReduceMin", b.where(is_most, keys, b.const(torch.iinfo(keys.dtype).max, keys.dtype)), [-1], True)
    place = b.op("ArgMax", b.cast(b.compare("Equal", keys, least), torch.int32), dtype=torch.int64, shape=least.shape, axis=x.rank - 1, keepdims=1,
                 select_last_index=1)
    value = b.op("GatherElements", moved, place, dtype=moved.dtype, shape=place.shape, axis=x.rank - 1)
    if x.dtype.is_floating_point:  # of nothing but NaN the first
        place = b.where(b.is_nan(value), b.const(0, torch.int64), place)
    value, place = (b.move(made, -1, dim) for made in (value, place))
    return (value, place) if keepdim else (b.squeeze(value, dim), b.squeeze(place, dim))
