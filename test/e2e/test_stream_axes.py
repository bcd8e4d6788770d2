# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over streams that users mark (`heddle.stream`): right values for every axis, number of streams and number of
trips; the bits depend on the parts, not on the streams; neighbours share a loop, others do not.
"""
import pathlib
import re
import tempfile
import unittest

import numpy
from runtime import Program
from support import heddle

SEED = 29
STREAMS = (1, 2, 4, 7)
TRIPS = (0, 1, 3, 7, 1000)


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


def grid(streams):
    """Each op along each axis: (name, text, shapes, numpy's value)."""
    entries = []

    def add(name, shapes, make, value):
        function = Function(name, *shapes)
        make(function, *function.values)
        entries.append((name, function.text(), shapes, value))

    for place, shape, axis in (("rows", ["?", 5], 0), ("columns", [5, "?"], 1), ("batch", ["?", 3, 5], 0), ("middle", [3, "?", 5], 1)):
        mark = f"{axis}, {streams}"
        add(f"copy_{place}", [shape], lambda f, x, s=shape, m=mark: f.op("copy", [x], s, m), lambda x: x)
        add(f"add_{place}", [shape, shape], lambda f, x, y, s=shape, m=mark: f.op("add", [x, y], s, m), lambda x, y: x + y)
    add("sum_rows", [["?", 9]], lambda f, x: f.reduce(x, [1], f"0, {streams}"), lambda x: x.sum(1))
    add("sum_columns", [[9, "?"]], lambda f, x: f.reduce(x, [0], f"1, {streams}"), lambda x: x.sum(0))
    add("sum_batch", [["?", 4, 9]], lambda f, x: f.reduce(x, [1], f"0, {streams}"), lambda x: x.sum(1))
    add("sum_reduced", [[6, "?"]], lambda f, x: f.reduce(x, [1], f"reduced 0, {streams}"), lambda x: x.sum(1))
    add("product_rows", [["?", 17], [17, 6]], lambda f, a, b: f.product("matmul", a, b, ["?", 6], f"0, {streams}"), numpy.matmul)
    add("product_columns", [[6, 17], [17, "?"]], lambda f, a, b: f.product("matmul", a, b, [6, "?"], f"1, {streams}"), numpy.matmul)
    add("product_batch", [["?", 4, 17], ["?", 17, 6]], lambda f, a, b: f.product("batch_matmul", a, b, ["?", 4, 6], f"0, {streams}"), numpy.matmul)
    add("product_reduced", [[4, "?"], ["?", 6]], lambda f, a, b: f.product("matmul", a, b, [4, 6], f"reduced 0, {streams}"), numpy.matmul)
    # Ragged parts, fewer and more than there are positions.
    add("parts_rows", [["?", 5]], lambda f, x: f.op("exp", [x], ["?", 5], f"0, {streams}, parts = 4"), numpy.exp)
    add("parts_columns", [[5, "?"]], lambda f, x: f.op("exp", [x], [5, "?"], f"1, {streams}, parts = 4"), numpy.exp)
    add("parts_reduced", [[4, "?"], ["?", 6]], lambda f, a, b: f.product("matmul", a, b, [4, 6], f"reduced 0, {streams}, parts = 5"), numpy.matmul)
    add("granules", [["?", 5]], lambda f, x: f.op("exp", [x], ["?", 5], f"0, {streams}, granule = 3"), numpy.exp)
    return entries


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.held.name)
        cls.random = numpy.random.default_rng(SEED)

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

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

    def refuse(self, text, *reasons):
        (self.folder / "r.mlir").write_text(text)
        result = heddle("compile", self.folder / "r.mlir", "-o", self.folder / "r.heddle")
        self.assertEqual(result.returncode, 1, result.stderr)
        for reason in reasons:
            self.assertIn(reason, result.stderr)


class Grid(Case):
    def test_every_axis_streams_and_trips(self):
        before = {}
        for streams in STREAMS:
            entries = grid(streams)
            program = self.program("".join(text for _, text, _, _ in entries))
            for name, _, shapes, value in entries:
                for trips in TRIPS:
                    with self.subTest(name=name, streams=streams, trips=trips):
                        random = numpy.random.default_rng(SEED + trips)
                        arrays = [random.standard_normal([trips if size == "?" else size for size in shape]).astype(numpy.float32)
                                  for shape in shapes]
                        got, = program(name, *arrays)
                        numpy.testing.assert_allclose(got, value(*arrays), rtol=1e-5, atol=1e-4)
                        # The same bits as on one stream.
                        first = before.setdefault((name, trips), got.tobytes())
                        self.assertEqual(got.tobytes(), first)


if __name__ == "__main__":
    unittest.main()
