# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Histograms."""
from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from .elementwise import rounding_steps
from .table import Context, translates
from .values import Unsupported, Value, is_fixed


def _edges_of(c: Context, x: Value, low: Any, high: Any, margin: float) -> tuple[Value, Value]:
    """The least and greatest edge; without `low` those of the data. A range of one point grows by `margin` to both sides."""
    b = c.b
    if low is None:
        least, most = b.reduce("ReduceMin", x), b.reduce("ReduceMax", x)
    else:
        least, most = c.value(float(low), x.dtype), c.value(float(high), x.dtype)
    is_point, wide = b.compare("Equal", least, most), b.const(margin, x.dtype)
    return b.where(is_point, b.op("Sub", least, wide), least), b.where(is_point, b.op("Add", most, wide), most)


@translates("aten.histc.default")
def histc(c: Context, x: Value, bins: int = 100, min: Any = 0, max: Any = 0) -> Value:
    b = c.b
    if not x.dtype.is_floating_point or b.count_of(x) == 0:
        raise Unsupported("a histogram of integers, or of nothing")
    value = c.math(x)
    is_free = min == 0 and max == 0
    least, most = (rounding_steps(c)(edge) for edge in _edges_of(c, value, None if is_free else min, None if is_free else max, 1.0))
    flat = b.reshape(value, (b.count_of(x),))
    step = rounding_steps(c)
    place = step(b.op("Mul", step(b.op("Sub", flat, least)), step(c.math(float(bins)))))
    place = step(b.op("Div", place, step(b.op("Sub", most, least))))
    place = b.op("Min", b.cast(b.op("Floor", place), torch.int64), b.const(bins - 1, torch.int64))
    inside = b.op("And", b.compare("GreaterOrEqual", flat, least), b.compare("LessOrEqual", flat, most))
    place = b.where(inside, b.op("Max", place, b.const(0, torch.int64)), b.const(0, torch.int64))
    return _counted(c, place, b.cast(inside, value.dtype), bins)


def _counted(c: Context, place: Value, weight: Value, bins: int) -> Value:
    """The sum of the weights at each place."""
    b = c.b
    zeros = b.fill(0.0, weight.dtype, (bins,))
    return b.op("ScatterElements", zeros, place, weight, dtype=weight.dtype, shape=(bins,), axis=0, reduction="add")


def _even_edges(c: Context, x: Value, bins: int, low: Any, high: Any) -> Value:
    """From the ends to the middle, as linspace has them."""
    b = c.b
    least, most = _edges_of(c, x, low, high, 0.5)
    step = b.op("Div", b.op("Sub", most, least), b.const(float(bins), x.dtype))
    places = torch.arange(bins + 1)
    up = b.op("Add", least, b.op("Mul", step, b.tensor(places.to(x.dtype))))
    down = b.op("Sub", most, b.op("Mul", step, b.tensor((bins - places).to(x.dtype))))
    return b.where(b.tensor(places < (bins + 1) // 2), up, down)


def _histogram(c: Context, columns: Sequence[Value], edges: Sequence[Value], weight: Value | None, density: bool) -> Value:
    """Of points, a list for each dimension; what lies outside of the edges does not count."""
    b, dtype = c.b, columns[0].dtype
    place, inside = b.const(0, torch.int64), b.const(True, torch.bool)
    for column, bounds in zip(columns, edges):
        bins = bounds.shape[0] - 1
        if column.shape[0] * bins > 1 << 22:
            raise Unsupported("a histogram of many bins")
        reached = b.compare("LessOrEqual", bounds, b.unsqueeze(column, -1))
        number = b.op("Sub", b.reduce("ReduceSum", b.cast(reached, torch.int64), [-1]), b.const(1, torch.int64))
        number = b.op("Max", b.op("Min", number, b.const(bins - 1, torch.int64)), b.const(0, torch.int64))
        place = b.op("Add", b.op("Mul", place, b.const(bins, torch.int64)), number)
        fits = b.op("And", b.compare("GreaterOrEqual", column, b.reshape(b.slice(bounds, 0, 0, 1), ())),
                    b.compare("LessOrEqual", column, b.reshape(b.slice(bounds, 0, bins, bins + 1), ())))
        inside = b.op("And", inside, fits)
    amount = b.const(1.0, dtype) if weight is None else b.reshape(c.value(weight, dtype), columns[0].shape)
    amount = b.where(inside, b.expand(amount, columns[0].shape), b.const(0.0, dtype))
    shape = [bounds.shape[0] - 1 for bounds in edges]
    made = b.reshape(_counted(c, b.where(inside, place, b.const(0, torch.int64)), amount, math.prod(shape)), shape)
    if not density:
        return made
    made = b.op("Div", made, b.reduce("ReduceSum", made))
    for axis, bounds in enumerate(edges):
        bins = bounds.shape[0] - 1
        widths = b.op("Sub", b.slice(bounds, 0, 1, bins + 1), b.slice(bounds, 0, 0, bins))
        made = b.op("Div", made, b.reshape(widths, [bins if place == axis else 1 for place in range(len(edges))]))
    return made


def _check(x: Value) -> None:
    if 0 in x.shape or not is_fixed(x.shape):
        raise Unsupported("a histogram of a free number of points, or of nothing")


@translates("aten.histogram.bin_ct")
def histogram(c: Context, x: Value, bins: int = 100, *, range: Any = None, weight: Value | None = None, density: bool = False) -> Any:
    _check(x)
    flat = c.b.reshape(x, (c.b.count_of(x),))
    edges = _even_edges(c, flat, bins, *(range or (None, None)))
    return _histogram(c, [flat], [edges], weight, density), edges


@translates("aten.histogram.bins_tensor")
def histogram_of_edges(c: Context, x: Value, bins: Value, *, weight: Value | None = None, density: bool = False) -> Any:
    _check(x)
    return _histogram(c, [c.b.reshape(x, (c.b.count_of(x),))], [bins], weight, density), bins


def _columns(c: Context, x: Value) -> list[Value]:
    b, count = c.b, c.b.count_of(x, list(range(x.rank - 1)))
    flat = b.reshape(x, (count, x.shape[-1]))
    return [b.squeeze(b.slice(flat, 1, axis, axis + 1), 1) for axis in range(x.shape[-1])]


@translates("aten._histogramdd_bin_edges.default")
def histogramdd_edges(c: Context, x: Value, bins: Sequence[int], *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    _check(x)
    ends = list(zip(range[::2], range[1::2])) if range else [(None, None)] * len(bins)
    return [_even_edges(c, column, count, *pair) for column, count, pair in zip(_columns(c, x), bins, ends)]


@translates("aten._histogramdd_from_bin_cts.default")
def histogramdd(c: Context, x: Value, bins: Sequence[int], *, range: Any = None, weight: Value | None = None, density: bool = False) -> Value:
    edges = histogramdd_edges(c, x, bins, range=range)
    return _histogram(c, _columns(c, x), edges, weight, density)


@translates("aten._histogramdd_from_bin_tensors.default")
def histogramdd_of_edges(c: Context, x: Value, bins: Sequence[Value], *, weight: Value | None = None, density: bool = False) -> Value:
    _check(x)
    return _histogram(c, _columns(c, x), bins, weight, density)
