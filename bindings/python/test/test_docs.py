# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `pycon` examples of docs/python.md, run as they stand, in order, in one interpreter."""
import doctest
import os
import pathlib
import re
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "python.md"


class Docs(unittest.TestCase):
    def test_examples(self):
        blocks = re.findall(r"^```pycon\n(.*?)^```", PAGE.read_text(), re.S | re.M)
        examples = doctest.DocTestParser().get_doctest("".join(blocks), {}, PAGE.name, None, 0)
        self.assertGreater(len(examples.examples), 25)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        report = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(examples, out=report.append)
        self.assertEqual(0, runner.failures, "".join(report))


if __name__ == "__main__":
    unittest.main()
