# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a rank's device has of a language model and its cache: a part, where each rank is a process with a device of its own."""
import os
import sys
import unittest

import numpy
import support
from test_ranks_tools import mpi_folders

sys.path[:0] = [str(support.BIN.parent / "python"), str(support.ROOT / "examples" / "ranks")]

try:
    import heddle
    import language_model_ranks
    from language_model_ranks import language_model
except ImportError as missing:
    raise unittest.SkipTest(f"the Python package is not built: {missing}")


PIECES = 48 << 10  # of collectives whose number of pieces the load decides: each way has buffers of its own


class Memory(support.EndToEnd):
    def test_a_rank_has_its_part(self):
        """Weights and cache by ranks, and a tenth for all else. One rank of the same program has no room in that."""
        prefix = next(iter(mpi_folders().values()), None)
        if prefix is None:
            self.skipTest("no MPI is installed; scripts/setup.sh brings one")
        config, weights = language_model.random_weights(layers=4, heads=18, kv_heads=6)
        cache = 2 * config.layers * config.kv_heads * config.head_size * language_model_ranks.CAPACITY * 4
        everything = sum(value.nbytes for value in weights.values()) + cache
        environment = dict(os.environ, HEDDLE_MPIEXEC=os.path.join(prefix, "bin", "mpiexec"))
        numpy.save(self.folder / "tokens.npy", numpy.array([[7]], numpy.int64))

        def run(ranks, limit):
            artifact = language_model_ranks.compile_for(config, weights, heddle.Mesh(tp=ranks))
            return support.heddle("launch", "-n", ranks, "run", artifact.path, f"--device=local://0?discrete=yes&memory={limit}",
                                  f"--input=@{self.folder}/tokens.npy", env=environment)

        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                done = run(ranks, int(everything / ranks * 1.1) + PIECES)
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("memory", run(1, int(everything / 2 * 1.1)).stderr)


if __name__ == "__main__":
    unittest.main()
