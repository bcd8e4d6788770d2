# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--precision: products in bf16 near those in f32 on every level of processor, weights of half the size, and what refuses it."""
import pathlib
import tempfile
import unittest

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper
from support import heddle

SEED = 3
CPUS = ("host", "x86-64-v4", "x86-64-v3", "x86-64")


def model(inner=64, odd=37):
    """Two convolutions with a residual, then two products, one of an odd number of rows of weights."""
    draw = numpy.random.default_rng(SEED)
    weights = {"w0": (inner, 3, 3, 3), "w1": (inner, inner, 3, 3), "w2": (inner, inner, 1, 1), "w3": (inner, odd), "w4": (odd, 19)}
    constants = [onnx.numpy_helper.from_array(draw.normal(0, 0.1, shape).astype(numpy.float32), name) for name, shape in weights.items()]
    text = [("Conv", ["x", "w0"], "a", {"pads": [1] * 4}), ("Relu", ["a"], "b", {}), ("Conv", ["b", "w1"], "c", {"pads": [1] * 4}),
            ("Add", ["c", "b"], "d", {}), ("Relu", ["d"], "e", {}), ("Conv", ["e", "w2"], "f", {}), ("GlobalAveragePool", ["f"], "g", {}),
            ("Flatten", ["g"], "h", {}), ("MatMul", ["h", "w3"], "i", {}), ("Tanh", ["i"], "j", {}), ("MatMul", ["j", "w4"], "y", {})]
    nodes = [onnx.helper.make_node(op, inputs, [result], **attributes) for op, inputs, result, attributes in text]
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(nodes, "g", [value("x", 1, ["n", 3, 11, 9])], [value("y", 1, None)], constants)
    return onnx.helper.make_model(graph, ir_version=10, opset_imports=[onnx.helper.make_opsetid("", 17)])


class PrecisionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        onnx.save(model(), self.folder / "m.onnx")
        self.x = self.folder / "x.npy"
        numpy.save(self.x, numpy.random.default_rng(SEED).normal(size=(5, 3, 11, 9)).astype(numpy.float32))

    def tool(self, name, *arguments, status=0):
        done = heddle(name, *arguments)
        self.assertEqual(status, done.returncode, done.stderr)
        return done

    def run_model(self, *flags):
        artifact, result = self.folder / "m.heddle", self.folder / "y.npy"
        self.tool("compile", self.folder / "m.onnx", "-o", artifact, *flags)
        self.tool("run", artifact, f"--input=x=@{self.x}", f"--output=y=@{result}")
        return numpy.load(result), artifact.stat().st_size

    def test_near_f32_on_every_level(self):
        want, size = self.run_model()
        largest = numpy.abs(want).max()
        for precision, most in (("bf16", 2e-2), ("f16", 2e-3)):
            for cpu in CPUS:
                with self.subTest(precision=precision, cpu=cpu):
                    got, narrow = self.run_model(f"--precision={precision}", f"--target-cpu={cpu}")
                    off = numpy.abs(got - want).max()
                    self.assertGreater(off, 0)
                    self.assertLess(off, most * largest)
                    self.assertLess(narrow, size - 60_000)  # 42,000 weights, less what code differs

    def test_levels_agree(self):
        first, *others = [self.run_model("--precision=bf16", f"--target-cpu={cpu}")[0] for cpu in CPUS]
        for other in others:  # sums in other orders may round the next value to another bf16
            numpy.testing.assert_allclose(other, first, rtol=0, atol=4e-3 * numpy.abs(first).max())

    def test_several_processors_in_one_artifact(self):
        alone, _ = self.run_model("--precision=bf16", "--target-cpu=host")
        both, _ = self.run_model("--precision=bf16", "--target-cpu=x86-64-v3,host")
        numpy.testing.assert_array_equal(both, alone)

    def test_check_says_how_far(self):
        text = self.tool("check", self.folder / "m.onnx", "--dim=n=2", "--precision=bf16").stdout
        self.assertRegex(text, r"encode ok \(in bf16 result 'y' is off by \S+ at most and \S+ on average, of the largest element\)")
        self.assertRegex(text, "package ok")

    def test_weights_that_do_not_fit(self):
        """A number that f16 would make infinite, and a column that it would make zeros, leave their product in f32."""
        draw = numpy.random.default_rng(SEED)
        value = onnx.helper.make_tensor_value_info
        nodes = [onnx.helper.make_node("MatMul", ["x", name], [name + "y"]) for name in ("fits", "large", "small", "few")]
        weights = {node.input[1]: draw.normal(size=(24, 40)).astype(numpy.float32) for node in nodes}
        weights["large"][3, 5] = 7e4
        weights["small"][:, 7] *= 1e-9
        weights["few"][::2] *= 1e-9  # beside larger ones of their columns
        constants = [onnx.numpy_helper.from_array(weight, name) for name, weight in weights.items()]
        results = [value(node.output[0], 1, None) for node in nodes]
        graph = onnx.helper.make_graph(nodes, "g", [value("x", 1, [5, 24])], results, constants)
        onnx.save(onnx.helper.make_model(graph, ir_version=10, opset_imports=[onnx.helper.make_opsetid("", 17)]), self.folder / "w.onnx")
        said = self.tool("compile", self.folder / "w.onnx", "-o", self.folder / "w.heddle", "--precision=f16").stderr
        self.assertRegex(said, r"the product stays in f32: weight '\S*large\S*' has 70000, and f16 ends at 65504")
        self.assertRegex(said, r"the product stays in f32: weight '\S*small\S*' has a column of at most \S+e-09, and numbers of f16 lose digits")
        self.assertEqual(2, said.count("stays in f32"), said)
        x = draw.normal(size=(5, 24)).astype(numpy.float32)
        numpy.save(self.folder / "w.npy", x)
        outputs = {name: self.folder / f"{name}.npy" for name in weights}
        self.tool("run", self.folder / "w.heddle", f"--input=x=@{self.folder / 'w.npy'}", *(f"--output={name}y=@{path}" for name, path in outputs.items()))
        for name, path in outputs.items():
            want, got = x.astype(float) @ weights[name], numpy.load(path)
            largest = numpy.abs(want).max(axis=0)  # of each column
            self.assertLess((numpy.abs(got - want) / largest).max(), 1e-6 if name in ("large", "small") else 2e-3, name)

    def test_refused(self):
        strict = self.tool("compile", self.folder / "m.onnx", "-o", "x.heddle", "--precision=bf16", "--strict-float", status=2)
        self.assertIn("--precision=bf16 rounds operands of products and --strict-float rounds nothing: give one of the two", strict.stderr)
        unknown = self.tool("compile", self.folder / "m.onnx", "-o", "x.heddle", "--precision=bf61", status=2)
        self.assertIn("--precision: unknown value 'bf61'; known: 'f32', 'bf16', 'f16'; did you mean 'bf16'?", unknown.stderr)
        artifact = self.folder / "m.heddle"
        self.tool("compile", self.folder / "m.onnx", "-o", artifact)
        self.assertIn("--precision", self.tool("run", artifact, "--precision=bf16", f"--input=x=@{self.x}", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
