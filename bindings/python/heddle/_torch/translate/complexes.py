# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers, as two tensors of reals."""
from __future__ import annotations

import math
from typing import Any, Callable

import torch

from .elementwise import hypot, sign_bit
from .products import matmul
from .table import Context, translates, translates_complex
from .values import Complex, Unsupported, Value


def _times(c: Context, x: Complex, y: Complex) -> Complex:
    b = c.b
    return Complex(b.op("Sub", b.op("Mul", x.re, y.re), b.op("Mul", x.im, y.im)), b.op("Add", b.op("Mul", x.re, y.im), b.op("Mul", x.im, y.re)))


def _scaled(c: Context, x: Complex, factor: Value) -> Complex:
    return Complex(c.b.op("Mul", x.re, factor), c.b.op("Mul", x.im, factor))


def _divided(c: Context, x: Complex, y: Complex) -> Complex:
    """By Smith's way: by the greater part of the divisor first."""
    b = c.b
    swaps = b.compare("Less", b.op("Abs", y.re), b.op("Abs", y.im))
    great, small = b.where(swaps, y.im, y.re), b.where(swaps, y.re, y.im)
    ratio = b.op("Div", small, great)
    below = b.op("Add", great, b.op("Mul", small, ratio))
    first, second = b.where(swaps, x.im, x.re), b.where(swaps, x.re, x.im)
    re = b.op("Div", b.op("Add", first, b.op("Mul", second, ratio)), below)
    across = b.op("Div", b.op("Sub", second, b.op("Mul", first, ratio)), below)
    return Complex(re, b.where(swaps, b.op("Neg", across), across))


def _one(c: Context) -> Complex:
    return c.pair(1.0, c.dtype)


def _of_two(operator: str, function: Callable[[Context, Complex, Complex], Complex], *overloads: str) -> None:
    @translates_complex(*[f"aten.{operator}.{overload}" for overload in overloads])
    def translated(c: Context, x: Any, y: Any) -> Complex:
        return function(c, c.pair(x, c.dtype), c.pair(y, c.dtype))


_of_two("mul", _times, "Tensor", "Scalar")
_of_two("div", _divided, "Tensor", "Scalar")


def _added(operator: str, kind: str, swapped: bool = False) -> None:
    @translates_complex(f"aten.{operator}.Tensor", f"aten.{operator}.Scalar")
    def translated(c: Context, x: Any, y: Any, alpha: Any = 1) -> Complex:
        left, right = (c.pair(operand, c.dtype) for operand in ((y, x) if swapped else (x, y)))
        if alpha != 1:
            right = _times(c, right, c.pair(alpha, c.dtype))
        return Complex(c.b.op(kind, left.re, right.re), c.b.op(kind, left.im, right.im))


_added("add", "Add")
_added("sub", "Sub")
_added("rsub", "Sub", swapped=True)


@translates_complex("aten.neg.default")
def neg(c: Context, x: Complex) -> Complex:
    return Complex(c.b.op("Neg", x.re), c.b.op("Neg", x.im))


@translates_complex("aten._conj.default", "aten._conj_physical.default", "aten.conj_physical.default", "aten._conj_copy.default")
def conj(c: Context, x: Complex) -> Complex:
    return Complex(x.re, c.b.op("Neg", x.im))


@translates("aten._conj.default", "aten._conj_physical.default", "aten.conj_physical.default", "aten.resolve_conj.default")
def conj_of_real(c: Context, x: Value) -> Value:
    return x


@translates_complex("aten.resolve_conj.default", "aten.clone.default")
def same(c: Context, x: Complex, **_: Any) -> Complex:
    return x


@translates_complex("aten.reciprocal.default")
def reciprocal(c: Context, x: Complex) -> Complex:
    return _divided(c, _one(c), x)


@translates_complex("aten.abs.default")
def absolute(c: Context, x: Complex) -> Value:
    return hypot(c, x.re, x.im)  # type: ignore[no-any-return]


def angle_of(c: Context, x: Complex) -> Value:
    b = c.b
    y, x_ = b.expand(c.math(x.im, x.im.dtype), x.shape), c.math(x.re, x.re.dtype)
    return b.op("Atan2", y, x_, domain="heddle")


@translates_complex("aten.angle.default")
def angle(c: Context, x: Complex) -> Value:
    return angle_of(c, x)


@translates("aten.angle.default")
def angle_of_real(c: Context, x: Value) -> Value:
    b, value = c.b, c.math(x)
    turned = b.where(b.compare("Less", value, c.math(0.0)), c.math(math.pi), c.math(0.0))
    return b.where(b.is_nan(value), value, turned)


@translates_complex("aten.exp.default")
def exp(c: Context, x: Complex) -> Complex:
    return _scaled(c, Complex(c.b.op("Cos", x.im), c.b.op("Sin", x.im)), c.b.op("Exp", x.re))


@translates_complex("aten.log.default")
def log(c: Context, x: Complex) -> Complex:
    return Complex(c.b.op("Log", hypot(c, x.re, x.im)), angle_of(c, x))


def _of_logarithm(operator: str, base: float) -> None:
    @translates_complex(f"aten.{operator}.default")
    def translated(c: Context, x: Complex) -> Complex:
        return _scaled(c, log(c, x), c.b.const(1 / math.log(base), x.re.dtype))


_of_logarithm("log2", 2)
_of_logarithm("log10", 10)


@translates_complex("aten.sqrt.default")
def sqrt(c: Context, x: Complex) -> Complex:
    b = c.b
    half = b.const(0.5, x.re.dtype)
    great = b.op("Sqrt", b.op("Mul", b.op("Add", hypot(c, x.re, x.im), b.op("Abs", x.re)), half))
    zero = b.const(0.0, x.re.dtype)
    other = b.where(b.compare("Equal", great, zero), zero, b.op("Div", b.op("Mul", b.op("Abs", x.im), half), great))
    is_left = b.compare("Less", x.re, zero)
    re, im = b.where(is_left, other, great), b.where(is_left, great, other)
    return Complex(re, b.where(sign_bit(c, x.im), b.op("Neg", im), im))


@translates_complex("aten.rsqrt.default")
def rsqrt(c: Context, x: Complex) -> Complex:
    return _divided(c, _one(c), sqrt(c, x))


def _trigonometric(operator: str, re: tuple[str, str], im: tuple[str, str], negative: bool) -> None:
    """Parts are products of a function of each part."""
    @translates_complex(f"aten.{operator}.default")
    def translated(c: Context, x: Complex) -> Complex:
        b = c.b
        second = b.op("Mul", b.op(im[0], x.re), b.op(im[1], x.im))
        return Complex(b.op("Mul", b.op(re[0], x.re), b.op(re[1], x.im)), b.op("Neg", second) if negative else second)


_trigonometric("sin", ("Sin", "Cosh"), ("Cos", "Sinh"), False)
_trigonometric("cos", ("Cos", "Cosh"), ("Sin", "Sinh"), True)
_trigonometric("sinh", ("Sinh", "Cos"), ("Cosh", "Sin"), False)
_trigonometric("cosh", ("Cosh", "Cos"), ("Sinh", "Sin"), False)


def _tanh(c: Context, x: Complex) -> Complex:
    """(tanh a (1 + tan² b) + i tan b (1 - tanh² a)) / (1 + tanh² a tan² b)."""
    b, one = c.b, c.b.const(1.0, x.re.dtype)
    tanh, tan = b.op("Tanh", x.re), b.op("Tan", x.im)
    tanh2, tan2 = b.op("Mul", tanh, tanh), b.op("Mul", tan, tan)
    below = b.op("Add", one, b.op("Mul", tanh2, tan2))
    return Complex(b.op("Div", b.op("Mul", tanh, b.op("Add", one, tan2)), below), b.op("Div", b.op("Mul", tan, b.op("Sub", one, tanh2)), below))


@translates_complex("aten.tanh.default")
def tanh(c: Context, x: Complex) -> Complex:
    return _tanh(c, x)


@translates_complex("aten.tan.default")
def tan(c: Context, x: Complex) -> Complex:
    turned = _tanh(c, Complex(c.b.op("Neg", x.im), x.re))
    return Complex(turned.im, c.b.op("Neg", turned.re))


@translates_complex("aten.sigmoid.default")
def sigmoid(c: Context, x: Complex) -> Complex:
    below = exp(c, neg(c, x))
    return _divided(c, _one(c), Complex(c.b.op("Add", below.re, c.b.const(1.0, x.re.dtype)), below.im))


@translates_complex("aten.pow.Tensor_Tensor", "aten.pow.Tensor_Scalar", "aten.pow.Scalar")
def power(c: Context, x: Any, y: Any) -> Complex:
    base = c.pair(x, c.dtype)
    if isinstance(y, (int, float)) and float(y).is_integer() and 0 <= y <= 8:
        result = _one(c) if y == 0 else base
        result = Complex(*[c.b.expand(part, c.shape) for part in result])
        for _ in range(int(y) - 1):
            result = _times(c, result, base)
        return result
    if isinstance(y, (int, float)) and y == 0.5:
        return sqrt(c, base)  # type: ignore[no-any-return]
    b, exponent = c.b, c.pair(y, c.dtype)
    zero, one = b.const(0.0, c.dtype), b.const(1.0, c.dtype)
    result = exp(c, _times(c, exponent, log(c, base)))
    is_zero = b.op("And", b.compare("Equal", base.re, zero), b.compare("Equal", base.im, zero))
    no_power = b.op("And", b.compare("Equal", exponent.re, zero), b.compare("Equal", exponent.im, zero))
    re = b.where(no_power, one, b.where(is_zero, zero, result.re))
    return Complex(re, b.where(b.op("Or", no_power, is_zero), zero, result.im))


@translates_complex("aten.sgn.default")
def sgn(c: Context, x: Complex) -> Complex:
    b = c.b
    length, zero = hypot(c, x.re, x.im), b.const(0.0, x.re.dtype)
    is_zero = b.compare("Equal", length, zero)
    return Complex(*[b.where(is_zero, zero, b.op("Div", part, length)) for part in x])


# Parts.

@translates_complex("aten.complex.default")
def complex_(c: Context, re: Value, im: Value) -> Complex:
    return Complex(*[c.b.expand(c.value(part, c.dtype), c.shape) for part in (re, im)])


@translates_complex("aten.polar.default")
def polar(c: Context, length: Value, angle: Value) -> Complex:
    return Complex(c.b.op("Mul", length, c.b.op("Cos", angle)), c.b.op("Mul", length, c.b.op("Sin", angle)))


@translates_complex("aten.view_as_real.default", "aten.view_as_real_copy.default")
def view_as_real(c: Context, x: Complex) -> Value:
    return c.b.concat([c.b.unsqueeze(part, -1) for part in x], -1)


@translates_complex("aten.view_as_complex.default", "aten.view_as_complex_copy.default")
def view_as_complex(c: Context, x: Value) -> Complex:
    return Complex(*[c.b.op("Gather", x, c.b.const(part, torch.int64), dtype=x.dtype, shape=x.shape[:-1], axis=x.rank - 1) for part in (0, 1)])


@translates_complex("aten.real.default")
def real(c: Context, x: Complex) -> Value:
    return x.re


@translates_complex("aten.imag.default")
def imag(c: Context, x: Complex) -> Value:
    return x.im


@translates_complex("aten._to_copy.default", "prims.convert_element_type.default")
def to_copy(c: Context, x: Any, *_: Any, **__: Any) -> Any:
    if c.out.dtype.is_complex:
        pair = c.pair(x if isinstance(x, Complex) else c.value(x, c.dtype), c.dtype)
        return Complex(c.b.expand(pair.re, c.shape), c.b.expand(pair.im, c.shape))
    if c.out.dtype == torch.bool:
        return c.b.op("Or", c.value(x.re, torch.bool), c.value(x.im, torch.bool))
    return c.value(x.re, c.dtype)


@translates_complex("aten.full.default", "aten.full_like.default", "aten.new_full.default")
def full(c: Context, _: Any, second: Any, third: Any = None, **__: Any) -> Complex:
    pair = c.pair(second if third is None else third, c.dtype)
    return Complex(c.b.expand(pair.re, c.shape), c.b.expand(pair.im, c.shape))


@translates_complex("aten.fill.Scalar", "aten.fill.Tensor")
def fill(c: Context, x: Complex, value: Any) -> Complex:
    return full(c, None, value)  # type: ignore[no-any-return]


def _of_number(number: float, *operators: str) -> None:
    @translates_complex(*operators)
    def translated(c: Context, *_: Any, **__: Any) -> Complex:
        return full(c, None, number)  # type: ignore[no-any-return]


_of_number(0.0, "aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default", "aten.empty.memory_format", "aten.empty_like.default",
           "aten.new_empty.default", "aten.empty_permuted.default", "aten.empty_strided.default", "aten.new_empty_strided.default")
_of_number(1.0, "aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")


@translates_complex("aten.scalar_tensor.default")
def scalar_tensor(c: Context, number: Any, **_: Any) -> Complex:
    return c.pair(number, c.dtype)


@translates_complex("aten.constant_pad_nd.default")
def constant_pad_nd(c: Context, x: Complex, pad: Any, value: Any = 0) -> Complex:
    from .movement import constant_pad_nd as of_reals
    number = complex(value)
    return Complex(of_reals(c, x.re, pad, number.real), of_reals(c, x.im, pad, number.imag))


# Comparisons.

@translates_complex("aten.eq.Tensor", "aten.eq.Scalar")
def equal(c: Context, x: Any, y: Any) -> Value:
    dtype = x.re.dtype if isinstance(x, Complex) else y.re.dtype
    left, right = c.pair(x, dtype), c.pair(y, dtype)
    return c.b.op("And", c.b.compare("Equal", left.re, right.re), c.b.compare("Equal", left.im, right.im))


@translates_complex("aten.ne.Tensor", "aten.ne.Scalar")
def unequal(c: Context, x: Any, y: Any) -> Value:
    return c.b.op("Not", equal(c, x, y))


@translates_complex("aten.isnan.default")
def isnan(c: Context, x: Complex) -> Value:
    return c.b.op("Or", c.b.is_nan(x.re), c.b.is_nan(x.im))


@translates_complex("aten.isinf.default")
def isinf(c: Context, x: Complex) -> Value:
    return c.b.op("Or", *[c.b.op("IsInf", part, dtype=torch.bool) for part in x])


@translates_complex("aten.where.self")
def where(c: Context, condition: Value, x: Any, y: Any) -> Complex:
    left, right = c.pair(x, c.dtype), c.pair(y, c.dtype)
    return Complex(c.b.where(condition, left.re, right.re), c.b.where(condition, left.im, right.im))


@translates_complex("aten.logical_not.default")
def logical_not(c: Context, x: Complex) -> Value:
    return c.b.op("Not", c.b.op("Or", c.value(x.re, torch.bool), c.value(x.im, torch.bool)))


# Products and sums.

@translates_complex("aten.mm.default", "aten.bmm.default")
def mm(c: Context, x: Complex, y: Complex) -> Complex:
    b = c.b
    return Complex(b.op("Sub", matmul(c, x.re, y.re), matmul(c, x.im, y.im)), b.op("Add", matmul(c, x.re, y.im), matmul(c, x.im, y.re)))


@translates_complex("aten.addmm.default", "aten.baddbmm.default")
def addmm(c: Context, bias: Complex, x: Complex, y: Complex, *, beta: Any = 1, alpha: Any = 1) -> Complex:
    product = mm(c, x, y)
    if alpha != 1:
        product = _times(c, product, c.pair(alpha, c.dtype))
    if beta == 0:
        return product  # type: ignore[no-any-return]
    bias = _times(c, bias, c.pair(beta, c.dtype)) if beta != 1 else bias
    return Complex(c.b.op("Add", product.re, bias.re), c.b.op("Add", product.im, bias.im))


@translates_complex("aten.mean.dim", "aten.mean.default")
def mean(c: Context, x: Complex, dim: Any = None, keepdim: bool = False, **_: Any) -> Complex:
    from .reductions import axes_of, mean_of
    return Complex(*[mean_of(c, part, axes_of(part, dim), keepdim) for part in x])


@translates_complex("aten.convolution.default")
def convolution(c: Context, *_: Any) -> Complex:
    raise Unsupported("a convolution of complex numbers")
