# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of segments and of bags, whose lengths data tell."""
from __future__ import annotations

import math
from typing import Any

import torch

from .indexing import counted_from_0
from .table import Context, translates
from .values import Unsupported, Value, is_fixed

_KINDS = {"sum": "add", "mean": "add", "prod": "mul", "max": "max", "min": "min"}
_EMPTY = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}


class _Segments:
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
        self.number = b.where(before, b.const(self.count, torch.int64), self.number)
        self.lengths = b.op("Sub", ends, starts)

    def spread(self, value: Value) -> Value:
        """With the dimensions behind the axis."""
        return self.c.b.unsqueeze(value, *range(value.rank, self.x.rank)) if self.x.rank > value.rank else value

    def _index(self) -> Value:
        return self.c.b.expand(self.spread(self.number), self.x.shape)

    def reduced(self, x: Value, reduction: str, initial: float) -> Value:
        b = self.c.b
        shape = [self.count + 1 if axis == self.axis else size for axis, size in enumerate(x.shape)]
        made = b.op("ScatterElements", b.fill(initial, x.dtype, shape), self._index(), x, dtype=x.dtype, shape=shape, axis=self.axis,
                    reduction=reduction)
        return b.slice(made, self.axis, 0, self.count)

    def of_elements(self, value: Value) -> Value:
        """For each element what its segment has; 0 where it is in none."""
        b = self.c.b
        zeros = b.fill(0.0, value.dtype, [1 if axis == self.axis else size for axis, size in enumerate(value.shape)])
        return b.op("GatherElements", b.concat([value, zeros], self.axis), self._index(), dtype=value.dtype, shape=self.x.shape, axis=self.axis)


def _segments(c: Context, x: Value, axis: int, lengths: Value | None, offsets: Value | None, unsafe: bool) -> _Segments:
    b, axis = c.b, axis % x.rank
    if 0 in x.shape or not is_fixed(x.shape):
        raise Unsupported("segments of a tensor of free sizes, or of nothing")
    if offsets is not None:
        offsets = b.cast(offsets, torch.int64)
        count = offsets.shape[-1] - 1
        return _Segments(c, x, axis, b.slice(offsets, -1, 1, count + 1), b.slice(offsets, -1, 0, count))
    if lengths is None:
        raise Unsupported("segments without lengths")
    lengths = b.cast(lengths, torch.int64)
    if not unsafe:
        lengths = _checked(c, lengths, x.shape[axis])
    ends = b.op("CumSum", lengths, b.const(lengths.rank - 1, torch.int64), shape=lengths.shape)
    return _Segments(c, x, axis, ends, b.op("Sub", ends, lengths))


def _checked(c: Context, lengths: Value, size: Any) -> Value:
    """Fails the call where a length is negative, or their sum is not the dimension's."""
    b = c.b
    total = b.reduce("ReduceSum", lengths, [-1], True)
    is_wrong = b.op("Or", b.op("Not", b.compare("Equal", total, b.const(size, torch.int64))),
                    b.compare("Less", b.reduce("ReduceMin", lengths, [-1], True), b.const(0, torch.int64)))
    place = b.cast(is_wrong, torch.int64)
    nothing = b.op("Gather", b.tensor(torch.zeros(1, dtype=torch.int64)), place, dtype=torch.int64, shape=place.shape, axis=0)
    return b.op("Add", lengths, nothing)


def _mean(c: Context, total: Value, lengths: Value, empty: float | None) -> Value:
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
    return _mean(c, made, segments.spread(segments.lengths), math.nan if initial is None else None)


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
        return segments.of_elements(_mean(c, grad, segments.spread(segments.lengths), 0.0))
    best = segments.of_elements(c.math(output))  # each of several equal ones has its part
    is_best = b.cast(b.op("Or", b.compare("Equal", value, best), b.is_nan(value)), value.dtype)
    count = b.op("Max", segments.reduced(is_best, "add", 0.0), b.const(1.0, value.dtype))
    return b.op("Mul", is_best, segments.of_elements(b.op("Div", grad, count)))


@translates("aten._embedding_bag_forward_only.default", "aten._embedding_bag.default")
def embedding_bag(c: Context, weight: Value, indices: Value, offsets: Value, scale_grad_by_freq: bool = False, mode: int = 0,
                  sparse: bool = False, per_sample_weights: Value | None = None, include_last_offset: bool = False,
                  padding_idx: int = -1) -> Any:
    b = c.b
    if any(map(c.reads, (1, 2, 3))):
        raise Unsupported("what the gradients of bags of embeddings need")
    if 0 in (*weight.shape, *indices.shape, *c.out[0].shape) or not is_fixed((*indices.shape, *c.out[0].shape)):
        raise Unsupported("bags of a free number, or of nothing")
    bags, size = c.out[0].shape
    rows = b.op("Gather", weight, counted_from_0(c, indices), dtype=weight.dtype, shape=(*indices.shape, size), axis=0)
    rows = c.math(rows, weight.dtype)
    if per_sample_weights is not None:
        rows = b.op("Mul", rows, b.unsqueeze(c.value(per_sample_weights, rows.dtype), -1))
    starts = b.cast(offsets, torch.int64)
    last = b.ints([indices.shape[0]])
    ends = b.concat([b.slice(starts, 0, 1, starts.shape[0]), *([] if include_last_offset else [last])], 0)
    segments = _Segments(c, rows, 0, ends, b.slice(starts, 0, 0, bags))
    if padding_idx >= 0:
        counts = b.op("Not", b.compare("Equal", b.cast(indices, torch.int64), b.const(padding_idx, torch.int64)))
        segments.number = b.where(counts, segments.number, b.const(bags, torch.int64))
        ones = b.op("ScatterElements", b.fill(0, torch.int64, (bags + 1,)), segments.number, b.fill(1, torch.int64, indices.shape),
                    dtype=torch.int64, shape=(bags + 1,), axis=0, reduction="add")
        segments.lengths = b.slice(ones, 0, 0, bags)
    made = segments.reduced(rows, "max" if mode == 2 else "add", -math.inf if mode == 2 else 0.0)
    lengths = b.unsqueeze(segments.lengths, -1)
    if mode == 1:
        made = _mean(c, made, lengths, 0.0)
    elif mode == 2:
        made = b.where(b.compare("Equal", lengths, b.const(0, torch.int64)), b.const(0.0, made.dtype), made)
    return made, *(b.fill(0, out.dtype, out.shape) for out in c.out[1:])


@translates("aten.embedding_renorm.default")
def embedding_renorm(c: Context, weight: Value, indices: Value, max_norm: float, norm_type: float) -> Value:
    """Rows that are named and longer than `max_norm` become as long."""
    from .reductions import norm_along
    b, value, count = c.b, c.math(weight), weight.shape[0]
    if 0 in indices.shape:
        return weight
    places = b.reshape(counted_from_0(c, indices), (b.count_of(indices),))
    named = b.op("ScatterElements", b.fill(0, torch.int32, (count,)), places, b.fill(1, torch.int32, places.shape), dtype=torch.int32,
                 shape=(count,), axis=0)
    length = norm_along(c, value, norm_type, [1], True)
    longest = c.math(float(max_norm))
    is_long = b.op("And", b.unsqueeze(b.cast(named, torch.bool), -1), b.compare("Greater", length, longest))
    factor = b.op("Div", longest, b.op("Add", length, c.math(1e-7)))
    return b.where(is_long, b.op("Mul", value, factor), value)
