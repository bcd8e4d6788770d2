# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the end-to-end tests share: running the tools as a user does, artifacts compiled once, the oracle, error bounds."""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test" / "models"))
sys.path.insert(0, str(ROOT / "examples" / "magika"))

from make_models import model  # noqa: E402

BIN = pathlib.Path(os.environ.get("HEDDLE_BIN", ROOT / "build" / "release" / "bin"))
ARTIFACTS = BIN.parent / "e2e"
DEVICES = ("local://0", "local://0-1")
TIMEOUT_S = 300
VALIDATION = "VK_LAYER_KHRONOS_validation"
VALIDATION_MANIFEST = pathlib.Path("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")


def heddle(*arguments, **kwargs):
    """Runs `heddle …`; the result has returncode, stdout and stderr."""
    return subprocess.run([str(BIN / "heddle"), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=TIMEOUT_S, **kwargs)


class ToolTest(unittest.TestCase):
    """Tests that run the tool in a folder of their class, with random numbers from its SEED."""

    SEED = None

    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.held.name)
        cls.random = numpy.random.default_rng(cls.SEED)

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

    def tool(self, *arguments):
        """What `heddle …` did, which must have succeeded."""
        result = heddle(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result


def artifact(name):
    """The compiled model of that name, compiled once for each build of the compiler; its figures lie beside it (.json)."""
    source, target = model(name), ARTIFACTS / f"{name}.heddle"
    compiler = BIN / "heddle-compile"
    newest = max(source.stat().st_mtime, compiler.stat().st_mtime)
    stats = target.with_suffix(".json")
    if not target.exists() or not stats.exists() or target.stat().st_mtime < newest:
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        result = heddle("compile", source, "-o", target, f"--stats={stats}")
        if result.returncode != 0:
            raise AssertionError(f"heddle compile {source} failed with {result.returncode}:\n{result.stderr}")
    return target


def oracle(name):
    """ONNX Runtime's function {input: array} -> list of outputs."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model(name)), options, providers=["CPUExecutionProvider"])
    return lambda feed: session.run(None, feed)


UNIT_ROUNDOFF = {numpy.dtype(numpy.float32): 2.0 ** -24}


def error_bound(reductions, scale, dtype=numpy.float32, confidence=4.0):
    """How far two correct implementations may differ in a value of size `scale`, in absolute terms.

    A sum of k rounded terms has, with rounding errors that are independent, a relative error of at most
    confidence * sqrt(k) * u with a probability of practically one (u: unit roundoff; Higham and Mary 2019, "A new
    approach to probabilistic rounding error analysis"); the worst case k * u does not occur. `reductions` are the lengths
    of the reductions on one path through the model. Their errors are independent too, so their squares add up. Both sides
    err: twice that. An elementwise step of a few u (Erf, Tanh, Exp) counts as a reduction of length 16.
    """
    return 2 * confidence * UNIT_ROUNDOFF[numpy.dtype(dtype)] * scale * math.sqrt(sum(reductions))


class EndToEnd(unittest.TestCase):
    """A test case with a folder of its own for the files of each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name):
        """Where the array of that name is kept; a model's names may have slashes."""
        return self.folder / f"{name.replace('/', '_')}.npy"

    def save(self, name, array):
        numpy.save(self.file(name), array)
        return f"@{self.file(name)}"

    def run_model(self, name, inputs, outputs, device=None):
        """Runs an artifact on {name: array}, by name; returns the arrays it wrote, in the order of `outputs`."""
        arguments = [f"--input={key}={self.save('in_' + key, value)}" for key, value in inputs.items()]
        arguments += [f"--output={key}=@{self.file('out_' + key)}" for key in outputs]
        if device:
            arguments.append(f"--device={device}")
        result = heddle("run", artifact(name), *arguments)
        self.assertEqual(0, result.returncode, result.stderr)
        return [numpy.load(self.file("out_" + key)) for key in outputs]

    def run_validated(self, *arguments):
        """`heddle run …` under Vulkan's validation layers, synchronisation among what they check: they find nothing."""
        if not VALIDATION_MANIFEST.exists():
            self.skipTest("no validation layers on this machine")
        environment = os.environ | {"VK_INSTANCE_LAYERS": VALIDATION, "VK_LOADER_DEBUG": "layer",
                                    "VK_LAYER_ENABLES": "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"}
        result = heddle("run", *arguments, env=environment)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn(VALIDATION, result.stderr)  # it was there
        self.assertNotIn("VUID", result.stdout + result.stderr)
        self.assertNotIn("HAZARD", result.stdout + result.stderr)

    def assert_close(self, got, want, atol):
        """The same shape, the same type, no value further off than `atol`, none that is not a number."""
        self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype))
        self.assertTrue(numpy.isfinite(got).all(), "a value is not finite")
        worst = float(numpy.abs(got.astype(numpy.float64) - want).max()) if got.size else 0.0
        self.assertLessEqual(worst, atol)

    def assert_fails(self, status, text, *arguments):
        """The tool ends with this status, says `text`, does not print a result, and does not crash."""
        result = heddle(*arguments)
        self.assertEqual(status, result.returncode, f"stdout: {result.stdout}\nstderr: {result.stderr}")
        self.assertIn(text, result.stderr)
        self.assertEqual("", result.stdout)
