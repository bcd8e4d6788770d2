# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing elements to places that tensors or slices say."""
from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from .indexing import are_adjacent, counted_from_0, cut_to, joined, places_of, to_front
from .movement import bounds, strided_places
from .table import Context, translates
from .values import Unsupported, Value, is_fixed, shape_of, size_of

_REDUCTIONS = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "max", "amin": "min"}


def _elements(c: Context, x: Value, dim: int, index: Value, source: Value, reduction: str) -> Value:
    return c.b.op("ScatterElements", x, index, source, dtype=x.dtype, shape=x.shape, axis=dim, **({"reduction": reduction} if reduction else {}))


def scatter_to(c: Context, x: Value, dim: int, index: Value, source: Any, reduction: str = "", include_self: bool = True) -> Value:
    """`reduction`: of ONNX. Without `include_self` what is written to does not count itself."""
    b = c.b
    rank = x.rank
    x, index = (b.reshape(value, (1,)) if value.rank == 0 else value for value in (x, index))
    if b.count_of(index) == 0:
        return b.reshape(x, c.shape)
    dim, index = dim % x.rank if rank else 0, counted_from_0(c, index)
    if isinstance(source, Value) and (source.rank or not index.rank):
        source = cut_to(c, b.reshape(source, (1,)) if source.rank == 0 else source, index.shape)
    else:
        source = b.expand(c.value(source, x.dtype), index.shape)
    dtype, is_wide = x.dtype, reduction in ("add", "mul")
    if dtype == torch.bool and reduction:
        x, source = b.cast(x, torch.int32), b.cast(source, torch.int32)
    elif is_wide:
        x, source = c.math(x, dtype), c.math(source, dtype)
    if reduction and not include_self:
        neutral = b.expand(b.const(_neutral(reduction, x.dtype), x.dtype), index.shape)
        x = _elements(c, x, dim, index, neutral, "")
    return b.reshape(b.cast(_elements(c, x, dim, index, source, reduction), dtype), c.shape)


def _neutral(reduction: str, dtype: torch.dtype) -> int | float:
    limits = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    if reduction in ("add", "mul"):
        return (float if dtype.is_floating_point else int)(reduction == "mul")
    if dtype.is_floating_point:
        return float("-inf") if reduction == "max" else float("inf")
    return limits.min if reduction == "max" else limits.max  # type: ignore[no-any-return]


@translates("aten.scatter.src", "aten.scatter.value", partwise=True)
def scatter(c: Context, x: Value, dim: int, index: Value, source: Any) -> Value:
    return scatter_to(c, x, dim, index, source)


@translates("aten.scatter.reduce", "aten.scatter.value_reduce")
def scatter_with(c: Context, x: Value, dim: int, index: Value, source: Any, *, reduce: str) -> Value:
    return scatter_to(c, x, dim, index, source, _REDUCTIONS[reduce])


@translates("aten.scatter_add.default", partwise=True)
def scatter_add(c: Context, x: Value, dim: int, index: Value, source: Value) -> Value:
    return scatter_to(c, x, dim, index, source, "add")


@translates("aten.scatter_reduce.two")
def scatter_reduce(c: Context, x: Value, dim: int, index: Value, source: Value, reduce: str, *, include_self: bool = True) -> Value:
    return _reduced_into(c, x, dim, index, source, reduce, include_self)


def _reduced_into(c: Context, x: Value, dim: int, index: Value, source: Value, reduce: str, include_self: bool) -> Value:
    b = c.b
    if reduce != "mean":
        return scatter_to(c, x, dim, index, source, _REDUCTIONS[reduce], include_self)
    total = scatter_to(c, c.math(x), dim, index, c.math(source), "add", include_self)
    ones = b.fill(1, torch.int64, x.shape)
    count = scatter_to(c, ones, dim, index, 1, "add", include_self)
    if x.dtype.is_floating_point:
        return b.op("Div", total, b.cast(count, total.dtype))
    from .elementwise import quotient
    return quotient(c, total, count, "floor")


@translates("aten.index_reduce.default")
def index_reduce(c: Context, x: Value, dim: int, index: Value, source: Value, reduce: str, *, include_self: bool = True) -> Value:
    b = c.b
    if x.rank == 0:
        return b.reshape(_reduced_into(c, x, 0, b.reshape(index, ()), b.reshape(source, ()), reduce, include_self), ())
    dim %= x.rank
    places = b.unsqueeze(b.reshape(index, (b.count_of(index),)), *[axis for axis in range(x.rank) if axis != dim])
    return _reduced_into(c, x, dim, b.expand(c.value(places, torch.int64), source.shape), source, reduce, include_self)


# By lists of indices.

@translates("aten.index_put.default", "aten._unsafe_index_put.default", partwise=True)
def index_put(c: Context, x: Value, indices: Sequence[Value | None], values: Value, accumulate: bool = False) -> Value:
    b = c.b
    found = [(axis, index) for axis, index in enumerate(indices) if index is not None]
    if len(found) == 1 and found[0][1].dtype in (torch.bool, torch.uint8):
        return _put_by_mask(c, x, *found[0], values, accumulate)
    found = places_of(x, indices)
    if not found:
        raise Unsupported("no index")
    axes = [axis for axis, _ in found]
    places, shape = joined(c, found)
    rest = [axis for axis in range(x.rank) if axis not in axes]
    sizes = [x.shape[axis] for axis in rest]
    first, count = axes[0] if are_adjacent(axes) else 0, len(shape)
    seen = (*sizes[:first], *shape, *sizes[first:])  # as x[indices] has them
    values = b.expand(b.reshape(values, (1,) * (len(seen) - values.rank) + values.shape) if values.rank < len(seen) else values, seen)
    if b.count_of(values) == 0:
        return x
    if first == 0 or accumulate:
        return _put_in_front(c, x, axes, places, b.transpose(values, [*range(first, first + count), *range(first), *range(first + count, len(seen))]),
                             accumulate)
    if len(axes) == 1 and _may_put_slice(c, x, first, found[0][1], values):
        place = c.value(found[0][1], torch.int64)
        place = b.where(b.compare("Less", place, b.const(0, torch.int64)), b.op("Add", place, b.scalar(x.shape[first])), place)
        return _put_slice(c, x, first, place, b.reshape(values, (*x.shape[:first], 1, *x.shape[first + 1:])))
    return _scatter_nd(c, x, _behind(c, x, first, places), values, False)


def _put_in_front(c: Context, x: Value, axes: Sequence[int], places: Value, values: Value, accumulate: bool) -> Value:
    rest = [axis for axis in range(x.rank) if axis not in axes]
    front = to_front(c, x, axes)
    put = _scatter_nd(c, front, places, values, accumulate)
    order = [*axes, *rest]
    return c.b.transpose(put, [order.index(axis) for axis in range(x.rank)])


def _behind(c: Context, x: Value, first: int, places: Value) -> Value:
    """Places in the dimensions from `first` on as places in all of them, for each place in those before: no element of `x` moves, so
    that it may be written where it lies."""
    b = c.b
    shape = (*x.shape[:first], *places.shape[:-1])
    columns = [b.expand(b.reshape(b.range(x.shape[axis]), [x.shape[axis] if other == axis else 1 for other in range(len(shape))] + [1]),
                        (*shape, 1)) for axis in range(first)]
    return b.concat([*columns, b.expand(b.reshape(places, [1] * first + list(places.shape)), (*shape, places.shape[-1]))], -1)


def _scatter_nd(c: Context, x: Value, places: Value, values: Value, accumulate: bool) -> Value:
    dtype = x.dtype
    if accumulate and dtype == torch.bool:
        x, values = c.b.cast(x, torch.int32), c.b.cast(values, torch.int32)
    elif accumulate:
        x, values = c.math(x, dtype), c.math(values, dtype)
    made = c.b.op("ScatterND", x, places, values, dtype=x.dtype, shape=x.shape, **({"reduction": "add"} if accumulate else {}))
    return c.b.cast(made, dtype)


def _put_by_mask(c: Context, x: Value, axis: int, mask: Value, values: Value, accumulate: bool) -> Value:
    if c.b.count_of(values) != 1:
        raise Unsupported("an index by a mask with a list of values: how much it takes depends on data")
    condition = c.b.cast(mask, torch.bool)
    condition = c.b.unsqueeze(condition, *range(mask.rank, x.rank - axis)) if x.rank - axis > mask.rank else condition
    values = c.b.reshape(values, ())
    if accumulate:
        values = c.b.op("Add", x, values) if x.dtype != torch.bool else c.b.op("Or", x, values)
    return c.b.where(condition, values, x)


@translates("aten.index_add.default", partwise=True)
def index_add(c: Context, x: Value, dim: int, index: Value, source: Value, *, alpha: Any = 1) -> Value:
    if alpha != 1:
        source = c.b.op("Mul", source, c.value(alpha, source.dtype)) if x.dtype != torch.bool else source
    return _along(c, x, dim, index, source, True)


@translates("aten.index_copy.default", partwise=True)
def index_copy(c: Context, x: Value, dim: int, index: Value, source: Value) -> Value:
    return _along(c, x, dim, index, source, False)


_MOST_SLICES = 16  # so many TensorScatter writes one by one


def _may_put_slice(c: Context, x: Value, dim: int, index: Value, source: Value) -> bool:
    return dim > 0 and c.b.count_of(index) == 1 and isinstance(x.shape[0], int) and 0 < x.shape[0] <= _MOST_SLICES and c.b.count_of(source) != 0


def _put_slice(c: Context, x: Value, dim: int, index: Value, source: Value) -> Value:
    """With `source`, of one place along `dim`, at the place that `index` says: a slice of `x` is written, where that may be where it
    lies, and nothing else moves. The call fails where there is no such place."""
    places = c.b.expand(c.b.reshape(index, (1,)), x.shape[:1])
    return c.b.op("TensorScatter", x, source, places, dtype=x.dtype, shape=x.shape, axis=dim)


def _along(c: Context, x: Value, dim: int, index: Value, source: Value, accumulate: bool) -> Value:
    if x.rank == 0:
        x, source, dim = c.b.reshape(x, (1,)), c.b.reshape(source, (1,)), 0
    index = c.b.reshape(index, (1,)) if index.rank == 0 else index
    dim %= x.rank
    if source.rank < x.rank:
        source = c.b.unsqueeze(source, dim)
    if not accumulate and _may_put_slice(c, x, dim, index, source):
        return _put_slice(c, x, dim, c.value(index, torch.int64), c.value(source, x.dtype))
    places = c.b.unsqueeze(counted_from_0(c, c.value(index, torch.int64)), -1)
    if dim and not accumulate and c.b.count_of(source) != 0:
        return _scatter_nd(c, x, _behind(c, x, dim, places), c.value(source, x.dtype), False)
    put = _scatter_nd(c, to_front(c, x, [dim]), places, to_front(c, source, [dim]), accumulate) if c.b.count_of(source) != 0 else to_front(c, x, [dim])
    return c.b.reshape(c.b.move(put, 0, dim), c.shape)


@translates("aten.put.default", partwise=True)
def put(c: Context, x: Value, index: Value, source: Value, accumulate: bool = False) -> Value:
    count = c.b.count_of(index)
    if count == 0:
        return x
    flat = c.b.reshape(x, (c.b.count_of(x),))
    places = c.b.reshape(index, (count, 1))
    return c.b.reshape(_scatter_nd(c, flat, places, c.b.reshape(source, (count,)), accumulate), x.shape)


def _packed(c: Context, mask: Value, values: Value, size: Any) -> Value:
    """The values where the mask holds, in order, then zeros: `size` of them."""
    b, count = c.b, c.b.count_of(mask)
    flat = b.reshape(mask, (count,))
    number = b.op("CumSum", b.cast(flat, torch.int64), b.const(0, torch.int64), shape=(count,))
    place = b.where(flat, b.op("Sub", number, b.const(1, torch.int64)), b.scalar(size))
    place = b.op("Min", place, b.scalar(size))
    zeros = b.fill(0, values.dtype, (size + 1,))
    put = b.op("ScatterElements", zeros, place, b.reshape(values, (count,)), dtype=values.dtype, shape=zeros.shape, axis=0)
    return b.slice(put, 0, 0, size)


@translates("aten.masked_scatter_backward.default")
def masked_scatter_backward(c: Context, grad: Value, mask: Value, sizes: Sequence[Any]) -> Value:
    count = math.prod(shape_of(sizes))
    if count == 0 or c.b.count_of(grad) == 0:
        return c.b.fill(0, c.dtype, c.shape)
    return c.b.reshape(_packed(c, c.b.expand(mask, grad.shape), grad, count), c.shape)


@translates("aten.nonzero_static.default")
def nonzero_static(c: Context, x: Value, *, size: int, fill_value: int = -1) -> Value:
    b, count = c.b, c.b.count_of(x)
    if not is_fixed(x.shape) or count == 0 or size == 0 or x.rank == 0:
        raise Unsupported("places of a free size, or of none")
    mask = c.value(x, torch.bool)
    number = _packed(c, mask, b.range(count), size)
    found = b.reduce("ReduceSum", b.cast(b.reshape(mask, (count,)), torch.int64), [0], True)
    columns = []
    for axis in range(x.rank):
        below = math.prod(x.shape[axis + 1:])
        column = b.op("Mod", b.op("Div", number, b.const(below, torch.int64)), b.const(x.shape[axis], torch.int64))
        columns.append(b.unsqueeze(b.where(b.compare("Less", b.range(size), found), column, b.const(fill_value, torch.int64)), -1))
    return b.concat(columns, -1)


def _padding_backward(count: int) -> None:
    @translates(f"aten.replication_pad{count}d_backward.default")
    def function(c: Context, grad: Value, x: Value, padding: Sequence[int]) -> Value:
        b, value = c.b, c.math(grad)
        if not is_fixed(x.shape) or 0 in x.shape:
            raise Unsupported("the gradient of a padding of a free size, or of nothing")
        for number in range(count):
            axis = x.rank - 1 - number
            size, made = x.shape[axis], value.shape[axis]
            places = (torch.arange(made) - padding[2 * number]).clamp(0, size - 1)
            index = b.expand(b.tensor(places.reshape([-1 if place == axis else 1 for place in range(x.rank)])), value.shape)
            zeros = b.fill(0.0, value.dtype, [size if place == axis else length for place, length in enumerate(value.shape)])
            value = _elements(c, zeros, axis, index, value, "add")
        return value


for _count in (1, 2, 3):
    _padding_backward(_count)


# Into slices.

@translates("aten.as_strided_scatter.default")
def as_strided_scatter(c: Context, x: Value, source: Value, size: Sequence[Any], stride: Sequence[Any], storage_offset: Any = None) -> Value:
    b, places = c.b, strided_places(c, x, size, stride, storage_offset)
    if places.numel() == 0:
        return x
    if places.unique().numel() != places.numel():
        raise Unsupported("a strided write that overlaps")
    flat = b.reshape(x, (b.count_of(x),))
    put = _elements(c, flat, 0, b.tensor(places.reshape(-1)), b.reshape(c.value(source, x.dtype), (places.numel(),)), "")
    return b.reshape(put, x.shape)


@translates("aten.slice_scatter.default", partwise=True)
def slice_scatter(c: Context, x: Value, source: Value, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Value:
    dim %= x.rank
    size, count = x.shape[dim], source.shape[dim]
    source = c.b.expand(c.value(source, x.dtype), [count if axis == dim else length for axis, length in enumerate(x.shape)])
    if count == 0:
        return x
    if step == 1:
        first, last = bounds(size, start, end, count, 1)
        if isinstance(size, int) and not isinstance(first, int):
            return _put_run(c, x, source, dim, first)
        parts = [c.b.slice(x, dim, 0, first), source, c.b.slice(x, dim, last, size)]
        kept = [part for part in parts if part.shape[dim] != 0]
        return c.b.concat(kept, dim)._replace(shape=x.shape)
    first, _ = bounds(size, start, end, count, step)
    if not isinstance(size, int) or not isinstance(first, int) or not isinstance(count, int):
        raise Unsupported("steps through a free size")
    places = torch.full((size,), -1)
    places[first:first + (count - 1) * step + 1:step] = torch.arange(count)
    return _merge(c, x, source, dim, places)


def _put_run(c: Context, x: Value, source: Value, dim: int, first: Any) -> Value:
    """With `source` at the places of a dimension of known size that begin at a free one."""
    b, count = c.b, source.shape[dim]
    if isinstance(count, int) and dim == 0:
        put = b.op("TensorScatter", b.unsqueeze(x, 0), b.unsqueeze(source, 0), b.size(first), dtype=x.dtype, shape=(1, *x.shape), axis=1)
        return b.squeeze(put, 0)
    if isinstance(count, int) and isinstance(x.shape[0], int) and x.shape[0] <= _MOST_SLICES:
        return b.op("TensorScatter", x, source, b.expand(b.size(first), x.shape[:1]), dtype=x.dtype, shape=x.shape, axis=dim)
    number, zero = b.op("Sub", b.range(x.shape[dim]), b.scalar(first)), b.const(0, torch.int64)
    places = b.op("Min", b.op("Max", number, zero), b.scalar(count - 1))
    is_inside = b.op("And", b.compare("GreaterOrEqual", number, zero), b.compare("Less", number, b.scalar(count)))
    read = b.op("Gather", source, places, dtype=x.dtype, shape=x.shape, axis=dim)
    return b.where(b.reshape(is_inside, [x.shape[dim] if axis == dim else 1 for axis in range(x.rank)]), read, x)


def _merge(c: Context, x: Value, source: Value, dim: int, places: torch.Tensor) -> Value:
    """At each place of a dimension the element of `source` that it names, or where that is -1 the one of `x`."""
    read = c.b.op("Gather", source, c.b.tensor(places.clamp(min=0)), dtype=x.dtype, shape=x.shape, axis=dim)
    shape = [-1 if axis == dim else 1 for axis in range(x.rank)]
    return c.b.where(c.b.tensor((places >= 0).reshape(shape)), read, x)


@translates("aten.select_scatter.default", partwise=True)
def select_scatter(c: Context, x: Value, source: Value, dim: int, index: Any) -> Value:
    dim %= x.rank
    place = size_of(index)
    place = x.shape[dim] + place if isinstance(place, int) and place < 0 else place
    return slice_scatter(c, x, c.b.unsqueeze(source, dim), dim, place, place + 1)  # type: ignore[no-any-return]


@translates("aten.diagonal_scatter.default", partwise=True)
def diagonal_scatter(c: Context, x: Value, source: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    b, dim1, dim2, count = c.b, dim1 % x.rank, dim2 % x.rank, source.shape[-1]
    if count == 0:
        return x
    order = [*[axis for axis in range(x.rank) if axis not in (dim1, dim2)], dim1, dim2]
    front = b.transpose(x, order)
    rows, columns = b.range(front.shape[-2]), b.range(front.shape[-1])
    number = b.op("Add", rows, b.const(min(offset, 0), torch.int64))  # of the diagonal's element in this row, if it has one
    number = b.op("Min", b.op("Max", number, b.const(0, torch.int64)), b.scalar(count - 1))
    read = b.op("Gather", source, number, dtype=source.dtype, shape=front.shape[:-1], axis=source.rank - 1)
    is_on = b.compare("Equal", b.unsqueeze(b.op("Add", rows, b.const(offset, torch.int64)), -1), columns)
    merged = b.op("Where", is_on, b.unsqueeze(c.value(read, x.dtype), -1), front, dtype=x.dtype, shape=front.shape)
    return b.transpose(merged, [order.index(axis) for axis in range(x.rank)])


@translates("aten.masked_scatter.default", partwise=True)
def masked_scatter(c: Context, x: Value, mask: Value, source: Value) -> Value:
    """The n-th place of the mask takes element n of the source."""
    b, shape = c.b, c.shape
    x, mask = b.expand(x, shape), b.expand(mask, shape)
    count, available = b.count_of(x), b.count_of(source)
    if available == 0 or count == 0:
        return x
    number = b.op("CumSum", b.cast(b.reshape(mask, (count,)), torch.int64), b.const(0, torch.int64), shape=(count,))
    place = b.op("Max", b.op("Sub", number, b.const(1, torch.int64)), b.const(0, torch.int64))
    place = b.where(b.reshape(mask, (count,)), place, b.const(0, torch.int64))
    read = b.op("Gather", b.reshape(source, (available,)), place, dtype=source.dtype, shape=(count,), axis=0)
    return b.where(mask, b.reshape(c.value(read, x.dtype), shape), x)
