# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code for AArch64 and RISC-V, run by qemu-user: the small models of test/onnx_ops, magika and MiniLM against ONNX Runtime.

One artifact for each model has the code of all processors. HEDDLE_BIN is the compiler's folder; the runtimes are those of
build/aarch64 and build/riscv64. HEDDLE_CROSS_EVERY=N takes every Nth of the small models.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy
import onnx
import onnx.parser
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test" / "onnx_ops"))
sys.path.insert(0, str(ROOT / "test" / "models"))

import cases  # noqa: E402
from make_models import model  # noqa: E402

BIN = pathlib.Path(os.environ["HEDDLE_BIN"])
EVERY = int(os.environ.get("HEDDLE_CROSS_EVERY", "1"))
TIMEOUT_S = 300
CPUS = "x86-64,aarch64:generic,aarch64:cortex-a76,riscv64:generic,riscv64:generic+v"
# Name, emulator, its flags, device.
MACHINES = [
    ("aarch64 generic", "aarch64", [], "local://0?cpu=generic", "aarch64:generic"),
    ("aarch64 cortex-a76", "aarch64", [], "local://0", "aarch64:cortex-a76"),
    ("riscv64 without V", "riscv64", ["-cpu", "rv64"], "local://0", "riscv64:generic"),
    ("riscv64, vectors of 128 bits", "riscv64", ["-cpu", "rv64,v=true,vext_spec=v1.0,vlen=128"], "local://0", "riscv64:generic+v"),
    ("riscv64, vectors of 256 bits", "riscv64", ["-cpu", "rv64,v=true,vext_spec=v1.0,vlen=256"], "local://0", "riscv64:generic+v"),
]
# As in test_onnx_ops.py; f16 results are rounded at most twice.
RTOL, ATOL = 1e-5, 4e-5


def call(*command):
    result = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)
    if re.match(r"qemu-\S+: \S+\.c:\d+: .* Assertion", result.stderr):
        raise unittest.SkipTest(f"the emulator itself fails: {result.stderr.strip()}")
    if result.returncode:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {result.returncode}: {result.stderr}")
    return result.stdout


class CrossTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def heddle_run(self, machine, *arguments):
        _, architecture, flags, device, _ = machine
        return call(f"qemu-{architecture}", *flags, "-L", f"/usr/{architecture}-linux-gnu", ROOT / "build" / architecture / "bin" / "heddle-run",
                    self.folder / "m.heddle", f"--device={device}", *arguments)

    def compare(self, path, feed, rtol, atol, steps=0):
        """Compiles the model once, runs it on every machine, and compares with ONNX Runtime; integers within `steps`."""
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        want = session.run(None, feed)
        names = [output.name for output in session.get_outputs()]
        call(BIN / "heddle-compile", path, "-o", self.folder / "m.heddle", f"--target-cpu={CPUS}")
        inputs = []
        for name, value in feed.items():
            numpy.save(self.folder / f"{name}.npy", value)
            inputs.append(f"--input={name}=@{self.folder}/{name}.npy")
        for machine in MACHINES:
            with self.subTest(machine=machine[0]):
                plan = self.heddle_run(machine, "--dry-run")
                if "variants" in plan:  # a model that only moves its inputs has none
                    self.assertIn(f"variants: {machine[4]} ", plan)
                self.heddle_run(machine, *inputs, *[f"--output={name}=@{self.folder}/out{i}.npy" for i, name in enumerate(names)])
                for i, expected in enumerate(want):
                    got = numpy.load(self.folder / f"out{i}.npy")
                    self.assertEqual((expected.shape, expected.dtype), (got.shape, got.dtype))
                    if numpy.issubdtype(expected.dtype, numpy.floating):
                        numpy.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)
                    elif steps:
                        self.assertLessEqual(numpy.abs(got.astype(int) - expected.astype(int)).max(), steps)
                    else:
                        numpy.testing.assert_array_equal(got, expected)

    def check_case(self, text, specifications, steps=0):
        proto = onnx.parser.parse_model(text)
        for output in proto.graph.output:
            output.type.tensor_type.ClearField("shape")
        onnx.save(proto, self.folder / "m.onnx")
        generator = numpy.random.default_rng(7)
        feed = {cases.NAMES[n]: cases.array(specification, generator) for n, specification in enumerate(specifications)}
        self.compare(self.folder / "m.onnx", feed, RTOL, ATOL, steps)

    def test_magika(self):
        tokens = numpy.random.default_rng(1).integers(0, 257, (1, 2048)).astype(numpy.int32)
        self.compare(model("magika"), {"bytes": tokens}, 1e-4, 1e-5)

    def test_minilm(self):
        ids = numpy.random.default_rng(2).integers(1000, 2000, (1, 16)).astype(numpy.int64)
        feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        self.compare(model("minilm"), feed, 1e-3, 1e-4)


def add_case(name, case):
    setattr(CrossTest, f"test_op_{name}", lambda self: self.check_case(*case))


for number, (case_name, case_value) in enumerate(cases.CASES.items()):
    if number % EVERY == 0:
        add_case(case_name, case_value)

if __name__ == "__main__":
    unittest.main()
