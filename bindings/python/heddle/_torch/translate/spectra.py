# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms."""
from __future__ import annotations

import math
from typing import Any, Sequence

import torch
from torch.utils._sympy.functions import FloorDiv

from .table import Context, translates_complex
from .values import Complex, Size, Unsupported, Value, size_of


def _half(size: Size) -> Size:
    return size // 2 if isinstance(size, int) else FloorDiv(size, 2)


def _parts(c: Context, x: Value) -> Complex:
    return Complex(*[c.b.op("Gather", x, c.b.const(part, torch.int64), dtype=x.dtype, shape=x.shape[:-1], axis=x.rank - 1) for part in (0, 1)])


def _transform(c: Context, x: Value | Complex, dim: int, forward: bool, onesided: bool = False) -> Complex:
    """Along one dimension, not divided by anything."""
    b, dim = c.b, dim % x.rank
    size = x.shape[dim]
    if 0 in x.shape:
        raise Unsupported("a transform of nothing")
    parts = [b.unsqueeze(part, -1) for part in (x if isinstance(x, Complex) else [x])]
    joined = b.concat(parts, -1)
    made = _half(size) + 1 if onesided else size
    shape = (*[made if axis == dim else length for axis, length in enumerate(x.shape)], 2)
    done = b.op("DFT", joined, None, b.const(dim, torch.int64), dtype=joined.dtype, shape=shape, inverse=int(not forward), onesided=int(onesided))
    result = _parts(c, done)
    return result if forward else _times(c, result, _count(c, size, result.re.dtype))


def _count(c: Context, size: Size, dtype: torch.dtype) -> Value:
    return c.b.const(float(size), dtype) if isinstance(size, int) else c.b.cast(c.b.scalar(size), dtype)


def _times(c: Context, x: Complex, factor: Value | None) -> Complex:
    return x if factor is None else Complex(c.b.op("Mul", x.re, factor), c.b.op("Mul", x.im, factor))


def _factor(c: Context, normalization: int, sizes: Sequence[Size], dtype: torch.dtype) -> Value | None:
    """0: none, 1: by the root of the number of elements, 2: by it."""
    count = math.prod(sizes)
    if normalization == 0:
        return None
    if isinstance(count, int):
        return c.b.const(1 / math.sqrt(count) if normalization == 1 else 1 / count, dtype)
    value = _count(c, count, dtype)
    return c.b.op("Reciprocal", c.b.op("Sqrt", value) if normalization == 1 else value)


@translates_complex("aten._fft_c2c.default")
def fft_c2c(c: Context, x: Complex, dim: Sequence[int], normalization: int, forward: bool) -> Complex:
    sizes = [x.shape[axis] for axis in dim]
    for axis in dim:
        x = _transform(c, x, axis, forward)
    return _times(c, x, _factor(c, normalization, sizes, x.re.dtype)) if dim else x


@translates_complex("aten._fft_r2c.default")
def fft_r2c(c: Context, x: Value, dim: Sequence[int], normalization: int, onesided: bool) -> Complex:
    sizes = [x.shape[axis] for axis in dim]
    result = _transform(c, x, dim[-1], True, onesided)
    for axis in dim[:-1]:
        result = _transform(c, result, axis, True)
    return _times(c, result, _factor(c, normalization, sizes, x.dtype))


@translates_complex("aten._fft_c2r.default")
def fft_c2r(c: Context, x: Complex, dim: Sequence[int], normalization: int, last_dim_size: Any) -> Value:
    b = c.b
    for axis in dim[:-1]:
        x = _transform(c, x, axis, False)
    last, size = dim[-1] % x.rank, size_of(last_dim_size)
    if x.shape[last] != _half(size) + 1:
        raise Unsupported("a transform to a size that is not that of its operand")
    mirrored = []
    for part in x:  # what one side says of the other: its conjugate, backwards
        inner = b.slice(part, last, 1, _half(size + 1))
        if inner.shape[last] == 0:
            mirrored.append(part)
            continue
        backwards = b.op("Slice", inner, b.ints([-1]), b.ints([-2**63 + 1]), b.ints([last]), b.ints([-1]), dtype=inner.dtype, shape=inner.shape)
        mirrored.append(b.concat([part, backwards if part is x.re else b.op("Neg", backwards)], last))
    whole = [part._replace(shape=(*part.shape[:last], size, *part.shape[last + 1:])) for part in mirrored]
    made = _transform(c, Complex(*whole), last, False)
    return _times(c, made, _factor(c, normalization, [*[x.shape[axis] for axis in dim[:-1]], size], made.re.dtype)).re
