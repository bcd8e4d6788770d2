# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle compile model.mlir --dim=NAME=SIZE`: sizes that a program in MLIR leaves free, by the names that `heddle inspect` shows."""
import pathlib
import tempfile
import unittest

from support import heddle

MODEL = """
func.func @main(%a: tensor<?x?xf32> {heddle.name = "a", heddle.dims = ["n", ""]}, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""
STABLEHLO = """
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %a, %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""


class MlirSizes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.artifact = self.folder / "m.heddle"

    def compile(self, *dims, text=MODEL):
        model = self.folder / "m.mlir"
        model.write_text(text)
        result = heddle("compile", model, "-o", self.artifact, *(f"--dim={dim}" for dim in dims))
        return result.returncode, result.stderr

    def signature(self):
        return next(line.strip() for line in heddle("inspect", self.artifact).stdout.splitlines() if "main(" in line)

    def test_names(self):
        for dims, says in ((["n=2"], "main(a: 2x[arg0_d1]xf32, arg1: [arg1_d0]xf32) -> (result0: 2x[arg0_d1]xf32)"),
                           (["a.0=2", "arg0_d1=3", "arg1_d0=3"], "main(a: 2x3xf32, arg1: 3xf32) -> (result0: 2x3xf32)"),
                           (["arg1.0=3"], "main(a: [n]x[arg0_d1]xf32, arg1: 3xf32) -> (result0: [n]x3xf32)")):
            with self.subTest(dims):
                status, error = self.compile(*dims)
                self.assertEqual(0, status, error)
                self.assertIn(says, self.signature())

    def test_values(self):
        status, error = self.compile("n=2", "a.1=3", "arg1.0=3")
        self.assertEqual(0, status, error)
        run = heddle("run", self.artifact, "--input=2x3xf32=1 2 3 4 5 6", "--input=3xf32=10 20 30")
        self.assertEqual((0, ""), (run.returncode, run.stderr))
        self.assertIn("2x3xf32=[[11 22 33][14 25 36]]", run.stdout)
        wrong = heddle("run", self.artifact, "--input=1x3xf32=1 2 3", "--input=3xf32=10 20 30")
        self.assertNotEqual(0, wrong.returncode)

    def test_errors(self):
        for dims, says in ((["z=2"], "--dim: no free size is called 'z'; there are: arg0_d1, arg1_d0, n (or INPUT.DIMENSION)"),
                           (["a.2=2"], "--dim=a.2=2: input 'a' has 2 dimensions, the first is 0"),
                           (["n=0"], "--dim takes NAME=SIZE, a size of at least 1, got 'n=0'"),
                           (["n=2", "a.0=3"], "--dim")):
            with self.subTest(dims):
                status, error = self.compile(*dims)
                self.assertEqual((2, True), (status, says in error), error)

    def test_stablehlo_is_exported_again(self):
        status, error = self.compile("arg0_d0=4", text=STABLEHLO)
        self.assertEqual((2, True), (status, "--dim fixes no sizes of a StableHLO program; export it" in error), error)


if __name__ == "__main__":
    unittest.main()
