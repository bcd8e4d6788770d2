# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--max-transient=SIZE`: what needs more transient memory is computed in parts. Values against ONNX Runtime and, to the bit,
against the program without the limit; the memory of a call as the runtime counts it.
"""
import json
import re
import unittest

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from runtime import Program
from support import EndToEnd, heddle

SEED = 2911
KIB = 1024


class Graph:
    """An ONNX model, node by node; each value is called like its node."""

    def __init__(self, shape, name="x"):
        self.random = numpy.random.default_rng(SEED)
        self.inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)]
        self.nodes, self.weights = [], []

    def weight(self, *shape):
        values = self.random.standard_normal(shape) / max(shape[0], 1) ** 0.5
        self.weights.append(numpy_helper.from_array(values.astype(numpy.float32), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def ints(self, *values):
        self.weights.append(numpy_helper.from_array(numpy.array(values, numpy.int64), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def add(self, kind, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def mlp(self, source, width, inner, prefix=""):
        """Product, tanh, product."""
        up = self.add("MatMul", f"{prefix}up", source, self.weight(width, inner))
        bent = self.add("Tanh", f"{prefix}tanh", up)
        return self.add("MatMul", f"{prefix}down", bent, self.weight(inner, width))

    def save(self, path, *results):
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results]
        graph = helper.make_graph(self.nodes, "g", self.inputs, outputs, self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)
        return path


class Case(EndToEnd):
    def compile(self, path, *flags, name="limited", warns=None):
        """The artifact, its figures and what was said."""
        artifact, stats = self.folder / f"{name}.heddle", self.folder / f"{name}.json"
        result = heddle("compile", path, "-o", artifact, f"--stats={stats}", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        if warns is None:
            self.assertNotIn("warning", result.stderr)
        else:
            self.assertRegex(result.stderr, warns)
        return artifact, json.loads(stats.read_text())

    def parts(self, artifact):
        """What `heddle explain` says is in parts: a list of (nodes, how)."""
        result = heddle("explain", artifact, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [re.fullmatch(r"in parts: (.*?): (.*)", line) for line in json.loads(result.stdout)["parts"]]
        return [(re.findall(r"'(\w+)'", line[1]), line[2]) for line in lines if line]

    def program(self, artifact):
        program = Program(artifact)
        self.addCleanup(program.close)
        return program

    def check(self, path, limit, *flags, shapes):
        """Both programs give the same bits, and ONNX Runtime's values; returns their memory, and what is in parts."""
        import onnxruntime

        limited, figures = self.compile(path, f"--max-transient={limit}", *flags)
        whole, before = self.compile(path, *flags, name="whole")
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        programs = [self.program(artifact) for artifact in (limited, whole)]
        for shape in shapes:
            x = numpy.random.default_rng(SEED).standard_normal(shape).astype(numpy.float32)
            want = session.run(None, {"x": x}) if 0 not in shape else None
            got, plain = (program("main", x) for program in programs)
            for i, (one, other) in enumerate(zip(got, plain)):
                self.assertTrue(numpy.array_equal(one, other), f"seed {SEED}, shape {shape}: other bits")
                if want:
                    numpy.testing.assert_allclose(one, want[i], rtol=1e-4, atol=1e-4)
        for program, known in zip(programs, (figures, before)):
            if "transient_bytes" in known and len(shapes) == 1:
                self.assertEqual(program.statistics("main").slab_bytes, known["transient_bytes"])
        return programs[0].statistics("main").slab_bytes, programs[1].statistics("main").slab_bytes, self.parts(limited)


class FixedSizes(Case):
    def test_rows_of_two_products(self):
        graph = Graph([512, 64])
        path = graph.save(self.folder / "m.onnx", graph.mlp("x", 64, 256))
        used, before, parts = self.check(path, 64 * KIB, shapes=[(512, 64)])
        self.assertEqual(before, 512 * KIB)
        self.assertEqual(used, 64 * KIB)
        self.assertEqual(parts, [(["up", "tanh", "down"], "8 parts along dimension 0 of 'tanh'")])

    def test_parts_of_one_size_are_preferred(self):
        """Six parts would do; eight leave no rest."""
        graph = Graph([512, 64])
        path = graph.save(self.folder / "m.onnx", graph.mlp("x", 64, 256))
        self.assertIn("8 parts", self.check(path, 90 * KIB, shapes=[(512, 64)])[2][0][1])

    def test_no_number_of_parts_leaves_no_rest(self):
        graph = Graph([521, 64])
        path = graph.save(self.folder / "m.onnx", graph.mlp("x", 64, 256))
        used, _, parts = self.check(path, 64 * KIB, shapes=[(521, 64)])
        self.assertLessEqual(used, 64 * KIB)
        self.assertEqual(len(parts), 1)

    def test_what_fits_is_the_same_artifact(self):
        graph = Graph([512, 64])
        path = graph.save(self.folder / "m.onnx", graph.mlp("x", 64, 256))
        limited, figures = self.compile(path, "--max-transient=512KiB")
        whole, _ = self.compile(path, name="whole")
        self.assertEqual(figures["transient_bytes"], 512 * KIB)
        self.assertEqual(limited.read_bytes(), whole.read_bytes())
        self.assertEqual(self.parts(limited), [])

    def test_equal_layers_are_cut_alike(self):
        """The peak is as high in each layer: cutting one alone would not lower it."""
        graph, value = Graph([256, 64]), "x"
        for layer in range(4):
            value = graph.add("Add", f"sum{layer}", value, graph.mlp(value, 64, 512, f"l{layer}_"))
        path = graph.save(self.folder / "m.onnx", value)
        used, before, parts = self.check(path, 384 * KIB, shapes=[(256, 64)])
        self.assertGreater(before, 512 * KIB)
        self.assertLessEqual(used, 384 * KIB)
        self.assertEqual(sorted(names for names, _ in parts), [[f"l{layer}_{node}" for node in ("up", "tanh", "down")] for layer in range(4)])

    def test_all_layers_in_one_loop(self):
        """Where what lies between layers is too large as well, and the loop's own buffers take turns."""
        graph, value = Graph([256, 64]), "x"
        for layer in range(4):
            value = graph.add("Add", f"sum{layer}", value, graph.mlp(value, 64, 512, f"l{layer}_"))
        path = graph.save(self.folder / "m.onnx", value)
        used, _, parts = self.check(path, 40 * KIB, shapes=[(256, 64)])
        self.assertLessEqual(used, 40 * KIB)
        self.assertEqual(len(parts), 1)

    def test_through_a_reshape(self):
        """The batch is the outer half of the product's rows: parts are whole sequences."""
        graph = Graph([16, 24, 64])
        flat = graph.add("Reshape", "flat", "x", graph.ints(384, 64))
        up = graph.add("MatMul", "up", flat, graph.weight(64, 256))
        split = graph.add("Reshape", "split", up, graph.ints(16, 24, 256))
        soft = graph.add("Softmax", "soft", split, axis=1)
        path = graph.save(self.folder / "m.onnx", graph.add("MatMul", "down", soft, graph.weight(256, 8)))
        used, before, parts = self.check(path, 200 * KIB, shapes=[(16, 24, 64)])
        self.assertGreater(before, 384 * KIB)
        self.assertLessEqual(used, 200 * KIB)
        self.assertRegex(parts[0][1], r"^(2|4|8|16) parts")

    def test_a_batch_of_images(self):
        """Windows: each image's rows are its own."""
        graph = Graph([12, 3, 16, 16])
        first = graph.add("Conv", "first", "x", graph.weight(16, 3, 3, 3), pads=[1, 1, 1, 1])
        bent = graph.add("Relu", "relu", first)
        path = graph.save(self.folder / "m.onnx", graph.add("Conv", "second", bent, graph.weight(4, 16, 1, 1)))
        used, before, parts = self.check(path, 80 * KIB, shapes=[(12, 3, 16, 16)])
        self.assertGreater(before, 160 * KIB)
        self.assertLessEqual(used, 80 * KIB)
        self.assertIn("along dimension 0", parts[0][1])


    def test_padding_between(self):
        """Images of a batch, through convolutions that pad and pools."""
        graph = Graph([8, 4, 20, 20])
        value = "x"
        for layer, (inner, outer) in enumerate(((4, 16), (16, 16), (16, 8))):
            value = graph.add("Conv", f"conv{layer}", value, graph.weight(outer, inner, 3, 3), pads=[1, 1, 1, 1])
            value = graph.add("Relu", f"relu{layer}", value)
        value = graph.add("MaxPool", "pool", value, kernel_shape=[2, 2], strides=[2, 2])
        path = graph.save(self.folder / "m.onnx", graph.add("Pad", "pad", value, graph.ints(0, 0, 1, 2, 0, 0, 3, 0)))
        used, before, parts = self.check(path, 160 * KIB, shapes=[(8, 4, 20, 20)])
        self.assertGreater(before, 300 * KIB)
        self.assertLessEqual(used, 160 * KIB)
        self.assertEqual(len(parts), 1)


class FreeSizes(Case):
    def model(self):
        graph = Graph(["rows", 64])
        return graph.save(self.folder / "m.onnx", graph.mlp("x", 64, 256))

    def test_parts_are_of_so_many_rows(self):
        """What is expected says how large a part is, the call how many there are."""
        shapes = [(512, 64), (0, 64), (1, 64), (63, 64), (64, 64), (65, 64), (2000, 64)]
        used, before, parts = self.check(self.model(), 64 * KIB, "--expect=rows=512", shapes=shapes)
        self.assertEqual(parts, [(["up", "tanh", "down"], "parts of 64 positions along dimension 0 of 'tanh'")])
        self.assertEqual(used, 64 * KIB)
        self.assertGreaterEqual(before, 2000 * KIB)

    def test_nothing_is_expected(self):
        artifact, _ = self.compile(self.model(), "--max-transient=64KiB",
                                   warns="--max-transient counts the free size 'rows' of main as 64; say with --expect=rows=SIZE")
        self.assertEqual(self.parts(artifact), [])

    def test_two_free_sizes(self):
        graph = Graph(["batch", "seq", 32])
        path = graph.save(self.folder / "m.onnx", graph.mlp("x", 32, 128))
        shapes = [(16, 24, 32), (1, 1, 32), (3, 40, 32), (0, 5, 32), (7, 0, 32)]
        used, before, parts = self.check(path, 48 * KIB, "--expect=batch=16,seq=24", shapes=shapes)
        self.assertEqual(len(parts), 1)
        self.assertLess(used, before)


class Limits(Case):
    def test_what_cannot_be_met_is_named(self):
        """The whole product is needed for each number of the result."""
        graph = Graph([256, 64])
        up = graph.add("MatMul", "up", "x", graph.weight(64, 256))
        turned = graph.add("Transpose", "turned", up, perm=[1, 0])
        path = graph.save(self.folder / "m.onnx", graph.add("MatMul", "square", up, turned))
        self.compile(path, "--max-transient=16KiB",
                     warns=r"warning: main needs \S+ KiB of transient memory, more than --max-transient=16384 \(16.0 KiB\), and "
                           r"more parts do not help; largest: \S+ KiB that '\w+' computes")

    def test_marks_of_the_user_stay(self):
        graph = Graph([512, 64])
        path = graph.save(self.folder / "m.onnx", graph.mlp("x", 64, 256))
        lines = self.folder / "place.txt"
        lines.write_text("".join(f"{node} = stream(0, 2, parts = 3)\n" for node in ("up", "tanh", "down")))
        artifact, _ = self.compile(path, f"--place-file={lines}", "--max-transient=64KiB", warns="main needs 342.* KiB")
        self.assertEqual(self.parts(artifact), [])

    def test_two_devices(self):
        """The limit is of each device's own memory."""
        graph = Graph([512, 64])
        middle = graph.mlp("x", 64, 256, "a_")
        path = graph.save(self.folder / "m.onnx", graph.mlp(middle, 64, 512, "b_"))
        lines = self.folder / "place.txt"
        lines.write_text("a_* = one\nb_* = two\n")
        artifact, _ = self.compile(path, f"--place-file={lines}", "--target-device=one=local", "--target-device=two=local",
                                   "--max-transient=256KiB")
        nodes = [names for names, _ in self.parts(artifact)]
        self.assertIn(["a_up", "a_tanh", "a_down"], nodes)
        self.assertIn(["b_up", "b_tanh", "b_down"], nodes)

    def test_what_is_no_size(self):
        for text in ("lots", "0", "-4KiB", "1.5.2MiB", ""):
            with self.subTest(text):
                result = heddle("compile", "m.onnx", "-o", self.folder / "m.heddle", f"--max-transient={text}")
                self.assertEqual(result.returncode, 2)
                self.assertIn("--max-transient", result.stderr)


if __name__ == "__main__":
    unittest.main()
