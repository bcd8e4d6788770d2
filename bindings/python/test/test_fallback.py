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
        for name, arguments, text in (("add", {}, None), ("avg_pool2d", {"divisor_override": None}, None),
                                      ("avg_pool2d", {"divisor_override": 1}, "drops divisor_override"),
                                      ("scatter_reduce", {"reduce": "mean"}, "for a sum"),
                                      ("scatter_reduce", {"reduce": "sum"}, None),
                                      ("native_batch_norm", {"training": True}, "statistics of training"),
                                      ("native_batch_norm", {"training": False}, None),
                                      ("batch_norm", {"training": True}, "statistics of training"),
                                      ("_local_scalar_dense", {}, "a number out of a tensor"), ("_assert_async", {}, "checks values"),
                                      ("_upsample_bilinear2d_aa", {}, "antialiasing")):
            with self.subTest(name, **arguments):
                self.assertRegex(_fallback.judge_operator(name, arguments) or "None", text or "^None$")

    def test_draws(self):
        for arguments, draws in (({}, True), ({"p": 0.5, "train": True}, True), ({"p": 0.5, "train": False}, False), ({"p": 0.0}, False),
                                 ({"dropout_p": 0.0}, False), ({"dropout_p": 0.1}, True), ({"training": False, "lower": 0.1}, False)):
            self.assertEqual(draws, _fallback.is_random(arguments), arguments)

    def test_resize_by_a_scale(self):
        for align, size, scale, is_lost in ((True, 4, 1.7, True), (True, 10, 1.7, False), (True, 4, 2.0, False), (False, 4, 1.7, False),
                                            (True, "n", 1.5, True), (True, "n", 3.0, False), (True, 4, None, False)):
            for name, more in (("input", {"scale_factors": [scale, 2.0] if scale else None}), ("self", {"scales_h": scale, "scales_w": 2.0 if scale else None})):
                image = types.SimpleNamespace(shape=(1, 3, size, 4))
                reason = _fallback.judge_operator("upsample_bilinear2d", {name: image, "align_corners": align, **more})
                self.assertEqual(is_lost, reason is not None, (align, size, scale, name))

    def test_each_text_is_said_once_and_each_graph_counted(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for place in ("a.py:1", "b.py:2"):
                _fallback.warn(_fallback.Reason("translation", "aten.foo: no translation", place))
                _fallback.count("translation")
            _fallback.warn(_fallback.Reason("translation", "aten.bar: no translation"))
            _fallback.count("heddle")
        self.assertEqual(["a part of a graph of torch.compile runs in PyTorch, not in Heddle: aten.foo: no translation (a.py:1)",
                          "a part of a graph of torch.compile runs in PyTorch, not in Heddle: aten.bar: no translation"],
                         [str(warning.message) for warning in said])
        self.assertEqual({"translation": 2, "heddle": 1}, _fallback.report())

    def test_page_names_each_kind(self):
        page = pathlib.Path(__file__).resolve().parents[3] / "docs" / "pytorch.md"
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
