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
    def check(self, rows, ranks, free=False, granule=1, begin=None, text=None):
        """`begin`: what the sum begins with, as `text` says; zeros without."""
        initial = f" = dense<{text}> : tensor<{rows}x4xf32>" if text else ""
        source = SOURCE.format(rows=rows, size="?" if free else ranks, granule=f" by {granule}" if granule > 1 else "", initial=initial)
        program = heddle.load(heddle.compile(source), mesh={"x": ranks} if free else None)
        random = numpy.random.default_rng(rows * 100 + ranks)
        total = numpy.zeros((rows, 4), numpy.float32) if begin is None else numpy.broadcast_to(begin, (rows, 4))
        joined = numpy.zeros((rows, 0), numpy.float32)
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
        self.check(3, 2, text="0.0")

    def test_values_to_begin_with(self):
        """One value, and others in each part."""
        for rows, ranks, free, granule in ((4, 2, False, 1), (3, 2, False, 1), (5, 4, False, 1), (2, 3, False, 1), (6, 2, False, 2), (3, 2, True, 1)):
            with self.subTest(rows=rows, ranks=ranks, free=free, granule=granule):
                self.check(rows, ranks, free, granule, begin=numpy.float32(2.5), text="2.5")
                begin = numpy.arange(rows * 4, dtype=numpy.float32).reshape(rows, 4)
                self.check(rows, ranks, free, granule, begin=begin, text=str(begin.tolist()))

    def test_columns(self):
        """Strips of rows, of several sizes, and parts along two axes."""
        whole = numpy.arange(3 * 5 * 2, dtype=numpy.float32).reshape(3, 5, 2)
        for mesh, axes in (("x = 2", '[], ["x"], []'), ("x = 2, y = 3", '["x"], ["y"], []'), ("x = 2, y = 2", '["y"], [], ["x"]'), ("x = ?", '[], ["x"], []')):
            with self.subTest(mesh=mesh, axes=axes):
                kind = "tensor<3x5x2xf32>"
                program = heddle.load(heddle.compile(f"""
device.mesh @m = [{mesh}]
flow.global private @s : {kind} = dense<{whole.tolist()}> : {kind}
func.func @main(%a: {kind}, %old: {kind} {{heddle.state = @s}}) -> ({kind}, {kind} {{heddle.state = @s}}) {{
  %e = tensor.empty() : {kind}
  %o = flow.shard %old as <@m, [{axes}]> : {kind}
  %s = linalg.add ins(%o, %a : {kind}, {kind}) outs(%e : {kind}) -> {kind}
  return %s, %s : {kind}, {kind}
}}
"""), mesh={"x": 3} if "?" in mesh else None)
                one = numpy.ones_like(whole)
                for step in (1, 2):
                    numpy.testing.assert_array_equal(program(one), whole + step)


if __name__ == "__main__":
    unittest.main()
