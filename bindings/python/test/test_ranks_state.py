# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""State that ranks have in parts, of one size and of several: each call gives what one rank gives."""
import unittest

import heddle
import numpy

# Two states: rows that are added to, and rows that grow.
SOURCE = """
device.mesh @m = [x = {size}]
flow.global private @sum : tensor<{rows}x4xf32>{initial}
flow.global private @list : tensor<{rows}x?xf32>
func.func @main(%a: tensor<{rows}x4xf32>, %new: tensor<{rows}x?xf32> {{heddle.dims = ["", "new"]}},
                %sum0: tensor<{rows}x4xf32> {{heddle.state = @sum}},
                %list0: tensor<{rows}x?xf32> {{heddle.state = @list, heddle.dims = ["", "old"]}})
    -> (tensor<{rows}x4xf32>, tensor<{rows}x?xf32>, tensor<{rows}x4xf32> {{heddle.state = @sum}},
        tensor<{rows}x?xf32> {{heddle.state = @list}}) {{
  %e = tensor.empty() : tensor<{rows}x4xf32>
  %old = flow.shard %sum0 as <@m, [["x"]{granule}, []]> : tensor<{rows}x4xf32>
  %s = linalg.add ins(%old, %a : tensor<{rows}x4xf32>, tensor<{rows}x4xf32>) outs(%e : tensor<{rows}x4xf32>) -> tensor<{rows}x4xf32>
  %before = flow.shard %list0 as <@m, [["x"]{granule}, []]> : tensor<{rows}x?xf32>
  %l = tensor.concat dim(1) %before, %new : (tensor<{rows}x?xf32>, tensor<{rows}x?xf32>) -> tensor<{rows}x?xf32>
  return %s, %l, %s, %l : tensor<{rows}x4xf32>, tensor<{rows}x?xf32>, tensor<{rows}x4xf32>, tensor<{rows}x?xf32>
}}
"""


class States(unittest.TestCase):
    def check(self, rows, ranks, free=False, granule=1, initial=""):
        source = SOURCE.format(rows=rows, size="?" if free else ranks, granule=f" by {granule}" if granule > 1 else "", initial=initial)
        program = heddle.load(heddle.compile(source), mesh={"x": ranks} if free else None)
        random = numpy.random.default_rng(rows * 100 + ranks)
        total, joined = numpy.zeros((rows, 4), numpy.float32), numpy.zeros((rows, 0), numpy.float32)
        for step in range(3):
            a = random.integers(-9, 9, (rows, 4)).astype(numpy.float32)
            new = random.integers(-9, 9, (rows, step + 1)).astype(numpy.float32)
            total, joined = total + a, numpy.concatenate([joined, new], axis=1)
            got = program(a, new)
            numpy.testing.assert_array_equal(got[0], total)
            numpy.testing.assert_array_equal(got[1], joined)

    def test_parts(self):
        """Of one size, of several, of none; at multiples; of a mesh that the load tells."""
        for rows, ranks, free, granule in ((4, 2, False, 1), (3, 2, False, 1), (5, 4, False, 1), (2, 3, False, 1), (6, 2, False, 2), (3, 2, True, 1)):
            with self.subTest(rows=rows, ranks=ranks, free=free, granule=granule):
                self.check(rows, ranks, free, granule)

    def test_zeros_are_said(self):
        self.check(3, 2, initial=" = dense<0.0> : tensor<3x4xf32>")


if __name__ == "__main__":
    unittest.main()
