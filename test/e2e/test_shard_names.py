# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings of ONNX models by name: by a sharding file, and by the model's own specifications (IR version 11); what import makes of them."""
import re
import unittest

import numpy
import onnx
import support
from onnx import TensorProto, helper, numpy_helper

SHAPES = {"w": (8, 16), "v": (16, 8), "b": (16,)}


def perceptron():
    """y = relu(x w + b) v"""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["up"], name="layer/up"), helper.make_node("Add", ["up", "b"], ["sum"], name="layer/add"),
             helper.make_node("Relu", ["sum"], ["relu"], name="layer/relu"), helper.make_node("MatMul", ["relu", "v"], ["y"], name="layer/down"),
             helper.make_node("Shape", ["x"], ["size"], name="layer/size")]
    value = lambda name, shape, kind=TensorProto.FLOAT: helper.make_tensor_value_info(name, kind, shape)
    weights = [numpy_helper.from_array(numpy.zeros(shape, numpy.float32), name) for name, shape in SHAPES.items()]
    graph = helper.make_graph(nodes, "mlp", [value("x", ["n", 8])], [value("y", ["n", 8]), value("size", [2], TensorProto.INT64)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=11)


class Import(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.proto = perceptron()

    def compile(self, *flags, status=0):
        """The IR behind import, or what the compiler says."""
        path, target = self.folder / "m.onnx", self.folder / "m.mlir"
        onnx.save(self.proto, path)
        done = support.heddle("compile", path, "-o", target, "--compile-to=import", *flags)
        self.assertEqual(status, done.returncode, done.stderr)
        self.said = done.stderr
        return target.read_text() if status == 0 else done.stderr

    def by_file(self, text, status=0):
        path = self.folder / "m.shard"
        path.write_text(text)
        return self.compile(f"--shard-file={path}", status=status)

    def shards(self, text):
        """(shape, sharding, location) of each request, in order."""
        places = dict(re.findall(r'^(#loc\d*) = loc\("([^"]*)"', text, re.MULTILINE))
        found = re.findall(r"flow.shard %\S+ as <@\w+, (.*)> : tensor<(\S+)xf32> loc\((#loc\d*)\)", text)
        return [(shape, sharding, places.get(place, place)) for sharding, shape, place in found]


class File(Import):
    def test_inputs_weights_values_nodes_and_results(self):
        text = self.by_file("mesh tp = 2, dp = ?\nx = [dp, -]\nw = [-, tp]\nb = {tp: 0}\nv = [tp by 4, -]\nrelu = [dp, (tp, ?)]\n*/add = [?, ?]\ny = [dp, -]\n")
        self.assertIn("device.mesh @mesh = [tp = 2, dp = ?]", text)
        self.assertEqual(sorted(self.shards(text)), sorted([
            ("?x8", '[["dp"], []]', "x"), ("8x16", '[[], ["tp"]]', "w"), ("16x8", '[["tp"] by 4, []]', "v"), ("16", '[["tp"]]', "b"),
            ("?x16", "[?, ?]", "sum"), ("?x16", '[["dp"], ["tp", ?]]', "relu"), ("?x8", '[["dp"], []]', "y")]))

    def test_the_first_line_decides(self):
        self.assertEqual(self.shards(self.by_file("mesh tp = 2\nw = [tp, -]\n? = {}\n"))[:2], [("8x16", '[["tp"], []]', "w"), ("16x8", "[[], []]", "v")])

    def test_a_weight_stays_a_value(self):
        """Lowerings rewrite the bytes of constants, which would leave the request behind: here a quantised weight's."""
        text = self.by_file("mesh tp = 2\nw = [-, tp]\n")
        self.assertRegex(text, r"flow.parameter.load @w .*\n.*flow.shard")

    def test_errors(self):
        for lines, words in (("w = [tp]", "m.shard:2:1: error: the pattern 'w' shards 1 dimensions and fits 'w', which has 2 dimensions"),
                             ("layer/upp = [tp, -]", "m.shard:2:1: error: the pattern 'layer/upp' fits no input.*; did you mean 'layer/up'\\?"),
                             ("size = [tp]", "fits only what the host computes"), ("w = [tpp, -]", "has no axis 'tpp'; axes: tp; did you mean 'tp'"),
                             ("w = [tp, -] x", "m.shard:2:1: error: expected 'partial REDUCTION AXIS' or nothing after '\\]'")):
            with self.subTest(lines):
                self.assertRegex(self.by_file(f"mesh tp = 2\n{lines}\n", status=1), words)
        self.assertIn("there is no mesh; add a line such as 'mesh tp = 2'", self.by_file("w = [tp, -]\n", status=1))
        self.assertIn("the model has something else that is called 'w'", self.by_file("mesh w: tp = 2\nx = [tp, -]\n", status=1))
        self.assertIn("cannot read the sharding file", self.compile(f"--shard-file={self.folder}/none", status=1))
        other = self.folder / "other.mlir"
        other.write_text("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }")
        (self.folder / "m.shard").write_text("mesh tp = 2\nw = [tp, -]\n")
        self.assertIn("a sharding file is for ONNX models or for MLIR", self.compile(f"--shard-file={self.folder}/m.shard", f"--with={other}", status=1))


class Specifications(Import):
    def configure(self, devices):
        configuration = self.proto.configuration.add()
        configuration.name, configuration.num_devices = "cluster", devices

    def annotate(self, node, tensor, devices, dims=(), groups=None, stage=None):
        """`dims`: (axis, [(size or name, shards), …])."""
        node = self.proto.graph.node[node]
        entry = node.device_configurations[0] if node.device_configurations else node.device_configurations.add()
        entry.configuration_id = "cluster"
        if stage is not None:
            entry.pipeline_stage = stage
        spec = entry.sharding_spec.add()
        spec.tensor_name = tensor
        spec.device.extend(devices)
        for key, group in (groups or {}).items():
            pair = spec.index_to_device_group_map.add()
            pair.key = key
            pair.value.extend(group)
        for axis, factors in dims:
            dim = spec.sharded_dim.add()
            dim.axis = axis
            for size, shards in factors:
                factor = dim.simple_sharding.add()
                factor.num_shards = shards
                if isinstance(size, str):
                    factor.dim_param = size
                elif size is not None:
                    factor.dim_value = size

    def test_two_devices(self):
        self.configure(2)
        self.annotate(0, "w", [0, 1], [(-1, [(16, 2)])])
        self.annotate(0, "up", [0, 1], [(0, [("n", 1)]), (1, [(16, 2)])])
        self.annotate(3, "y", [-1], [], {-1: [0, 1]})
        text = self.compile()
        self.assertIn("device.mesh @ranks = [d0 = 2]", text)
        self.assertEqual(self.shards(text), [("8x16", '[[], ["d0"]]', "w"), ("?x16", '[[], ["d0"]]', "up"), ("?x8", "[[], []]", "y")])

    def test_groups_make_axes(self):
        """Four devices: blocks of two copies, of neighbours and of every second."""
        self.configure(4)
        self.annotate(0, "w", [-1, -2], [(1, [(16, 2)])], {-1: [0, 1], -2: [2, 3]})
        self.annotate(3, "v", [7, 8], [(0, [(16, 2)])], {7: [0, 2], 8: [1, 3]})
        self.annotate(3, "y", [0, 1, 2, 3], [(0, [("n", 2)]), (1, [(8, 2)])])
        text = self.compile()
        self.assertIn("device.mesh @ranks = [d0 = 2, d1 = 2]", text)
        self.assertEqual(self.shards(text), [("8x16", '[[], ["d0"]]', "w"), ("16x8", '[["d1"], []]', "v"), ("?x8", '[["d0"], ["d1"]]', "y")])

    def test_orders_of_devices(self):
        self.configure(4)
        self.annotate(0, "w", [0, 2, 1, 3], [(1, [(16, 4)])])
        text = self.compile()
        self.assertEqual(self.shards(text), [("8x16", '[[], ["d1", "d0"]]', "w")])

    def test_sizes_of_axes(self):
        """Six devices as 3 x 2: blocks of three, each twice."""
        self.configure(6)
        self.annotate(3, "relu", [-1, -2, -3], [(1, [(16, 3)])], {-1: [0, 1], -2: [2, 3], -3: [4, 5]})
        self.assertIn("device.mesh @ranks = [d0 = 3, d1 = 2]", self.compile())

    def test_granules_and_other_devices(self):
        """A dimension of 4 blocks of 4; a mesh that begins at device 2."""
        self.configure(4)
        self.annotate(0, "w", [0, 1], [(1, [(4, 2), (4, 1)])])
        self.annotate(3, "v", [2, 3], [(0, [(16, 2)])])
        text = self.compile()
        self.assertIn("device.mesh @ranks = [d0 = 2]", text)
        self.assertIn("device.mesh @ranks_2 = [d0 = 2] at 2", text)
        self.assertEqual(self.shards(text), [("8x16", '[[], ["d0"] by 4]', "w"), ("16x8", '[["d0"], []]', "v")])

    def test_what_cannot_be_said(self):
        cases = [(("w", [0, 1], [(2, [(16, 2)])]), "is of dimension 2, and the tensor has 2"),
                 (("w", [0, 1], [(1, [(12, 2)])]), "takes dimension 1 for one of 12, and it has 16"),
                 (("w", [0, 1], [(1, [(2, 1), (8, 2)])]), "cuts an inner factor of dimension 1"),
                 (("w", [0, 1], [(1, [(16, 0)])]), "in 0 shards"), (("w", [0, 1], [(1, [])]), "says nothing of dimension 1"),
                 (("w", [0, 1], [(1, [(16, 5)])]), "has more shards than the configuration's 4 devices"),
                 (("w", [0, 1, 2], [(1, [(16, 2)])]), "has 2 shards and a list of 3 devices"),
                 (("w", [0, 7], [(1, [(16, 2)])]), "is on device 7, and the configuration has 4"),
                 (("w", [0, -1], [(1, [(16, 2)])]), "is on device -1, and the configuration has 4"),
                 (("w", [0, -1], [(1, [(16, 2)])], {-1: [0, 1]}), "names device 0 twice"),
                 (("w", [0, 3], [(1, [(16, 2)])]), "is on 2 devices from 0 to 3 that do not follow one another"),
                 (("w", [1, 0], [(1, [(16, 2)])]), "in orders that no mesh has"),
                 (("w", [0, 1], [(1, [(16, 2)]), (-1, [(16, 1)])]), "cuts dimension -1 twice"),
                 (("ww", [0, 1], [(1, [(16, 2)])]), "of a tensor that the node neither reads nor gives")]
        for case, words in cases:
            with self.subTest(words):
                self.proto = perceptron()
                self.configure(4)
                self.annotate(0, *case)
                self.assertIn(f"node 'layer/up': the sharding of '{case[0]}'", self.compile(status=1))
                self.assertIn(words, self.said)

    def test_warnings(self):
        self.configure(2)
        self.annotate(0, "w", [0, 1], [(1, [(16, 2)])], stage=1)
        self.compile()
        self.assertIn("warning: node 'layer/up': pipeline_stage 1 is not used with a sharding", self.said)
        self.annotate(4, "size", [0, 1], [(0, [(2, 2)])])
        self.compile()
        self.assertIn("node 'layer/size': the sharding of 'size' is not used: the host computes it", self.said)
        text = self.by_file("mesh tp = 2\nv = [tp, -]\n")
        self.assertIn("the model's own sharding specifications are not used", self.said)
        self.assertEqual(self.shards(text), [("16x8", '[["tp"], []]', "v")])

    def test_places_beside_shardings(self):
        self.configure(2)
        self.annotate(0, "w", [0, 1], [(1, [(16, 2)])])
        self.annotate(3, "y", [1], [(0, [("n", 1)])])
        self.assertIn("node 'layer/down' is placed on device 'device_1' alone, and other nodes are sharded over several", self.compile(status=1))


if __name__ == "__main__":
    unittest.main()
