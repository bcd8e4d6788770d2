# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs whose work depends on data, on the first Vulkan device, against ONNX Runtime: results are equal.

DATA_PROGRAMS (22; make data-dependent: 400) programs of 10^2 to DATA_SIZE elements, from DATA_SEED on.
"""
import os
import pathlib
import tempfile
import time
import unittest

import data_dependent_programs as programs
import numpy
import onnxruntime
from support import heddle

COUNT = int(os.environ.get("DATA_PROGRAMS", "22"))
SIZE = int(float(os.environ.get("DATA_SIZE", "1e5")))
SEED = int(os.environ.get("DATA_SEED", "0")) or time.time_ns() % 2**31
onnxruntime.set_default_logger_severity(3)


class DataDependentTest(unittest.TestCase):
    def run_program(self, model, feed, folder, device="vulkan"):
        path = folder / "m.onnx"
        programs.save(model, path)
        made = heddle("compile", path, "-o", folder / "m.heddle", f"--target-device={device}")
        self.assertEqual(0, made.returncode, made.stderr)
        words = []
        for name, value in feed.items():
            numpy.save(folder / f"{name}.npy", value)
            words.append(f"--input={name}=@{folder}/{name}.npy")
        names = [port.name for port in model.graph.output]
        words += [f"--output={name}=@{folder}/out_{name}.npy" for name in names]
        ran = heddle("run", folder / "m.heddle", f"--device={device}", *words)
        self.assertEqual(0, ran.returncode, ran.stderr)
        return [numpy.load(folder / f"out_{name}.npy") for name in names]

    def check(self, seed, size, kind=None):
        random = numpy.random.default_rng(seed)
        model, feed, kind = programs.make(random, size, kind)
        with self.subTest(seed=seed, size=size, kind=kind), tempfile.TemporaryDirectory() as folder:
            want = programs.expected(model, feed)
            got = self.run_program(model, feed, pathlib.Path(folder))
            for port, x, y in zip(model.graph.output, got, want):
                self.assertEqual((y.shape, y.dtype), (x.shape, x.dtype), port.name)
                numpy.testing.assert_array_equal(x, y, err_msg=f"{kind} {port.name}, seed {seed}, size {size}")

    def test_random(self):
        print(f"DATA_SEED={SEED}", flush=True)
        kinds = list(programs.PROGRAMS)
        for i in range(COUNT):
            size = int(10 ** numpy.random.default_rng(SEED + i).uniform(2, numpy.log10(SIZE)))
            self.check(SEED + i, size, kinds[i % len(kinds)])

    def test_more_rounds_than_a_loop_has(self):
        """100,000 elements: lavapipe ends an invocation's loops after 65,535 rounds."""
        for i, kind in enumerate(programs.PROGRAMS):
            self.check(i, 100_000, kind)

    def test_empty(self):
        for kind in ("NonZero", "Compress"):
            random = numpy.random.default_rng(1)
            nodes, feed, results = programs.PROGRAMS[kind](random, 300)
            feed = {name: numpy.zeros_like(value) for name, value in feed.items()}
            model, feed = programs.model_of(nodes, feed, results, free=True)
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                got = self.run_program(model, feed, pathlib.Path(folder))[0]
                numpy.testing.assert_array_equal(got, programs.expected(model, feed)[0])


if __name__ == "__main__":
    unittest.main()
