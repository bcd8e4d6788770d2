# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the tools share. A test program is started as: NAME_test.py BIN FIXTURE.heddle"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

BIN = sys.argv.pop(1)
FIXTURE = sys.argv.pop(1)


def npy(descr, shape, data):
    """A .npy file (version 1.0) as bytes."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


class ToolCase(unittest.TestCase):
    """A folder of its own, and `heddle VERB` started in it."""

    verb = ""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def start(self, *arguments, **options):
        return subprocess.run([os.path.join(BIN, "heddle"), self.verb, *arguments], capture_output=True, text=True,
                              cwd=self.folder, timeout=120, **options)

    def good(self, *arguments):
        """Standard output of a call that succeeds and has nothing to say."""
        done = self.start(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return done.stdout

    def refused(self, status, message, *arguments):
        """The call fails with this status; standard error begins so, standard output is empty."""
        done = self.start(*arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done)
        self.assertTrue(done.stderr.startswith(f"heddle {self.verb}: {message}"), done.stderr)
        return done.stderr
