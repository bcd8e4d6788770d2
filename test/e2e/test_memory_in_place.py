# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transient memory: results over operands that die, places that each queue uses again; the same bits, no allocation."""
import pathlib
import tempfile
import unittest

import numpy
import onnx
import onnx.parser
import support
from onnx import helper, numpy_helper
from runtime import Program
from support import DEVICES, heddle

OFF = "--disable-pass=schedule-update-in-place"
ROWS, COLUMNS = 301, 200
BYTES = ROWS * COLUMNS * 4


def residual_blocks(count):
    """x + relu(x · a) · b, `count` times: the sum before a block is no longer needed when the block adds to it."""
    generator = numpy.random.default_rng(5)
    nodes, weights, last = [], [], "x"
    for i in range(count):
        for name in (f"a{i}", f"b{i}"):
            weights.append(numpy_helper.from_array((generator.standard_normal((COLUMNS, COLUMNS)) / 20).astype(numpy.float32), name))
        nodes += [helper.make_node("MatMul", [last, f"a{i}"], [f"p{i}"]), helper.make_node("Relu", [f"p{i}"], [f"r{i}"]),
                  helper.make_node("MatMul", [f"r{i}", f"b{i}"], [f"q{i}"]), helper.make_node("Add", [f"q{i}", last], [f"s{i}"])]
        last = f"s{i}"
    value = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [ROWS, COLUMNS])
    graph = helper.make_graph(nodes, "blocks", [value("x")], [value(last)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def chains(products, queues, free):
    """As many products one after the other on each of the queues of a device, and the sum of what they give; of 128 rows or of any number."""
    weights, last = "tensor<128x128xf32>", []
    tensor, name = ("tensor<?x128xf32>", ' {heddle.dims = ["n", ""]}') if free else (weights, "")
    size = "  %c0 = arith.constant 0 : index\n  %n = tensor.dim %x, %c0 : tensor<?x128xf32>\n" if free else ""
    text = f"""device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {{cpu = "x86-64", features = ""}}>]>
func.func @main(%x: {tensor}{name}, %w: {weights}) -> ({tensor}) {{
{size}  %zero = arith.constant 0.0 : f32
  %e = tensor.empty({"%n" if free else ""}) : {tensor}
  %z = linalg.fill ins(%zero : f32) outs(%e : {tensor}) -> {tensor}
"""
    for queue in range(queues):
        value = "%x"
        for i in range(products):
            text += (f"  %q{queue}_{i} = linalg.matmul {{heddle.affinity = #device.affinity<@a, [{queue}]>}} ins({value}, %w : {tensor}, {weights}) "
                     f"outs(%z : {tensor}) -> {tensor}\n")
            value = f"%q{queue}_{i}"
        last.append(value)
    total = last[0]
    for i, value in enumerate(last[1:]):
        text += f"  %s{i} = arith.addf {total}, {value} {{heddle.affinity = #device.affinity<@a, [0]>}} : {tensor}\n"
        total = f"%s{i}"
    return text + f"  return {total} : {tensor}\n}}\n"


class InPlace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, model, *flags):
        source, artifact = self.folder / "m.onnx", self.folder / f"m{len(flags)}{OFF in flags}.heddle"
        onnx.save(onnx.parser.parse_model(model) if isinstance(model, str) else model, source)
        result = heddle("compile", source, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def calls(self, artifact, *arguments):
        """The results of the second call, and its statistics."""
        program = Program(artifact)
        self.addCleanup(program.close)
        program(None, *arguments)
        results = program(None, *arguments)
        return results, program.statistics(None)

    def test_residual_blocks_need_two_places(self):
        x = numpy.random.default_rng(1).standard_normal((ROWS, COLUMNS)).astype(numpy.float32)
        model = residual_blocks(5)
        (got,), over = self.calls(self.compile(model), x)
        (want,), apart = self.calls(self.compile(model, OFF), x)
        numpy.testing.assert_array_equal(got, want)
        place = (BYTES + 63) // 64 * 64
        self.assertEqual((2 * place, 3 * place), (over.slab_bytes, apart.slab_bytes))
        self.assertEqual(apart.dispatches, over.dispatches)
        # Results are the caller's from then on; nothing else is allocated by a call that is not the first.
        self.assertEqual(apart.allocations, over.allocations)
        self.assertLessEqual(over.allocations, 1)

    def test_the_same_on_any_number_of_cores(self):
        x = numpy.random.default_rng(1).standard_normal((ROWS, COLUMNS)).astype(numpy.float32)
        artifact = self.compile(residual_blocks(3))
        numpy.save(self.folder / "x.npy", x)
        texts = {device: heddle("run", artifact, f"--device={device}", f"--input=@{self.folder / 'x.npy'}") for device in DEVICES}
        for result in texts.values():
            self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(1, len({result.stdout for result in texts.values()}))

    def test_a_donated_argument_is_updated_where_it_lies(self):
        step = """<ir_version: 10, opset_import: ["" : 20]>
main (float[50,70] w, float[50,70] g) => (float[50,70] v) {
  c = Constant <value_float = 0.5> ()
  d = Mul(g, c)
  v = Sub(w, d)
}"""
        w, g = (numpy.random.default_rng(i).standard_normal((50, 70)).astype(numpy.float32) for i in (1, 2))
        for flags in ((), (OFF,)):
            given = w.copy()
            program = Program(self.compile(step, "--donate=w", *flags))
            self.addCleanup(program.close)
            (got,) = program(None, given, g)
            numpy.testing.assert_array_equal(w - g * numpy.float32(0.5), got)
            numpy.testing.assert_array_equal(got, given)  # its memory
            self.assertEqual(0, program.statistics(None).slab_bytes)

    def test_each_queue_uses_its_places_again(self):
        w = numpy.random.default_rng(1).standard_normal((128, 128)).astype(numpy.float32) / 11
        for products, queues, free in ((2, 2, False), (6, 2, False), (6, 3, False), (6, 2, True), (6, 3, True)):
            source, artifact = self.folder / "m.mlir", self.folder / f"m{products}{queues}{free}.heddle"
            source.write_text(chains(products, queues, free))
            result = heddle("compile", source, "-o", artifact)
            self.assertEqual(0, result.returncode, result.stderr)
            x = numpy.random.default_rng(2).standard_normal((100 if free else 128, 128)).astype(numpy.float32)
            (got,), statistics = self.calls(artifact, x, w)
            want = queues * x.astype(numpy.float64) @ numpy.linalg.matrix_power(w.astype(numpy.float64), products)
            numpy.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
            self.assertEqual(2 * queues * x.nbytes, statistics.slab_bytes)

    def test_sizes_that_only_a_call_knows(self):
        model = """<ir_version: 10, opset_import: ["" : 20]>
main (float[n,64] x, float[64,64] a, float[64,64] b) => (float[n,64] y) {
  p = MatMul(x, a)
  s = Softmax(p)
  q = MatMul(s, b)
  t = Add(q, s)
  u = MatMul(t, a)
  y = Add(u, t)
}"""
        generator = numpy.random.default_rng(3)
        a, b = (generator.standard_normal((64, 64)).astype(numpy.float32) for _ in range(2))
        over, apart = Program(self.compile(model)), Program(self.compile(model, OFF))
        self.addCleanup(over.close)
        self.addCleanup(apart.close)
        for rows in (0, 1, 7, 100, 7):
            x = generator.standard_normal((rows, 64)).astype(numpy.float32)
            numpy.testing.assert_array_equal(over(None, x, a, b)[0], apart(None, x, a, b)[0])
            self.assertLessEqual(over.statistics(None).slab_bytes, apart.statistics(None).slab_bytes)
        self.assertEqual(0, over.statistics(None).plan_misses)


if __name__ == "__main__":
    unittest.main()
