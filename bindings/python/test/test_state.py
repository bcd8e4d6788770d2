# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a module keeps between calls, and arguments whose memory calls may overwrite."""
import gc
import unittest

import heddle
import ml_dtypes
import numpy
import onnx

from support import compiled, onnx_model

COUNTER = """
ml_program.global private mutable @count(dense<40> : tensor<i64>) : tensor<i64>
func.func @main(%x: tensor<i64> {heddle.name = "x"}) -> tensor<i64> {
  %old = ml_program.global_load @count : tensor<i64>
  %empty = tensor.empty() : tensor<i64>
  %new = linalg.add ins(%old, %x : tensor<i64>, tensor<i64>) outs(%empty : tensor<i64>) -> tensor<i64>
  ml_program.global_store @count = %new : tensor<i64>
  return %new : tensor<i64>
}
"""
ADD = "main (float[4] x, float[4] d) => (float[4] y) { y = Add(x, d) }"
ONE = numpy.int64(1)


def four(value):
    return numpy.full(4, value, numpy.float32)


CACHE = """main ({0}[1,n,2] x, {0}[1,4,2] cache, int64[1] at) => (float[1,4,2] y, {0}[1,4,2] new, int64[1] next) {{
  new = TensorScatter<axis = 1>(cache, x, at)
  y = Cast<to = 1>(new)
  one = Constant<value_ints = [1]>()
  next = Add(at, one)
}}"""


class State(unittest.TestCase):
    def test_elements_of_few_bits(self):
        for kind, dtype in (("float8e4m3fn", ml_dtypes.float8_e4m3fn), ("int4", ml_dtypes.int4), ("float16", numpy.float16)):
            with self.subTest(kind):
                model = onnx.parser.parse_model('<ir_version: 11, opset_import: ["" : 24]> ' + CACHE.format(kind))
                module = heddle.load(heddle.compile(model, state=["cache=new", "at=next"]))
                for i in range(3):
                    rows = module(numpy.full((1, 1, 2), 1 - i, dtype))
                self.assertEqual([1, 0, -1, 0], rows[0, :, 0].tolist())

    def test_kept_reset_and_independent(self):
        module = heddle.load(heddle.compile(COUNTER))
        self.assertEqual([41, 42], [int(module(ONE)) for _ in range(2)])
        other = module.new_state()
        self.assertEqual(41, int(module(ONE, state=other)))
        self.assertEqual(43, int(module(ONE)))
        self.assertEqual(42, int(module.start(ONE, state=other).result()))
        self.assertEqual(44, int(module(ONE)))
        other.reset()
        self.assertEqual(41, int(module(ONE, state=other)))
        module.reset_state()
        self.assertEqual(41, int(module(ONE)))

    def test_a_state_outlives_what_it_is_of(self):
        module = heddle.load(heddle.compile(COUNTER))
        state = module.new_state()
        future = module.start(ONE, state=state)
        del module, state
        gc.collect()
        self.assertEqual(41, int(future.result()))

    def test_what_is_no_state(self):
        module = heddle.load(heddle.compile(COUNTER))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "state takes what new_state"):
            module(ONE, state=3)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "belongs to another module"):
            module(ONE, state=heddle.load(heddle.compile(COUNTER)).new_state())
        self.assertEqual(41, int(module(ONE)))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "has no argument 'state'"):
            compiled(ADD)(four(1), state=None)  # keeps nothing


class Donation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = heddle.load(heddle.compile(onnx_model(ADD), donate="d"))

    def test_the_result_lies_in_the_argument_and_keeps_it(self):
        given = four(10)
        address = given.ctypes.data
        result = self.module(four(1), given)
        self.assertEqual(address, result.ctypes.data)
        self.assertIs(given, result.base)
        del given
        gc.collect()
        numpy.testing.assert_array_equal(four(11), result)
        result = self.module.start(four(1), d=four(5)).result()
        gc.collect()
        numpy.testing.assert_array_equal(four(6), result)

    def test_what_cannot_be_overwritten(self):
        read_only = four(1)
        read_only.flags.writeable = False
        for array in (read_only, numpy.ones(8, numpy.float32)[::2], numpy.frombuffer(bytes(16), numpy.float32)):
            with self.assertRaisesRegex(heddle.InvalidArgumentError, "'d' is donated and so overwritten: it must be writable"):
                self.module(four(1), array)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "must be a NumPy array, got an object of type memoryview"):
            self.module(four(1), memoryview(four(1)))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "elements of type f32, got float64"):
            self.module(four(1), numpy.ones(4))
        both = four(1)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "its memory is that of argument 0"):
            self.module(both, both)


class Random(unittest.TestCase):
    def test_seed(self):
        artifact = heddle.compile(onnx_model("main (float[4] x) => (float[4] y) { y = RandomNormalLike(x) }"))
        x = four(0)
        drawn = [heddle.load(artifact, seed=7), heddle.load(artifact, seed=7), heddle.load(artifact), heddle.load(artifact)]
        first, second = ([module(x) for module in drawn] for _ in range(2))
        for calls in (first, second):
            numpy.testing.assert_array_equal(calls[0], calls[1])
            self.assertEqual(3, len({call.tobytes() for call in calls}))
        self.assertNotEqual(first[0].tobytes(), second[0].tobytes())
        drawn[2].seed(7)
        numpy.testing.assert_array_equal(first[0], drawn[2](x))

    def test_bad_seed(self):
        artifact = heddle.compile(onnx_model("main (float[4] x) => (float[4] y) { y = RandomNormalLike(x) }"))
        for seed in (-1, 2**64, 1.5, "7"):
            with self.assertRaisesRegex(heddle.InvalidArgumentError, "seed is an integer from 0 to"):
                heddle.load(artifact, seed=seed)


if __name__ == "__main__":
    unittest.main()
