# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bessel functions of the orders 0 and 1, and Airy's: sums of Chebyshev polynomials, in f64.

Their coefficients are computed once for each process, with mpmath, which PyTorch brings, from the functions themselves. Each
function is fitted on two ranges: near 0 what is left of it without its logarithm and pole, far away the slow factors of its
exponential or of its sine and cosine. Absolute errors are below 1e-14 times the function's greatest value nearby."""
from __future__ import annotations

import functools
import math
from typing import Any, Callable

import mpmath
import torch

from .table import Context, translates
from .values import Value

DIGITS = 30
_WIDE = torch.float64
_BEYOND = {"j": 8.0, "k": 2.0, "airy": 4.0}  # where the far range begins


@functools.cache
def _coefficients(name: str, order: int) -> tuple[float, ...]:
    """Of the function `name` on its range mapped to [-1, 1], from the lowest degree."""
    function, low, high, count = _FITTED[name]
    with mpmath.workdps(DIGITS):
        angles = [mpmath.pi * (mpmath.mpf(2 * k + 1) / (2 * count)) for k in range(count)]
        values = [function(order, low + (high - low) * (1 + mpmath.cos(angle)) / 2) for angle in angles]
        sums = [mpmath.fsum(value * mpmath.cos(degree * angle) for value, angle in zip(values, angles)) for degree in range(count)]
        return tuple(float(total * (1 if degree == 0 else 2) / count) for degree, total in enumerate(sums))


# What is fitted, in the variable u of its range: the square of a small argument, the inverse of a large one or its square.

def _bessel_phase(order: int, x: Any) -> Any:
    return x - (mpmath.mpf(order) / 2 + mpmath.mpf(1) / 4) * mpmath.pi


def _j_near(order: int, u: Any) -> Any:
    x = mpmath.sqrt(u)
    return mpmath.besselj(order, x) / x ** order


def _y_near(order: int, u: Any) -> Any:
    """Without 2/π (log x · J - 1/x [of order 1])."""
    x = mpmath.sqrt(u)
    singular = mpmath.log(x) * mpmath.besselj(order, x) - (1 / x if order else 0)
    return (mpmath.bessely(order, x) - 2 / mpmath.pi * singular) / x ** order


def _j_cosine(order: int, u: Any) -> Any:
    x = 1 / mpmath.sqrt(u)
    phase, scale = _bessel_phase(order, x), mpmath.sqrt(mpmath.pi * x / 2)
    return scale * (mpmath.besselj(order, x) * mpmath.cos(phase) + mpmath.bessely(order, x) * mpmath.sin(phase))


def _j_sine(order: int, u: Any) -> Any:
    x = 1 / mpmath.sqrt(u)
    phase, scale = _bessel_phase(order, x), mpmath.sqrt(mpmath.pi * x / 2)
    return x * scale * (mpmath.bessely(order, x) * mpmath.cos(phase) - mpmath.besselj(order, x) * mpmath.sin(phase))


def _i_near(order: int, u: Any) -> Any:
    x = mpmath.sqrt(u)
    return mpmath.besseli(order, x) / x ** order


def _k_near(order: int, u: Any) -> Any:
    """Without log(x/2) I, of a sign of its own for each order; times x for order 1."""
    x = mpmath.sqrt(u)
    sign = 1 if order == 0 else -1
    return (mpmath.besselk(order, x) + sign * mpmath.log(x / 2) * mpmath.besseli(order, x)) * x ** order


def _k_far(order: int, u: Any) -> Any:
    x = 1 / u
    return mpmath.besselk(order, x) * mpmath.exp(x) * mpmath.sqrt(x)


def _airy_length(zeta: Any) -> Any:
    """x of ζ = 2/3 x^(3/2)."""
    return (mpmath.mpf(3) / 2 * zeta) ** (mpmath.mpf(2) / 3)


def _airy_far(_: int, u: Any) -> Any:
    x = _airy_length(1 / u)
    return mpmath.airyai(x) * mpmath.exp(1 / u) * 2 * mpmath.sqrt(mpmath.pi) * mpmath.root(x, 4)


def _airy_sine(_: int, u: Any) -> Any:
    zeta = 1 / mpmath.sqrt(u)
    x, phase = _airy_length(zeta), zeta + mpmath.pi / 4
    return mpmath.sqrt(mpmath.pi) * mpmath.root(x, 4) * (mpmath.airyai(-x) * mpmath.sin(phase) + mpmath.airybi(-x) * mpmath.cos(phase))


def _airy_cosine(_: int, u: Any) -> Any:
    zeta = 1 / mpmath.sqrt(u)
    x, phase = _airy_length(zeta), zeta + mpmath.pi / 4
    return zeta * mpmath.sqrt(mpmath.pi) * mpmath.root(x, 4) * (mpmath.airybi(-x) * mpmath.sin(phase) - mpmath.airyai(-x) * mpmath.cos(phase))


_AIRY_END = 3 / (2 * _BEYOND["airy"] ** 1.5)  # 1/ζ there
# The function, the range of u, how many coefficients.
_FITTED: dict[str, tuple[Callable[[int, Any], Any], float, float, int]] = {
    "j_near": (_j_near, 0.0, 64.0, 20), "y_near": (_y_near, 0.0, 64.0, 20), "j_cosine": (_j_cosine, 0.0, 1 / 64, 14),
    "j_sine": (_j_sine, 0.0, 1 / 64, 16), "i_near": (_i_near, 0.0, 4.0, 12), "k_near": (_k_near, 0.0, 4.0, 12),
    "k_far": (_k_far, 0.0, 0.5, 26), "airy_near": (lambda _, x: mpmath.airyai(x), -4.0, 4.0, 36),
    "airy_far": (_airy_far, 0.0, _AIRY_END, 18), "airy_sine": (_airy_sine, 0.0, _AIRY_END ** 2, 16),
    "airy_cosine": (_airy_cosine, 0.0, _AIRY_END ** 2, 16)}


class _Wide:
    """Arithmetic of f64 in a model."""

    def __init__(self, c: Context):
        self.c, self.b = c, c.b

    def number(self, value: float) -> Value:
        return self.b.const(float(value), _WIDE)

    def add(self, left: Value, right: Value) -> Value:
        return self.b.op("Add", left, right)

    def sub(self, left: Value, right: Value) -> Value:
        return self.b.op("Sub", left, right)

    def mul(self, left: Value, right: Value) -> Value:
        return self.b.op("Mul", left, right)

    def div(self, left: Value, right: Value) -> Value:
        return self.b.op("Div", left, right)

    def of(self, kind: str, x: Value) -> Value:
        return self.b.op(kind, x)

    def fitted(self, name: str, order: int, u: Value) -> Value:
        """The sum of Chebyshev polynomials, by Clenshaw's recurrence."""
        _, low, high, _ = _FITTED[name]
        t = self.mul(self.sub(u, self.number((low + high) / 2)), self.number(4 / (high - low)))  # twice the variable
        first, *rest = _coefficients(name, order)
        last, before = self.number(rest[-1]), self.number(0.0)
        for coefficient in rest[-2::-1]:
            last, before = self.add(self.sub(self.mul(t, last), before), self.number(coefficient)), last
        return self.add(self.sub(self.mul(self.mul(t, self.number(0.5)), last), before), self.number(first))

    def outside(self, x: Value, result: Value, pole: float) -> Value:
        """`pole` at 0, NaN below it."""
        zero = self.number(0.0)
        result = self.b.where(self.b.compare("Equal", x, zero), self.number(pole), result)
        return self.b.where(self.b.compare("Less", x, zero), self.number(math.nan), result)


def _far_pair(w: _Wide, order: int, x: Value) -> tuple[Value, Value, Value, Value]:
    """The cosine and sine of the phase, and the factors of each."""
    inverse = w.div(w.number(1.0), w.mul(x, x))
    phase = w.sub(x, w.number((order / 2 + 0.25) * math.pi))
    return w.of("Cos", phase), w.of("Sin", phase), w.fitted("j_cosine", order, inverse), w.div(w.fitted("j_sine", order, inverse), x)


def _far_scale(w: _Wide, x: Value) -> Value:
    return w.of("Sqrt", w.div(w.number(2 / math.pi), x))


def _j_of(w: _Wide, order: int, x: Value) -> Value:
    """Of small positive x."""
    near = w.fitted("j_near", order, w.mul(x, x))
    return w.mul(near, x) if order else near


def _first_kind(order: int) -> None:
    @translates(f"aten.special_bessel_j{order}.default")
    def function(c: Context, x: Value) -> Value:
        w = _Wide(c)
        given = c.value(x, _WIDE)
        size = w.of("Abs", given)
        cosine, sine, even, odd = _far_pair(w, order, size)
        far = w.mul(_far_scale(w, size), w.sub(w.mul(even, cosine), w.mul(odd, sine)))
        made = c.b.where(c.b.compare("LessOrEqual", size, w.number(_BEYOND["j"])), _j_of(w, order, size), far)
        return c.b.where(c.b.compare("Less", given, w.number(0.0)), w.of("Neg", made), made) if order else made

    @translates(f"aten.special_bessel_y{order}.default")
    def second(c: Context, x: Value) -> Value:
        w = _Wide(c)
        given = c.value(x, _WIDE)
        cosine, sine, even, odd = _far_pair(w, order, given)
        far = w.mul(_far_scale(w, given), w.add(w.mul(even, sine), w.mul(odd, cosine)))
        near = w.fitted("y_near", order, w.mul(given, given))
        singular = w.mul(w.of("Log", given), _j_of(w, order, given))
        if order:
            near, singular = w.mul(near, given), w.sub(singular, w.div(w.number(1.0), given))
        near = w.add(near, w.mul(w.number(2 / math.pi), singular))
        made = c.b.where(c.b.compare("LessOrEqual", given, w.number(_BEYOND["j"])), near, far)
        return w.outside(given, made, -math.inf)


def _modified(order: int, scaled: bool) -> None:
    @translates(f"aten.special_{'scaled_' if scaled else ''}modified_bessel_k{order}.default")
    def function(c: Context, x: Value) -> Value:
        w = _Wide(c)
        given = c.value(x, _WIDE)
        square = w.mul(given, given)
        grown = w.mul(w.of("Log", w.mul(given, w.number(0.5))), w.fitted("i_near", order, square))
        rest = w.fitted("k_near", order, square)
        near = w.add(w.div(rest, given), w.mul(grown, given)) if order else w.sub(rest, grown)
        far = w.div(w.fitted("k_far", order, w.div(w.number(1.0), given)), w.of("Sqrt", given))
        if scaled:
            near = w.mul(near, w.of("Exp", given))
        else:
            far = w.mul(far, w.of("Exp", w.of("Neg", given)))
        made = c.b.where(c.b.compare("LessOrEqual", given, w.number(_BEYOND["k"])), near, far)
        return w.outside(given, made, math.inf)


for _order in (0, 1):
    _first_kind(_order)
    _modified(_order, False)
    _modified(_order, True)


@translates("aten.special_airy_ai.default")
def airy(c: Context, x: Value) -> Value:
    """NaN at both infinities, as in PyTorch."""
    w, b = _Wide(c), c.b
    given = c.value(x, _WIDE)
    size = w.of("Abs", given)
    root = w.of("Sqrt", size)
    zeta = w.mul(w.mul(size, root), w.number(2 / 3))
    inverse, fourth = w.div(w.number(1.0), zeta), w.of("Sqrt", root)
    decay = w.div(w.mul(w.of("Exp", w.of("Neg", zeta)), w.fitted("airy_far", 0, inverse)), w.mul(fourth, w.number(2 * math.sqrt(math.pi))))
    phase, square = w.add(zeta, w.number(math.pi / 4)), w.mul(inverse, inverse)
    wave = w.sub(w.mul(w.of("Sin", phase), w.fitted("airy_sine", 0, square)),
                 w.mul(w.mul(w.of("Cos", phase), w.fitted("airy_cosine", 0, square)), inverse))
    wave = w.div(wave, w.mul(fourth, w.number(math.sqrt(math.pi))))
    far = b.where(b.compare("Greater", given, w.number(0.0)), decay, wave)
    made = b.where(b.compare("LessOrEqual", size, w.number(_BEYOND["airy"])), w.fitted("airy_near", 0, given), far)
    return b.where(b.op("IsInf", given, dtype=torch.bool), w.number(math.nan), made)
