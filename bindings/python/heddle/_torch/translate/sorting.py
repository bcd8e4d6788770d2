# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting and what is chosen by rank."""
from __future__ import annotations

from typing import Any

import torch

from .table import Context, translates
from .values import Size, Unsupported, Value


def largest(c: Context, x: Value, count: Size, dim: int, descending: bool) -> tuple[Value, Value]:
    """Values and places in order; equal elements in the order they had. NaN counts as the greatest."""
    b, dtype = c.b, x.dtype
    dim %= x.rank
    if 0 in x.shape:
        return x, b.fill(0, torch.int64, x.shape)
    keys = sort_keys(c, x)
    shape = [count if axis == dim else size for axis, size in enumerate(x.shape)]
    values, places = b.ops("TopK", [keys, b.size(count)], [(keys.dtype, shape), (torch.int64, shape)], axis=dim, largest=int(descending), sorted=1)
    if keys.dtype != dtype:
        values = b.cast(values, dtype) if not dtype.is_floating_point else \
            b.op("GatherElements", x, places, dtype=dtype, shape=shape, axis=dim)
    return values, places


def sort_keys(c: Context, x: Value) -> Value:
    """Numbers of the same order without NaN."""
    from .values import KINDS
    b = c.b
    if not x.dtype.is_floating_point:
        return b.cast(x, torch.int32) if x.dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.uint16) else x
    value = c.math(x, x.dtype)
    bits, most = (torch.int32, 0x7FFFFFFF) if value.dtype == torch.float32 else (torch.int64, 0x7FFFFFFFFFFFFFFF)
    value = b.op("Add", value, b.const(0.0, value.dtype))  # -0 and 0 are equal
    number = b.op("BitCast", value, dtype=bits, to=KINDS[bits])
    flipped = b.op("BitwiseXor", number, b.const(most, bits))
    key = b.where(b.compare("Less", number, b.const(0, bits)), flipped, number)
    return b.where(b.is_nan(value), b.const(most, bits), key)


@translates("aten.sort.default", "aten.sort.stable")
def sort(c: Context, x: Value, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    if x.rank == 0:
        return x, c.b.const(0, torch.int64)
    if not stable:
        forbid_ties(c, x)
    return largest(c, x, x.shape[dim % x.rank], dim, descending)


def forbid_ties(c: Context, x: Value) -> None:
    """Which of equal elements comes first is PyTorch's own, where someone reads places; wide floats are seldom equal."""
    if c.reads(1) and x.dtype not in (torch.float32, torch.float64):
        raise Unsupported("places of elements of which many may be equal, in PyTorch's own order")


@translates("aten.topk.default")
def topk(c: Context, x: Value, k: Any, dim: int = -1, largest_: bool = True, sorted: bool = True) -> Any:
    if x.rank == 0:
        return x, c.b.const(0, torch.int64)
    from .values import size_of
    forbid_ties(c, x)
    if size_of(k) == 0:
        return c.b.fill(0, x.dtype, c.out[0].shape), c.b.fill(0, torch.int64, c.out[0].shape)
    return largest(c, x, size_of(k), dim, largest_)


def _at(c: Context, x: Value, places: Value, dim: int, keep: bool) -> tuple[Value, Value]:
    """The elements at places [.., 1, ..]."""
    found = c.b.op("GatherElements", x, places, dtype=x.dtype, shape=places.shape, axis=dim)
    return (found, places) if keep else (c.b.squeeze(found, dim), c.b.squeeze(places, dim))


@translates("aten.kthvalue.default")
def kthvalue(c: Context, x: Value, k: Any, dim: int = -1, keepdim: bool = False) -> Any:
    if x.rank == 0:
        return x, c.b.const(0, torch.int64)
    dim %= x.rank
    forbid_ties(c, x)
    _, places = largest(c, x, x.shape[dim], dim, False)
    return _at(c, x, c.b.slice(places, dim, k - 1, k), dim, keepdim)


@translates("aten.bucketize.Tensor")
def bucketize(c: Context, x: Value, boundaries: Value, *, out_int32: bool = False, right: bool = False) -> Value:
    return _count_below(c, c.b.unsqueeze(x, -1), boundaries, right)


@translates("aten.searchsorted.Tensor", "aten.searchsorted.Scalar")
def searchsorted(c: Context, sequence: Value, x: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
                 sorter: Value | None = None) -> Value:
    b = c.b
    value = c.value(x)
    if sorter is not None:
        sequence = b.op("GatherElements", sequence, sorter, dtype=sequence.dtype, shape=sequence.shape, axis=sequence.rank - 1)
    if sequence.rank > 1:
        sequence = b.unsqueeze(sequence, -2)
    return _count_below(c, b.unsqueeze(value, -1), sequence, right or side == "right")


def _count_below(c: Context, x: Value, sequence: Value, right: bool) -> Value:
    """How many of the sequence are less than (or, `right`, not greater than) each x; NaN is greater than all."""
    from .table import common
    b, dtype = c.b, common(x, sequence)
    size = sequence.shape[-1]
    if isinstance(size, int) and isinstance(b.count_of(x), int) and size * b.count_of(x) > 1 << 22:
        raise Unsupported("a search in long sequences")
    left, other = c.value(sequence, dtype), c.value(x, dtype)
    below = b.compare("LessOrEqual" if right else "Less", left, other)
    if dtype.is_floating_point:
        below = b.op("Or", below, b.op("And", b.is_nan(other), b.op("Not", b.is_nan(left))) if not right else b.is_nan(other))
    return b.reduce("ReduceSum", b.cast(below, torch.int64), [-1])
