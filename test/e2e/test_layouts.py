# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data tiling end to end: small models with every resolver, tiling off and early, against numpy; what is packed, once."""
import json
import unittest

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from support import EndToEnd, heddle

TYPES = {"f32": (TensorProto.FLOAT, numpy.float32), "f16": (TensorProto.FLOAT16, numpy.float16)}
# Late is the default; the last two tile all operands or none.
MODES = {"late": [], "early": ["--strategy=early-data-tiling"], "off": ["--data-tiling=off"],
         "blocked": ["--layout-resolver=blocked"], "identity": ["--layout-resolver=identity"]}


def value(name, type_, shape):
    return helper.make_tensor_value_info(name, type_, shape)


def small(shape, dtype, seed):
    """Small integers: products and sums of them are exact in every type and order."""
    return numpy.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


class DataTilingTest(EndToEnd):
    def save_model(self, name, nodes, inputs, outputs, constants):
        initializers = [numpy_helper.from_array(array, key) for key, array in constants.items()]
        graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        path = self.folder / f"{name}.onnx"
        onnx.save(model, path)
        return path

    def compile(self, model, *flags):
        artifact = self.folder / f"{model.stem}{abs(hash(flags))}.heddle"
        result = heddle("compile", model, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def inspect(self, artifact):
        result = heddle("inspect", artifact, "--json")
        self.assertEqual(0, result.returncode, result.stderr)
        return json.loads(result.stdout)

    def assert_gives(self, model, flags, inputs, want):
        arguments = [f"--input={key}={self.save(key, array)}" for key, array in inputs.items()]
        result = heddle("run", self.compile(model, *flags), *arguments, f"--output=y=@{self.file('y')}",
                        "--device=local://0-1")
        self.assertEqual(0, result.returncode, result.stderr)
        got = numpy.load(self.file("y"))
        self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype))
        numpy.testing.assert_array_equal(got, want)

    def test_products(self):
        """Odd, tiny and empty sizes, the right side constant or not, in batches, turned."""
        cases = [(33, 47, 29), (1, 47, 29), (33, 47, 1), (1, 5, 1), (33, 1, 29), (17, 0, 40)]
        for mode, flags in MODES.items():
            for number, (m, k, n) in enumerate(cases):
                for name, (type_, dtype) in TYPES.items():
                    if mode in ("early", "identity") and (number or name != "f32"):
                        continue
                    with self.subTest(mode=mode, m=m, k=k, n=n, type=name):
                        x, w = small((m, k), dtype, 1), small((k, n), dtype, 2)
                        model = self.save_model("product", [helper.make_node("MatMul", ["x", "w"], ["y"])],
                                                [value("x", type_, ["m", k])], [value("y", type_, ["m", n])], {"w": w})
                        self.assert_gives(model, flags, {"x": x}, x @ w)

    def test_computed_operands(self):
        for mode in ("late", "blocked", "off"):
            with self.subTest(mode=mode):
                x, z = small((2, 33, 47), numpy.float32, 1), small((2, 29, 47), numpy.float32, 2)
                nodes = [helper.make_node("Transpose", ["z"], ["t"], perm=[0, 2, 1]),
                         helper.make_node("MatMul", ["x", "t"], ["a"]), helper.make_node("Relu", ["a"], ["r"]),
                         helper.make_node("MatMul", ["r", "z"], ["y"])]
                model = self.save_model("computed", nodes,
                                        [value("x", 1, ["b", "m", 47]), value("z", 1, ["b", 29, 47])],
                                        [value("y", 1, ["b", "m", 47])], {})
                want = numpy.maximum(x @ z.transpose(0, 2, 1), 0) @ z
                self.assert_gives(model, MODES[mode], {"x": x, "z": z}, want)

    def test_convolution(self):
        x, w = small((3, 5, 13, 11), numpy.float32, 1), small((19, 5, 3, 3), numpy.float32, 2)
        windows = numpy.lib.stride_tricks.sliding_window_view(numpy.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3))
        want = numpy.einsum("nchwij,fcij->nfhw", windows, w).astype(numpy.float32)
        model = self.save_model("convolution", [helper.make_node("Conv", ["x", "w"], ["y"], pads=[1] * 4)],
                                [value("x", 1, ["n", 5, 13, 11])], [value("y", 1, ["n", 19, 13, 11])], {"w": w})
        for mode, flags in MODES.items():
            with self.subTest(mode=mode):
                self.assert_gives(model, flags, {"x": x}, want)

    def layers(self):
        x, a, b = small((33, 47), numpy.float32, 1), small((47, 47), numpy.float32, 2), small((47, 61), numpy.float32, 3)
        nodes = [helper.make_node("MatMul", ["x", "a"], ["p"]), helper.make_node("Relu", ["p"], ["q"]),
                 helper.make_node("MatMul", ["q", "a"], ["r"]), helper.make_node("MatMul", ["r", "b"], ["y"])]
        model = self.save_model("layers", nodes, [value("x", 1, ["m", 47])], [value("y", 1, ["m", 61])], {"a": a, "b": b})
        return model, x, numpy.maximum(x @ a, 0) @ a @ b

    def test_constants_are_packed_at_compile_time_and_once(self):
        model, x, want = self.layers()
        artifact = self.inspect(self.compile(model))
        shapes = sorted((tuple(p["shape"]), p["layout"], p["bytes"]) for p in artifact["parameters"])
        panels = "perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []"
        # 47 and 61 columns in panels of 16; both uses of `a` share one copy.
        self.assertEqual([((47, 47), panels, 3 * 47 * 16 * 4), ((47, 61), panels, 4 * 47 * 16 * 4)], shapes)
        names = [executable["name"] for executable in artifact["executables"]]
        self.assertFalse([name for name in names if "encode" in name], "a call packs")
        off = self.inspect(self.compile(model, "--data-tiling=off"))
        self.assertEqual({""}, {p["layout"] for p in off["parameters"]})
        self.assertEqual(len(off["executables"]), len(artifact["executables"]))
        self.assert_gives(model, [], {"x": x}, want)

    def test_the_identity_leaves_no_trace(self):
        model, _, _ = self.layers()
        identity = self.inspect(self.compile(model, "--layout-resolver=identity"))
        off = self.inspect(self.compile(model, "--data-tiling=off"))
        self.assertEqual(off["host"], identity["host"])
        self.assertEqual(off["parameters"], identity["parameters"])

    def test_unsupported_is_an_error(self):
        model, _, _ = self.layers()
        self.assert_fails(1, "--data-tiling=off compiles without layouts", "compile", model, "-o",
                          self.folder / "no.heddle", "--layout-resolver=unsupported")

    def test_processors_share_layouts(self):
        model, x, want = self.layers()
        flags = ["--target-cpu=x86-64-v3,x86-64-v4"]
        artifact = self.inspect(self.compile(model, *flags))
        self.assertEqual(2, len(artifact["parameters"]))
        for level in ("x86-64-v3", "host"):
            arguments = [f"--input=x={self.save('x', x)}", f"--output=y=@{self.file('y')}"]
            device = "local://0" + ("" if level == "host" else f"?cpu={level}")
            result = heddle("run", self.compile(model, *flags), *arguments, f"--device={device}")
            self.assertEqual(0, result.returncode, result.stderr)
            numpy.testing.assert_array_equal(numpy.load(self.file("y")), want)

    def test_quantised_product_is_packed_once(self):
        """Bytes in groups of four rows for dot products; no dispatch but those without tiling."""
        w, x = numpy.random.default_rng(1).integers(-5, 6, (47, 40)).astype(numpy.int8), small((33, 47), numpy.float32, 2)
        one, zero = numpy.float32(1), numpy.int8(0)
        nodes = [helper.make_node("QuantizeLinear", ["x", "one", "zero"], ["q"]),
                 helper.make_node("DequantizeLinear", ["q", "one", "zero"], ["f"]),
                 helper.make_node("DequantizeLinear", ["w", "one", "zero"], ["g"]),
                 helper.make_node("MatMul", ["f", "g"], ["y"])]
        model = self.save_model("quantised", nodes, [value("x", 1, ["m", 47])], [value("y", 1, ["m", 40])],
                                {"w": w, "one": numpy.array(one), "zero": numpy.array(zero)})
        artifact = self.inspect(self.compile(model))
        packed = [p for p in artifact["parameters"] if p["shape"] == [47, 40]]
        self.assertEqual(["perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4], swizzle = []"],
                         [p["layout"] for p in packed])
        self.assertEqual([3 * 12 * 16 * 4], [p["bytes"] for p in packed])
        off = self.inspect(self.compile(model, "--data-tiling=off"))
        self.assertEqual(len(off["executables"]), len(artifact["executables"]))
        for mode in ("late", "off", "blocked"):
            self.assert_gives(model, MODES[mode], {"x": x}, x @ w.astype(numpy.float32))


if __name__ == "__main__":
    unittest.main()
