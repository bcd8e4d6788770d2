# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 8-bit integers on AArch64 with and without its dot products, by qemu-user, bit for bit as ONNX Runtime's; of
bf16 beside NumPy's.

HEDDLE_BIN is the compiler's folder; the runtime is that of build/aarch64. What the instructions are:
compiler/Codegen/ISA/test/aarch64_dots.mlir.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import ml_dtypes
import numpy
import onnx
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test" / "onnx_ops"))

import quantized_cases  # noqa: E402
import typed_cases  # noqa: E402

BIN = pathlib.Path(os.environ["HEDDLE_BIN"])
TIMEOUT_S = 300
TARGETS = ("aarch64:generic", "aarch64:generic+dotprod", "aarch64:generic+dotprod+i8mm")
GROUPS = {"matmul_integer": quantized_cases.matmul_integer, "conv_integer": quantized_cases.conv_integer, "qlinear": quantized_cases.qlinear}


def call(*command):
    done = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr}")


def model_of(cases):
    """One model with a node for each case, and its inputs."""
    nodes, inputs, constants, outputs, feed = [], [], [], [], {}
    for number, case in enumerate(cases):
        names = [f"x{number}_{i}" for i in range(len(case.inputs))]
        nodes.append(onnx.helper.make_node(case.op, names, [f"y{number}"], **case.attributes))
        outputs.append(onnx.helper.make_empty_tensor_value_info(f"y{number}"))
        for i, (name, value) in enumerate(zip(names, case.inputs)):
            kind = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
            if i in case.constants:
                constants.append(onnx.numpy_helper.from_array(value, name))
            else:
                inputs.append(onnx.helper.make_tensor_value_info(name, kind, value.shape))
                feed[name] = value
    graph = onnx.helper.make_graph(nodes, "g", inputs, outputs, constants)
    return onnx.helper.make_model(graph, ir_version=10, opset_imports=[onnx.helper.make_opsetid("", 21)]), feed


def supported(case):
    """Whether ONNX Runtime has a kernel for the node."""
    model, feed = model_of([case])
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feed)
    except Exception:  # by any of several exceptions
        return None


class DotsTest(unittest.TestCase):
    def check(self, make):
        known = [(case, want) for case in make() if (want := supported(case)) is not None]
        self.assertGreater(len(known), 0)
        for target, results in self.results(TARGETS, [case for case, _ in known]):
            for got, (case, want) in zip(results, known):
                numpy.testing.assert_array_equal(got, want[0], f"{target}: {case.label}")

    def test_bf16(self):
        shapes = ((7, 37, 19), (33, 64, 32), (1, 10, 5))
        cases = [typed_cases.Case("MatMul", [typed_cases.values(numpy.float32, m, k), typed_cases.values(numpy.float32, k, n, seed=2)],
                                  constants=(1,)) for m, k, n in shapes]
        for target, results in self.results(("aarch64:generic", "aarch64:generic+bf16"), cases, "--precision=bf16"):
            for got, case in zip(results, cases):
                a, b = (value.astype(ml_dtypes.bfloat16).astype(numpy.float64) for value in case.inputs)
                numpy.testing.assert_allclose(got, a @ b, rtol=0, atol=1e-4, err_msg=f"{target}: {case.label}")

    def results(self, targets, cases, *flags):
        """(target, the results of all cases) for each target."""
        model, feed = model_of(cases)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(onnx.shape_inference.infer_shapes(model), folder / "m.onnx")
            given = []
            for key, value in feed.items():
                numpy.save(folder / f"{key}.npy", value)
                given.append(f"--input={key}=@{folder}/{key}.npy")
            given += [f"--output=y{i}=@{folder}/y{i}.npy" for i in range(len(cases))]
            for target in targets:
                with self.subTest(target=target):
                    call(BIN / "heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--target-cpu={target}", *flags)
                    call("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", ROOT / "build" / "aarch64" / "bin" / "heddle-run",
                         folder / "m.heddle", *given)
                    yield target, [numpy.load(folder / f"y{i}.npy") for i in range(len(cases))]


for group_name, group_make in GROUPS.items():
    setattr(DotsTest, f"test_{group_name}", lambda self, make=group_make: self.check(make))

if __name__ == "__main__":
    unittest.main()
