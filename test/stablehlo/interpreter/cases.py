# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a case is, and how values of types that NumPy lacks come in and go out.

A case is the body of a function in the short form of StableHLO, its inputs and the results wanted. Cases of one op become
one module: names are made different, arguments and results are all those of the cases.
"""
import dataclasses
import re

import numpy

# Types that come in and go out as another one.
CARRIER = {"i2": "i8", "i4": "i8", "ui2": "ui8", "ui4": "ui8", "bf16": "f32", "f8E4M3FN": "f32", "f8E5M2": "f32"}
NUMPY = {"i1": numpy.bool_, "i8": numpy.int8, "i16": numpy.int16, "i32": numpy.int32, "i64": numpy.int64,
         "ui8": numpy.uint8, "ui16": numpy.uint16, "ui32": numpy.uint32, "ui64": numpy.uint64, "f16": numpy.float16,
         "f32": numpy.float32, "f64": numpy.float64}
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7, "f8E4M3FN": 2.0**-3, "f8E5M2": 2.0**-2}
WIDTH = {name: int(re.search(r"\d+", name)[0]) for name in [*NUMPY, "i2", "i4", "ui2", "ui4", "bf16"]}


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def parts_of(element):
    """The type of the parts of `complex<f32>`, else nothing."""
    match = re.fullmatch(r"complex<(\w+)>", element)
    return match[1] if match else None


@dataclasses.dataclass
class Case:
    op: str
    name: str
    body: str
    inputs: dict  # name: array of a type of NUMPY
    wanted: dict  # name: array
    tolerance: float = 0  # relative to each element; 0: bit by bit, but any NaN for a NaN
    functions: str = ""
    of_largest: bool = False  # the tolerance is relative to the largest element


CASES = []


def type_of(array):
    element = next(name for name, kind in NUMPY.items() if array.dtype == kind)
    return tensor(array.shape, element)


def add(op, name, body, inputs, wanted, tolerance=0, functions="", of_largest=False):
    arrays = lambda values: {key: numpy.asarray(value) for key, value in values.items()}
    CASES.append(Case(op, name, body, arrays(inputs), arrays(wanted), tolerance, functions, of_largest))


def enter(name, values, element):
    """Lines that make `%name` of the element type, and the inputs they need."""
    values = numpy.array(values, dtype=NUMPY.get(element))  # of a list: at once, large integers are no floats
    parts = parts_of(element)
    if parts:
        real = NUMPY[parts](values.real)
        line = f"%{name} = stablehlo.complex %{name}_re, %{name}_im : {tensor(values.shape, element)}\n"
        return line, {f"{name}_re": real.reshape(values.shape),
                      f"{name}_im": NUMPY[parts](values.imag).reshape(values.shape)}
    carrier = CARRIER.get(element)
    if not carrier:
        return "", {name: values}
    line = (f"%{name} = stablehlo.convert %{name}_in : ({tensor(values.shape, carrier)}) -> "
            f"{tensor(values.shape, element)}\n")
    return line, {f"{name}_in": values.astype(NUMPY[carrier])}


def leave(name, wanted, element):
    """Lines that make results of `%name`, and what they must be."""
    wanted = numpy.array(wanted, dtype=NUMPY.get(element))
    parts = parts_of(element)
    if parts:
        lines = "".join(f"%{name}_{word} = stablehlo.{word} %{name} : ({tensor(wanted.shape, element)}) -> "
                        f"{tensor(wanted.shape, parts)}\n" for word in ("real", "imag"))
        return lines, {f"{name}_real": wanted.real.astype(NUMPY[parts]), f"{name}_imag": wanted.imag.astype(NUMPY[parts])}
    carrier = CARRIER.get(element)
    if not carrier:
        return "", {name: wanted}
    line = (f"%{name}_out = stablehlo.convert %{name} : ({tensor(wanted.shape, element)}) -> "
            f"{tensor(wanted.shape, carrier)}\n")
    return line, {f"{name}_out": wanted.astype(NUMPY[carrier])}


def compute(op, name, text, operands, wanted, result, tolerance=0, functions="", of_largest=False):
    """A case of lines that make `%r` of the operands, (values, element type) by name; `result`: the element type."""
    body, inputs = "", {}
    for key, (values, element) in operands.items():
        lines, made = enter(key, values, element)
        body += lines
        inputs.update(made)
    lines, outputs = leave("r", wanted, result)
    add(op, name, body + text + "\n" + lines, inputs, outputs, tolerance, functions, of_largest)


def module_of(cases):
    """Text of a module of the cases, its inputs and the results wanted: [(case, array)]."""
    body, arguments, inputs, results, wanted = "", [], [], [], []
    for number, case in enumerate(cases):
        rename = lambda text: re.sub(r"%([A-Za-z_]\w*)", rf"%c{number}_\1", text)
        for key, array in case.inputs.items():
            arguments.append(f"%c{number}_{key}: {type_of(array)}")
            inputs.append(array)
        body += rename(case.body) + "\n"
        for key, array in case.wanted.items():
            results.append((f"%c{number}_{key}", type_of(array)))
            wanted.append((case, array))
    types = ", ".join(kind for _, kind in results)
    functions = "".join(dict.fromkeys(case.functions for case in cases))
    text = (f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n{body}"
            f"return {', '.join(name for name, _ in results)} : {types}\n}}\n{functions}")
    return text, inputs, wanted


def is_right(got, want, case):
    tolerance = case.tolerance
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if want.dtype.kind != "f":
        return numpy.array_equal(got, want)
    got, want = got.astype(numpy.float64), want.astype(numpy.float64)
    if not tolerance:
        return numpy.array_equal(got, want, equal_nan=True) and numpy.array_equal(
            numpy.signbit(got[got == 0]), numpy.signbit(want[want == 0]))
    least = numpy.abs(want).max(initial=0) if case.of_largest else 1e-3
    return numpy.allclose(got, want, rtol=tolerance, atol=tolerance * least, equal_nan=True)
