# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""-O0 to -O3: every level gives a program that computes the same."""
import pathlib
import tempfile
import unittest

import support

MODEL = support.ROOT / "docs" / "design" / "tour.mlir"


class LevelsTest(unittest.TestCase):
    def test_every_level(self):
        with tempfile.TemporaryDirectory() as folder:
            sizes = set()
            for level in range(4):
                output = pathlib.Path(folder) / f"level{level}.heddle"
                compiled = support.heddle("compile", MODEL, "-o", output, f"-O{level}")
                self.assertEqual(compiled.returncode, 0, compiled.stderr)
                sizes.add(output.read_bytes())
                run = support.heddle("run", output, "--input=3x8xf32=1")
                self.assertIn("[[5 3 4.5 3.5][5 3 4.5 3.5][5 3 4.5 3.5]]", run.stdout)
            self.assertGreater(len(sizes), 1, "the level makes no difference to the code")

    def test_unknown_level(self):
        result = support.heddle("compile", MODEL, "-o", "unused.heddle", "-O4")
        self.assertEqual(result.returncode, 2)
        self.assertIn("-O takes 0, 1, 2 or 3, got 4", result.stderr)


if __name__ == "__main__":
    unittest.main()
