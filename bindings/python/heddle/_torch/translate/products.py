# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices."""
from __future__ import annotations

from typing import Any

import torch

from .table import Context, translates
from .values import Value


def matmul(c: Context, x: Value, y: Value, shape: Any = None) -> Value:
    """Of matrices, or batches of them; `shape`: of the result, where their batches differ."""
    b, dtype = c.b, x.dtype
    shape = (*x.shape[:-1], y.shape[-1]) if shape is None else shape
    if 0 in x.shape or 0 in y.shape:
        return b.fill(0, dtype, shape)
    if not dtype.is_floating_point and dtype not in (torch.int32, torch.int64):  # sums wrap in the narrow type
        return b.cast(b.op("MatMul", b.cast(x, torch.int32), b.cast(y, torch.int32), dtype=torch.int32, shape=shape), dtype)
    return b.op("MatMul", x, y, dtype=dtype, shape=shape)


@translates("aten.mm.default", "aten.bmm.default")
def mm(c: Context, x: Value, y: Value) -> Value:
    return matmul(c, x, y)


@translates("aten.mv.default")
def mv(c: Context, x: Value, y: Value) -> Value:
    return c.b.squeeze(matmul(c, x, c.b.unsqueeze(y, -1)), -1)


@translates("aten.dot.default")
def dot(c: Context, x: Value, y: Value) -> Value:
    return c.b.reshape(matmul(c, c.b.unsqueeze(x, 0), c.b.unsqueeze(y, -1)), ())


def added(c: Context, bias: Value, product: Value, beta: Any, alpha: Any) -> Value:
    """beta * bias + alpha * product; beta 0 ignores what the bias holds. Products of narrow floats come in f32, as PyTorch rounds once."""
    b = c.b
    result = c.math(product)
    if alpha != 1:
        result = b.op("Mul", result, c.math(alpha))
    if beta == 0:
        return result
    left = c.math(bias)
    if beta != 1:
        left = b.op("Mul", left, c.math(beta))
    return b.expand(b.op("Add", result, left), c.shape) if result.dtype != torch.bool else b.op("Or", result, left)


@translates("aten.addmm.default")
def addmm(c: Context, bias: Value, x: Value, y: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    plain = x.dtype in (torch.float32, torch.float64) and 0 not in x.shape and 0 not in y.shape
    if plain and beta == 1 and alpha == 1 and bias.rank <= 2:
        return c.b.op("Gemm", x, y, bias, dtype=x.dtype, shape=c.shape)
    return added(c, bias, matmul(c, c.math(x), c.math(y)), beta, alpha)


@translates("aten.addmv.default")
def addmv(c: Context, bias: Value, x: Value, y: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return added(c, bias, mv(c, c.math(x), c.math(y)), beta, alpha)


@translates("aten.baddbmm.default")
def baddbmm(c: Context, bias: Value, x: Value, y: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return added(c, bias, matmul(c, c.math(x), c.math(y)), beta, alpha)


@translates("aten.addbmm.default")
def addbmm(c: Context, bias: Value, x: Value, y: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    total = c.b.reduce("ReduceSum", matmul(c, c.math(x), c.math(y)), [0])
    return added(c, bias, total, beta, alpha)


@translates("aten._trilinear.default")
def trilinear(c: Context, x1: Value, x2: Value, x3: Value, expand1: Any, expand2: Any, expand3: Any, sumdim: Any, unroll_dim: int = 1) -> Value:
    b = c.b
    first, second, third = (c.math(b.unsqueeze(x, *places)) for x, places in ((x1, expand1), (x2, expand2), (x3, expand3)))
    product = b.op("Mul", b.op("Mul", first, second), third)
    return b.reduce("ReduceSum", product, sumdim)
