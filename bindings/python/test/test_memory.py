# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocations that fail: each of load, call and start, once, is an exception, and what was there before works on."""
import ctypes
import os
import subprocess
import sys
import unittest

LIBRARY = os.environ.get("HEDDLE_FAILING_MEMORY", "")


def loop(step, fail_after):
    """Fails each allocation of a step; how many there were, and how many were an exception."""
    import heddle

    for n in range(10000):
        failed = None
        fail_after(n)
        try:
            step()
        except (MemoryError, heddle.Error) as error:
            failed = error
        if not fail_after(-1):
            if failed:
                raise failed
            return n
        step()
    raise AssertionError("the step never ends")


def main():
    import heddle
    import numpy

    fail_after = ctypes.CDLL(LIBRARY).fail_after
    fail_after.argtypes, fail_after.restype = [ctypes.c_long], ctypes.c_int
    fixture, x = os.environ["HEDDLE_FIXTURE"], numpy.arange(3, dtype=numpy.float32)
    module = heddle.load(fixture, devices=["local://0"])

    def check(results):
        numpy.testing.assert_array_equal(x + x, results[0])
        numpy.testing.assert_array_equal(x + x, results[1])

    def wrong():
        try:
            module(x)
        except (heddle.InvalidArgumentError, TypeError):
            pass

    steps = {"call": lambda: check(module(x, x)), "start": lambda: check(module.start(x, x).result()), "an error": wrong,
             "load": lambda: check(heddle.load(fixture, devices=["local://0"])(x, x))}
    for name, step in steps.items():
        print(name, loop(step, fail_after))


@unittest.skipUnless(LIBRARY and os.path.exists(LIBRARY), "needs the library that ctest builds, not under a sanitizer")
class Memory(unittest.TestCase):
    def test_each_allocation_fails_once(self):
        run = subprocess.run([sys.executable, __file__], env={**os.environ, "LD_PRELOAD": LIBRARY}, text=True, capture_output=True, timeout=300)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertNotIn("leaked", run.stderr)
        counts = dict(line.rsplit(" ", 1) for line in run.stdout.splitlines())
        self.assertGreater(int(counts["load"]), 100)
        self.assertGreater(int(counts["start"]), 1)


if __name__ == "__main__":
    main()
