# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples in the descriptions of passes (the `mlir` blocks of Passes.td) are programs on which the pass runs.

What stands before a line `// becomes` is run through `heddle-opt` with the pass, and must give what stands after it, whatever the
names of values. SKETCHES lists passes whose examples are abbreviated; the list may only get shorter.
"""
import os
import pathlib
import re
import subprocess
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPT = pathlib.Path(os.environ["HEDDLE_BIN"]) / "heddle-opt"
SKETCHES = pathlib.Path(__file__).with_name("pass_sketches.txt").read_text().split("\n")


def examples(text):
    """(flag, example) of a Passes.td."""
    for definition in re.finditer(r'^def \w+ : Pass<"([^"]+)".*?^}', text, re.S | re.M):
        for block in re.finditer(r"```mlir\n(.*?)```", definition.group(0), re.S):
            yield definition.group(1), textwrap.dedent(block.group(1))


def run(program, *flags):
    result = subprocess.run([OPT, "-", *flags], input=program, capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


def fault(flag, example):
    """Why an example does not hold; "" where it does."""
    before, becomes, after = example.partition("// becomes\n")
    plain, printed, error = run(before)
    if plain:
        return f"it does not parse: {error}"
    status, made, error = run(before, f"--{flag}")
    if status:
        return f"the pass fails: {error}"
    if not becomes:
        return ""
    status, wanted, error = run(after)
    if status:
        return f"what stands after `becomes` does not parse: {error}"
    if made == printed:
        return "the pass changes nothing"
    return "" if made == wanted else f"it becomes\n{made}\nand not\n{wanted}"


class PassExamples(unittest.TestCase):
    def test_faults_are_found(self):
        twice = "func.func @main(%x: i1) -> i1 {\n  %c = arith.constant true\n  %0 = arith.xori %x, %c : i1\n  return %0 : i1\n}\n"
        self.assertEqual("", fault("canonicalize", twice))
        self.assertIn("does not parse", fault("canonicalize", "%0 = arith.xori …"))
        self.assertIn("changes nothing", fault("cse", twice + "// becomes\n" + twice))
        unused = twice.replace("%0 = ", "%1 = arith.andi %x, %x : i1\n  %0 = ")
        self.assertEqual("", fault("cse", unused + "// becomes\n" + twice))
        self.assertIn("and not", fault("cse", unused + "// becomes\n" + twice.replace("true", "false")))
        self.assertIn("after `becomes`", fault("cse", unused + "// becomes\n%0"))

    def test_examples(self):
        sketches = {line for line in SKETCHES if line and not line.startswith("#")}
        found = set()
        for path in sorted((ROOT / "compiler").rglob("Passes.td")):
            for flag, example in examples(path.read_text()):
                why = fault(flag, example)
                if why:
                    found.add(flag)
                with self.subTest(flag):
                    self.assertTrue(not why or flag in sketches, f"{path.relative_to(ROOT)}: the example of {flag}: {why}")
        self.assertEqual(set(), sketches - found, "these examples run: take them from test/e2e/pass_sketches.txt")


if __name__ == "__main__":
    unittest.main()
