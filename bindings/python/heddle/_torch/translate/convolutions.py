# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, transposed ones, and their gradients."""
from __future__ import annotations

import itertools
import math
from typing import Any, Sequence

import torch

from .products import matmul
from .table import FLOATS, Context, require_types, translates
from .values import Size, Unsupported, Value, is_fixed
from .windows import convolve_gathered


def convolve(c: Context, x: Value, weight: Value, bias: Value | None, shape: Sequence[Size], stride: Sequence[int], padding: Sequence[int],
             dilation: Sequence[int], groups: int) -> Value:
    return c.b.op("Conv", x, weight, bias, dtype=x.dtype, shape=shape, strides=list(stride), pads=[*padding, *padding], dilations=list(dilation),
                  group=groups, kernel_shape=list(weight.shape[2:]))


def convolve_back(c: Context, x: Value, weight: Value, bias: Value | None, shape: Sequence[Size], stride: Sequence[int], padding: Sequence[int],
                  dilation: Sequence[int], output_padding: Sequence[int], groups: int) -> Value:
    return c.b.op("ConvTranspose", x, weight, bias, dtype=x.dtype, shape=shape, strides=list(stride), pads=[*padding, *padding],
                  dilations=list(dilation), output_padding=list(output_padding), group=groups, kernel_shape=list(weight.shape[2:]))


def _filled(numbers: Sequence[int], count: int) -> list[int]:
    return list(numbers) * count if len(numbers) == 1 else list(numbers)


@translates("aten.convolution.default", "aten._convolution.default")
def convolution(c: Context, x: Value, weight: Value, bias: Value | None, stride: Any, padding: Any, dilation: Any, transposed: bool,
                output_padding: Any, groups: int, *_: Any) -> Value:
    if not all(isinstance(size, int) for size in weight.shape):
        raise Unsupported("a convolution whose weights have a free size")
    count = x.rank - 2
    stride, padding, dilation, output_padding = (_filled(numbers, count) for numbers in (stride, padding, dilation, output_padding))
    if 0 in x.shape or 0 in weight.shape or 0 in c.shape:
        empty = c.b.fill(0, x.dtype, c.shape)
        return empty if bias is None else c.b.op("Add", empty, c.b.reshape(bias, (1, bias.shape[0], *[1] * count)))
    cuts = transposed and any(p > d * (k - 1) for p, d, k in zip(padding, dilation, weight.shape[2:]))
    if cuts or not x.dtype.is_floating_point:
        made = convolve_gathered(c, x, weight, stride, padding, dilation, transposed, groups, c.shape[2:])
        return made if bias is None else c.b.op("Add", made, c.b.reshape(bias, (1, bias.shape[0], *[1] * count)))
    if not transposed:
        return convolve(c, x, weight, bias, c.shape, stride, padding, dilation, groups)
    return convolve_back(c, x, weight, bias, c.shape, stride, padding, dilation, output_padding, groups)


@translates("aten.convolution_backward.default")
def convolution_backward(c: Context, grad: Value, x: Value, weight: Value, bias_sizes: Any, stride: Any, padding: Any, dilation: Any,
                         transposed: bool, output_padding: Any, groups: int, output_mask: Sequence[bool]) -> Any:
    require_types("a convolution", x, FLOATS)
    count = x.rank - 2
    stride, padding, dilation = (_filled(numbers, count) for numbers in (stride, padding, dilation))
    if 0 in x.shape or 0 in grad.shape or not is_fixed(weight.shape):
        raise Unsupported("the gradient of a convolution of no places, or with weights of free size")
    is_free = not is_fixed((*grad.shape[2:], *x.shape[2:]))
    to_x = to_weight = to_bias = None
    if output_mask[0]:
        to_x = _to_free_operand(c, grad, x, weight, stride, padding, dilation, groups) if is_free and not transposed else \
            _to_operand(c, grad, x, weight, stride, padding, dilation, transposed, groups)
    if output_mask[1]:
        to_weight = (_to_weight_by_taps if is_free else _to_weight)(c, grad, x, weight, stride, padding, dilation, transposed, groups)
    if output_mask[2]:
        to_bias = c.b.reduce("ReduceSum", c.math(grad, grad.dtype), [0, *range(2, x.rank)])
    return to_x, to_weight, to_bias


def _to_operand(c: Context, grad: Value, x: Value, weight: Value, stride: Any, padding: Any, dilation: Any, transposed: bool, groups: int) -> Value:
    if transposed:
        return convolve(c, grad, weight, None, x.shape, stride, padding, dilation, groups)
    b, kernel = c.b, weight.shape[2:]
    full = [(size - 1) * s + d * (k - 1) + 1 for size, s, d, k in zip(grad.shape[2:], stride, dilation, kernel)]
    # Behind the last window: fewer elements than a stride.
    rest = [size - far + 2 * p for size, far, p in zip(x.shape[2:], full, padding)]
    if all(p <= d * (k - 1) for p, d, k in zip(padding, dilation, kernel)):
        return convolve_back(c, grad, weight, None, x.shape, stride, padding, dilation, rest, groups)
    # More padding than the kernel reaches: cut afterwards.
    made = convolve_back(c, grad, weight, None, (*x.shape[:2], *full), stride, [0] * len(stride), dilation, [0] * len(stride), groups)
    amounts = [0, 0, *[-p for p in padding], 0, 0, *[size + p - far for size, p, far in zip(x.shape[2:], padding, full)]]
    return b.op("Pad", made, b.ints(amounts), b.const(0.0, x.dtype), dtype=x.dtype, shape=x.shape, mode="constant")


def _to_weight(c: Context, grad: Value, x: Value, weight: Value, stride: Any, padding: Any, dilation: Any, transposed: bool, groups: int) -> Value:
    """A convolution over the batch: what is read (x, or grad where the convolution was transposed) by what was made."""
    read, made = (grad, x) if transposed else (x, grad)
    b, batch = c.b, read.shape[0]
    spatial_read, spatial_made = read.shape[2:], made.shape[2:]
    ins, outs = read.shape[1], made.shape[1]
    # [batch, groups * in, …] to [in, groups * batch, …]; [batch, groups * out, …] to [groups * out, batch, …].
    left = b.reshape(read, (batch, groups, ins // groups, *spatial_read))
    left = b.transpose(left, [2, 1, 0, *range(3, left.rank)])
    left = b.reshape(left, (ins // groups, groups * batch, *spatial_read))
    right = b.transpose(made, [1, 0, *range(2, made.rank)])
    reached = [(size + 2 * p - s * (m - 1) - 1) // d + 1
               for size, p, s, m, d in zip(spatial_read, padding, stride, spatial_made, dilation)]
    result = convolve(c, left, right, None, (ins // groups, outs, *reached), dilation, padding, stride, groups)
    for axis, size in enumerate(weight.shape[2:], 2):
        result = b.slice(result, axis, 0, size)
    return b.transpose(result, [1, 0, *range(2, result.rank)])


_MOST_TAPS = 64  # of a kernel, each of which is a product where sizes are free


def _to_free_operand(c: Context, grad: Value, x: Value, weight: Value, stride: Any, padding: Any, dilation: Any, groups: int) -> Value:
    """Where only the call knows how many elements lie behind the last window: of all that windows reach the part that is there."""
    b, count = c.b, len(stride)
    full = [(size - 1) * s + d * (k - 1) + 1 for size, s, d, k in zip(grad.shape[2:], stride, dilation, weight.shape[2:])]
    made = convolve_back(c, grad, weight, None, (*x.shape[:2], *full), stride, [0] * count, dilation, [0] * count, groups)
    longer = [size + s - 1 for size, s in zip(full, stride)]
    if any(s > 1 for s in stride):
        amounts = [0] * (count + 2) + [0, 0] + [s - 1 for s in stride]
        made = b.op("Pad", made, b.ints(amounts), b.const(0.0, x.dtype), dtype=x.dtype, shape=(*x.shape[:2], *longer), mode="constant")
    for axis, (size, p) in enumerate(zip(x.shape[2:], padding), 2):
        made = b.slice(made, axis, p, p + size)
    return made._replace(shape=x.shape)


def _to_weight_by_taps(c: Context, grad: Value, x: Value, weight: Value, stride: Any, padding: Any, dilation: Any, transposed: bool,
                       groups: int) -> Value:
    """For each place of the kernel a product of what it read by what was made, where their sizes are free."""
    read, made = (grad, x) if transposed else (x, grad)
    b, batch, count = c.b, read.shape[0], len(stride)
    kernel, places = [int(size) for size in weight.shape[2:]], math.prod(made.shape[2:])
    if math.prod(kernel) > _MOST_TAPS:
        raise Unsupported("the gradient of a convolution of free size with a large kernel")
    if any(padding):
        amounts = [0, 0, *padding, 0, 0, *padding]
        shape = (*read.shape[:2], *[size + 2 * p for size, p in zip(read.shape[2:], padding)])
        read = b.op("Pad", read, b.ints(amounts), b.const(0.0, read.dtype), dtype=read.dtype, shape=shape, mode="constant")
    ins, outs = int(read.shape[1]) // groups, int(made.shape[1]) // groups

    def turned(value: Value, channels: int, order: Sequence[int], shape: Sequence[Any]) -> Value:
        """[batch, groups * channels, …] in another order, batch and places as one."""
        return b.reshape(b.transpose(b.reshape(value, (batch, groups, channels, places)), order), shape)
    left = turned(made, outs, [1, 2, 0, 3], (groups, outs, batch * places))
    parts = []
    for tap in itertools.product(*[range(size) for size in kernel]):
        part = read
        for axis in range(count):
            start = tap[axis] * dilation[axis]
            part = b.slice(part, axis + 2, start, start + stride[axis] * (made.shape[axis + 2] - 1) + 1, stride[axis])
        right = turned(part._replace(shape=(*read.shape[:2], *made.shape[2:])), ins, [1, 0, 3, 2], (groups, batch * places, ins))
        parts.append(b.reshape(matmul(c, left, right), (groups * outs, ins, 1)))
    return b.reshape(b.concat(parts, -1), weight.shape)
