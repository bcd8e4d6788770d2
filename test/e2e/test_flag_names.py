# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flags that name what the model or the program does not have: exit status 2 (docs/cli.md), and an error that begins with the
flag. What is wrong with the model or a file is status 1."""
import pathlib
import tempfile
import unittest

from support import heddle

MODEL = """
device.mesh @m = [x = ?, y = 2]
func.func @main(%a: tensor<?x4xf32> {heddle.name = "a", heddle.dims = ["n", ""]}, %s: tensor<4xf32> {heddle.name = "s"})
    -> (tensor<?x4xf32> {heddle.name = "total"}, tensor<4xf32> {heddle.name = "next"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %0 = flow.all_reduce %a sum over @m["x"] : tensor<?x4xf32>{%n}
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.add ins(%s, %s : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %t : tensor<?x4xf32>, tensor<4xf32>
}
"""


class FlagNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "model.mlir"
        self.model.write_text(MODEL)

    def compile(self, *flags):
        result = heddle("compile", self.model, "-o", self.folder / "m.heddle", *flags)
        return result.returncode, result.stderr

    def test_wrong_names(self):
        for flag, says in (
                ("--mesh=z=2", "--mesh: no mesh has an axis 'z'; axes: x, y"), ("--mesh=x", "--mesh: expected AXIS=SIZE"),
                ("--mesh=y=3", "--mesh: axis 'y' has size 2, got y=3"),
                ("--mesh=x=999999999", "--mesh: more ranks than a world can have, at most 1048576"),
                ("--mesh=x=9223372036854775807", "--mesh: more ranks than a world can have"),
                ("--state=z=next", "--state=z=next: no input has this name; inputs: a, s"),
                ("--state=s=z", "--state=s=z: input 's' has no output 'z'"), ("--state=s", "--state takes INPUT=OUTPUT"),
                ("--donate=z", "--donate=z: no input has this name"),
                ("--donate=s=z", "--donate=s=z: no output is called 'z'; outputs: total, next"),
                ("--expect=z=3", "--expect: no free dimension is called 'z'; there are: n"),
                ("--expect=n", "--expect takes NAME=SIZE"),
                ("--default-device=z", "--default-device: unknown default device 'z'"),
                ("--default-device=7", "--default-device: unknown default device 7"),
                ("--target-device=z", "--target-device: unknown target device 'z'"),
                ("--target-cpu=z", "--target-cpu:"), ("--layout-resolver=z", "--layout-resolver: unknown layout resolver 'z'"),
                ("--layout-resolver=gpu=z", "--layout-resolver: unknown layout resolver 'z'"),
                ("--disable-pass=z", "--disable-pass: no pass 'z'"), ("--strategy=z", "--strategy: unknown value 'z'"),
                ("--place=z", "--place: unknown value 'z'"), ("--shard=z", "--shard: unknown value 'z'"),
                ("--data-tiling=z", "--data-tiling: unknown value 'z'"), ("--compile-to=z", "unknown stage 'z'"),
                ("--max-transient=z", "--max-transient takes bytes")):
            with self.subTest(flag):
                status, error = self.compile(flag)
                self.assertEqual((2, True), (status, says in error), error)

    def test_what_is_no_flag(self):
        """Files that are not there, and a model that is wrong, beside flags that are right."""
        self.assertEqual(0, self.compile("--mesh=x=2", "--donate=s=next")[0])
        for flag in ("--place-file=none", "--shard-file=none", "--topology=none", "--with=none.onnx"):
            with self.subTest(flag):
                self.assertEqual(1, self.compile(flag)[0])
        self.model.write_text(MODEL.replace('@m["x"]', '@m["q"]'))
        self.assertEqual(1, self.compile("--mesh=x=2")[0])

    def test_other_tools(self):
        status, error = (result := heddle("check", self.model, "--mesh=z=2", "--dim=n=4")).returncode, result.stderr
        self.assertEqual((2, True), (status, "--mesh: no mesh has an axis 'z'" in error), error)


if __name__ == "__main__":
    unittest.main()
