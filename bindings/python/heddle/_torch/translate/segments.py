# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of segments, whose lengths data tell."""
from __future__ import annotations

import math
from typing import Any

import torch

from .table import Context, translates
from .values import Unsupported, Value, is_fixed

_KINDS = {"sum": "add", "mean": "add", "prod": "mul", "max": "max", "min": "min"}
_EMPTY = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}


class Segments:
    """Of the dimension `axis`. `ends`: of each segment, counted in elements [batch…, segments]."""

    def __init__(self, c: Context, x: Value, axis: int, ends: Value, starts: Value):
        b = c.b
        self.c, self.x, self.axis = c, x, axis
        self.count, self.length = ends.shape[-1], x.shape[axis]
        places = b.unsqueeze(b.range(self.length), -1)
        later = b.compare("GreaterOrEqual", places, b.unsqueeze(ends, -2))
        self.number = b.reduce("ReduceSum", b.cast(later, torch.int64), [-1])  # [batch…, length]: as many as segments behind the last
        first = b.slice(starts, -1, 0, 1)
        before = b.compare("Less", b.range(self.length), first)
        self.number = b.where(before, b.scalar(self.count), self.number)
        self.lengths = b.op("Sub", ends, starts)

    def spread(self, value: Value) -> Value:
        """With the dimensions behind the axis."""
        return self.c.b.unsqueeze(value, *range(value.rank, self.x.rank)) if self.x.rank > value.rank else value

    def index(self) -> Value:
        return self.c.b.expand(self.spread(self.number), self.x.shape)

    def reduced(self, x: Value, reduction: str, initial: float) -> Value:
        b = self.c.b
        shape = [self.count + 1 if axis == self.axis else size for axis, size in enumerate(x.shape)]
        made = b.op("ScatterElements", b.fill(initial, x.dtype, shape), self.index(), x, dtype=x.dtype, shape=shape, axis=self.axis,
                    reduction=reduction)
        return b.slice(made, self.axis, 0, self.count)

    def of_elements(self, value: Value) -> Value:
        """For each element what its segment has; 0 where it is in none."""
        b = self.c.b
        zeros = b.fill(0.0, value.dtype, [1 if axis == self.axis else size for axis, size in enumerate(value.shape)])
        return b.op("GatherElements", b.concat([value, zeros], self.axis), self.index(), dtype=value.dtype, shape=self.x.shape, axis=self.axis)


def _segments(c: Context, x: Value, axis: int, lengths: Value | None, offsets: Value | None, unsafe: bool) -> Segments:
    b, axis = c.b, axis % x.rank
    if 0 in x.shape or not is_fixed(x.shape):
        raise Unsupported("segments of a tensor of free sizes, or of nothing")
    if offsets is not None:
        offsets = b.cast(offsets, torch.int64)
        count = offsets.shape[-1] - 1
        return Segments(c, x, axis, b.slice(offsets, -1, 1, count + 1), b.slice(offsets, -1, 0, count))
    if lengths is None:
        raise Unsupported("segments without lengths")
    lengths = b.cast(lengths, torch.int64)
    if not unsafe:
        lengths = _checked(c, lengths, x.shape[axis])
    ends = b.op("CumSum", lengths, b.const(lengths.rank - 1, torch.int64), shape=lengths.shape)
    return Segments(c, x, axis, ends, b.op("Sub", ends, lengths))


def _checked(c: Context, lengths: Value, size: Any) -> Value:
    """Fails the call where a length is negative, or their sum is not the dimension's."""
    b = c.b
    total = b.reduce("ReduceSum", lengths, [-1], True)
    is_wrong = b.op("Or", b.op("Not", b.compare("Equal", total, b.const(size, torch.int64))),
                    b.compare("Less", b.reduce("ReduceMin", lengths, [-1], True), b.const(0, torch.int64)))
    place = b.cast(is_wrong, torch.int64)
    nothing = b.op("Gather", b.tensor(torch.zeros(1, dtype=torch.int64)), place, dtype=torch.int64, shape=place.shape, axis=0)
    return b.op("Add", lengths, nothing)


def mean_of(c: Context, total: Value, lengths: Value, empty: float | None) -> Value:
    """`empty`: of a segment without elements; None: its sum."""
    b = c.b
    count = b.cast(b.op("Max", lengths, b.const(1, torch.int64)), total.dtype)
    mean = b.op("Div", total, count)
    if empty is None:
        return mean
    return b.where(b.expand(b.compare("Equal", lengths, b.const(0, torch.int64)), mean.shape), b.const(empty, mean.dtype), mean)


@translates("aten.segment_reduce.default")
def segment_reduce(c: Context, x: Value, reduce: str, *, lengths: Value | None = None, indices: Any = None, offsets: Value | None = None,
                   axis: int = 0, unsafe: bool = False, initial: Any = None) -> Value:
    segments = _segments(c, c.math(x), axis, lengths, offsets, unsafe)
    made = segments.reduced(segments.x, _KINDS[reduce], _EMPTY[reduce] if initial is None else float(initial))
    if reduce != "mean":
        return made
    return mean_of(c, made, segments.spread(segments.lengths), math.nan if initial is None else None)


@translates("aten._segment_reduce_backward.default")
def segment_reduce_backward(c: Context, grad: Value, output: Value, x: Value, reduce: str, *, lengths: Value | None = None,
                            offsets: Value | None = None, axis: int = 0, initial: Any = None) -> Value:
    b = c.b
    if reduce == "prod":
        raise Unsupported("the gradient of products of segments")
    value, grad = c.math(x), c.math(grad)
    segments = _segments(c, value, axis, lengths, offsets, True)
    if reduce == "sum":
        return segments.of_elements(grad)
    if reduce == "mean":
        return segments.of_elements(mean_of(c, grad, segments.spread(segments.lengths), 0.0))
    best = segments.of_elements(c.math(output))  # each of several equal ones has its part
    is_best = b.cast(b.op("Or", b.compare("Equal", value, best), b.is_nan(value)), value.dtype)
    count = b.op("Max", segments.reduced(is_best, "add", 0.0), b.const(1.0, value.dtype))
    return b.op("Mul", is_best, segments.of_elements(b.op("Div", grad, count)))
