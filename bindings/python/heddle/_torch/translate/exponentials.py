# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exponentials of matrices: Taylor's polynomial of the matrix halved until it is small, squared as often."""
from __future__ import annotations

import math
from typing import Sequence

import torch

from .linear_algebra import check
from .products import matmul
from .table import Context, translates
from .values import Value

_BLOCK = 4
_BLOCKS = {torch.float32: 2, torch.float64: 4}  # so many blocks of terms, for norms up to a half
_MOST_HALVINGS = 1100.0                         # more than there are powers of two


def _halvings(c: Context, x: Value) -> Value:
    """How often each matrix is halved until its norm is at most a half: whole numbers as floats, [batch, 1, 1]."""
    b = c.b
    norm = b.reduce("ReduceMax", b.reduce("ReduceSum", b.op("Abs", x), [-2], True), [-1], True)
    count = b.op("Ceil", b.op("Add", b.op("Mul", b.op("Log", norm), b.const(1 / math.log(2), x.dtype)), b.const(1.0, x.dtype)))
    count = b.where(b.is_nan(count), b.const(0.0, x.dtype), count)
    return b.op("Min", b.op("Max", count, b.const(0.0, x.dtype)), b.const(_MOST_HALVINGS, x.dtype))


def _repeated(c: Context, x: Value, counts: Value, step: str) -> Value:
    """Each matrix halved or squared as often as its count says."""
    b = c.b
    most = b.cast(b.reduce("ReduceMax", b.reshape(counts, (c.b.count_of(counts),)), [0]), torch.int64)

    def turn(number: Value, carried: Sequence[Value]) -> tuple[None, Sequence[Value]]:
        matrix, = carried
        made = b.op("Mul", matrix, b.const(0.5, x.dtype)) if step == "halve" else matmul(c, matrix, matrix)
        return None, [b.where(b.compare("Less", b.cast(number, x.dtype), counts), made, matrix)]
    return b.loop(most, None, [x], turn)[0]


def _polynomial(c: Context, x: Value) -> Value:
    """The sum of x^k / k!, by blocks of four terms (Paterson and Stockmeyer)."""
    b = c.b
    eye = b.expand(b.tensor(torch.eye(int(x.shape[-1]), dtype=x.dtype)), x.shape)
    square = matmul(c, x, x)
    powers, fourth = [eye, x, square, matmul(c, square, x)], matmul(c, square, square)

    def term(power: Value, number: int) -> Value:
        return b.op("Mul", power, b.const(1 / math.factorial(number), x.dtype)) if number > 1 else power
    blocks = _BLOCKS[x.dtype]
    total = term(fourth, _BLOCK * blocks)
    for block in reversed(range(blocks)):
        if block < blocks - 1:
            total = matmul(c, total, fourth)
        for place in reversed(range(_BLOCK)):
            total = b.op("Add", total, term(powers[place], _BLOCK * block + place))
    return total


@translates("aten.linalg_matrix_exp.default")
def matrix_exp(c: Context, x: Value) -> Value:
    check(x)
    counts = _halvings(c, x)
    return _repeated(c, _polynomial(c, _repeated(c, x, counts, "halve")), counts, "square")
