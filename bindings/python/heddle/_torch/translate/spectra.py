# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms."""
from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from .table import Context, translates_complex
from .values import Complex, Unsupported, Value


def _parts(c: Context, x: Value) -> Complex:
    return Complex(*[c.b.op("Gather", x, c.b.const(part, torch.int64), dtype=x.dtype, shape=x.shape[:-1], axis=x.rank - 1) for part in (0, 1)])


def _transform(c: Context, x: Value | Complex, dim: int, forward: bool, onesided: bool = False) -> Complex:
    """Along one dimension, not divided by anything."""
    b, dim = c.b, dim % x.rank
    size = x.shape[dim]
    if not isinstance(size, int) or 0 in x.shape:
        raise Unsupported("a transform of a free size, or of nothing")
    parts = [b.unsqueeze(part, -1) for part in (x if isinstance(x, Complex) else [x])]
    joined = b.concat(parts, -1)
    made = size // 2 + 1 if onesided else size
    shape = (*[made if axis == dim else length for axis, length in enumerate(x.shape)], 2)
    done = b.op("DFT", joined, None, b.const(dim, torch.int64), dtype=joined.dtype, shape=shape, inverse=int(not forward), onesided=int(onesided))
    result = _parts(c, done)
    return result if forward else _times(c, result, float(size))


def _times(c: Context, x: Complex, factor: float) -> Complex:
    if factor == 1:
        return x
    number = c.b.const(factor, x.re.dtype)
    return Complex(c.b.op("Mul", x.re, number), c.b.op("Mul", x.im, number))


def _factor(normalization: int, sizes: Sequence[Any]) -> float:
    """0: none, 1: by the root of the number of elements, 2: by it."""
    count = math.prod(sizes)
    return 1.0 if normalization == 0 else 1 / math.sqrt(count) if normalization == 1 else 1 / count


@translates_complex("aten._fft_c2c.default")
def fft_c2c(c: Context, x: Complex, dim: Sequence[int], normalization: int, forward: bool) -> Complex:
    sizes = [x.shape[axis] for axis in dim]
    for axis in dim:
        x = _transform(c, x, axis, forward)
    return _times(c, x, _factor(normalization, sizes)) if dim else x


@translates_complex("aten._fft_r2c.default")
def fft_r2c(c: Context, x: Value, dim: Sequence[int], normalization: int, onesided: bool) -> Complex:
    sizes = [x.shape[axis] for axis in dim]
    result = _transform(c, x, dim[-1], True, onesided)
    for axis in dim[:-1]:
        result = _transform(c, result, axis, True)
    return _times(c, result, _factor(normalization, sizes))


@translates_complex("aten._fft_c2r.default")
def fft_c2r(c: Context, x: Complex, dim: Sequence[int], normalization: int, last_dim_size: Any) -> Value:
    b = c.b
    for axis in dim[:-1]:
        x = _transform(c, x, axis, False)
    last, size = dim[-1] % x.rank, last_dim_size
    if not isinstance(size, int) or x.shape[last] != size // 2 + 1:
        raise Unsupported("a transform of a free size")
    mirrored = []
    for part in x:  # what one side says of the other: its conjugate, backwards
        inner = b.slice(part, last, 1, (size + 1) // 2)
        if inner.shape[last] == 0:
            mirrored.append(part)
            continue
        backwards = b.op("Slice", inner, b.ints([-1]), b.ints([-2**63 + 1]), b.ints([last]), b.ints([-1]), dtype=inner.dtype, shape=inner.shape)
        mirrored.append(b.concat([part, backwards if part is x.re else b.op("Neg", backwards)], last))
    made = _transform(c, Complex(*mirrored), last, False)
    factor = _factor(normalization, [*[x.shape[axis] for axis in dim[:-1]], size])
    return _times(c, made, factor).re
