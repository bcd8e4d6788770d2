# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Distances of points, and their gradients."""
from __future__ import annotations

import math
from typing import Any

import torch

from .table import Context, translates
from .values import Unsupported, Value


def _distances(c: Context, x: Value, y: Value, p: float) -> Value:
    b = c.b
    differences = b.op("Abs", b.op("Sub", b.unsqueeze(x, -2), b.unsqueeze(y, -3)))
    if p == 0:
        return b.reduce("ReduceSum", b.cast(b.cast(differences, torch.bool), x.dtype), [-1])
    if math.isinf(p):
        return b.reduce("ReduceMax", differences, [-1])
    if p == 1:
        return b.reduce("ReduceSum", differences, [-1])
    if p == 2:
        return b.op("Sqrt", b.reduce("ReduceSum", b.op("Mul", differences, differences), [-1]))
    total = b.reduce("ReduceSum", b.op("Pow", differences, b.const(float(p), x.dtype)), [-1])
    return b.op("Pow", total, b.const(1 / float(p), x.dtype))


@translates("aten._cdist_forward.default")
def cdist(c: Context, x: Value, y: Value, p: float, compute_mode: Any) -> Value:
    if 0 in (*x.shape, *y.shape):
        raise Unsupported("distances of nothing")
    return _distances(c, c.math(x), c.math(y), float(p))


@translates("aten._pdist_forward.default")
def pdist(c: Context, x: Value, p: float = 2) -> Value:
    b, count = c.b, x.shape[0]
    if not isinstance(count, int) or count < 2 or 0 in x.shape:
        raise Unsupported("distances of a free number of points, or of none")
    square = _distances(c, c.math(x), c.math(x), float(p))
    rows, columns = torch.triu_indices(count, count, 1)
    return b.op("Gather", b.reshape(square, (count * count,)), b.tensor(rows * count + columns), dtype=square.dtype, shape=c.shape, axis=0)


# Gradients.

def _pulls(c: Context, x: Value, y: Value, grad: Value, distance: Value, p: float) -> Value:
    """The sum over the points of `y` of what each distance [.., x, y] gives the points of `x`; 0 where points are the same."""
    b, zero, one = c.b, c.math(0.0, x.dtype), c.math(1.0, x.dtype)
    grad, distance = b.unsqueeze(grad, -1), b.unsqueeze(distance, -1)
    differences = b.op("Sub", b.unsqueeze(x, -2), b.unsqueeze(y, -3))
    sizes, signs = b.op("Abs", differences), b.op("Sign", differences)
    apart = b.op("Not", b.compare("Equal", distance, zero))
    divisor = b.where(apart, distance, one)
    if p == 0:
        part = b.op("Mul", differences, zero)
    elif p == 1:
        part = signs
    elif p == 2:
        part = b.op("Div", differences, divisor)
    elif math.isinf(p):
        part = b.op("Mul", signs, b.cast(b.compare("Equal", sizes, distance), x.dtype))
    else:
        power = c.math(p - 1, x.dtype)
        grown = b.op("Div", b.op("Pow", sizes, power), b.op("Pow", divisor, power))
        part = b.where(b.compare("Equal", sizes, zero), zero, b.op("Mul", signs, grown))
    return b.reduce("ReduceSum", b.where(apart, b.op("Mul", part, grad), zero), [-2])


@translates("aten._cdist_backward.default")
def cdist_backward(c: Context, grad: Value, x: Value, y: Value, p: float, distance: Value) -> Value:
    if 0 in (*x.shape, *y.shape):
        raise Unsupported("distances of nothing")
    return _pulls(c, c.math(x), c.math(y), c.math(grad), c.math(distance), float(p))


@translates("aten._pdist_backward.default")
def pdist_backward(c: Context, grad: Value, x: Value, p: float, distance: Value) -> Value:
    b, count = c.b, x.shape[0]
    if not isinstance(count, int) or count < 2 or 0 in x.shape:
        raise Unsupported("distances of a free number of points, or of none")
    places = torch.full((count, count), count * (count - 1) // 2)  # of a pair in the list; behind it of a point and itself
    rows, columns = torch.triu_indices(count, count, 1)
    places[rows, columns] = places[columns, rows] = torch.arange(len(rows))
    zero = b.fill(0.0, c.dtype, (1,))

    def square(pairs: Value) -> Value:
        return b.op("Gather", b.concat([c.math(pairs), zero], 0), b.tensor(places), dtype=c.dtype, shape=(count, count), axis=0)
    return _pulls(c, c.math(x), c.math(x), square(grad), square(distance), float(p))
