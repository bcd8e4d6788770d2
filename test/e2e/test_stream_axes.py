# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over streams that users mark (`heddle.stream`): right values for every axis, number of streams and number of
trips; the bits depend on the parts, not on the streams; neighbours share a loop, others do not.
"""
import re
import unittest

import numpy
from stream_programs import SEED, Case, Function, chain, numpy_chain

STREAMS = (1, 2, 4, 7)
TRIPS = (0, 1, 3, 7, 1000)


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


BODIES = """
func.func @main(%x: tensor<?x5xf32> {heddle.dims = ["t", ""]}, %table: tensor<9x5xf32>, %at: tensor<?xi32> {heddle.dims = ["t"]}) -> (tensor<?x5xf32>, tensor<?x5xf32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x5xf32>
  %e = tensor.empty(%t) : tensor<?x5xf32>
  %g = tensor.empty(%t) : tensor<?xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x5xf32>) outs(%e : tensor<?x5xf32>) attrs = {heddle.stream = #flow.stream_axis<AXIS, 3>} {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    %k = arith.index_cast %s : index to i32
    %f = arith.sitofp %k : i32 to f32
    %r = arith.addf %in, %f : f32
    linalg.yield %r : f32
  } -> tensor<?x5xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<?xi32>) outs(%e : tensor<?x5xf32>) attrs = {heddle.stream = #flow.stream_axis<AXIS, 3>} {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_cast %in : i32 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %table[%i, %j] : tensor<9x5xf32>
    linalg.yield %r : f32
  } -> tensor<?x5xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi32>) outs(%g : tensor<?xi32>) attrs = {heddle.stream = #flow.stream_axis<0, 3, parts = 4>} {
  ^bb0(%in: i32, %out: i32):
    %r = arith.muli %in, %in : i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  return %0, %1, %2 : tensor<?x5xf32>, tensor<?x5xf32>, tensor<?xi32>
}
"""
CONVOLUTION = """
func.func @main(%x: tensor<?x11x3xf32> {heddle.dims = ["t", "", ""]}, %w: tensor<3x3x4xf32>) -> tensor<?x5x4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %t = tensor.dim %x, %c0 : tensor<?x11x3xf32>
  %e = tensor.empty(%t) : tensor<?x5x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  %y = linalg.conv_1d_nwc_wcf {strides = dense<2> : vector<1xi64>, heddle.stream = #flow.stream_axis<MARK>}
    ins(%x, %w : tensor<?x11x3xf32>, tensor<3x3x4xf32>) outs(%f : tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  return %y : tensor<?x5x4xf32>
}
"""


class Bodies(Case):
    def test_positions_and_reads_by_position(self):
        """What a body computes of its position counts from the whole."""
        table = self.normal((9, 5))
        for axis in (0, 1):
            program = self.program(BODIES.replace("AXIS", str(axis)))
            for trips in (0, 1, 7):
                x, at = self.normal((trips, 5)), self.random.integers(0, 9, trips, dtype=numpy.int32)
                first, second, third = program("main", x, table, at)
                numpy.testing.assert_array_equal(first, x + (numpy.arange(trips)[:, None] + numpy.arange(5)).astype(numpy.float32))
                numpy.testing.assert_array_equal(second, table[at])
                numpy.testing.assert_array_equal(third, at * at)

    def test_windows(self):
        """A part of a convolution reads its neighbours; channels are sums of parts."""
        w = self.normal((3, 3, 4))
        for mark in ("0, 2", "1, 3", "1, 3, parts = 2", "2, 3", "reduced 1, 2", "reduced 0, 2"):
            text = CONVOLUTION.replace("MARK", mark)
            if mark == "reduced 0, 2":
                self.refuse(text, "the reduced loop does not cut its operands into slices")
                continue
            program = self.program(text)
            for batch in (0, 1, 4):
                x = self.normal((batch, 11, 3))
                want = sum(x[:, k:k + 9:2] @ w[k] for k in range(3))
                numpy.testing.assert_allclose(program("main", x, w)[0], want, rtol=1e-5, atol=1e-5)


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
        softmax = chain("1, 2").replace("linalg.exp", "linalg.softmax").replace("} ins", "} dimension(1) ins")
        self.refuse(softmax, "r.mlir:", "cannot be streamed: linalg.softmax works along dimension 1")
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
        for first, step in ((1, 1), (1, 2), (0, 3), (9, 1), (1, 2**63 - 1)):
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


if __name__ == "__main__":
    unittest.main()
