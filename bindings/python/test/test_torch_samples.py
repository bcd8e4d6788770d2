# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that PyTorch exported (test/torch), against what PyTorch and ONNX Runtime compute for them."""
import pathlib
import unittest

import heddle
import numpy
import onnxruntime

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "test" / "torch"


def arrays(values, prefix):
    return [values[f"{prefix}_{i}"] for i in range(sum(name.startswith(f"{prefix}_") for name in values.files))]


class Samples(unittest.TestCase):
    def check(self, got, want, by):
        self.assertEqual(len(want), len(got))
        for a, b in zip(got, want):
            numpy.testing.assert_allclose(a, b, rtol=1e-4, atol=2e-5, err_msg=by, strict=True)

    def test_samples(self):
        paths = sorted(FOLDER.glob("*.onnx"))
        self.assertGreaterEqual(len(paths), 7)
        for path in paths:
            with self.subTest(path.stem):
                module = heddle.load(heddle.compile(path))
                session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
                names = [value.name for value in session.get_inputs()]
                values = numpy.load(path.with_suffix(".npz"))
                sets = [suffix for suffix in ("", "2") if f"in{suffix}_0" in values]
                for suffix in sets:
                    given = arrays(values, "in" + suffix)
                    got = module(*given)
                    got = got if isinstance(got, tuple) else (got,)
                    self.check(got, arrays(values, "out" + suffix), "PyTorch")
                    self.check(got, session.run(None, dict(zip(names, given))), "ONNX Runtime")


if __name__ == "__main__":
    unittest.main()
