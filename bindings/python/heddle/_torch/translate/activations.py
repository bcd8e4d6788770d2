# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one element that networks have between their layers, and their gradients."""
from __future__ import annotations

import math
from typing import Any

import torch

from .table import Context, translates
from .values import Value


@translates("aten.relu.default")
def relu(c: Context, x: Value) -> Value:
    return c.b.op("Relu", x)


@translates("aten.gelu.default")
def gelu(c: Context, x: Value, *, approximate: str = "none") -> Value:
    return c.b.op("Gelu", c.math(x), approximate=approximate)


@translates("aten.silu.default")
def silu(c: Context, x: Value) -> Value:
    return c.b.op("Swish", c.math(x))


@translates("aten.mish.default")
def mish(c: Context, x: Value) -> Value:
    return c.b.op("Mish", c.math(x))


@translates("aten.softplus.default")
def softplus(c: Context, x: Value, beta: float = 1, threshold: float = 20) -> Value:
    b, value = c.b, c.math(x)
    scaled = b.op("Mul", value, c.math(float(beta)))
    soft = b.op("Div", b.op("Softplus", scaled), c.math(float(beta)))
    return b.where(b.compare("Greater", scaled, c.math(float(threshold))), value, soft)


@translates("aten.elu.default")
def elu(c: Context, x: Value, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Value:
    b, value = c.b, c.math(x)
    below = b.op("Elu", b.op("Min", b.op("Mul", value, c.math(float(input_scale))), c.math(0.0)), alpha=1.0)
    below = b.op("Mul", below, c.math(float(alpha * scale)))
    return b.where(b.compare("LessOrEqual", value, c.math(0.0)), below, b.op("Mul", value, c.math(float(scale))))


@translates("aten.leaky_relu.default")
def leaky_relu(c: Context, x: Value, negative_slope: Any = 0.01) -> Value:
    b, value = c.b, c.math(x)
    return b.where(b.compare("Greater", value, c.math(0.0)), value, b.op("Mul", value, c.math(float(negative_slope))))


@translates("aten.hardsigmoid.default")
def hardsigmoid(c: Context, x: Value) -> Value:
    return _hard_sigmoid(c, c.math(x))


def _hard_sigmoid(c: Context, value: Value) -> Value:
    shifted = c.b.op("Add", value, c.math(3.0))
    return c.b.op("Div", c.b.op("Min", c.b.op("Max", shifted, c.math(0.0)), c.math(6.0)), c.math(6.0))


@translates("aten.hardswish.default")
def hardswish(c: Context, x: Value) -> Value:
    value = c.math(x)
    shifted = c.b.op("Min", c.b.op("Max", c.b.op("Add", value, c.math(3.0)), c.math(0.0)), c.math(6.0))
    return c.b.op("Div", c.b.op("Mul", value, shifted), c.math(6.0))


@translates("aten.gelu_backward.default")
def gelu_backward(c: Context, grad: Value, x: Value, *, approximate: str = "none") -> Value:
    b, value = c.b, c.math(x)
    if approximate == "none":
        phi = b.op("Mul", c.math(0.5), b.op("Add", c.math(1.0), b.op("Erf", b.op("Mul", value, c.math(math.sqrt(0.5))))))
        density = b.op("Exp", b.op("Mul", b.op("Mul", value, value), c.math(-0.5)))
        slope = b.op("Add", phi, b.op("Mul", b.op("Mul", value, density), c.math(1 / math.sqrt(2 * math.pi))))
        return b.op("Mul", c.math(grad), slope)
    beta, kappa = math.sqrt(2 / math.pi), 0.044715
    squared = b.op("Mul", value, value)
    inner = b.op("Mul", c.math(beta), b.op("Add", value, b.op("Mul", c.math(kappa), b.op("Mul", squared, value))))
    tanh = b.op("Tanh", inner)
    left = b.op("Mul", c.math(0.5), b.op("Add", c.math(1.0), tanh))
    of_tanh = b.op("Sub", c.math(1.0), b.op("Mul", tanh, tanh))
    of_inner = b.op("Mul", c.math(beta), b.op("Add", c.math(1.0), b.op("Mul", c.math(3 * kappa), squared)))
    right = b.op("Mul", b.op("Mul", b.op("Mul", c.math(0.5), value), of_tanh), of_inner)
    return b.op("Mul", c.math(grad), b.op("Add", left, right))


@translates("aten.nan_to_num.default")
def nan_to_num(c: Context, x: Value, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Value:
    b = c.b
    if not x.dtype.is_floating_point:
        return x
    limits = torch.finfo(x.dtype)
    result = b.where(b.is_nan(x), c.value(float(nan or 0.0), x.dtype), x)
    for number, limit, positive in ((posinf, limits.max, 1), (neginf, limits.min, 0)):
        is_infinite = b.op("IsInf", x, dtype=torch.bool, detect_positive=positive, detect_negative=1 - positive)
        result = b.where(is_infinite, c.value(float(limit if number is None else number), x.dtype), result)
    return result


@translates("aten.logit.default")
def logit(c: Context, x: Value, eps: float | None = None) -> Value:
    b, value = c.b, c.math(x)
    if eps is not None:
        value = b.op("Min", b.op("Max", value, c.math(float(eps))), c.math(1 - float(eps)))
    return b.op("Log", b.op("Div", value, b.op("Sub", c.math(1.0), value)))
