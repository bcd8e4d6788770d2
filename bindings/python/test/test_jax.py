# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle.jax: JAX itself is not among the required packages; without it, what it printed once stands in."""
import importlib.util
import os
import pathlib
import unittest

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")  # ranks of jax.shard_map

import heddle
import numpy

SAMPLES = pathlib.Path(__file__).resolve().parents[3] / "test" / "stablehlo" / "Inputs"


class Text(unittest.TestCase):
    def test_text_of_jax(self):
        sample = numpy.load(SAMPLES / "mlp.npz")
        module = heddle.load(heddle.compile((SAMPLES / "mlp.mlir").read_text()))
        inputs = [sample[f"in{n}"] for n in range(sum(name.startswith("in") for name in sample.files))]
        numpy.testing.assert_allclose(module(*inputs), sample["out0"], rtol=0, atol=1e-4)

    def test_text_of_shard_map(self):
        folder = SAMPLES.parent / "RankInputs"
        sample = numpy.load(folder / "mlp_4.npz")
        module = heddle.load(heddle.compile((folder / "mlp_4.mlir").read_text()), "local://0")
        got = module(*(sample[f"in{n}"] for n in range(4)))
        numpy.testing.assert_allclose(got, sample["out0"], rtol=0, atol=1e-4)


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

    def test_ranks(self):
        import heddle.jax
        import jax
        import jax.numpy as jnp
        from jax import export
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

        if len(jax.devices()) < 4:
            self.skipTest("set XLA_FLAGS=--xla_force_host_platform_device_count=4")
        mesh = Mesh(numpy.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))
        function = jax.shard_map(lambda a, b: jax.lax.psum(a @ b, "y") * (1 - 1j), mesh=mesh,
                                 in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
        a = jax.device_put(jnp.arange(32.0).reshape(4, 8), NamedSharding(mesh, P("x", "y")))
        b = jnp.linspace(0, 1, 24).reshape(8, 3)
        want, exported = function(a, b), export.export(jax.jit(function))(a, b)
        self.assertEqual(repr(heddle.load(heddle.compile(exported.mlir_module_serialized)))[:15], "<heddle.Ranks 4")
        for call in (heddle.jax.from_jax(function, a, b), heddle.jax.from_exported(exported)):
            got = call(a, numpy.asarray(b))
            self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype))
            numpy.testing.assert_allclose(got, want, rtol=1e-5)

    def test_shardings(self):
        """jax.jit with NamedSharding: given to jit, of arguments, and as constraints."""
        import heddle.jax
        import jax
        import jax.numpy as jnp
        from jax import export
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

        if len(jax.devices()) < 4:
            self.skipTest("set XLA_FLAGS=--xla_force_host_platform_device_count=4")
        mesh = Mesh(numpy.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))
        cut = lambda *axes: NamedSharding(mesh, P(*axes))

        def body(a, b):
            hidden = jax.lax.with_sharding_constraint(jnp.tanh(a @ b), cut("x", "y"))
            return hidden @ b.T, hidden.sum()

        function = jax.jit(body, in_shardings=(cut("x", None), cut(None, "y")), out_shardings=(cut("x", None), None))
        a, b = jnp.linspace(-1, 1, 32).reshape(4, 8), jnp.linspace(0, 1, 48).reshape(8, 6)
        want = function(a, b)
        for call in (heddle.jax.from_jax(function, a, b), heddle.jax.from_exported(export.export(function)(a, b)),
                     heddle.jax.from_jax(body, jax.device_put(a, cut("x", "y")), b)):
            for got, expected in zip(call(numpy.asarray(a), numpy.asarray(b)), want):
                self.assertEqual((expected.shape, expected.dtype), (got.shape, got.dtype))
                numpy.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)

    def test_one_result_and_other_arguments(self):
        import heddle.jax
        import jax.numpy as jnp

        double = heddle.jax.from_jax(lambda x: x * 2, jnp.ones(3))
        numpy.testing.assert_array_equal(double(numpy.arange(3, dtype=numpy.float32)), [0, 2, 4])
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "was lowered for arguments"):
            double([numpy.ones(3, numpy.float32)])

    def test_what_jax_lowers_and_exports(self):
        import heddle.jax
        import jax
        import jax.numpy as jnp
        from jax import export

        def step(params, x, unused):
            return {"y": x @ params["w"] + params["b"]}

        args = {"w": jnp.linspace(-1, 1, 12).reshape(3, 4), "b": jnp.arange(4.0)}, jnp.ones((2, 3)), jnp.ones(5)
        want = step(*args)["y"]
        lowered, exported = jax.jit(step).lower(*args), export.export(jax.jit(step))(*args)
        models = [lowered, lowered.as_text(), exported, exported.mlir_module(), exported.mlir_module_serialized]
        calls = [heddle.jax.from_exported(exported)]
        if importlib.util.find_spec("flatbuffers"):
            models.append(bytes(exported.serialize()))
            calls.append(heddle.jax.from_exported(models[-1]))
        for model in models:
            got = heddle.load(heddle.compile(model))(args[0]["b"], args[0]["w"], args[1])
            numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
        for call in calls:
            numpy.testing.assert_allclose(call(*args)["y"], want, rtol=1e-5, atol=1e-6)
            with self.assertRaisesRegex(heddle.InvalidArgumentError, "was lowered for arguments"):
                call(args[0], args[1])
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "the structure of arguments and results is not in them"):
            heddle.jax.from_exported(exported.mlir_module_serialized)

    def test_static_arguments(self):
        import functools
        import heddle.jax
        import jax
        import jax.numpy as jnp

        def power(x, n, mode="sum"):
            return (jnp.sum if mode == "sum" else jnp.max)(x ** n)

        x = numpy.arange(1, 5, dtype=numpy.float32)
        given = heddle.jax.from_jax(power, x, 3, "max", static_argnums=(1,), static_argnames=("mode",))
        made = functools.partial(jax.jit, static_argnums=(-2, -1))(power)  # says itself which are static
        for call in (given, heddle.jax.from_jax(power, x, 3, "max", static_argnums=(1, -1)),
                     heddle.jax.from_jax(power, x, 3, "max", static_argnames=["n", "mode"]), heddle.jax.from_jax(made, x, 3, "max")):
            self.assertEqual(64, float(call(x, 3, "max")))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "the function has no parameter 'mod'; did you mean 'mode'"):
            heddle.jax.from_jax(power, x, 3, static_argnames="mod")
        with self.assertRaisesRegex(heddle.InvalidArgumentError, r"argument 1 is static, and was compiled as 3, got 4; make a function for it"):
            given(x, 4, "max")
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "argument 1 is static, and was compiled as 3, got 3.0"):
            given(x, 3.0, "max")
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "argument 1 is missing: it is static, and was compiled as 3"):
            given(x)

    def test_errors_name_arguments_as_the_user_does(self):
        import heddle.jax
        import jax.numpy as jnp

        call = heddle.jax.from_jax(lambda params, x: x @ params["w"] + params["b"][0], {"w": jnp.ones((3, 2)), "b": [jnp.ones(2)]},
                                   jnp.ones((4, 3)))
        self.assertEqual(["params['b'][0]", "params['w']", "x"],
                         [value.name for value in call.module._find(None).arguments])
        with self.assertRaisesRegex(heddle.InvalidArgumentError, r"argument 1 'params\['w'\]': dimension 1 is 2, got 5"):
            call({"w": jnp.ones((3, 5)), "b": [jnp.ones(2)]}, jnp.ones((4, 3)))

    def test_errors_name_the_line_and_the_parameter(self):
        import heddle.jax
        import jax
        import jax.numpy as jnp
        from jax import export

        free = jax.ShapeDtypeStruct(export.symbolic_shape("n, 3"), jnp.float32)
        exported = export.export(jax.jit(lambda rows: jnp.sin(rows)))(free)
        with self.assertRaisesRegex(heddle.CompileError, r"(?s)test_jax\.py:\d+:\d+: error: op stablehlo\.sine.*\(rows\) of type"):
            heddle.compile(exported)


class Portable(unittest.TestCase):
    @unittest.skipIf(importlib.util.find_spec("jaxlib"), "jaxlib is installed")
    def test_portable_bytes_need_jaxlib(self):
        with self.assertRaisesRegex(heddle.InvalidArgumentError, r"portable bytes of StableHLO \(VHLO\), which jaxlib reads"):
            heddle.compile(b"ML\xefR\rStableHLO_v1.15.0\x00")


if __name__ == "__main__":
    unittest.main()
