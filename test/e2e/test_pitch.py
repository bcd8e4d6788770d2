# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Columns of what a loop carries, which dispatches write where they belong: the same values as NumPy, of every rank, axis,
ragged and free sizes and types.
"""
import re
import unittest

import numpy
from pitch_programs import NUMPY, UNARY, EndToEnd, loop, product, reduction
from support import heddle

OFF = "--disable-pass=form-pitch-results"


class Loops(EndToEnd):
    def run_loop(self, model, want, *arguments, exact=True):
        source = self.write(model)
        program, apart = self.compile(source), self.compile(source, OFF)
        (got,), (copied,) = program(None, *arguments), apart(None, *arguments)
        numpy.testing.assert_array_equal(got, copied)
        numpy.testing.assert_array_equal(got, want) if exact else numpy.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)
        return source

    def test_every_axis_of_every_rank(self):
        for shape, size in (((13,), 4), ((7, 10), 3), ((3, 5, 8), 2), ((2, 3, 4, 6), 4), ((1, 2, 1, 9), 5), ((2, 2, 3, 1, 5), 2)):
            for axis in range(len(shape)):
                with self.subTest(shape=shape, axis=axis):
                    x = self.array(shape)
                    self.run_loop(loop(shape, axis, size), x * x, x)

    def test_free_sizes(self):
        for shape, axis, free in (((6, 10), 1, (0,)), ((6, 10), 1, (1,)), ((6, 10), 1, (0, 1)), ((3, 5, 8), 1, (0, 2)), ((3, 5, 8), 2, (0, 1, 2))):
            with self.subTest(shape=shape, axis=axis, free=free):
                program = self.compile(self.write(loop(shape, axis, 3, free=free)))
                for more in (0, 1, 37):
                    x = self.array([n + more if d in free else n for d, n in enumerate(shape)])
                    numpy.testing.assert_array_equal(program(None, x)[0], x * x)

    def test_types(self):
        for kind in UNARY:
            for shape, axis in (((6, 11), 1), ((2, 9, 5), 1)):
                with self.subTest(kind=kind, shape=shape):
                    x = self.array(shape, kind)
                    self.run_loop(loop(shape, axis, 4, kind), NUMPY[kind][1](x), x)

    def test_slices_are_copied(self):
        for shape, axis in (((6, 11), 1), ((3, 5, 8), 1), ((3, 5, 8), 2)):
            x = self.array(shape)
            self.run_loop(loop(shape, axis, 3, body="copy"), x, x)

    def test_products_and_reductions(self):
        for m, k, n, size, free in ((17, 9, 40, 16, False), (5, 64, 33, 8, False), (50, 20, 70, 32, True), (1, 30, 64, 24, True)):
            with self.subTest(m=m, k=k, n=n, size=size):
                a, b, v = self.array((m, k)), self.array((k, n)), self.array((n,))
                self.run_loop(product(m, k, n, size, free), a @ b + v, a, b, v, exact=False)
        x = self.array((6, 21, 30))
        self.run_loop(reduction(x.shape, 8), x.sum(2), x, exact=False)

    def test_no_trips_and_empty_tensors(self):
        x = self.array((6, 10))
        numpy.testing.assert_array_equal(self.compile(self.write(loop((6, 10), 1, 3, trips=0)))(None, x)[0], numpy.zeros((6, 10)))
        program = self.compile(self.write(loop((6, 10), 1, 3, free=(0, 1))))
        for shape in ((0, 10), (6, 0), (0, 0)):
            self.assertEqual(program(None, self.array(shape))[0].shape, shape)

    def test_dispatches_write_where_columns_belong(self):
        source = self.write(loop((7, 10), 1, 3))
        self.assertIn("flow.pitch = {elements = 10 : i64, outer = 1 : i64}", self.text(source, "form"))
        text = self.text(source, "schedule")
        self.assertRegex(text, r"host\.view .* times .* stride ")
        self.assertNotIn("host.copy", re.search(r"scf\.for.*?\n    }", text, re.DOTALL).group(0))

    def test_bits_that_share_bytes_are_copied(self):
        text = loop((6, 8), 1, 4, "i8").replace("i8", "i4")
        source = self.write(text.replace("tensor<6x8xi4> {heddle.name", "tensor<6x8xi4> {heddle.name"))
        result = heddle("compile", source, "--compile-to=form", "-o", "-")
        self.assertNotIn("flow.pitch", result.stdout)

    def test_stages_agree(self):
        for model in (loop((7, 10), 1, 3), loop((3, 5, 8), 1, 2, free=(0,)), product(17, 9, 40, 16, False)):
            result = heddle("check", self.write(model))
            self.assertEqual(0, result.returncode, result.stdout + result.stderr)


class Vulkan(Loops):
    """The same programs by the code for GPUs, where there is a driver."""

    def compile(self, source, *flags):
        return super().compile(source, "--target-device=vulkan", *flags)

    def setUp(self):
        if "vulkan://" not in heddle("devices").stdout:
            self.skipTest("no Vulkan device")


if __name__ == "__main__":
    unittest.main()
