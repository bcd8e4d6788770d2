# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading elements at places that tensors say."""
from __future__ import annotations

from typing import Any, Sequence

import torch

from .table import Context, translates
from .values import Unsupported, Value, broadcast, size_of


def places_of(x: Value, indices: Sequence[Value | None]) -> list[tuple[int, Value]]:
    """The dimensions that are indexed, and by what."""
    found = [(axis, index) for axis, index in enumerate(indices) if index is not None]
    if any(index.dtype in (torch.bool, torch.uint8) for _, index in found):
        raise Unsupported("an index by a mask: how much it picks depends on data")
    if len(indices) > x.rank:
        raise Unsupported("more indices than dimensions")
    return found


def counted_from_0(c: Context, index: Value) -> Value:
    """Where PyTorch refuses negative indices, which a model counts from the end: they become one that no dimension has."""
    beyond = c.b.const(torch.iinfo(index.dtype).max, index.dtype)
    return c.b.where(c.b.compare("Less", index, c.b.const(0, index.dtype)), beyond, index)


def to_front(c: Context, x: Value, axes: Sequence[int]) -> Value:
    return c.b.transpose(x, [*axes, *[axis for axis in range(x.rank) if axis not in axes]])


def joined(c: Context, found: Sequence[tuple[int, Value]]) -> tuple[Value, tuple[Any, ...]]:
    """The indices side by side in a last dimension, and their shape."""
    shape = broadcast(*[index.shape for _, index in found])
    columns = [c.b.unsqueeze(c.b.expand(c.value(index, torch.int64), shape), -1) for _, index in found]
    return c.b.concat(columns, -1), shape


def are_adjacent(axes: Sequence[int]) -> bool:
    return list(axes) == list(range(axes[0], axes[0] + len(axes)))


@translates("aten.index.Tensor", "aten._unsafe_index.Tensor", partwise=True)
def index(c: Context, x: Value, indices: Sequence[Value | None]) -> Value:
    found = places_of(x, indices)
    if not found:
        return x
    if len(found) == 1:
        axis, place = found[0]
        shape = (*x.shape[:axis], *place.shape, *x.shape[axis + 1:])
        return c.b.op("Gather", x, c.value(place, torch.int64), dtype=x.dtype, shape=shape, axis=axis)
    axes = [axis for axis, _ in found]
    places, shape = joined(c, found)
    rest = [size for axis, size in enumerate(x.shape) if axis not in axes]
    picked = c.b.op("GatherND", to_front(c, x, axes), places, dtype=x.dtype, shape=(*shape, *rest))
    if not are_adjacent(axes) or axes[0] == 0:
        return picked
    count, first = len(shape), axes[0]
    return c.b.transpose(picked, [*range(count, count + first), *range(count), *range(count + first, picked.rank)])


@translates("aten.index_select.default", partwise=True)
def index_select(c: Context, x: Value, dim: int, index: Value) -> Value:
    if x.rank == 0:
        return x
    if index.rank == 0:
        index = c.b.reshape(index, (1,))
    return c.b.op("Gather", x, counted_from_0(c, index), dtype=x.dtype, shape=c.shape, axis=dim % x.rank)


@translates("aten.embedding.default", partwise=True)
def embedding(c: Context, weight: Value, indices: Value, *_: Any, **__: Any) -> Value:
    return c.b.op("Gather", weight, counted_from_0(c, indices), dtype=weight.dtype, shape=c.shape, axis=0)


def cut_to(c: Context, x: Value, shape: Sequence[Any], but: int = -1) -> Value:
    """The first elements of every dimension, as many as `shape` has, of all dimensions but one."""
    for axis, size in enumerate(shape):
        if axis != but and x.shape[axis] != size_of(size):
            x = c.b.slice(x, axis, 0, size)
    return x


@translates("aten.gather.default", partwise=True)
def gather(c: Context, x: Value, dim: int, index: Value, *, sparse_grad: bool = False) -> Value:
    if x.rank == 0 or index.rank == 0:
        x, index = (c.b.reshape(value, (1,)) if value.rank == 0 else value for value in (x, index))
        dim = 0
    dim %= x.rank
    if c.b.count_of(index) == 0:
        return c.b.fill(0, x.dtype, c.shape) if x.dtype != torch.bool else c.b.fill(False, x.dtype, c.shape)
    x = cut_to(c, x, index.shape, dim)
    return c.b.reshape(c.b.op("GatherElements", x, counted_from_0(c, index), dtype=x.dtype, shape=index.shape, axis=dim), c.shape)


@translates("aten.take.default", partwise=True)
def take(c: Context, x: Value, index: Value) -> Value:
    return c.b.op("Gather", c.b.reshape(x, (c.b.count_of(x),)), index, dtype=x.dtype, shape=index.shape, axis=0)
