# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with loops over streams, for the tests of them: ops with marks as MLIR text, compiled and called."""
import re

import numpy
from runtime import Program
from support import EndToEnd, heddle

SEED = 29


def tensor(shape):
    return "tensor<" + "x".join(str(size) for size in shape) + "xf32>"


def dims(shape, name="t"):
    return "[" + ", ".join(f'"{name}"' if size == "?" else '""' for size in shape) + "]"


class Function:
    """The text of an entry point, op by op. Sizes are numbers or "?", of which there is one name."""

    def __init__(self, name, *shapes):
        self.name, self.shapes, self.lines, self.count, self.result = name, shapes, [], 0, None
        self.values = [(f"%x{i}", shape) for i, shape in enumerate(shapes)]
        owner = next(i for i, shape in enumerate(shapes) if "?" in shape)
        axis = shapes[owner].index("?")
        self.lines.append(f"%axis = arith.constant {axis} : index")
        self.lines.append(f"%t = tensor.dim %x{owner}, %axis : {tensor(shapes[owner])}")

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def empty(self, shape):
        out = self.fresh()
        self.lines.append(f"{out} = tensor.empty({', '.join('%t' for size in shape if size == '?')}) : {tensor(shape)}")
        return out

    def fill(self, shape, value="0.0"):
        into, zero, out = self.empty(shape), self.fresh(), self.fresh()
        self.lines.append(f"{zero} = arith.constant {value} : f32")
        self.lines.append(f"{out} = linalg.fill ins({zero} : f32) outs({into} : {tensor(shape)}) -> {tensor(shape)}")
        return out

    def op(self, name, inputs, shape, mark=None, into=None, tail=""):
        attributes = f" {{heddle.stream = #flow.stream_axis<{mark}>}}" if mark else ""
        into, out = into or self.empty(shape), self.fresh()
        types = ", ".join(tensor(of) for _, of in inputs)
        front, back = (attributes, "") if not tail else ("", attributes)
        self.lines.append(f"{out} = linalg.{name}{front} ins({', '.join(value for value, _ in inputs)} : {types}) "
                          f"outs({into} : {tensor(shape)}){'' if tail else ' -> ' + tensor(shape)}{tail}{back}")
        self.result = out, shape
        return self.result

    def reduce(self, source, dimensions, mark=None):
        shape = [size for i, size in enumerate(source[1]) if i not in dimensions]
        return self.op("reduce { arith.addf }", [source], shape, mark, self.fill(shape), f" dimensions = {list(dimensions)}")

    def product(self, name, a, b, shape, mark=None):
        return self.op(name, [a, b], shape, mark, self.fill(shape))

    def text(self):
        arguments = ", ".join(f"{value}: {tensor(shape)} {{heddle.dims = {dims(shape)}}}" for value, shape in self.values)
        value, shape = self.result
        return (f"func.func @{self.name}({arguments}) -> {tensor(shape)} {{\n  " + "\n  ".join(self.lines) +
                f"\n  return {value} : {tensor(shape)}\n}}\n")


class Case(EndToEnd):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(SEED)

    def compile(self, text, *flags, name="m"):
        (self.folder / f"{name}.mlir").write_text(text)
        result = heddle("compile", self.folder / f"{name}.mlir", "-o", self.folder / f"{name}.heddle", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.folder / f"{name}.heddle"

    def program(self, text, *flags):
        program = Program(self.compile(text, *flags))
        self.addCleanup(program.close)
        return program

    def normal(self, shape, trips=None):
        return self.random.standard_normal([trips if size == "?" else size for size in shape]).astype(numpy.float32)

    def loops(self, text, stage="place"):
        """The streams of each loop, as the stage leaves them."""
        (self.folder / "l.mlir").write_text(text)
        result = heddle("compile", self.folder / "l.mlir", f"--compile-to={stage}", "-o", self.folder / "l.out.mlir")
        self.assertEqual(result.returncode, 0, result.stderr)
        return re.findall(r"heddle\.streams = #flow\.streams<([^>]*)>", (self.folder / "l.out.mlir").read_text())

    def refuse(self, text, *reasons, flags=()):
        (self.folder / "r.mlir").write_text(text)
        result = heddle("compile", self.folder / "r.mlir", "-o", self.folder / "r.heddle", *flags)
        self.assertEqual(result.returncode, 1, result.stderr)
        for reason in reasons:
            self.assertIn(reason, result.stderr)


def chain(*marks, op=("exp", "abs", "floor", "negf"), shape=(8, 6)):
    """Unary ops in a row, each with its mark or None."""
    function = Function("main", ["?", shape[1]])
    value = function.values[0]
    for name, mark in zip(op, marks):
        value = function.op(name, [value], ["?", shape[1]], mark)
    return function.text()


def numpy_chain(x, count):
    for step in (numpy.exp, numpy.abs, numpy.floor, numpy.negative)[:count]:
        x = step(x)
    return x
