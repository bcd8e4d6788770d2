# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forks, files that are overwritten while they are loaded, names that would command a terminal."""
import os
import pathlib
import shutil
import signal
import tempfile
import unittest

import heddle
import numpy

from support import FIXTURE, pair

X = numpy.ones(3, numpy.float32)


def sums(module):
    return (module(X, X)[0] == 2).all() and (module.start(X, X).result(timeout=15)[0] == 2).all()


class Process(unittest.TestCase):
    def test_a_child_computes(self):
        module = pair()
        self.assertTrue(sums(module))
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(0 if sums(module) and sums(pair()) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(sums(module))

    def test_a_copy_may_be_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "live.heddle"
            shutil.copy(FIXTURE, path)
            module = heddle.load(path, copy=True)
            path.write_bytes(b"short")  # in place
            self.assertTrue(sums(module))

    def test_names_are_shown(self):
        with self.assertRaisesRegex(heddle.NotFoundError, r"/no\\x1b\]0;x\\x07\\n\\u\{202e\}file"):
            heddle.load("/no\x1b]0;x\x07\n\u202efile")


if __name__ == "__main__":
    unittest.main()
