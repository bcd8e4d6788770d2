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
