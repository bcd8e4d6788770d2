# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of math in generated code against NumPy's long doubles: random, special, subnormal and huge arguments.

Each processor level has a kernel for each function; errors are counted in units in the last place of the result's type.
"""
import math
import os
import pathlib
import tempfile
import unittest

import numpy

import tools

COUNT = 3000
LONG = numpy.longdouble
LEVELS = ("host", "x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64")


def each(function):
    return lambda x: numpy.array([LONG(function(value)) for value in x])


# What the op is, what it computes, and the units of error allowed: f64, f32.
FUNCTIONS = {
    "exp": (numpy.exp, 1.5, 2), "exp2": (numpy.exp2, 2, 1), "expm1": (numpy.expm1, 3, 4), "log": (numpy.log, 1.5, 3),
    "log2": (numpy.log2, 3, 5), "log10": (numpy.log10, 3, 1), "log1p": (numpy.log1p, 3, 4), "tanh": (numpy.tanh, 4, 7),
    "erf": (each(math.erf), 4, 5), "erfc": (each(math.erfc), 4, 4), "cbrt": (numpy.cbrt, 1, 1), "sinh": (numpy.sinh, 4, 1), "cosh": (numpy.cosh, 3, 1), "asinh": (numpy.arcsinh, 4, 1),
    "acosh": (numpy.arccosh, 4, 1), "atanh": (numpy.arctanh, 4, 1), "sin": (numpy.sin, 1.5, 1), "cos": (numpy.cos, 1.5, 1),
    "tan": (numpy.tan, 3, 1), "asin": (numpy.arcsin, 2.5, 1), "acos": (numpy.arccos, 2, 1), "atan": (numpy.arctan, 3, 1),
    "sqrt": (numpy.sqrt, 0.5, 0.5), "rsqrt": (lambda x: 1 / numpy.sqrt(x), 1.5, 2), "floor": (numpy.floor, 0, 0),
    "ceil": (numpy.ceil, 0, 0), "roundeven": (numpy.rint, 0, 0), "trunc": (numpy.trunc, 0, 0),
}
# In f32, on processors that do not multiply and add with one rounding.
WITHOUT_FMA, ERRORS_WITHOUT_FMA = ("x86-64-v2", "x86-64"), {"erfc": 34, "exp": 2.4}
OF_TWO = {"powf": (numpy.power, 1.5, 1), "atan2": (numpy.arctan2, 3, 1)}
ROUND_OFF = 0.01  # of the long double itself, and of its own rounding to the type


def arguments(kind):
    """Of every size, around 0 and 1 and the ends of domains, and special."""
    generator = numpy.random.default_rng(3)
    limits = numpy.finfo(kind)
    exponents = generator.uniform(limits.minexp - limits.nmant + 2, limits.maxexp - 0.01, COUNT)
    parts = [numpy.ldexp(generator.choice([-1.0, 1.0], COUNT), exponents.astype(int)) * generator.uniform(1, 2, COUNT),
             generator.uniform(-8, 8, COUNT), generator.uniform(-1, 1, COUNT), generator.uniform(-750, 750, COUNT),
             1 + generator.uniform(-1, 1, 500) * 2.0 ** generator.integers(-40, -1, 500),
             numpy.arange(-60, 60) * (math.pi / 4), numpy.arange(1, 400) * 1e5 * math.pi, [88.8, -104, 709.7, 709.8, -745.2, 710.4],
             [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, numpy.inf, -numpy.inf, numpy.nan, limits.tiny, limits.smallest_subnormal,
              limits.max, -limits.max, 2.0 ** 52 + 0.5, 2.0 ** 31, 2.0 ** 63, 6381956970095103.0 * 2.0 ** 797]]
    with numpy.errstate(all="ignore"):
        return numpy.concatenate([numpy.asarray(part, numpy.float64) for part in parts]).astype(kind)


def module(element, ops):
    """One function for each op, of x or of x and y."""
    one, two = "affine_map<(d0) -> (d0)>", f"tensor<?x{element}>"
    lines, results = [], []
    for number, op in enumerate(ops):
        operands = "%x, %y" if op in OF_TWO else "%x"
        arguments_ = f"%a: {element}, %b: {element}" if op in OF_TWO else f"%a: {element}"
        call = f"math.{op} %a, %b : {element}" if op in OF_TWO else f"math.{op} %a : {element}"
        maps = ", ".join([one] * (3 if op in OF_TWO else 2))
        types = f"{two}, {two}" if op in OF_TWO else two
        lines.append(f'%r{number} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} '
                     f"ins({operands} : {types}) outs(%e : {two}) {{ ^bb0({arguments_}, %o: {element}): "
                     f"%v = {call} linalg.yield %v : {element} }} -> {two}")
        results.append(f"%r{number}")
    return (f'func.func @main(%x: {two} {{heddle.dims = ["n"]}}, %y: {two} {{heddle.dims = ["n"]}}) -> ({", ".join([two] * len(ops))}) {{\n'
            f'%n = flow.dimension "n"\n%e = tensor.empty(%n) : {two}\n' + "\n".join(lines) +
            f"\nreturn {', '.join(results)} : {', '.join([two] * len(ops))}\n}}\n")


def units(got, want, kind):
    """The greatest error in units in the last place of `want`; infinite where one is NaN or infinite and the other not."""
    with numpy.errstate(all="ignore"):
        rounded = want.astype(kind)
        finite = numpy.isfinite(rounded) & numpy.isfinite(got)
        same = (numpy.isnan(rounded) & numpy.isnan(got)) | (rounded == got)
        # One past the greatest number is infinite for one and not the other: as near as neighbours.
        edge = (numpy.isinf(rounded) != numpy.isinf(got)) & (numpy.abs(numpy.where(numpy.isinf(got), rounded, got)) >= numpy.finfo(kind).max * (1 - 1e-6))
        spacing = numpy.spacing(numpy.abs(rounded)).astype(LONG)
        error = numpy.abs(got.astype(LONG) - want) / spacing
    error = numpy.where(finite, error, numpy.where(same, 0, numpy.where(edge, 1, numpy.inf)))
    at = int(numpy.argmax(error))
    return float(error[at]), at


class FunctionsTest(unittest.TestCase):
    def check(self, level, kind, element):
        x = arguments(kind)
        y = numpy.roll(x, 777)
        ops = [*FUNCTIONS, *OF_TWO]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "m.mlir").write_text(module(element, ops))
            numpy.save(folder / "x.npy", x)
            numpy.save(folder / "y.npy", y)
            tools.run(("heddle-compile", folder / "m.mlir", "-o", folder / "m.heddle", f"--target-cpu={level}"))
            try:
                tools.run(("heddle-run", folder / "m.heddle", f"--input=arg0=@{folder}/x.npy", f"--input=arg1=@{folder}/y.npy",
                           *(f"--output=result{i}=@{folder}/{i}.npy" for i in range(len(ops)))))
            except tools.ToolError as error:
                if tools.is_other_processor(error):
                    self.skipTest(f"this processor is not {level}")
                raise
            failures = []
            for number, op in enumerate(ops):
                got = numpy.load(folder / f"{number}.npy")
                with numpy.errstate(all="ignore"):
                    operands = (x, y) if op in OF_TWO else (x,)
                    want = (FUNCTIONS | OF_TWO)[op][0](*(operand.astype(LONG) for operand in operands))
                allowed = (FUNCTIONS | OF_TWO)[op][1:][kind is numpy.float32]
                if kind is numpy.float32 and level in WITHOUT_FMA:
                    allowed = ERRORS_WITHOUT_FMA.get(op, allowed)
                error, at = units(got, want, kind)
                if os.environ.get("HEDDLE_VERBOSE"):
                    print(f"{level} {element} {op}: {error:.2f} at {x[at]!r}")
                if error > allowed + ROUND_OFF:
                    failures.append(f"{op}({x[at]!r}{', ' + repr(y[at]) if op in OF_TWO else ''}) = {got[at]!r}, want {want[at]!r}: {error:.2f} units")
            self.assertEqual(failures, [])


def add_test(level, kind, element):
    setattr(FunctionsTest, f"test_{element}_{level.replace('-', '_')}", lambda self: self.check(level, kind, element))


for level_ in LEVELS:
    add_test(level_, numpy.float64, "f64")
    add_test(level_, numpy.float32, "f32")

if __name__ == "__main__":
    unittest.main()
