# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What heddle compile shows on a terminal while it works, and what an artifact says of who made it."""
import json
import os
import pty
import subprocess
import unittest

import onnx
import onnx.parser
from support import BIN, EndToEnd, heddle

MODEL = '<ir_version: 10, opset_import: ["" : 20]> g (float[4, 8] x, float[8, 4] w) => (float[4, 4] y) { z = MatMul(x, w)  y = Softmax(z) }'


def on_terminal(*arguments, shows_output=False, **variables):
    """Exit status, and what a terminal gets that is standard error; with `shows_output` it is standard output, too."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BIN / "heddle", *map(str, arguments)], stdin=subprocess.DEVNULL, stderr=theirs,
                               stdout=theirs if shows_output else subprocess.DEVNULL, env={**os.environ, **variables})
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    return process.wait(), text.decode()


class Progress(EndToEnd):
    def setUp(self):
        super().setUp()
        self.model, self.out = self.folder / "m.onnx", self.folder / "m.heddle"
        onnx.save(onnx.parser.parse_model(MODEL), self.model)

    def test_on_a_terminal(self):
        status, text = on_terminal("compile", self.model, "-o", self.out, "--cache=off")
        self.assertEqual(0, status, text)
        shown = [part.removesuffix("\x1b[K") for part in text.split("\r") if part.startswith("compiling: ")]
        self.assertEqual("compiling: import", shown[0])
        self.assertIn("compiling: form", shown)
        self.assertIn("compiling: kernels, compiling 1 of 2", shown)
        self.assertEqual(len(shown), len(set(shown)), "no line is shown twice")
        # The line is gone before other text, and at the end.
        before, after = text.split("placed ")
        self.assertTrue(before.endswith("\r\x1b[K"), repr(before[-40:]))
        self.assertNotIn("compiling", after)

    def test_not_shown(self):
        for flags in (["-q"], ["--timing"]):
            status, text = on_terminal("compile", self.model, "-o", self.out, "--cache=off", *flags)
            self.assertEqual((0, False), (status, "compiling: " in text), flags)
        done = heddle("compile", self.model, "-o", self.out, "--cache=off")
        self.assertEqual((0, False), (done.returncode, "compiling" in done.stderr))

        status, text = on_terminal("compile", self.model, "-o", self.out, "--cache=off", HEDDLE_PROGRESS="off")
        self.assertEqual((0, False), (status, "compiling: " in text))

    def test_another_terminal(self):
        """What Python does: it reads standard error, and gives the compiler its own terminal."""
        ours, theirs = pty.openpty()
        done = subprocess.run([BIN / "heddle", "compile", self.model, "-o", self.out, "--cache=off"], capture_output=True, text=True,
                              env={**os.environ, "HEDDLE_PROGRESS": str(theirs)}, pass_fds=(theirs,))
        os.close(theirs)
        text = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertEqual((0, False), (done.returncode, "compiling: " in done.stderr))
        self.assertIn("compiling: kernels", text)
        self.assertTrue(text.endswith("\r\x1b[K"), repr(text[-40:]))

    def test_check(self):
        status, text = on_terminal("check", self.model, shows_output=True)
        self.assertEqual(0, status, text)
        shown = [part.removesuffix("\x1b[K") for part in text.split("\r") if part.startswith("checking: ")]
        self.assertEqual("checking: import", shown[0])
        self.assertIn("checking: form", shown)
        after = text.rsplit("\x1b[K", 1)[1]  # the report, whole
        self.assertRegex(after, r"^import ok · .*package ok[^·]*\r\n$")
        self.assertRegex(text, r"\r\x1b\[Krandom inputs, --seed=1:")
        # Where the report goes elsewhere, it is as before.
        done = heddle("check", self.model)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertIn("import ok · ", done.stdout)

    def test_errors_stand_alone(self):
        onnx.save(onnx.parser.parse_model(MODEL.replace("Softmax", "NoSuchOp")), self.model)
        status, text = on_terminal("compile", self.model, "-o", self.out, "--cache=off")
        self.assertEqual(1, status)
        self.assertRegex(text, r"\r\x1b\[K[^\r]*error: ")

    def test_producer(self):
        self.assertEqual(0, heddle("compile", self.model, "-o", self.out).returncode)
        version = heddle("--version").stdout.strip()
        self.assertRegex(version, r"^heddle \d+\.\d+\.\d+ \((commit [0-9a-f]{12}, )?LLVM \d+\.\d+\.\d+\)$")
        self.assertEqual(version, json.loads(heddle("inspect", self.out, "--json").stdout)["producer"])
        self.assertTrue(heddle("inspect", self.out).stdout.splitlines()[0].endswith(f", by {version}"))


if __name__ == "__main__":
    unittest.main()
