# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools, and their gradients."""
from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from .table import Context, translates
from .values import Size, Unsupported, Value
from .windows import Axis, gathered, greatest


class _Windows:
    """Of a pool: everything by dimension."""

    def __init__(self, c: Context, x: Value, count: int, kernel: Any, stride: Any, padding: Any, dilation: Any = 1):
        def listed(numbers: Any) -> list[int]:
            numbers = [numbers] if isinstance(numbers, int) else list(numbers)
            return numbers * count if len(numbers) == 1 else numbers  # type: ignore[no-any-return]
        self.kernel = listed(kernel)
        self.stride = listed(stride) if isinstance(stride, int) or stride else self.kernel
        self.padding, self.dilation = listed(padding), listed(dilation)
        self.sizes = x.shape[x.rank - count:]
        self.count = count
        self.is_fixed = all(isinstance(size, int) for size in self.sizes)

    def attributes(self, made: Sequence[Size], ceil_mode: bool) -> dict[str, Any]:
        """Of ONNX's pool. Pads are so that each dimension has as many windows as PyTorch finds; of free sizes that is ONNX's rule,
        too (no window starts behind the operand)."""
        rounded = {"ceil_mode": 1} if ceil_mode and not self.is_fixed else {}
        return {"kernel_shape": self.kernel, "strides": self.stride, "pads": self._pads(made), **rounded}

    def _pads(self, made: Sequence[Size]) -> list[int]:
        ends = list(self.padding)
        for axis in range(self.count):
            if self.is_fixed:
                reach = (made[axis] - 1) * self.stride[axis] + self.dilation[axis] * (self.kernel[axis] - 1) + 1
                ends[axis] = max(reach - self.sizes[axis] - self.padding[axis], 0)
        return [*self.padding, *ends]

    def axes(self, made: Sequence[Size]) -> list[Axis]:
        if not self.is_fixed:
            raise Unsupported("a pool of integers of a free size")
        return [Axis.sliding(*row) for row in zip(self.sizes, made, self.kernel, self.stride, self.padding, self.dilation)]


def _batched(c: Context, x: Value, count: int) -> tuple[Value, tuple[Size, ...]]:
    """With a dimension for the batch, and the shape of a result that has one."""
    made = c.out[0].shape if isinstance(c.out, (list, tuple)) else c.out.shape
    from .values import shape_of
    shape = shape_of(made)
    return (x, shape) if x.rank == count + 2 else (c.b.unsqueeze(x, 0), (1, *shape))


def _check(x: Value) -> None:
    if 0 in x.shape:
        raise Unsupported("a pool of an empty tensor")


def _max_pool(count: int) -> None:
    @translates(f"aten.max_pool{count}d_with_indices.default")
    def function(c: Context, x: Value, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Any:
        b = c.b
        value, shape = _batched(c, x, count)
        _check(value)
        windows = _Windows(c, value, count, kernel_size, stride, padding, dilation)
        if not x.dtype.is_floating_point:
            most, places = greatest(c, value, windows.axes(shape[2:]))
            return (most, places) if x.rank == count + 2 else (b.squeeze(most, 0), b.squeeze(places, 0))
        results = [(value.dtype, shape), (torch.int64, shape)][:2 if c.reads(1) else 1]
        most, *places_ = b.ops("MaxPool", [value], results, dilations=windows.dilation, **windows.attributes(shape[2:], ceil_mode))
        if not places_:  # a pool of values alone is faster
            return (most if x.rank == count + 2 else b.squeeze(most, 0)), b.fill(0, torch.int64, c.out[1].shape)
        plane = b.scalar(math.prod(windows.sizes))
        places = b.op("Mod", places_[0], plane)  # ONNX counts through the whole tensor
        return (most, places) if x.rank == count + 2 else (b.squeeze(most, 0), b.squeeze(places, 0))


def _divisors(windows: _Windows, made: Sequence[int], include: bool, override: int | None) -> torch.Tensor:
    """By how much each window's sum is divided."""
    total = torch.ones([1] * windows.count, dtype=torch.float64)
    for axis in range(windows.count):
        size, pad = windows.sizes[axis], windows.padding[axis]
        start = torch.arange(made[axis]) * windows.stride[axis] - pad
        end = torch.clamp(start + windows.kernel[axis], max=size + pad)
        length = end - start if include else torch.clamp(end, max=size) - torch.clamp(start, min=0)
        total = total * length.reshape([-1 if place == axis else 1 for place in range(windows.count)])
    return torch.full_like(total, float(override)) if override else total


def _average_pool(count: int) -> None:
    @translates(f"aten.avg_pool{count}d.default")
    def function(c: Context, x: Value, kernel_size: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
                 count_include_pad: bool = True, divisor_override: int | None = None) -> Value:
        b = c.b
        value, shape = _batched(c, c.math(x), count)
        _check(value)
        windows = _Windows(c, value, count, kernel_size, stride, padding)
        if not x.dtype.is_floating_point:
            total = b.reduce("ReduceSum", gathered(c, value, windows.axes(shape[2:]), 0), [-1])
            divisors = _divisors(windows, shape[2:], count_include_pad, divisor_override)
            made = b.op("Div", total, b.tensor(divisors.to(x.dtype)))
            return made if x.rank == count + 2 else b.squeeze(made, 0)
        with_pads = count_include_pad or windows.is_fixed or bool(divisor_override)
        made = b.op("AveragePool", value, shape=shape, count_include_pad=int(with_pads), **windows.attributes(shape[2:], ceil_mode))
        whole = math.prod(windows.kernel)
        if not windows.is_fixed:
            if divisor_override and ceil_mode:
                raise Unsupported("an average of a free size with ceil_mode and a divisor")
            factor: Value | None = b.const(whole / divisor_override, value.dtype) if divisor_override else None
        else:
            factors = whole / _divisors(windows, shape[2:], count_include_pad, divisor_override)
            factor = None if bool((factors == 1).all()) else b.tensor(factors.to(value.dtype))
        made = made if factor is None else b.op("Mul", made, factor)
        return made if x.rank == count + 2 else b.squeeze(made, 0)


for _count in (1, 2, 3):
    _average_pool(_count)
    _max_pool(_count)


def _adaptive_average(count: int) -> None:
    @translates(f"aten._adaptive_avg_pool{count}d.default", f"aten.adaptive_avg_pool{count}d.default")
    def function(c: Context, x: Value, output_size: Any) -> Value:
        b = c.b
        value, shape = _batched(c, c.math(x), count)
        if 0 in shape or not all(isinstance(size, int) for size in (*value.shape[2:], *shape[2:])):
            raise Unsupported("an adaptive pool of free or no places")
        if all(size == 1 for size in shape[2:]):
            made = b.reduce("ReduceMean", value, range(2, value.rank), True)
        else:
            made = value
            for axis in range(2, value.rank):
                made = _average_along(c, made, axis, value.shape[axis], shape[axis])
        return made if x.rank == count + 2 else b.squeeze(made, 0)


def _average_along(c: Context, x: Value, axis: int, size: int, made: int) -> Value:
    """Windows of one dimension, which may differ in length by one and overlap."""
    b = c.b
    if size == made:
        return x
    if size % made == 0:
        split = b.reshape(x, (*x.shape[:axis], made, size // made, *x.shape[axis + 1:]))
        return b.reduce("ReduceMean", split, [axis + 1])
    start = torch.arange(made) * size // made
    end = -(-(torch.arange(1, made + 1) * size) // made)
    longest = int((end - start).max())
    places = start.unsqueeze(1) + torch.arange(longest)
    inside = places < end.unsqueeze(1)
    shape = (*x.shape[:axis], made, longest, *x.shape[axis + 1:])
    windows = b.op("Gather", x, b.tensor(torch.where(inside, places, start.unsqueeze(1))), dtype=x.dtype, shape=shape, axis=axis)
    rank = [1] * (x.rank - axis - 1)
    windows = b.where(b.tensor(inside.reshape(made, longest, *rank)), windows, b.const(0.0, x.dtype))
    total = b.reduce("ReduceSum", windows, [axis + 1])
    return b.op("Div", total, b.tensor((end - start).to(x.dtype).reshape(made, *rank)))


for _count in (2, 3):
    _adaptive_average(_count)


# Gradients.

def spread_maxima(c: Context, grad: Value, x: Value, indices: Value, count: int) -> Value:
    """Each gradient to the element that was the greatest."""
    b = c.b
    kept, plane = x.shape[:x.rank - count], math.prod(x.shape[x.rank - count:])
    made = math.prod(grad.shape[x.rank - count:])
    flat, places = (b.reshape(value, (*kept, made)) for value in (c.math(grad), indices))
    zeros = b.fill(0.0, flat.dtype, (*kept, plane))
    put = b.op("ScatterElements", zeros, places, flat, dtype=flat.dtype, shape=zeros.shape, axis=len(kept), reduction="add")
    return b.reshape(put, x.shape)


def _max_pool_backward(count: int) -> None:
    @translates(f"aten.max_pool{count}d_with_indices_backward.default")
    def function(c: Context, grad: Value, x: Value, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
                 indices: Value) -> Value:
        return spread_maxima(c, grad, x, indices, count)


def _average_pool_backward(count: int) -> None:
    @translates(f"aten.avg_pool{count}d_backward.default")
    def function(c: Context, grad: Value, x: Value, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool,
                 divisor_override: int | None) -> Value:
        """Each window's gradient to all its elements: a transposed convolution with ones, channel by channel."""
        b, rank = c.b, x.rank
        windows = _Windows(c, x, count, kernel_size, stride, padding)
        made = grad.shape[rank - count:]
        if not windows.is_fixed or 0 in x.shape:
            raise Unsupported("the gradient of a pool of free or no places")
        divisors = _divisors(windows, made, count_include_pad, divisor_override)
        value = b.op("Div", c.math(grad), b.tensor(divisors.to(c.math(grad).dtype)))
        channels = math.prod(x.shape[:rank - count])
        flat = b.reshape(value, (channels, 1, *made))
        ones = b.tensor(torch.ones((1, 1, *windows.kernel), dtype=flat.dtype))
        reach = [(m - 1) * s + k for m, s, k in zip(made, windows.stride, windows.kernel)]
        spread = b.op("ConvTranspose", flat, ones, dtype=flat.dtype, shape=(channels, 1, *reach), strides=windows.stride, kernel_shape=windows.kernel)
        amounts = [0, 0, *[-p for p in windows.padding], 0, 0,
                   *[size + p - far for size, p, far in zip(windows.sizes, windows.padding, reach)]]
        if any(amounts):
            spread = b.op("Pad", spread, b.ints(amounts), b.const(0.0, flat.dtype), dtype=flat.dtype, shape=(channels, 1, *windows.sizes), mode="constant")
        return b.reshape(spread, x.shape)


for _count in (2, 3):
    _max_pool_backward(_count)
    _average_pool_backward(_count)
