# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, means, extremes and their positions, along dimensions."""
from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from .builder import math_type
from .table import Context, translates
from .values import KINDS, Unsupported, Value, is_fixed


def axes_of(x: Value, dim: Any) -> list[int]:
    """The dimensions that `dim` names; none: all."""
    if dim is None or isinstance(dim, (list, tuple)) and not dim:
        return list(range(x.rank))
    places = dim if isinstance(dim, (list, tuple)) else [dim]
    return [place % x.rank for place in places] if x.rank else []


def mean_of(c: Context, x: Value, axes: Sequence[int], keep: bool) -> Value:
    """Of nothing: NaN."""
    count = c.b.count_of(x, axes)
    if isinstance(count, int) and count > 0:
        return c.b.reduce("ReduceMean", x, axes, keep)
    total = c.b.reduce("ReduceSum", x, axes, keep)
    return c.b.op("Div", total, c.b.cast(c.b.scalar(count), x.dtype))


@translates("aten.sum.dim_IntList", "aten.sum.default", partwise=True)
def sum_(c: Context, x: Value, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Value:
    return c.b.reduce("ReduceSum", c.math(x), axes_of(x, dim), keepdim)


@translates("aten.mean.dim", "aten.mean.default")
def mean(c: Context, x: Value, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Value:
    return mean_of(c, c.math(x), axes_of(x, dim), keepdim)


@translates("aten.prod.dim_int")
def prod_dim(c: Context, x: Value, dim: int, keepdim: bool = False, *, dtype: Any = None) -> Value:
    return c.b.reduce("ReduceProd", c.math(x), axes_of(x, dim), keepdim)


@translates("aten.prod.default")
def prod(c: Context, x: Value, *, dtype: Any = None) -> Value:
    return c.b.reduce("ReduceProd", c.math(x))


def _spread(c: Context, x: Value, axes: Sequence[int], correction: Any, keep: bool) -> tuple[Value, Value]:
    """Variance and mean."""
    b, value = c.b, c.math(x, x.dtype)
    middle = mean_of(c, value, axes, True)
    shifted = b.op("Sub", value, middle)
    total = b.reduce("ReduceSum", b.op("Mul", shifted, shifted), axes, keep)
    count, less = b.count_of(x, axes), 1 if correction is None else correction
    if isinstance(count, int):
        freedom = b.const(float(max(0, count - less)), value.dtype)
    else:
        freedom = b.op("Sub", b.cast(b.scalar(count), value.dtype), b.const(float(less), value.dtype))
        freedom = b.op("Max", freedom, b.const(0.0, value.dtype))
    return b.op("Div", total, freedom), middle if keep else b.squeeze(middle, *axes)


@translates("aten.var.correction")
def var(c: Context, x: Value, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Value:
    return _spread(c, x, axes_of(x, dim), correction, keepdim)[0]


@translates("aten.var_mean.correction")
def var_mean(c: Context, x: Value, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    return _spread(c, x, axes_of(x, dim), correction, keepdim)


@translates("aten.std.correction")
def std(c: Context, x: Value, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Value:
    return c.b.op("Sqrt", _spread(c, x, axes_of(x, dim), correction, keepdim)[0])


@translates("aten.std_mean.correction")
def std_mean(c: Context, x: Value, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    variance, middle = _spread(c, x, axes_of(x, dim), correction, keepdim)
    return c.b.op("Sqrt", variance), middle


# Extremes.

def _extreme(c: Context, kind: str, x: Value, axes: Sequence[int], keep: bool) -> Value:
    if x.dtype == torch.bool:
        return c.b.cast(c.b.reduce(kind, c.b.cast(x, torch.uint8), axes, keep), torch.bool)
    return c.b.reduce(kind, x, axes, keep)


@translates("aten.amax.default")
def amax(c: Context, x: Value, dim: Any = (), keepdim: bool = False) -> Value:
    return _extreme(c, "ReduceMax", x, axes_of(x, dim), keepdim)


@translates("aten.amin.default")
def amin(c: Context, x: Value, dim: Any = (), keepdim: bool = False) -> Value:
    return _extreme(c, "ReduceMin", x, axes_of(x, dim), keepdim)


@translates("aten.max.default")
def max_all(c: Context, x: Value) -> Value:
    return _extreme(c, "ReduceMax", x, axes_of(x, None), False)


@translates("aten.min.default")
def min_all(c: Context, x: Value) -> Value:
    return _extreme(c, "ReduceMin", x, axes_of(x, None), False)


def position(c: Context, kind: str, x: Value, dim: int, keep: bool) -> Value:
    """The first place of the extreme; of the first NaN where there is one."""
    b = c.b
    if x.rank == 0:
        return b.const(0, torch.int64)
    dim %= x.rank
    shape = [1 if axis == dim else size for axis, size in enumerate(x.shape) if keep or axis != dim]

    def first(value: Value, which: str) -> Value:
        return b.op(which, value, dtype=torch.int64, shape=shape, axis=dim, keepdims=int(keep))
    if x.dtype == torch.bool:
        return first(b.cast(x, torch.int32), kind)
    if not x.dtype.is_floating_point:
        return first(x, kind)
    nan = b.cast(b.is_nan(x), torch.int32)
    has_nan = b.cast(b.reduce("ReduceMax", nan, [dim], keep), torch.bool)
    return b.where(has_nan, first(nan, "ArgMax"), first(x, kind))


@translates("aten.max.dim")
def max_dim(c: Context, x: Value, dim: int, keepdim: bool = False) -> Any:
    return _extreme(c, "ReduceMax", x, axes_of(x, dim), keepdim), position(c, "ArgMax", x, dim, keepdim)


@translates("aten.min.dim")
def min_dim(c: Context, x: Value, dim: int, keepdim: bool = False) -> Any:
    return _extreme(c, "ReduceMin", x, axes_of(x, dim), keepdim), position(c, "ArgMin", x, dim, keepdim)


def _position_of(c: Context, kind: str, x: Value, dim: int | None, keep: bool) -> Value:
    if x.dtype == torch.bool:
        raise Unsupported("a place among truth values, which PyTorch refuses")
    if dim is not None:
        return position(c, kind, x, dim, keep)
    flat = c.b.reshape(x, (c.b.count_of(x),))
    return c.b.reshape(position(c, kind, flat, 0, False), c.shape)


@translates("aten.argmax.default")
def argmax(c: Context, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    return _position_of(c, "ArgMax", x, dim, keepdim)


@translates("aten.argmin.default")
def argmin(c: Context, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    return _position_of(c, "ArgMin", x, dim, keepdim)


@translates("aten.any.default", "aten.any.dim", "aten.any.dims")
def any_(c: Context, x: Value, dim: Any = None, keepdim: bool = False) -> Value:
    return _all_or_any(c, "ReduceMax", x, dim, keepdim)


@translates("aten.all.default", "aten.all.dim", "aten.all.dims")
def all_(c: Context, x: Value, dim: Any = None, keepdim: bool = False) -> Value:
    return _all_or_any(c, "ReduceMin", x, dim, keepdim)


def _all_or_any(c: Context, kind: str, x: Value, dim: Any, keep: bool) -> Value:
    axes = [] if isinstance(dim, (list, tuple)) and not dim and not isinstance(c.out, tuple) and c.out.dim() == x.rank else axes_of(x, dim)
    value = c.b.cast(c.b.cast(x, torch.bool), torch.uint8)
    return c.b.cast(c.b.reduce(kind, value, axes, keep), torch.bool)


# Along one dimension.

@translates("aten.cumsum.default", partwise=True)
def cumsum(c: Context, x: Value, dim: int, *, dtype: Any = None) -> Value:
    value = c.math(x)
    return c.b.op("CumSum", value, c.b.const(dim % x.rank, torch.int64), shape=x.shape) if x.rank else value


@translates("aten.cumprod.default")
def cumprod(c: Context, x: Value, dim: int, *, dtype: Any = None) -> Value:
    value = c.math(x)
    return c.b.op("CumProd", value, c.b.const(dim % x.rank, torch.int64), shape=x.shape) if x.rank else value


def _wide(c: Context, x: Value) -> Value:
    return c.b.cast(x, math_type(x.dtype))


@translates("aten.logcumsumexp.default")
def logcumsumexp(c: Context, x: Value, dim: int) -> Value:
    """In steps of 1, 2, 4, … each element takes up what lies so far before it."""
    b, value = c.b, c.math(x)
    if x.rank == 0 or 0 in x.shape:
        return value
    dim %= x.rank
    size = x.shape[dim]
    if not isinstance(size, int):
        raise Unsupported("a running sum of exponentials along a free size")
    step = 1
    while step < size:
        none = b.fill(-math.inf, value.dtype, [step if axis == dim else length for axis, length in enumerate(x.shape)])
        value = _log_sum(c, value, b.concat([none, b.slice(value, dim, 0, size - step)], dim)._replace(shape=x.shape))
        step *= 2
    return value


def _log_sum(c: Context, x: Value, y: Value) -> Value:
    """log(exp x + exp y)."""
    b = c.b
    great, small = b.op("Max", x, y), b.op("Min", x, y)
    made = b.op("Add", great, b.op("Log1p", b.op("Exp", b.op("Sub", small, great)), domain="heddle"))
    is_same = b.op("And", b.compare("Equal", x, y), b.op("IsInf", x, dtype=torch.bool))
    return b.where(is_same, x, made)


@translates("aten.logsumexp.default")
def logsumexp(c: Context, x: Value, dim: Any, keepdim: bool = False) -> Value:
    b, value = c.b, c.math(x)
    axes = axes_of(x, dim)
    if not axes:
        return value if x.rank == 0 else b.op("Log", b.op("Exp", value))
    peak = b.reduce("ReduceMax", value, axes, True)
    peak = b.where(b.op("IsInf", peak, dtype=torch.bool), b.const(0.0, value.dtype), peak)
    total = b.op("Log", b.reduce("ReduceSum", b.op("Exp", b.op("Sub", value, peak)), axes, keepdim))
    return b.op("Add", total, peak if keepdim else b.squeeze(peak, *axes))


@translates("aten.norm.Scalar", "aten.norm.ScalarOpt_dim", "aten.linalg_vector_norm.default")
def norm(c: Context, x: Value, p: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Value:
    return norm_along(c, c.math(x), 2 if p is None else p, axes_of(x, dim), keepdim)


def norm_along(c: Context, value: Value, p: Any, axes: Sequence[int], keepdim: bool) -> Value:
    b, magnitude = c.b, c.b.op("Abs", value)
    if math.isinf(p):
        if not is_fixed(value.shape) or 0 in value.shape:
            raise Unsupported("a norm of infinite order of a tensor that may be empty")
        return b.reduce("ReduceMax" if p > 0 else "ReduceMin", magnitude, axes, keepdim)
    if p == 0:
        return b.reduce("ReduceSum", b.cast(b.cast(value, torch.bool), value.dtype), axes, keepdim)
    if p == 1:
        return b.reduce("ReduceSum", magnitude, axes, keepdim)
    if p == 2:
        return b.op("Sqrt", b.reduce("ReduceSum", b.op("Mul", value, value), axes, keepdim))
    total = b.reduce("ReduceSum", b.op("Pow", magnitude, b.const(float(p), value.dtype)), axes, keepdim)
    return b.op("Pow", total, b.const(1 / float(p), value.dtype))


@translates("aten.hash_tensor.default")
def hash_tensor(c: Context, x: Value, dim: Any = (), *, keepdim: bool = False, mode: int = 0) -> Value:
    """The exclusive or of all elements as integers of 64 bits, floats as f64: the parity of each bit."""
    b, count = c.b, c.b.count_of(x)
    if mode != 0 or not isinstance(count, int) or count > 1 << 16:
        raise Unsupported("a sum of bits of a free number of elements, or of many")
    if x.dtype.is_floating_point:
        x = b.op("BitCast", b.cast(x, torch.float64), dtype=torch.int64, to=KINDS[torch.int64])
    number = b.cast(b.cast(x, torch.int64), torch.uint64)
    places = b.tensor(torch.arange(64, dtype=torch.int64).to(torch.uint64))
    bits = b.op("BitwiseAnd", b.op("BitShift", b.unsqueeze(number, -1), places, direction="RIGHT"), b.const(1, torch.uint64))
    odd = b.op("BitwiseAnd", b.reduce("ReduceSum", b.cast(bits, torch.int64), axes_of(x, dim), keepdim), b.const(1, torch.int64))
    moved = b.op("BitShift", b.cast(odd, torch.uint64), places, direction="LEFT")
    return b.cast(b.reduce("ReduceSum", b.cast(moved, torch.int64), [-1]), torch.uint64)
