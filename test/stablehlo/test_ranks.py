# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of jax.shard_map on 2, 4 and 8 ranks, as threads of one process, against JAX's results.

`make_rank_samples.py` writes the samples; a test needs no JAX. Inputs and results are whole arrays. Bounds are those of f32,
relative to the largest element of a result: sums over ranks come in another order here.
"""
import pathlib
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "interpreter"))

import run_ranks  # noqa: E402

INPUTS = pathlib.Path(__file__).parent / "RankInputs"
TOLERANCE = 2e-5
ROUNDED = {("sums", "out7"): 3e-2}  # of bfloat16


class RanksTest(unittest.TestCase):
    def check(self, name):
        arrays = numpy.load(INPUTS / f"{name}.npz")
        inputs = {key: arrays[key] for key in arrays.files if key.startswith("in")}
        wanted = [key for key in arrays.files if key.startswith("out")]
        with tempfile.TemporaryDirectory() as folder:
            results = run_ranks.run_whole(INPUTS / f"{name}.mlir", inputs, wanted, pathlib.Path(folder))
        for key in wanted:
            got, want, what = results[key], arrays[key], f"{name}: {key}"
            self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype), what)
            if want.dtype.kind != "f":
                numpy.testing.assert_array_equal(got, want, what)
                continue
            scale = max(1.0, numpy.abs(want).max(initial=0))
            bound = ROUNDED.get((name.rsplit("_", 1)[0], key), TOLERANCE)
            numpy.testing.assert_allclose(got, want, rtol=0, atol=bound * scale, err_msg=what)


def add_test(name):
    setattr(RanksTest, f"test_{name}", lambda self: self.check(name))


for sample in sorted(INPUTS.glob("*.mlir")):
    add_test(sample.stem)

if __name__ == "__main__":
    unittest.main()
