# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of jax.jit with NamedSharding on 2, 4 and 8 ranks against JAX's results, and Shardy's behaviours against one rank.

Ranks are threads of one process, and processes that MPI starts for some. `make_sharding_samples.py` writes the samples; a
test needs no JAX. Inputs and results are whole arrays.
"""
import pathlib
import sys
import tempfile
import unittest
import zlib

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "interpreter"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import run_ranks  # noqa: E402
import shardy_cases  # noqa: E402

INPUTS = pathlib.Path(__file__).parent / "ShardingInputs"
BY_MPI = ["mlp_4", "attention_4", "scans_4", "reshards_4", "mixed_4"]
ROUNDED = {("kinds", "out0"): 3e-2}  # of bfloat16


class SamplesTest(unittest.TestCase):
    @unittest.skipUnless(run_ranks.MPICH.exists(), "there is no MPICH; scripts/setup.sh installs it")
    def test_by_mpi(self):
        for sample in BY_MPI:
            with self.subTest(sample):
                run_ranks.check_sample(self, INPUTS, sample, ROUNDED, by_mpi=True)


def make_input(kind, generator, limit):
    shape, element = kind[len("tensor<"):-1].replace("complex<", "").rstrip(">").rsplit("x", 1)
    size = [int(n) for n in shape.split("x")]
    if "complex" in kind:
        return generator.normal(size=[*size, 2])
    if element.startswith("f"):
        return generator.normal(size=size).astype({"f32": "float32", "f64": "float64"}[element])
    return generator.integers(0 if limit else -9, limit or 10, size).astype({"i32": "int32", "i64": "int64"}[element])


class ShardyTest(unittest.TestCase):
    def run_text(self, text, ranks, inputs, count):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "p.mlir").write_text(text)
            names = [f"out{n}" for n in range(count)]
            results = run_ranks.run_whole(folder / "p.mlir", ranks, {f"in{n}": a for n, a in enumerate(inputs)}, names, folder)
            return [results[key] for key in names]

    def check(self, name):
        case = shardy_cases.CASES[name]
        generator = numpy.random.default_rng(zlib.crc32(name.encode()))
        inputs = [make_input(kind, generator, case.limits.get(n)) for n, (kind, _) in enumerate(case.inputs)]
        count = len(case.results)
        wanted = case.wanted(*inputs) if case.wanted else self.run_text(case.text(on_one=True), 1, inputs, count)
        for got, want in zip(self.run_text(case.text(), case.ranks, inputs, count), wanted, strict=True):
            self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype), name)
            numpy.testing.assert_allclose(got, want, rtol=1e-6 if want.dtype.kind == "f" else 0, atol=1e-6, err_msg=name)


def add_tests():
    for sample in sorted(INPUTS.glob("*.mlir")):
        name = sample.stem
        setattr(SamplesTest, f"test_{name}", lambda self, name=name: run_ranks.check_sample(self, INPUTS, name, ROUNDED))
    for name in shardy_cases.CASES:
        setattr(ShardyTest, f"test_{name}", lambda self, name=name: self.check(name))


add_tests()

if __name__ == "__main__":
    unittest.main()
