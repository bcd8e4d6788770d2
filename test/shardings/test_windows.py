# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is no part: slices, paddings, joins, convolutions and pools along a dimension that ranks cut, against numpy, by the reference
behind stage `partition` and run as threads; and that ranks exchange what they need, not all."""
import re
import subprocess
import sys
import unittest

import numpy
from test_reshardings import BIN, TIMEOUT_S, EndToEnd, kind

MOVED = re.compile(r"flow\.(\w+) .*? : tensor<(\S+?)xf32>")
COLLECTIVES = ("all_gather", "all_reduce", "reduce_scatter", "all_to_all", "permute", "exchange")


def windows(a, size, stride=1):
    return numpy.lib.stride_tricks.sliding_window_view(a, size, axis=0)[::stride]


class Programs(EndToEnd):
    def program(self, ranks, rows, op, shape, columns=3):
        """`op`: the text of %r of %x, whose rows are cut."""
        x = kind((rows, columns))
        return (f'device.mesh @m = [x = {ranks}]\nfunc.func @main(%a: {x}) -> {kind(shape)} {{\n  %zero = arith.constant 0.0 : f32\n'
                f'  %one = arith.constant 1.0 : f32\n  %s = flow.shard %a as <@m, [["x"], []]> : {x}\n  %e0 = tensor.empty() : {x}\n  %x = linalg.abs ins(%s : {x}) '
                f'outs(%e0 : {x}) -> {x}\n{op}\n  %e1 = tensor.empty() : {kind(shape)}\n'
                f'  %t = linalg.abs ins(%r : {kind(shape)}) outs(%e1 : {kind(shape)}) -> {kind(shape)}\n  return %t : {kind(shape)}\n}}\n')

    def check(self, text, a, wanted, moved=None):
        source, decided, artifact = (self.folder / "w.mlir"), (self.folder / "decided.mlir"), (self.folder / "w.heddle")
        source.write_text(text)
        self.tool("heddle-compile", source, "--compile-to=partition", "-o", decided)
        numpy.save((self.folder / "in.npy"), a)
        flags = [f"--input=@{self.folder / 'in.npy'}", f"--output=@{self.folder / 'out.npy'}"]
        self.tool("heddle-reference", decided, "--small", *flags)
        numpy.testing.assert_allclose(numpy.load((self.folder / "out.npy")), wanted, rtol=1e-5)
        self.tool("heddle-compile", source, "-o", artifact)
        self.tool("heddle-run", artifact, *flags)
        numpy.testing.assert_allclose(numpy.load((self.folder / "out.npy")), wanted, rtol=1e-5)
        if moved is not None:
            found = [(name, shape) for name, shape in MOVED.findall(decided.read_text()) if name in COLLECTIVES]
            self.assertEqual(moved, found)

    def tool(self, name, *words):
        done = subprocess.run([str(word) for word in (BIN / name, *words)], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(0, done.returncode, done.stderr)

    def input(self, rows, columns=3):
        return numpy.random.default_rng(rows).integers(-8, 9, (rows, columns)).astype(numpy.float32)

    def convolution(self, rows, size, stride):
        out = (rows - size) // stride + 1
        return out, (f'  %k = arith.constant dense<1.0> : tensor<{size}xf32>\n  %e = tensor.empty() : tensor<{out}x3xf32>\n'
                     f'  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{out}x3xf32>) -> tensor<{out}x3xf32>\n'
                     f'  %r = linalg.generic {{indexing_maps = [affine_map<(r, c, k) -> (r * {stride} + k, c)>, affine_map<(r, c, k) -> (k)>, '
                     f'affine_map<(r, c, k) -> (r, c)>], iterator_types = ["parallel", "parallel", "reduction"]}} ins(%x, %k : tensor<{rows}x3xf32>, '
                     f'tensor<{size}xf32>) outs(%f : tensor<{out}x3xf32>) {{ ^bb0(%p: f32, %q: f32, %o: f32): %m = arith.mulf %p, %q : f32 '
                     f'%n = arith.addf %o, %m : f32 linalg.yield %n : f32 }} -> tensor<{out}x3xf32>')


class Windows(Programs):
    def test_convolutions(self):
        for ranks, rows, size, stride in [(2, 8, 3, 1), (4, 16, 3, 1), (4, 19, 5, 1), (3, 12, 2, 2), (3, 13, 3, 2), (5, 11, 4, 1), (4, 12, 7, 1)]:
            with self.subTest(ranks=ranks, rows=rows, size=size, stride=stride):
                a = self.input(rows)
                out, op = self.convolution(rows, size, stride)
                self.check(self.program(ranks, rows, op, (out, 3)), a, windows(numpy.abs(a), size, stride).sum(-1))

    def test_a_halo_is_a_row(self):
        a = self.input(10)
        out, op = self.convolution(10, 3, 1)  # [0, 5) and [5, 10) make [0, 4) and [4, 8), of rows [0, 6) and [4, 10)
        self.check(self.program(2, 10, op, (out, 3)), a, windows(numpy.abs(a), 3).sum(-1), [("exchange", "5x3")])

    def test_slices(self):
        for ranks, rows, begin, count, stride in [(4, 8, 1, 6, 1), (4, 16, 4, 12, 1), (3, 10, 2, 8, 1), (4, 16, 1, 5, 3), (2, 9, 0, 5, 2), (5, 40, 13, 20, 1)]:
            with self.subTest(ranks=ranks, rows=rows, begin=begin, count=count, stride=stride):
                a = self.input(rows)
                op = f"  %r = tensor.extract_slice %x[{begin}, 0] [{count}, 3] [{stride}, 1] : {kind(a.shape)} to {kind((count, 3))}"
                self.check(self.program(ranks, rows, op, (count, 3)), a, numpy.abs(a)[begin:begin + count * stride:stride])

    def test_a_slice_moves_what_crosses(self):
        a = self.input(16)
        op = f"  %r = tensor.extract_slice %x[2, 0] [14, 3] [1, 1] : {kind(a.shape)} to {kind((14, 3))}"  # 7 each: [2, 9), [9, 16)
        self.check(self.program(2, 16, op, (14, 3)), a, numpy.abs(a)[2:], [("exchange", "8x3")])

    def test_paddings(self):
        for ranks, rows, low, high in [(2, 8, 1, 1), (4, 8, 3, 0), (3, 7, 0, 5), (4, 16, 20, 2), (5, 5, 2, 3)]:
            with self.subTest(ranks=ranks, rows=rows, low=low, high=high):
                a = self.input(rows)
                shape = (rows + low + high, 3)
                op = (f"  %r = tensor.pad %x low[{low}, 0] high[{high}, 0] {{ ^bb0(%i: index, %j: index): tensor.yield %one : f32 }} : "
                      f"{kind(a.shape)} to {kind(shape)}")
                self.check(self.program(ranks, rows, op, shape), a, numpy.pad(numpy.abs(a), [(low, high), (0, 0)], constant_values=1))

    def test_joins(self):
        for ranks, rows, count in [(2, 8, 2), (4, 8, 2), (3, 7, 3), (4, 6, 2)]:
            with self.subTest(ranks=ranks, rows=rows, count=count):
                a = self.input(rows)
                names, types = ", ".join(["%x"] * count), ", ".join([kind(a.shape)] * count)
                op = f"  %r = tensor.concat dim(0) {names} : ({types}) -> {kind((rows * count, 3))}"
                self.check(self.program(ranks, rows, op, (rows * count, 3)), a, numpy.concatenate([numpy.abs(a)] * count))

    def test_one_position(self):
        """A row comes from who has it, by a sum, and not all rows from all."""
        for ranks, rows, at in [(2, 8, 3), (4, 9, 8), (3, 7, 0), (5, 3, 1), (4, 64, 17)]:
            for shape in ((3,), (1, 3)):
                with self.subTest(ranks=ranks, rows=rows, at=at, shape=shape):
                    a = self.input(rows)
                    a[at, 0] = -0.0
                    op = f"  %r = tensor.extract_slice %x[{at}, 0] [1, 3] [1, 1] : {kind((rows, 3))} to {kind(shape)}"
                    self.check(self.program(ranks, rows, op, shape), a, numpy.abs(a)[at].reshape(shape), [("all_reduce", "x".join(map(str, shape)))])

    def test_positions_of_bits_and_whole_numbers(self):
        for element, values in (("i1", numpy.array([[True, False, True]] * 8)), ("i8", numpy.arange(24, dtype=numpy.int8).reshape(8, 3) - 12),
                                ("f16", numpy.full((8, 3), -0.0, numpy.float16))):
            with self.subTest(element=element):
                x, r = f"tensor<8x3x{element}>", f"tensor<3x{element}>"
                source, artifact = self.folder / "p.mlir", self.folder / "p.heddle"
                source.write_text(f'device.mesh @m = [x = 3]\nfunc.func @main(%a: {x}) -> {r} {{\n  %s = flow.shard %a as <@m, [["x"], []]> : {x}\n'
                                  f'  %r = tensor.extract_slice %s[5, 0] [1, 3] [1, 1] : {x} to {r}\n  return %r : {r}\n}}\n')
                numpy.save(self.folder / "in.npy", values)
                self.tool("heddle-compile", source, "-o", artifact)
                self.tool("heddle-run", artifact, f"--input=@{self.folder / 'in.npy'}", f"--output=@{self.folder / 'out.npy'}")
                self.assertEqual(values[5].tobytes(), numpy.load(self.folder / "out.npy").tobytes())

    def test_many_positions(self):
        """Each row on its own is all rows: they are gathered once."""
        a = self.input(8)
        rows = "\n".join(f"  %p{i} = tensor.extract_slice %x[{i}, 0] [1, 3] [1, 1] : {kind((8, 3))} to {kind((1, 3))}" for i in range(8))
        names, types = ", ".join(f"%p{i}" for i in reversed(range(8))), ", ".join([kind((1, 3))] * 8)
        op = f"{rows}\n  %r = tensor.concat dim(0) {names} : ({types}) -> {kind((8, 3))}"
        self.check(self.program(4, 8, op, (8, 3)), a, numpy.abs(a)[::-1], [("all_gather", "2x3")])

    def test_a_padded_convolution(self):
        for ranks, rows in [(2, 8), (4, 8), (3, 9), (4, 13)]:
            with self.subTest(ranks=ranks, rows=rows):
                a = self.input(rows)
                out, op = self.convolution(rows + 2, 3, 1)
                pad = (f"  %padded = tensor.pad %x low[1, 0] high[1, 0] {{ ^bb0(%i: index, %j: index): tensor.yield %zero : f32 }} : "
                       f"{kind(a.shape)} to {kind((rows + 2, 3))}\n")
                padded = numpy.pad(numpy.abs(a), [(1, 1), (0, 0)])
                self.check(self.program(ranks, rows, pad + op.replace("ins(%x,", "ins(%padded,"), (out, 3)), a, windows(padded, 3).sum(-1), None if rows % ranks else [("exchange", f"{rows // ranks}x3")])

    def test_a_convolution_of_another_padding(self):
        """Ones around: rows are exchanged once, and each rank puts its own ones around them; also more ones than a rank has rows."""
        for ranks, rows, low, high in [(2, 8, 1, 1), (4, 8, 2, 0), (3, 9, 0, 2), (4, 13, 1, 1), (4, 4, 5, 3)]:
            with self.subTest(ranks=ranks, rows=rows, low=low, high=high):
                a, all_rows = self.input(rows), rows + low + high
                out, op = self.convolution(all_rows, 3, 1)
                pad = (f"  %padded = tensor.pad %x low[{low}, 0] high[{high}, 0] {{ ^bb0(%i: index, %j: index): tensor.yield %one : f32 }} : "
                       f"{kind(a.shape)} to {kind((all_rows, 3))}\n")
                padded = numpy.pad(numpy.abs(a), [(low, high), (0, 0)], constant_values=1)
                text = self.program(ranks, rows, pad + op.replace("ins(%x,", "ins(%padded,"), (out, 3))
                self.check(text, a, windows(padded, 3).sum(-1), None if rows % ranks else [("exchange", f"{rows // ranks}x3")])


class Columns(Programs):
    """Rows in front of the dimension lie beside one another, of which strips travel; by every stage and as threads."""

    def test_inner_dimensions(self):
        for ranks, shape, begin, count, stride in [(2, (5, 12), 2, 10, 1), (3, (4, 13), 1, 6, 2), (4, (2, 3, 16), 3, 13, 1), (5, (3, 7, 2), 1, 6, 1)]:
            with self.subTest(ranks=ranks, shape=shape, begin=begin):
                self.check_stages(ranks, shape, 1 if len(shape) == 3 and shape[1] > shape[2] else len(shape) - 1, begin, count, stride)

    def check_stages(self, ranks, shape, dim, begin, count, stride):
        out = tuple(count if i == dim else n for i, n in enumerate(shape))
        lists = ", ".join('["x"]' if i == dim else "[]" for i in range(len(shape)))
        offsets, sizes, strides = ([(value if i == dim else other) for i, other in enumerate(plain)]
                                   for value, plain in ((begin, [0] * len(shape)), (count, shape), (stride, [1] * len(shape))))
        x, r = kind(shape), kind(out)
        text = (f'device.mesh @m = [x = {ranks}]\nfunc.func @main(%a: {x}) -> {r} {{\n  %s = flow.shard %a as <@m, [{lists}]> : {x}\n'
                f'  %e0 = tensor.empty() : {x}\n  %x = linalg.abs ins(%s : {x}) outs(%e0 : {x}) -> {x}\n'
                f'  %r = tensor.extract_slice %x{offsets} {sizes} {strides} : {x} to {r}\n  %e1 = tensor.empty() : {r}\n'
                f'  %t = linalg.abs ins(%r : {r}) outs(%e1 : {r}) -> {r}\n  return %t : {r}\n}}\n')
        a = numpy.random.default_rng(3).integers(-8, 9, shape).astype(numpy.float32)
        taken = tuple(slice(begin, begin + count * stride, stride) if i == dim else slice(None) for i in range(len(shape)))
        self.check(text, a, numpy.abs(a)[taken])
        if len(shape) > 2:
            return  # workgroups of such a slice of free sizes are more than `heddle check` evaluates
        numpy.save(self.folder / "in.npy", a)
        self.tool("heddle", "check", self.folder / "w.mlir", f"--input=@{self.folder / 'in.npy'}")


class FreeSizes(Programs):
    """Sizes that the call tells, and meshes whose sizes the load does: one artifact for all."""

    def windows_of_free_rows(self, size, stride):
        """%r of %x in windows, whose number is (rows - size) / stride + 1; of ranks %n rows at least."""
        return (f'  %cs = arith.constant {size - stride} : index\n  %ct = arith.constant {stride} : index\n  %m0 = arith.subi %d, %cs : index\n'
                f'  %m = arith.divsi %m0, %ct : index\n  %k = arith.constant dense<1.0> : tensor<{size}xf32>\n  %e = tensor.empty(%m) : tensor<?x3xf32>\n'
                f'  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>\n'
                f'  %r = linalg.generic {{indexing_maps = [affine_map<(r, c, k) -> (r * {stride} + k, c)>, affine_map<(r, c, k) -> (k)>, '
                f'affine_map<(r, c, k) -> (r, c)>], iterator_types = ["parallel", "parallel", "reduction"]}} ins(%x, %k : tensor<?x3xf32>, '
                f'tensor<{size}xf32>) outs(%f : tensor<?x3xf32>) {{ ^bb0(%p: f32, %q: f32, %o: f32): %mm = arith.mulf %p, %q : f32 '
                f'%nn = arith.addf %o, %mm : f32 linalg.yield %nn : f32 }} -> tensor<?x3xf32>')

    def free(self, ranks, op):
        x = "tensor<?x3xf32>"
        return (f'device.mesh @m = [x = {ranks}]\nfunc.func @main(%a: {x} {{heddle.dims = ["rows", ""]}}) -> {x} {{\n  %zero = arith.constant 0.0 : f32\n'
                f'  %c0 = arith.constant 0 : index\n  %d = tensor.dim %a, %c0 : {x}\n  %s = flow.shard %a as <@m, [["x"], []]> : {x}\n'
                f'  %e0 = tensor.empty(%d) : {x}\n  %x = linalg.abs ins(%s : {x}) outs(%e0 : {x}) -> {x}\n{op}\n'
                f'  %c1 = arith.constant 0 : index\n  %w = tensor.dim %r, %c1 : {x}\n  %e1 = tensor.empty(%w) : {x}\n'
                f'  %t = linalg.abs ins(%r : {x}) outs(%e1 : {x}) -> {x}\n  return %t : {x}\n}}\n')

    def artifact(self, text):
        source, decided, artifact = (self.folder / "f.mlir"), (self.folder / "f.decided.mlir"), (self.folder / "f.heddle")
        source.write_text(text)
        self.tool("heddle-compile", source, "--compile-to=partition", "-o", decided)
        self.tool("heddle-compile", source, "-o", artifact)
        names = [name for name in re.findall(r"flow\.(\w+) ", decided.read_text()) if name in COLLECTIVES]
        return artifact, names

    def run_one(self, artifact, a, wanted, *words):
        numpy.save(self.folder / "in.npy", a)
        self.tool("heddle-run", artifact, f"--input=@{self.folder / 'in.npy'}", f"--output=@{self.folder / 'out.npy'}", *words)
        numpy.testing.assert_allclose(numpy.load(self.folder / "out.npy"), wanted, rtol=1e-5)

    def test_free_rows(self):
        for size, stride in [(3, 1), (5, 2)]:
            artifact, names = self.artifact(self.free(3, self.windows_of_free_rows(size, stride)))
            self.assertEqual("exchange", names[0])
            for rows in (size, 7, 12, 41):
                with self.subTest(size=size, stride=stride, rows=rows):
                    a = self.input(rows)
                    self.run_one(artifact, a, windows(numpy.abs(a), size, stride).sum(-1))

    def test_free_joins(self):
        """Rows of one size behind those of another one."""
        x = "tensor<?x3xf32>"
        op = f"  %r = tensor.concat dim(0) %x, %y, %x : ({x}, {x}, {x}) -> {x}"
        text = self.free(3, op).replace('["rows", ""]}', f'["rows", ""]}}, %b: {x} {{heddle.dims = ["others", ""]}}').replace("%d = ", f"%db = tensor.dim %b, %c0 : {x}\n  %d = ")
        text = text.replace("  %r = ", f'  %sb = flow.shard %b as <@m, [["x"], []]> : {x}\n  %eb = tensor.empty(%db) : {x}\n  %y = linalg.exp ins(%sb : {x}) outs(%eb : {x}) -> {x}\n  %r = ')
        artifact, names = self.artifact(text)
        self.assertEqual(["exchange"] * 3, names[:3])
        self.assertNotIn("all_gather", names[:3])
        for rows, others in [(1, 1), (5, 2), (2, 9), (12, 7), (3, 41)]:
            with self.subTest(rows=rows, others=others):
                a, b = self.input(rows), self.input(others)
                numpy.save(self.folder / "b.npy", b)
                self.run_one(artifact, a, numpy.concatenate([numpy.abs(a), numpy.exp(b), numpy.abs(a)]), f"--input=@{self.folder / 'b.npy'}")

    def test_free_paddings(self):
        """Of free rows, by numbers and by what the call tells."""
        for low, spelled in ((2, "2"), (None, "%d")):
            x = "tensor<?x3xf32>"
            op = (f"  %r = tensor.pad %x low[{spelled}, 0] high[1, 0] {{ ^bb0(%i: index, %j: index): tensor.yield %one : f32 }} : {x} to {x}")
            text = self.free(3, op).replace("  %zero = ", "  %one = arith.constant 1.0 : f32\n  %zero = ")
            artifact, names = self.artifact(text)
            self.assertEqual("exchange", names[0])
            for rows in (1, 4, 9, 23):
                with self.subTest(low=low, rows=rows):
                    a = self.input(rows)
                    self.run_one(artifact, a, numpy.pad(numpy.abs(a), [(rows if low is None else low, 1), (0, 0)], constant_values=1))

    def test_free_mesh(self):
        a = self.input(16)
        out, op = self.convolution(16, 3, 1)
        artifact, names = self.artifact(self.program("?", 16, op, (out, 3)))
        self.assertEqual("exchange", names[0])
        for ranks in (1, 2, 3, 4, 7, 16):
            with self.subTest(ranks=ranks):
                self.run_one(artifact, a, windows(numpy.abs(a), 3).sum(-1), f"--mesh=x={ranks}")

    def test_free_rows_and_mesh(self):
        artifact, names = self.artifact(self.free("?", self.windows_of_free_rows(3, 1)))
        self.assertEqual("exchange", names[0])
        for ranks, rows in [(1, 5), (2, 9), (5, 3), (4, 22)]:
            with self.subTest(ranks=ranks, rows=rows):
                a = self.input(rows)
                self.run_one(artifact, a, windows(numpy.abs(a), 3).sum(-1), f"--mesh=x={ranks}")


class ManyRanks(Programs):
    def test_nothing_grows_with_the_mesh(self):
        """What a program says, and the artifact's bytes, are those of two ranks."""
        sizes, texts = [], []
        pad = (f"  %padded = tensor.pad %x low[1, 0] high[1, 0] {{ ^bb0(%i: index, %j: index): tensor.yield %zero : f32 }} : "
               f"{kind((4096, 3))} to {kind((4098, 3))}\n")
        for ranks in (2, 4, 64, 1024):
            out, op = self.convolution(4098, 3, 1)
            op = pad + op.replace("ins(%x,", "ins(%padded,")
            source, artifact = self.folder / f"m{ranks}.mlir", self.folder / f"m{ranks}.heddle"
            source.write_text(self.program(ranks, 4096, op, (out, 3)))
            self.tool("heddle-compile", source, "--compile-to=partition", "-o", self.folder / "m.decided.mlir")
            texts.append(len((self.folder / "m.decided.mlir").read_text().splitlines()))
            self.tool("heddle-compile", source, "-o", artifact)
            sizes.append(artifact.stat().st_size)
        self.assertLessEqual(max(texts) / min(texts), 1.05)
        self.assertLessEqual(max(sizes) / min(sizes), 1.05)


if __name__ == "__main__":
    sys.exit(unittest.main())
