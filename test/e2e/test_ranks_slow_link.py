# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two MPI ranks in two network namespaces with a link of 20 ms between them: a product of what is gathered is faster in pieces
than whole. As fast as the link is that a call computes as long as it moves, which is when there is most to gain.

HEDDLE_OVERLAP_RATIO is what the test asks for, of the best times of a few rounds in turn; it ends with the first that is enough. By
default 1.05: where the machine does other work, which takes the cores that compute and those that carry the link's bytes, it is 1.2 to
1.35. 1.5 on a machine that does nothing else; then the product is so large that the link's 20 ms for each message count little.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import support
from slow_link import ADDRESSES, NoLink, SlowLink

PREFIX = pathlib.Path(os.environ.get("HEDDLE_TEST_MPICH", sys.prefix))
RATIO = os.environ.get("HEDDLE_OVERLAP_RATIO")
DELAY_S, DEPTH, PIECES, ROUNDS = 0.02, 2048, 6, 4
ROWS, COLUMNS = (1024, 49152) if RATIO else (512, 16384)
PROGRAM = f"""device.mesh @m = [x = 2]
flow.parameter private @w : tensor<{DEPTH}x{COLUMNS}xf32> = dense<0.01>
func.func @main(%x: tensor<{ROWS}x{DEPTH}xf32> {{heddle.name = "x"}}) -> (tensor<{2 * ROWS}x{COLUMNS}xf32> {{heddle.name = "y"}}) {{
  %zero = arith.constant 0.0 : f32
  %w = flow.parameter.load @w : tensor<{DEPTH}x{COLUMNS}xf32>
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<{ROWS}x{DEPTH}xf32> -> tensor<{2 * ROWS}x{DEPTH}xf32>
  %e = tensor.empty() : tensor<{2 * ROWS}x{COLUMNS}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{2 * ROWS}x{COLUMNS}xf32>) -> tensor<{2 * ROWS}x{COLUMNS}xf32>
  %y = linalg.matmul ins(%g, %w : tensor<{2 * ROWS}x{DEPTH}xf32>, tensor<{DEPTH}x{COLUMNS}xf32>)
      outs(%f : tensor<{2 * ROWS}x{COLUMNS}xf32>) -> tensor<{2 * ROWS}x{COLUMNS}xf32>
  return %y : tensor<{2 * ROWS}x{COLUMNS}xf32>
}}
"""


class SlowLinkTest(support.EndToEnd):
    def compile(self, how):
        source, artifact = self.folder / "program.mlir", self.folder / f"{how}.heddle"
        source.write_text(PROGRAM)
        result = support.heddle("compile", source, "-o", artifact, f"--strategy=overlap:{how}")
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def bench(self, link, artifact):
        """The best time of a call, in seconds."""
        shell = self.folder / "shell"  # instead of ssh: the host's name is its namespace's
        shell.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1\nshift\n'
                         f'exec ip netns exec heddle{os.getpid()}_$host sh -c "$*"\n')
        shell.chmod(0o755)
        command = ["ip", "netns", "exec", link.namespaces[0], PREFIX / "bin" / "mpiexec", "-launcher", "ssh", "-launcher-exec", shell,
                   "-hosts", ",".join(f"{address}:1" for address in ADDRESSES), "-localhost", ADDRESSES[0], "-n", "2",
                   support.BIN / "heddle", "bench", artifact, "--device=local://0", "--device=local://1",
                   f"--input={ROWS}x{DEPTH}xf32=1", "--iterations=2", "--warmup=1", "--json", "--timeout=100"]
        done = subprocess.run(list(map(str, command)), env=os.environ | {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=support.TIMEOUT_S)
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout)["latency_us"]["min"] / 1e6

    def test_pieces_are_faster(self):
        self.assertTrue((PREFIX / "bin" / "mpiexec").exists(), f"no {PREFIX}/bin/mpiexec; run scripts/setup.sh")
        whole, pieces = self.compile("off"), self.compile(PIECES)
        try:
            link = SlowLink(0)
        except NoLink as error:
            self.skipTest(f"no link between network namespaces here: {error}")
        with link:
            computes = self.bench(link, whole)
            link.delay, link.rate = DELAY_S, 4 * ROWS * DEPTH / computes
            best, ratio, aim = {}, 0, float(RATIO or 0.8)  # beside other work on two cores nothing may be gained
            for _ in range(ROUNDS):
                for artifact in (whole, pieces):
                    best[artifact] = min(best.get(artifact, float("inf")), self.bench(link, artifact))
                ratio = best[whole] / best[pieces]
                if ratio >= aim:
                    break
        self.assertGreater(link.moved, 4 * ROWS * DEPTH, "the ranks did not talk over the link")
        print(f"computes {computes:.2f} s; whole {best[whole]:.2f} s, in {PIECES} pieces {best[pieces]:.2f} s: {ratio:.2f}", file=sys.stderr)
        self.assertGreaterEqual(ratio, aim)


if __name__ == "__main__":
    unittest.main()
