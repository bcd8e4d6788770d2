# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are made of numbers. Random ones stay in PyTorch."""
from __future__ import annotations

from typing import Any

import torch

from .builder import INLINE
from .table import Context, translates
from .values import Unsupported, Value, is_fixed


@translates("aten.full.default", "aten.full_like.default", "aten.new_full.default")
def full(c: Context, _: Any, second: Any, third: Any = None, **__: Any) -> Value:
    number = second if third is None else third
    return c.b.expand(c.value(number, c.dtype), c.shape)


@translates("aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default", "aten._efficientzerotensor.default")
def zeros(c: Context, *_: Any, **__: Any) -> Value:
    return c.b.fill(0, c.dtype, c.shape)


@translates("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def ones(c: Context, *_: Any, **__: Any) -> Value:
    return c.b.fill(1, c.dtype, c.shape)


@translates("aten.empty.memory_format", "aten.empty_like.default", "aten.new_empty.default", "aten.empty_permuted.default",
            "aten.empty_strided.default", "aten.new_empty_strided.default")
def empty(c: Context, *_: Any, **__: Any) -> Value:
    """What it holds means nothing: zeros."""
    return c.b.fill(0, c.dtype, c.shape)


@translates("aten.scalar_tensor.default")
def scalar_tensor(c: Context, number: Any, **_: Any) -> Value:
    return c.value(number, c.dtype)


@translates("aten.fill.Scalar", "aten.fill.Tensor")
def fill(c: Context, x: Value, value: Any) -> Value:
    return c.b.expand(c.value(value, c.dtype), c.shape)


@translates("aten.arange.start_step", "aten.arange.default", "aten.arange.start")
def arange(c: Context, *numbers: Any, **_: Any) -> Value:
    start, end, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    count = c.shape[0]
    is_short = isinstance(count, int) and (count <= INLINE or c.dtype.is_floating_point)
    if is_short and all(isinstance(number, (int, float)) for number in (start, step)):
        return c.b.tensor(torch.arange(start, end if isinstance(end, (int, float)) else start + count * step, step, dtype=c.dtype))
    if not all(isinstance(number, (int, torch.SymInt)) for number in (start, step)):
        raise Unsupported("a range of free length by steps that are no integers")
    places = c.b.range(count)
    if not isinstance(step, int) or step != 1:
        places = c.b.op("Mul", places, c.value(step, torch.int64))
    return places if isinstance(start, int) and start == 0 else c.b.op("Add", places, c.value(start, torch.int64))


@translates("prims.iota.default")
def iota(c: Context, length: Any, *, start: Any, step: Any, **_: Any) -> Value:
    return arange(c, start, None, step)  # type: ignore[no-any-return]


@translates("aten.eye.default", "aten.eye.m")
def eye(c: Context, *_: Any, **__: Any) -> Value:
    if not is_fixed(c.shape):
        rows, columns = c.b.unsqueeze(c.b.range(c.shape[0]), -1), c.b.range(c.shape[1])
        return c.b.cast(c.b.compare("Equal", rows, columns), c.dtype)
    return c.b.tensor(torch.eye(*c.shape, dtype=c.dtype))


@translates("aten.linspace.default")
def linspace(c: Context, start: Any, end: Any, steps: int, **_: Any) -> Value:
    if not isinstance(steps, int) or not all(isinstance(number, (int, float)) for number in (start, end)):
        raise Unsupported("a range of free length")
    return c.b.tensor(torch.linspace(start, end, steps, dtype=c.dtype))
