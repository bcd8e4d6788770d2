# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A rank that is a process dies before its k-th collective, for every k of three programs: the others end soon, `heddle
launch` says who it was and where all were, and the next launch works. How ranks that are threads fail: ranks_test."""
import os
import subprocess
import time
import unittest

from support import ARTIFACTS, BIN, heddle
from test_ranks_tools import mpi_folders

ROUNDS = 5
NEVER = 900


class Dying:
    """Of one MPI."""

    mpi = ""
    rounds = range(1, ROUNDS + 1)

    @classmethod
    def setUpClass(cls):
        cls.prefix = mpi_folders().get(cls.mpi)
        if not cls.prefix:
            raise unittest.SkipTest(f"{cls.mpi} is not installed; scripts/setup.sh brings it")
        cls.environment = dict(os.environ, HEDDLE_MPIEXEC=os.path.join(cls.prefix, "bin", "mpiexec"))
        for name in ("HEDDLE_MPI", "VIRTUAL_ENV"):
            cls.environment.pop(name, None)

    def launch(self, program, k, victim):
        """Three ranks, of which one dies in round k."""
        zeros = [",".join("0" * size) for size in (k, victim)]
        begin = time.monotonic()
        done = heddle("launch", "-n", "3", "run", program, "--device=local://0", "--input=4xf32=1,2,3,4",
                      f"--input={k}xf32={zeros[0]}", f"--input={victim}xf32={zeros[1]}", env=self.environment)
        return done, time.monotonic() - begin

    def check(self, kind):
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        program = ARTIFACTS / f"dying_{kind}.heddle"
        subprocess.run([str(BIN / "make_test_artifact"), str(program), kind], check=True)
        done, good = self.launch(program, NEVER, NEVER)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        for k in self.rounds:
            with self.subTest(k):
                victim = 1 + k % 2
                done, took = self.launch(program, k, victim)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, rf"heddle launch: rank {victim} of 3 was ended by signal [45] ")
                if kind == "all_reduce" and k > 1:  # the others have met before, and no rank is a round ahead
                    self.assertRegex(done.stderr, rf"(?m)^  ranks? .* (in|after) {kind} 'meet'")
                self.assertLess(took, good + 5)
        self.assertEqual(self.launch(program, NEVER, NEVER)[0].returncode, 0)

    def test_all_reduce(self):
        self.check("all_reduce")

    def test_permute(self):
        self.check("permute")

    def test_broadcast(self):
        self.check("broadcast")


class TestMpich(Dying, unittest.TestCase):
    mpi = "mpich"


class TestOpenMpi(Dying, unittest.TestCase):
    mpi = "openmpi"
    rounds = (1, ROUNDS)


if __name__ == "__main__":
    unittest.main()
