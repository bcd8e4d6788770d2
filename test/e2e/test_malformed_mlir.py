# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Malformed and unsupported MLIR: one clear error, exit status 1, no file left."""
import pathlib
import tempfile
import unittest

import support

TEXTS = {
    "cut off": ("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x", "expected ':'"),
    "undeclared value": ("func.func @main() -> tensor<4xf32> { return %y : tensor<4xf32> }", "undeclared SSA value"),
    "result of another type": ("func.func @main(%x: tensor<4xf32>) -> tensor<5xf32> { return %x : tensor<4xf32> }",
                               "doesn't match function result type ('tensor<5xf32>')"),
    "unknown dialect": ('func.func @main() { "foo.bar"() : () -> () return }', "unregistered dialect"),
    "control flow graph": ("func.func @main(%c: tensor<i1>) {\n  %b = tensor.extract %c[] : tensor<i1>\n"
                           "  cf.cond_br %b, ^bb1, ^bb2\n^bb1:\n  cf.br ^bb1\n^bb2:\n  return\n}",
                           "is not supported; models are func, linalg"),
    "memref": ("func.func @main(%x: memref<4xf32>) { return }", "argument 0 must be a ranked tensor, got 'memref<4xf32>'"),
    "unranked": ("func.func @main(%x: tensor<*xf32>) { return }", "must be a ranked tensor, got 'tensor<*xf32>'"),
    "scalar": ("func.func @main(%x: f32) { return }", "must be a ranked tensor, got 'f32'"),
    "misspelt attribute": ('func.func @main(%x: tensor<4xf32> {heddle.nam = "x"}) { return }',
                           'unknown attribute "heddle.nam"'),
    "too few names": ('func.func @main(%x: tensor<?x4xf32> {heddle.dims = ["m"]}) { return }',
                      "heddle.dims must have one string for each dimension"),
    "nothing": ("", "the module has no public function to compile"),
    "absent parameter": ("func.func @main() -> tensor<4xf32> {\n  %w = flow.parameter.load @w : tensor<4xf32>\n"
                         "  return %w : tensor<4xf32>\n}", "names no flow.parameter: @w"),
    "absent bytes": ("func.func @main() -> tensor<4xf32> {\n  %w = arith.constant dense_resource<r> : tensor<4xf32>\n"
                     "  return %w : tensor<4xf32>\n}", "whose bytes are not here"),
    "unknown dimension": ('func.func @main(%x: tensor<?xf32> {heddle.dims = ["m"]}) -> tensor<?xf32> {\n'
                          '  %n = flow.dimension "n"\n  %e = tensor.empty(%n) : tensor<?xf32>\n'
                          "  %c = arith.constant 1.0 : f32\n"
                          "  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>\n"
                          "  return %f : tensor<?xf32>\n}", 'names no dimension of the entry point\'s arguments: "n"'),
    "recursion": ("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                  "  %0 = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}",
                  "the call of @main cannot be inlined"),
    "too large": ("func.func @main(%x: tensor<9223372036854775807x4xf32>) { return }", "argument 0 is too large"),
    "strange element": ("func.func @main(%x: tensor<4xi3>) -> tensor<4xi3> { return %x : tensor<4xi3> }",
                        "got 'tensor<4xi3>'"),
}

BYTES = {
    "cut off bytecode": (b"ML\xefR\x01\x02\x03", "malformed"),
    "not bytecode": (b"\x7fELF" + bytes(64), "error:"),
    "bytecode that MLIR's reader crashes on": ((support.ROOT / "compiler/Stages/Import/test/Inputs/crash-0.mlirbc").read_bytes(),
                                               "model.mlirbc:0:0: error: damaged MLIR bytecode: MLIR's reader crashed"),
}


class MlirTest(unittest.TestCase):
    def check(self, name, content, text):
        with tempfile.TemporaryDirectory() as folder:
            model, output = pathlib.Path(folder) / name, pathlib.Path(folder) / "out.heddle"
            model.write_bytes(content)
            result = support.heddle("compile", model, "-o", output)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(text, result.stderr)
            self.assertIn(name, result.stderr)
            self.assertFalse(output.exists())

    def test_texts(self):
        for name, (content, text) in TEXTS.items():
            with self.subTest(name):
                self.check("model.mlir", content.encode(), text)

    def test_bytecode(self):
        for name, (content, text) in BYTES.items():
            with self.subTest(name):
                self.check("model.mlirbc", content, text)

    def test_calls_are_inlined(self):
        with tempfile.TemporaryDirectory() as folder:
            model, output = pathlib.Path(folder) / "model.mlir", pathlib.Path(folder) / "out.heddle"
            model.write_text("func.func private @same(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }\n"
                             "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                             "  %0 = func.call @same(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                             "  return %0 : tensor<2xf32>\n}\n")
            self.assertEqual(support.heddle("compile", model, "-o", output).returncode, 0)
            run = support.heddle("run", output, "--input=2xf32=1,2")
            self.assertIn("2xf32=[1 2]", run.stdout)


if __name__ == "__main__":
    unittest.main()
