# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op against ONNX Runtime: imported and run by the reference, and compiled and run by the runtime.

The two ways share the importer. Where only the compiled program is wrong, code generation is; where both are, the importer.
"""
import pathlib
import tempfile
import unittest

import numpy
import onnx
import onnx.parser
import onnx.reference
import onnxruntime

import attention_cases
import cases
import contrib_cases
import control_flow_cases
import loop_cases
import old_forms_cases
import selection_cases
import sequence_cases
import static_ops_cases
import window_cases
import tools

# Reductions here are over at most 40 elements of size 4, functions have a few ULP: 40 terms of size 16 and a unit roundoff
# of 6e-8 differ by less than 4e-5.
RTOL, ATOL = 1e-5, 4e-5
onnxruntime.set_default_logger_severity(3)  # unused initialisers


def run_onnxruntime(model, feed):
    return onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"]).run(None, feed)[0]


def run_reference(model, feed):
    return onnx.reference.ReferenceEvaluator(str(model)).run(None, feed)[0]


class OnnxOpsTest(unittest.TestCase):
    def compare(self, want, path, steps):
        got = numpy.load(path)
        self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype))
        if want.dtype == numpy.float32:
            numpy.testing.assert_allclose(got, want, rtol=RTOL, atol=ATOL)
        elif steps:
            self.assertLessEqual(numpy.abs(got.astype(int) - want.astype(int)).max(), steps)
        else:
            numpy.testing.assert_array_equal(got, want)

    def check(self, text, specifications, steps=0, oracle=run_onnxruntime):
        generator = numpy.random.default_rng(7)
        feed = {cases.NAMES[n]: cases.array(specification, generator) for n, specification in enumerate(specifications)}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            model = folder / "m.onnx"
            proto = onnx.parser.parse_model(text)
            proto.graph.output[0].type.tensor_type.ClearField("shape")
            onnx.save(proto, model)
            want = oracle(model, feed)
            inputs = []
            for key, value in feed.items():
                numpy.save(folder / f"{key}.npy", value)
                inputs.append(f"--input={key}=@{folder}/{key}.npy")
            tools.run_beside(("heddle-reference", "--small", model, *inputs, f"--output=y=@{folder}/reference.npy"),
                             ("heddle-compile", model, "-o", folder / "m.heddle"),
                             ("heddle-run", folder / "m.heddle", *inputs, f"--output=y=@{folder}/compiled.npy"))
            self.compare(want, folder / "reference.npy", steps)
            self.compare(want, folder / "compiled.npy", steps)


def add_test(name, case, **options):
    setattr(OnnxOpsTest, f"test_{name}", lambda self: self.check(*case, **options))


ALL_CASES = (cases, attention_cases, contrib_cases, control_flow_cases, loop_cases, selection_cases, sequence_cases, static_ops_cases, window_cases)
for case_name, case_value in {name: case for module in ALL_CASES for name, case in module.CASES.items()}.items():
    add_test(case_name, case_value)
for case_name, case_value in static_ops_cases.REFERENCE_CASES.items():
    add_test(case_name, case_value, oracle=run_reference)
for case_name, (case_value, case_oracle) in old_forms_cases.CASES.items():
    add_test(case_name, case_value, oracle=case_oracle)
add_test("Add_6", static_ops_cases.ADD_6, oracle=lambda _, feed: feed["a"] + feed["b"][:, None])

if __name__ == "__main__":
    unittest.main()
