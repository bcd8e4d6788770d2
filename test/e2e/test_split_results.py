# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of several results in parts: sums beside sums of squares, and the greatest with its position, ties and NaN as in
one part."""
import json
import os
import unittest

import numpy
import support

SEED = int(os.environ.get("HEDDLE_TEST_SEED", 7))


def moments(rows, columns, split=""):
    return f"""
func.func @main(%x: tensor<{rows}x{columns}xf32>) -> (tensor<{rows}xf32>, tensor<{rows}xf32>) {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{rows}xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<{rows}xf32>) -> tensor<{rows}xf32>
  %r:2 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]{split}}} ins(%x : tensor<{rows}x{columns}xf32>)
      outs(%f, %f : tensor<{rows}xf32>, tensor<{rows}xf32>) {{
  ^bb0(%a: f32, %s: f32, %q: f32):
    %t = arith.addf %a, %s : f32
    %u = arith.mulf %a, %a : f32
    %v = arith.addf %q, %u : f32
    linalg.yield %t, %v : f32, f32
  }} -> (tensor<{rows}xf32>, tensor<{rows}xf32>)
  return %r#0, %r#1 : tensor<{rows}xf32>, tensor<{rows}xf32>
}}"""


def greatest(length, comparison, low, kind="f32", split="", begin=0):
    return f"""
func.func @main(%x: tensor<{length}x{kind}> {{heddle.dims = ["n"]}}) -> (tensor<{kind}>, tensor<i64>) {{
  %z = arith.constant {low} : {kind}
  %zi = arith.constant {begin} : i64
  %e = tensor.empty() : tensor<{kind}>
  %f = linalg.fill ins(%z : {kind}) outs(%e : tensor<{kind}>) -> tensor<{kind}>
  %ei = tensor.empty() : tensor<i64>
  %fi = linalg.fill ins(%zi : i64) outs(%ei : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]{split}}} ins(%x : tensor<{length}x{kind}>) outs(%f, %fi : tensor<{kind}>, tensor<i64>) {{
  ^bb0(%a: {kind}, %p: {kind}, %q: i64):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %c = {comparison} : {kind}
    %s = arith.select %c, %a, %p : {kind}
    %t = arith.select %c, %ii, %q : i64
    linalg.yield %s, %t : {kind}, i64
  }} -> (tensor<{kind}>, tensor<i64>)
  return %r#0, %r#1 : tensor<{kind}>, tensor<i64>
}}"""


class SeveralResults(support.EndToEnd):
    def compile(self, text, *flags):
        (self.folder / "m.mlir").write_text(text)
        done = support.heddle("compile", self.folder / "m.mlir", "-o", self.folder / "m.heddle", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / "m.heddle"

    def dispatches(self, device):
        bound = json.loads(support.heddle("inspect", self.folder / "m.heddle", "--json", "--bound", f"--device={device}").stdout)
        return sum(entry["op"] == "dispatch" for entry in bound["host"])

    def call(self, x, device="local://0-1"):
        numpy.save(self.folder / "x.npy", x)
        outputs = [f"--output=@{self.folder}/{name}.npy" for name in "ab"]
        done = support.heddle("run", self.folder / "m.heddle", f"--device={device}", f"--input=@{self.folder}/x.npy", *outputs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [numpy.load(self.folder / f"{name}.npy") for name in "ab"]

    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(SEED)

    def test_sums_and_sums_of_squares(self):
        x = self.random.standard_normal((3, 200003)).astype(numpy.float32)
        wide = x.astype(numpy.float64)
        for split, device, flags in ((", heddle.split = 7 : i64", "local://0", ()), ("", "local://0-1", ()),
                                     (", heddle.split = 7 : i64", "vulkan", ("--target-device=vulkan",))):
            self.compile(moments(3, 200003, split), *flags)
            if device != "vulkan":
                self.assertEqual(2 if split else 1, self.dispatches(device), split)
            for got, want in zip(self.call(x, device), (wide.sum(1), (wide * wide).sum(1))):
                numpy.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-2, err_msg=str(SEED))

    def check_greatest(self, x, value, position, device="local://0-1"):
        got = self.call(x, device)
        numpy.testing.assert_array_equal(got[0], value)
        self.assertEqual(int(got[1]), position, SEED)

    def test_the_default_splits_them(self):
        self.compile(greatest(3000001, "arith.cmpf ogt, %a, %p", "0xFF800000"))
        self.assertEqual((1, 2), (self.dispatches("local://0"), self.dispatches("local://0-1")))
        x = self.random.standard_normal(3000001).astype(numpy.float32)
        for device in ("local://0", "local://0-1"):
            self.check_greatest(x, x.max(), x.argmax(), device)

    def test_ties_are_the_first_and_nan_never_wins(self):
        asked = ", heddle.split = 6 : i64"
        for split, flags, device in ((asked, (), "local://0-1"), (", heddle.split = 1 : i64", (), "local://0-1"),
                                     (asked, ("--target-device=vulkan",), "vulkan")):
            self.compile(greatest(10007, "arith.cmpf ogt, %a, %p", "0xFF800000", split=split, begin=-1), *flags)
            x = -numpy.abs(self.random.standard_normal(10007)).astype(numpy.float32) - 1
            x[[4000, 5000, 9999]] = 5
            self.check_greatest(x, 5, 4000, device)
            x[[1, 3999, 4001, 10006]] = numpy.nan
            self.check_greatest(x, 5, 4000, device)
            x[:4000] = -numpy.inf
            x[4000:] = numpy.nan
            self.check_greatest(x, -numpy.inf, -1, device)

    def test_the_least_and_integers(self):
        self.compile(greatest(10007, "arith.cmpf olt, %a, %p", "0x7F800000", split=", heddle.split = 5 : i64"))
        x = self.random.standard_normal(10007).astype(numpy.float32)
        self.check_greatest(x, x.min(), x.argmin())
        self.compile(greatest(10007, "arith.cmpi sgt, %a, %p", "-2147483648", "i32", ", heddle.split = 5 : i64"))
        x = self.random.integers(-50, 50, 10007, dtype=numpy.int32)
        self.check_greatest(x, x.max(), x.argmax())

    def test_of_every_length(self):
        self.compile(greatest("?", "arith.cmpf ogt, %a, %p", "0xFF800000", split=", heddle.split = 9 : i64", begin=-1))
        for length in (0, 1, 8, 9, 10, 1001):
            x = self.random.standard_normal(length).astype(numpy.float32)
            self.check_greatest(x, x.max(initial=-numpy.inf), x.argmax() if length else -1)

    def test_the_last_of_equal_ones_stays_whole(self):
        text = greatest(3000001, "arith.cmpf oge, %a, %p", "0xFF800000")
        artifact = self.compile(text)
        self.assertEqual(1, self.dispatches("local://0-1"))
        self.assertIn("keeps the first of equal ones", support.heddle("explain", artifact).stdout)


if __name__ == "__main__":
    unittest.main()
