# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings by name: their text, their errors, and what the compiler makes of them."""
import unittest

import heddle
from heddle._shard import to_file


class Placement:
    """As those of torch.distributed.tensor, which is not here."""

    def __init__(self, dim=None, reduce_op=None):
        self.dim, self.reduce_op = dim, reduce_op

    def is_shard(self):
        return self.dim is not None

    def is_partial(self):
        return self.reduce_op is not None

    def is_replicate(self):
        return not self.is_shard() and not self.is_partial()


Shard, Replicate, Partial, Strided = (type(name, (Placement,), {}) for name in ("Shard", "Replicate", "Partial", "_StridedShard"))


class Text(unittest.TestCase):
    def test_by_dimension(self):
        for sharding, text in ((heddle.shard("tp", None), "[tp, -]"), (heddle.shard(("dp", "tp"), ...), "[(dp, tp), ?]"),
                               (heddle.shard(("tp", 64)), "[tp by 64]"), (heddle.shard(("tp", ...)), "[(tp, ?)]"),
                               (heddle.shard(("dp", "tp", 8), None), "[(dp, tp) by 8, -]")):
            self.assertEqual(str(sharding), text)
        self.assertEqual(repr(heddle.shard("tp")), "<heddle.Sharding [tp]>")

    def test_by_axis(self):
        self.assertEqual(str(heddle.shard()), "{}")
        self.assertEqual(str(heddle.shard(tp=-1, dp="sum", pp=None)), "{tp: -1, dp: partial sum, pp: -}")

    def test_files(self):
        mesh = heddle.Mesh(dp=2, tp=4)
        self.assertEqual(to_file({"w*": heddle.shard("tp"), "x": "[dp, -]", "y": ("tp", None)}, mesh),
                         "mesh dp=2,tp=4\nw* = [tp]\nx = [dp, -]\ny = [tp, -]\n")
        self.assertEqual(to_file({"w": [Replicate(), Shard(0)], "s": (Partial(reduce_op="sum"), Shard(-1))}, "dp=?,tp=4"),
                         "mesh dp=?,tp=4\nw = {dp: -, tp: 0}\ns = {dp: partial sum, tp: -1}\n")

    def test_several_meshes(self):
        text = to_file({"w": heddle.shard("tp").on("back")}, {"front": heddle.Mesh(tp=2, dp=2), "back": heddle.Mesh(tp=3)})
        self.assertEqual(text, "mesh front: tp=2,dp=2 at 0\nmesh back: tp=3 at 4\nw = @back [tp]\n")

    def test_wrong_ones(self):
        for make, words in ((lambda: heddle.shard("tp", dp=0), "got both"), (lambda: heddle.shard(3), "got 3"),
                            (lambda: heddle.shard(()), r"got \(\)"), (lambda: heddle.shard((64, "tp")), "a granule of positions comes last"),
                            (lambda: heddle.shard(tp=1.5), "tp=1.5"), (lambda: heddle.shard(tp=True), "tp=True"),
                            (lambda: to_file({"w": 3}, None), "the sharding of 'w' is"), (lambda: to_file({"": "[]"}, None), "got ''"),
                            (lambda: to_file({"a\nb": "[]"}, None), "patterns of names"),
                            (lambda: to_file({"#w": "[tp]"}, None), "no pattern begins with '#'"),
                            (lambda: to_file({" mesh w": "[tp]"}, None), "or the word 'mesh'"),
                            (lambda: to_file({"w": "[tp]\nx = [tp]"}, None), "the sharding of 'w' is one line"),
                            (lambda: to_file({"w": heddle.shard("tp\n")}, None), "the sharding of 'w' is one line"),
                            (lambda: to_file({"w": [Shard(0)]}, None), "has 1 placements, one for each axis of the mesh, which has 0"),
                            (lambda: to_file({}, {"a": heddle.Mesh(x=2), "b": 2}), "got b=2"),
                            (lambda: to_file({"w": [Strided(0)]}, "tp=2"), "placements are Shard, Replicate and Partial"),
                            (lambda: to_file({"w": [Partial(reduce_op="avg")]}, "tp=2"), "divide after the sum")):
            with self.subTest(words), self.assertRaisesRegex(heddle.InvalidArgumentError, words):
                make()


SOURCE = """
func.func @main(%x: tensor<4x8xf32> {heddle.name = "x"}) -> (tensor<4x8xf32> {heddle.name = "y"}) {
  %0 = tosa.add %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}"""


class Compiled(unittest.TestCase):
    def test_the_compiler_reads_them(self):
        artifact = heddle.compile(SOURCE, mesh=heddle.Mesh(tp=2), shardings={"x": heddle.shard("tp", None)}, compile_to="import")
        self.assertIn('flow.shard %arg0 as <@mesh, [["tp"], []]>', artifact.path.read_text())

    def test_errors_name_the_line(self):
        for shardings, words in (({"x": "tp"}, r"shardings:2:1: error: expected '\[' or '{'"), ({"xx": "[tp, -]"}, r"shardings:2:1: error: the pattern 'xx' fits no"),
                                 ({"y": "[tp, -]", "x": "[tp]"}, r"shardings:3:1: .*'x', which has 2 dimensions")):
            with self.subTest(words), self.assertRaisesRegex(heddle.CompileError, words):
                heddle.compile(SOURCE, mesh={"tp": 2}, shardings=shardings)
        with self.assertRaisesRegex(heddle.CompileError, "there is no mesh; add a line such as 'mesh tp = 2'"):
            heddle.compile(SOURCE, shardings={"x": "[tp, -]"})
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "shardings and shard_file"):
            heddle.compile(SOURCE, shardings={}, shard_file="x")


if __name__ == "__main__":
    unittest.main()
