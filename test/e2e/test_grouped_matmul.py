# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""flow.grouped_matmul: groups of rows whose sizes data says, some of no rows, by NumPy; sizes that do not fit fail the call."""
import json
import os
import unittest

import numpy
import support

SEED = int(os.environ.get("HEDDLE_TEST_SEED", 3))


def program(rows, depth, groups, columns, element="f32", out="f32", index="i32", word="sizes"):
    x, w = f"tensor<{rows}x{depth}x{element}>", f"tensor<{groups}x{depth}x{columns}x{element}>"
    s, y = f"tensor<{groups}x{index}>", f"tensor<{rows}x{columns}x{out}>"
    return f"""
func.func @main(%x: {x} {{heddle.dims = ["m", "k"]}}, %w: {w} {{heddle.dims = ["g", "k", "n"]}}, %s: {s} {{heddle.dims = ["g"]}}) -> {y} {{
  %y = flow.grouped_matmul %x, %w {word} %s : ({x}, {w}, {s}) -> {y}
  return %y : {y}
}}"""


def product(x, w, sizes):
    """Rows behind the last group are 0."""
    wide = numpy.int32 if x.dtype == numpy.int8 else numpy.float64
    result, begin = numpy.zeros((len(x), w.shape[2]), wide), 0
    for matrix, size in zip(w, sizes):
        result[begin:begin + size] = x[begin:begin + size].astype(wide) @ matrix.astype(wide)
        begin += size
    return result


class GroupedMatmul(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(SEED)

    def compile(self, text, *flags):
        (self.folder / "m.mlir").write_text(text)
        done = support.heddle("compile", self.folder / "m.mlir", "-o", self.folder / "m.heddle", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / "m.heddle"

    def call(self, *arrays, device="local://0-1", command=None):
        for i, array in enumerate(arrays):
            numpy.save(self.folder / f"{i}.npy", array)
        command = command or ("run", self.folder / "m.heddle", f"--device={device}")
        return support.heddle(*command, *[f"--input=@{self.folder}/{i}.npy" for i in range(len(arrays))],
                              f"--output=@{self.folder}/o.npy")

    def check(self, x, w, groups, sizes, tolerance=1e-4, **kwargs):
        done = self.call(x, w, groups, **kwargs)
        self.assertEqual(done.returncode, 0, (SEED, sizes, done.stderr))
        got, want = numpy.load(self.folder / "o.npy"), product(x, w, sizes)
        self.assertEqual(got.shape, want.shape)
        numpy.testing.assert_allclose(got.astype(numpy.float64), want, atol=tolerance, rtol=tolerance, err_msg=f"{SEED} {sizes}")

    def sizes(self, groups, rows):
        """Some of no rows; together at most `rows`, often all of them."""
        weights = self.random.random(groups) * (self.random.random(groups) < 0.6)
        total = rows if self.random.random() < 0.6 else int(rows * self.random.random())
        cuts = numpy.floor(numpy.concatenate([[0], numpy.cumsum(weights)]) / max(weights.sum(), 1e-9) * total).astype(int)
        return numpy.diff(cuts)

    def floats(self, *shape):
        return (self.random.standard_normal(shape) / 4).astype(numpy.float32)

    def test_fifty_products(self):
        for depth, groups, columns in ((20, 1, 9), (64, 6, 33), (7, 13, 128), (130, 4, 20), (33, 8, 1)):
            self.compile(program("?", depth, groups, columns))
            w = self.floats(groups, depth, columns)
            for rows in [0, 1, 17, 200] + list(self.random.integers(2, 300, 6)):
                sizes = self.sizes(groups, rows)
                self.check(self.floats(rows, depth), w, sizes.astype(numpy.int32), sizes)

    def test_no_group_has_rows(self):
        self.compile(program("?", 16, 5, 24))
        sizes = numpy.zeros(5, numpy.int32)
        self.check(self.floats(40, 16), self.floats(5, 16, 24), sizes, sizes)

    def test_all_sizes_are_free(self):
        self.compile(program("?", "?", "?", "?", index="i64"))
        for rows, depth, groups, columns in ((100, 40, 7, 30), (3, 1, 1, 1), (50, 0, 3, 8), (64, 5, 2, 0)):
            sizes = self.sizes(groups, rows)
            self.check(self.floats(rows, depth), self.floats(groups, depth, columns), sizes, sizes)

    def test_ends(self):
        self.compile(program("?", 48, 6, 40, word="ends"))
        sizes = numpy.array([0, 30, 0, 21, 9, 0])
        for behind in (0, 11):
            self.check(self.floats(60 + behind, 48), self.floats(6, 48, 40), numpy.cumsum(sizes).astype(numpy.int32), sizes)

    def test_types(self):
        sizes = numpy.array([40, 0, 25, 1])
        for element, out, tolerance in (("f16", "f32", 1e-3), ("f16", "f16", 4e-3)):
            self.compile(program("?", 64, 4, 32, element=element, out=out))
            x, w = self.floats(66, 64).astype(numpy.float16), self.floats(4, 64, 32).astype(numpy.float16)
            self.check(x, w, sizes.astype(numpy.int32), sizes, tolerance)
        self.compile(program("?", 64, 4, 32, element="i8", out="i32"))
        x, w = (self.random.integers(-128, 128, shape, dtype=numpy.int8) for shape in ((66, 64), (4, 64, 32)))
        self.check(x, w, sizes.astype(numpy.int32), sizes, 0)

    def test_bf16(self):
        """Through f32 and back, in the program: NumPy has no bf16."""
        text = program("?", 64, 4, 32).replace(
            "%y = flow.grouped_matmul %x, %w sizes %s : (tensor<?x64xf32>, tensor<4x64x32xf32>, tensor<4xi32>)",
            "%xb = arith.truncf %x : tensor<?x64xf32> to tensor<?x64xbf16>\n"
            "  %wb = arith.truncf %w : tensor<4x64x32xf32> to tensor<4x64x32xbf16>\n"
            "  %y = flow.grouped_matmul %xb, %wb sizes %s : (tensor<?x64xbf16>, tensor<4x64x32xbf16>, tensor<4xi32>)")
        self.compile(text)
        sizes = numpy.array([9, 0, 50, 7])
        self.check(self.floats(66, 64), self.floats(4, 64, 32), sizes.astype(numpy.int32), sizes, 2e-2)

    def constant(self, w, element="f32", out="f32"):
        """The program with its weights in it."""
        text = program("?", w.shape[1], w.shape[0], w.shape[2], element=element, out=out)
        argument = text[text.index(", %w:"):text.index(", %s:")]
        held = f"arith.constant dense<\"0x{w.tobytes().hex().upper()}\"> : {argument.split()[2]}"
        return text.replace(argument, "").replace("%y = flow", f"%w = {held}\n  %y = flow")

    def test_constant_weights(self):
        """They lie in panels, of any number of columns; groups of none, and rows behind the last."""
        for depth, groups, columns, element, out in ((64, 5, 48, "f32", "f32"), (33, 3, 40, "f32", "f32"), (20, 2, 9, "f32", "f32"),
                                                     (64, 4, 32, "i8", "i32"), (30, 4, 40, "i8", "i32")):
            def draw(*shape):
                return self.random.integers(-128, 128, shape, dtype=numpy.int8) if element == "i8" else self.floats(*shape)

            w = draw(groups, depth, columns)
            for flags in ((), ("--data-tiling=off",), ("--target-cpu=x86-64-v2",)):
                artifact = self.compile(self.constant(w, element, out), *flags)
                for rows in (0, 1, 70):
                    sizes = self.sizes(groups, rows)
                    x = draw(rows, depth)
                    for i, array in enumerate((x, sizes.astype(numpy.int32))):
                        numpy.save(self.folder / f"{i}.npy", array)
                    done = support.heddle("run", artifact, "--device=local://0-1", *[f"--input=@{self.folder}/{i}.npy" for i in range(2)],
                                          f"--output=@{self.folder}/o.npy")
                    self.assertEqual(done.returncode, 0, (SEED, sizes, done.stderr))
                    numpy.testing.assert_allclose(numpy.load(self.folder / "o.npy"), product(x, w, sizes), atol=1e-4, rtol=1e-4, err_msg=f"{SEED} {sizes} {flags}")
            host = json.loads(support.heddle("inspect", artifact, "--json").stdout)["host"]
            self.assertEqual(2, sum(entry["op"] == "dispatch" for entry in host))

    def test_layout_of_constant_weights(self):
        artifact = self.compile(self.constant(self.floats(5, 64, 48)))
        parameters = json.loads(support.heddle("inspect", artifact, "--json").stdout)["parameters"]
        self.assertEqual([True], ["layout" in parameter for parameter in parameters], parameters)

    def test_every_stage(self):
        text = program(60, 48, 5, 40)
        sizes = numpy.array([13, 0, 20, 0, 22])
        for stage in ("import", "simplify", "encode", "form", "resolve"):
            with self.subTest(stage):
                self.compile(text)
                done = support.heddle("compile", self.folder / "m.mlir", "-o", self.folder / "cut.mlir", f"--compile-to={stage}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check(self.floats(60, 48), self.floats(5, 48, 40), sizes.astype(numpy.int32), sizes,
                           command=("reference", self.folder / "cut.mlir", "--small"))

    def test_on_vulkan(self):
        self.compile(program("?", 48, 5, 40), "--target-device=vulkan")
        for sizes in ([13, 0, 20, 0, 22], [0, 0, 0, 0, 0], [0, 70, 0, 0, 0]):
            self.check(self.floats(70, 48), self.floats(5, 48, 40), numpy.array(sizes, numpy.int32), sizes, device="vulkan")

    def test_two_dispatches(self):
        artifact = self.compile(program("?", 48, 5, 40))
        host = json.loads(support.heddle("inspect", artifact, "--json").stdout)["host"]
        self.assertEqual(2, sum(entry["op"] == "dispatch" for entry in host))

    def test_sizes_that_do_not_fit_fail_the_call(self):
        for word, wrong in (("sizes", [10, 51, 0]), ("sizes", [10, -1, 3]), ("sizes", [2**31 - 1, 2**31 - 1, 2]), ("sizes", [61, -1, 0]),
                            ("ends", [10, 5, 60]), ("ends", [10, 20, 61]), ("ends", [-1, 20, 60])):
            self.compile(program("?", 16, 3, 24, word=word))
            done = self.call(self.floats(60, 16), self.floats(3, 16, 24), numpy.array(wrong, numpy.int32))
            self.assertEqual(1, done.returncode, (word, wrong, done.stderr))
            self.assertIn("out of range", done.stderr)


if __name__ == "__main__":
    unittest.main()
