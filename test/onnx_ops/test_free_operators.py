# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move, reduce and pool, with every size told by the call: where rows are one and where they are not.

Each size of each operand has a name of its own. One artifact for each model, called with many shapes: none, one, a few
and many elements, less than a vector and more, stretched operands and others. Compared with ONNX Runtime on the same
model, on one core and two, for each processor that this machine is.
"""
import itertools
import pathlib
import tempfile
import unittest

import numpy
import onnx
import onnxruntime

import tools
from small_cases import SEED

HELPER = onnx.helper
LEVELS = ("x86-64-v3", "host")
FEW = (1, 2, 3, 7, 13, 16, 17, 40, 100)  # of a map's sides


def node(kind, *operands, **attributes):
    return HELPER.make_node(kind, list(operands), ["y"], **attributes)


def axes(*values):
    return numpy.array(values, numpy.int64)


class FreeOperatorsTest(unittest.TestCase):
    def model(self, nodes, ranks, kind, constants):
        element = HELPER.np_dtype_to_tensor_dtype(numpy.dtype(kind))
        inputs = [HELPER.make_tensor_value_info(name, element, [f"{name}{i}" for i in range(rank)]) for name, rank in zip("abcd", ranks)]
        y = HELPER.make_empty_tensor_value_info("y")
        held = [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()]
        imports = [HELPER.make_opsetid("", 20)]
        return HELPER.make_model(HELPER.make_graph(nodes, "g", inputs, [y], held), ir_version=10, opset_imports=imports)

    def check(self, nodes, shapes, kind=numpy.float32, tolerance=0, levels=LEVELS, accepted=True, **constants):
        """`shapes`: of all operands, call by call. Calls that are not `accepted` have no result to compare with."""
        nodes = nodes if isinstance(nodes, list) else [nodes]
        model = self.model(nodes, [len(shape) for shape in shapes[0]], kind, constants)
        random = numpy.random.default_rng(SEED)
        draw = lambda shape: random.integers(0, 100, shape).astype(kind) if tolerance == 0 else random.standard_normal(shape).astype(kind)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            y = onnx.shape_inference.infer_shapes(model).graph.output[0]
            model.graph.output[0].CopyFrom(HELPER.make_tensor_value_info("y", y.type.tensor_type.elem_type or 1, None))
            onnx.save(model, folder / "m.onnx")
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            for cpu in levels:
                tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--target-cpu={cpu}"))
                for operands in shapes:
                    feed = {name: draw(shape) for name, shape in zip("abcd", operands)}
                    want = session.run(None, feed)[0] if accepted else numpy.zeros(0)
                    for device in ("local://0", "local://0-1"):
                        self.call(folder, feed, want, tolerance, f"{operands} for {cpu} on {device}, seed {SEED}", device)

    def call(self, folder, feed, want, tolerance, message, device):
        flags = []
        for name, value in feed.items():
            numpy.save(folder / f"{name}.npy", value)
            flags.append(f"--input={name}=@{folder}/{name}.npy")
        tools.run(("heddle-run", folder / "m.heddle", *flags, f"--output=y=@{folder}/y.npy", f"--device={device}"))
        got = numpy.load(folder / "y.npy")
        self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype), message)
        numpy.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, err_msg=message)

    def test_stretched(self):
        """Of four dimensions each operand has all, the last ones or the first ones, or one element."""
        whole = ((2, 3, 5, 7), (1, 64, 17, 40), (3, 1, 1, 100), (2, 3, 1, 1), (1, 1, 2, 3), (2, 0, 3, 4), (1, 2, 130, 130))
        ways = [(1, 1, 1, 1), (1, 1, 0, 0), (0, 0, 1, 1), (0, 1, 0, 1), (0, 0, 0, 0), (1, 0, 1, 0)]
        cut = lambda shape, way: tuple(size if kept else 1 for size, kept in zip(shape, way))
        shapes = [(shape, cut(shape, b), cut(shape, c)) for shape in whole for b, c in itertools.product(ways, repeat=2) if (ways.index(b) + ways.index(c)) % 3 != 2]
        nodes = [HELPER.make_node("Mul", ["a", "b"], ["t"]), node("Add", "t", "c")]
        self.check(nodes, shapes)
        self.check([HELPER.make_node("Sub", ["b", "a"], ["t"]), node("Max", "c", "t")], shapes[:40], numpy.int64, levels=("host",))

    def test_moved(self):
        maps = [((2, c, h, w),) for c, h, w in ((4, 1, 1), (4, 2, 3), (8, 7, 16), (12, 33, 17), (4, 100, 1), (4, 1, 100), (64, 28, 28))]
        self.check(node("DepthToSpace", "a", blocksize=2), maps)
        self.check(node("DepthToSpace", "a", blocksize=2, mode="CRD"), maps, levels=("host",))
        self.check(node("SpaceToDepth", "a", blocksize=2), [((2, 3, h, w),) for h, w in ((2, 2), (4, 6), (16, 34), (56, 56), (0, 2))])
        self.check(node("Slice", "a", "s", "e", "x"), maps, s=axes(1, 1), e=axes(-1, 1000), x=axes(2, 3))
        self.check(node("Tile", "a", "r"), [((n, m),) for n, m in ((1, 1), (3, 1), (128, 1), (1, 5), (17, 40), (0, 3))], r=axes(2, 300))
        self.check(node("Tile", "a", "r"), [((2, n, m),) for n, m in ((3, 1), (1, 1), (5, 4), (0, 1))], numpy.uint8, r=axes(3, 2, 70))
        self.check(node("Expand", "a", "r"), [((2, c, h, w),) for c, h, w in ((3, 1, 1), (1, 1, 1), (3, 9, 1), (1, 9, 17), (3, 9, 17))], r=axes(2, 3, 9, 17))
        self.check(node("Pad", "a", "r"), maps, r=axes(0, 0, 1, 2, 0, 0, 2, 1))

    def test_joined_by_concatenation(self):
        lengths = ((1, 1, 1), (1, 2, 3), (17, 1, 40), (0, 3, 0), (32, 64, 5))
        self.check(node("Concat", "a", "b", "c", axis=1), [tuple((2, c, h, w) for c in cs) for cs in lengths for h, w in ((1, 1), (3, 7), (28, 28))])
        self.check(node("Concat", "a", "b", "c", axis=1), [tuple((n, c) for c in cs) for cs in lengths for n in (1, 2, 100)])
        self.check(node("Concat", "a", "b", axis=1), [((3, 100), (3, 33)), ((3, 1), (3, 700)), ((200, 1), (200, 1))], numpy.uint8)

    def test_transposed(self):
        sides = (1, 2, 3, 4, 5, 16, 21, 67)
        for order in ((0, 2, 3, 1), (0, 3, 1, 2), (0, 2, 1, 3), (2, 3, 0, 1)):
            with self.subTest(order=order):
                self.check(node("Transpose", "a", perm=order), [((2, c, 3, w),) for c in sides for w in sides] + [((1, 3, 0, 4),)], levels=("host",))
        self.check(node("Transpose", "a", perm=(0, 3, 1, 2)), [((1, 33, 40, c),) for c in range(1, 6)], numpy.uint8)
        self.check(node("Transpose", "a", perm=(0, 3, 1, 4, 2, 5)), [((1, 8, 4, 4, 8, w),) for w in (1, 3, 64)])

    def test_reduced(self):
        maps = [((n, c, h, w),) for n, c, h, w in ((1, 1, 1, 1), (1, 64, 7, 7), (2, 3, 17, 40), (3, 5, 1, 100), (2, 33, 100, 1), (1, 2, 56, 56))]
        for over in ((2, 3), (0, 2, 3), (1,), (3,), (0, 1, 2, 3)):
            with self.subTest(over=over):
                self.check(node("ReduceMean", "a", "x"), maps, tolerance=1e-5, levels=("host",), x=axes(*over))
                self.check(node("ReduceMax", "a", "x", keepdims=0), maps, x=axes(*over))
        self.check(node("GlobalAveragePool", "a"), maps, tolerance=1e-5)
        self.check(node("Softmax", "a", axis=1), maps, tolerance=1e-5)
        self.check(node("Softmax", "a", axis=-1), [((n, m),) for n in (1, 3, 50) for m in (1, 2, 4, 10, 17, 33, 100)], tolerance=1e-5)

    def test_accumulated(self):
        shapes = [((n, m, k),) for n, m, k in ((1, 1, 1), (2, 3, 17), (1, 100, 70), (17, 2, 1), (3, 1, 130), (2, 0, 3), (0, 2, 3), (2, 3, 0), (100, 5, 64))]
        for axis, way in itertools.product((0, 1, 2), ({}, {"exclusive": 1}, {"reverse": 1})):
            with self.subTest(axis=axis, way=way):
                self.check(node("CumSum", "a", "x", **way), shapes, levels=("host",), x=numpy.int64(axis))

    def test_accumulated_integers(self):
        shapes = [((n, m),) for n, m in ((1, 1), (2, 0), (0, 3), (3, 17), (1, 64), (2, 65), (3, 300), (1, 5000))]
        for kind, way in itertools.product((numpy.int64, numpy.int32), ({}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1})):
            with self.subTest(kind=kind, way=way):
                self.check(node("CumSum", "a", "x", **way), shapes, kind, levels=("host",), x=numpy.int64(1))

    def test_greatest(self):
        """Whether rows are long enough to look at blocks of them first is told by the call. Equal elements: the first one."""
        lengths = (3, 64, 100, 511, 512, 513, 700, 2000)
        for axis, kept in itertools.product((0, 1), (1, 3)):
            for outputs in (["y", "i"], ["v", "y"]):
                with self.subTest(axis=axis, kept=kept, outputs=outputs):
                    top = HELPER.make_node("TopK", ["a", "k"], outputs, axis=axis)
                    self.check(top, [((n, 5) if axis == 0 else (2, n),) for n in lengths], levels=("host",), k=axes(kept))
        self.check(HELPER.make_node("TopK", ["a", "k"], ["v", "y"], largest=0), [((2, n),) for n in lengths if n >= 40], levels=("host",), k=axes(40))

    def test_places_of_the_greatest(self):
        """Which element a window's greatest is, of equals the first one; and the elements put back there."""
        maps = [((2, 3, h, w),) for h, w in ((3, 3), (4, 4), (6, 17), (13, 5), (28, 28), (7, 100))]
        ways = ({"kernel_shape": [2, 2], "strides": [2, 2]}, {"kernel_shape": [3, 3], "pads": [1] * 4}, {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1, 0, 0, 1], "storage_order": 1},
                {"kernel_shape": [2, 2], "strides": [5, 5]}, {"kernel_shape": [2, 2], "dilations": [2, 1], "strides": [1, 4]})
        for way in ways:
            for outputs in (["y", "i"], ["v", "y"]):
                with self.subTest(way=way, outputs=outputs):
                    self.check(HELPER.make_node("MaxPool", ["a"], outputs, **way), maps)
        self.check(HELPER.make_node("MaxPool", ["a"], ["v", "y"], kernel_shape=[3], strides=[2], pads=[1, 1]), [((2, 3, w),) for w in FEW[1:]], levels=("host",))
        long = ({"kernel_shape": [17, 2], "strides": [17, 2]}, [((2, 3, h, w),) for h, w in ((17, 2), (34, 40))])
        gaps = ({"kernel_shape": [2, 3], "strides": [3, 5]}, [((2, 3, h, w),) for h, w in ((8, 8), (2, 3), (5, 38))])
        for way, shapes in ((ways[0], [m for m in maps if m[0][2] % 2 == 0 and m[0][3] % 2 == 0]), long, gaps):
            pool = HELPER.make_node("MaxPool", ["a"], ["v", "i"], **way)
            with self.subTest(way=way):
                self.check([pool, node("MaxUnpool", "v", "i", **way)], shapes, levels=("host",))
        padded = {"kernel_shape": [3, 3], "strides": [3, 3], "pads": [1, 1, 1, 1]}
        sizes = [((2, 3, h, w),) for h, w in ((4, 4), (7, 13), (1, 28))]
        self.check([HELPER.make_node("MaxPool", ["a"], ["v", "i"], **padded), node("MaxUnpool", "v", "i", **padded)], sizes, levels=("host",))

    def test_products_of_few_columns(self):
        """Columns that are no more than a vector have code of their own."""
        sizes = list(itertools.product((1, 2, 9, 10, 40), (0, 1, 3, 50), (1, 2, 8, 15, 16, 17, 33, 70)))
        shapes = [((m, k), (k, n), (1, n)) for m, k, n in sizes if (m + k + n) % 3 != 1 or n in (16, 17)]
        self.check([HELPER.make_node("MatMul", ["a", "b"], ["t"]), node("Add", "t", "c")], shapes, numpy.float32, 1e-4)
        places = [((2, m, 3, k), (2, n, k)) for m, k, n in sizes if (m + k + n) % 4 == 0 and k > 0]
        self.check(node("Einsum", "a", "b", equation="bhwc,bkc->bhwk"), places, numpy.float32, 1e-4, levels=("host",))

    def test_pools(self):
        maps = [((2, 3, h, w),) for h, w in itertools.product(FEW, FEW) if (h + w) % 3 != 1 or h == w]
        for kind, side, stride in (("MaxPool", 3, 1), ("MaxPool", 3, 2), ("AveragePool", 3, 1), ("MaxPool", 5, 1), ("AveragePool", 5, 1)):
            with self.subTest(kind=kind, side=side, stride=stride):
                attributes = {"kernel_shape": [side] * 2, "strides": [stride] * 2, "pads": [side // 2] * 4}
                self.check(node(kind, "a", **attributes), maps + [((1, 2, 3, 20000),)], tolerance=1e-5)
        self.check(node("AveragePool", "a", kernel_shape=[2, 2], strides=[2, 2]), [m for m in maps if min(m[0]) > 1], tolerance=1e-5)
        self.check(node("MaxPool", "a", kernel_shape=[9], pads=[4, 4]), [((2, 3, w),) for w in FEW], tolerance=1e-5)

    def test_averages_at_borders(self):
        """How many elements a window has is told by its place, in numbers of 32 bits."""
        maps = [((2, 3, h, w),) for h, w in ((1, 1), (2, 17), (17, 3), (13, 13), (3, 100), (33, 40))]
        ways = ({"kernel_shape": [3, 5], "pads": [1, 2, 1, 2]}, {"kernel_shape": [3, 3], "pads": [2] * 4, "dilations": [1, 2]},
                {"kernel_shape": [9, 9], "pads": [4] * 4, "count_include_pad": 1}, {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1] * 4, "ceil_mode": 1})
        for way in ways:
            with self.subTest(way=way):
                self.check(node("AveragePool", "a", **way), maps, tolerance=1e-5)
        self.check(node("AveragePool", "a", kernel_shape=[5], pads=[2, 2]), [((2, 3, w),) for w in FEW], tolerance=1e-5)
        self.check(node("AveragePool", "a", kernel_shape=[2, 3, 3], pads=[1] * 6), [((1, 2, 5, h, w),) for h, w in ((1, 1), (3, 17), (7, 40))], tolerance=1e-5, levels=("host",))

    def test_few_columns(self):
        rows, columns = (0, 1, 2, 3, 17, 100), (0, 1, 2, 3, 4, 15, 16, 17, 33, 100)
        self.check(node("Concat", "a", "b", "c", axis=1), [((n, x), (n, (x * 7) % 5), (n, 1)) for n in rows for x in columns])
        self.check(node("Slice", "a", "s", "e", "x"), [((2, n, m),) for n in rows for m in columns], s=axes(1), e=axes(4), x=axes(2))
        self.check(node("Pad", "a", "r"), [((n, m),) for n in rows for m in columns], numpy.uint8, r=axes(1, 1, 0, 2))
        self.check(node("Tile", "a", "r"), [((2, n, m),) for n in rows for m in (0, 1, 2, 3, 17, 100)], r=axes(1, 2, 3))
        joined = [HELPER.make_node("Mul", ["a", "b"], ["t"]), node("Add", "t", "c")]
        self.check(joined, [((n, m), (1, m), (n, 1)) for n in rows for m in columns], levels=("host",))

    def test_scattered(self):
        """Updates are as many as the data have elements, or fewer along any dimension: each element once."""
        size = [HELPER.make_node("Cast", ["b"], ["i"], to=onnx.TensorProto.INT64), HELPER.make_node("Shape", ["a"], ["s"])]
        shapes = {1: [((n,), (m,), (m,)) for n, m in ((1, 1), (3, 0), (17, 5), (100, 100))],
                  2: [((n, m), (i, j), (i, j)) for (n, m), (i, j) in (((1, 1), (1, 1)), ((3, 17), (3, 17)), ((3, 17), (2, 5)), ((100, 2), (17, 1)), ((17, 300), (17, 300)), ((3, 300), (3, 260)), ((2, 3), (0, 3)), ((2, 3), (2, 0)))],
                  3: [(s, u, u) for s, u in (((2, 3, 17), (2, 3, 17)), ((2, 3, 17), (1, 2, 16)), ((3, 100, 2), (2, 17, 2)), ((1, 17, 3), (1, 0, 3)))]}
        for rank, axis in ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)):
            for reduction in ("none", "add"):
                with self.subTest(rank=rank, axis=axis, reduction=reduction):
                    scatter = HELPER.make_node("ScatterElements", ["a", "j", "c"], ["y"], axis=axis, reduction=reduction)
                    held = [HELPER.make_node("Gather", ["s", "k"], ["n"]), HELPER.make_node("Mod", ["i", "n"], ["j"])]
                    self.check([*size, *held, scatter], shapes[rank], levels=("host",), k=numpy.int64(axis))

    def test_selected(self):
        """Positions are divided by sizes that the call tells."""
        shapes = [((n, m),) for n, m in ((0, 3), (1, 1), (2, 17), (17, 100), (100, 3), (1, 100), (100, 1))]
        picked = [HELPER.make_node("Greater", ["a", "t"], ["p"]), node("NonZero", "p")]
        self.check(picked, shapes, t=numpy.float32(70))
        self.check(picked, [((2, n, m),) for ((n, m),) in shapes], t=numpy.float32(50))
        self.check([HELPER.make_node("Reshape", ["a", "r"], ["t"]), node("Add", "t", "b")], [((n, m), (n * m,)) for ((n, m),) in shapes], r=axes(-1))

    def test_windows_of_a_list(self):
        """A convolution of one dimension, dense and in groups, and what is resized with every element."""
        draw = numpy.random.default_rng(SEED)
        lengths = [((n, 6, s),) for n, s in ((1, 3), (2, 17), (1, 100), (3, 40), (1, 700))]
        for group, filters in ((1, 20), (2, 8)):
            w, b = draw.standard_normal((filters, 6 // group, 3)).astype(numpy.float32), draw.standard_normal(filters).astype(numpy.float32)
            self.check(node("Conv", "a", "w", "v", pads=[1, 1], group=group), lengths, tolerance=1e-4, w=w, v=b)
            self.check(node("Conv", "a", "w", "v", pads=[2, 0], strides=[2], dilations=[2], group=group), [s for s in lengths if s[0][2] > 3], tolerance=1e-4, w=w, v=b)

    def test_resized_with_every_element(self):
        """Weights of as many elements as the scale says, which only the call knows."""
        maps = [((1, c, h, w),) for c, h, w in ((1, 17, 40), (3, 100, 33), (2, 7, 7), (3, 5, 100))]
        for mode in ("linear", "cubic"):
            resize = node("Resize", "a", "", "", "s", mode=mode, antialias=1, axes=[2, 3])
            self.check(resize, maps, tolerance=1e-4, s=axes(5, 17))

    def test_numbers_that_the_call_checks(self):
        """Channels, coordinates and edges whose number the model's other operands tell."""
        draw = numpy.random.default_rng(SEED)
        vectors = {name: numpy.abs(draw.standard_normal(6)).astype(numpy.float32) + 0.5 for name in ("s", "o", "m", "v")}
        maps = [((n, 6, h, w),) for n, h, w in ((1, 1, 1), (2, 3, 17), (3, 40, 5))]
        self.check(node("BatchNormalization", "a", "s", "o", "m", "v"), maps, tolerance=1e-4, levels=("host",), **vectors)
        few = {name: vectors[name] for name in ("s", "o")}
        self.check(node("InstanceNormalization", "a", "s", "o"), maps[1:], tolerance=1e-4, levels=("host",), **few)
        grids = [((n, 2, h, w), (n, 5, 7, 2)) for ((n, _, h, w),) in maps]
        self.check(node("GridSample", "a", "b"), grids, tolerance=1e-4, levels=("host",))
        self.check(node("AffineGrid", "a", "z"), [((2, 2, 3),)], tolerance=1e-4, levels=("host",), z=axes(2, 3, 5, 17))
        self.check(node("RoiAlign", "a", "b", "r", output_height=2, output_width=3), [((1, 2, 17, 40), (3, 4))], tolerance=1e-4, levels=("host",), r=axes(0, 0, 0))
        with self.assertRaisesRegex(tools.ToolError, "one element for each channel"):
            self.check(node("BatchNormalization", "a", "s", "o", "m", "v"), [((1, 5, 2, 2),)], levels=("host",), accepted=False, **vectors)
        with self.assertRaisesRegex(tools.ToolError, "a coordinate for each dimension"):
            self.check(node("GridSample", "a", "b"), [((1, 2, 3, 3), (1, 5, 7, 3))], levels=("host",), accepted=False)

    def test_resized_to_nearest_along_all_axes(self):
        shapes = [((n, c, h, w),) for n, c, h, w in ((1, 3, 17, 40), (2, 3, 1, 1), (1, 1, 5, 33), (3, 5, 40, 7))]
        for mode in ("round_prefer_floor", "ceil"):
            resize = HELPER.make_node("Resize", ["a", "", "", "r"], ["y"], mode="nearest", nearest_mode=mode, coordinate_transformation_mode="asymmetric")
            self.check(resize, shapes, r=axes(2, 3, 20, 35))
            self.check(resize, shapes[:2], numpy.uint8, levels=("host",), r=axes(1, 3, 64, 9))

    def test_batch_and_channels_that_only_the_call_resizes(self):
        """Mostly they stay as they are, which has code of its own."""
        shapes = [((2, 3, h, w),) for h, w in ((17, 40), (1, 1), (5, 33), (20, 35), (40, 7))]
        for way in ({"mode": "linear"}, {"mode": "cubic", "coordinate_transformation_mode": "align_corners"}):
            self.check(HELPER.make_node("Resize", ["a", "", "", "r"], ["y"], **way), shapes, tolerance=1e-4, levels=("host",), r=axes(2, 3, 20, 35))

    def test_samples_of_few_channels_and_many(self):
        grids = [((2, c, h, w), (2, 5, 17, 2)) for c in (1, 3, 7, 8, 9, 40) for h, w in ((1, 1), (3, 17))]
        for mode in ("linear", "nearest"):
            self.check(node("GridSample", "a", "b", mode=mode), grids, tolerance=1e-4, levels=("host",))

    def test_read_at_places_of_what_may_be_empty(self):
        """Nothing is read where a tensor has no elements; an index into it fails the call."""
        nodes = [HELPER.make_node("Cast", ["b"], ["i"], to=onnx.TensorProto.INT64), HELPER.make_node("Mod", ["i", "n"], ["j"]), HELPER.make_node("Gather", ["a", "j"], ["t"]), node("Mul", "t", "c")]
        shapes = [((n, m), (k,), (1, m)) for n, m, k in ((3, 17, 5), (3, 0, 5), (3, 100, 0), (100, 1, 40), (3, 300, 2))]
        self.check(nodes, shapes, n=numpy.int64(3))
        self.check(nodes, [((0, 17), (0,), (1, 17))], levels=("host",), n=numpy.int64(3))
        with self.assertRaisesRegex(tools.ToolError, "out of range"):
            self.check(nodes, [((0, 17), (2,), (1, 17))], levels=("host",), accepted=False, n=numpy.int64(3))

    def test_chunks_of_a_free_dimension(self):
        nodes = [HELPER.make_node("SplitToSequence", ["a", "k"], ["s"], axis=1), node("ConcatFromSequence", "s", axis=0)]
        self.check(nodes, [((2, 4 * n, 3),) for n in (1, 2, 17)], levels=("host",), k=numpy.array(4))
        with self.assertRaisesRegex(tools.ToolError, "multiple of the size of its parts"):
            self.check(nodes, [((2, 6, 3),)], levels=("host",), accepted=False, k=numpy.array(4))
        part = [HELPER.make_node("Slice", ["b", "z", "o"], ["c"]), HELPER.make_node("Cast", ["c"], ["d"], to=9)]
        branch = lambda op: HELPER.make_graph([HELPER.make_node(op, ["a"], [op])], op, [], [HELPER.make_tensor_value_info(op, 1, None)])
        nodes = [*part, HELPER.make_node("If", ["d"], ["y"], then_branch=branch("Neg"), else_branch=branch("Abs"))]
        self.check(nodes, [((3, 4), (n,)) for n in (1, 2, 9)], levels=("host",), z=axes(0), o=axes(1))
        with self.assertRaisesRegex(tools.ToolError, "the condition must be one boolean"):
            self.check(nodes, [((3, 4), (0,))], levels=("host",), accepted=False, z=axes(0), o=axes(1))

    def test_reduced_of_few(self):
        shapes = [((n, m),) for n in (0, 1, 2, 3, 17, 100) for m in (1, 2, 5, 16, 17, 32, 33, 100)]
        self.check(node("ReduceMax", "a", "x", keepdims=0), shapes, x=axes(1))
        self.check(node("ReduceSum", "a", "x"), shapes, numpy.int64, levels=("host",), x=axes(1))

    def test_attention(self):
        """One query, few and many, of as many keys as the call has."""
        nodes = [HELPER.make_node("MatMul", ["a", "b"], ["s"]), HELPER.make_node("Softmax", ["s"], ["p"], axis=-1), node("MatMul", "p", "c")]
        shapes = [((n, h, q, d), (n, h, d, k), (n, h, k, d)) for n, h, d in ((1, 2, 16), (2, 1, 5)) for q in (0, 1, 2, 3, 17, 100) for k in (1, 3, 17, 100)]
        self.check(nodes, shapes, tolerance=1e-4)

    def test_depthwise(self):
        for side in (3, 5, 7):
            with self.subTest(side=side):
                maps = [((2, 4, h, w),) for h, w in itertools.product(FEW, FEW) if (h + w) % 3 != 1 or h == w]
                w = numpy.random.default_rng(SEED).standard_normal((4, 1, side, side)).astype(numpy.float32)
                self.check(node("Conv", "a", "w", pads=[side // 2] * 4, group=4), maps, tolerance=1e-4, w=w)
        w = numpy.random.default_rng(SEED).standard_normal((4, 1, 31)).astype(numpy.float32)
        self.check(node("Conv", "a", "w", pads=[15] * 2, group=4), [((2, 4, w),) for w in FEW], tolerance=1e-4, w=w)

    def test_channels_of_weights(self):
        """The number of channels is the weights'; another one is refused in the call."""
        w = numpy.ones((4, 3, 3, 3), numpy.float32)
        self.check(node("Conv", "a", "w", pads=[1] * 4), [((2, 3, 5, 40),), ((1, 3, 1, 1),)], tolerance=1e-4, w=w)
        self.check(node("ConvTranspose", "a", "w", strides=[2, 2]), [((2, 4, 5, 17),), ((1, 4, 1, 1),)], tolerance=1e-4, w=w)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(self.model([node("Conv", "a", "w")], [4], numpy.float32, {"w": w}), folder / "m.onnx")
            model = onnx.load(folder / "m.onnx")
            model.graph.output[0].CopyFrom(HELPER.make_tensor_value_info("y", 1, None))
            onnx.save(model, folder / "m.onnx")
            tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle"))
            numpy.save(folder / "a.npy", numpy.zeros((1, 2, 5, 5), numpy.float32))
            with self.assertRaisesRegex(tools.ToolError, "as many channels as the weights"):
                tools.run(("heddle-run", folder / "m.heddle", f"--input=a=@{folder}/a.npy", "--device=local://0"))


if __name__ == "__main__":
    unittest.main()
