# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types that the package declares: the stub of the extension fits it, and the sources pass mypy --strict."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import heddle

# What nanobind's classes and functions do not tell: their metaclass, and what a constructor without a stub takes.
ALLOWED = r"""
heddle\._runtime\.[A-Z]\w+
heddle\._runtime\.\w+\.__init__
heddle\._runtime\.(artifact_ranks|devices|launched_rank|plan_json)
"""


class Types(unittest.TestCase):
    def check(self, *command):
        folder = pathlib.Path(heddle.__file__).parent.parent
        done = subprocess.run([sys.executable, "-m", *map(str, command)], cwd=folder, capture_output=True, text=True,
                              env=dict(os.environ, MYPYPATH=str(folder)))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_stub(self):
        with tempfile.TemporaryDirectory() as folder:
            allowed, config = pathlib.Path(folder) / "allowed.txt", pathlib.Path(folder) / "mypy.ini"
            allowed.write_text(ALLOWED)
            config.write_text("[mypy]\nignore_missing_imports = True\n")  # PyTorch
            self.check("mypy.stubtest", "heddle._runtime", "--allowlist", allowed, "--mypy-config-file", config)

    def test_sources(self):
        self.check("mypy", "--strict", "--ignore-missing-imports", "--allow-subclassing-any", "-p", "heddle")


if __name__ == "__main__":
    unittest.main()
