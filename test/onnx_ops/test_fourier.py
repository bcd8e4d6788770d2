# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transforms of lengths that are no single product, against NumPy: with factors, prime, padded, cut, and inverse to real signals.

Errors are compared with the largest element. Sums of n terms in a tree of products of at most 512 differ by a few times their roots
times the unit roundoff; the convolution that a prime length becomes has three transforms.
"""
import pathlib
import tempfile
import unittest

import numpy
import onnx
import tools

TOLERANCE = {numpy.float64: 3e-14, numpy.float32: 6e-6, numpy.float16: 2e-3}


class FourierTest(unittest.TestCase):
    def run_model(self, values, length, attributes):
        kind = onnx.helper.np_dtype_to_tensor_dtype(values.dtype)
        inputs, constants = ["a"], []
        if length:
            inputs.append("n")
            constants.append(onnx.numpy_helper.from_array(numpy.array(length), "n"))
        graph = onnx.helper.make_graph(
            [onnx.helper.make_node("DFT", inputs, ["y"], axis=1, **attributes)], "g",
            [onnx.helper.make_tensor_value_info("a", kind, values.shape)], [onnx.helper.make_empty_tensor_value_info("y")], constants)
        model = onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)])
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model, folder / "m.onnx")
            numpy.save(folder / "a.npy", values)
            tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle"),
                      ("heddle-run", folder / "m.heddle", f"--input=a=@{folder}/a.npy", f"--output=y=@{folder}/y.npy"))
            self.assertLess((folder / "m.heddle").stat().st_size, 4 << 20)
            return numpy.load(folder / "y.npy")

    def check(self, kind, count, length=None, parts=2, **attributes):
        values = numpy.random.default_rng(5).uniform(-1, 1, (2, count, 3, parts)).astype(kind)
        exact = values.astype(numpy.float64)
        numbers = exact[..., 0] + (1j * exact[..., 1] if parts == 2 else 0)
        got = self.run_model(values, length, attributes)
        self.assertEqual(kind, got.dtype)
        if attributes.get("inverse") and attributes.get("onesided"):
            want = numpy.fft.irfft(numbers, length, axis=1)[..., None]
        else:
            want = (numpy.fft.ifft if attributes.get("inverse") else numpy.fft.fft)(numbers, length, axis=1)
            if attributes.get("onesided"):
                want = want[:, :(length or count) // 2 + 1]
            want = numpy.stack([want.real, want.imag], axis=-1)
        self.assertEqual(want.shape, got.shape)
        self.assertLess(numpy.abs(got - want).max() / numpy.abs(want).max(), TOLERANCE[kind])


CASES = {
    "factors": dict(count=600), "factors_real": dict(count=600, parts=1), "prime": dict(count=1009), "prime_real": dict(count=1009, parts=1),
    "prime_direct": dict(count=307), "large_prime_factor": dict(count=2 * 601), "padded": dict(count=700, length=1024),
    "padded_to_prime": dict(count=700, length=1013), "cut": dict(count=700, length=601), "one_sided": dict(count=1000, parts=1, onesided=1),
    "one_sided_prime": dict(count=1009, parts=1, onesided=1), "inverse": dict(count=640, inverse=1), "inverse_prime": dict(count=601, inverse=1),
    "inverse_real": dict(count=513, inverse=1, onesided=1), "inverse_real_odd": dict(count=301, length=601, inverse=1, onesided=1),
    "inverse_real_padded": dict(count=100, length=600, inverse=1, onesided=1), "inverse_real_cut": dict(count=700, length=600, inverse=1, onesided=1),
}
for case, options in CASES.items():
    for number in (numpy.float32, numpy.float64):
        setattr(FourierTest, f"test_{case}_{number.__name__}",
                lambda self, number=number, options=options: self.check(number, **options))
FourierTest.test_prime_float16 = lambda self: self.check(numpy.float16, 601)
FourierTest.test_short_float16 = lambda self: self.check(numpy.float16, 30)

if __name__ == "__main__":
    unittest.main()
