# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Singular and eigenvalues, and what does not depend on their vectors' signs. Vectors themselves stay in PyTorch: their signs are
LAPACK's own."""
from __future__ import annotations

from typing import Any

import torch

from .linear_algebra import DOMAIN, check, triangle, turned
from .products import matmul
from .table import Context, translates
from .values import Unsupported, Value


def _singular(c: Context, x: Value) -> tuple[Value, Value, Value]:
    """U, the values, V' of a matrix; as many of each as its shorter side."""
    rows, columns = x.shape[-2:]
    count, batch = min(rows, columns), x.shape[:-2]
    values, u, vt, _ = c.b.ops("Svd", [x], [(x.dtype, (*batch, count)), (x.dtype, (*batch, rows, count)), (x.dtype, (*batch, count, columns)),
                                            (torch.int32, batch)], DOMAIN, full=0)
    return u, values, vt


def _symmetric(c: Context, x: Value, lower: bool = True) -> tuple[Value, Value]:
    """Eigenvalues and vectors."""
    batch, size = x.shape[:-2], x.shape[-1]
    values, vectors, _ = c.b.ops("SymmetricEigen", [x], [(x.dtype, (*batch, size)), (x.dtype, x.shape), (torch.int32, batch)], DOMAIN,
                                 lower=int(lower))
    return values, vectors


@translates("aten._linalg_svd.default")
def svd(c: Context, x: Value, full_matrices: bool = False, compute_uv: bool = True, *, driver: Any = None) -> Any:
    check(x)
    if compute_uv and (c.reads(0) or c.reads(2)):
        raise Unsupported("singular vectors, whose signs are LAPACK's own")
    nothing = [c.b.fill(0.0, x.dtype, out.shape) for out in c.out]
    return nothing[0], _singular(c, x)[1], nothing[2]


@translates("aten.linalg_pinv.atol_rtol_tensor")
def pinv(c: Context, x: Value, *, atol: Value | None = None, rtol: Value | None = None, hermitian: bool = False) -> Value:
    """By singular values, of which small ones count as zeros."""
    b = c.b
    check(x)
    if hermitian:  # only the lower triangle counts
        x = b.op("Add", triangle(c, x, True), turned(c, triangle(c, x, True, -1)))
    rows, columns = x.shape[-2:]
    u, values, vt = _singular(c, x)
    if rtol is None:
        epsilon = torch.finfo(x.dtype).eps * max(rows, columns)
        relative = b.const(epsilon, x.dtype)
        if atol is not None:  # then only where atol is no bound
            relative = b.where(b.compare("Greater", atol, b.const(0.0, atol.dtype)), b.const(0.0, x.dtype), relative)
    else:
        relative = c.value(rtol, x.dtype)
    relative = b.unsqueeze(relative, -1) if relative.rank else relative
    bound = b.op("Mul", relative, b.reduce("ReduceMax", values, [-1], True))
    if atol is not None:
        least = c.value(atol, x.dtype)
        bound = b.op("Max", bound, b.unsqueeze(least, -1) if least.rank else least)
    zero = b.const(0.0, x.dtype)
    inverse = b.where(b.compare("Greater", values, bound), b.op("Div", b.const(1.0, x.dtype), values), zero)
    right = b.op("Mul", turned(c, vt), b.unsqueeze(inverse, -2))
    return matmul(c, right, turned(c, u))


@translates("aten._linalg_eigh.default")
def eigh(c: Context, x: Value, UPLO: str = "L", compute_v: bool = True) -> Any:
    check(x)
    if compute_v and c.reads(1):
        raise Unsupported("eigenvectors, whose signs are LAPACK's own")
    return _symmetric(c, x, UPLO.upper() == "L")[0], c.b.fill(0.0, x.dtype, c.out[1].shape)


# Of both vectors, so that their signs cancel.

@translates("aten.linalg_polar.default")
def polar(c: Context, x: Value) -> Any:
    """A rotation and a stretching: U V' and V S V'."""
    check(x)
    if x.shape[-2] < x.shape[-1]:
        raise Unsupported("the polar form of a matrix with more columns than rows")
    u, values, vt = _singular(c, x)
    stretched = c.b.op("Mul", turned(c, vt), c.b.unsqueeze(values, -2))
    return matmul(c, u, vt), matmul(c, stretched, vt)


@translates("aten.linalg_matrix_sqrth.default")
def matrix_sqrth(c: Context, x: Value) -> Value:
    check(x)
    values, vectors = _symmetric(c, x)
    roots = c.b.op("Sqrt", c.b.op("Max", values, c.b.const(0.0, x.dtype)))
    return matmul(c, c.b.op("Mul", vectors, c.b.unsqueeze(roots, -2)), turned(c, vectors))
