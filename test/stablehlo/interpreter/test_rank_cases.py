# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""StableHLO's collectives by their behaviour, on as many ranks as each case has: as threads of one
process, and (all cases of a grid of processes in one program) as processes that MPI starts."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import numpy  # noqa: E402
import rank_cases  # noqa: E402
import run_ranks  # noqa: E402


class RankCasesTest(unittest.TestCase):
    def check(self, case, by_mpi=False):
        with tempfile.TemporaryDirectory() as folder:
            results = run_ranks.run_own(case.text(), case.inputs, len(case.wanted[0]), pathlib.Path(folder), by_mpi)
        for rank, (got, want) in enumerate(zip(results, case.wanted)):
            for n, (mine, theirs) in enumerate(zip(got, want)):
                numpy.testing.assert_array_equal(mine, theirs, f"{case.op} {case.name}: result {n} of rank {rank}", strict=True)

    @unittest.skipUnless(run_ranks.MPICH.exists(), "there is no MPICH; scripts/setup.sh installs it")
    def test_by_mpi(self):
        grids = {}
        for case in rank_cases.all_cases():
            grids.setdefault((case.replicas, case.partitions, case.mesh), []).append(case)
        for grid, cases in grids.items():
            if grid[:2] != (1, 1):
                with self.subTest(grid):
                    self.check(rank_cases.joined(cases), by_mpi=True)


def add_test(op):
    def check(self):
        for case in rank_cases.all_cases():
            if case.op == op:
                with self.subTest(case.name):
                    self.check(case)

    setattr(RankCasesTest, f"test_{op}", check)


for name in {case.op: None for case in rank_cases.all_cases()}:
    add_test(name)

if __name__ == "__main__":
    unittest.main()
