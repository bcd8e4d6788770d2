# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle.jax: JAX itself is not among the required packages; without it, what it printed once stands in."""
import importlib.util
import os
import pathlib
import unittest

import heddle
import numpy

SAMPLES = pathlib.Path(__file__).resolve().parents[3] / "test" / "stablehlo" / "Inputs"


class Text(unittest.TestCase):
    def test_text_of_jax(self):
        sample = numpy.load(SAMPLES / "mlp.npz")
        module = heddle.load(heddle.compile((SAMPLES / "mlp.mlir").read_text()))
        inputs = [sample[f"in{n}"] for n in range(sum(name.startswith("in") for name in sample.files))]
        numpy.testing.assert_allclose(module(*inputs), sample["out0"], rtol=0, atol=1e-4)


    def test_complex_arrays(self):
        module = heddle.load(heddle.compile("""
            func.func @main(%x: tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>> {
              %0 = "stablehlo.multiply"(%x, %x) : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
              return %0 : tensor<2x3xcomplex<f32>>
            }"""))
        x = (numpy.arange(6) + 1j * numpy.arange(6)[::-1]).astype(numpy.complex64).reshape(2, 3)
        got = module(x)
        self.assertEqual(((2, 3, 2), numpy.float32), (got.shape, got.dtype))
        numpy.testing.assert_array_equal(got.view(numpy.complex64)[..., 0], x * x)
        numpy.testing.assert_array_equal(module(numpy.asfortranarray(x)), got)
        numpy.testing.assert_array_equal(module(numpy.stack([x.real, x.imag], -1)), got)
        for wrong in (x[:1], x.astype(numpy.complex128), x.real):
            with self.assertRaises(heddle.InvalidArgumentError):
                module(wrong)


@unittest.skipUnless(importlib.util.find_spec("jax"), "jax is not installed")
class FromJax(unittest.TestCase):
    def setUp(self):
        os.environ.setdefault("JAX_PLATFORMS", "cpu")

    def test_tree_in_and_out(self):
        import heddle.jax
        import jax
        import jax.numpy as jnp

        def step(params, x):
            value, gradient = jax.value_and_grad(lambda p: jnp.sum(jnp.tanh(x @ p["w"] + p["b"])))(params)
            return value, {"moved": jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)}

        params = {"w": jnp.linspace(-1, 1, 12).reshape(3, 4), "b": jnp.ones(4)}
        x = jnp.linspace(0, 1, 6).reshape(2, 3)
        got, want = heddle.jax.from_jax(step, params, x)(params, x), step(params, x)
        self.assertEqual(jax.tree.structure(want), jax.tree.structure(got))
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
            numpy.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)

    def test_complex(self):
        import heddle.jax
        import jax.numpy as jnp

        x = jnp.arange(6.0).reshape(2, 3) * (1 - 2j)
        function = lambda v: (jnp.fft.fft(v), jnp.abs(v))
        for got, want in zip(heddle.jax.from_jax(function, x)(x), function(x)):
            self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype))
            numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)

    def test_one_result_and_other_arguments(self):
        import heddle.jax
        import jax.numpy as jnp

        double = heddle.jax.from_jax(lambda x: x * 2, jnp.ones(3))
        numpy.testing.assert_array_equal(double(numpy.arange(3, dtype=numpy.float32)), [0, 2, 4])
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "was lowered for arguments"):
            double([numpy.ones(3, numpy.float32)])


if __name__ == "__main__":
    unittest.main()
