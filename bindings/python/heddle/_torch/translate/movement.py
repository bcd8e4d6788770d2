# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that only move elements, or are nothing in a functional graph."""
from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from .table import Context, translates
from .values import Size, Unsupported, Value, is_fixed, size_of


@translates("aten.clone.default", "aten.alias.default", "aten.alias_copy.default", "aten.detach.default", "aten.detach_copy.default",
            "aten.lift_fresh_copy.default", "aten.lift_fresh.default", "aten.lift.default", "aten.contiguous.default",
            "aten.resolve_neg.default", "prims.view_of.default", "aten.positive.default", "aten.copy.default", partwise=True)
def same(c: Context, x: Value, *others: Any, **_: Any) -> Value:
    if others and isinstance(others[0], Value):  # aten.copy: the second into the first
        return c.b.expand(c.value(others[0], c.dtype), c.shape)
    return x


@translates("aten.view.default", "aten._unsafe_view.default", "aten.reshape.default", "aten.view_copy.default", "aten.flatten.using_ints",
            "aten._reshape_alias.default", "aten._reshape_copy.default", partwise=True)
def view(c: Context, x: Value, *_: Any) -> Value:
    return c.b.reshape(x, c.shape)


@translates("aten.unsqueeze.default", "aten.unsqueeze_copy.default", partwise=True)
def unsqueeze(c: Context, x: Value, dim: int) -> Value:
    return c.b.unsqueeze(x, dim)


@translates("aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims", "aten.squeeze_copy.default", "aten.squeeze_copy.dim",
            "aten.squeeze_copy.dims", partwise=True)
def squeeze(c: Context, x: Value, dim: Any = None) -> Value:
    places = range(x.rank) if dim is None else [dim] if isinstance(dim, int) else dim
    ones = [place for place in {place % x.rank if x.rank else 0 for place in places} if x.rank and x.shape[place] == 1]
    return c.b.squeeze(x, *ones)


@translates("aten.permute.default", "aten.permute_copy.default", partwise=True)
def permute(c: Context, x: Value, dims: Sequence[int]) -> Value:
    return c.b.transpose(x, dims)


@translates("aten.t.default", "aten.t_copy.default", "aten.numpy_T.default", partwise=True)
def turn(c: Context, x: Value) -> Value:
    return c.b.transpose(x, list(range(x.rank))[::-1])


@translates("aten.transpose.int", "aten.transpose_copy.int", partwise=True)
def transpose(c: Context, x: Value, dim0: int, dim1: int) -> Value:
    if x.rank == 0:
        return x
    order = list(range(x.rank))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return c.b.transpose(x, order)


@translates("aten.expand.default", "aten.expand_copy.default", "aten.broadcast_to.default", partwise=True)
def expand(c: Context, x: Value, *_: Any, **__: Any) -> Value:
    return c.b.expand(x, c.shape)


def bounds(size: Size, start: Any, end: Any, count: Size, step: int) -> tuple[Any, Any]:
    """Of a slice that has `count` elements, as numbers within [0, size]."""
    start = size_of(0 if start is None else start)
    if isinstance(start, int) and isinstance(size, int):
        start = max(start + size, 0) if start < 0 else min(start, size)
    elif isinstance(start, int) and start < 0:
        start = size + start
    return start, size_of(end) if end is not None and step != 1 and not isinstance(count, int) else start + count * step - (step - 1)


@translates("aten.slice.Tensor", "aten.slice_copy.Tensor", partwise=True)
def slice_(c: Context, x: Value, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Value:
    dim %= x.rank
    size, count = x.shape[dim], c.shape[dim]
    if count == 0:
        return c.b.slice(x, dim, 0, 0)
    if not isinstance(step, int):
        raise Unsupported("a step that only the call knows")
    first, last = bounds(size, start, end, count, step)
    if isinstance(last, int) and last > 0 or step == 1 or isinstance(count, int):
        return c.b.slice(x, dim, first, last, step)
    return c.b.op("Slice", x, c.b.size(first), c.b.size(size), c.b.ints([dim]), c.b.ints([step]), dtype=x.dtype, shape=c.shape)


@translates("aten.narrow.default", "aten.narrow_copy.default", partwise=True)
def narrow(c: Context, x: Value, dim: int, start: Any, length: Any) -> Value:
    return slice_(c, x, dim, start)  # type: ignore[no-any-return]


@translates("aten.select.int", "aten.select_copy.int", partwise=True)
def select(c: Context, x: Value, dim: int, index: Any) -> Value:
    dim %= x.rank
    place = size_of(index)
    place = c.b.scalar(place if not isinstance(place, int) or place >= 0 else x.shape[dim] + place)
    shape = [size for axis, size in enumerate(x.shape) if axis != dim]
    return c.b.op("Gather", x, place, dtype=x.dtype, shape=shape, axis=dim)


@translates("aten.cat.default", partwise=True)
def cat(c: Context, tensors: Sequence[Value], dim: int = 0) -> Value:
    kept = [c.value(tensor, c.dtype) for tensor in tensors if tensor.shape != (0,) or len(c.shape) == 1]
    if not kept:
        return c.value(tensors[0], c.dtype)
    full = [tensor for tensor in kept if tensor.shape[dim % tensor.rank] != 0]
    return c.b.concat(full or kept[:1], dim)


@translates("aten.stack.default", partwise=True)
def stack(c: Context, tensors: Sequence[Value], dim: int = 0) -> Value:
    return c.b.concat([c.b.unsqueeze(c.value(tensor, c.dtype), dim % (tensor.rank + 1)) for tensor in tensors], dim)


def _parts(c: Context, x: Value, dim: int, lengths: Sequence[Any]) -> list[Value]:
    if len(lengths) == 1:
        return [x]
    shapes = [(x.dtype, [length if axis == dim % x.rank else size for axis, size in enumerate(x.shape)]) for length in map(size_of, lengths)]
    return c.b.ops("Split", [x, c.b.list(lengths)], shapes, axis=dim % x.rank)


@translates("aten.split.Tensor", "aten.split_with_sizes.default", "aten.split_copy.Tensor", "aten.split_with_sizes_copy.default",
            "aten.chunk.default", partwise=True)
def split(c: Context, x: Value, _: Any, dim: int = 0) -> list[Value]:
    return _parts(c, x, dim, [part.shape[dim] for part in c.out])


@translates("aten.unbind.int", "aten.unbind_copy.int", partwise=True)
def unbind(c: Context, x: Value, dim: int = 0) -> list[Value]:
    return [c.b.squeeze(part, dim) for part in _parts(c, x, dim, [1] * len(c.out))] if c.out else []


@translates("aten.flip.default", partwise=True)
def flip(c: Context, x: Value, dims: Sequence[int]) -> Value:
    places = sorted({dim % x.rank for dim in dims}) if x.rank else []
    if not places or 0 in x.shape:
        return x
    count = len(places)
    return c.b.op("Slice", x, c.b.ints([-1] * count), c.b.ints([-2**63 + 1] * count), c.b.ints(places), c.b.ints([-1] * count),
                  dtype=x.dtype, shape=x.shape)


@translates("aten.roll.default", partwise=True)
def roll(c: Context, x: Value, shifts: Any, dims: Any = ()) -> Value:
    shifts, dims = ([value] if not isinstance(value, (list, tuple)) else list(value) for value in (shifts, dims))
    if not dims:
        flat = c.b.reshape(x, (c.b.count_of(x),))
        return c.b.reshape(_roll(c, flat, 0, shifts[0]), x.shape)
    for shift, dim in zip(shifts, dims):
        x = _roll(c, x, dim, shift)
    return x


def _roll(c: Context, x: Value, dim: int, shift: Any) -> Value:
    if x.rank == 0:
        return x
    size = x.shape[dim % x.rank]
    if not isinstance(size, int) or not isinstance(shift, int):
        moved = c.b.op("Sub", c.b.range(size), c.value(shift, torch.int64))
        places = c.b.op("Mod", moved, c.b.scalar(size))
        return c.b.op("Gather", x, places, dtype=x.dtype, shape=x.shape, axis=dim % x.rank)
    place = -shift % size if size else 0
    return c.b.concat([c.b.slice(x, dim, place, size), c.b.slice(x, dim, 0, place)], dim) if place else x


@translates("aten.repeat.default", partwise=True)
def repeat(c: Context, x: Value, repeats: Sequence[Any]) -> Value:
    x = c.b.reshape(x, (1,) * (len(repeats) - x.rank) + x.shape)
    if x.rank == 0:
        return x
    return c.b.op("Tile", x, c.b.list(repeats), dtype=x.dtype, shape=c.shape)


@translates("aten.constant_pad_nd.default")
def constant_pad_nd(c: Context, x: Value, pad: Sequence[Any], value: Any = 0) -> Value:
    pairs = [(size_of(pad[i]), size_of(pad[i + 1])) for i in range(0, len(pad), 2)]
    pairs += [(0, 0)] * (x.rank - len(pairs))
    pairs.reverse()
    if not any(pair != (0, 0) for pair in pairs):
        return x
    amounts = c.b.list([begin for begin, _ in pairs] + [end for _, end in pairs])
    return c.b.op("Pad", x, amounts, c.value(value, x.dtype), dtype=x.dtype, shape=c.shape, mode="constant")


def strided_places(c: Context, x: Value, size: Sequence[Any], stride: Sequence[Any], offset: Any) -> torch.Tensor:
    """Which elements a strided view has of a tensor that lies in order; how others lie the model does not know."""
    if not is_fixed(x.shape) or not all(isinstance(number, int) for number in (*size, *stride, offset or 0)):
        raise Unsupported("a strided view of free sizes")
    places = torch.zeros(tuple(size), dtype=torch.int64) + (offset or 0)
    for axis, step in enumerate(stride):
        places += (torch.arange(size[axis]) * step).reshape([-1 if place == axis else 1 for place in range(len(size))])
    if places.numel() and int(places.max()) >= c.b.count_of(x):
        raise Unsupported("a strided view of more than the tensor")
    return places


@translates("aten.as_strided.default", "aten.as_strided_copy.default", partwise=True)
def as_strided(c: Context, x: Value, size: Sequence[Any], stride: Sequence[Any], storage_offset: Any = None) -> Value:
    places = strided_places(c, x, size, stride, storage_offset)
    flat = c.b.reshape(x, (c.b.count_of(x),))
    return c.b.op("Gather", flat, c.b.tensor(places), dtype=x.dtype, shape=tuple(size), axis=0)


@translates("aten.diagonal.default", "aten.diagonal_copy.default", partwise=True)
def diagonal(c: Context, x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    b, dim1, dim2, count = c.b, dim1 % x.rank, dim2 % x.rank, c.shape[-1]
    rows, columns = x.shape[dim1], x.shape[dim2]
    rest = [axis for axis in range(x.rank) if axis not in (dim1, dim2)]
    kept = [x.shape[axis] for axis in rest]
    flat = b.reshape(b.transpose(x, [*rest, dim1, dim2]), (*kept, rows * columns))
    first = offset if offset >= 0 else -offset * columns
    if not isinstance(rows, int) or not isinstance(columns, int) or not isinstance(count, int):
        steps = b.op("Mul", b.range(count), b.scalar(columns + 1))
        places = b.op("Add", steps, b.scalar(first), shape=(count,))
        return b.op("Gather", flat, places, dtype=x.dtype, shape=(*kept, count), axis=len(kept))
    return c.b.slice(flat, -1, first, first + (count - 1) * (columns + 1) + 1, columns + 1) if count else c.b.slice(flat, -1, 0, 0)


@translates("aten.unfold.default", "aten.unfold_copy.default", partwise=True)
def unfold(c: Context, x: Value, dimension: int, size: int, step: int) -> Value:
    if x.rank == 0:
        return c.b.expand(c.b.reshape(x, (1,)), c.shape)
    dim = dimension % x.rank
    count = c.shape[dim]
    if isinstance(count, int):
        places = c.b.tensor((torch.arange(count) * step).unsqueeze(1) + torch.arange(size))
    else:
        first = c.b.op("Mul", c.b.range(count), c.b.const(step, torch.int64))
        places = c.b.op("Add", c.b.unsqueeze(first, -1), c.b.range(size))
    shape = (*x.shape[:dim], count, size, *x.shape[dim + 1:])
    windows = c.b.op("Gather", x, places, dtype=x.dtype, shape=shape, axis=dim)
    return c.b.move(windows, dim + 1, -1)


@translates("aten.view.dtype", "aten.view_copy.dtype")
def view_dtype(c: Context, x: Value, dtype: torch.dtype) -> Value:
    from .values import KINDS
    if dtype.itemsize != x.dtype.itemsize or torch.bool in (dtype, x.dtype):
        raise Unsupported("a view as a type of another width")
    return c.b.op("BitCast", x, dtype=dtype, to=KINDS[dtype])


@translates("aten.resize.default", partwise=True)
def resize(c: Context, x: Value, size: Sequence[Any], *, memory_format: Any = None) -> Value:
    """The first elements in memory."""
    b, made, there = c.b, math.prod(c.shape), c.b.count_of(x)
    if not isinstance(made, int) or not isinstance(there, int) or made > there or not c.given[0].is_contiguous():
        raise Unsupported("another size of what does not lie in order, or for more elements than there are")
    return b.reshape(b.slice(b.reshape(x, (there,)), 0, 0, made), c.shape)
