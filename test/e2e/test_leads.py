# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a message tells to do helps: an artifact of another model, a temporary folder that cannot be made."""
import os
import unittest

import onnx.parser
from support import EndToEnd, heddle

MODEL = '<ir_version: 8, opset_import: ["" : 17]>\ng (float[n,8] x, float[8,8] w) => (float[n,8] y) {{ p = MatMul (x, w)  y = {} (p) }}'


class LeadsTest(EndToEnd):
    def write(self, name, op):
        (self.folder / name).write_bytes(onnx.parser.parse_model(MODEL.format(op)).SerializeToString())

    def run_tool(self, *arguments, **environment):
        return heddle(*arguments, cwd=self.folder, env={**os.environ, **environment})

    def test_an_artifact_of_an_edited_model(self):
        self.write("original.onnx", "Relu")
        self.write("edited.onnx", "Sigmoid")
        for name in ("original", "edited"):
            self.assertEqual(self.run_tool("compile", f"{name}.onnx", "-o", f"{name}.heddle").returncode, 0)
        good = self.run_tool("check", "original.heddle", "--model=original.onnx")
        self.assertEqual((good.returncode, good.stdout.splitlines()[-1]), (0, "artifact ok"))
        bad = self.run_tool("check", "edited.heddle", "--model=original.onnx")
        self.assertEqual(bad.returncode, 1)
        diverges, stages, lead = bad.stdout.splitlines()[-3:]
        self.assertRegex(diverges, r"^artifact DIVERGES: result 'y' differs at ")
        self.assertRegex(stages, r"^original.onnx compiled here: import ok · .*package ok$")
        self.assertRegex(lead, r"^every stage of original.onnx is right, so edited.heddle was not compiled from it as it is now: .*; compile it again$")

    def test_no_temporary_folder(self):
        self.write("model.onnx", "Relu")
        missing = str(self.folder / "missing")
        done = self.run_tool("compile", "model.onnx", "-o", "model.heddle", TMPDIR=missing)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"cannot make a temporary folder in '{missing}' to link in: No such file or directory; set TMPDIR to a folder that can be written")
        checked = self.run_tool("check", "model.onnx", "--dim=n=3", TMPDIR=missing)
        self.assertEqual(checked.returncode, 1)
        self.assertIn("set TMPDIR to a folder that can be written", checked.stdout + checked.stderr)


if __name__ == "__main__":
    unittest.main()
