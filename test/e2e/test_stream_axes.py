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


class Sharing(Case):
    """Which ops share a loop, seen in what `place` leaves, and their values."""

    def check(self, text, loops, value, *arrays):
        self.assertEqual(self.loops(text), loops)
        got, = self.program(text)("main", *arrays)
        numpy.testing.assert_allclose(got, value, rtol=1e-5, atol=1e-5)

    def test_neighbours_share_a_loop(self):
        x = self.normal((9, 6))
        self.check(chain("0, 4", "0, 4"), ["4"], numpy_chain(x, 2), x)
        self.check(chain("0, 4", "0, 4", "0, 4"), ["4"], numpy_chain(x, 3), x)

    def test_what_is_not_marked_separates(self):
        x = self.normal((9, 6))
        self.check(chain("0, 4", None, "0, 4"), ["4", "4"], numpy_chain(x, 3), x)
        self.check(chain("0, 4", "0, 4", None, "0, 4"), ["4", "4"], numpy_chain(x, 4), x)

    def test_what_differs_separates(self):
        x = self.normal((6, 6))
        for other in ("1, 4", "0, 2", "0, 4, parts = 2", "0, 4, ordered"):
            streams = [re.sub(r"^\d, |, parts = 2", "", mark) for mark in ("0, 4", other)]
            self.check(chain("0, 4", other), streams, numpy_chain(x, 2), x)

    def test_the_order_of_the_text_does_not_count(self):
        """An op between that needs the first and is not needed by the second moves behind the loop."""
        function = Function("main", ["?", 6])
        x, shape = function.values[0], ["?", 6]
        first = function.op("exp", [x], shape, "0, 4")
        between = function.op("abs", [first], shape)
        second = function.op("floor", [x], shape, "0, 4")
        function.op("add", [between, second], shape)
        x = self.normal((9, 6))
        self.check(function.text(), ["4"], numpy.exp(x) + numpy.floor(x), x)

    def test_no_cycle_arises(self):
        """The second op needs the first by way of one that is not marked, and by itself."""
        function = Function("main", ["?", 6])
        x, shape = function.values[0], ["?", 6]
        first = function.op("exp", [x], shape, "0, 4")
        between = function.op("floor", [first], shape)
        function.op("add", [first, between], shape, "0, 4")
        x = self.normal((9, 6))
        self.check(function.text(), ["4", "4"], numpy.exp(x) + numpy.floor(numpy.exp(x)), x)

    def test_product_and_epilogue(self):
        function = Function("main", ["?", 12], [12, 5], ["?", 5])
        a, b, c = function.values
        product = function.product("matmul", a, b, ["?", 5], "0, 3")
        function.op("add", [product, c], ["?", 5], "0, 3")
        a, b, c = self.normal((10, 12)), self.normal((12, 5)), self.normal((10, 5))
        self.check(function.text(), ["3"], a @ b + c, a, b, c)

    def test_columns_of_one_are_the_reduced_ones_of_the_next(self):
        """A product reads the columns that the loop made; the result of a reduced loop is ready behind it."""
        function = Function("main", [5, "?"], ["?", 4])
        a, b = function.values
        scaled = function.op("exp", [a], [5, "?"], "1, 3")
        product = function.product("matmul", scaled, b, [5, 4], "reduced 0, 3")
        function.op("abs", [product], [5, 4], "0, 3, parts = 5")
        a, b = self.normal((5, 11)), self.normal((11, 4))
        self.check(function.text(), ["3", "3"], numpy.abs(numpy.exp(a) @ b), a, b)

    def test_nested(self):
        text = chain("0, 2").replace("#flow.stream_axis<0, 2>", "[#flow.stream_axis<0, 2>, #flow.stream_axis<1, 3>]")
        x = self.normal((5, 6))
        self.check(text, ["3", "2"], numpy.exp(x), x)

    def test_as_many_streams_as_the_device_has(self):
        x = self.normal((11, 6))
        self.check(chain("0, ?"), ["?"], numpy.exp(x), x)


RESHAPES = """
func.func @main(%x: tensor<12x8xf32>) -> tensor<RESULTxf32> {
  %e = tensor.empty() : tensor<FROMxf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<FIRST>} ins(%x0 : tensor<FROMxf32>) outs(%e : tensor<FROMxf32>) -> tensor<FROMxf32>
  RESHAPE
  %g = tensor.empty() : tensor<RESULTxf32>
  %z = linalg.abs {heddle.stream = #flow.stream_axis<SECOND>} ins(%r : tensor<RESULTxf32>) outs(%g : tensor<RESULTxf32>) -> tensor<RESULTxf32>
  return %z : tensor<RESULTxf32>
}
"""
SPLIT = "%r = tensor.expand_shape %y [[0, 1], [2]] output_shape [3, 4, 8] : tensor<12x8xf32> into tensor<3x4x8xf32>"
EXPAND = "%x0 = tensor.expand_shape %x [[0, 1], [2]] output_shape [3, 4, 8] : tensor<12x8xf32> into tensor<3x4x8xf32>"
MERGE = "%r = tensor.collapse_shape %y [[0, 1], [2]] : tensor<3x4x8xf32> into tensor<12x8xf32>"


class Lowering(Case):
    """nvFuser's cases of stream lowering, by behaviour: of marks, and of the loop that a user writes."""

    def marked(self, make, *shapes):
        function = Function("main", *shapes)
        make(function, *function.values)
        return function.text()

    def check(self, text, loops, value, *arrays):
        self.assertEqual(len(self.loops(text)), loops)
        got, = self.program(text)("main", *arrays)
        numpy.testing.assert_allclose(got, value, rtol=1e-5, atol=1e-5)
        return got

    def reshaped(self, first, second, source, result, reshape, front="%x0 = tensor.cast %x : tensor<12x8xf32> to tensor<12x8xf32>"):
        text = RESHAPES.replace("FROM", source).replace("RESULT", result).replace("FIRST", first).replace("SECOND", second)
        return text.replace("RESHAPE", reshape).replace("  %e =", f"  {front}\n  %e =")

    def test_split(self):
        x = self.normal((12, 8))
        text = self.reshaped("0, 2, parts = 3", "0, 2", "12x8", "3x4x8", SPLIT)
        self.check(text, 1, numpy.abs(numpy.exp(x)).reshape(3, 4, 8), x)
        text = self.reshaped("0, 2", "0, 2", "12x8", "3x4x8", SPLIT)  # 12 trips and 3
        self.check(text, 2, numpy.abs(numpy.exp(x)).reshape(3, 4, 8), x)
        text = self.reshaped("0, 2, parts = 2", "0, 2, parts = 2", "12x8", "3x4x8", SPLIT)  # 3 in 2 parts: a granule of 4 rows
        self.check(text, 1, numpy.abs(numpy.exp(x)).reshape(3, 4, 8), x)

    def test_merge(self):
        x = self.normal((12, 8))
        text = self.reshaped("0, 2", "0, 2, granule = 4", "3x4x8", "12x8", MERGE, EXPAND)
        self.check(text, 1, numpy.abs(numpy.exp(x)), x)
        text = self.reshaped("0, 2, parts = 2", "0, 2, parts = 2", "3x4x8", "12x8", MERGE, EXPAND)
        self.check(text, 1, numpy.abs(numpy.exp(x)), x)

    def test_single_set_op(self):
        x = self.normal((16, 32))
        self.check(self.marked(lambda f, x: f.op("copy", [x], ["?", 32], "0, 3"), ["?", 32]), 1, x, x)

    def test_single_set_op_non_outermost(self):
        x = self.normal((16, 32))
        self.check(self.marked(lambda f, x: f.op("copy", [x], [16, "?"], "1, 3"), [16, "?"]), 1, x, x)

    def test_single_binary_op(self):
        x, y = self.normal((16, 32)), self.normal((16, 32))
        self.check(self.marked(lambda f, x, y: f.op("add", [x, y], ["?", 32], "0, 3"), ["?", 32], ["?", 32]), 1, x + y, x, y)

    def test_two_set_ops(self):
        def two(f, x):
            first = f.op("copy", [x], ["?", 32], "0, 3")
            return f.op("copy", [first], ["?", 32], "0, 3")

        x = self.normal((16, 32))
        self.check(self.marked(two, ["?", 32]), 1, x, x)

    def test_three_set_ops_with_disjoint_loops(self):
        def three(f, x):
            first = f.op("copy", [x], ["?", 32], "0, 3")
            second = f.op("exp", [first], ["?", 32])
            return f.op("copy", [second], ["?", 32], "0, 3")

        x = self.normal((16, 32))
        self.check(self.marked(three, ["?", 32]), 2, numpy.exp(x), x)

    def test_reduction(self):
        x = self.normal((16, 32))
        self.check(self.marked(lambda f, x: f.reduce(x, [1], "0, 3"), ["?", 32]), 1, x.sum(1), x)

    def test_matmul_m(self):
        a, b = self.normal((16, 24)), self.normal((24, 8))
        self.check(self.marked(lambda f, a, b: f.product("matmul", a, b, ["?", 8], "0, 3"), ["?", 24], [24, 8]), 1, a @ b, a, b)

    def test_matmul_n(self):
        a, b = self.normal((16, 24)), self.normal((24, 8))
        self.check(self.marked(lambda f, a, b: f.product("matmul", a, b, [16, "?"], "1, 3"), [16, 24], [24, "?"]), 1, a @ b, a, b)

    def test_batched_matmul(self):
        a, b = self.normal((5, 16, 24)), self.normal((5, 24, 8))
        self.check(self.marked(lambda f, a, b: f.product("batch_matmul", a, b, ["?", 16, 8], "0, 3"), ["?", 16, 24], ["?", 24, 8]), 1,
                   a @ b, a, b)

    def test_inputs_are_cut(self):
        """An argument needs no copy to be read in parts: the loop has one dispatch."""
        text = self.marked(lambda f, x: f.op("exp", [x], ["?", 32], "0, 3"), ["?", 32])
        self.check(text, 1, *(lambda x: (numpy.exp(x), x))(self.normal((16, 32))))
        program = self.program(text)
        program("main", self.normal((16, 32)))
        self.assertEqual(program.statistics("main").dispatches, 16)

    def test_what_cannot_be_streamed(self):
        softmax = chain("0, 2").replace("linalg.exp", "linalg.softmax").replace("} ins", "} dimension(1) ins")
        self.refuse(softmax, "r.mlir:", "cannot be streamed: linalg.softmax is no structured op")
        self.refuse(chain("2, 2"), "cannot be streamed: it has 2 loops, and axis 2 is none of them")
        self.refuse(chain("reduced 0, 2"), "cannot be streamed: it reduces 0 loops")
        self.refuse(chain("0, 0"), "a loop runs on at least 1 stream")


WRITTEN = """
func.func @main(%x: tensor<?x8xf32> {heddle.dims = ["n", ""]}, %y: tensor<?x8xf32> {heddle.dims = ["n", ""]}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %first = arith.constant FIRST : index
  %step = arith.constant STEP : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = scf.for %i = %first to %n step %step iter_args(%acc = %f) -> (tensor<?x8xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %b = tensor.extract_slice %y[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %row = tensor.empty() : tensor<1x8xf32>
    %part = linalg.OP ins(INPUTS) outs(%row : tensor<1x8xf32>) -> tensor<1x8xf32>
    %next = tensor.insert_slice %part into %acc[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
    scf.yield %next : tensor<?x8xf32>
  } {heddle.streams = #flow.streams<STREAMS>}
  return %r : tensor<?x8xf32>
}
"""


class Written(Case):
    """Loops that a user writes."""

    def write(self, op, streams=2, first=0, step=1):
        inputs = "%a, %b : tensor<1x8xf32>, tensor<1x8xf32>" if op == "add" else "%a : tensor<1x8xf32>"
        text = WRITTEN.replace("OP", op).replace("INPUTS", inputs).replace("STREAMS", str(streams))
        return text.replace("FIRST", str(first)).replace("STEP", str(step))

    def test_streams_and_trips(self):
        for streams in (1, 4):
            program = self.program(self.write("add", streams))
            for trips in (0, 1, 8):
                x, y = self.normal((trips, 8)), self.normal((trips, 8))
                numpy.testing.assert_array_equal(program("main", x, y)[0], x + y)

    def test_first_and_step(self):
        """What no iteration writes is what the loop began with."""
        for first, step in ((1, 1), (1, 2), (0, 3), (9, 1)):
            program = self.program(self.write("abs", 2, first, step))
            for trips in (0, 1, 7, 8):
                x = self.normal((trips, 8))
                want = numpy.zeros_like(x)
                want[first::step] = numpy.abs(x[first::step])
                numpy.testing.assert_array_equal(program("main", x, x)[0], want)

    def test_what_goes_from_one_iteration_to_the_next(self):
        text = self.write("abs").replace("%part = linalg.abs ins(%a", "%before = tensor.extract_slice %acc[%i, 0] [1, 8] [1, 1] : "
                                         "tensor<?x8xf32> to tensor<1x8xf32>\n    %part = linalg.abs ins(%before")
        self.refuse(text, "has heddle.streams, but hands value 0 from one iteration to the next: it must be changed by one "
                    "tensor.insert_slice and read by nothing else")


TOSA = """
func.func @main(%x: tensor<6x5xf32>, %a: tensor<1x6x5xf32>, %b: tensor<1x5x4xf32>) -> (tensor<6x5xf32>, tensor<1x6x4xf32>, tensor<6x1xf32>) {
  %0 = tosa.exp %x {heddle.stream = #flow.stream_axis<1, 2>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %1 = tosa.matmul %a, %b, %zp, %zp {heddle.stream = #flow.stream_axis<1, 3>} : (tensor<1x6x5xf32>, tensor<1x5x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x4xf32>
  %2 = tosa.reduce_sum %x {axis = 1 : i32, heddle.stream = #flow.stream_axis<reduced 0, 4, parts = 3>} : (tensor<6x5xf32>) -> tensor<6x1xf32>
  return %0, %1, %2 : tensor<6x5xf32>, tensor<1x6x4xf32>, tensor<6x1xf32>
}
"""
STABLEHLO = """
module @jit_f {
  func.func public @main(%arg0: tensor<6x5xf32>, %arg1: tensor<5x4xf32>) -> tensor<6x4xf32> {
    %0 = stablehlo.exponential %arg0 {heddle.stream = #flow.stream_axis<0, 2>} : tensor<6x5xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] {heddle.stream = #flow.stream_axis<0, 2>} : (tensor<6x5xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
    return %1 : tensor<6x4xf32>
  }
}
"""


class Frontends(Case):
    def test_tosa(self):
        self.assertEqual(sorted(self.loops(TOSA)), ["2", "3", "4"])
        x, a, b = self.normal((6, 5)), self.normal((1, 6, 5)), self.normal((1, 5, 4))
        for got, want in zip(self.program(TOSA)("main", x, a, b), (numpy.exp(x), a @ b, x.sum(1, keepdims=True))):
            numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)

    def test_stablehlo(self):
        self.assertEqual(self.loops(STABLEHLO), ["2"])
        x, b = self.normal((6, 5)), self.normal((5, 4))
        numpy.testing.assert_allclose(self.program(STABLEHLO)("main", x, b)[0], numpy.exp(x) @ b, rtol=1e-5, atol=1e-5)

    def onnx_model(self, size):
        import onnx
        from onnx import TensorProto, helper

        weights = [onnx.numpy_helper.from_array(self.normal(shape), name) for name, shape in (("w", (8, 6)), ("b", (6,)))]
        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="enc/mm"), helper.make_node("Add", ["y", "b"], ["z"], name="enc/add"),
                 helper.make_node("Softmax", ["z"], ["s"], name="enc/soft", axis=-1), helper.make_node("Relu", ["s"], ["r"], name="dec/relu")]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["B", size, 8])],
                                  [helper.make_tensor_value_info("r", TensorProto.FLOAT, ["B", size, 6])], weights)
        path = self.folder / "m.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return path

    def place(self, model, lines, *flags, output="m.heddle"):
        (self.folder / "place.txt").write_text(lines)
        return heddle("compile", model, f"--place-file={self.folder / 'place.txt'}", "-o", self.folder / output, *flags)

    def test_onnx_nodes_by_pattern(self):
        import onnxruntime

        model = self.onnx_model(7)
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        for lines, loops in (("enc/* = stream(0, 4)\n", 1), ("enc/mm = stream(0, 4)\ndec/* = stream(0, 4)\n", 2),
                             ("# rows\nenc/mm = stream(reduced 0, 2, parts = 3)\n", 1), ("*/* = stream(0, ?, parts = 5)\n", 1)):
            result = self.place(model, lines, "--compile-to=place", output="p.mlir")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((self.folder / "p.mlir").read_text().count("heddle.streams ="), loops, lines)
            result = self.place(model, lines)
            self.assertEqual(result.returncode, 0, result.stderr)
            program = Program(self.folder / "m.heddle")
            self.addCleanup(program.close)
            for batch in (0, 1, 3, 9):
                x = self.normal((batch, 7, 8))
                numpy.testing.assert_allclose(program("main", x)[0], session.run(None, {"x": x})[0], rtol=1e-5, atol=1e-6)

    def test_errors_name_the_node_and_the_line(self):
        model = self.onnx_model(7)
        for lines, words in (("enc/add = stream(3, 4)\n", ["in 'enc/add'", "its result has 3 dimensions, and 3 is none of them"]),
                             ("\nenc/add = stream(0, 0)\n", ["place.txt:2: 'stream(0, 0)'", "a loop runs on at least 1 stream"]),
                             ("enc/add = stream(0, 2\n", ["place.txt:1: expected 'pattern = stream(AXIS, STREAMS)'"]),
                             ("enc/ad = stream(0, 2)\n", ["the pattern 'enc/ad' fits no op", "did you mean 'enc/add'?"])):
            result = self.place(model, lines)
            self.assertEqual(result.returncode, 1, result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)
        result = self.place(self.onnx_model("S"), "enc/mm = stream(0, 4)\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("an inner one is of free size", result.stderr)


if __name__ == "__main__":
    unittest.main()
