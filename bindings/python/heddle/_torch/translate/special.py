# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions: those of the importer's domain `heddle`, and what polynomials give (Cephes' coefficients)."""
from __future__ import annotations

import math
from typing import Any, Sequence

import torch

from .table import Context, translates
from .values import NARROW, Value

DOMAIN = "heddle"


def _of_one(operator: str, kind: str) -> None:
    @translates(f"aten.{operator}.default")
    def function(c: Context, x: Value) -> Value:
        return c.b.op(kind, c.math(x), domain=DOMAIN)


for _name, _kind in {"erfinv": "ErfInv", "expm1": "Expm1", "lgamma": "Lgamma", "log1p": "Log1p",
                     "special_i1e": "BesselI1e"}.items():
    _of_one(_name, _kind)


def _digamma(c: Context, x: Value) -> Value:
    """At 0 and -0 infinite."""
    b = c.b
    pole = b.op("Div", c.math(-1.0), x)
    return b.where(b.compare("Equal", x, c.math(0.0)), pole, b.op("Digamma", x, domain=DOMAIN))


@translates("aten.digamma.default")
def digamma(c: Context, x: Value) -> Value:
    return _digamma(c, c.math(x))


def _of_two(kind: str, *operators: str) -> None:
    @translates(*operators)
    def function(c: Context, x: Any, y: Any) -> Value:
        left, right = c.math(x), c.math(y)
        return c.b.op(kind, c.b.expand(left, c.shape), right, shape=c.shape, domain=DOMAIN)


_of_two("Atan2", "aten.atan2.default")
_of_two("Igamma", "aten.igamma.default")
_of_two("Igammac", "aten.igammac.default")
_of_two("Zeta", "aten.special_zeta.default", "aten.special_zeta.self_scalar", "aten.special_zeta.other_scalar")


@translates("aten.nextafter.default")
def nextafter(c: Context, x: Value, y: Value) -> Value:
    if c.dtype in NARROW:
        return _next_narrow(c, c.value(x, c.dtype), c.value(y, c.dtype))
    return c.b.op("NextAfter", c.b.expand(x, c.shape), y, shape=c.shape, domain=DOMAIN)


def _next_narrow(c: Context, x: Value, y: Value) -> Value:
    """By its bits: one more away from 0, one less towards it; from 0 the smallest number of the other's sign."""
    from .values import KINDS
    b, bits = c.b, torch.int16
    left, right = c.value(x, torch.float32), c.value(y, torch.float32)
    zero = b.const(0.0, torch.float32)
    number = b.cast(b.op("BitCast", x, dtype=bits, to=KINDS[bits]), torch.int32)
    outwards = b.op("Not", b.op("Xor", b.compare("Greater", right, left), b.compare("Greater", left, zero)))
    moved = b.op("Add", number, b.where(outwards, b.const(1, torch.int32), b.const(-1, torch.int32)))
    first = b.where(b.compare("Greater", right, zero), b.const(1, torch.int32), b.const(-0x7FFF, torch.int32))
    moved = b.where(b.compare("Equal", left, zero), first, moved)
    made = b.op("BitCast", b.cast(moved, bits), dtype=c.dtype, to=KINDS[c.dtype])
    made = b.where(b.compare("Equal", left, right), b.expand(y, c.shape), made)
    nan = b.op("Or", b.is_nan(left), b.is_nan(right))
    return b.where(nan, b.const(math.nan, c.dtype), made)


@translates("aten.polygamma.default")
def polygamma(c: Context, n: int, x: Value) -> Value:
    value = c.math(x)
    if n == 0:
        return _digamma(c, value)
    return c.b.op("Polygamma", c.b.expand(c.math(float(n)), value.shape), value, domain=DOMAIN)


@translates("aten.special_ndtri.default")
def ndtri(c: Context, x: Value) -> Value:
    b, value = c.b, c.math(x)
    centred = b.op("Sub", b.op("Mul", value, c.math(2.0)), c.math(1.0))
    return b.op("Mul", c.math(math.sqrt(2)), b.op("ErfInv", centred, domain=DOMAIN))


@translates("aten.special_erfcx.default")
def erfcx(c: Context, x: Value) -> Value:
    """exp(x²) erfc(x) in f64; far out, where that overflows, its asymptotic series."""
    b, wide = c.b, torch.float64
    value = c.value(x, wide)
    square = b.op("Mul", value, value)
    near = b.op("Mul", b.op("Exp", square), b.op("Erfc", value))
    inverse = b.op("Div", b.const(0.5, wide), square)
    series = b.const(1.0, wide)
    for factor in (9.0, 7.0, 5.0, 3.0, 1.0):  # 1 - u + 3 u² - 15 u³ + …
        series = b.op("Sub", b.const(1.0, wide), b.op("Mul", b.op("Mul", inverse, b.const(factor, wide)), series))
    far = b.op("Div", b.op("Mul", series, b.const(1 / math.sqrt(math.pi), wide)), value)
    return b.where(b.compare("Less", value, b.const(25.0, wide)), near, far)


# Bessel functions of the first kind, modified.

def _chebyshev(c: Context, x: Value, coefficients: Sequence[float]) -> Value:
    """By Clenshaw's recurrence."""
    b = c.b
    b0, b1, b2 = c.math(coefficients[0], x.dtype), c.math(0.0, x.dtype), c.math(0.0, x.dtype)
    for coefficient in coefficients[1:]:
        b0, b1, b2 = b.op("Add", b.op("Sub", b.op("Mul", x, b0), b1), c.math(float(coefficient), x.dtype)), b0, b1
    return b.op("Mul", c.math(0.5, x.dtype), b.op("Sub", b0, b2))


_I0_SMALL = (-4.41534164647933937950E-18, 3.33079451882223809783E-17, -2.43127984654795469359E-16, 1.71539128555513303061E-15,
             -1.16853328779934516808E-14, 7.67618549860493561688E-14, -4.85644678311192946090E-13, 2.95505266312963983461E-12,
             -1.72682629144155570723E-11, 9.67580903537323691224E-11, -5.18979560163526290666E-10, 2.65982372468238665035E-9,
             -1.30002500998624804212E-8, 6.04699502254191894932E-8, -2.67079385394061173391E-7, 1.11738753912010371815E-6,
             -4.41673835845875056359E-6, 1.64484480707288970893E-5, -5.75419501008210370398E-5, 1.88502885095841655729E-4,
             -5.76375574538582365885E-4, 1.63947561694133579842E-3, -4.32430999505057594430E-3, 1.05464603945949983183E-2,
             -2.37374148058994688156E-2, 4.93052842396707084878E-2, -9.49010970480476444210E-2, 1.71620901522208775349E-1,
             -3.04682672343198398683E-1, 6.76795274409476084995E-1)
_I0_LARGE = (-7.23318048787475395456E-18, -4.83050448594418207126E-18, 4.46562142029675999901E-17, 3.46122286769746109310E-17,
             -2.82762398051658348494E-16, -3.42548561967721913462E-16, 1.77256013305652638360E-15, 3.81168066935262242075E-15,
             -9.55484669882830764870E-15, -4.15056934728722208663E-14, 1.54008621752140982691E-14, 3.85277838274214270114E-13,
             7.18012445138366623367E-13, -1.79417853150680611778E-12, -1.32158118404477131188E-11, -3.14991652796324136454E-11,
             1.18891471078464383424E-11, 4.94060238822496958910E-10, 3.39623202570838634515E-9, 2.26666899049817806459E-8,
             2.04891858946906374183E-7, 2.89137052083475648297E-6, 6.88975834691682398426E-5, 3.36911647825569408990E-3,
             8.04490411014108831608E-1)


def _i0e(c: Context, x: Value) -> Value:
    b = c.b
    size = b.op("Abs", c.math(x))
    small = _chebyshev(c, b.op("Sub", b.op("Mul", size, c.math(0.5)), c.math(2.0)), _I0_SMALL)
    large = _chebyshev(c, b.op("Sub", b.op("Div", c.math(32.0), size), c.math(2.0)), _I0_LARGE)
    return b.where(b.compare("LessOrEqual", size, c.math(8.0)), small, b.op("Div", large, b.op("Sqrt", size)))


@translates("aten.special_i0e.default")
def i0e(c: Context, x: Value) -> Value:
    return _i0e(c, x)


@translates("aten.i0.default", "aten.special_i0.default", "aten.special_modified_bessel_i0.default")
def i0(c: Context, x: Value) -> Value:
    return c.b.op("Mul", c.b.op("Exp", c.b.op("Abs", c.math(x))), _i0e(c, x))


@translates("aten.special_i1.default", "aten.special_modified_bessel_i1.default")
def i1(c: Context, x: Value) -> Value:
    value = c.math(x)
    return c.b.op("Mul", c.b.op("Exp", c.b.op("Abs", value)), c.b.op("BesselI1e", value, domain=DOMAIN))


@translates("aten.special_spherical_bessel_j0.default")
def spherical_j0(c: Context, x: Value) -> Value:
    b, value = c.b, c.math(x)
    square = b.op("Mul", value, value)
    series = c.math(0.0)
    for term in range(6, -1, -1):  # x^2k (-1)^k / (2k + 1)!
        series = b.op("Add", b.op("Mul", series, square), c.math((-1.0) ** term / math.factorial(2 * term + 1)))
    ratio = b.where(b.op("IsInf", value, dtype=torch.bool), c.math(0.0), b.op("Div", b.op("Sin", value), value))
    return b.where(b.compare("Less", b.op("Abs", value), c.math(0.5)), series, ratio)


# Orthogonal polynomials.

def _polynomial(operator: str, kind: str) -> None:
    @translates(*[f"aten.special_{operator}.{overload}" for overload in ("default", "n_scalar", "x_scalar")])
    def function(c: Context, x: Any, n: Any) -> Value:
        left, degree = c.math(x), c.math(n)
        return c.b.op("OrthogonalPolynomial", c.b.expand(left, c.shape), degree, shape=c.shape, domain=DOMAIN, kind=kind)


for _letter in "tuvw":
    _polynomial(f"chebyshev_polynomial_{_letter}", f"chebyshev_{_letter}")
    _polynomial(f"shifted_chebyshev_polynomial_{_letter}", f"shifted_chebyshev_{_letter}")
for _name, _letter in (("hermite", "h"), ("hermite", "he"), ("laguerre", "l"), ("legendre", "p")):
    _polynomial(f"{_name}_polynomial_{_letter}", f"{_name}_{_letter}")


# Integers.

@translates("aten.gcd.default")
def gcd(c: Context, x: Value, y: Value) -> Value:
    left, right = c.value(x, c.dtype), c.value(y, c.dtype)
    return c.b.op("Gcd", c.b.expand(left, c.shape), right, shape=c.shape, domain=DOMAIN)


@translates("aten.lcm.default")
def lcm(c: Context, x: Value, y: Value) -> Value:
    b = c.b
    divisor, left, right = gcd(c, x, y), c.value(x, c.dtype), c.value(y, c.dtype)
    zero = b.const(0, c.dtype)
    divisor = b.where(b.compare("Equal", divisor, zero), b.const(1, c.dtype), divisor)
    multiple = b.op("Mul", b.op("Div", left, divisor), right)
    return b.op("Abs", multiple) if c.dtype.is_signed else multiple


# Mantissa and exponent.

@translates("aten.frexp.Tensor")
def frexp(c: Context, x: Value) -> Any:
    from .values import KINDS
    b, value = c.b, c.math(x, c.out[0].dtype)
    bits, width, bias = (torch.int32, 23, 126) if value.dtype == torch.float32 else (torch.int64, 52, 1022)
    unsigned = torch.uint32 if bits == torch.int32 else torch.uint64
    scale = c.math(2.0 ** 64, value.dtype)  # subnormal numbers are scaled first
    is_small = b.compare("Less", b.op("Abs", value), c.math(2.0 ** (2 - bias), value.dtype))
    scaled = b.where(is_small, b.op("Mul", value, scale), value)
    number = b.op("BitCast", scaled, dtype=bits, to=KINDS[bits])
    field = (1 << (31 if bits == torch.int32 else 63)) - (1 << width)
    exponent = b.op("BitwiseAnd", number, b.const(field, bits))
    exponent = b.cast(b.op("BitShift", b.cast(exponent, unsigned), b.const(width, unsigned), direction="RIGHT"), torch.int32)
    exponent = b.op("Sub", exponent, b.where(is_small, b.const(bias + 64, torch.int32), b.const(bias, torch.int32)))
    mantissa = b.op("BitwiseOr", b.op("BitwiseAnd", number, b.const(~field, bits)), b.const(bias << width, bits))
    mantissa = b.op("BitCast", mantissa, dtype=value.dtype, to=KINDS[value.dtype])
    zero = c.math(0.0, value.dtype)
    odd = b.op("Or", b.op("Or", b.compare("Equal", value, zero), b.is_nan(value)), b.op("IsInf", value, dtype=torch.bool))
    return b.where(odd, value, mantissa), b.where(odd, b.const(0, torch.int32), exponent)
