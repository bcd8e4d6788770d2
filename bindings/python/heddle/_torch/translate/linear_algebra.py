# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factorizations of real matrices, by the importer's domain `heddle`, which follows LAPACK. Singular and eigenvalues
are in spectral.py."""
from __future__ import annotations

from typing import Any

import torch

from .products import matmul
from .table import Context, translates
from .values import Size, Unsupported, Value

DOMAIN = "heddle"
LARGEST = 128  # rows: of larger matrices PyTorch's LAPACK is faster


def check(*matrices: Value) -> None:
    for matrix in matrices:
        if matrix.dtype not in (torch.float32, torch.float64):
            raise Unsupported(f"a factorization of type {matrix.dtype}")
        if 0 in matrix.shape:
            raise Unsupported("a factorization of an empty matrix")
        if not all(isinstance(size, int) and size <= LARGEST for size in matrix.shape[-2:]):
            raise Unsupported(f"a factorization of matrices of free size or more than {LARGEST} rows")


def turned(c: Context, x: Value) -> Value:
    return c.b.transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


def triangle(c: Context, x: Value, lower: bool, diagonal: int = 0) -> Value:
    """With zeros in the other triangle."""
    rows, columns = x.shape[-2:]
    mask = torch.ones((rows, columns), dtype=torch.bool)
    mask = mask.tril(diagonal) if lower else mask.triu(diagonal)
    return c.b.where(c.b.tensor(mask), x, c.b.const(0.0, x.dtype))


def _identity(c: Context, size: Size, dtype: torch.dtype) -> Value:
    return c.b.tensor(torch.eye(size, dtype=dtype))


@translates("aten.linalg_cholesky_ex.default")
def cholesky_ex(c: Context, x: Value, *, upper: bool = False, check_errors: bool = False) -> Any:
    _refuse_checks(check_errors)
    check(x)
    factor, info = c.b.ops("Cholesky", [x], [(x.dtype, x.shape), (torch.int32, x.shape[:-2])], DOMAIN, lower=int(not upper))
    return factor, info


def _lu(c: Context, x: Value) -> tuple[Value, Value, Value]:
    count = min(x.shape[-2:])
    made = c.b.ops("Lu", [x], [(x.dtype, x.shape), (torch.int32, (*x.shape[:-2], count)), (torch.int32, x.shape[:-2])], DOMAIN)
    return made[0], made[1], made[2]


def _rows(c: Context, pivots: Value, size: Size) -> Value:
    """Which row of the matrix each row of its factors was."""
    return c.b.op("Permutation", pivots, dtype=torch.int64, shape=(*pivots.shape[:-1], size), domain=DOMAIN, size=size)


def _permuted(c: Context, x: Value, rows: Value) -> Value:
    places = c.b.expand(c.b.unsqueeze(rows, -1), x.shape)
    return c.b.op("GatherElements", x, places, dtype=x.dtype, shape=x.shape, axis=x.rank - 2)


def solve_triangle(c: Context, a: Value, b: Value, *, upper: bool, left: bool = True, transposed: bool = False, unit: bool = False) -> Value:
    return c.b.op("TriangularSolve", a, b, dtype=b.dtype, shape=b.shape, domain=DOMAIN, right=int(not left), lower=int(not upper),
                  transposed=int(transposed), unit=int(unit))


def _fitting(c: Context, a: Value, b: Value) -> tuple[Value, Value]:
    """With the same batch."""
    from .values import broadcast
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    return c.b.expand(a, (*batch, *a.shape[-2:])), c.b.expand(b, (*batch, *b.shape[-2:]))


@translates("aten.linalg_lu_factor_ex.default")
def lu_factor_ex(c: Context, x: Value, *, pivot: bool = True, check_errors: bool = False) -> Any:
    _refuse_checks(check_errors)
    check(x)
    if not pivot:
        raise Unsupported("a factorization without pivots")
    return _lu(c, x)


def _factored(c: Context, x: Value) -> tuple[Value, Value]:
    """Of a determinant: PyTorch factors the transpose of a matrix that lies in order, and its gradients expect it."""
    factors, pivots, _ = _lu(c, turned(c, x) if c.given[0].is_contiguous() else x)
    return factors, pivots


def _empty(c: Context, x: Value) -> bool:
    return 0 in x.shape[-2:]


def _refuse_checks(check_errors: bool) -> None:
    if check_errors:
        raise Unsupported("a factorization that raises an error")


def _unpacked(c: Context, factors: Value, pivots: Value) -> tuple[Value, Value, Value]:
    """P, L, U."""
    b, (rows, columns) = c.b, factors.shape[-2:]
    count = min(rows, columns)
    lower = triangle(c, b.slice(factors, -1, 0, count), True, -1)
    eye = torch.zeros((rows, count), dtype=factors.dtype)
    eye.fill_diagonal_(1)
    upper = triangle(c, b.slice(factors, -2, 0, count), False)
    order = _rows(c, pivots, rows)
    columns_of = b.tensor(torch.arange(rows, dtype=torch.int64))
    is_one = b.compare("Equal", b.unsqueeze(columns_of, -1), b.unsqueeze(order, -2))
    return b.cast(is_one, factors.dtype), b.op("Add", lower, b.tensor(eye)), upper


@translates("aten.lu_unpack.default")
def lu_unpack(c: Context, factors: Value, pivots: Value, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    check(factors)
    order, lower, upper = _unpacked(c, factors, pivots)
    nothing = c.b.fill(0.0, factors.dtype, (0,))
    return order if unpack_pivots else nothing, lower if unpack_data else nothing, upper if unpack_data else nothing


@translates("aten.linalg_lu.default")
def linalg_lu(c: Context, x: Value, *, pivot: bool = True) -> Any:
    factors, pivots, _ = lu_factor_ex(c, x, pivot=pivot)
    return _unpacked(c, factors, pivots)


def _solve_lu(c: Context, factors: Value, pivots: Value, right: Value, adjoint: bool = False) -> Value:
    """Of P L U x = right; `adjoint`: of its transpose."""
    batch, size = right.shape[:-2], factors.shape[-1]
    if adjoint:
        solved = solve_triangle(c, factors, right, upper=True, transposed=True)
        solved = solve_triangle(c, factors, solved, upper=False, transposed=True, unit=True)
        rows = c.b.expand(c.b.unsqueeze(c.b.expand(_rows(c, pivots, size), (*batch, size)), -1), right.shape)
        return c.b.op("ScatterElements", solved, rows, solved, dtype=right.dtype, shape=right.shape, axis=right.rank - 2)
    moved = _permuted(c, right, c.b.expand(_rows(c, pivots, size), (*batch, size)))
    return solve_triangle(c, factors, solve_triangle(c, factors, moved, upper=False, unit=True), upper=True)


def _solve_side(c: Context, factors: Value, pivots: Value, right: Value, left: bool, adjoint: bool) -> Value:
    """X A = B is A' X' = B'."""
    if not left:
        return turned(c, _solve_side(c, factors, pivots, turned(c, right), True, not adjoint))
    factors, right = _fitting(c, factors, right)
    pivots = c.b.expand(pivots, (*factors.shape[:-2], pivots.shape[-1]))
    return _solve_lu(c, factors, pivots, right, adjoint)


@translates("aten.linalg_lu_solve.default")
def lu_solve(c: Context, factors: Value, pivots: Value, right: Value, *, left: bool = True, adjoint: bool = False) -> Value:
    check(factors, right)
    return _solve_side(c, factors, pivots, right, left, adjoint)


@translates("aten._linalg_solve_ex.default")
def solve_ex(c: Context, a: Value, right: Value, *, left: bool = True, check_errors: bool = False) -> Any:
    b = c.b
    _refuse_checks(check_errors)
    if _empty(c, a):
        return tuple(b.fill(0, out.dtype, out.shape) for out in c.out)
    check(a)
    is_vector = right.rank == a.rank - 1 and c.out[0].dim() == a.rank - 1
    sides = b.unsqueeze(right, -1) if is_vector else right
    check(sides)
    factors, pivots, info = _lu(c, a)
    solved = _solve_side(c, factors, pivots, sides, left, False)
    return b.squeeze(solved, -1) if is_vector else solved, factors, pivots, info


@translates("aten.linalg_inv_ex.default")
def inv_ex(c: Context, x: Value, *, check_errors: bool = False) -> Any:
    _refuse_checks(check_errors)
    check(x)
    factors, pivots, info = _lu(c, x)
    eye = c.b.expand(_identity(c, x.shape[-1], x.dtype), x.shape)
    return _solve_lu(c, factors, pivots, eye), info


def _sign_of(c: Context, pivots: Value, dtype: torch.dtype) -> Value:
    """Of the permutation: rows that changed places."""
    b, count = c.b, pivots.shape[-1]
    places = b.tensor(torch.arange(1, count + 1, dtype=torch.int32))
    moves = b.reduce("ReduceSum", b.cast(b.op("Not", b.compare("Equal", pivots, places)), torch.int64), [-1])
    odd = b.cast(b.op("Mod", moves, b.const(2, torch.int64)), dtype)
    return b.op("Sub", b.const(1.0, dtype), b.op("Mul", odd, b.const(2.0, dtype)))


def _diagonal(c: Context, x: Value) -> Value:
    size = x.shape[-1]
    flat = c.b.reshape(x, (*x.shape[:-2], size * size))
    return c.b.slice(flat, -1, 0, size * size, size + 1)


@translates("aten._linalg_det.default")
def det(c: Context, x: Value) -> Any:
    if _empty(c, x):
        return c.b.fill(1.0, x.dtype, x.shape[:-2]), x, c.b.fill(0, torch.int32, c.out[2].shape)
    check(x)
    factors, pivots = _factored(c, x)
    product = c.b.reduce("ReduceProd", _diagonal(c, factors), [-1])
    return c.b.op("Mul", product, _sign_of(c, pivots, x.dtype)), factors, pivots


@translates("aten._linalg_slogdet.default")
def slogdet(c: Context, x: Value) -> Any:
    b = c.b
    if _empty(c, x):
        return b.fill(1.0, x.dtype, x.shape[:-2]), b.fill(0.0, x.dtype, x.shape[:-2]), x, b.fill(0, torch.int32, c.out[3].shape)
    check(x)
    factors, pivots = _factored(c, x)
    diagonal = _diagonal(c, factors)
    sign = b.op("Mul", b.reduce("ReduceProd", b.op("Sign", diagonal), [-1]), _sign_of(c, pivots, x.dtype))
    return sign, b.reduce("ReduceSum", b.op("Log", b.op("Abs", diagonal)), [-1]), factors, pivots


@translates("aten.geqrf.default")
def geqrf(c: Context, x: Value) -> Any:
    check(x)
    count = min(x.shape[-2:])
    return tuple(c.b.ops("Qr", [x], [(x.dtype, x.shape), (x.dtype, (*x.shape[:-2], count))], DOMAIN))


@translates("aten.linalg_householder_product.default")
def householder_product(c: Context, factors: Value, taus: Value) -> Value:
    check(factors)
    if 0 in taus.shape:
        raise Unsupported("no reflection")
    return c.b.op("FormQ", factors, taus, dtype=factors.dtype, shape=factors.shape, domain=DOMAIN)


@translates("aten.ormqr.default")
def ormqr(c: Context, factors: Value, taus: Value, other: Value, left: bool = True, transpose: bool = False) -> Value:
    """A product with all of Q, which has as many columns as rows."""
    check(factors, other)
    if 0 in taus.shape:
        raise Unsupported("no reflection")
    rows, columns = factors.shape[-2:]
    if columns < rows:
        factors = c.b.concat([factors, c.b.fill(0.0, factors.dtype, (*factors.shape[:-1], rows - columns))], -1)
    q = c.b.op("FormQ", factors, taus, dtype=factors.dtype, shape=factors.shape, domain=DOMAIN)
    q = turned(c, q) if transpose else q
    return matmul(c, q, other) if left else matmul(c, other, q)


@translates("aten.linalg_qr.default")
def qr(c: Context, x: Value, mode: str = "reduced") -> Any:
    b, (rows, columns) = c.b, x.shape[-2:]
    factors, taus = geqrf(c, x)
    count = min(rows, columns)
    if mode == "r":
        return b.fill(0.0, x.dtype, (0,)), triangle(c, b.slice(factors, -2, 0, count), False)
    if mode == "reduced" or rows <= columns:
        q = b.slice(factors, -1, 0, count)
        upper = b.slice(factors, -2, 0, count)
    else:  # as many columns as rows
        zeros = b.fill(0.0, x.dtype, (*x.shape[:-1], rows - columns))
        q, upper = b.concat([factors, zeros], -1), factors
    return b.op("FormQ", q, taus, dtype=x.dtype, shape=q.shape, domain=DOMAIN), triangle(c, upper, False)


@translates("aten.linalg_solve_triangular.default")
def solve_triangular(c: Context, a: Value, right: Value, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Value:
    check(a, right)
    a, right = _fitting(c, a, right)
    return solve_triangle(c, a, right, upper=upper, left=left, unit=unitriangular)


@translates("aten.triangular_solve.default")
def triangular_solve(c: Context, right: Value, a: Value, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    check(a, right)
    a, right = _fitting(c, a, right)
    return solve_triangle(c, a, right, upper=upper, transposed=transpose, unit=unitriangular), a


def _solve_cholesky(c: Context, factor: Value, right: Value, upper: bool) -> Value:
    first = solve_triangle(c, factor, right, upper=upper, transposed=upper)
    return solve_triangle(c, factor, first, upper=upper, transposed=not upper)


@translates("aten.cholesky_solve.default")
def cholesky_solve(c: Context, right: Value, factor: Value, upper: bool = False) -> Value:
    check(factor, right)
    factor, right = _fitting(c, factor, right)
    return _solve_cholesky(c, factor, right, upper)


@translates("aten.cholesky_inverse.default")
def cholesky_inverse(c: Context, factor: Value, upper: bool = False) -> Value:
    check(factor)
    return _solve_cholesky(c, factor, c.b.expand(_identity(c, factor.shape[-1], factor.dtype), factor.shape), upper)
