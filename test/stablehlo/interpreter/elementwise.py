# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that work element by element, on each type that the specification names for them."""
import math

import numpy

from cases import EPSILON, NUMPY, WIDTH, compute, tensor

NARROW = ["i2", "ui2", "i4", "ui4"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
COMPLEX = ["complex<f32>", "complex<f64>"]
INF, NAN = math.inf, math.nan


def limits(element):
    width = WIDTH[element]
    return (0, 2**width - 1) if element.startswith("u") else (-2**(width - 1), 2**(width - 1) - 1)


def wrap(values, element):
    """Python integers modulo the type."""
    low, high = limits(element)
    return [(int(v) - low) % (high - low + 1) + low for v in values]


def array(values, element):
    kind = NUMPY.get(element, numpy.int8 if element == "i4" or element == "i2" else numpy.uint8)
    return numpy.array(values, dtype=kind)


def integers(element):
    """Pairs that overflow, and some that do not."""
    low, high = limits(element)
    pairs = [(0, 0), (1, low), (high, 1), (low, high), (high, high), (low, low), (min(high, 3), min(high, 2)), (1, high)]
    return [p[0] for p in pairs], [p[1] for p in pairs]



def unary(name, element, values, wanted, tolerance=0, result=None, label=None):
    kind = tensor([len(values)], element)
    types = kind if not result else f"({kind}) -> {tensor([len(values)], result)}"
    compute(name, label or element, f"%r = stablehlo.{name} %a : {types}", {"a": (values, element)}, wanted, result or element,
            tolerance)


def binary(name, element, left, right, wanted, tolerance=0):
    kind = tensor([len(left)], element)
    compute(name, element, f"%r = stablehlo.{name} %a, %b : {kind}", {"a": (left, element), "b": (right, element)}, wanted,
            element, tolerance)


def quotient(x, y):
    return int(math.trunc(x / y)) if abs(x) < 2**50 and abs(y) < 2**50 else (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)


def add_integers():
    operations = {"add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y,
                  "maximum": max, "minimum": min, "and": lambda x, y: x & y, "or": lambda x, y: x | y,
                  "xor": lambda x, y: x ^ y}
    for element in NARROW + SIGNED + UNSIGNED:
        left, right = integers(element)
        for name, function in operations.items():
            binary(name, element, left, right, array(wrap(map(function, left, right), element), element))
        divisors = [y or 1 for y in right]
        binary("divide", element, left, divisors, array(wrap(map(quotient, left, divisors), element), element))
        binary("remainder", element, left, divisors,
               array(wrap([x - quotient(x, y) * y for x, y in zip(left, divisors)], element), element))
        unary("not", element, left, array(wrap([~x for x in left], element), element))
        unary("negate", element, left, array(wrap([-x for x in left], element), element))
        if not element.startswith("u"):
            unary("abs", element, left, array(wrap([abs(x) for x in left], element), element))
            unary("sign", element, left, array([(x > 0) - (x < 0) for x in left], element))
    for element in SIGNED + UNSIGNED:
        width, (low, high) = WIDTH[element], limits(element)
        values = [0, 1, low, high, 5, high - 2, 3, 1]
        bits = [x % 2**width for x in values]
        unary("popcnt", element, values, array([bin(x).count("1") for x in bits], element))
        unary("count_leading_zeros", element, values, array([width - x.bit_length() for x in bits], element))
        by = [0, 1, 1, width - 1, 2, 3, width, min(width + 5, high)]
        inside = lambda b: b < width
        binary("shift_left", element, values, by,
               array(wrap([x << b if inside(b) else 0 for x, b in zip(values, by)], element), element))
        binary("shift_right_logical", element, values, by,
               array(wrap([x >> b if inside(b) else 0 for x, b in zip(bits, by)], element), element))
        arithmetic = [x - 2**width if x >> (width - 1) else x for x in bits]
        binary("shift_right_arithmetic", element, values, by,
               array(wrap([x >> min(b, width - 1) for x, b in zip(arithmetic, by)], element), element))
        powers = [0, 1, 2, 3, 5, 7, 2, 4]
        binary("power", element, values, powers, array(wrap([x**e for x, e in zip(values, powers)], element), element))
    for element in SIGNED:
        binary("power", element, [1, -1, -1, 2, -3, 0], [-3, -3, -2, -1, -2, -1], array([1, -1, 1, 0, 0, 0], element))


def add_flags():
    a, b = [False, False, True, True], [False, True, False, True]
    for name, function in {"add": "__or__", "and": "__and__", "or": "__or__", "xor": "__xor__", "multiply": "__and__",
                           "maximum": "__or__", "minimum": "__and__"}.items():
        binary(name, "i1", a, b, [getattr(x, function)(y) for x, y in zip(a, b)])
    unary("not", "i1", [False, True], [True, False])


def rounded(values, element):
    """To the type, through NumPy or by dropping bits of an f32."""
    values = numpy.asarray(values, dtype=numpy.float64)
    if element != "bf16":
        with numpy.errstate(all="ignore"):
            return values.astype(NUMPY[element])
    bits = values.astype(numpy.float32).view(numpy.uint32).astype(numpy.uint64)
    kept = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype(numpy.uint32).view(numpy.float32)
    return numpy.where(numpy.isnan(values), values, kept).astype(numpy.float32)


# name: (function, values of its domain, how many units in the last place)
FUNCTIONS = {
    "abs": (numpy.abs, [-0.0, 1.5, -2.5, INF, -INF, NAN], 0), "negate": (numpy.negative, [0.0, -1.5, INF, NAN], 0),
    "sign": (numpy.sign, [-2.0, 0.0, 3.0, -INF, NAN], 0), "ceil": (numpy.ceil, [-1.5, -0.5, 0.3, 2.0, INF], 0),
    "floor": (numpy.floor, [-1.5, -0.5, 0.3, 2.0, -INF], 0),
    "round_nearest_even": (numpy.round, [-2.5, -1.5, -0.4, 0.5, 1.5, 2.5], 0),
    "round_nearest_afz": (lambda x: numpy.copysign(numpy.floor(numpy.abs(x) + 0.5), x), [-2.5, -1.5, -0.4, 0.5, 2.5], 0),
    "sqrt": (numpy.sqrt, [0.0, 1.0, 2.0, 64.0, INF, -1.0], 2), "rsqrt": (lambda x: 1 / numpy.sqrt(x), [1.0, 4.0, 0.1, INF], 4),
    "cbrt": (numpy.cbrt, [0.0, 1.0, -8.0, 27.0, 0.1], 4), "exponential": (numpy.exp, [0.0, 1.0, -2.0, 5.0, -INF, INF], 4),
    "exponential_minus_one": (numpy.expm1, [0.0, 1.0, -2.0, 0.001], 4), "log": (numpy.log, [1.0, 2.5, 0.1, INF, 0.0], 4),
    "log_plus_one": (numpy.log1p, [0.0, 0.001, 3.0, -0.5], 4), "logistic": (lambda x: 1 / (1 + numpy.exp(-x)), [0.0, 1.0, -3.0, 9.0], 4),
    "sine": (numpy.sin, [0.0, 1.0, -2.0, 3.0, 100.0], 4), "cosine": (numpy.cos, [0.0, 1.0, -2.0, 3.0, 100.0], 4),
    "tan": (numpy.tan, [0.0, 1.0, -1.2, 0.5], 8), "tanh": (numpy.tanh, [0.0, 1.0, -2.0, 9.0, INF], 4)}
COMPLEX_VALUES = {"default": [1.5 + 2.5j, -0.5 + 0.25j, 0.75 - 1.5j], "sign": [3 + 4j, -1j, 0j]}
BINARY = {"add": numpy.add, "subtract": numpy.subtract, "multiply": numpy.multiply, "divide": numpy.divide}
MORE_BINARY = {"maximum": numpy.maximum, "minimum": numpy.minimum, "remainder": numpy.fmod, "power": numpy.power,
               "atan2": numpy.arctan2}


def complex_wanted(name, values):
    if name == "sign":
        return numpy.array([v / abs(v) if v else 0 for v in values])
    if name == "cbrt":
        return numpy.asarray(values)**(1 / 3)
    return FUNCTIONS[name][0](numpy.asarray(values))


def add_floats():
    for name, (function, values, units) in FUNCTIONS.items():
        for element in FLOATS:
            given = rounded(values, element)
            with numpy.errstate(all="ignore"):
                wanted = rounded(function(given.astype(numpy.float64)), element)
            unary(name, element, given, wanted, units * EPSILON[element])
    for name, function in {**BINARY, **MORE_BINARY}.items():
        left, right = [0.0, 1.5, -7.5, 3.25, INF, NAN, 2.0], [1.0, 2.0, 2.0, -1.5, 2.0, 1.0, 0.5]
        for element in FLOATS:
            with numpy.errstate(all="ignore"):
                wanted = rounded(function(numpy.array(left), numpy.array(right)), element)
            binary(name, element, left, right, wanted, 4 * EPSILON[element] if name in ("power", "atan2") else
                   EPSILON[element])
    for element in FLOATS:
        unary("real", element, [1.5, -2.0], [1.5, -2.0])
        unary("imag", element, [1.5, -2.0], [0.0, 0.0])
        unary("is_finite", element, [1.0, INF, -INF, NAN, 0.0], [True, False, False, False, True], result="i1")
    for element in COMPLEX:
        add_complex(element)


def add_complex(element):
    kind, epsilon = tensor([3], element), EPSILON[element[8:-1]]
    for name in ("cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "negate", "rsqrt",
                 "sign", "sine", "sqrt", "tan", "tanh", "cbrt"):
        values = COMPLEX_VALUES.get(name, COMPLEX_VALUES["default"])
        unary(name, element, values, complex_wanted(name, values), 64 * epsilon)
    values = COMPLEX_VALUES["default"]
    left, right = values, [0.5 - 1j, 2 + 2j, -1.25 + 0.5j]
    for name, function in {**BINARY, "power": numpy.power}.items():
        binary(name, element, left, right, function(numpy.array(left), numpy.array(right)), 64 * epsilon)
    part = element[8:-1]
    unary("abs", element, values, numpy.abs(values), 4 * epsilon, result=part)
    unary("real", element, values, numpy.real(values), result=part)
    unary("imag", element, values, numpy.imag(values), result=part)
    for direction, wanted in {"EQ": [True, False, False], "NE": [False, True, True]}.items():
        compute("compare", f"{element} {direction}", f"%r = stablehlo.compare {direction}, %a, %b : ({kind}, {kind}) -> tensor<3xi1>",
                {"a": (values, element), "b": ([values[0], 1j, 2j], element)}, wanted, "i1")
    compute("complex", element, f"%r = stablehlo.complex %a, %b : {kind}",
            {"a": ([1.0, 2.0, 3.0], part), "b": ([-1.0, 0.5, 0.0], part)}, [1 - 1j, 2 + 0.5j, 3], element)


def add_choices():
    directions = {"EQ": "__eq__", "NE": "__ne__", "LT": "__lt__", "LE": "__le__", "GT": "__gt__", "GE": "__ge__"}
    for element in NARROW + SIGNED + UNSIGNED + FLOATS + ["i1"]:
        is_float = element in FLOATS
        if is_float:
            left, right, order = [0.0, 1.0, -2.0, NAN, INF], [-0.0, 2.0, -3.0, NAN, INF], ", FLOAT"
        elif element == "i1":
            left, right, order = [False, False, True, True], [False, True, False, True], ""
        else:
            left, right = integers(element)
            order = ", UNSIGNED" if element.startswith("u") else ", SIGNED"
        kind, flags = tensor([len(left)], element), tensor([len(left)], "i1")
        for direction, method in directions.items():
            compute("compare", f"{element} {direction}",
                    f"%r = stablehlo.compare {direction}, %a, %b{order} : ({kind}, {kind}) -> {flags}",
                    {"a": (left, element), "b": (right, element)},
                    [bool(getattr(x, method)(y)) for x, y in zip(left, right)], "i1")
    kind = "tensor<4xf32>"
    compute("compare", "f32 total order", f"%r = stablehlo.compare LT, %a, %b, TOTALORDER : ({kind}, {kind}) -> tensor<4xi1>",
            {"a": ([-0.0, 0.0, NAN, -INF], "f32"), "b": ([0.0, -0.0, INF, -1.0], "f32")}, [True, False, False, True], "i1")
    for element in ["i4", "i64", "ui32", "f32", "bf16", "complex<f64>"]:
        on, off = [1, 2, 3, 0], [0, 1, 1, 3]
        kind = tensor([4], element)
        flags = [True, False, True, False]
        compute("select", element, f"%r = stablehlo.select %p, %a, %b : tensor<4xi1>, {kind}",
                {"p": (flags, "i1"), "a": (on, element), "b": (off, element)}, numpy.where(flags, on, off), element)
        compute("select", f"{element} scalar", f"%r = stablehlo.select %p, %a, %b : (tensor<i1>, {kind}, {kind}) -> {kind}",
                {"p": (numpy.array(True), "i1"), "a": (on, element), "b": (off, element)}, on, element)
    for element in ["i4", "i64", "ui8", "f32", "bf16"]:
        kind, scalar = tensor([4], element), tensor([], element)
        values = [0, 1, 2, 3]
        compute("clamp", element, f"%r = stablehlo.clamp %l, %a, %h : {kind}",
                {"l": ([1, 0, 0, 1], element), "a": (values, element), "h": ([2, 0, 3, 2], element)}, [1, 0, 2, 2], element)
        compute("clamp", f"{element} scalars", f"%r = stablehlo.clamp %l, %a, %h : ({scalar}, {kind}, {scalar}) -> {kind}",
                {"l": (numpy.array(1), element), "a": (values, element), "h": (numpy.array(2), element)}, [1, 1, 2, 2], element)


def add_conversions():
    values = [0, 1, 3]
    kinds = ["i1", "ui2", "i4", "i8", "i64", "ui8", "ui64"] + FLOATS + ["complex<f64>"]
    for source in kinds:
        for target in kinds:
            given = [min(v, 1) if source == "i1" else v for v in values]
            got = [bool(v) for v in given] if target == "i1" else given
            if source != target:
                unary("convert", source, given, got, result=target, label=f"{source} to {target}")
    unary("convert", "f32", [1.75, -1.75, 0.5], [1, -1, 0], result="i8", label="f32 to i8, towards zero")
    unary("convert", "i32", [300, -300, 128], [44, -44, -128], result="i8", label="i32 to i8, wraps")
    unary("convert", "f64", [1 / 3, 1e6, -65504.0], numpy.array([1 / 3, INF, -65504]).astype(numpy.float16), result="f16",
          label="f64 to f16")
    for element, exponent, mantissa, given, wanted in [
            ("f32", 5, 10, [1 / 3, 1e6, 1e-9, NAN], [0.333251953125, INF, 0.0, NAN]),
            ("f32", 8, 7, [1.00390625, 1.01171875, -3.0, INF], [1.0, 1.015625, -3.0, INF]),
            ("f64", 5, 10, [65505.0, 65520.0, 0.1, -0.0], [65504.0, INF, 0.0999755859375, -0.0]),
            ("f64", 5, 0, [NAN, 3.5, 1.25, 0.0], [NAN, 4.0, 1.0, 0.0])]:  # as XLA; the interpreter makes NaN infinite
        compute("reduce_precision", f"{element} e{exponent}m{mantissa}",
                f"%r = stablehlo.reduce_precision %a, format = e{exponent}m{mantissa} : {tensor([4], element)}",
                {"a": (given, element)}, wanted, element)
    flat = numpy.arange(1, 9, dtype=numpy.uint8)
    for name, source, given, target, wanted in [
            ("i32 to f32", "i32", [0x3F800000, -0x40800000], "f32", [1.0, -1.0]),
            ("f64 to i64", "f64", [1.0, -2.0], "i64", [0x3FF0000000000000, -0x4000000000000000]),
            ("ui32 to ui8", "ui32", flat.view(numpy.uint32), "ui8", flat.reshape(2, 4)),
            ("ui8 to ui32", "ui8", flat.reshape(2, 4), "ui32", flat.view(numpy.uint32)),
            ("i8 to i1", "i8", [5, -1], "i1", [[True, False, True] + [False] * 5, [True] * 8]),
            ("i1 to i8", "i1", [[True, False, True] + [False] * 5, [True] * 8], "i8", [5, -1])]:
        shapes = [numpy.shape(given), numpy.shape(wanted)]
        compute("bitcast_convert", name,
                f"%r = stablehlo.bitcast_convert %a : ({tensor(shapes[0], source)}) -> {tensor(shapes[1], target)}",
                {"a": (given, source)}, wanted, target)


def add_chlo():
    for element in SIGNED + UNSIGNED:
        low, high = limits(element)
        left, right = [low, high, high, 3], [high, high, 2, low]
        kind = tensor([4], element)
        compute("chlo.mulhi", element, f"%r = chlo.mulhi %a, %b : {kind}, {kind} -> {kind}",
                {"a": (left, element), "b": (right, element)},
                array([(x * y) >> WIDTH[element] for x, y in zip(left, right)], element), element)


def add_all():
    add_integers()
    add_flags()
    add_floats()
    add_choices()
    add_conversions()
    add_chlo()
