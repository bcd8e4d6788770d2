# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bags of embeddings, whose lengths data tell, and their gradients."""
from __future__ import annotations

import math
from typing import Any

import torch

from .indexing import counted_from_0
from .segments import Segments, mean_of
from .table import Context, translates
from .values import Unsupported, Value, shape_of

_SUM, _MEAN, _MAX = 0, 1, 2


def _gathered(c: Context, x: Value, rows: Value) -> Value:
    return c.b.op("Gather", x, rows, dtype=x.dtype, shape=(*rows.shape, *x.shape[1:]), axis=0)


def _is(c: Context, indices: Value, row: int) -> Value:
    return c.b.compare("Equal", c.value(indices, torch.int64), c.b.const(row, torch.int64))


def _count(c: Context, places: Value, length: Any) -> Value:
    """How often each place is named."""
    b = c.b
    return b.op("ScatterElements", b.fill(0, torch.int64, (length,)), places, b.fill(1, torch.int64, places.shape), dtype=torch.int64,
                shape=(length,), axis=0, reduction="add")


@translates("aten._embedding_bag_forward_only.default", "aten._embedding_bag.default")
def embedding_bag(c: Context, weight: Value, indices: Value, offsets: Value, scale_grad_by_freq: bool = False, mode: int = 0,
                  sparse: bool = False, per_sample_weights: Value | None = None, include_last_offset: bool = False,
                  padding_idx: int = -1) -> Any:
    """The sums, and what the gradients need: each index's bag, the lengths of bags, and of a maximum the rows it is in."""
    b = c.b
    if 0 in (*weight.shape, *indices.shape, *c.out[0].shape):
        raise Unsupported("bags of nothing")
    bags, size = c.out[0].shape[0], weight.shape[1]
    places = counted_from_0(c, indices)
    rows = c.math(_gathered(c, weight, places), weight.dtype)
    if per_sample_weights is not None:
        rows = b.op("Mul", rows, b.unsqueeze(c.value(per_sample_weights, rows.dtype), -1))
    starts = b.cast(offsets, torch.int64)
    last = b.size(indices.shape[0])
    ends = b.concat([b.slice(starts, 0, 1, starts.shape[0]), *([] if include_last_offset else [last])], 0)
    segments = Segments(c, rows, 0, ends, b.slice(starts, 0, 0, bags))
    number = segments.number
    if padding_idx >= 0:
        segments.number = b.where(_is(c, indices, padding_idx), b.scalar(bags), segments.number)
        segments.lengths = b.slice(_count(c, segments.number, bags + 1), 0, 0, bags)
    made = segments.reduced(rows, "max" if mode == _MAX else "add", -math.inf if mode == _MAX else 0.0)
    best = _rows_of_maxima(c, segments, rows, made, places) if mode == _MAX and c.reads(3) else None
    lengths = b.unsqueeze(segments.lengths, -1)
    if mode == _MEAN:
        made = mean_of(c, made, lengths, 0.0)
    elif mode == _MAX:
        made = b.where(b.compare("Equal", lengths, b.const(0, torch.int64)), b.const(0.0, made.dtype), made)
    known = (number, segments.lengths, best)
    return made, *(value if value is not None and value.shape == shape_of(out.shape) else b.fill(0, out.dtype, out.shape)
                   for value, out in zip(known, c.out[1:]))


def _rows_of_maxima(c: Context, segments: Segments, rows: Value, made: Value, places: Value) -> Value:
    """[bags, size]: the row of the weight that the maximum is of, the first of equal ones; 0 of an empty bag."""
    b = c.b
    length = segments.length
    turn = b.expand(b.unsqueeze(b.range(length), -1), rows.shape)
    behind = b.expand(b.scalar(length), rows.shape)
    turn = b.where(b.compare("Equal", rows, segments.of_elements(made)), turn, behind)
    shape = [segments.count + 1, rows.shape[1]]
    first = b.op("ScatterElements", b.expand(b.scalar(length), shape), segments.index(), turn, dtype=torch.int64, shape=shape, axis=0,
                 reduction="min")
    first = b.slice(first, 0, 0, segments.count)
    named = b.concat([c.value(places, torch.int64), b.ints([0])], 0)
    return _gathered(c, named, first)


def _bags_of(c: Context, indices: Value, offsets: Value, offset2bag: Value) -> Value:
    """Of each index, where PyTorch left it out (of simple sums), too."""
    b = c.b
    if offset2bag.shape != (0,):
        return c.value(offset2bag, torch.int64)
    begun = b.compare("GreaterOrEqual", b.unsqueeze(b.range(indices.shape[0]), -1), c.value(offsets, torch.int64))
    return b.op("Sub", b.reduce("ReduceSum", b.cast(begun, torch.int64), [-1]), b.const(1, torch.int64))


def _put(c: Context, count: Any, places: Value, rows: Value) -> Value:
    """The sums of rows at their places, zeros elsewhere."""
    shape = (count, *rows.shape[1:])
    return c.b.op("ScatterND", c.b.fill(0.0, rows.dtype, shape), c.b.unsqueeze(places, -1), rows, dtype=rows.dtype, shape=shape,
                  reduction="add")


@translates("aten._embedding_bag_dense_backward.default")
def dense_backward(c: Context, grad: Value, indices: Value, offset2bag: Value, bag_size: Value, maximum_indices: Value, num_weights: Any,
                   scale_grad_by_freq: bool, mode: int, per_sample_weights: Value | None, padding_idx: int = -1) -> Value:
    b, grad = c.b, c.math(grad)
    zero = b.const(0.0, grad.dtype)
    if mode == _MAX:
        empty = b.unsqueeze(b.compare("Equal", c.value(bag_size, torch.int64), b.const(0, torch.int64)), -1)
        zeros = b.fill(0.0, grad.dtype, c.shape)
        return b.op("ScatterElements", zeros, c.value(maximum_indices, torch.int64), b.where(empty, zero, grad), dtype=grad.dtype, shape=c.shape,
                    axis=0, reduction="add")
    places, bags = c.value(indices, torch.int64), c.value(offset2bag, torch.int64)
    if mode == _MEAN:
        grad = mean_of(c, grad, b.unsqueeze(c.value(bag_size, torch.int64), -1), None)
    rows = _gathered(c, grad, bags)
    if per_sample_weights is not None:
        rows = b.op("Mul", rows, b.unsqueeze(c.value(per_sample_weights, rows.dtype), -1))
    if scale_grad_by_freq:
        often = _gathered(c, _count(c, places, num_weights), places)
        rows = b.op("Div", rows, b.unsqueeze(b.cast(often, rows.dtype), -1))
    if padding_idx >= 0:
        rows = b.where(b.unsqueeze(_is(c, indices, padding_idx), -1), zero, rows)
    return _put(c, num_weights, places, rows)


@translates("aten._embedding_bag_backward.default")
def backward(c: Context, grad: Value, indices: Value, offsets: Value, offset2bag: Value, bag_size: Value, maximum_indices: Value,
             num_weights: Any, scale_grad_by_freq: bool, mode: int, sparse: bool, per_sample_weights: Value | None,
             padding_idx: int = -1) -> Value:
    if sparse:
        raise Unsupported("gradients of embeddings that are sparse")
    return dense_backward(c, grad, indices, _bags_of(c, indices, offsets, offset2bag), bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode,  # type: ignore[no-any-return]
                          per_sample_weights, padding_idx)


@translates("aten._embedding_bag_per_sample_weights_backward.default")
def weights_backward(c: Context, grad: Value, weight: Value, indices: Value, offsets: Value, offset2bag: Value, mode: int,
                     padding_idx: int = -1) -> Value:
    b, bags = c.b, _bags_of(c, indices, offsets, offset2bag)
    rows, given = (_gathered(c, c.math(value), c.value(places, torch.int64)) for value, places in ((weight, indices), (grad, bags)))
    made = b.reduce("ReduceSum", b.op("Mul", rows, given), [-1])
    return b.where(_is(c, indices, padding_idx), b.const(0.0, made.dtype), made) if padding_idx >= 0 else made


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
