# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of networks of which a few values are annotated: the fewest collectives come out, and the values of one device."""
import collections
import json
import os
import re
import unittest

import numpy
import onnx
import onnxruntime
import support
from onnx import TensorProto, helper, numpy_helper

SEED = int(os.environ.get("HEDDLE_SEED", 20261126))
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute")


def value(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


class Model:
    """A graph under construction: `node` gives the name of its output, `weight` that of a random initialiser."""

    def __init__(self, shape):
        self.random = numpy.random.default_rng(SEED)
        self.nodes, self.weights, self.shape = [], [], shape

    def node(self, kind, *inputs, name=None, **attributes):
        output = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def weight(self, name, *shape):
        array = self.random.standard_normal(shape, numpy.float32) / numpy.float32(numpy.sqrt(shape[0]))
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def constant(self, name, array):
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def proto(self, result):
        self.node("Identity", result, name="y")
        graph = helper.make_graph(self.nodes, "block", [value("x", self.shape)], [value("y", [None] * len(self.shape))], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=11)


def perceptron(model, x, width, hidden):
    up = model.node("Add", model.node("MatMul", x, model.weight("w1", width, hidden)), model.weight("b1", hidden))
    return model.node("Add", model.node("MatMul", model.node("Relu", up), model.weight("w2", hidden, width)), model.weight("b2", width))


def mlp(rows="n"):
    model = Model([rows, 16])
    return model.proto(perceptron(model, "x", 16, 96))


def attention(heads=6, size=8, features=24):
    width = heads * size
    model = Model([2, "s", features])
    split = model.constant("split", numpy.array([0, 0, heads, size], numpy.int64))
    join = model.constant("join", numpy.array([0, 0, width], numpy.int64))

    def head(name, order):
        projected = model.node("Add", model.node("MatMul", "x", model.weight(f"w{name}", features, width)), model.weight(f"b{name}", width))
        return model.node("Transpose", model.node("Reshape", projected, split), perm=order)

    scores = model.node("Softmax", model.node("MatMul", head("q", [0, 2, 1, 3]), head("k", [0, 2, 3, 1])), axis=-1)
    mixed = model.node("Transpose", model.node("MatMul", scores, head("v", [0, 2, 1, 3])), perm=[0, 2, 1, 3])
    return model.proto(model.node("MatMul", model.node("Reshape", mixed, join), model.weight("wo", width, features)))


def norm_and_mlp():
    model = Model([12, 32])
    normal = model.node("LayerNormalization", "x", model.weight("scale", 32), model.weight("shift", 32), axis=-1)
    return model.proto(model.node("Add", perceptron(model, normal, 32, 96), "x"))


class Blocks(support.EndToEnd):
    def check(self, proto, shape, collectives, *flags, shards=None):
        source, artifact = self.folder / "m.onnx", self.folder / "m.heddle"
        flags += ("--strategy=overlap:compile",)  # one way to move what is moved, not each that the load may choose
        onnx.save(proto, source)
        if shards:
            (self.folder / "m.shard").write_text(shards)
            flags += (f"--shard-file={self.folder}/m.shard",)
        done = support.heddle("compile", source, "-o", artifact, *flags)
        self.assertEqual(0, done.returncode, done.stderr)
        x = numpy.random.default_rng(SEED).standard_normal(shape, numpy.float32)
        numpy.save(self.folder / "x.npy", x)
        done = support.heddle("run", artifact, f"--input=@{self.folder}/x.npy", f"--output=@{self.folder}/y.npy")
        self.assertEqual(0, done.returncode, done.stderr)
        expected = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
        numpy.testing.assert_allclose(numpy.load(self.folder / "y.npy"), expected, rtol=1e-4, atol=1e-4, err_msg=f"seed {SEED}")
        report = json.loads(support.heddle("inspect", artifact, "--json").stdout)
        found = collections.Counter(one["kind"] for one in report["collectives"])
        said = support.heddle("explain", artifact).stdout
        if collectives is not None:
            self.assertEqual(collectives, dict(found), said)
        return said

    def test_mlp(self):
        """By both weights, or one of them: the biases and the other weight follow. 96 columns over 2 and 5 ranks."""
        for ranks in 2, 5:
            for lines in "w1 = [-, tp]\nw2 = [tp, -]\n", "w1 = [-, tp]\n", "w2 = [tp, -]\n":
                with self.subTest(ranks=ranks, lines=lines):
                    said = self.check(mlp(), (7, 16), {"all_reduce": 1}, shards=f"mesh tp = {ranks}\n{lines}")
            
    def test_attention(self):
        """By heads: 6 of 8 columns over 2, 3 and 4 ranks; the output's rows follow."""
        for ranks in 2, 3, 4:
            with self.subTest(ranks=ranks):
                lines = "".join(f"w{name} = [-, tp by 8]\n" for name in "qkv")
                self.check(attention(), (2, 5, 24), {"all_reduce": 1}, shards=f"mesh tp = {ranks}\n{lines}")

    def test_batch(self):
        """Of a known size, and of one that the call tells."""
        for rows in 8, "n":
            with self.subTest(rows=rows):
                self.check(mlp(rows), (8, 16), {}, shards="mesh dp = 2\nx = [dp, -]\n")

    def test_norm_along_the_sequence(self):
        said = self.check(norm_and_mlp(), (12, 32), {"permute": 1, "reduce_scatter": 1},
                          shards="mesh tp = 2\nx = [tp, -]\nw1 = [-, tp]\nw2 = [tp, -]\n")
        self.assertRegex(said, r"is computed by loops \[\], \[tp\], \[\] \(.* moved\), not by")

    def test_parallel_branches(self):
        """Two perceptrons beside each other, and what both read, are summed once; biases count once."""
        for ranks in 2, 5:
            with self.subTest(ranks=ranks):
                model = Model([7, 16])
                branches = []
                for name in "ab":
                    up = model.node("Add", model.node("MatMul", "x", model.weight(f"{name}1", 16, 96)), model.weight(f"{name}b1", 96))
                    down = model.node("MatMul", model.node("Relu", up), model.weight(f"{name}2", 96, 16))
                    branches.append(model.node("Add", down, model.weight(f"{name}b2", 16)))
                total = model.node("Sub", model.node("Add", "x", branches[0]), model.node("Mul", branches[1], model.weight("scale", 16)))
                lines = "a1 = [-, tp]\nb1 = [-, tp]\na2 = [tp, -]\nb2 = [tp, -]\n"
                self.check(model.proto(total), (7, 16), {"all_reduce": 1}, shards=f"mesh tp = {ranks}\n{lines}")

    def test_sum_behind_a_product(self):
        """The mean of all rows is summed among ranks, not the rows."""
        model = Model([24, 16])
        rows = model.node("MatMul", model.node("Relu", model.node("MatMul", "x", model.weight("w1", 16, 96))), model.weight("w2", 96, 16))
        mean = model.node("ReduceMean", rows, model.constant("first", numpy.array([0], numpy.int64)), keepdims=1)
        said = self.check(model.proto(model.node("Tanh", mean)), (24, 16), {"all_reduce": 1}, shards="mesh tp = 3\nw1 = [-, tp]\nw2 = [tp, -]\n")
        self.assertRegex(said, r"all_reduce over \[tp\] \((8\d|9\d) bytes\)")

    def check_auto(self, proto, shape, collectives, mesh="x=2"):
        said = self.check(proto, shape, None, "--shard=auto", f"--mesh={mesh}")
        moves = re.search(r"@main: (\d+) moves? between ranks", said)
        if collectives is not None:
            self.assertEqual(collectives, int(moves[1]), said)
        return said

    def test_auto_mlp(self):
        """Weights that take longer to read than what is between to wait for. And a product that is over before."""
        model = Model([4, 2048])
        said = self.check_auto(model.proto(perceptron(model, "x", 2048, 2048)), (4, 2048), 1)
        self.assertRegex(said, r"--shard=auto expects \d")
        self.assertIn("--shard=auto cuts dimension 1 of parameter 'w1' by [x]", said)
        model = Model([2, 4])
        self.check_auto(model.proto(perceptron(model, "x", 4, 4)), (2, 4), 0)

    def test_auto_layers(self):
        """A sum for each layer, not for each product."""
        model = Model([4, 512])
        hidden = "x"
        for layer in range(4):
            up = model.node("Relu", model.node("MatMul", hidden, model.weight(f"layers.{layer}.fc1.weight", 512, 2048)))
            hidden = model.node("Add", model.node("MatMul", up, model.weight(f"layers.{layer}.fc2.weight", 2048, 512)), hidden)
        self.check_auto(model.proto(hidden), (4, 512), 4)

    def test_auto_attention(self):
        """By heads: 16 of 32 columns on two ranks, and 6 of 64 on four, where parts of equal size would not be heads."""
        self.check_auto(attention(16, 32, 1024), (2, 5, 1024), 1)
        said = self.check_auto(attention(6, 64, 1024), (2, 5, 1024), None, "x=4")
        self.assertIn("by [x by 64]", said)

    def test_auto_needs_a_mesh(self):
        source = self.folder / "m.onnx"
        onnx.save(mlp(), source)
        done = support.heddle("compile", source, "-o", self.folder / "m.heddle", "--shard=auto")
        self.assertEqual(2, done.returncode)
        self.assertIn("--mesh=x=2 makes one of two ranks", done.stderr)


if __name__ == "__main__":
    unittest.main()
