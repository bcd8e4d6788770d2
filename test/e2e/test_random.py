# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random operators: each call draws anew, a seed makes calls reproducible, loops draw in each iteration."""
import ctypes
import os
import subprocess
import threading
import unittest

import numpy
import onnx
import onnx.parser
import support
from runtime import Program
from support import heddle

HEAD = '<ir_version: 8, opset_import: ["" : 17]>'
ALL = f"""{HEAD} g (float[n,64] x) => (float[n,64] a, float[n,64] b, float[32,64] c, float[32,64] d, float[n,64] e, int32[n,40] m) {{
  a = RandomNormalLike <mean = 2.0, scale = 0.5> (x)
  b = RandomUniformLike <low = 1.0, high = 3.0> (x)
  c = RandomNormal <shape = [32, 64]> ()
  d = RandomUniform <shape = [32, 64]> ()
  h = Sigmoid (x)
  e = Bernoulli (h)
  m = Multinomial <sample_size = 40> (x) }}"""
LOOP = f"""{HEAD} g (float[64] x, int64 n) => (float[k,64] y, float[64] z) <bool yes = {{1}}> {{
  o, y = Loop (n, yes, x) <body = b (int64 i, bool go, float[64] s) => (bool on, float[64] t, float[64] r) {{
    on = Identity (go) r = RandomNormalLike (s) t = Add (s, r) }}>
  z = Sub (o, x) }}"""
# Ends when the sum is large: an scf.while.
WHILE = f"""{HEAD} g (float[64] x, int64 n) => (float[k,64] y, float[64] z) <bool yes = {{1}}, float most = {{1000000.0}}> {{
  o, y = Loop (n, yes, x) <body = b (int64 i, bool go, float[64] s) => (bool on, float[64] t, float[64] r) {{
    r = RandomNormalLike (s) t = Add (s, r) u = ReduceSum <keepdims = 0> (t) on = Less (u, most) }}>
  z = Sub (o, x) }}"""
DROPOUT = f"""{HEAD} g (float[n,500] x) => (float[n,500] y, bool[n,500] mask) <float ratio = {{0.25}}, bool yes = {{1}}> {{
  y, mask = Dropout (x, ratio, yes) }}"""
SEEDED = f"""{HEAD} g (float[4,64] x) => (float[4,64] y) {{ y = RandomNormalLike <seed = 3.5> (x) }}"""


class RandomTest(support.EndToEnd):
    def model(self, text):
        path = self.folder / "m.onnx"
        onnx.save(onnx.parser.parse_model(text), path)
        return path

    def compile(self, text, *flags):
        target = self.folder / "m.heddle"
        result = heddle("compile", self.model(text), "-o", target, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return target, result.stderr

    def load(self, path, seed=None):
        program = Program(path)
        self.addCleanup(program.close)
        if seed is not None:
            program.lib.heddle_module_seed(program.module, ctypes.c_uint64(seed))
        return program

    def calls(self, path, seed, arguments, count=3):
        program = self.load(path, seed)
        return [program(None, *arguments) for _ in range(count)]

    def assert_equal(self, one, other):
        for a, b in zip(one, other):
            for x, y in zip(a, b):
                numpy.testing.assert_array_equal(x, y)

    def test_each_call_draws_anew(self):
        path, messages = self.compile(ALL)
        self.assertNotIn("same numbers", messages)
        x = numpy.zeros((32, 64), numpy.float32)
        first, second, third = self.calls(path, None, [x])
        other = self.calls(path, None, [x], 1)[0]
        for i, (mean, deviation) in enumerate(((2, 0.5), (2, 1 / 3 ** 0.5), (0, 1), (0.5, 12 ** -0.5), (0.5, 0.5), (31.5, 64 / 12 ** 0.5))):
            kinds = [first[i], second[i], third[i], other[i]]
            for n, a in enumerate(kinds):
                # 2,048 numbers: 6 deviations of their mean, whatever is drawn.
                self.assertLess(abs(a.mean() - mean), 6 * deviation / a.size ** 0.5, f"result {i}")
                self.assertLess(abs(a.std() - deviation), 0.1 * deviation, f"result {i}")
                for b in kinds[n + 1:]:
                    self.assertGreater((a != b).mean(), 0.3, f"result {i}")

    def test_a_seed_repeats_the_calls(self):
        path, _ = self.compile(ALL)
        x = numpy.random.default_rng(1).normal(0, 1, (5, 64)).astype(numpy.float32)
        want = self.calls(path, 7, [x])
        self.assert_equal(want, self.calls(path, 7, [x]))
        self.assertFalse(numpy.array_equal(want[0][0], self.calls(path, 8, [x], 1)[0][0]))
        program = self.load(path, 7)
        program(None, x)
        program.lib.heddle_module_seed(program.module, ctypes.c_uint64(7))  # begins anew
        self.assert_equal(want, [program(None, x) for _ in range(3)])

    def test_the_same_on_any_device(self):
        path, _ = self.compile(ALL)
        x = numpy.random.default_rng(2).normal(0, 1, (5, 64)).astype(numpy.float32)
        want = self.calls(path, 7, [x], 1)[0]
        flags = [f"--output={name}=@{self.folder}/{name}.npy" for name in "abcdem"]
        self.compile(ALL, "--target-device=a=local[0]", "--target-device=b=local[1]", "--place=auto")
        result = heddle("run", path, "--seed=7", "--device=local://0", "--device=local://1", f"--input={self.save('x', x)}", *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        for name, value in zip("abcdem", want):
            numpy.testing.assert_array_equal(value, numpy.load(self.folder / f"{name}.npy"))

    def test_runs_and_the_reference(self):
        """`heddle run --seed=0` is what the reference says; without a seed each run is another one."""
        path, _ = self.compile(ALL)
        x = f"--input={self.save('x', numpy.random.default_rng(3).normal(0, 1, (3, 64)).astype(numpy.float32))}"
        outs = []
        for n, command in enumerate((("run", path, "--seed=0"), ("run", path, "--seed=0"), ("run", path), ("run", path))):
            result = heddle(*command, x, *[f"--output={name}=@{self.folder}/{name}{n}.npy" for name in "abcdem"])
            self.assertEqual(0, result.returncode, result.stderr)
            outs.append([numpy.load(self.folder / f"{name}{n}.npy") for name in "abcdem"])
        self.assert_equal([outs[0]], [outs[1]])
        for one, other in ((0, 2), (0, 3), (2, 3)):
            self.assertFalse(numpy.array_equal(outs[one][0], outs[other][0]))
        subprocess.run([support.BIN / "heddle-reference", "--small", self.folder / "m.onnx", x,
                        *[f"--output={name}=@{self.folder}/{name}r.npy" for name in "abcdem"]], check=True)
        for name, got in zip("abcdem", outs[0]):
            numpy.testing.assert_allclose(got, numpy.load(self.folder / f"{name}r.npy"), rtol=1e-5, atol=1e-6, err_msg=name)

    def test_check(self):
        result = heddle("check", self.model(ALL), "--dim=n=5", "--device=local://0")
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"schedule ok .*package ok")

    def test_classes_are_drawn_as_likely_as_they_are(self):
        """Also with likelihoods far apart, and never a class of none."""
        path, _ = self.compile(f"{HEAD} g (float[n,c] x) => (int32[n,20000] m) {{ m = Multinomial <sample_size = 20000> (x) }}")
        chances = numpy.array([[0, 0.5, 0, 0.25, 0.2, 0.05, 0], [0, 0, 1e-3, 0.999, 0, 0, 0]], numpy.float32)
        for shift in (0, -80, 5000):
            with numpy.errstate(divide="ignore"):
                drawn = self.calls(path, 7, [numpy.log(chances) + numpy.float32(shift)], 1)[0][0]
            for row, chance in zip(drawn, chances):
                share = numpy.bincount(row, minlength=7) / row.size
                self.assertEqual(7, share.size)
                self.assertTrue((share[chance == 0] == 0).all(), share)
                # 6 deviations of what is drawn.
                self.assertTrue((abs(share - chance) <= 6 * (chance * (1 - chance) / row.size) ** 0.5 + 1e-6).all(), share)

    def test_each_iteration_draws_anew(self):
        x = numpy.ones(64, numpy.float32)
        for text in (LOOP, WHILE):
            path, _ = self.compile(text)
            rows, total = self.calls(path, 1, [x, numpy.array(20, numpy.int64)], 1)[0]
            self.assertEqual((20, 64), rows.shape)
            self.assertEqual(20, len({row.tobytes() for row in rows}))
            self.assertLess(abs(rows.mean()), 6 / rows.size ** 0.5)
            numpy.testing.assert_allclose(total, rows.sum(0), rtol=1e-4, atol=1e-4)

    def test_dropout(self):
        path, messages = self.compile(DROPOUT)
        self.assertNotIn("warning", messages)
        x = numpy.random.default_rng(4).uniform(1, 2, (40, 500)).astype(numpy.float32)
        (y, mask), (_, other) = self.calls(path, None, [x], 2)
        self.assertLess(abs(mask.mean() - 0.75), 6 * (0.75 * 0.25 / mask.size) ** 0.5)
        self.assertGreater((mask != other).mean(), 0.3)
        numpy.testing.assert_allclose(y, numpy.where(mask, x / numpy.float32(0.75), 0), rtol=1e-6)

    def test_a_seed_of_the_model(self):
        path, messages = self.compile(SEEDED)
        self.assertIn("every call gives the same numbers, those of 'seed'", messages)
        x = numpy.zeros((4, 64), numpy.float32)
        self.assert_equal(self.calls(path, None, [x], 1), self.calls(path, None, [x], 1))

    def test_threads(self):
        """Calls of several threads draw the numbers that calls one after the other do, each once."""
        path, _ = self.compile(f"{HEAD} g (float[8] x) => (float[8] y) {{ y = RandomUniformLike (x) }}")
        x, drawn = numpy.zeros(8, numpy.float32), []
        program = self.load(path, 5)

        def call():
            mine = Program.__new__(Program)  # an invocation of its own, of the same module
            mine.lib, mine.module, mine.calls = program.lib, program.module, {}
            values = [mine(None, x)[0].tobytes() for _ in range(25)]
            drawn.extend(values)
            for invocation, _ in mine.calls.values():
                mine.lib.heddle_invocation_release(invocation)

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(100, len(set(drawn)))
        self.assertEqual(set(drawn), {call[0].tobytes() for call in self.calls(path, 5, [x], 100)})

    def test_children_of_a_fork(self):
        """Each draws numbers of its own, unless the seed was given."""
        path, _ = self.compile(f"{HEAD} g (float[8] x) => (float[8] y) {{ y = RandomUniformLike (x) }}")
        x = numpy.zeros(8, numpy.float32)
        for seed in (None, 5):
            program = self.load(path, seed)
            readers = []
            for _ in range(2):
                reader, writer = os.pipe()
                if os.fork() == 0:
                    try:
                        os.write(writer, program(None, x)[0].tobytes())
                    finally:
                        os._exit(0)
                os.close(writer)
                readers.append(reader)
            drawn = {program(None, x)[0].tobytes()}
            for reader in readers:
                drawn.add(os.read(reader, 100))
                os.close(reader)
                os.wait()
            self.assertEqual(3 if seed is None else 1, len(drawn))

    def test_no_dimension_of_an_argument_has_that_name(self):
        source = self.folder / "m.mlir"
        source.write_text("""func.func @main(%x: tensor<?xf32> {heddle.dims = ["heddle.draw"]}) -> tensor<?xf32> { return %x : tensor<?xf32> }""")
        result = heddle("compile", source, "-o", self.folder / "m.heddle")
        self.assertEqual(1, result.returncode)
        self.assertIn('is named "heddle.draw", which stands for the numbers that calls draw; give it another name', result.stderr)


if __name__ == "__main__":
    unittest.main()
