# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole programs with a few requests, against numpy: whole arrays go in and come out, by the reference as written, by `heddle check`
through all stages on all ranks, and run as threads."""
import pathlib
import subprocess
import sys
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from support import BIN, TIMEOUT_S, EndToEnd  # noqa: E402


def mlp(rows, hidden, mesh, up, down, out="[?, ?]"):
    """Two products with a nonlinearity between them; the second one's bias is its initial value."""
    x, u, d, y, h = (f"tensor<{shape}xf32>" for shape in (f"{rows}x8", f"8x{hidden}", f"{hidden}x8", f"{rows}x8", f"{rows}x{hidden}"))
    dims = ' {heddle.dims = ["n", ""]}' if rows == "?" else ""
    size = "%n" if rows == "?" else ""
    head = "  %n = tensor.dim %x, %c0 : " + x + "\n" if rows == "?" else ""
    return f"""device.mesh @m = [{mesh}]
func.func @main(%x: {x}{dims}, %u0: {u}, %d0: {d}, %b: tensor<8xf32>) -> {y} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
{head}  %u = flow.shard %u0 as <@m, {up}> : {u}
  %d = flow.shard %d0 as <@m, {down}> : {d}
  %e = tensor.empty({size}) : {h}
  %f = linalg.fill ins(%zero : f32) outs(%e : {h}) -> {h}
  %p = linalg.matmul ins(%x, %u : {x}, {u}) outs(%f : {h}) -> {h}
  %t = linalg.tanh ins(%p : {h}) outs(%e : {h}) -> {h}
  %o = tensor.empty({size}) : {y}
  %bias = linalg.broadcast ins(%b : tensor<8xf32>) outs(%o : {y}) dimensions = [0]
  %r0 = linalg.matmul ins(%t, %d : {h}, {d}) outs(%bias : {y}) -> {y}
  %r = flow.shard %r0 as <@m, {out}> : {y}
  return %r : {y}
}}
"""


class Programs(EndToEnd):
    def tool(self, *command):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
        self.assertEqual(0, done.returncode, f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def check(self, text, inputs, wanted, mesh="", atol=1e-5):
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        source.write_text(text)
        for i, value in enumerate(inputs):
            numpy.save(self.folder / f"in{i}.npy", value)
        sizes = [f"--mesh={mesh}"] if mesh else []
        given = [f"--input=@{self.folder}/in{i}.npy" for i in range(len(inputs))]
        got = [f"--output=@{self.folder}/out{i}.npy" for i in range(len(wanted))]
        self.tool(BIN / "heddle", "compile", source, "-o", artifact)
        for way in ([BIN / "heddle-reference", source, "--small", *sizes], [BIN / "heddle", "run", artifact, *sizes]):
            self.tool(*way, *given, *got)
            for i, value in enumerate(wanted):
                numpy.testing.assert_allclose(numpy.load(self.folder / f"out{i}.npy"), value, rtol=1e-4, atol=atol, err_msg=str(way[0]))
        out = self.tool(BIN / "heddle", "check", source, *sizes, *given)
        self.assertIn("package ok", out)

    def random(self, *shapes):
        generator = numpy.random.default_rng(5)
        return [generator.standard_normal(shape).astype(numpy.float32) for shape in shapes]

    def check_mlp(self, rows, hidden, mesh, up, down, out="[?, ?]", free="", size=None):
        n = rows if size is None else size
        x, u, d, b = self.random((n, 8), (8, hidden), (hidden, 8), (8,))
        self.check(mlp(rows, hidden, mesh, up, down, out), [x, u, d, b], [numpy.tanh(x @ u) @ d + b], free, atol=1e-4)

    def test_columns_then_rows(self):
        self.check_mlp(4, 16, "x = 2", '[[], ["x"]]', '[["x"], []]')

    def test_uneven_parts(self):
        for hidden, ranks in ((66, 4), (7, 8), (1, 4)):
            with self.subTest(hidden=hidden, ranks=ranks):
                self.check_mlp(3, hidden, f"x = {ranks}", '[[], ["x"]]', '[["x"], []]')

    def test_free_mesh(self):
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                self.check_mlp(4, 12, "x = ?", '[[], ["x"]]', '[["x"], []]', free=f"x={ranks}")

    def test_free_rows(self):
        for rows in (1, 4, 7):
            with self.subTest(rows=rows):
                self.check_mlp("?", 16, "x = 2, y = 2", '[[], ["y"]]', '[["y"], []]', '[["x"], []]', size=rows)

    def test_two_axes(self):
        self.check_mlp(6, 12, "x = 2, y = 3", '[["x"], ["y"]]', '[["y"], ["x"]]', '[["x", "y"], []]')

    def test_borders(self):
        text = """device.mesh @m = [x = 3]
func.func @main(%x: tensor<7x2xf32>) -> (tensor<7x2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %p = flow.part %x as <@m, [[], []], partial sum ["x"]> : tensor<7x2xf32> -> tensor<7x2xf32>
  %all = flow.all_reduce %p sum over @m["x"] : tensor<7x2xf32>
  %w = flow.whole %all as <@m, [[], []]> : tensor<7x2xf32> -> tensor<7x2xf32>
  %r = flow.shard %w as <@m, [["x"], []]> : tensor<7x2xf32>
  %row = tensor.extract_slice %r[6, 0] [1, 2] [1, 1] : tensor<7x2xf32> to tensor<2xf32>
  return %r, %row : tensor<7x2xf32>, tensor<2xf32>
}
"""
        x, = self.random((7, 2))
        self.check(text, [x], [x, x[6]])

    def test_few_rows(self):
        """A table of fewer rows than ranks, of a mesh that the load tells: ranks without a row add nothing."""
        text = """device.mesh @m = [x = ?]
func.func @main(%t0: tensor<3x4xf32>, %ids: tensor<5xi64>) -> tensor<5x4xf32> {
  %t = flow.shard %t0 as <@m, [["x"], []]> : tensor<3x4xf32>
  %e = tensor.empty() : tensor<5x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<5xi64>) outs(%e : tensor<5x4xf32>) {
  ^bb0(%id: i64, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %id : i64 to index
    %c3 = arith.constant 3 : index
    %i = flow.checked_index %k, %c3
    %v = tensor.extract %t[%i, %j] : tensor<3x4xf32>
    linalg.yield %v : f32
  } -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
"""
        table, = self.random((3, 4))
        ids = numpy.array([2, 0, 1, 2, 0])
        for ranks in (1, 2, 5):
            with self.subTest(ranks=ranks):
                self.check(text, [table, ids], [table[ids]], f"x={ranks}")


if __name__ == "__main__":
    unittest.main()
