# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of StableHLO's own interpreter tests, by its behaviour: the specification's results by NumPy, in the short form.

One test an op. What is refused is listed in REFUSED, so that a case that comes to work, or ceases to, is noticed.
`make_table.py` writes docs/design/stablehlo-interpreter.md from the same cases.
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import run_cases  # noqa: E402

# op: what the reason for each refused case says.
REFUSED = {}


class InterpreterTest(unittest.TestCase):
    def check(self, group):
        for answer in run_cases.answer(group):
            what = f"{answer.case.op} {answer.case.name}"
            self.assertNotEqual(answer.kind, "wrong", f"{what}: {answer.why}")
            if answer.kind == "refused":
                self.assertRegex(answer.why, REFUSED.get(answer.case.op, "(?!)"), what)


def add_test(op, group):
    setattr(InterpreterTest, f"test_{op.replace('.', '_')}", lambda self: self.check(group))


for name, members in run_cases.cases_by_op().items():
    add_test(name, members)

if __name__ == "__main__":
    unittest.main()
