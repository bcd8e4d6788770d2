# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and normalisation, and their gradients."""
from __future__ import annotations

from typing import Any, Sequence

import torch

from .table import Context, translates
from .values import Unsupported, Value


@translates("aten._softmax.default", "aten._safe_softmax.default", "aten.softmax.int")
def softmax(c: Context, x: Value, dim: int, *_: Any, **__: Any) -> Value:
    value = c.math(x)
    if x.rank == 0:
        return c.b.op("Div", c.b.op("Exp", c.b.op("Sub", value, value)), c.math(1.0))
    return c.b.op("Softmax", value, axis=dim % x.rank)


@translates("aten._log_softmax.default", "aten.log_softmax.int")
def log_softmax(c: Context, x: Value, dim: int, *_: Any, **__: Any) -> Value:
    value = c.math(x)
    return c.b.op("LogSoftmax", value, axis=dim % x.rank) if x.rank else c.b.op("Sub", value, value)


@translates("aten._softmax_backward_data.default")
def softmax_backward(c: Context, grad: Value, output: Value, dim: int, input_dtype: torch.dtype) -> Value:
    b, value, made = c.b, c.math(grad, grad.dtype), c.math(output, grad.dtype)
    product = b.op("Mul", value, made)
    total = b.reduce("ReduceSum", product, [dim], True) if grad.rank else product
    return b.op("Sub", product, b.op("Mul", made, total))


@translates("aten._log_softmax_backward_data.default")
def log_softmax_backward(c: Context, grad: Value, output: Value, dim: int, input_dtype: torch.dtype) -> Value:
    b, value, made = c.b, c.math(grad, grad.dtype), c.math(output, grad.dtype)
    total = b.reduce("ReduceSum", value, [dim], True) if grad.rank else value
    return b.op("Sub", value, b.op("Mul", b.op("Exp", made), total))


@translates("aten.native_layer_norm.default")
def native_layer_norm(c: Context, x: Value, normalized_shape: Sequence[Any], weight: Value | None, bias: Value | None, eps: float) -> Any:
    b, first = c.b, x.rank - len(normalized_shape)
    value = c.math(x, x.dtype)
    if b.count_of(x) == 0:
        raise Unsupported("the normalisation of an empty tensor")
    shape = (*x.shape[:first], *[1] * len(normalized_shape))
    scale = b.fill(1.0, value.dtype, x.shape[first:]) if weight is None else c.value(weight, value.dtype)
    offset = None if bias is None else c.value(bias, value.dtype)
    return b.ops("LayerNormalization", [value, scale, offset], [(value.dtype, x.shape), (value.dtype, shape), (value.dtype, shape)], axis=first,
                 epsilon=float(eps))


def _by_channel(c: Context, x: Value, parameter: Value) -> Value:
    return c.b.reshape(parameter, (1, parameter.shape[0], *[1] * (x.rank - 2)))


@translates("aten._native_batch_norm_legit_no_training.default", "aten._batch_norm_no_update.default")
def batch_norm(c: Context, x: Value, weight: Value | None, bias: Value | None, mean: Value, var: Value, momentum: float, eps: float) -> Any:
    b, value = c.b, c.math(x, x.dtype)
    mean, var = c.math(mean, x.dtype), c.math(var, x.dtype)
    nothing = b.tensor(torch.zeros(0, dtype=value.dtype))
    is_plain = x.dtype in (torch.float32, torch.float64) and all(p is None or p.dtype == x.dtype for p in (weight, bias))
    if is_plain and b.count_of(x) != 0:
        one = weight or b.fill(1.0, x.dtype, mean.shape)
        zero = bias or b.fill(0.0, x.dtype, mean.shape)
        return b.op("BatchNormalization", value, one, zero, mean, var, dtype=x.dtype, shape=x.shape, epsilon=float(eps)), nothing, nothing, nothing
    scale = b.op("Div", b.const(1.0, value.dtype), b.op("Sqrt", b.op("Add", var, b.const(float(eps), value.dtype))))
    result = b.op("Mul", b.op("Sub", value, _by_channel(c, x, mean)), _by_channel(c, x, scale))
    if weight is not None:
        result = b.op("Mul", result, _by_channel(c, x, c.math(weight, x.dtype)))
    if bias is not None:
        result = b.op("Add", result, _by_channel(c, x, c.math(bias, x.dtype)))
    return result, nothing, nothing, nothing
