# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups of nodes for test_types.py: one model a group, one node for each element type."""
import dataclasses

import ml_dtypes
import numpy

BF16 = ml_dtypes.bfloat16
FLOATS = (numpy.float64, numpy.float32, numpy.float16, BF16)
SIGNED = (numpy.int8, numpy.int16, numpy.int32, numpy.int64)
UNSIGNED = (numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64)
INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTEGERS
ALL = NUMBERS + (numpy.bool_,)
SIZE = 37  # no multiple of any vector's lanes


@dataclasses.dataclass
class Case:
    op: str
    inputs: list
    attributes: dict = dataclasses.field(default_factory=dict)
    constants: tuple = ()  # numbers of the inputs that are initialisers
    want: object = None  # instead of what ONNX Runtime says

    @property
    def label(self):
        return f"{self.op} of {', '.join(str(value.dtype) for value in self.inputs)} {self.attributes}"


@dataclasses.dataclass
class Group:
    cases: list
    opset: int = 21
    tolerance: dict = dataclasses.field(default_factory=dict)
    cpu: str = "host"
    level: int = 2  # -O


def name(kind):
    return numpy.dtype(kind).name


def values(kind, *shape, seed=1, low=None, high=None):
    """Random values with the type's limits among them where nothing else is asked for."""
    generator = numpy.random.default_rng(seed)
    if kind is numpy.bool_:
        return generator.integers(0, 2, shape).astype(kind)
    if kind in FLOATS:
        return generator.uniform(-4 if low is None else low, 4 if high is None else high, shape).astype(kind)
    limits = numpy.iinfo(kind)
    low, high = limits.min if low is None else max(low, limits.min), limits.max if high is None else min(high, limits.max)
    array = generator.integers(low, high, shape, dtype=kind, endpoint=True)
    if array.size > 2:
        array.flat[0], array.flat[1] = low, high
    return array


def binary(op, kinds, **attributes):
    return Group([Case(op, [values(kind, 3, SIZE), values(kind, SIZE, seed=2)], attributes) for kind in kinds])


def unary(op, kinds, **attributes):
    return Group([Case(op, [values(kind, 3, SIZE)], attributes) for kind in kinds])


GROUPS = {op: binary(op, NUMBERS) for op in ("Add", "Sub", "Mul")}
GROUPS.update({op: binary(op, NUMBERS) for op in ("Max", "Min", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")})
GROUPS["Equal"] = Group([Case("Equal", [values(kind, 3, SIZE, low=0, high=3), values(kind, SIZE, seed=2, low=0, high=3)])
                         for kind in ALL])
GROUPS["Div"] = Group([Case("Div", [values(kind, 3, SIZE), values(kind, SIZE, seed=2, low=1, high=90)]) for kind in NUMBERS])
GROUPS.update({op: unary(op, NUMBERS) for op in ("Abs", "Sign")})
GROUPS["Neg"] = unary("Neg", FLOATS + SIGNED)
GROUPS["Where"] = Group([Case("Where", [values(numpy.bool_, 3, SIZE), values(kind, 3, SIZE), values(kind, SIZE, seed=2)])
                         for kind in ALL])
GROUPS["Identity"] = unary("Transpose", ALL, perm=[1, 0])
GROUPS["Concat"] = Group([Case("Concat", [values(kind, 3, 5), values(kind, 3, 4)], {"axis": 1}) for kind in ALL])
GROUPS["Gather"] = Group([Case("Gather", [values(kind, 7, 5), values(numpy.int64, 4, low=-7, high=6)]) for kind in ALL])
GROUPS["Pad"] = Group([Case("Pad", [values(kind, 3, 5), numpy.array([1, 0, 0, 2])], constants=(1,)) for kind in ALL])
GROUPS["ConstantOperand"] = Group([Case("Max", [values(kind, 3, 80), values(kind, 80, seed=3)], constants=(1,)) for kind in NUMBERS])
GROUPS.update({f"Cast_to_{name(to)}": Group([
    Case("Cast", [values(kind, 3, SIZE, low=0, high=100)], {"to": int(code)}) for kind in ALL])
    for to, code in ((numpy.float64, 11), (numpy.float32, 1), (numpy.float16, 10), (BF16, 16), (numpy.int8, 3), (numpy.int16, 5),
                     (numpy.int32, 6), (numpy.int64, 7), (numpy.uint8, 2), (numpy.uint16, 4), (numpy.uint32, 12),
                     (numpy.uint64, 13), (numpy.bool_, 9))})


def powers(base, power, negative):
    low = 1 if base in FLOATS else -5
    return Case("Pow", [values(base, 4, SIZE, low=low, high=5), values(power, SIZE, seed=2, low=-3 if negative else 0, high=4)])


def shape_free(op, kinds, shape, attributes=(), low=None, high=None, constants=()):
    return Group([Case(op, [values(kind, *shape, low=low, high=high), *constants], dict(attributes),
                       tuple(range(1, 1 + len(constants)))) for kind in kinds])


WIDE = FLOATS + (numpy.int32, numpy.int64, numpy.uint32, numpy.uint64)
AXIS = numpy.array([1])
GROUPS["Mod"] = Group([Case("Mod", [values(kind, 3, SIZE), values(kind, SIZE, seed=2, low=1, high=90)]) for kind in INTEGERS] +
                      [Case("Mod", [values(kind, 3, SIZE), values(kind, SIZE, seed=2, low=-90, high=-1)]) for kind in SIGNED])
GROUPS["Mod_fmod"] = Group([Case("Mod", [x, y], {"fmod": 1}, want=numpy.fmod(x, y)) for x, y in (
    (values(kind, 3, SIZE), values(kind, SIZE, seed=2, low=1, high=90)) for kind in NUMBERS)])
EXTREME = numpy.array([0.0, -0.0, 1e308, -1e300, 5e-324, 3e-310, numpy.inf, -numpy.inf, numpy.nan, 1.5, -7.25, 1e-200, 3.0])
GROUPS["Mod_extreme"] = Group([Case("Mod", [EXTREME[:, None].astype(kind), EXTREME.astype(kind)], {"fmod": 1},
                                    want=numpy.fmod(EXTREME[:, None].astype(kind), EXTREME.astype(kind)))
                               for kind in (numpy.float64, numpy.float32)], tolerance={"float64": 0, "float32": 0})
GROUPS["BitShift"] = Group([Case("BitShift", [values(kind, 3, SIZE), values(kind, SIZE, low=0, high=7)], {"direction": way})
                            for kind in UNSIGNED for way in ("LEFT", "RIGHT")])
GROUPS["BitShift_far"] = Group([Case("BitShift", [values(kind, SIZE), values(kind, SIZE, low=8 * numpy.dtype(kind).itemsize)],
                                     {"direction": way}, want=numpy.zeros(SIZE, kind)) for kind in UNSIGNED for way in ("LEFT", "RIGHT")])
GROUPS["Pow_floats"] = Group([powers(base, power, True) for base in (numpy.float32, numpy.float64) for power in NUMBERS if power is not BF16])
GROUPS["Pow_integers"] = Group([powers(base, power, False) for base in (numpy.int32, numpy.int64) for power in INTEGERS])
GROUPS["Clip"] = Group([Case("Clip", [values(kind, 3, SIZE), numpy.array(low).astype(kind), numpy.array(high).astype(kind)], constants=(1, 2))
                        for kind in NUMBERS for low, high in ((1, 3), (2, 100))])
GROUPS["Relu"] = unary("Relu", FLOATS + SIGNED)
GROUPS["Sum"] = Group([Case("Sum", [values(kind, 3, SIZE), values(kind, SIZE, seed=2), values(kind, 3, 1, seed=3)]) for kind in FLOATS])
GROUPS["Mean"] = Group([Case("Mean", [values(kind, 3, SIZE), values(kind, SIZE, seed=2), values(kind, 3, 1, seed=3)]) for kind in FLOATS])
for reduction in ("ReduceSum", "ReduceMean", "ReduceSumSquare", "ReduceL1"):
    GROUPS[reduction] = Group([Case(reduction, [values(kind, 5, SIZE, low=-90, high=90), AXIS], constants=(1,)) for kind in WIDE], opset=18)
GROUPS["ReduceL2"] = Group([Case("ReduceL2", [values(kind, 5, SIZE, low=-90, high=90), AXIS], constants=(1,))
                            for kind in FLOATS + (numpy.int32,)], opset=18)
for reduction in ("ReduceMax", "ReduceMin"):
    GROUPS[reduction] = Group([Case(reduction, [values(kind, 5, SIZE), AXIS], constants=(1,))
                               for kind in WIDE + (numpy.int8, numpy.uint8, numpy.bool_)], opset=20)
    GROUPS[reduction + "_rows"] = Group([Case(reduction, [values(kind, SIZE, 5), numpy.array([0])], constants=(1,))
                                         for kind in WIDE + (numpy.int8, numpy.uint8, numpy.bool_)], opset=20)
GROUPS["ReduceProd"] = Group([Case("ReduceProd", [values(kind, 5, 6, low=1, high=2), AXIS], constants=(1,)) for kind in WIDE], opset=18)
GROUPS["ArgMax"] = shape_free("ArgMax", NUMBERS, (5, SIZE), {"axis": 1}.items())
GROUPS["ArgMin"] = shape_free("ArgMin", NUMBERS, (SIZE, 5), {"axis": 0}.items())
GROUPS["CumSum"] = Group([Case("CumSum", [values(kind, 5, 9), numpy.array(1)], constants=(1,)) for kind in WIDE], opset=14)
GROUPS["CumSum_columns"] = Group([Case("CumSum", [values(kind, 5, 9, low=-3, high=3), numpy.array(0)], constants=(1,)) for kind in WIDE], opset=14)
GROUPS["Transpose_short"] = Group([Case("Transpose", [values(kind, 4, SIZE)], {"perm": [1, 0]}) for kind in ALL])
GROUPS["Range"] = Group([Case("Range", [numpy.array(v, kind) for v in (3, 40, 4)], constants=(0, 1, 2))
                         for kind in (numpy.float32, numpy.float64, numpy.int16, numpy.int32, numpy.int64)])
GROUPS["MatMul"] = Group([Case("MatMul", [values(kind, 19, SIZE, low=-9, high=9), values(kind, SIZE, 21, seed=2, low=-9, high=9)]) for kind in WIDE])
GROUPS["MatMul_batch"] = Group([Case("MatMul", [values(kind, 2, 5, SIZE, low=-9, high=9), values(kind, 2, SIZE, 7, seed=2, low=-9, high=9)]) for kind in WIDE])
GROUPS["Gemm"] = Group([Case("Gemm", [values(kind, 19, SIZE), values(kind, 21, SIZE, seed=2), values(kind, 21)], {"transB": 1}) for kind in FLOATS])
GROUPS["Conv"] = Group([Case("Conv", [values(kind, 2, 3, 9, 8), values(kind, 4, 3, 3, 3, seed=2), values(kind, 4)], {"pads": [1, 1, 1, 1]}) for kind in FLOATS])
GROUPS["MaxPool"] = shape_free("MaxPool", FLOATS + (numpy.int8, numpy.uint8), (2, 3, 9, 8), {"kernel_shape": [3, 2], "pads": [1, 0, 1, 0]}.items())
GROUPS["MaxPool_large"] = shape_free("MaxPool", FLOATS + (numpy.int8, numpy.uint8), (2, 3, 9, 8), {"kernel_shape": [7, 6], "pads": [3, 2, 3, 3]}.items())
GROUPS["AveragePool"] = shape_free("AveragePool", FLOATS, (2, 3, 9, 8), {"kernel_shape": [3, 2], "dilations": [1, 2]}.items())
GROUPS["Resize_image"] = Group([Case("Resize", [values(kind, 1, 2, 9, 23), numpy.array([]).astype(numpy.float32), numpy.array([1, 1, *scales], numpy.float32)],
                                     {"mode": mode}, constants=(1, 2))
                                for mode, kinds in (("nearest", (numpy.float32, numpy.float16, numpy.int32, numpy.int8, numpy.uint8)), ("linear", (numpy.float32,)))
                                for kind in kinds for scales in ((2, 2), (1.37, 2.71))])
GROUPS["Softmax"] = shape_free("Softmax", FLOATS, (5, SIZE))
GROUPS["LayerNormalization"] = Group([Case("LayerNormalization", [values(kind, 5, SIZE), values(kind, SIZE), values(kind, SIZE)]) for kind in FLOATS])

# 16-bit floats where the processor has fewer instructions for them. `host` has whatever this machine has.
NARROW = (numpy.dtype(numpy.float16), numpy.dtype(BF16))
LEVELS = {"avx512": "x86-64-v4", "avx2": "x86-64-v3", "sse": "x86-64"}


def narrow(op, **changes):
    return dataclasses.replace(GROUPS[op], cases=[case for case in GROUPS[op].cases if case.inputs[0].dtype in NARROW], **changes)


GROUPS.update({f"{op}_narrow_{level}": narrow(op, cpu=cpu)
               for op in ("Add", "Max", "Concat", "MatMul", "Conv", "MaxPool", "Softmax") for level, cpu in LEVELS.items()})
GROUPS.update({f"{op}_narrow_{level}_unoptimized": narrow(op, cpu=cpu, level=0)
               for op in ("Concat", "Pad", "MaxPool") for level, cpu in LEVELS.items()})
GROUPS.update({f"Resize_image_{level}": dataclasses.replace(GROUPS["Resize_image"], cpu=cpu) for level, cpu in LEVELS.items()})
GROUPS.update({f"Cast_to_bfloat16_{level}": dataclasses.replace(GROUPS["Cast_to_bfloat16"], cpu=cpu) for level, cpu in LEVELS.items()})
GROUPS.update({f"MatMul_weights_narrow_{level}": Group(
    [Case("MatMul", [values(kind, 19, SIZE, low=-9, high=9), values(kind, SIZE, 21, seed=2, low=-9, high=9)], constants=(1,)) for kind in NARROW], cpu=cpu)
    for level, cpu in LEVELS.items()})
