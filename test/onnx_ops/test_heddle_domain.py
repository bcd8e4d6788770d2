# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of the domain `heddle`, against NumPy and Python's math; with sizes of the call where they may be free."""
import math
import pathlib
import tempfile
import unittest

import numpy
import onnx
import tools

TOLERANCE = {numpy.float64: 1e-11, numpy.float32: 1e-4}
LENGTHS = (1, 5, 37)


def matrices(kind, *shape, symmetric=False):
    values = numpy.random.default_rng(11).uniform(-1, 1, shape)
    if symmetric:
        values = values @ values.swapaxes(-1, -2) + numpy.eye(shape[-1])
    return values.astype(kind)


class HeddleDomainTest(unittest.TestCase):
    def run_model(self, op, operands, outputs, free=False, **attributes):
        """The node's outputs; `free`: every dimension is one of the call."""
        inputs = []
        for number, value in enumerate(operands):
            sizes = [f"d{value.ndim}{axis}" for axis in range(value.ndim)] if free else value.shape
            inputs.append(onnx.helper.make_tensor_value_info(f"x{number}", onnx.helper.np_dtype_to_tensor_dtype(value.dtype), sizes))
        names = [f"y{number}" for number in range(outputs)]
        node = onnx.helper.make_node(op, [value.name for value in inputs], names, domain="heddle", **attributes)
        graph = onnx.helper.make_graph([node], "g", inputs, [onnx.helper.make_empty_tensor_value_info(name) for name in names])
        opsets = [onnx.helper.make_opsetid("", 24), onnx.helper.make_opsetid("heddle", 1)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(onnx.helper.make_model(graph, ir_version=10, opset_imports=opsets), folder / "m.onnx")
            for value, info in zip(operands, inputs):
                numpy.save(folder / f"{info.name}.npy", value)
            tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle"),
                      ("heddle-run", folder / "m.heddle", *[f"--input={info.name}=@{folder}/{info.name}.npy" for info in inputs],
                       *[f"--output={name}=@{folder}/{name}.npy" for name in names]))
            return [numpy.load(folder / f"{name}.npy") for name in names]

    def close(self, got, want, kind):
        self.assertEqual(want.shape, got.shape)
        self.assertEqual(kind, got.dtype)
        numpy.testing.assert_allclose(got, want, rtol=TOLERANCE[kind], atol=TOLERANCE[kind])

    def check_function(self, op, function, *ranges):
        for kind in TOLERANCE:
            for length in LENGTHS:
                with self.subTest(kind=kind, length=length):
                    operands = [numpy.random.default_rng(length + i).uniform(*pair, length).astype(kind) for i, pair in enumerate(ranges)]
                    want = numpy.array([function(*map(float, row)) for row in zip(*operands)])
                    self.close(self.run_model(op, operands, 1, free=length == 5)[0], want, kind)

    def test_log1p(self):
        self.check_function("Log1p", math.log1p, (-0.9, 9))

    def test_small_arguments_keep_their_digits(self):
        tiny = numpy.array([1e-12, -3e-15], numpy.float64)
        for op in ("Log1p", "Expm1"):
            numpy.testing.assert_allclose(self.run_model(op, [tiny], 1)[0], tiny, rtol=1e-11)

    def test_expm1(self):
        self.check_function("Expm1", math.expm1, (-3, 3))

    def test_atan2(self):
        self.check_function("Atan2", math.atan2, (-3, 3), (-3, 3))

    def test_atan2_of_zeros(self):
        signs = numpy.array([0.0, 0.0, -0.0, -0.0], numpy.float32)
        others = numpy.array([0.0, -0.0, 0.0, -0.0], numpy.float32)
        numpy.testing.assert_allclose(self.run_model("Atan2", [signs, others], 1)[0], numpy.arctan2(signs, others), rtol=1e-6)

    def test_lgamma(self):
        self.check_function("Lgamma", math.lgamma, (0.1, 30))

    def test_incomplete_gamma(self):
        for kind in TOLERANCE:
            a = numpy.array([0.5, 1, 2, 2, 3, 0, 2, numpy.inf, 4, -1], kind)
            x = numpy.array([0.25, 3, 0.5, 9, 2.5, 1, 0, 2, numpy.inf, 1], kind)
            whole = {1: lambda x: 1 - math.exp(-x), 2: lambda x: 1 - (1 + x) * math.exp(-x), 3: lambda x: 1 - (1 + x + x * x / 2) * math.exp(-x)}
            want = [math.erf(0.5), *(whole[int(p)](float(q)) for p, q in zip(a[1:5], x[1:5])), 1, 0, 0, 1, math.nan]
            self.close(self.run_model("Igamma", [a, x], 1)[0], numpy.array(want, kind), kind)
            self.close(self.run_model("Igammac", [a, x], 1)[0], 1 - numpy.array(want, kind), kind)

    def test_digamma(self):
        self.check_function("Digamma", self.digamma, (0.5, 9))

    def digamma(self, x):
        total = 0.0
        while x < 20:
            total, x = total - 1 / x, x + 1
        return total + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6) + 1 / (240 * x**8)

    def test_erfinv(self):
        for kind in TOLERANCE:
            values = numpy.linspace(-0.95, 0.95, 21).astype(kind)
            got = self.run_model("ErfInv", [values], 1)[0]
            self.close(numpy.array([math.erf(x) for x in got.astype(float)]).astype(kind), values, kind)

    def test_zeta_and_polygamma(self):
        x, q = numpy.array([2.0, 3.5, 6.0]), numpy.array([1.0, 2.5, 0.5])
        want = [sum((b + k)**-a for k in range(4000)) + (b + 4000)**(1 - a) / (a - 1) + (b + 4000)**-a / 2 for a, b in zip(x, q)]
        numpy.testing.assert_allclose(self.run_model("Zeta", [x, q], 1)[0], want, rtol=1e-8)
        n = numpy.array([1.0, 2.0, 3.0])
        signs = numpy.array([1.0, -1.0, 1.0])
        want = [s * math.factorial(int(k)) * (sum((b + i)**-(k + 1) for i in range(4000)) + (b + 4000)**-k / k + (b + 4000)**-(k + 1) / 2)
                for s, k, b in zip(signs, n, q)]
        numpy.testing.assert_allclose(self.run_model("Polygamma", [n, q], 1)[0], want, rtol=1e-8)

    def test_next_after(self):
        x, y = numpy.array([1.0, 0.0, -2.0, 3.0], numpy.float32), numpy.array([2.0, -1.0, -1.0, 3.0], numpy.float32)
        numpy.testing.assert_array_equal(self.run_model("NextAfter", [x, y], 1)[0], numpy.nextafter(x, y))

    def test_bessel(self):
        x = numpy.array([0.0, 0.3, -2.0, 20.0])
        turns = (numpy.arange(2000) + 0.5) * math.pi / 2000
        want = [numpy.mean(numpy.exp(v * numpy.cos(turns) - abs(v)) * numpy.cos(turns)) for v in x]
        numpy.testing.assert_allclose(self.run_model("BesselI1e", [x], 1)[0], want, rtol=1e-9, atol=1e-12)

    def test_gcd(self):
        for kind in (numpy.int64, numpy.int32, numpy.uint8):
            x = numpy.array([0, 12, -18, 7, 0, 120, 97], numpy.int64).astype(kind)
            y = numpy.array([0, 18, 12, 0, -5, 45, 89], numpy.int64).astype(kind)
            got = self.run_model("Gcd", [x, y], 1)[0]
            numpy.testing.assert_array_equal(got, numpy.gcd(x, y))
            self.assertEqual(kind, got.dtype)

    def test_polynomials(self):
        x, n = (part.flatten() for part in numpy.meshgrid(numpy.linspace(-1.5, 1.5, 7), numpy.arange(-1, 9.0)))
        bases = {"chebyshev_t": numpy.polynomial.chebyshev.chebval, "hermite_h": numpy.polynomial.hermite.hermval,
                 "hermite_he": numpy.polynomial.hermite_e.hermeval, "laguerre_l": numpy.polynomial.laguerre.lagval,
                 "legendre_p": numpy.polynomial.legendre.legval, "shifted_chebyshev_t": lambda v, c: numpy.polynomial.chebyshev.chebval(2 * v - 1, c)}
        for kind, evaluate in bases.items():
            want = [evaluate(v, [0] * int(degree) + [1]) if degree >= 0 else 0 for v, degree in zip(x, n)]
            numpy.testing.assert_allclose(self.run_model("OrthogonalPolynomial", [x, n], 1, kind=kind)[0], want, rtol=1e-9, atol=1e-9)

    def test_chebyshev_of_other_kinds(self):
        angle, n = (part.flatten() for part in numpy.meshgrid(numpy.linspace(0.2, 2.9, 7), numpy.arange(0, 9.0)))
        half = angle / 2
        want = {"chebyshev_u": numpy.sin((n + 1) * angle) / numpy.sin(angle), "chebyshev_v": numpy.cos((n + 0.5) * angle) / numpy.cos(half),
                "chebyshev_w": numpy.sin((n + 0.5) * angle) / numpy.sin(half)}
        for kind, values in want.items():
            for shift, x in (("", numpy.cos(angle)), ("shifted_", (numpy.cos(angle) + 1) / 2)):
                got = self.run_model("OrthogonalPolynomial", [x, n], 1, kind=shift + kind)[0]
                numpy.testing.assert_allclose(got, values, rtol=1e-8, atol=1e-8)

    def check_extremes(self, values, axis, greatest, free):
        best, place = self.run_model("CumulativeExtreme", [values], 2, free, axis=axis, greatest=int(greatest))
        function = numpy.maximum if greatest else numpy.minimum
        numpy.testing.assert_array_equal(best, function.accumulate(values, axis))
        lines, places = numpy.moveaxis(values, axis, -1), numpy.moveaxis(place, axis, -1)
        for index in numpy.ndindex(lines.shape):
            line, end = lines[index[:-1]], index[-1]
            so_far = line[:end + 1]
            matches = numpy.isnan(so_far) if numpy.isnan(so_far).any() else so_far == (so_far.max() if greatest else so_far.min())
            self.assertEqual(numpy.flatnonzero(matches)[-1], places[index])

    def test_cumulative_extremes(self):
        values = numpy.random.default_rng(2).integers(-3, 4, (3, 7, 4)).astype(numpy.float32)
        values[1, 3, 2] = numpy.nan
        for axis in (0, 1, -1):
            for greatest in (False, True):
                with self.subTest(axis=axis, greatest=greatest):
                    self.check_extremes(values, axis, greatest, free=axis == 1)
        self.check_extremes(numpy.array([3, 1, 3, 4, -2], numpy.int64), 0, True, False)

    def test_cholesky(self):
        for kind in TOLERANCE:
            a = matrices(kind, 2, 3, 6, 6, symmetric=True)
            for lower in (0, 1):
                factor, info = self.run_model("Cholesky", [a], 2, lower=lower)
                want = numpy.linalg.cholesky(a.astype(numpy.float64))
                self.close(factor, want if lower else want.swapaxes(-1, -2), kind)
                self.assertEqual((2, 3), info.shape)
                self.assertFalse(info.any())
        _, info = self.run_model("Cholesky", [-numpy.eye(3, dtype=numpy.float32)], 2)
        self.assertEqual(1, info)

    def test_lu_and_its_permutation(self):
        for shape, free in (((4, 4), True), ((2, 5, 3), False), ((3, 6), False)):
            a = matrices(numpy.float64, *shape)
            factors, pivots, info = self.run_model("Lu", [a], 3, free)
            rows = self.run_model("Permutation", [pivots], 1, size=shape[-2])[0]
            count = min(shape[-2:])
            lower = numpy.tril(factors[..., :count], -1) + numpy.eye(shape[-2], count)
            upper = numpy.triu(factors[..., :count, :])
            numpy.testing.assert_allclose(lower @ upper, numpy.take_along_axis(a, rows[..., None], -2), atol=1e-12)
            self.assertFalse(info.any())

    def test_permutation_of_pivots_beyond_the_rows(self):
        rows = self.run_model("Permutation", [numpy.array([9, -4, 3], numpy.int32)], 1, size=3)[0]
        self.assertEqual([0, 1, 2], sorted(rows.tolist()))

    def test_qr(self):
        for shape in ((5, 3), (2, 3, 5), (4, 4)):
            a = matrices(numpy.float64, *shape)
            factors, taus = self.run_model("Qr", [a], 2)
            count = min(shape[-2:])
            q = self.run_model("FormQ", [numpy.ascontiguousarray(factors[..., :count]), taus], 1)[0]
            numpy.testing.assert_allclose(q @ numpy.triu(factors[..., :count, :]), a, atol=1e-12)
            numpy.testing.assert_allclose(q.swapaxes(-1, -2) @ q, numpy.broadcast_to(numpy.eye(count), (*shape[:-2], count, count)), atol=1e-12)

    def test_triangular_solve(self):
        a, b = matrices(numpy.float64, 2, 4, 4) + 4 * numpy.eye(4), matrices(numpy.float64, 2, 4, 4)
        for number in range(16):
            right, lower, transposed, unit = (number >> bit & 1 for bit in range(4))
            with self.subTest(right=right, lower=lower, transposed=transposed, unit=unit):
                triangle = numpy.tril(a) if lower else numpy.triu(a)
                if unit:
                    triangle = triangle - triangle * numpy.eye(4) + numpy.eye(4)
                triangle = triangle.swapaxes(-1, -2) if transposed else triangle
                want = b @ numpy.linalg.inv(triangle) if right else numpy.linalg.solve(triangle, b)
                got = self.run_model("TriangularSolve", [a, b], 1, right=right, lower=lower, transposed=transposed, unit=unit)[0]
                numpy.testing.assert_allclose(got, want, atol=1e-10)

    def test_spectra(self):
        a = matrices(numpy.float64, 2, 5, 5, symmetric=True)
        values, vectors, info = self.run_model("SymmetricEigen", [a], 3)
        numpy.testing.assert_allclose(values, numpy.linalg.eigvalsh(a), atol=1e-11)
        numpy.testing.assert_allclose(a @ vectors, vectors * values[:, None, :], atol=1e-10)
        b = matrices(numpy.float64, 2, 3, 5)
        values, u, vt, info = self.run_model("Svd", [b], 4, full=0)
        numpy.testing.assert_allclose(values, numpy.linalg.svd(b, compute_uv=False), atol=1e-11)
        numpy.testing.assert_allclose((u * values[:, None, :]) @ vt, b, atol=1e-10)
        self.assertFalse(info.any())

    def test_refused(self):
        square, half = numpy.zeros((3, 3), numpy.float32), numpy.zeros(3, numpy.float16)
        cases = [("Log1p", [half], "needs tensors of f32 or f64"), ("Cholesky", [numpy.zeros((2, 3), numpy.float32)], "needs square matrices"),
                 ("Cholesky", [half], "needs matrices of f32 or f64"), ("Lu", [half[:1].astype(numpy.float32)], "needs matrices, got a tensor of rank 1"),
                 ("TriangularSolve", [square, numpy.zeros((4, 3), numpy.float32)], "the sizes of the matrix and of the right side differ"),
                 ("Permutation", [numpy.zeros(3, numpy.int64)], "needs lists of i32"), ("Lgama", [square], "this op is not supported"),
                 ("Gcd", [square, square], "needs tensors of integers"),
                 ("OrthogonalPolynomial", [square, square], "the polynomials '' are unknown"),
                 ("CumulativeExtreme", [numpy.zeros(3, bool)], "needs a tensor of numbers")]
        for op, operands, text in cases:
            with self.subTest(op=op, text=text), self.assertRaisesRegex(tools.ToolError, text):
                self.run_model(op, operands, 1)


if __name__ == "__main__":
    unittest.main()
