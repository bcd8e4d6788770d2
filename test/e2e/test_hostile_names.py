# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of a model cannot command a terminal: what a tool prints has no control characters but newlines and tabs."""
import pathlib
import tempfile
import unittest

import onnx
from onnx import TensorProto, helper
from support import heddle

HOSTILE = "\x1b]0;t\x07\n\r\x7f\u009b31m\u202e\u2066"


def save(path, op="Neg", shape=(2,)):
    x = helper.make_tensor_value_info(f"x{HOSTILE}", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info(f"y{HOSTILE}", TensorProto.FLOAT, shape)
    graph = helper.make_graph([helper.make_node(op, [x.name], [y.name], f"n{HOSTILE}")], "g", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)


class HostileNames(unittest.TestCase):
    def assert_clean(self, result):
        text = result.stdout + result.stderr
        bad = {c for c in text if (ord(c) < 0x20 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or c in "\u202e\u2066"}
        self.assertFalse(bad, repr(text))
        return text

    def test_tools(self):
        with tempfile.TemporaryDirectory() as folder:
            model, artifact = pathlib.Path(folder) / "m.onnx", pathlib.Path(folder) / "m.heddle"
            save(model)
            self.assert_clean(heddle("compile", model, "-o", artifact, "--explain"))
            for arguments in (["run", artifact, "--input=2xf32=1,2"], ["run", artifact, "--input=3xf32=1,2,3"], ["inspect", artifact],
                              ["explain", artifact], ["run", artifact, f"--input=no{HOSTILE}=1"]):
                with self.subTest(arguments=arguments):
                    self.assertIn("\\x1b]0;t\\x07", self.assert_clean(heddle(*arguments)))

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            model, artifact, picture = (pathlib.Path(folder) / name for name in ("m.onnx", "m.heddle", "m.svg"))
            save(model)
            heddle("compile", model, "-o", artifact)
            self.assert_clean(heddle("trace", artifact, "--input=2xf32=1,2", f"--svg={picture}"))
            text = picture.read_text()
            self.assertFalse({"\x1b", "\x07", "\x7f", "\u202e"} & set(text), repr(text))

    def test_page(self):
        with tempfile.TemporaryDirectory() as folder:
            model, artifact = pathlib.Path(folder) / "m.onnx", pathlib.Path(folder) / "m.heddle"
            save(model)
            heddle("compile", model, "-o", artifact)
            page = self.assert_clean(heddle("explain", artifact, "--html=-"))
            self.assertIn("\\\\x1b]0;t\\\\x07", page)  # of letters, in JSON
            self.assertNotIn("\\u001b", page)

    def test_errors_of_the_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "m.onnx"
            save(model, op=f"NoOp{HOSTILE}")
            result = heddle("compile", model, "-o", pathlib.Path(folder) / "m.heddle")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("\\x1b]0;t\\x07", self.assert_clean(result))


if __name__ == "__main__":
    unittest.main()
