# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is written twice by necessity is the same: the version, the chart of the README."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class FrontDoor(unittest.TestCase):
    def test_version(self):
        version = re.search(r"project\(Heddle VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        self.assertIn(f"find_package(Heddle {version.rpartition('.')[0]} ", (ROOT / "docs" / "install.md").read_text())
        pattern = re.search(r"^regex = '(.*)'$", (ROOT / "pyproject.toml").read_text(), re.M).group(1)
        self.assertEqual(version, re.search(pattern, (ROOT / "CMakeLists.txt").read_text()).group("value"))

    def test_entry_points(self):
        """What the metadata of the package names is there."""
        points = re.findall(r'^heddle = "([\w.]+):(\w+)"$', (ROOT / "pyproject.toml").read_text(), re.M)
        self.assertEqual(2, len(points))
        for module, function in points:
            path = ROOT / "bindings" / "python" / f"{module.replace('.', '/')}.py"
            self.assertIn(f"\ndef {function}(", path.read_text())

    def test_chart(self):
        done = subprocess.run([sys.executable, ROOT / "benchmarks" / "plot.py", "--check"], capture_output=True, text=True)
        self.assertEqual("", done.stderr)
        self.assertEqual(0, done.returncode)

    def test_options(self):
        """docs/install.md lists the options that CMakeLists.txt has for users."""
        options = set(re.findall(r"^option\((HEDDLE_\w+) ", (ROOT / "CMakeLists.txt").read_text(), re.M)) - {"HEDDLE_FUZZ"}
        listed = set(re.findall(r"^\| `(HEDDLE_\w+)` \|", (ROOT / "docs" / "install.md").read_text(), re.M))
        self.assertEqual(options | {"HEDDLE_ONNX", "HEDDLE_VULKAN"}, listed)

    def test_operators(self):
        """The README counts the operators as the generated page does."""
        count = re.search(r"^(\d+) operators;", (ROOT / "docs" / "operators.md").read_text(), re.M).group(1)
        self.assertIn(f"[{count} operators](docs/operators.md)", (ROOT / "README.md").read_text())

    def test_no_leaks(self):
        """A project around this one has another source and build folder."""
        for path in [*ROOT.glob("cmake/*.cmake"), *(p for p in ROOT.rglob("CMakeLists.txt") if "build" not in p.relative_to(ROOT).parts)]:
            if path.is_relative_to(ROOT / "examples"):
                continue
            with self.subTest(path=path):
                self.assertNotRegex(path.read_text(), r"CMAKE_(SOURCE|BINARY)_DIR")


if __name__ == "__main__":
    unittest.main()
