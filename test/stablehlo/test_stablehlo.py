# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that JAX lowered, imported and run by the reference, and compiled and run by the runtime, against JAX's results.

`make_samples.py` writes the samples; a test needs no JAX. Bounds are those of f32: of every result the largest difference is
compared with its largest element, since reductions here are short but sums of them cancel.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "onnx_ops"))

import tools  # noqa: E402

INPUTS = pathlib.Path(__file__).parent / "Inputs"
# Relative to the largest element. Half precision rounds to 2^-11 and 2^-8, sums of several roundings come to a few of them.
TOLERANCE = {"float64": 1e-12, "float32": 2e-5, "float16": 4e-3}
BFLOAT = 3e-2
BFLOAT_SAMPLES = {"bfloat"}
# Samples whose every element is compared by itself, relative to it.
BY_ELEMENT = {"precisions": 0, "tails": 1e-5, "special": 2e-6, "special_double": 4e-15}


def wide(array, is_bfloat):
    if is_bfloat:
        return (array.astype(numpy.uint32) << 16).view(numpy.float32)
    return array


class StableHloTest(unittest.TestCase):
    def compare(self, want, path, what, name):
        is_bfloat = name in BFLOAT_SAMPLES
        got = numpy.load(path)
        self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype), what)
        if not is_bfloat and want.dtype.kind != "f":
            numpy.testing.assert_array_equal(got, want, what)
            return
        got, want = wide(got, is_bfloat), wide(want, is_bfloat)
        numpy.testing.assert_array_equal(numpy.isnan(got), numpy.isnan(want), what)
        finite = numpy.isfinite(want)
        numpy.testing.assert_array_equal(got[~finite], want[~finite], what)
        if name in BY_ELEMENT:
            return numpy.testing.assert_allclose(got[finite], want[finite], rtol=BY_ELEMENT[name], atol=0, err_msg=what)
        tolerance = BFLOAT if is_bfloat else TOLERANCE[want.dtype.name]
        scale = max(1.0, numpy.abs(want[finite], dtype=numpy.float64).max(initial=0))
        numpy.testing.assert_allclose(got[finite], want[finite], rtol=0, atol=tolerance * scale, err_msg=what)

    def check(self, name):
        arrays = numpy.load(INPUTS / f"{name}.npz")
        with tempfile.TemporaryDirectory() as folder_name:
            folder = pathlib.Path(folder_name)
            inputs, outputs = [], []
            for key in arrays.files:
                if key.startswith("in"):
                    numpy.save(folder / f"{key}.npy", arrays[key])
                    inputs.append(f"--input=@{folder}/{key}.npy")
                else:
                    outputs.append(key)
            model, artifact = INPUTS / f"{name}.mlir", folder / "m.heddle"
            write = lambda way: [f"--output=@{folder}/{way}_{key}.npy" for key in outputs]
            imported = folder / "imported.mlir"
            tools.run(("heddle-compile", model, "--compile-to=import", "-o", imported))
            tools.run_beside(("heddle-reference", "--small", imported, *inputs, *write("reference")),
                             ("heddle-compile", model, "-o", artifact),
                             ("heddle-run", artifact, *inputs, *write("compiled")))
            for way in ("reference", "compiled"):
                for key in outputs:
                    what = f"{name}: {key}, {way}"
                    self.compare(arrays[key], folder / f"{way}_{key}.npy", what, name)


class ShortFormTest(unittest.TestCase):
    def test_samples_say_the_same_in_short_form(self):
        opt = lambda *arguments: subprocess.run([tools.BIN / "heddle-opt", "--allow-unregistered-dialect", *arguments], check=True,
                                                capture_output=True, text=True).stdout
        with tempfile.TemporaryDirectory() as folder_name:
            short = pathlib.Path(folder_name) / "short.mlir"
            for sample in sorted(INPUTS.glob("*.mlir")):
                with self.subTest(sample.stem):
                    short.write_text(opt(sample))
                    self.assertRegex(short.read_text(), r"= (stablehlo|chlo)\.")
                    imported = [opt("--import-lower-stablehlo", model) for model in (sample, short)]
                    self.assertEqual(*imported)


def add_test(name):
    setattr(StableHloTest, f"test_{name}", lambda self: self.check(name))


for sample in sorted(INPUTS.glob("*.mlir")):
    add_test(sample.stem)

if __name__ == "__main__":
    unittest.main()
