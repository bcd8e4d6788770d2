# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constant weights of 8 and 4 bits in StableHLO programs: convert, subtract, multiply, or quantised types.

The values against NumPy in doubles, by the reference and compiled; and that the artifact has the weights as narrow as the
program.
"""
import pathlib
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "onnx_ops"))

import tools  # noqa: E402

SEED = 11
ROWS, K, N, BLOCK = 5, 256, 256, 32


def text(array):
    return numpy.array2string(array, threshold=array.size + 1, separator=", ", max_line_width=1 << 20,
                              floatmode="unique").replace("\n", "")


class WeightsTest(unittest.TestCase):
    def setUp(self):
        self.random = numpy.random.default_rng(SEED)
        self.x = self.random.standard_normal((ROWS, K)).astype(numpy.float32)

    def integers(self, bits, *shape):
        return self.random.integers(-(1 << (bits - 1)), 1 << (bits - 1), shape)

    def scales(self, *shape):
        return (2.0 ** self.random.integers(-6, 0, shape)).astype(numpy.float32)

    def check(self, body, want, most, x=None):
        """`most`: bytes that the artifact may have; the weights as floats have more."""
        x = self.x if x is None else x
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            model, artifact, imported = folder / "m.mlir", folder / "m.heddle", folder / "i.mlir"
            model.write_text(body)
            numpy.save(folder / "x.npy", x)
            tools.run(("heddle-compile", model, "--compile-to=import", "-o", imported))
            self.assertIn("intent.quantized_product", imported.read_text())
            ways = {way: f"--output=@{folder}/{way}.npy" for way in ("reference", "compiled")}
            tools.run_beside(("heddle-reference", "--small", imported, f"--input=@{folder}/x.npy", ways["reference"]),
                             ("heddle-compile", model, "--target-cpu=x86-64-v3", "-o", artifact),
                             ("heddle-run", artifact, f"--input=@{folder}/x.npy", ways["compiled"]))
            for way in ways:
                got = numpy.load(folder / f"{way}.npy").astype(numpy.float64)
                numpy.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * numpy.abs(want).max(), err_msg=f"{way}, seed {SEED}")
            self.assertLess(artifact.stat().st_size, most, f"seed {SEED}: the weights are not narrow in the artifact")

    def program(self, values, kind, steps):
        return f"""func.func @main(%x: tensor<{ROWS}x{K}xf32>) -> tensor<{ROWS}x{N}xf32> {{
  %w = stablehlo.constant dense<{text(values)}> : tensor<{"x".join(map(str, values.shape))}x{kind}>
{steps}
  %y = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (tensor<{ROWS}x{K}xf32>, tensor<{K}x{N}xf32>) -> tensor<{ROWS}x{N}xf32>
  return %y : tensor<{ROWS}x{N}xf32>
}}"""

    def test_bytes_with_zeros_and_scales_of_columns(self):
        w, s, z = self.integers(8, K, N), self.scales(N), self.integers(8, N)
        self.wide = (w - z) * s.astype(numpy.float64)
        steps = f"""  %f = stablehlo.convert %w : (tensor<{K}x{N}xi8>) -> tensor<{K}x{N}xf32>
  %z = stablehlo.constant dense<{text(z.astype(numpy.float32))}> : tensor<{N}xf32>
  %zs = stablehlo.broadcast_in_dim %z, dims = [1] : (tensor<{N}xf32>) -> tensor<{K}x{N}xf32>
  %d = stablehlo.subtract %f, %zs : tensor<{K}x{N}xf32>
  %s = stablehlo.constant dense<{text(s)}> : tensor<{N}xf32>
  %ss = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<{N}xf32>) -> tensor<{K}x{N}xf32>
  %m = stablehlo.multiply %d, %ss : tensor<{K}x{N}xf32>"""
        self.check(self.program(w, "i8", steps), self.x.astype(numpy.float64) @ self.wide, 3 * K * N)

    def test_four_bits_in_blocks(self):
        w, s = self.integers(4, K // BLOCK, BLOCK, N), self.scales(K // BLOCK, 1, N)
        self.wide = (w * s.astype(numpy.float64)).reshape(K, N)
        whole = f"{K // BLOCK}x{BLOCK}x{N}"
        steps = f"""  %f = stablehlo.convert %w : (tensor<{whole}xi4>) -> tensor<{whole}xf32>
  %s = stablehlo.constant dense<{text(s)}> : tensor<{K // BLOCK}x1x{N}xf32>
  %ss = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<{K // BLOCK}x1x{N}xf32>) -> tensor<{whole}xf32>
  %t = stablehlo.multiply %f, %ss : tensor<{whole}xf32>
  %m = stablehlo.reshape %t : (tensor<{whole}xf32>) -> tensor<{K}x{N}xf32>"""
        self.check(self.program(w, "i4", steps), self.x.astype(numpy.float64) @ self.wide, 3 * K * N)

    def test_weights_of_a_quantised_type(self):
        w, s = self.integers(8, K, N), self.scales(N)
        self.wide = w * s.astype(numpy.float64)
        kind = f"!quant.uniform<i8:f32:1, {{{', '.join(map(str, s))}}}>"
        body = f"""func.func @main(%x: tensor<{ROWS}x{K}xf32>) -> tensor<{ROWS}x{N}xf32> {{
  %w = stablehlo.constant() {{value = dense<{text(w)}> : tensor<{K}x{N}xi8>}} : () -> tensor<{K}x{N}x{kind}>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<{ROWS}x{K}xf32>, tensor<{K}x{N}x{kind}>) -> tensor<{ROWS}x{N}xf32>
  return %y : tensor<{ROWS}x{N}xf32>
}}"""
        self.check(body, self.x.astype(numpy.float64) @ self.wide, 3 * K * N)

    def test_quantised_results(self):
        """A type of bytes in, another one out: rounded to even and clamped, as StableHLO says."""
        w, s = self.integers(8, K, N), self.scales(N)
        self.wide = w * s.astype(numpy.float64)
        x = self.integers(8, ROWS, K).astype(numpy.int8)
        kind, of_x, of_y = f"!quant.uniform<i8:f32:1, {{{', '.join(map(str, s))}}}>", "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i8:f32, 64.0:-7>"
        body = f"""func.func @main(%x: tensor<{ROWS}x{K}x{of_x}>) -> tensor<{ROWS}x{N}x{of_y}> {{
  %w = stablehlo.constant() {{value = dense<{text(w)}> : tensor<{K}x{N}xi8>}} : () -> tensor<{K}x{N}x{kind}>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<{ROWS}x{K}x{of_x}>, tensor<{K}x{N}x{kind}>) -> tensor<{ROWS}x{N}x{of_y}>
  return %y : tensor<{ROWS}x{N}x{of_y}>
}}"""
        want = numpy.clip(numpy.rint((x - 3.0) * 0.5 @ self.wide / 64.0) - 7, -128, 127)
        self.check(body, want, 3 * K * N, x)


if __name__ == "__main__":
    unittest.main()
