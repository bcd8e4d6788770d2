# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups for test_types.py: floats of 8 and 4 bits, integers of 4 and 2 bits. What is right is said by ml_dtypes and by
ONNX's tables, for ONNX Runtime lacks most of these types."""
import ml_dtypes
import numpy
import onnx

from typed_cases import BF16, SIZE, Case, Group, name

FLOAT8 = (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz)
SCALE, FLOAT4 = ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn
SMALL_FLOATS = FLOAT8 + (SCALE, FLOAT4)
SMALL_INTEGERS = (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)
SMALL = SMALL_FLOATS + SMALL_INTEGERS
WIDE_FLOATS = (numpy.float32, numpy.float16, BF16, numpy.float64)
SEED = 20261122  # of all random values here


def code_of(kind):
    return int(onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(kind)))


def codes(kind):
    """Every value of a type."""
    if kind in SMALL_INTEGERS:
        limits = ml_dtypes.iinfo(kind)
        return numpy.arange(int(limits.min), int(limits.max) + 1, dtype=numpy.int32).astype(kind)
    return numpy.arange(16 if kind is FLOAT4 else 256, dtype=numpy.uint8).view(kind)


def wide(array):
    """Exactly, as floats or integers that NumPy has."""
    kind = array.dtype.type
    return array.astype(numpy.int64 if kind in SMALL_INTEGERS else numpy.float32) if kind in SMALL else array


def to_scale(x, saturate, mode):
    """The exponents of floats, as onnx's table says; NaN where there is none."""
    size = numpy.abs(numpy.asarray(x, numpy.float64))
    with numpy.errstate(all="ignore"):
        part, exponent = numpy.frexp(size)  # [0.5, 1) * 2^exponent
        up = {"up": part > 0.5, "down": False, "nearest": part >= 0.75}[mode]
        number = numpy.where(size == 0, -2000, exponent - 1 + up + 127)
    number = numpy.where(numpy.isinf(size), 2000, number)
    number = numpy.clip(number, 0, 254) if saturate else numpy.where((number < 0) | (number > 254), 255, number)
    return numpy.where(numpy.isnan(size), 255, number).astype(numpy.uint8).view(SCALE)


def to_nearest(x, to, saturate):
    """Doubles, rounded once (ml_dtypes rounds to f32 first): exact, for all halves between codes are doubles."""
    every = numpy.arange(8 if to is FLOAT4 else 128, dtype=numpy.uint8).view(to)
    numbers = every.astype(numpy.float64)
    numbers = numbers[numpy.isfinite(numbers)]  # ascending with their codes
    step = numbers[-1] - numbers[-2]
    halves = numpy.append((numbers[1:] + numbers[:-1]) / 2, numbers[-1] + step / 2)
    size = numpy.abs(x)
    below = numpy.searchsorted(halves, size, side="left")
    tie = (below < halves.size) & (size == halves[numpy.minimum(below, halves.size - 1)])
    below = below + (tie & (below % 2 == 1))
    outside = numpy.inf if to is ml_dtypes.float8_e5m2 else numpy.nan
    rounded = numpy.append(numbers, numbers[-1] if saturate else outside)[numpy.minimum(below, numbers.size)]
    return numpy.where(numpy.isnan(x), x, numpy.copysign(rounded, x)).astype(to)


def convert(array, to, saturate=True, mode="up"):
    x = wide(array)
    if to is SCALE:
        return to_scale(x, saturate, mode)
    if to in SMALL_FLOATS:
        x = x if x.dtype.kind == "f" or x.dtype == BF16 else x.astype(numpy.float32)
        if to is FLOAT4:
            x = numpy.where(numpy.isnan(x), x.dtype.type(0), numpy.clip(x, x.dtype.type(-6), x.dtype.type(6)))
        if x.dtype == numpy.float64:
            return to_nearest(x, to, saturate or to is FLOAT4)
        if to is FLOAT4:
            return x.astype(to)
        return onnx.numpy_helper.saturate_cast(x, numpy.dtype(to)) if saturate else x.astype(to)
    isFloat = x.dtype.kind == "f" or x.dtype == BF16
    if to is numpy.bool_:
        return x != 0
    if to in WIDE_FLOATS:
        return x.astype(to)
    limits = ml_dtypes.iinfo(to) if to in SMALL_INTEGERS else numpy.iinfo(to)
    if isFloat and to in SMALL_INTEGERS:
        return convert(convert(array, numpy.int32), to)
    if isFloat:
        return numpy.clip(numpy.trunc(numpy.nan_to_num(x.astype(numpy.float64), posinf=1e99, neginf=-1e99)),
                          int(limits.min), int(limits.max)).astype(numpy.int64).astype(to)
    span = int(limits.max) - int(limits.min) + 1
    return ((x.astype(numpy.int64) - int(limits.min)) % span + int(limits.min)).astype(to)


def patterns(kind, count):
    """Random bit patterns, so that all exponents, NaN and infinities are among them."""
    bits = numpy.dtype(f"uint{8 * numpy.dtype(kind).itemsize}")
    return numpy.random.default_rng(SEED).integers(0, numpy.iinfo(bits).max, count, bits, endpoint=True).view(kind)


def interesting(kind):
    """Values near all of the small types' own, half way between them, and random ones."""
    if kind in (numpy.float16, BF16):
        return numpy.arange(1 << 16, dtype=numpy.uint16).view(kind)  # every one
    numbers = [wide(codes(small)).astype(numpy.float64) for small in SMALL_FLOATS[:4] + (FLOAT4,)]
    numbers = [numpy.sort(numpy.unique(x[numpy.isfinite(x)])) for x in numbers]
    ties = [(x[1:] + x[:-1]) / 2 for x in numbers]
    exact = numpy.concatenate(numbers + ties + [[448 + 16, 240 + 8, 57344 + 4096, 7, 0.25]])
    near = [numpy.nextafter(exact.astype(kind), kind(way)) for way in (-numpy.inf, numpy.inf)]
    powers = numpy.ldexp(1.0, numpy.arange(-149, 128)).astype(kind)
    special = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 3e38, -3e38, 1e-45, -1e-45]).astype(kind)
    return numpy.concatenate([exact.astype(kind), *near, powers, powers * kind(1.5), powers * kind(1.25), special,
                              patterns(kind, 3000)])


def cast(array, to, **attributes):
    want = convert(array, to, attributes.get("saturate", 1), attributes.get("round_mode", "up"))
    return Case("Cast", [array], {"to": code_of(to), **attributes}, want=want)


GROUPS = {}
for small in SMALL:
    GROUPS[f"Cast_from_{name(small)}"] = Group(
        [cast(codes(small), to) for to in WIDE_FLOATS + SMALL + (numpy.int8, numpy.uint8, numpy.int32, numpy.bool_) if to is not small],
        opset=25)
for small in SMALL_FLOATS:
    rules = [{}] if small is FLOAT4 else [{"saturate": 1}, {"saturate": 0}]
    GROUPS[f"Cast_to_{name(small)}"] = Group(
        [cast(interesting(kind) if small is not SCALE else numpy.abs(interesting(kind)), small, **rule)
         for kind in WIDE_FLOATS for rule in rules] +
        [cast(numpy.arange(1 if small is SCALE else -120, 127).astype(kind), small) for kind in (numpy.int8, numpy.int32, numpy.int64)],
        opset=25)
GROUPS["Cast_to_float8_e8m0fnu_rounded"] = Group(
    [cast(numpy.abs(interesting(numpy.float32)), SCALE, round_mode=mode, saturate=saturate)
     for mode in ("up", "down", "nearest") for saturate in (0, 1)], opset=25)
for small in SMALL_INTEGERS:
    GROUPS[f"Cast_to_{name(small)}"] = Group(
        [cast(numpy.arange(-300, 300).astype(kind), small) for kind in (numpy.int8, numpy.uint8, numpy.int16, numpy.int32, numpy.int64)] +
        [cast(interesting(numpy.float32), small), cast(interesting(numpy.float16), small), cast(numpy.array([True, False]), small)],
        opset=25)


def spread(kind, *shape):
    every = codes(kind)
    return numpy.resize(every[numpy.random.default_rng(SEED).permutation(every.size)], shape)


def moved(op, inputs, attributes, want, constants=()):
    return Case(op, inputs, attributes, constants, want)


ALL_SMALL = [spread(kind, 7, SIZE) for kind in SMALL]
INDICES = numpy.array([5, 0, -1, 3])
GROUPS["Moved_small"] = Group(
    [moved("Transpose", [x], {"perm": [1, 0]}, x.T.copy()) for x in ALL_SMALL] +
    [moved("Reshape", [x, numpy.array([SIZE, 7])], {}, x.reshape(SIZE, 7), (1,)) for x in ALL_SMALL] +
    [moved("Concat", [x, x[:2]], {"axis": 0}, numpy.concatenate([x, x[:2]])) for x in ALL_SMALL] +
    [moved("Gather", [x, INDICES], {}, x[INDICES]) for x in ALL_SMALL] +
    [moved("Slice", [x, numpy.array([1]), numpy.array([6])], {}, x[1:6], (1, 2)) for x in ALL_SMALL] +
    [moved("Identity", [x], {}, x, (0,)) for x in ALL_SMALL] +
    [moved("Where", [numpy.arange(SIZE) % 3 == 0, x, x[:1]], {}, numpy.where(numpy.arange(SIZE) % 3 == 0, x, x[:1]))
     for x in ALL_SMALL], opset=25)
GROUPS["CastLike_small"] = Group(
    [Case("CastLike", [interesting(numpy.float32), codes(kind)], want=convert(interesting(numpy.float32), kind)) for kind in SMALL
     if kind is not SCALE], opset=25)


def along(parameters, axis, block, shape):
    if parameters.ndim == len(shape) and block:
        return numpy.repeat(parameters, block, axis).take(range(shape[axis]), axis)
    return parameters.reshape([-1 if i == axis else 1 for i in range(len(shape))]) if parameters.ndim else parameters


def dequantized(x, scale, zero=None, axis=1, block_size=0, **attributes):
    scales = along(wide(scale).astype(numpy.float32), axis, block_size, x.shape)
    steps = wide(x) if zero is None else wide(x) - along(wide(zero), axis, block_size, x.shape)
    to = onnx.helper.tensor_dtype_to_np_dtype(attributes["output_dtype"]) if "output_dtype" in attributes else scale.dtype
    want = (steps.astype(numpy.float32) * scales).astype(to)
    attributes.update({"axis": axis}, **({"block_size": block_size} if block_size else {}))
    inputs = [x, scale] + ([] if zero is None else [zero])
    return [Case("DequantizeLinear", inputs, attributes, constants, want) for constants in ((), tuple(range(len(inputs))))]


def quantized(x, scale, kind, zero=None, axis=1, block_size=0, **attributes):
    real = x.astype(numpy.float32) / along(scale.astype(numpy.float32), axis, block_size, x.shape)
    if "precision" in attributes:
        real = real.astype(onnx.helper.tensor_dtype_to_np_dtype(attributes["precision"])).astype(numpy.float32)
    if kind in SMALL_FLOATS:
        want = convert(real, kind, attributes.get("saturate", 1))
    else:
        limits = ml_dtypes.iinfo(kind)
        steps = numpy.rint(real) + (0 if zero is None else along(wide(zero), axis, block_size, x.shape))
        want = numpy.clip(steps, int(limits.min), int(limits.max)).astype(numpy.int64).astype(kind)
    attributes.update({"axis": axis}, **({"block_size": block_size} if block_size else {}))
    if zero is None:
        attributes["output_dtype"] = code_of(kind)
    return Case("QuantizeLinear", [x, scale] + ([] if zero is None else [zero]), attributes, want=want)


def real(kind, *shape):
    return numpy.random.default_rng(SEED + 1).normal(0, 3, shape).astype(kind)


def positive(kind, *shape):
    return numpy.random.default_rng(SEED + 2).uniform(0.1, 2, shape).astype(kind)


QUANTIZED = FLOAT8 + (FLOAT4,) + SMALL_INTEGERS
GROUPS["DequantizeLinear_small"] = Group(
    [case for kind in QUANTIZED for case in
     dequantized(spread(kind, 6, 32), numpy.array(0.75, numpy.float32)) +
     dequantized(spread(kind, 6, 32), positive(numpy.float32, 32)) +
     dequantized(spread(kind, 6, 32), positive(numpy.float16, 6, 4), block_size=8) +
     dequantized(spread(kind, 12, 32), positive(BF16, 3, 32), axis=0, block_size=4)] +
    [case for kind in SMALL_INTEGERS for case in
     dequantized(spread(kind, 6, 32), positive(numpy.float32, 6), spread(kind, 6), axis=0) +
     dequantized(spread(kind, 6, 32), positive(numpy.float32, 6, 4), spread(kind, 6, 4), block_size=8)] +
    dequantized(spread(FLOAT4, 6, 32), numpy.array([[3, 130], [120, 127]] * 3, numpy.uint8).view(SCALE), block_size=16, output_dtype=1),
    opset=25)
GROUPS["QuantizeLinear_small"] = Group(
    [case for kind in QUANTIZED for case in (
        quantized(real(numpy.float32, 6, 32), numpy.array(0.75, numpy.float32), kind),
        quantized(real(numpy.float32, 6, 32), positive(numpy.float32, 32), kind),
        quantized(real(numpy.float32, 6, 32), positive(numpy.float32, 6, 4), kind, block_size=8))] +
    [quantized(real(numpy.float32, 6, 32) * 1e4, numpy.array(0.01, numpy.float32), kind, saturate=0) for kind in FLOAT8] +
    [quantized(real(numpy.float16, 6, 32), numpy.array(0.75, numpy.float16), kind, precision=10) for kind in QUANTIZED] +
    [quantized(real(numpy.float32, 6, 32), positive(numpy.float32, 6), kind, spread(kind, 6), axis=0) for kind in SMALL_INTEGERS],
    opset=25)
