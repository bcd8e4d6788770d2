# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the zoo's run.py says of a model that is right, one that differs and one that is refused. The zoo itself: `make zoo`."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import onnx
from onnx import TensorProto, helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import run  # noqa: E402

BINARIES = pathlib.Path(os.environ["HEDDLE_BIN"])


def write(folder, kind, inputs, outputs):
    """A model of one node with a free size."""
    folder.mkdir(parents=True)
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node(kind, ["x"], ["y"])], "g", infos[:1], infos[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")
    numpy.savez(folder / "io.npz", in_0=inputs, out_0=outputs)


class ZooTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = pathlib.Path(scratch.name)
        self.x = numpy.random.default_rng(1).standard_normal((2, 3)).astype(numpy.float32)

    def run_zoo(self, *names):
        return subprocess.run([sys.executable, HERE / "run.py", self.out, *names, "--bin", BINARIES], capture_output=True, text=True)

    def test_right(self):
        write(self.out / "free" / "relu", "Relu", self.x, numpy.maximum(self.x, 0))
        done = self.run_zoo()
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"free relu: ok, compiled in .* s, error 0.0e\+00; batch 2: 0.0e\+00; .*\n1 models, 0 refused or different\n")

    def test_times(self):
        write(self.out / "fixed" / "relu", "Relu", self.x, numpy.maximum(self.x, 0))
        done = self.run_zoo("--times")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"relu: ok, .*, [0-9.]+ of ONNX Runtime's [0-9.e-]+ s[;\n]")

    def test_different(self):
        write(self.out / "fixed" / "relu", "Relu", self.x, numpy.maximum(self.x, 0))
        model = run.Model(self.out / "fixed" / "relu", BINARIES, self.out)
        model.run = lambda arrays: [numpy.maximum(arrays[0], 0) + numpy.float32(1e-4)]
        said, is_right = run.judge(model, times=False)
        self.assertFalse(is_right)
        self.assertRegex(said, "^DIFFERS by more than 3.0e-05: ok, compiled in .* s, error [0-9.]+e-0[45]; batch 2: ")

    def test_not_judged(self):
        write(self.out / "fixed" / "relu", "Relu", self.x, self.x)
        done = self.run_zoo()
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertRegex(done.stdout, "fixed relu: not judged, ONNX Runtime and PyTorch differ by .*, compiled in")

    def test_refused(self):
        write(self.out / "fixed" / "nothing", "NoSuchOperator", self.x, self.x)
        write(self.out / "fixed" / "relu", "Relu", self.x, numpy.maximum(self.x, 0))
        done = self.run_zoo()
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertRegex(done.stdout, "nothing: judged by PyTorch .* REFUSED compile: exit status 1: .*NoSuchOperator")
        self.assertIn("2 models, 1 refused or different", done.stdout)
        self.assertEqual(0, self.run_zoo("relu").returncode)
