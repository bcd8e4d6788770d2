# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic, comparisons and functions of one element."""
from __future__ import annotations

import math
from typing import Any, Callable

import torch

from .table import Context, common, translates
from .values import NARROW, Unsupported, Value


def _unary(operator: str, kind: str) -> None:
    """A function of floats; integers become floats."""
    @translates(f"aten.{operator}.default")
    def function(c: Context, x: Value) -> Value:
        return c.b.op(kind, c.math(x))


for _name, _kind in {"acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh", "cos": "Cos",
                     "cosh": "Cosh", "erf": "Erf", "erfc": "Erfc", "exp": "Exp", "log": "Log", "reciprocal": "Reciprocal", "sigmoid": "Sigmoid",
                     "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh"}.items():
    _unary(_name, _kind)


def _scaled(operator: str, before: float, kind: str, after: float) -> None:
    @translates(f"aten.{operator}.default")
    def function(c: Context, x: Value) -> Value:
        value = c.math(x)
        if before != 1:
            value = c.b.op("Mul", value, c.math(before))
        if kind:
            value = c.b.op(kind, value)
        return c.b.op("Mul", value, c.math(after)) if after != 1 else value


for _row in (("exp2", math.log(2), "Exp", 1.0), ("log2", 1.0, "Log", 1 / math.log(2)), ("log10", 1.0, "Log", 1 / math.log(10)),
             ("deg2rad", math.pi / 180, "", 1.0), ("rad2deg", 180 / math.pi, "", 1.0)):
    _scaled(*_row)


@translates("aten.rsqrt.default")
def rsqrt(c: Context, x: Value) -> Value:
    return c.b.op("Div", c.math(1.0), c.b.op("Sqrt", c.math(x)))


# Rounding and signs.

def _rounding(operator: str, kind: str) -> None:
    @translates(f"aten.{operator}.default")
    def function(c: Context, x: Value) -> Value:
        return c.b.op(kind, c.math(x)) if x.dtype.is_floating_point else x


for _name, _kind in {"ceil": "Ceil", "floor": "Floor", "round": "Round"}.items():
    _rounding(_name, _kind)


@translates("aten.round.decimals")
def round_decimals(c: Context, x: Value, *, decimals: int = 0) -> Value:
    if not x.dtype.is_floating_point:
        return x
    scale = c.math(float(10 ** abs(decimals)))
    first, second = ("Mul", "Div") if decimals > 0 else ("Div", "Mul")
    return c.b.op(second, c.b.op("Round", c.b.op(first, c.math(x), scale)), scale)


def truncate(c: Context, x: Value) -> Value:
    """Towards 0, with the sign that a zero had."""
    if not x.dtype.is_floating_point:
        return x
    return c.b.where(c.b.compare("Less", x, c.b.const(0.0, x.dtype)), c.b.op("Ceil", x), c.b.op("Floor", x))


@translates("aten.trunc.default")
def trunc(c: Context, x: Value) -> Value:
    return truncate(c, c.math(x))


@translates("aten.neg.default")
def neg(c: Context, x: Value) -> Value:
    if not x.dtype.is_floating_point:
        return c.b.op("Sub", c.value(0, x.dtype), x)
    return c.b.op("Neg", x)


@translates("aten.abs.default")
def absolute(c: Context, x: Value) -> Value:
    return x if x.dtype == torch.bool or not x.dtype.is_signed else c.b.op("Abs", x)


@translates("aten.sign.default", "aten.sgn.default")
def sign(c: Context, x: Value) -> Value:
    """NaN gives 0, as in PyTorch."""
    if x.dtype == torch.bool:
        return x
    if not x.dtype.is_floating_point:
        return c.b.op("Sign", x)
    return c.b.where(c.b.is_nan(x), c.b.const(0.0, x.dtype), c.b.op("Sign", x))


_BITS = {torch.float32: torch.int32, torch.float64: torch.int64, torch.float16: torch.int16, torch.bfloat16: torch.int16}


def sign_bit(c: Context, x: Value) -> Value:
    from .values import KINDS
    if x.dtype.is_floating_point:
        x = c.b.op("BitCast", x, dtype=_BITS[x.dtype], to=KINDS[_BITS[x.dtype]])
    if not x.dtype.is_signed:
        return c.b.expand(c.b.const(False, torch.bool), x.shape)
    return c.b.compare("Less", x, c.b.const(0, x.dtype))


@translates("aten.signbit.default")
def signbit(c: Context, x: Value) -> Value:
    return sign_bit(c, x)


@translates("aten.copysign.Tensor", "aten.copysign.Scalar")
def copysign(c: Context, x: Value, other: Any) -> Value:
    magnitude = c.b.op("Abs", c.math(x))
    if not isinstance(other, Value):
        negative = math.copysign(1, other) < 0
        return c.b.op("Neg", magnitude) if negative else magnitude
    return c.b.where(sign_bit(c, other), c.b.op("Neg", magnitude), magnitude)


@translates("aten.isnan.default")
def isnan(c: Context, x: Value) -> Value:
    return c.b.is_nan(x) if x.dtype.is_floating_point else c.b.fill(False, torch.bool, x.shape)


def _infinite(operator: str, positive: int, negative: int) -> None:
    @translates(f"aten.{operator}.default")
    def function(c: Context, x: Value) -> Value:
        if not x.dtype.is_floating_point:
            return c.b.fill(False, torch.bool, x.shape)
        return c.b.op("IsInf", x, dtype=torch.bool, detect_positive=positive, detect_negative=negative)


for _name, _positive, _negative in (("isinf", 1, 1), ("isposinf", 1, 0), ("isneginf", 0, 1)):
    _infinite(_name, _positive, _negative)


# Arithmetic of two.

@translates("aten.add.Tensor", "aten.add.Scalar")
def add(c: Context, x: Any, y: Any, alpha: Any = 1) -> Value:
    return _sum(c, "Add", x, y, alpha)


@translates("aten.sub.Tensor", "aten.sub.Scalar")
def sub(c: Context, x: Any, y: Any, alpha: Any = 1) -> Value:
    return _sum(c, "Sub", x, y, alpha)


@translates("aten.rsub.Tensor", "aten.rsub.Scalar")
def rsub(c: Context, x: Any, y: Any, alpha: Any = 1) -> Value:
    return _sum(c, "Sub", y, x, alpha)


def _sum(c: Context, kind: str, x: Any, y: Any, alpha: Any) -> Value:
    if c.dtype == torch.bool:
        return c.b.op("Or", c.value(x, torch.bool), c.value(y, torch.bool))
    right = c.math(y)
    if isinstance(alpha, (torch.SymInt, torch.SymFloat)) or alpha != 1:
        right = c.b.op("Mul", right, c.math(alpha))
    return c.b.op(kind, c.math(x), right)


@translates("aten.mul.Tensor", "aten.mul.Scalar")
def mul(c: Context, x: Any, y: Any) -> Value:
    if c.dtype == torch.bool:
        return c.b.op("And", c.value(x, torch.bool), c.value(y, torch.bool))
    return c.b.op("Mul", c.math(x), c.math(y))


def nonzero_divisor(c: Context, y: Value) -> Value:
    """Fails the call where an integer is divided by 0, as PyTorch does."""
    is_zero = c.b.cast(c.b.compare("Equal", y, c.b.const(0, y.dtype)), torch.int64)
    nothing = c.b.op("Gather", c.b.tensor(torch.zeros(1, dtype=y.dtype)), is_zero, dtype=y.dtype, shape=y.shape, axis=0)
    return c.b.op("Add", y, nothing)


def divisor(c: Context, y: Any, dtype: torch.dtype) -> Value:
    value = c.math(y, dtype)
    if dtype.is_floating_point or not isinstance(y, Value) and y != 0:
        return value
    return nonzero_divisor(c, value)


@translates("aten.div.Tensor", "aten.div.Scalar")
def div(c: Context, x: Any, y: Any) -> Value:
    return c.b.op("Div", c.math(x), c.math(y))


@translates("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def div_mode(c: Context, x: Any, y: Any, rounding_mode: str | None = None) -> Value:
    if rounding_mode is None:
        return div(c, x, y)  # type: ignore[no-any-return]
    return quotient(c, x, y, rounding_mode)


@translates("aten.floor_divide.default", "aten.floor_divide.Scalar")
def floor_divide(c: Context, x: Any, y: Any) -> Value:
    return quotient(c, x, y, "floor")


def quotient(c: Context, x: Any, y: Any, mode: str) -> Value:
    b, dtype = c.b, c.dtype
    left, right = c.math(x), divisor(c, y, dtype)
    if not dtype.is_floating_point:
        whole = b.op("Div", left, right)
        if mode == "trunc" or not dtype.is_signed:
            return whole
        rest = b.op("Sub", left, b.op("Mul", whole, right))
        zero = b.const(0, dtype)
        differs = b.op("Xor", b.compare("Less", rest, zero), b.compare("Less", right, zero))
        inexact = b.op("Not", b.compare("Equal", rest, zero))
        return b.op("Sub", whole, b.cast(b.op("And", differs, inexact), dtype))
    step = rounding_steps(c) if isinstance(y, Value) and b.count_of(y) != 1 else lambda value: value
    if mode == "trunc":
        return truncate(c, step(b.op("Div", left, right)))
    return _floor_of_floats(c, left, right, step)


def rounding_steps(c: Context) -> Callable[[Value], Value]:
    """Some of PyTorch's operators round each step to a narrow type, where others have one rounding: quotients that are cut off
    (unless the divisor is one number), places in histograms."""
    if c.dtype not in NARROW:
        return lambda value: value
    return lambda value: c.b.cast(c.b.cast(value, c.dtype), value.dtype)


def _floor_of_floats(c: Context, left: Value, right: Value, step: Callable[[Value], Value]) -> Value:
    """By the remainder, as PyTorch does: 1 divided by 0.1 is 9."""
    b = c.b
    zero, one = b.const(0.0, left.dtype), b.const(1.0, left.dtype)
    rest = b.op("Mod", left, right, fmod=1)
    whole = step(b.op("Div", step(b.op("Sub", left, rest)), right))
    is_off = b.op("And", b.op("Not", b.compare("Equal", rest, zero)),
                  b.op("Xor", b.compare("Less", right, zero), b.compare("Less", rest, zero)))
    whole = b.where(is_off, step(b.op("Sub", whole, one)), whole)
    floor = b.op("Floor", whole)
    floor = b.where(b.compare("Greater", step(b.op("Sub", whole, floor)), b.const(0.5, left.dtype)), b.op("Add", floor, one), floor)
    quotient_ = b.op("Div", left, right)
    floor = b.where(b.compare("Equal", whole, zero), b.op("Mul", zero, quotient_), floor)
    return b.where(b.compare("Equal", right, zero), quotient_, floor)


@translates("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor")
def remainder(c: Context, x: Any, y: Any) -> Value:
    b = c.b
    left, right = c.math(x), divisor(c, y, c.dtype)
    if not c.dtype.is_floating_point:
        return b.op("Mod", left, right)
    rest, zero = b.op("Mod", left, right, fmod=1), b.const(0.0, left.dtype)
    is_off = b.op("And", b.op("Not", b.compare("Equal", rest, zero)),
                  b.op("Xor", b.compare("Less", right, zero), b.compare("Less", rest, zero)))
    return b.where(is_off, b.op("Add", rest, right), rest)


@translates("aten.fmod.Tensor", "aten.fmod.Scalar")
def fmod(c: Context, x: Any, y: Any) -> Value:
    return c.b.op("Mod", c.math(x), divisor(c, y, c.dtype), fmod=1)


@translates("aten.pow.Tensor_Tensor", "aten.pow.Tensor_Scalar", "aten.pow.Scalar")
def power(c: Context, x: Any, y: Any) -> Value:
    b = c.b
    base = c.math(x)
    if isinstance(y, (int, float)) and not isinstance(y, bool):
        if y == 0.5 and base.dtype.is_floating_point:
            return b.op("Sqrt", base)
        if y == -0.5 and base.dtype.is_floating_point:
            return b.op("Div", c.math(1.0), b.op("Sqrt", base))
        if y == -2 and base.dtype.is_floating_point:
            return b.op("Div", c.math(1.0), b.op("Mul", base, base))
    return b.op("Pow", base, c.math(y))


@translates("aten.square.default")
def square(c: Context, x: Value) -> Value:
    return c.b.op("Mul", c.math(x), c.math(x))


@translates("aten.hypot.default")
def hypot(c: Context, x: Value, y: Value) -> Value:
    """By the greater of the two, so that squares do not overflow."""
    b = c.b
    left, right = b.op("Abs", c.math(x)), b.op("Abs", c.math(y))
    great, small = b.op("Max", left, right), b.op("Min", left, right)
    ratio = b.op("Div", small, great)
    length = b.op("Mul", great, b.op("Sqrt", b.op("Add", c.math(1.0), b.op("Mul", ratio, ratio))))
    length = b.where(b.compare("Equal", great, c.math(0.0)), great, length)
    either = b.op("Or", b.op("IsInf", left, dtype=torch.bool), b.op("IsInf", right, dtype=torch.bool))
    return b.where(either, c.math(math.inf), length)


# Extremes.

def extreme(c: Context, greatest: bool, x: Value, y: Value) -> Value:
    if x.dtype == torch.bool:
        return c.b.op("Or" if greatest else "And", x, y)
    return c.b.op("Max" if greatest else "Min", x, y)


@translates("aten.maximum.default")
def maximum(c: Context, x: Value, y: Value) -> Value:
    return extreme(c, True, c.math(x), c.math(y))


@translates("aten.minimum.default")
def minimum(c: Context, x: Value, y: Value) -> Value:
    return extreme(c, False, c.math(x), c.math(y))


def _number_or_other(c: Context, greatest: bool, x: Value, y: Value) -> Value:
    left, right = c.math(x), c.math(y)
    result = extreme(c, greatest, left, right)
    if not left.dtype.is_floating_point:
        return result
    return c.b.where(c.b.is_nan(left), right, c.b.where(c.b.is_nan(right), left, result))


@translates("aten.fmax.default")
def fmax(c: Context, x: Value, y: Value) -> Value:
    return _number_or_other(c, True, x, y)


@translates("aten.fmin.default")
def fmin(c: Context, x: Value, y: Value) -> Value:
    return _number_or_other(c, False, x, y)


def bounded(c: Context, x: Value, low: Any, high: Any) -> Value:
    if any(_out_of_range(bound, c.dtype) for bound in (low, high)):
        raise Unsupported(f"bounds that are no numbers of {c.dtype}")
    result = c.math(x)
    if low is not None:
        result = extreme(c, True, result, c.math(low))
    return extreme(c, False, result, c.math(high)) if high is not None else result


@translates("aten.clamp.default", "aten.clamp.Tensor")
def clamp(c: Context, x: Value, min: Any = None, max: Any = None) -> Value:
    return bounded(c, x, min, max)


@translates("aten.clamp_min.default", "aten.clamp_min.Tensor")
def clamp_min(c: Context, x: Value, min: Any) -> Value:
    return bounded(c, x, min, None)


@translates("aten.clamp_max.default", "aten.clamp_max.Tensor")
def clamp_max(c: Context, x: Value, max: Any) -> Value:
    return bounded(c, x, None, max)


@translates("aten.hardtanh.default")
def hardtanh(c: Context, x: Value, min_val: Any = -1, max_val: Any = 1) -> Value:
    return bounded(c, x, min_val, max_val)


# Comparisons and logic.

def _out_of_range(number: Any, dtype: torch.dtype) -> bool:
    if not isinstance(number, int) or isinstance(number, bool) or dtype.is_floating_point or dtype == torch.bool:
        return False
    limits = torch.iinfo(dtype)
    return not limits.min <= number <= limits.max


def _comparison(operator: str, kind: str, negated: bool = False) -> None:
    @translates(f"aten.{operator}.Tensor", f"aten.{operator}.Scalar")
    def function(c: Context, x: Value, y: Any) -> Value:
        dtype = common(x, y)
        if dtype == torch.bool and kind != "Equal":
            dtype = torch.uint8
        if _out_of_range(y, dtype):
            raise Unsupported(f"a comparison of {dtype} with {y}")
        result = c.b.compare(kind, c.value(x, dtype), c.value(y, dtype))
        return c.b.op("Not", result) if negated else result


for _name, _kind in {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}.items():
    _comparison(_name, _kind)
_comparison("ne", "Equal", negated=True)


def _logic(operator: str, kind: str) -> None:
    @translates(f"aten.{operator}.default")
    def function(c: Context, x: Any, y: Any) -> Value:
        return c.b.op(kind, c.value(x, torch.bool), c.value(y, torch.bool))


for _name, _kind in {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}.items():
    _logic(_name, _kind)


@translates("aten.logical_not.default")
def logical_not(c: Context, x: Value) -> Value:
    return c.b.op("Not", c.value(x, torch.bool))


def _bitwise(operator: str, kind: str) -> None:
    @translates(f"aten.{operator}.Tensor", f"aten.{operator}.Scalar", f"aten.{operator}.Scalar_Tensor")
    def function(c: Context, x: Any, y: Any) -> Value:
        name = kind if c.dtype == torch.bool else f"Bitwise{kind}"
        return c.b.op(name, c.value(x, c.dtype), c.value(y, c.dtype))


for _name, _kind in {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor"}.items():
    _bitwise(_name, _kind)


@translates("aten.bitwise_not.default")
def bitwise_not(c: Context, x: Value) -> Value:
    return c.b.op("Not" if x.dtype == torch.bool else "BitwiseNot", x)


_UNSIGNED = {torch.int8: torch.uint8, torch.int16: torch.uint16, torch.int32: torch.uint32, torch.int64: torch.uint64}


def _shift(operator: str, direction: str) -> None:
    @translates(f"aten.{operator}.Tensor", f"aten.{operator}.Tensor_Scalar", f"aten.{operator}.Scalar_Tensor")
    def function(c: Context, x: Any, y: Any) -> Value:
        """PyTorch: shifts by less than 0 or by the width and more are 0, or to the right the sign."""
        b, dtype = c.b, c.dtype
        left, amount = c.value(x, dtype), c.value(y, dtype)
        width = torch.iinfo(dtype).bits
        unsigned = _UNSIGNED.get(dtype, dtype)
        if dtype.is_signed and direction == "RIGHT":  # of negative numbers by way of their complement
            most = b.const(width - 1, dtype)
            outside = b.op("Or", b.compare("Less", amount, b.const(0, dtype)), b.compare("Greater", amount, most))
            amount = b.where(outside, most, amount)
            negative = b.compare("Less", left, b.const(0, dtype))
            bits = b.cast(b.where(negative, b.op("BitwiseNot", left), left), unsigned)
            moved = b.cast(b.op("BitShift", bits, b.cast(amount, unsigned), direction="RIGHT"), dtype)
            return b.where(negative, b.op("BitwiseNot", moved), moved)
        return b.cast(b.op("BitShift", b.cast(left, unsigned), b.cast(amount, unsigned), direction=direction), dtype)


_shift("bitwise_left_shift", "LEFT")
_shift("bitwise_right_shift", "RIGHT")


@translates("aten.where.self")
def where(c: Context, condition: Value, x: Any, y: Any) -> Value:
    return c.b.where(c.value(condition, torch.bool), c.value(x, c.dtype), c.value(y, c.dtype))


@translates("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def masked_fill(c: Context, x: Value, mask: Value, value: Any) -> Value:
    return c.b.where(mask, c.value(value, c.dtype), x)


@translates("aten._to_copy.default", "prims.convert_element_type.default", "aten.to.dtype")
def to_copy(c: Context, x: Value, dtype: Any = None, **_: Any) -> Value:
    return c.value(x, c.dtype)
