# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls: arguments in, results out, and who owns what."""
import gc
import os
import sys
import threading
import tracemalloc
import unittest
import weakref

import heddle
import ml_dtypes
import numpy

from support import compiled, pair

ADD = "add (float[n,m] a, float[n,m] b) => (float[n,m] y) { y = Add (a, b) }"


def floats(*shape):
    return numpy.arange(numpy.prod(shape), dtype=numpy.float32).reshape(shape)


class Strict:
    """An array of another library: DLPack is all it has."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device, self.exports = array, device, 0

    def __dlpack__(self, **keywords):
        self.exports += 1
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.device


class Call(unittest.TestCase):
    def refused(self, kind, text, function, *arguments, **named):
        with self.assertRaises(kind) as caught:
            function(*arguments, **named)
        self.assertEqual(text, str(caught.exception))
        return caught.exception

    def test_numbers_of_python(self):
        module = compiled("g (float f, int64 i, bool b, bfloat16 h) => (float y, int64 j, bool c, bfloat16 k) "
                          "{ y = Neg(f) j = Neg(i) c = Not(b) k = Neg(h) }")
        y, j, c, k = module(1.5, 7, True, 2)
        self.assertEqual((-1.5, -7, False, -2.0), (float(y), int(j), bool(c), float(k)))
        self.assertEqual((numpy.float32, numpy.int64, numpy.bool_, ml_dtypes.bfloat16), tuple(value.dtype for value in (y, j, c, k)))
        invalid = heddle.InvalidArgumentError
        self.refused(invalid, "'i' takes i64, got 1.5; convert it", module, 1, 1.5, True, 1)
        self.refused(invalid, "'b' takes i1, got 1; convert it", module, 1, 1, 1, 1)
        self.refused(invalid, "'f' takes f32, got True; convert it", module, True, 1, True, 1)
        with self.assertRaises(OverflowError):
            module(1.5, 2**70, True, 1)
        with self.assertRaisesRegex(invalid, "'a' takes an array, got an object of type float"):
            compiled(ADD)(1.0, 2.0)

    def test_positional_and_named(self):
        a, b = floats(2, 3), floats(2, 3) + 10
        module = compiled(ADD)
        for result in (module(a, b), module(a, b=b), module(b, a=a), module(b=b, a=a), module.main(a, b)):
            numpy.testing.assert_array_equal(result, a + b)
        self.assertEqual((2, 3), module(a, b).shape)
        self.assertEqual((4, 1), module(floats(4, 1), floats(4, 1)).shape)

    def test_several_results_are_a_tuple(self):
        total, scaled = pair()(floats(3), floats(3))
        numpy.testing.assert_array_equal(total, floats(3) * 2)
        numpy.testing.assert_array_equal(scaled, floats(3) * 2)
        self.assertEqual((), pair().nothing())

    def test_wrong_arguments(self):
        module, a = compiled(ADD), floats(2, 3)
        invalid = heddle.InvalidArgumentError
        self.refused(invalid, "'main' takes 2 arguments, got 1; 'b' is missing", module, a)
        self.refused(invalid, "'main' takes 2 arguments, got 0; 'a', 'b' are missing", module)
        self.refused(invalid, "'main' takes 2 arguments, got 3", module, a, a, a)
        self.refused(invalid, "'main' takes 2 arguments, got 3", module, a, a, b=a)
        self.refused(invalid, "'main' has no argument 'bb'; did you mean 'b'?", module, a, bb=a)
        self.refused(invalid, "'main' has no argument 'z'; it has 'a', 'b'", module, a, z=a)
        self.refused(invalid, "an artifact is what compile() gave, its bytes, or a path, got an object of type int", heddle.load, 3)
        self.refused(invalid, "devices are names or URIs like 'cpu' and 'local://0', got an object of type int", heddle.load, module.artifact, [0])
        self.refused(invalid, "argument 0 'a' has element type f32, got f64; convert it", module, a.astype("f8"), a)
        self.refused(invalid, "argument 0 'a' has 2 dimensions, got 1 (3)", module, floats(3), a)
        self.refused(invalid, "argument 1 'b': dimension 1 'm' is 3 in argument 0 'a', got 4; give equal sizes", module,
                     a, floats(2, 4))
        self.refused(invalid, "'a' takes an array, got an object of type list; give a NumPy array (numpy.asarray) or one "
                     "that speaks DLPack", module, [1.0], a)
        self.refused(invalid, "'a' takes f32, got an array of complex64, a type that Heddle does not have; convert it with "
                     "astype", module, a.astype(numpy.complex64), a)
        self.refused(invalid, "timeout is in seconds and positive, or None, got -1", module, a, a, timeout=-1)
        error = self.refused(AttributeError, "the module has no entry point 'mian'; did you mean 'main'?", getattr, module, "mian")
        self.assertIsInstance(error, AttributeError)
        self.assertIsInstance(heddle.InvalidArgumentError("x"), ValueError)

    def test_defaults(self):
        module = compiled("main (float[2] w, float[2] x, float k) => (float[2] y) <float[2] w = {3, 4}, float k = {5}> "
                          "{ p = Mul(x, w) f = Cast<to = 1>(k) y = Add(p, f) }")
        x = numpy.array([1, 2], numpy.float32)
        self.assertEqual([8, 13], module(x).tolist())
        self.assertEqual([15, 45], module(x, w=numpy.array([10, 20], numpy.float32)).tolist())
        self.assertEqual([3, 8], module(x, k=numpy.float32(0)).tolist())
        self.assertEqual([8, 13], module(x).tolist())
        self.assertEqual([8, 13], module.start(x).result().tolist())
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "^'main' takes 3 arguments, got 1; 'x' is missing$"):
            module(w=x)

    def test_dense_arguments_are_not_copied_and_others_are(self):
        """Seen by what NumPy allocates; results are not its."""
        module, n = compiled(ADD), 512
        big, zero = floats(2 * n, 2 * n), numpy.zeros((n, n), numpy.float32)
        for name, array, copied in [("plain", floats(n, n), False), ("a slice of rows", big.reshape(4 * n, n)[n:2 * n], False),
                                    ("columns", big[:n, :n], True), ("transposed", floats(n, n).T, True),
                                    ("big endian", floats(n, n).astype(">f4"), True),
                                    ("DLPack", Strict(floats(n, n)), False),
                                    ("DLPack of columns", Strict(big[:n, :n]), True)]:
            with self.subTest(name):
                want = getattr(array, "array", array).astype("f4")
                module(zero, zero)
                tracemalloc.start()
                result = module(array, zero)
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                numpy.testing.assert_array_equal(result, want)
                self.assertEqual(copied, peak >= zero.nbytes)
                self.assertLess(peak, 2 * zero.nbytes)

    def test_dlpack(self):
        module, a = compiled(ADD), Strict(floats(2, 3))
        numpy.testing.assert_array_equal(module(a, a), floats(2, 3) * 2)
        self.assertEqual(2, a.exports)
        read_only = floats(2, 3)
        read_only.flags.writeable = False
        numpy.testing.assert_array_equal(module(read_only, Strict(read_only)), floats(2, 3) * 2)

    def test_results_own_their_memory(self):
        module = heddle.load(heddle.compile(
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %0 = tosa.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
            "  return %0 : tensor<4xf32>\n}"))
        result = module(floats(4))
        alive = weakref.ref(module)
        del module
        gc.collect()
        self.assertIsNone(alive())
        numpy.testing.assert_array_equal(result, floats(4) * 2)
        self.assertTrue(result.flags.writeable and result.flags.c_contiguous and not result.flags.owndata)
        self.assertEqual(0, result.ctypes.data % 64)

    def test_out(self):
        module, a = compiled(ADD), floats(2, 3)
        out = numpy.full((2, 3), -1, numpy.float32)
        self.assertIs(out, module(a, a, out=out))
        numpy.testing.assert_array_equal(out, a * 2)
        larger = numpy.full((5, 3), -1, numpy.float32)
        result = module(a, a, out=larger)
        self.assertIs(larger, result.base)
        numpy.testing.assert_array_equal(result, a * 2)
        self.assertEqual(-1, larger[2, 0])
        total = numpy.zeros(3, numpy.float32)
        results = pair()(floats(3), floats(3), out=(total, None))
        self.assertIs(total, results[0])
        self.assertIsNot(total, results[1])

    def test_wrong_out(self):
        module, a = compiled(ADD), floats(2, 3)
        invalid = heddle.InvalidArgumentError
        self.refused(invalid, "result 'y': its storage must have elements of type f32, got float64", module, a, a, out=a.astype("f8"))
        self.refused(invalid, "result 'y': its storage must be a NumPy array, got an object of type int", module, a, a, out=3)
        strided = numpy.zeros((2, 6), numpy.float32)[:, ::2]
        self.refused(invalid, "result 'y': its storage must be writable, aligned and contiguous in C order", module, a, a,
                     out=strided)
        self.refused(invalid, "result 'y': its storage overlaps argument 'b'; give other memory", module, a + 0, a, out=a)
        self.refused(invalid, "result 0 'y' needs 24 bytes, got storage of 16; give a larger buffer or none\nin 'Add_0'", module, a, a,
                     out=numpy.zeros(4, numpy.float32))
        self.refused(invalid, "out takes an array or None for each of the 2 results of 'main', in a tuple or list", pair(),
                     floats(3), floats(3), out=[None])
        both = numpy.zeros(3, numpy.float32)
        self.refused(invalid, "result 'scaled': its storage overlaps that of result 'sum'; give other memory", pair(),
                     floats(3), floats(3), out=[both, both])

    def test_scalars_and_empty_arrays(self):
        module = compiled("f (float a, float[n] b) => (float[n] y) { y = Mul (a, b) }")
        numpy.testing.assert_array_equal(module(numpy.float32(3), floats(4)), floats(4) * 3)
        numpy.testing.assert_array_equal(module(numpy.array(3, numpy.float32), floats(4)), floats(4) * 3)
        self.assertEqual((0,), module(numpy.float32(3), floats(0)).shape)

    def test_types(self):
        for text, kind in [("int8", numpy.int8), ("uint8", numpy.uint8), ("int16", numpy.int16), ("int32", numpy.int32),
                           ("int64", numpy.int64), ("uint64", numpy.uint64), ("float16", numpy.float16),
                           ("double", numpy.float64), ("bool", numpy.bool_), ("bfloat16", ml_dtypes.bfloat16)]:
            with self.subTest(text):
                module = compiled(f"f ({text}[n,2] a) => ({text}[2,n] y) {{ y = Transpose <perm = [1, 0]> (a) }}")
                a = numpy.array([[0, 1], [1, 1], [0, 0]]).astype(kind)
                result = module(a)
                self.assertEqual(numpy.dtype(kind), result.dtype)
                numpy.testing.assert_array_equal(result, a.T)
                self.assertEqual(numpy.dtype(kind), module.main.results[0].dtype)
        bits = numpy.array([1.5, -2.0], ml_dtypes.bfloat16).view(numpy.uint16)
        result = pair().copy16(bits)  # bits stand for a type that NumPy lacks
        self.assertEqual([1.5, -2.0], list(result))

    def test_long_is_int64(self):
        module = compiled("f (int64[n] a) => (int64[n] y) { y = Neg (a) }")
        for kind in (numpy.longlong, numpy.int_, numpy.dtype("q")):
            self.assertEqual([-1, -2], list(module(numpy.array([1, 2], kind))))

    def test_threads(self):
        module, wrong = compiled(ADD), []

        def work(seed):
            a = numpy.full((8, 8), seed, numpy.float32)
            for i in range(200):
                if not (module(a, a) == 2 * seed).all():
                    wrong.append((seed, i))
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], wrong)

    def test_timeout(self):
        module = compiled("f (float[256,256] a) => (float[256,256] y) { "
                          + "x0 = MatMul (a, a) " + " ".join(f"x{i} = MatMul (x{i - 1}, a)" for i in range(1, 50))
                          + " y = Neg (x49) }")
        a = numpy.zeros((256, 256), numpy.float32)
        error = self.refused(heddle.DeadlineExceededError, "the call takes longer than its limit of 1 us\nin 'MatMul_0'", module, a, timeout=1e-6)
        self.assertIsInstance(error, TimeoutError)
        numpy.testing.assert_array_equal(module(a, timeout=60), a)
        numpy.testing.assert_array_equal(module(a), a)

    def test_memory_stays_flat(self):
        module, a = compiled(ADD), floats(8, 64)
        out, columns = floats(8, 64), floats(8, 128)[:, ::2]

        def fail():
            with self.assertRaises(heddle.InvalidArgumentError):
                module(a)
        for name, times, call in [("results", 100_000, lambda: module(a, a)), ("out", 10_000, lambda: module(a, a, out=out)),
                                  ("DLPack", 10_000, lambda: module(Strict(a), Strict(columns))),
                                  ("names", 10_000, lambda: module(b=a, a=columns)), ("failures", 5_000, fail),
                                  ("futures", 2_000, lambda: module.start(a, a).result())]:
            with self.subTest(name):
                references = sys.getrefcount(a), sys.getrefcount(out)
                for _ in range(500):
                    call()
                before = resident_bytes()
                for _ in range(times):
                    call()
                self.assertLess(resident_bytes() - before, 2 << 20)
                self.assertEqual(references, (sys.getrefcount(a), sys.getrefcount(out)))

    def test_kernel_failure_has_the_tools_text(self):
        with self.assertRaises(heddle.KernelFailedError) as caught:
            pair().refuse(floats(3))
        self.assertEqual("kernel-failed", caught.exception.code)
        self.assertEqual([caught.exception.message, *caught.exception.notes], str(caught.exception).splitlines())


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    unittest.main()
