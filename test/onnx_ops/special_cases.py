# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops for test_special_values.py: what each computes, in NumPy's long doubles, and how far off it may be."""
import dataclasses
import math

import numpy

LONG = numpy.longdouble
F32 = numpy.finfo(numpy.float32)
LEAST, TINY, MOST = float(F32.smallest_subnormal), float(F32.tiny), float(F32.max)

# Zeros, subnormal numbers, ends of ranges and domains, ties, where functions become exact, and large arguments.
SPECIAL = [0.0, math.inf, math.nan, LEAST, 3 * LEAST, 1e-40, 5e-39, TINY - LEAST, TINY, 1.5 * TINY, 1e-30, 1e-10, 1e-7, 2e-5, 3.9e-4, 4.1e-4, 1e-3,
           0.1, 0.25, 0.49999997, 0.5, 0.70710677, 0.75, 0.99999994, 1.0, 1.0000001, 1.5, 2.0, 2.5, 3.0, 3.5, 3.1415927, 1.5707964, 4.5, 6.0, 7.9, 8.5,
           9.0, 9.02, 10.0, 13.0, 20.0, 30.0, 87.2, 87.4, 88.0, 88.7, 88.73, 89.0, 95.0, 100.0, 103.2, 103.9, 104.1, 150.0, 200.0, 255.0, 255.5, 256.0,
           1e4, 32767.5, 65504.0, 65519.0, 65520.0, 1e6, 8388607.5, 8388609.0, 16777217.0, 2147483520.0, 2147483648.0, 4294967296.0, 1e10, 2.0 ** 63, 2.0 ** 64,
           1e15, 1e20, 1.8e19, 1e30, 2e38, 3.3895314e38, MOST]


def table():
    """All of these with both signs, and some random ones."""
    generator = numpy.random.default_rng(11)
    some = numpy.concatenate([generator.uniform(-10, 10, 20), generator.uniform(-100, 100, 15), generator.uniform(-1, 1, 12)])
    return numpy.concatenate([SPECIAL, -numpy.array(SPECIAL), some]).astype(numpy.float32)


@dataclasses.dataclass
class Op:
    """`units`: allowed, of the last place of the greater of the result and `scale` of the operands; and `floor` beside."""
    compute: object
    units: float = 1
    attributes: dict = dataclasses.field(default_factory=dict)
    operands: int = 1
    scale: object = None
    floor: float = 0.0
    kind: type = numpy.float32  # of the result
    units_without_fma: float = None
    zeros: bool = True  # 0 and -0 differ
    name: str = None  # of the op in ONNX; None: the key


def each(function):
    return lambda x: numpy.array([LONG(function(float(value))) for value in x])


def erf(x):
    return each(math.erf)(x)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def softplus(x):
    return numpy.where(x > 0, x, 0) + numpy.log1p(numpy.exp(-numpy.abs(x)))


def fmod(x, y):
    return numpy.fmod(x, y)


def minimum(x, y):
    return numpy.where(numpy.isnan(x) | numpy.isnan(y), numpy.nan, numpy.fmin(x, y))


def gelu(x):
    return numpy.where(numpy.isneginf(x), numpy.nan, x * 0.5 * (1 + erf(x / numpy.sqrt(LONG(2)))))


def gelu_tanh(x):
    return x * 0.5 * (1 + numpy.tanh(numpy.sqrt(2 / LONG(numpy.pi)) * (x + LONG(numpy.float32(0.044715)) * x * x * x)))


def tail(x):
    """Of the functions that are x for large x and 0 for small: errors are those of x, but none where the factor is 0."""
    return numpy.where(x < -10, 0, numpy.abs(x))


def integer(kind):
    """Cast's: towards zero, the nearest limit out of range, NaN to 0."""
    limits = numpy.iinfo(kind)
    return lambda x: numpy.clip(numpy.trunc(numpy.where(numpy.isnan(x), 0, x)), LONG(limits.min), LONG(limits.max)).astype(kind)


def cast(kind, onnx_kind, compute=None, units=0.5):
    return Op(compute or integer(kind), units, {"to": onnx_kind}, kind=kind, name="Cast")


ONE = {
    "Exp": Op(numpy.exp, 2), "Log": Op(numpy.log, 1.5), "Sqrt": Op(numpy.sqrt, 0.5), "Tanh": Op(numpy.tanh, 4.5, units_without_fma=7), "Erf": Op(erf, 4, zeros=False),
    "Sigmoid": Op(sigmoid, 4, floor=3e-39), "Softplus": Op(softplus, 4), "Softsign": Op(lambda x: x / (1 + numpy.abs(x)), 2),
    "Mish": Op(lambda x: x * numpy.tanh(softplus(x)), 8, floor=2e-43), "Gelu": Op(gelu, 4, scale=tail, floor=1e-20, zeros=False),
    "Gelu_tanh": Op(gelu_tanh, 4, {"approximate": "tanh"}, scale=tail, floor=1e-20, zeros=False, name="Gelu"),
    "Sin": Op(numpy.sin), "Cos": Op(numpy.cos), "Tan": Op(numpy.tan), "Asin": Op(numpy.arcsin), "Acos": Op(numpy.arccos), "Atan": Op(numpy.arctan),
    "Sinh": Op(numpy.sinh), "Cosh": Op(numpy.cosh), "Asinh": Op(numpy.arcsinh), "Acosh": Op(numpy.arccosh), "Atanh": Op(numpy.arctanh),
    "Reciprocal": Op(lambda x: 1 / x), "Neg": Op(numpy.negative, 0), "Abs": Op(numpy.abs, 0), "Floor": Op(numpy.floor, 0), "Ceil": Op(numpy.ceil, 0),
    "Round": Op(numpy.rint, 0), "Sign": Op(numpy.sign, 0, zeros=False), "Relu": Op(lambda x: numpy.where(x < 0, 0, x), 0, zeros=False),
    "Elu": Op(lambda x: numpy.where(x < 0, numpy.expm1(x), x), 4), "HardSwish": Op(lambda x: x * numpy.clip(x / 6 + 0.5, 0, 1), 2, scale=lambda x: numpy.where(numpy.abs(x) < 4, 1, 0), zeros=False),
    "Celu": Op(lambda x: numpy.where(x < 0, numpy.expm1(x), x), 4, zeros=False),
    "Clip": Op(lambda x: x, 0), "IsNaN": Op(numpy.isnan, kind=numpy.bool_), "IsInf": Op(numpy.isinf, kind=numpy.bool_),
    "Cast_f64": cast(numpy.float64, 11, lambda x: x), "Cast_f16": cast(numpy.float16, 10, lambda x: x), "Cast_bool": cast(numpy.bool_, 9, lambda x: x != 0),
    "Cast_i32": cast(numpy.int32, 6), "Cast_i64": cast(numpy.int64, 7), "Cast_i8": cast(numpy.int8, 3), "Cast_u8": cast(numpy.uint8, 2), "Cast_u32": cast(numpy.uint32, 12),
}
TWO = {
    "Add": Op(numpy.add, 0.5, operands=2), "Sub": Op(numpy.subtract, 0.5, operands=2), "Mul": Op(numpy.multiply, 0.5, operands=2), "Div": Op(numpy.divide, 0.5, operands=2),
    "Pow": Op(numpy.power, operands=2), "Mod": Op(fmod, 0, {"fmod": 1}, operands=2), "Min": Op(minimum, 0, operands=2, zeros=False),
    "Max": Op(lambda x, y: -minimum(-x, -y), 0, operands=2, zeros=False), "PRelu": Op(lambda x, y: numpy.where(x < 0, x * y, x), 0.5, operands=2),
    "Less": Op(numpy.less, operands=2, kind=numpy.bool_), "Equal": Op(numpy.equal, operands=2, kind=numpy.bool_), "GreaterOrEqual": Op(numpy.greater_equal, operands=2, kind=numpy.bool_),
}
OPS = ONE | TWO
