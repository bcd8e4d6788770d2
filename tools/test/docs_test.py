# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `console` examples of docs/cli.md, run as they stand. usage: docs_test.py BIN FIXTURE.heddle CLI.md

Each block is a shell session in a folder with pair.heddle; all sessions share the folder. A line is `$ COMMAND` or expected
output (both streams); `…` in a line stands for any text, a line `…` for any lines.
"""
import os
import re
import shutil
import subprocess
import tempfile
import sys
import unittest

PAGE = sys.argv.pop(3)
import tool_case  # noqa: E402  takes the other two arguments

SEPARATOR = "--- next command ---"


def sessions(text):
    """Lists of (command, expected lines) with the line number of the block."""
    for block in re.finditer(r"^```console\n(.*?)^```", text, re.S | re.M):
        steps = []
        for line in block.group(1).splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
        yield text[:block.start()].count("\n") + 1, steps


def line_matches(expected, got):
    return re.fullmatch(re.escape(expected).replace("…", ".*"), got) is not None


def matches(expected, got):
    """Of lists of lines."""
    if not expected:
        return not got
    if expected[0] == "…":
        return any(matches(expected[1:], got[skipped:]) for skipped in range(len(got) + 1))
    return bool(got) and line_matches(expected[0], got[0]) and matches(expected[1:], got[1:])


class Docs(unittest.TestCase):
    def test_matching(self):
        self.assertTrue(matches(["a … c"], ["a b c"]))
        self.assertFalse(matches(["a … c"], ["a b", "c"]))
        self.assertFalse(matches(["a.c"], ["abc"]))
        self.assertTrue(matches(["…", "c", "…"], ["a", "b", "c", "d"]))
        self.assertFalse(matches(["…", "x", "…"], ["a", "b", "c", "d"]))
        self.assertFalse(matches(["a"], ["a", "b"]))

    def test_examples(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(tool_case.FIXTURE, os.path.join(folder, "pair.heddle"))
        shutil.copy(os.path.join(os.path.dirname(tool_case.FIXTURE), "ranks.heddle"), folder)
        environment = dict(os.environ, PATH=tool_case.BIN + os.pathsep + os.environ["PATH"])
        with open(PAGE, encoding="utf-8") as file:
            found = list(sessions(file.read()))
        self.assertGreater(len(found), 5)
        for line, steps in found:
            # `(exit STATUS)` hands $? over the separator.
            script = "".join(f"{command}\nstatus=$?; echo '{SEPARATOR}'; (exit $status)\n" for command, _ in steps)
            done = subprocess.run(["bash", "-c", "exec 2>&1\n" + script], capture_output=True, text=True, cwd=folder,
                                  env=environment, timeout=120)
            outputs = done.stdout.split(SEPARATOR + "\n")
            for (command, expected), got in zip(steps, outputs):
                with self.subTest(line=line, command=command):
                    self.assertTrue(matches(expected, got.splitlines()), "\n".join(["", *expected, "got:", got]))


if __name__ == "__main__":
    unittest.main()
