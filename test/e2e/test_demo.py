# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`make demo` prints what the README shows."""
import re
import subprocess
import unittest

import support

LINE = re.compile(r"^(\S+)  +(\S+)  +([01]\.\d{4})$", re.MULTILINE)
TYPES = {"README.md": "markdown", "Makefile": "makefile", "CMakeLists.txt": "cmake", "CMakePresets.json": "json",
         "scripts/run_tests.py": "python", "scripts/setup.sh": "shell", "contract/lib/Plan.cpp": "cpp", "gradient.png": "png",
         "archive.zip": "zip", "array.npy": "npy", "heddle": "elf"}


class DemoTest(unittest.TestCase):
    def test_types_are_right_and_the_readme_true(self):
        result = subprocess.run([support.ROOT / "examples/magika/demo.sh", support.BIN], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True)
        self.assertEqual(0, result.returncode, result.stderr)
        printed = {path: (label, float(score)) for path, label, score in LINE.findall(result.stdout)}
        self.assertEqual(len(TYPES), len(printed), result.stdout)
        for path, (label, _) in printed.items():
            expected = next(kind for name, kind in TYPES.items() if path.endswith(name))
            self.assertEqual(expected, label, path)
        shown = {path: (label, float(score)) for path, label, score in LINE.findall((support.ROOT / "README.md").read_text())}
        self.assertEqual(len(TYPES), len(shown))
        for path, (label, score) in shown.items():
            got = next(value for name, value in printed.items() if name.endswith(path.split("/")[-1]))
            self.assertEqual(label, got[0], path)
            # Some of the files change from day to day, and with them the score's last digits.
            self.assertAlmostEqual(score, got[1], delta=0.05, msg=path)

    def test_unreadable_file(self):
        result = subprocess.run([support.ROOT / "examples/magika/demo.sh", support.BIN, "no/such/file"],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertNotEqual(0, result.returncode)
        self.assertIn("cannot read no/such/file", result.stderr)


if __name__ == "__main__":
    unittest.main()
