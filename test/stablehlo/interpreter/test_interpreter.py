# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of StableHLO's own interpreter tests, by its behaviour: the specification's results by NumPy, in the short form.

One test an op. A case may be refused for the reasons in REFUSED alone, so that one that ceases to work is noticed.
`make_table.py` writes docs/design/stablehlo-interpreter.md from the same cases.
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import run_cases  # noqa: E402

REFUSED = r"complex numbers are not supported here"


class InterpreterTest(unittest.TestCase):
    def check(self, group):
        for answer in run_cases.answer(group):
            what = f"{answer.case.op} {answer.case.name}"
            self.assertNotEqual(answer.kind, "wrong", f"{what}: {answer.why}")
            if answer.kind == "refused":
                self.assertRegex(answer.why, REFUSED, what)


def add_test(op, group):
    setattr(InterpreterTest, f"test_{op.replace('.', '_')}", lambda self: self.check(group))


for name, members in run_cases.cases_by_op().items():
    add_test(name, members)

if __name__ == "__main__":
    unittest.main()
