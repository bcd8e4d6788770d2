# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`make demo2` reads the text it rendered; other widths of line through the same artifact."""
import subprocess
import sys
import unittest

import numpy
import support

sys.path.insert(0, str(support.ROOT / "examples" / "ocr"))

import line_image  # noqa: E402
import onnx  # noqa: E402
import read_line  # noqa: E402

TEXTS = ("warp", "A quick brown fox, 3.14159", "The loom lifts every other thread of the warp at once")


class Demo2Test(support.EndToEnd):
    def test_reads_what_it_rendered(self):
        result = subprocess.run([support.ROOT / "examples/ocr/demo.sh", support.BIN], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual("Heddle weaves 42 tensors, warp and weft!", result.stdout.splitlines()[-1])

    def test_lines_of_other_widths(self):
        characters = read_line.alphabet(onnx.load(support.model("ppocr_rec")))
        for text in TEXTS:
            with self.subTest(text=text):
                feed = {"x": line_image.features(line_image.render(text))}
                (scores,) = self.run_model("ppocr_rec", feed, ["softmax_11.tmp_0"])
                self.assertEqual(text, read_line.decode(scores[0], characters))

    def test_steps_of_one_character_are_one(self):
        steps = numpy.eye(4)[[0, 1, 1, 0, 1, 2, 2, 3]]
        self.assertEqual("aab c", read_line.decode(steps, ["", "a", "b", " c"]))


if __name__ == "__main__":
    unittest.main()
