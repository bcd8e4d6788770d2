# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reshardings in whole programs: which of them send anything, and that whole arrays come out as they went in: by the reference before
and after stage `partition`, and run as threads. The first table is nvFuser's (which of two ops next to each other reshard)."""
import pathlib
import re
import subprocess
import sys
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from support import BIN, TIMEOUT_S, EndToEnd  # noqa: E402

COLLECTIVE = re.compile(r"flow\.(all_gather|all_reduce|reduce_scatter|all_to_all|permute|broadcast|gather|scatter) ")
TWO, THREE, LINE = "device.mesh @m = [x = 2]", "device.mesh @m = [x = 3]", "device.mesh @m = [x = 4]"
SQUARE = "device.mesh @m = [x = 2, y = 2]"
WIDE = "device.mesh @m = [x = 2, y = 4]\ndevice.mesh @n = [p = 4, q = 2]"
APART = "device.mesh @m = [x = 2]\ndevice.mesh @n = [y = 2] at 2"
NESTED = "device.mesh @m = [x = 2]\ndevice.mesh @n = [y = 3]"
ONE = "device.mesh @m = [x = 2]\ndevice.mesh @n = [y = 1] at 2"


def kind(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>" if len(shape) else "tensor<f32>"


class Program:
    """Arguments, ops and requests as text, and what numpy makes of them."""

    def __init__(self, meshes):
        self.meshes, self.lines, self.inputs, self.types, self.count = meshes, [], [], [], 0
        self.random = numpy.random.default_rng(7)

    def argument(self, *shape):
        value = self.random.integers(-8, 9, shape).astype(numpy.float32)
        self.inputs.append(value)
        self.types.append(f"%a{len(self.types)}: {kind(shape)}")
        return f"%a{len(self.inputs) - 1}", value

    def emit(self, text):
        self.count += 1
        self.lines.append(f"  %{self.count} = {text}")
        return f"%{self.count}"

    def shard(self, value, sharding):
        """`sharding`: "m: x, -" is dimension 0 cut by x, dimension 1 whole; "m: ?" leaves all to the compiler."""
        name, array = value
        if sharding is None:
            return value
        mesh, dims = sharding.split(": ")
        lists = ["[" + ", ".join(f'"{axis}"' for axis in dim.split() if axis != "-") + "]" for dim in dims.split(", ")]
        return self.emit(f"flow.shard {name} as <@{mesh}, [{', '.join(lists)}]> : {kind(array.shape)}"), array

    def filled(self, shape):
        zero = self.emit("arith.constant 0.0 : f32")
        empty = self.emit(f"tensor.empty() : {kind(shape)}")
        return self.emit(f"linalg.fill ins({zero} : f32) outs({empty} : {kind(shape)}) -> {kind(shape)}")

    def add(self, x, y):
        empty, shape = self.emit(f"tensor.empty() : {kind(x[1].shape)}"), kind(x[1].shape)
        return self.emit(f"linalg.add ins({x[0]}, {y[0]} : {shape}, {shape}) outs({empty} : {shape}) -> {shape}"), x[1] + y[1]

    def sum(self, x, dim):
        result = x[1].sum(dim)
        init = self.filled(result.shape)
        made = self.emit(f"linalg.reduce {{ arith.addf }} ins({x[0]} : {kind(x[1].shape)}) outs({init} : {kind(result.shape)}) "
                         f"dimensions = [{dim}]")
        return made, result

    def matmul(self, x, y):
        result = x[1] @ y[1]
        init, shape = self.filled(result.shape), kind(result.shape)
        return self.emit(f"linalg.matmul ins({x[0]}, {y[0]} : {kind(x[1].shape)}, {kind(y[1].shape)}) outs({init} : {shape}) -> {shape}"), result

    def broadcast(self, x, shape, dim):
        result = numpy.broadcast_to(numpy.expand_dims(x[1], dim), shape)
        empty = self.emit(f"tensor.empty() : {kind(shape)}")
        return self.emit(f"linalg.broadcast ins({x[0]} : {kind(x[1].shape)}) outs({empty} : {kind(shape)}) dimensions = [{dim}]"), result

    def reshape(self, x, shape, groups):
        op = "expand_shape" if len(shape) > x[1].ndim else "collapse_shape"
        tail = f" output_shape [{', '.join(map(str, shape))}]" if op == "expand_shape" else ""
        return self.emit(f"tensor.{op} {x[0]} {groups}{tail} : {kind(x[1].shape)} into {kind(shape)}"), x[1].reshape(shape)

    def select(self, x, index):
        shape = x[1].shape[1:]
        offsets, sizes = [index] + [0] * len(shape), [1, *shape]
        return self.emit(f"tensor.extract_slice {x[0]}{offsets} {sizes} {[1] * x[1].ndim} : {kind(x[1].shape)} to {kind(shape)}"), x[1][index]

    def text(self, results):
        types = ", ".join(kind(array.shape) for _, array in results)
        body = "\n".join(self.lines)
        values = ", ".join(name for name, _ in results)
        return (f"{self.meshes}\nfunc.func @main({', '.join(self.types)}) -> ({types}) {{\n{body}\n  return {values} : {types}\n}}\n")


class Reshardings(EndToEnd):
    def tool(self, *command):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
        self.assertEqual(0, done.returncode, f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def check(self, program, results, collectives=None):
        """`collectives`: how many there are, or None."""
        source, parted, artifact = (self.folder / name for name in ("program.mlir", "parted.mlir", "program.heddle"))
        source.write_text(program.text(results))
        for i, value in enumerate(program.inputs):
            numpy.save(self.folder / f"in{i}.npy", value)
        given = [f"--input=@{self.folder}/in{i}.npy" for i in range(len(program.inputs))]
        got = [f"--output=@{self.folder}/out{i}.npy" for i in range(len(results))]
        self.tool(BIN / "heddle", "compile", source, "--compile-to=partition", "-o", parted)
        self.tool(BIN / "heddle", "compile", source, "-o", artifact)
        for way in ([BIN / "heddle-reference", source, "--small"], [BIN / "heddle-reference", parted, "--small"],
                    [BIN / "heddle", "run", artifact]):
            self.tool(*way, *given, *got)
            for i, (_, array) in enumerate(results):
                numpy.testing.assert_allclose(numpy.load(self.folder / f"out{i}.npy"), array, rtol=1e-5, err_msg=f"{way[0]} {source.read_text()}")
        found = COLLECTIVE.findall(parted.read_text())
        if collectives is not None:
            self.assertEqual(collectives, len(found), f"{found}\n{source.read_text()}")
        return found

    def test_set(self):
        """(meshes, from, to, how many collectives)"""
        for meshes, before, after, count in (
                (TWO, "m: -, -, -", "m: -, -, -", 0),
                (NESTED, "m: x, -, -", "n: y, -, -", None),  # from 2 ranks to 3
                (APART, "m: x, -, -", "n: y, -, -", 1),      # each sends its part
                (THREE, "m: -, -, -", "m: x, -, -", 0),      # a slice
                (THREE, "m: x, -, -", "m: x, -, -", 0),
                (TWO, "m: x, -, -", "m: -, -, -", 1),        # all_gather
                (TWO, "m: x, -, -", "m: -, x, -", 1)):       # all_to_all
            with self.subTest(before=before, after=after, meshes=meshes):
                program = Program(meshes)
                x = program.shard(program.argument(6, 4, 5), before)
                self.check(program, [program.shard(x, after)], count)

    def test_sum(self):
        for meshes, before, dim, after, count in (
                (THREE, "m: -, -, -", 0, "m: -, -", 0),
                (NESTED, "m: x, -, -", 0, "n: y, -", None),
                (THREE, "m: x, -, -", 0, "m: x, -", 1),  # reduce_scatter
                (THREE, "m: x, -, -", 0, "m: -, x", 1),
                (THREE, "m: x, -, -", 1, "m: x, -", 0),
                (THREE, "m: x, -, -", 0, "m: -, -", 1)):  # all_reduce
            with self.subTest(before=before, dim=dim, after=after):
                program = Program(meshes)
                x = program.shard(program.argument(6, 3, 9), before)
                self.check(program, [program.shard(program.sum(x, dim), after)], count)

    def test_add(self):
        for meshes, one, other, after, count in (
                (TWO, "m: -, -, -", "m: -, -, -", "m: -, -, -", 0),
                (NESTED, "m: -, -, -", "m: -, -, -", "n: -, -, -", None),
                (TWO, "m: -, -, -", "m: -, -, -", "m: x, -, -", 0),
                (TWO, "m: x, -, -", "m: x, -, -", "m: -, -, -", 1),
                (TWO, "m: x, -, -", "m: x, -, -", "m: x, -, -", 0),
                (TWO, "m: x, -, -", "m: -, x, -", "m: x, -, -", 1),
                (TWO, "m: x, -, -", "m: -, -, -", "m: x, -, -", 0)):
            with self.subTest(one=one, other=other, after=after):
                program = Program(meshes)
                x, y = program.shard(program.argument(6, 4, 3), one), program.shard(program.argument(6, 4, 3), other)
                self.check(program, [program.shard(program.add(x, y), after)], count)

    def test_broadcast_and_squeeze(self):
        program = Program(TWO)
        x, y = program.shard(program.argument(4, 6), "m: x, -"), program.argument(6)
        self.check(program, [program.shard(program.add(x, program.broadcast(y, (4, 6), 0)), "m: x, -")], 0)
        program = Program(TWO)
        y = program.broadcast(program.argument(3, 5), (4, 3, 5), 0)
        self.check(program, [program.shard(y, "m: x, -, -")], 0)
        for after, count in (("m: -", 1), ("m: x", 0)):
            program = Program(TWO)
            x = program.shard(program.argument(6, 1), "m: x, -")
            self.check(program, [program.shard(program.reshape(x, (6,), "[[0, 1]]"), after)], count)

    def test_matmul(self):
        """Sizes for which the wanted collective is the cheapest."""
        rows, depth = (16, 6, 4), (4, 32, 4)
        for (m, k, n), one, other, after, count in (
                (rows, "m: x, -", "m: -, -", "m: x, -", 0),
                (rows, "m: x, -", "m: -, x", "m: x, -", 1),    # all_gather of the smaller one
                (depth, "m: -, x", "m: x, -", "m: -, -", 1),   # all_reduce
                (depth, "m: -, x", "m: x, -", "m: x, -", 1),   # reduce_scatter
                (depth, "m: -, x", "m: x, -", "m: -, x", 1)):
            with self.subTest(one=one, other=other, after=after):
                program = Program(TWO)
                x, y = program.shard(program.argument(m, k), one), program.shard(program.argument(k, n), other)
                self.check(program, [program.shard(program.matmul(x, y), after)], count)

    def test_views_and_select(self):
        for shape, to, groups, dims in (((2, 3, 24), (2, 3, 4, 6), "[[0], [1], [2, 3]]", "-, -, x, -"),
                                        ((2, 3, 4, 6), (2, 3, 24), "[[0], [1], [2, 3]]", "-, -, x")):
            program = Program(TWO)
            before = "m: -, -, x" + (", -" if len(shape) == 4 else "")
            x = program.shard(program.argument(*shape), before)
            self.check(program, [program.shard(program.reshape(x, to, groups), "m: " + dims)], 0)
        for before, after, sends in (("m: -, x, -", "m: x, -", False), ("m: x, -, -", "m: -, -", True), ("m: -, x, -", "m: -, x", True)):
            with self.subTest(before=before, after=after):
                program = Program(TWO)
                x = program.shard(program.argument(4, 6, 2), before)
                found = self.check(program, [program.shard(program.select(x, 3), after)])
                self.assertEqual(sends, bool(found))

    def test_before_and_after_on_other_ranks(self):
        program = Program(ONE)
        a, b = program.shard(program.argument(6, 2, 3), "m: x, -, -"), program.shard(program.argument(6, 2, 3), "m: -, -, -")
        self.check(program, [program.shard(program.add(a, b), "n: -, y, -")])
        program = Program(ONE)
        a = program.shard(program.argument(6, 2, 3), "m: x, -, -")
        self.check(program, [program.shard(program.add(a, a), "n: -, y, -")])

    def test_two_axes(self):
        """An axis swap, two dimensions at once, 2x4 to 4x2."""
        for meshes, before, after in ((SQUARE, "m: x y, -", "m: y x, -"), (SQUARE, "m: x, y", "m: y, x"), (SQUARE, "m: x, y", "m: -, -"),
                                      (SQUARE, "m: x y, -", "m: x, y"), (SQUARE, "m: x, -", "m: y, -"), (SQUARE, "m: -, x", "m: y x, -"),
                                      (WIDE, "m: x, y", "n: p, q"), (WIDE, "m: x y, -", "n: q p, -"), (WIDE, "m: y, x", "m: x, y"),
                                      (WIDE, "m: -, y", "n: p, -")):
            with self.subTest(before=before, after=after):
                program = Program(meshes)
                x = program.shard(program.argument(8, 16), before)
                self.check(program, [program.shard(x, after)])

    def test_uneven(self):
        """66, 7 and 1 columns over 4, computed from whole arguments."""
        for columns in (66, 7, 1):
            with self.subTest(columns=columns):
                program = Program(LINE)
                x, w = (program.shard(program.argument(*shape), "m: -, -") for shape in ((8, 3), (3, columns)))
                y = program.shard(program.matmul(x, w), "m: -, x")
                z = program.shard(program.add(y, y), "m: x, -")
                self.check(program, [program.shard(program.add(z, z), "m: -, -")])

    def test_no_rows(self):
        program = Program(LINE)
        x = program.shard(program.argument(0, 4), "m: x, -")
        self.check(program, [program.shard(x, "m: -, x")], 0)


if __name__ == "__main__":
    unittest.main()
