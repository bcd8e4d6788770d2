# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why graphs of torch.compile run in PyTorch, and when results agree: what needs no PyTorch."""
import pathlib
import types
import unittest
import warnings

import numpy
from heddle import _fallback
from heddle._closeness import difference


class Reasons(unittest.TestCase):
    def setUp(self):
        _fallback.forget()
        self.addCleanup(_fallback.forget)

    def test_operators(self):
        for name, arguments, kind in (("add", {}, None), ("avg_pool2d", {"divisor_override": None}, None),
                                      ("avg_pool2d", {"divisor_override": 1}, "mistranslated"),
                                      ("scatter_reduce", {"reduce": "mean"}, "mistranslated"),
                                      ("scatter_reduce", {"reduce": "sum"}, None),
                                      ("native_batch_norm", {"training": True}, "training"),
                                      ("native_batch_norm", {"training": False}, None),
                                      ("batch_norm", {"training": True}, "training"),
                                      ("_local_scalar_dense", {}, "number"), ("_assert_async", {}, "check"),
                                      ("as_strided", {}, "strides"), ("_upsample_bilinear2d_aa", {}, "mistranslated")):
            with self.subTest(name, **arguments):
                reason = _fallback.judge_operator(name, arguments)
                self.assertEqual(kind, reason and reason[0])
                if reason:
                    self.assertIn(reason[0], _fallback.KINDS)

    def test_draws(self):
        for arguments, draws in (({}, True), ({"p": 0.5, "train": True}, True), ({"p": 0.5, "train": False}, False), ({"p": 0.0}, False),
                                 ({"dropout_p": 0.0}, False), ({"dropout_p": 0.1}, True), ({"training": False, "lower": 0.1}, False)):
            self.assertEqual(draws, _fallback.is_random(arguments), arguments)

    def test_resize_by_a_scale(self):
        for align, size, scale, kind in ((True, 4, 1.7, "mistranslated"), (True, 10, 1.7, None), (True, 4, 2.0, None), (False, 4, 1.7, None),
                                         (True, "n", 1.5, "mistranslated"), (True, "n", 3.0, None), (True, 4, None, None)):
            for name, more in (("input", {"scale_factors": [scale, 2.0] if scale else None}), ("self", {"scales_h": scale, "scales_w": 2.0 if scale else None})):
                image = types.SimpleNamespace(shape=(1, 3, size, 4))
                reason = _fallback.judge_operator("upsample_bilinear2d", {name: image, "align_corners": align, **more})
                self.assertEqual(kind, reason and reason[0], (align, size, scale, name))

    def test_each_text_is_said_once_and_each_graph_counted(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for place in ("a.py:1", "b.py:2"):
                _fallback.warn(_fallback.Reason("random", "it draws random numbers (rand)", place))
            _fallback.warn(_fallback.Reason("random", "it draws random numbers (randn)"))
            _fallback.count_compiled()
        self.assertEqual(["a graph of torch.compile runs in PyTorch, not in Heddle: it draws random numbers (rand) (a.py:1)",
                          "a graph of torch.compile runs in PyTorch, not in Heddle: it draws random numbers (randn)"],
                         [str(warning.message) for warning in said])
        self.assertEqual({"random": 3, "heddle": 1}, _fallback.report())


    def test_page_names_each_kind(self):
        page = pathlib.Path(__file__).resolve().parents[3] / "docs" / "python.md"
        rows = "".join(f"| `{kind}` | {text} |\n" for kind, text in _fallback.KINDS.items())
        self.assertIn(rows, page.read_text())


class Closeness(unittest.TestCase):
    def test_agree(self):
        x = numpy.array([1.0, -2.0, numpy.nan, numpy.inf, 0.0], numpy.float32)
        self.assertIsNone(difference(x, x.copy(), "float32"))
        self.assertIsNone(difference(x, x * numpy.float32(1.0005), "float32"))
        self.assertIsNone(difference(numpy.float32([1e-5, 0.1]), numpy.float32([0, 0.1]), "float32"))
        self.assertIsNone(difference(numpy.float32([1.04]), numpy.float32([1]), "bfloat16"))
        self.assertIsNone(difference(numpy.zeros((0, 3)), numpy.zeros((0, 3)), "float64"))
        self.assertIsNone(difference(numpy.float32(3), numpy.float32(3), "float32"))

    def test_differ(self):
        one = numpy.ones(2, numpy.float32)
        for got, want, kind, text in (
                (one, one[:1], "float32", r"its shape is \(2,\), expected \(1,\)"),
                (one, one * numpy.float32(1.5), "float32", r"2 of 2 elements differ, the first at \[0\]: 1.0, expected 1.5"),
                (numpy.float32([1.1, 1, 1e9]), numpy.float32([1, 1, 1e9]), "float32", "1 of 3 elements"),
                (one * numpy.nan, one, "float32", "nan, expected 1.0"), (one, one * numpy.inf, "float32", "1.0, expected inf"),
                (-one * numpy.inf, one * numpy.inf, "float32", "-inf, expected inf"),
                (numpy.float64([1 + 1e-5]), numpy.float64([1]), "float64", "1 of 1"),
                (numpy.int64([3, 4]), numpy.int64([3, 5]), "int64", r"1 of 2 elements differ, the first at \[1\]: 4, expected 5"),
                (numpy.array([True]), numpy.array([False]), "bool", "True, expected False")):
            with self.subTest(text):
                self.assertRegex(difference(got, want, kind) or "", text)


if __name__ == "__main__":
    unittest.main()
