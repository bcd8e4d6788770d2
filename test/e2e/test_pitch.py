# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that dispatches write where they belong in a larger tensor: columns of what a loop carries, inputs of a Concat.
The same values as NumPy or ONNX Runtime, of every rank, axis, ragged and free sizes and types."""
import itertools
import json
import pathlib
import re
import tempfile
import unittest

import numpy
import onnx
import onnxruntime
import support
from onnx import helper, numpy_helper
from runtime import Failure, Program
from support import heddle

SEED = 29
OFF = "--disable-pass=form-pitch-results"
# What the body computes of a slice, by element type; and the same in NumPy.
UNARY = {"f32": "arith.mulf %v, %v : f32", "f16": "arith.addf %v, %v : f16", "i8": "arith.addi %v, %v : i8", "i1": "arith.xori %v, %true : i1"}
NUMPY = {"f32": (numpy.float32, lambda x: x * x), "f16": (numpy.float16, lambda x: x + x), "i8": (numpy.int8, lambda x: x + x),
         "i1": (numpy.bool_, lambda x: ~x)}


def tensor(sizes, kind):
    return f"tensor<{'x'.join([*map(str, sizes), kind])}>"


def maps(rank, *results):
    dims = ", ".join(f"d{i}" for i in range(rank))
    return "[" + ", ".join(f"affine_map<({dims}) -> ({result})>" for result in results) + "]"


def loop(shape, axis, size, kind="f32", free=(), body="unary", trips=None):
    """y = f(x), `size` positions along `axis` in each iteration. `free`: dimensions that only the call knows."""
    rank = len(shape)
    whole, part = ["?" if d in free else n for d, n in enumerate(shape)], None
    part = ["?" if d == axis or d in free else n for d, n in enumerate(shape)]
    t, p = tensor(whole, kind), tensor(part, kind)
    names = ", ".join(f'"d{d}"' if d in free else '""' for d in range(rank))
    lines = [f"  %c{d} = arith.constant {d} : index" for d in range(max(rank, 2))]
    lines += [f"  %n{d} = " + (f"tensor.dim %x, %c{d} : {t}" if d in free else f"arith.constant {shape[d]} : index") for d in range(rank)]
    dynamic = ", ".join(f"%n{d}" for d in range(rank) if d in free)
    places = ", ".join("%lo" if d == axis else "0" for d in range(rank))
    extents = ", ".join("%size" if d == axis else f"%n{d}" if d in free else str(shape[d]) for d in range(rank))
    steps = ", ".join(["1"] * rank)
    own = ", ".join("%size" if d == axis else f"%n{d}" for d in range(rank) if d == axis or d in free)
    all_parallel = "[" + ", ".join(['"parallel"'] * rank) + "]"
    identity = ", ".join(f"d{d}" for d in range(rank))
    if body == "copy":
        made = "    %made = tensor.extract_slice %x[{0}] [{1}] [{2}] : {3} to {4}".format(places, extents, steps, t, p)
    else:
        made = f"""    %from = tensor.extract_slice %x[{places}] [{extents}] [{steps}] : {t} to {p}
    %o = tensor.empty({own}) : {p}
    %made = linalg.generic {{indexing_maps = {maps(rank, identity, identity)}, iterator_types = {all_parallel}}}
        ins(%from : {p}) outs(%o : {p}) {{
    ^bb0(%v: {kind}, %w: {kind}):
      %s = {UNARY[kind]}
      linalg.yield %s : {kind}
    }} -> {p}"""
    count = f"arith.constant {trips} : index" if trips is not None else f"arith.ceildivsi %n{axis}, %g : index"
    true = "  %true = arith.constant true\n" if kind == "i1" else ""
    return f"""
func.func @main(%x: {t} {{heddle.name = "x", heddle.dims = [{names}]}}) -> ({t} {{heddle.name = "y"}}) {{
{chr(10).join(lines)}
{true}  %g = arith.constant {size} : index
  %trips = {count}
  %e = tensor.empty({dynamic}) : {t}
  %y = scf.for %i = %c0 to %trips step %c1 iter_args(%all = %e) -> ({t}) {{
    %lo = arith.muli %i, %g : index
    %left = arith.subi %n{axis}, %lo : index
    %size = arith.minsi %left, %g : index
{made}
    %next = tensor.insert_slice %made into %all[{places}] [{extents}] [{steps}] : {p} into {t}
    scf.yield %next : {t}
  }}
  return %y : {t}
}}
"""


def product(m, k, n, size, free):
    """Columns of a product: a * b[:, lo:lo + size], with a bias of the columns."""
    row = "?" if free else m
    a, b, c, v = tensor([row, k], "f32"), tensor([k, n], "f32"), tensor([row, n], "f32"), tensor([n], "f32")
    pb, pc, pv = tensor([k, "?"], "f32"), tensor([row, "?"], "f32"), tensor(["?"], "f32")
    rows, size_of = ("%m", f"tensor.dim %a, %c0 : {a}") if free else (str(m), f"arith.constant {m} : index")
    return f"""
func.func @main(%a: {a} {{heddle.name = "a", heddle.dims = ["{'m' if free else ''}", ""]}}, %b: {b}, %v: {v}) -> ({c} {{heddle.name = "y"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {n} : index
  %g = arith.constant {size} : index
  %z = arith.constant 0.0 : f32
  %m = {size_of}
  %trips = arith.ceildivsi %n, %g : index
  %e = tensor.empty({'%m' if free else ''}) : {c}
  %y = scf.for %i = %c0 to %trips step %c1 iter_args(%all = %e) -> ({c}) {{
    %lo = arith.muli %i, %g : index
    %left = arith.subi %n, %lo : index
    %size = arith.minsi %left, %g : index
    %cols = tensor.extract_slice %b[0, %lo] [{k}, %size] [1, 1] : {b} to {pb}
    %bias = tensor.extract_slice %v[%lo] [%size] [1] : {v} to {pv}
    %o = tensor.empty({'%m, ' if free else ''}%size) : {pc}
    %f = linalg.fill ins(%z : f32) outs(%o : {pc}) -> {pc}
    %p = linalg.matmul ins(%a, %cols : {a}, {pb}) outs(%f : {pc}) -> {pc}
    %made = linalg.generic {{indexing_maps = {maps(2, 'd0, d1', 'd1', 'd0, d1')}, iterator_types = ["parallel", "parallel"]}}
        ins(%p, %bias : {pc}, {pv}) outs(%o : {pc}) {{
    ^bb0(%u: f32, %w: f32, %x: f32):
      %s = arith.addf %u, %w : f32
      linalg.yield %s : f32
    }} -> {pc}
    %next = tensor.insert_slice %made into %all[0, %lo] [{rows}, %size] [1, 1] : {pc} into {c}
    scf.yield %next : {c}
  }}
  return %y : {c}
}}
"""


def reduction(shape, size):
    """Sums over the last dimension, columns of the result in parts."""
    a, b, c = shape
    x, y = tensor(shape, "f32"), tensor([a, b], "f32")
    px, py = tensor([a, "?", c], "f32"), tensor([a, "?"], "f32")
    return f"""
func.func @main(%x: {x} {{heddle.name = "x"}}) -> ({y} {{heddle.name = "y"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {b} : index
  %g = arith.constant {size} : index
  %z = arith.constant 0.0 : f32
  %trips = arith.ceildivsi %n, %g : index
  %e = tensor.empty() : {y}
  %y = scf.for %i = %c0 to %trips step %c1 iter_args(%all = %e) -> ({y}) {{
    %lo = arith.muli %i, %g : index
    %left = arith.subi %n, %lo : index
    %size = arith.minsi %left, %g : index
    %from = tensor.extract_slice %x[0, %lo, 0] [{a}, %size, {c}] [1, 1, 1] : {x} to {px}
    %o = tensor.empty(%size) : {py}
    %f = linalg.fill ins(%z : f32) outs(%o : {py}) -> {py}
    %made = linalg.reduce {{ arith.addf }} ins(%from : {px}) outs(%f : {py}) dimensions = [2]
    %next = tensor.insert_slice %made into %all[0, %lo] [{a}, %size] [1, 1] : {py} into {y}
    scf.yield %next : {y}
  }}
  return %y : {y}
}}
"""


class EndToEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.held.name)
        cls.random = numpy.random.default_rng(SEED)
        cls.numbers = itertools.count()

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

    def write(self, model):
        path = self.folder / f"m{next(self.numbers)}{'.mlir' if isinstance(model, str) else '.onnx'}"
        path.write_text(model) if isinstance(model, str) else onnx.save(model, path)
        return path

    def compile(self, source, *flags):
        artifact = source.with_suffix(f".{next(self.numbers)}.heddle")
        result = heddle("compile", source, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        program = Program(artifact)
        self.addCleanup(program.close)
        return program

    def text(self, source, stage, *flags):
        result = heddle("compile", source, f"--compile-to={stage}", *flags, "-o", "-")
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout

    def array(self, shape, kind="f32"):
        if kind == "i1":
            return self.random.random(shape) < 0.5
        return (self.random.standard_normal(shape) * 20).astype(NUMPY[kind][0])


class Loops(EndToEnd):
    def run_loop(self, model, want, *arguments, exact=True):
        source = self.write(model)
        program, apart = self.compile(source), self.compile(source, OFF)
        (got,), (copied,) = program(None, *arguments), apart(None, *arguments)
        numpy.testing.assert_array_equal(got, copied)
        numpy.testing.assert_array_equal(got, want) if exact else numpy.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)
        return source

    def test_every_axis_of_every_rank(self):
        for shape, size in (((13,), 4), ((7, 10), 3), ((3, 5, 8), 2), ((2, 3, 4, 6), 4), ((1, 2, 1, 9), 5), ((2, 2, 3, 1, 5), 2)):
            for axis in range(len(shape)):
                with self.subTest(shape=shape, axis=axis):
                    x = self.array(shape)
                    self.run_loop(loop(shape, axis, size), x * x, x)

    def test_free_sizes(self):
        for shape, axis, free in (((6, 10), 1, (0,)), ((6, 10), 1, (1,)), ((6, 10), 1, (0, 1)), ((3, 5, 8), 1, (0, 2)), ((3, 5, 8), 2, (0, 1, 2))):
            with self.subTest(shape=shape, axis=axis, free=free):
                program = self.compile(self.write(loop(shape, axis, 3, free=free)))
                for more in (0, 1, 37):
                    x = self.array([n + more if d in free else n for d, n in enumerate(shape)])
                    numpy.testing.assert_array_equal(program(None, x)[0], x * x)

    def test_types(self):
        for kind in UNARY:
            for shape, axis in (((6, 11), 1), ((2, 9, 5), 1)):
                with self.subTest(kind=kind, shape=shape):
                    x = self.array(shape, kind)
                    self.run_loop(loop(shape, axis, 4, kind), NUMPY[kind][1](x), x)

    def test_slices_are_copied(self):
        for shape, axis in (((6, 11), 1), ((3, 5, 8), 1), ((3, 5, 8), 2)):
            x = self.array(shape)
            self.run_loop(loop(shape, axis, 3, body="copy"), x, x)

    def test_products_and_reductions(self):
        for m, k, n, size, free in ((17, 9, 40, 16, False), (5, 64, 33, 8, False), (50, 20, 70, 32, True), (1, 30, 64, 24, True)):
            with self.subTest(m=m, k=k, n=n, size=size):
                a, b, v = self.array((m, k)), self.array((k, n)), self.array((n,))
                self.run_loop(product(m, k, n, size, free), a @ b + v, a, b, v, exact=False)
        x = self.array((6, 21, 30))
        self.run_loop(reduction(x.shape, 8), x.sum(2), x, exact=False)

    def test_no_trips_and_empty_tensors(self):
        x = self.array((6, 10))
        numpy.testing.assert_array_equal(self.compile(self.write(loop((6, 10), 1, 3, trips=0)))(None, x)[0], numpy.zeros((6, 10)))
        program = self.compile(self.write(loop((6, 10), 1, 3, free=(0, 1))))
        for shape in ((0, 10), (6, 0), (0, 0)):
            self.assertEqual(program(None, self.array(shape))[0].shape, shape)

    def test_dispatches_write_where_columns_belong(self):
        source = self.write(loop((7, 10), 1, 3))
        self.assertIn("flow.pitch = {elements = 10 : i64, outer = 1 : i64}", self.text(source, "form"))
        text = self.text(source, "schedule")
        self.assertRegex(text, r"host\.view .* times .* stride ")
        self.assertNotIn("host.copy", re.search(r"scf\.for.*?\n    }", text, re.DOTALL).group(0))

    def test_bits_that_share_bytes_are_copied(self):
        text = loop((6, 8), 1, 4, "i8").replace("i8", "i4")
        source = self.write(text.replace("tensor<6x8xi4> {heddle.name", "tensor<6x8xi4> {heddle.name"))
        result = heddle("compile", source, "--compile-to=form", "-o", "-")
        self.assertNotIn("flow.pitch", result.stdout)

    def test_stages_agree(self):
        for model in (loop((7, 10), 1, 3), loop((3, 5, 8), 1, 2, free=(0,)), product(17, 9, 40, 16, False)):
            result = heddle("check", self.write(model))
            self.assertEqual(0, result.returncode, result.stdout + result.stderr)


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
        # Along a free dimension nothing is known before the call: one dispatch concatenates as before.
        self.check(concat([[4, 3], [4, 3]], 1, free=(1,)), self.array((4, 3)), self.array((4, 3)), filled=False)

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


class Vulkan(Loops):
    """The same programs by the code for GPUs, where there is a driver."""

    def compile(self, source, *flags):
        return super().compile(source, "--target-device=vulkan", *flags)

    def setUp(self):
        if "vulkan://" not in heddle("devices").stdout:
            self.skipTest("no Vulkan device")


if __name__ == "__main__":
    unittest.main()
