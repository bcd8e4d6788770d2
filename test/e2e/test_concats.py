# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of a Concat that are written where they belong: the same values as ONNX Runtime, of every rank and axis, of products,
convolutions, pools and rows, and blocks of layers as DenseNets have them.
"""
import itertools
import unittest

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from pitch_programs import NUMPY, EndToEnd
from support import heddle

ONNX_TYPES = {"f32": onnx.TensorProto.FLOAT, "f16": onnx.TensorProto.FLOAT16, "i8": onnx.TensorProto.INT8, "i1": onnx.TensorProto.BOOL}
PER_PART = ("Abs", "Neg", "Relu")


def concat(shapes, axis, kind="f32", free=(), after=None, ops=PER_PART):
    """Concat of one op of each input; `after`: an op of the result."""
    sizes = lambda shape: [f"d{d}" if d in free else n for d, n in enumerate(shape)]
    value = lambda name, shape: helper.make_tensor_value_info(name, ONNX_TYPES[kind], shape)
    nodes = [helper.make_node(ops[i % len(ops)], [f"x{i}"], [f"p{i}"]) for i in range(len(shapes))]
    nodes.append(helper.make_node("Concat", [f"p{i}" for i in range(len(shapes))], ["c" if after else "y"], axis=axis))
    if after:
        nodes.append(helper.make_node(after, ["c"], ["y"]))
    graph = helper.make_graph(nodes, "concat", [value(f"x{i}", sizes(shape)) for i, shape in enumerate(shapes)], [value("y", None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def parts_of(shape, axis, extents):
    return [[*shape[:axis], extent, *shape[axis + 1:]] for extent in extents]


class Concats(EndToEnd):
    def check(self, model, *arguments, exact=True, filled=True):
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        want = session.run(None, {value.name: x for value, x in zip(session.get_inputs(), arguments)})
        source = self.write(model)
        program = self.compile(source)
        for got, expected in zip(program(None, *arguments), want):
            self.assertEqual(got.dtype, expected.dtype)
            numpy.testing.assert_array_equal(got, expected) if exact else numpy.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
        if filled is not None:
            self.assertEqual(filled, "flow.filled" in self.text(source, "form"))
        return source

    def test_every_axis_of_every_rank(self):
        for shape in ((7,), (5, 6), (3, 1, 4), (2, 3, 4, 5), (1, 2, 3, 2, 4)):
            for axis, extents in itertools.product(range(len(shape)), ((3, 8), (1, 2, 17), (16, 20))):
                with self.subTest(shape=shape, axis=axis, extents=extents):
                    shapes = parts_of(shape, axis, extents)
                    # Elementwise ops are computed in fewer dimensions: a reshape may stand before the Concat, which then stays.
                    self.check(concat(shapes, axis), *map(self.array, shapes), filled=None)
                    ops = ("Softmax", "LogSoftmax")
                    self.check(concat(shapes, axis, after="Exp", ops=ops), *map(self.array, shapes), exact=False, filled=None)

    def test_types(self):
        for kind, ops in (("f16", ("Abs", "Neg")), ("i8", ("Abs", "Neg")), ("i1", ("Not",))):
            for axis in (0, 1, 2):
                shapes = parts_of((2, 3, 5), axis, (3, 4))
                self.check(concat(shapes, axis, kind, ops=ops), *[self.array(shape, kind) for shape in shapes], filled=None)

    def test_free_sizes(self):
        model = concat([[4, 16, 6], [4, 20, 6]], 1, free=(0, 2))
        program, session = self.compile(self.write(model)), onnxruntime.InferenceSession(model.SerializeToString())
        for batch, width in ((4, 6), (1, 1), (0, 3), (33, 70)):
            x, y = self.array((batch, 16, width)), self.array((batch, 20, width))
            numpy.testing.assert_array_equal(program(None, x, y)[0], session.run(None, {"x0": x, "x1": y})[0])
        # Along the last dimension runs may be of few bytes: one dispatch concatenates.
        self.check(concat([[4, 3], [4, 3]], 1, free=(1,)), self.array((4, 3)), self.array((4, 3)), filled=False)

    def test_free_extents(self):
        """Where the next part begins only the call knows; parts of nothing, too."""
        for ops in (PER_PART, ("Softmax", "LogSoftmax", "Softmax")):
            model = concat([[4, 5, 16], [4, 6, 16], [4, 7, 16]], 1, free=(0, 1), ops=ops)
            for i, value in enumerate(model.graph.input):
                value.type.tensor_type.shape.dim[1].dim_param = f"extent{i}"
            source = self.write(model)
            self.assertIn("flow.filled", self.text(source, "form"))
            program, session = self.compile(source), onnxruntime.InferenceSession(model.SerializeToString())
            for batch, extents in ((4, (5, 6, 7)), (1, (1, 2, 3)), (3, (0, 7, 1)), (2, (9, 0, 0)), (0, (1, 2, 3)), (40, (33, 1, 70))):
                feed = [self.array((batch, extent, 16)) for extent in extents]
                want = session.run(None, {f"x{i}": x for i, x in enumerate(feed)})[0]
                numpy.testing.assert_allclose(program(None, *feed)[0], want, rtol=1e-4, atol=1e-4, err_msg=f"{ops} {batch} {extents}")

    def test_parts_of_no_elements(self):
        shapes = [[4, 30], [4, 0], [4, 20]]
        self.check(concat(shapes, 1), *map(self.array, shapes))

    def test_a_part_that_others_read_is_copied(self):
        for name, extent, filled in (("p0", 16, True), ("p1", 20, False)):
            model = concat([[4, 16], [4, 20]], 1)
            model.graph.output.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4, extent]))
            self.check(model, self.array((4, 16)), self.array((4, 20)), filled=filled)

    def test_convolutions_and_pools(self):
        w = lambda name, *shape: numpy_helper.from_array(self.array(shape) / 50, name)
        nodes = [helper.make_node("Conv", ["x", "w1"], ["a"], kernel_shape=[1, 1]), helper.make_node("Relu", ["a"], ["b"]),
                 helper.make_node("Conv", ["x", "w3"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["d"]),
                 helper.make_node("MaxPool", ["x"], ["e"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
                 helper.make_node("Concat", ["b", "d", "e"], ["f"], axis=1), helper.make_node("Conv", ["f", "w5"], ["y"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])]
        weights = [w("w1", 24, 16, 1, 1), w("w3", 20, 16, 3, 3), w("w5", 8, 60, 3, 3)]
        for size in (9, 14):
            value = lambda name, channels: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, channels, size, size])
            graph = helper.make_graph(nodes, "inception", [value("x", 16)], [value("y", 8)], weights)
            self.check(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), self.array((1, 16, size, size)) / 10, exact=False)

    def test_several_of_one_shape_and_one_in_another(self):
        nodes = []
        for name in "abcd":
            nodes.append(helper.make_node("Exp" if name in "ac" else "Neg", ["x"], [name]))
        nodes += [helper.make_node("Concat", ["a", "b"], ["ab"], axis=1), helper.make_node("Concat", ["c", "d"], ["cd"], axis=1),
                  helper.make_node("Sqrt", ["ab"], ["e"]), helper.make_node("Abs", ["cd"], ["f"]), helper.make_node("Concat", ["e", "f"], ["y"], axis=1)]
        nodes[2] = helper.make_node("Sigmoid", ["x"], ["c"])
        nodes[1] = helper.make_node("Sin", ["x"], ["b"])
        nodes[7] = helper.make_node("Tanh", ["cd"], ["f"])
        nodes[6] = helper.make_node("Cos", ["ab"], ["e"])
        value = lambda name, width: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [5, width])
        graph = helper.make_graph(nodes, "nested", [value("x", 20)], [value("y", 80)])
        source = self.check(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), self.array((5, 20)) / 10, exact=False)
        result = heddle("check", source)
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)

    def test_products_and_rows(self):
        for kind, width in (("f32", 20), ("f16", 33)):
            w = [numpy_helper.from_array((self.array((40, n)) / 20).astype(NUMPY[kind][0]), f"w{n}") for n in (width, 50)]
            nodes = [helper.make_node("MatMul", ["x", f"w{width}"], ["a"]), helper.make_node("MatMul", ["x", "w50"], ["b"]),
                     helper.make_node("Softmax", ["x"], ["c"]), helper.make_node("Concat", ["a", "b", "c"], ["y"], axis=1)]
            value = lambda name, shape: helper.make_tensor_value_info(name, ONNX_TYPES[kind], shape)
            graph = helper.make_graph(nodes, "products", [value("x", ["n", 40])], [value("y", None)], w)
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            source = self.write(model)
            program = self.compile(source)
            for rows in (1, 3, 50, 0):
                x = (self.array((rows, 40), kind) / 20).astype(NUMPY[kind][0])
                numpy.testing.assert_allclose(program(None, x)[0], session.run(None, {"x": x})[0], rtol=1e-2, atol=1e-2)
            self.assertTrue("flow.filled" in self.text(source, "form"))

    def dense_block(self, layers, channels=24, growth=16, size=9):
        """What each layer computes is concatenated with all that was before: DenseNet's way."""
        w = lambda name, *shape: numpy_helper.from_array(self.array(shape) / 100, name)
        weights, nodes, last = [w("w", channels, 3, 3, 3)], [], "c0"
        nodes = [helper.make_node("Conv", ["x", "w"], ["c0"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])]
        for i in range(layers):
            weights += [w(f"s{i}", channels, 1, 1), w(f"b{i}", channels, 1, 1), w(f"v{i}", growth, channels, 3, 3)]
            nodes += [helper.make_node("Mul", [last, f"s{i}"], [f"m{i}"]), helper.make_node("Add", [f"m{i}", f"b{i}"], [f"a{i}"]),
                      helper.make_node("Relu", [f"a{i}"], [f"r{i}"]),
                      helper.make_node("Conv", [f"r{i}", f"v{i}"], [f"n{i}"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
                      helper.make_node("Concat", [last, f"n{i}"], [f"c{i + 1}"], axis=1)]
            last, channels = f"c{i + 1}", channels + growth
        nodes.append(helper.make_node("Relu", [last], ["y"]))
        value = lambda name, count: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, count, size, size])
        graph = helper.make_graph(nodes, "dense", [value("x", 3)], [value("y", channels)], weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)

    def test_blocks_of_layers_are_one_memory(self):
        model = self.dense_block(4)
        source = self.check(model, self.array((1, 3, 9, 9)), exact=False)
        text = self.text(source, "form")
        self.assertEqual(1, text.count("flow.filled"))
        self.assertNotIn("@concat", text)
        result = heddle("check", source)
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)

    def test_what_reads_the_parts_before_does_not_write_beside_them(self):
        # Each new part is computed of the ones before by the dispatch that would write it: it has memory of its own.
        nodes = [helper.make_node("Softmax", ["x"], ["c0"])]
        for i in range(3):
            nodes += [helper.make_node("Exp", [f"c{i}"], [f"e{i}"]), helper.make_node("Concat", [f"c{i}", f"e{i}"], [f"c{i + 1}"], axis=1)]
        value = lambda name, width: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [5, width])
        graph = helper.make_graph(nodes, "grows", [value("x", 20)], [value("c3", 160)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        source = self.check(model, self.array((5, 20)) / 10, exact=False, filled=None)
        result = heddle("check", source)
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)

    def test_memory_does_not_grow(self):
        shapes = [[64, 100], [64, 60]]
        source = self.write(concat(shapes, 1, after="Softmax"))
        arguments, sizes = [self.array(shape) for shape in shapes], []
        for flags in ((), ("--disable-pass=form-fill-concats",)):
            program = self.compile(source, *flags)
            program(None, *arguments)
            program(None, *arguments)
            sizes.append(program.statistics(None).slab_bytes)
        self.assertLess(sizes[0], sizes[1])


if __name__ == "__main__":
    unittest.main()
