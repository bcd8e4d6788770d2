# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvFuser's cases of stream lowering, by behaviour, as loops that a user writes: rows, columns, a reduction, products by
rows, columns and batch, two ops in a body, a plain op between two loops; ragged parts. The bits are those of one stream.
"""
import unittest

import numpy
from stream_programs import Case

STREAMS = (1, 2, 4, 7)

PROGRAM = """
func.func @main(ARGUMENTS) -> tensor<RESULTxf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %cAXIS : tensor<FIRSTxf32>
  %e = tensor.empty(%n) : tensor<RESULTxf32>
LOOP  return %r : tensor<RESULTxf32>
}
"""
LOOP = """  %VALUE = scf.for %i = %c0 to %n step %cSTEP iter_args(%acc = %e) -> (tensor<RESULTxf32>) {
BODY    %next = tensor.insert_slice %part into %accPLACE : tensor<PARTxf32> into tensor<RESULTxf32>
    scf.yield %next : tensor<RESULTxf32>
  } {heddle.streams = #flow.streams<STREAMS>}
"""
SLICE = "    %NAME = tensor.extract_slice %SOURCEPLACE : tensor<FROMxf32> to tensor<TOxf32>\n"
ROW, COLUMN, BATCH = "[%i, 0] [1, 8] [1, 1]", "[0, %i] [6, 1] [1, 1]", "[%i, 0, 0] [1, SIZES] [1, 1, 1]"


def slice_of(name, source, place, shape, part):
    text = SLICE.replace("NAME", name).replace("SOURCE", source).replace("PLACE", place)
    return text.replace("FROM", shape).replace("TO", part)


def compute(op, inputs, types, part, value="part", zeros=False):
    """One linalg op into a new tensor of the part's shape."""
    text = f"    %o_{value} = tensor.empty({'%rows' if '?' in part else ''}) : tensor<{part}xf32>\n"
    target = f"%o_{value}"
    if zeros:
        text += f"    %f_{value} = linalg.fill ins(%z : f32) outs({target} : tensor<{part}xf32>) -> tensor<{part}xf32>\n"
        target = f"%f_{value}"
    typed = ", ".join(f"tensor<{shape}xf32>" for shape in types)
    names = ", ".join(f"%{name}" for name in inputs)
    return text + f"    %{value} = linalg.{op} ins({names} : {typed}) outs({target} : tensor<{part}xf32>)" + (
        " dimensions = [DIMENSION]\n" if op == "reduce { arith.addf }" else f" -> tensor<{part}xf32>\n")


def loop(body, result, part, place, streams, value="r", step=1):
    text = LOOP.replace("VALUE", value).replace("BODY", body).replace("PLACE", place).replace("PART", part)
    return text.replace("RESULT", result).replace("STREAMS", str(streams)).replace("STEP", str(step))


def program(arguments, result, loops, axis=0):
    """`arguments`: shapes by name, of which 'x' has the trips along `axis`."""
    named = []
    for name, shape in arguments.items():
        dims = ", ".join('"n"' if size == "?" else '""' for size in shape.split("x"))
        named.append(f"%{name}: tensor<{shape}xf32> {{heddle.dims = [{dims}]}}")
    text = PROGRAM.replace("ARGUMENTS", ", ".join(named)).replace("LOOP", loops).replace("RESULT", result)
    return text.replace("FIRST", arguments["x"]).replace("AXIS", str(axis))


def rows(streams):
    body = slice_of("a", "x", ROW, "?x8", "1x8") + compute("copy", ["a"], ["1x8"], "1x8")
    return program({"x": "?x8"}, "?x8", loop(body, "?x8", "1x8", ROW, streams))


def columns(streams):
    body = slice_of("a", "x", COLUMN, "6x?", "6x1") + compute("copy", ["a"], ["6x1"], "6x1")
    return program({"x": "6x?"}, "6x?", loop(body, "6x?", "6x1", COLUMN, streams), 1)


def binary(streams):
    body = slice_of("a", "x", COLUMN, "6x?", "6x1") + slice_of("b", "y", COLUMN, "6x?", "6x1")
    body += compute("sub", ["a", "b"], ["6x1", "6x1"], "6x1")
    return program({"x": "6x?", "y": "6x?"}, "6x?", loop(body, "6x?", "6x1", COLUMN, streams), 1)


def two_ops(streams):
    body = slice_of("a", "x", ROW, "?x8", "1x8") + compute("exp", ["a"], ["1x8"], "1x8", "between")
    body += compute("matmul", ["between", "w"], ["1x8", "8x8"], "1x8", zeros=True)
    return program({"x": "?x8", "w": "8x8"}, "?x8", loop(body, "?x8", "1x8", ROW, streams))


def plain_between(streams):
    first = loop(slice_of("a", "x", ROW, "?x8", "1x8") + compute("copy", ["a"], ["1x8"], "1x8"), "?x8", "1x8", ROW, streams, "s")
    between = "  %m = linalg.exp ins(%s : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>\n"
    second = loop(slice_of("a", "m", ROW, "?x8", "1x8") + compute("abs", ["a"], ["1x8"], "1x8"), "?x8", "1x8", ROW, streams)
    return program({"x": "?x8"}, "?x8", first + between + second)


def reduction(streams):
    body = slice_of("a", "x", ROW, "?x8", "1x8")
    body += compute("reduce { arith.addf }", ["a"], ["1x8"], "1", zeros=True).replace("DIMENSION", "1")
    return program({"x": "?x8"}, "?", loop(body, "?", "1", "[%i] [1] [1]", streams))


def product_rows(streams):
    body = slice_of("a", "x", ROW, "?x8", "1x8") + compute("matmul", ["a", "w"], ["1x8", "8x8"], "1x8", zeros=True)
    return program({"x": "?x8", "w": "8x8"}, "?x8", loop(body, "?x8", "1x8", ROW, streams))


def product_columns(streams):
    place = "[0, %i] [8, 1] [1, 1]"
    body = slice_of("a", "x", place, "8x?", "8x1") + compute("matmul", ["w", "a"], ["6x8", "8x1"], "6x1", zeros=True)
    return program({"x": "8x?", "w": "6x8"}, "6x?", loop(body, "6x?", "6x1", COLUMN, streams), 1)


def product_batch(streams):
    body = slice_of("a", "x", BATCH.replace("SIZES", "4, 8"), "?x4x8", "1x4x8")
    body += slice_of("b", "y", BATCH.replace("SIZES", "8, 6"), "?x8x6", "1x8x6")
    body += compute("batch_matmul", ["a", "b"], ["1x4x8", "1x8x6"], "1x4x6", zeros=True)
    return program({"x": "?x4x8", "y": "?x8x6"}, "?x4x6",
                   loop(body, "?x4x6", "1x4x6", BATCH.replace("SIZES", "4, 6"), streams))


def ragged(streams):
    """Three columns at a time, the last ones fewer."""
    place = "[0, %i] [6, %rows] [1, 1]"
    body = "    %left = arith.subi %n, %i : index\n    %rows = arith.minsi %left, %c3 : index\n"
    body += slice_of("a", "x", place, "6x?", "6x?") + compute("tanh", ["a"], ["6x?"], "6x?")
    return program({"x": "6x?"}, "6x?", loop(body, "6x?", "6x?", place, streams, step=3), 1)


CASES = {  # text, loops, shapes at so many trips, NumPy's value
    rows: (1, lambda n: [(n, 8)], lambda x: x),
    columns: (1, lambda n: [(6, n)], lambda x: x),
    binary: (1, lambda n: [(6, n), (6, n)], lambda x, y: x - y),
    two_ops: (1, lambda n: [(n, 8), (8, 8)], lambda x, w: numpy.exp(x) @ w),
    plain_between: (2, lambda n: [(n, 8)], lambda x: numpy.abs(numpy.exp(x))),
    reduction: (1, lambda n: [(n, 8)], lambda x: x.sum(1)),
    product_rows: (1, lambda n: [(n, 8), (8, 8)], lambda x, w: x @ w),
    product_columns: (1, lambda n: [(8, n), (6, 8)], lambda x, w: w @ x),
    product_batch: (1, lambda n: [(n, 4, 8), (n, 8, 6)], numpy.matmul),
    ragged: (1, lambda n: [(6, n)], numpy.tanh),
}


def carried_twice(shape, part, from_place, first, second, streams):
    """One part of each iteration goes into two tensors that the loop carries; with the results' sum, which reads both."""
    whole = f"tensor<{shape}xf32>"
    return f"""
func.func @main(%x: {whole} {{heddle.dims = [{', '.join('"n"' if size == "?" else '""' for size in shape.split("x"))}]}}) -> ({whole}, {whole}, {whole}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c{shape.split("x").index("?")} : {whole}
  %last = arith.subi %n, %c1 : index
  %e = tensor.empty(%n) : {whole}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e, %b = %e) -> ({whole}, {whole}) {{
    %j = arith.subi %last, %i : index
    %s = tensor.extract_slice %x{from_place} : {whole} to tensor<{part}xf32>
    %o = tensor.empty() : tensor<{part}xf32>
    %p = linalg.exp ins(%s : tensor<{part}xf32>) outs(%o : tensor<{part}xf32>) -> tensor<{part}xf32>
    %u = tensor.insert_slice %p into %a{first} : tensor<{part}xf32> into {whole}
    %v = tensor.insert_slice %p into %b{second} : tensor<{part}xf32> into {whole}
    scf.yield %u, %v : {whole}, {whole}
  }} {{heddle.streams = #flow.streams<{streams}>}}
  %q = linalg.add ins(%r#0, %r#1 : {whole}, {whole}) outs(%e : {whole}) -> {whole}
  return %r#0, %r#1, %q : {whole}, {whole}, {whole}
}}
"""


class Written(Case):
    def test_one_part_into_two_tensors(self):
        for shape, part, place in (("?x8", "1x8", "[%{}, 0] [1, 8] [1, 1]"), ("6x?", "6x1", "[0, %{}] [6, 1] [1, 1]")):
            for second in "ij":  # the same place, or from the end
                axis = 0 if shape.startswith("?") else 1
                programs = [self.program(carried_twice(shape, part, place.format("i"), place.format("i"), place.format(second), streams))
                            for streams in (1, 3)]
                for trips in (0, 1, 7):
                    x = self.normal((trips, 8) if axis == 0 else (6, trips))
                    want = numpy.exp(x), numpy.exp(x if second == "i" else numpy.flip(x, axis))
                    for program in programs:
                        with self.subTest(shape=shape, second=second, trips=trips):
                            for got, value in zip(program("main", x), (*want, sum(want))):
                                numpy.testing.assert_allclose(got, value, rtol=1e-5, atol=1e-6)

    def test_values_and_loops(self):
        for make, (loops, shapes, value) in CASES.items():
            self.assertEqual(loops, len(self.loops(make(2))), make.__name__)
            programs = {streams: self.program(make(streams)) for streams in STREAMS}
            for trips in (0, 1, 3, 7, 100):
                arrays = [self.normal(shape) for shape in shapes(trips)]
                one, = programs[1]("main", *arrays)
                numpy.testing.assert_allclose(one, value(*arrays), rtol=1e-5, atol=1e-5, err_msg=f"{make.__name__}, {trips} trips")
                for streams in STREAMS[1:]:
                    with self.subTest(case=make.__name__, trips=trips, streams=streams):
                        numpy.testing.assert_array_equal(programs[streams]("main", *arrays)[0], one)


if __name__ == "__main__":
    unittest.main()
