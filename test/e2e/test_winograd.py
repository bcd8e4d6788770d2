# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions by fewer products: errors beside those of the convolution as it is, over sizes, channels, processors and
epilogues; edges of maps; how far NaN reaches; and what leaves convolutions as they are."""
import os
import pathlib
import tempfile
import unittest

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper
from support import heddle

HELPER = onnx.helper
SEED = int(os.environ.get("HEDDLE_TEST_SEED", "11"))
CPUS = ("host", "x86-64-v4", "x86-64-v3", "x86-64")
# Largest error, of the largest element: docs/design/winograd.md.
BOUND = {"off": 2e-6, "2": 3e-6, "4": 1e-5}


class Model:
    """Conv, with a bias, an activation, a residual and behind it a second convolution of `second` groups, as asked."""

    def __init__(self, draw, sizes, channels, filters, pads=(1, 1, 1, 1), batch=1, free=(), relu=False, residual=False, second=0):
        self.shape = (batch, channels, *sizes)
        weights = {"w": draw.normal(0, (9 * channels) ** -0.5, (filters, channels, 3, 3)), "b": draw.normal(0, 1, filters)}
        nodes = [HELPER.make_node("Conv", ["x", "w", "b"], ["c"], pads=list(pads))]
        last = "c"
        for wanted, op, inputs in ((residual, "Add", ["c", "r"]), (relu, "Relu", None)):
            if wanted:
                nodes.append(HELPER.make_node(op, inputs or [last], [op]))
                last = op
        if second:
            weights["v"] = draw.normal(0, (9 * filters / second) ** -0.5, (filters, filters // second, 3, 3))
            nodes.append(HELPER.make_node("Conv", [last, "v"], ["second"], pads=[1] * 4, group=second))
            last = "second"
        nodes.append(HELPER.make_node("Identity", [last], ["y"]))
        shape = [name if dim in free else size for dim, (name, size) in enumerate(zip("ncuv", self.shape))]
        value = HELPER.make_tensor_value_info
        height, width = (size + pads[i] + pads[i + 2] - 2 for i, size in enumerate(sizes))
        inputs = [value("x", 1, shape)]
        self.feed = {"x": draw.normal(0, 1, self.shape).astype(numpy.float32)}
        if residual:
            out = (batch, filters, height, width)
            inputs.append(value("r", 1, [name if dim in free else size for dim, (name, size) in enumerate(zip("nfpq", out))]))
            self.feed["r"] = draw.normal(0, 1, out).astype(numpy.float32)
        constants = [onnx.numpy_helper.from_array(v.astype(numpy.float32), k) for k, v in weights.items()]
        graph = HELPER.make_graph(nodes, "g", inputs, [value("y", 1, None)], constants)
        self.proto = HELPER.make_model(graph, ir_version=10, opset_imports=[HELPER.make_opsetid("", 17)])

    def expected(self):
        """In f64, which ONNX Runtime has no convolution for."""
        values = {item.name: onnx.numpy_helper.to_array(item).astype(numpy.float64) for item in self.proto.graph.initializer}
        values.update({name: value.astype(numpy.float64) for name, value in self.feed.items()})
        ops = {"Relu": lambda x: numpy.maximum(x, 0), "Add": numpy.add, "Sub": numpy.subtract, "Identity": lambda x: x}
        for node in self.proto.graph.node:
            inputs = [values[name] for name in node.input]
            values[node.output[0]] = convolve(*inputs, **attributes_of(node)) if node.op_type == "Conv" else ops[node.op_type](*inputs)
        return values["y"]


def attributes_of(node):
    return {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}


def convolve(x, weights, bias=None, pads=(0, 0, 0, 0), group=1):
    if group > 1:
        parts = zip(numpy.split(x, group, axis=1), numpy.split(weights, group))
        return numpy.concatenate([convolve(*part, pads=pads) for part in parts], axis=1)
    padded = numpy.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    windows = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    result = numpy.tensordot(windows, weights, axes=((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
    return result if bias is None else result + bias[:, None, None]


class WinogradTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        print(f"seed {SEED}", flush=True)
        self.draw = numpy.random.default_rng(SEED)

    def tool(self, *arguments):
        done = heddle(*arguments)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def run_model(self, model, *flags):
        path, artifact, result = (self.folder / name for name in ("m.onnx", "m.heddle", "y.npy"))
        onnx.save(model.proto, path)
        self.tool("compile", path, "-o", artifact, *flags)
        feeds = []
        for name, value in model.feed.items():
            numpy.save(self.folder / f"{name}.npy", value)
            feeds.append(f"--input={name}=@{self.folder / name}.npy")
        self.tool("run", artifact, *feeds, f"--output=y=@{result}")
        return numpy.load(result)

    def strategies(self, model, *flags):
        path, artifact = self.folder / "m.onnx", self.folder / "m.heddle"
        onnx.save(model.proto, path)
        self.tool("compile", path, "-o", artifact, *flags)
        return self.tool("explain", artifact)

    def check(self, model, tile, *flags):
        want = model.expected()
        got = self.run_model(model, f"--strategy=winograd:{tile}", *flags)
        self.assertEqual(want.shape, got.shape)
        error = numpy.abs(got - want).max() / max(numpy.abs(want).max(), 1e-30)
        self.assertLess(error, BOUND[tile])
        return error

    def test_small_images(self):
        for size in range(1, 6):
            for tile in ("2", "4"):
                with self.subTest(size=size, tile=tile):
                    self.check(Model(self.draw, (size, 6 - size), 17, 20), tile)

    def test_channels(self):
        for channels, filters in ((2, 3), (3, 17), (17, 64), (64, 130), (130, 17), (1, 8), (8, 1)):
            for tile in ("2", "4"):
                for cpu in CPUS:
                    with self.subTest(channels=channels, filters=filters, tile=tile, cpu=cpu):
                        self.check(Model(self.draw, (9, 14), channels, filters), tile, f"--target-cpu={cpu}")

    def test_random(self):
        for number in range(24):
            sizes = self.draw.integers(1, 33, 2)
            pads = [int(pad) for pad in self.draw.integers(0, 3, 4)]
            pads = [max(pad, 1) for pad in pads] if min(sizes) < 3 else pads
            channels, filters = (int(count) for count in self.draw.choice((2, 3, 16, 17, 40, 64), 2))
            free = [dim for dim in (0, 2, 3) if self.draw.random() < 0.3]
            flags = {name: bool(self.draw.random() < 0.4) for name in ("relu", "residual", "second")}
            batch, tile, cpu = int(self.draw.integers(1, 4)), str(self.draw.choice((2, 4))), str(self.draw.choice(CPUS))
            what = (number, [int(size) for size in sizes], pads, channels, filters, free, flags, batch, tile, cpu)
            with self.subTest(what=what):
                model = Model(self.draw, [int(size) for size in sizes], channels, filters, pads, batch, free, **flags)
                self.check(model, tile, f"--target-cpu={cpu}")

    def test_errors_beside_the_convolution(self):
        errors = {tile: [] for tile in BOUND}
        for channels in (64, 256):
            for _ in range(2):
                model = Model(self.draw, (28, 28), channels, 64)
                for tile, found in errors.items():
                    found.append(self.check(model, tile))
        mean = {tile: sum(found) / len(found) for tile, found in errors.items()}
        print({tile: f"{error:.1e}" for tile, error in mean.items()})
        self.assertLess(mean["2"], 3 * mean["off"])
        self.assertLess(mean["4"], 12 * mean["off"])

    def test_not_finite_reaches_its_tiles(self):
        for bad in (numpy.nan, numpy.inf):
            for tile in (2, 4):
                model = Model(self.draw, (24, 24), 16, 16)
                clean = self.run_model(model, f"--strategy=winograd:{tile}")
                model.feed["x"][0, 3, 9, 9] = bad
                got = self.run_model(model, f"--strategy=winograd:{tile}")
                touched = ~numpy.isfinite(got[0]).all(axis=0)
                self.assertTrue(touched[8:11, 8:11].all())
                first, last = (8 // tile) * tile, (10 // tile + 1) * tile
                untouched = numpy.ones_like(touched)
                untouched[first:last, first:last] = False
                numpy.testing.assert_array_equal(got[0][:, untouched], clean[0][:, untouched])

    def test_chosen_and_not(self):
        model = Model(self.draw, (56, 56), 64, 64, relu=True)
        self.assertIn("winograd, tiles of 4x4", self.strategies(model))
        self.assertIn("winograd, tiles of 2x2", self.strategies(Model(self.draw, (14, 14), 256, 256)))
        self.assertIn("winograd, tiles of 4x4", self.strategies(Model(self.draw, (56, 56), 64, 64, free=(0, 2, 3))))
        for flags in (["--strategy=winograd:off"], ["--precision=bf16"]):
            self.assertNotIn("winograd", self.strategies(model, *flags))
        self.assertNotIn("winograd", self.strategies(Model(self.draw, (56, 56), 3, 64)))

    def test_padded_for_the_next(self):
        """A border behind the epilogue, for a convolution that stays as it is, keeps the three steps in one dispatch."""
        model = Model(self.draw, (13, 14), 64, 48, relu=True, second=2)
        self.check(model, "4")
        count = {tile: self.strategies(model, f"--strategy=winograd:{tile}").count(" on device_0: ") for tile in ("off", "4")}
        self.assertEqual(count["off"] - 1, count["4"], "the border in front is no dispatch of its own either")

    def test_strict_float(self):
        model = Model(self.draw, (56, 56), 64, 64)
        numpy.testing.assert_array_equal(self.run_model(model, "--strict-float"),
                                         self.run_model(model, "--strict-float", "--strategy=winograd:off"))

    def test_check(self):
        path = self.folder / "m.onnx"
        onnx.save(Model(self.draw, (28, 28), 64, 64, relu=True, second=1).proto, path)
        self.assertIn("package ok", self.tool("check", path))

    def test_two_readers_of_one_value(self):
        draw = self.draw
        weights = [onnx.numpy_helper.from_array(draw.normal(0, 0.05, (32, 32, 3, 3)).astype(numpy.float32), name) for name in "ab"]
        nodes = [HELPER.make_node("Relu", ["x"], ["r"])] + [HELPER.make_node("Conv", ["r", name], [f"y{name}"], pads=[1] * 4) for name in "ab"]
        value = HELPER.make_tensor_value_info
        nodes.append(HELPER.make_node("Sub", ["ya", "yb"], ["y"]))
        graph = HELPER.make_graph(nodes, "g", [value("x", 1, [1, 32, 28, 28])], [value("y", 1, None)], weights)
        model = Model(draw, (28, 28), 32, 32)
        model.proto = HELPER.make_model(graph, ir_version=10, opset_imports=[HELPER.make_opsetid("", 17)])
        self.check(model, "4")
        self.assertEqual(2, self.strategies(model, "--strategy=winograd:4").count("winograd, tiles"))


if __name__ == "__main__":
    unittest.main()
