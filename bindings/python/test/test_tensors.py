# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle.Tensor: arguments and results that stay where they are, and tensors of other libraries by DLPack."""
import gc
import os
import subprocess
import sys
import threading
import unittest

import heddle
import numpy

from support import FIXTURE

try:
    import torch
    torch.tensor  # a folder of this name would do as a namespace
except (ImportError, AttributeError):  # CI has none
    torch = None

# A processor, and one that hides its memory as a GPU does.
DEVICES = ["local://0", "local://0?discrete=yes"]
X = numpy.array([1, 2, 3], numpy.float32)


def pair(device):
    """main(a, b) -> (sum = a + b, scaled = 2 a) on a device."""
    return heddle.load(FIXTURE, device)


class OnEachDevice(unittest.TestCase):
    def test_tensors_go_in_and_stay(self):
        for device in DEVICES:
            with self.subTest(device):
                module = pair(device)
                a, b = module.to_device(X), module.to_device(10 * X, device=0)
                total, scaled = module(a, b, on=0)
                self.assertIsInstance(total, heddle.Tensor)
                self.assertEqual(0, module.main.boundary_bytes, "nothing is copied")
                numpy.testing.assert_array_equal(11 * X, total.numpy())
                numpy.testing.assert_array_equal(2 * X, scaled.numpy())
                self.assertEqual(((3,), "f32", numpy.float32, 12, device),
                                 (total.shape, total.type, total.dtype, total.nbytes, total.device))
                again, _ = module.main(total, b=scaled, on=module.devices[0].name)
                self.assertEqual(0, module.main.boundary_bytes)
                numpy.testing.assert_array_equal(13 * X, numpy.asarray(again))
                self.assertEqual(f"<heddle.Tensor 3xf32 on {device}>", repr(again))
                self.assertEqual(3, len(again))

    def test_arrays_and_tensors_in_one_call(self):
        for device in DEVICES:
            with self.subTest(device):
                module = pair(device)
                total, scaled = module(module.to_device(X), X)
                self.assertIsInstance(total, numpy.ndarray)
                numpy.testing.assert_array_equal(2 * X, total)
                total, scaled = module(X, X, on=0)
                self.assertIsInstance(scaled, heddle.Tensor)
                numpy.testing.assert_array_equal(2 * X, scaled.numpy())
                host, _ = module(X, X, on="host")
                self.assertIsInstance(host, numpy.ndarray)
                numpy.testing.assert_array_equal(2 * X, host)

    def test_out(self):
        for device in DEVICES:
            with self.subTest(device):
                module = pair(device)
                storage, array = module.empty([3], "float32"), numpy.empty(3, numpy.float32)
                a = module.to_device(X)
                results = module(a, a, out=(storage, array))
                self.assertIs(storage, results[0])
                self.assertIs(array, results[1])
                numpy.testing.assert_array_equal(2 * X, storage.numpy())
                numpy.testing.assert_array_equal(2 * X, array)
                larger = module.empty([5], numpy.float32)
                part = module(a, a, out=(larger, None))[0]
                self.assertEqual((3,), part.shape)
                numpy.testing.assert_array_equal(2 * X, part.numpy())
                numpy.testing.assert_array_equal(2 * X, larger.numpy()[:3])
                with self.assertRaisesRegex(heddle.InvalidArgumentError, "its storage overlaps that of argument 0 'a'"):
                    module(a, X, out=(a, None))
                with self.assertRaisesRegex(heddle.InvalidArgumentError, "needs 12 bytes, got storage of 8"):
                    module(a, X, out=(module.empty([2], "float32"), None))

    def test_futures(self):
        for device in DEVICES:
            with self.subTest(device):
                module = pair(device)
                first = module.start(module.to_device(X), X, on=0)
                second = module.start(first.result()[0], X, after=first)
                numpy.testing.assert_array_equal(3 * X, second.result()[0])
                for _ in range(20):  # dropped with results that nobody took
                    module.start(module.to_device(X), X, on=0)
                gc.collect()

    def test_short_calls_are_run_by_who_waits(self):
        module = pair("local://0")
        for i in range(300):
            futures = [module.start(X * i, X), module.start(X, X * i)]
            for future in futures if i % 2 else futures[::-1]:
                numpy.testing.assert_array_equal((i + 1) * X, future.result(timeout=30)[0])

    def test_threads(self):
        module, wrong = pair("local://0?discrete=yes"), []
        shared = module.to_device(X)

        def work(k):
            tensor = shared
            for _ in range(20):
                tensor = module(tensor, X, on=0)[0]
            if not numpy.array_equal(21 * X, tensor.numpy()):
                wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], wrong)


class Errors(unittest.TestCase):
    def refused(self, pattern, function, error=heddle.InvalidArgumentError):
        with self.assertRaisesRegex(error, pattern):
            function()

    def test_devices(self):
        module = pair("local://0")
        names = r"a device of the module is 'host', an index below 1 or a name \('.*'\), got "
        for wrong in (1, -1, "gpu", 2.5, 2**70):
            self.refused(names, lambda: module.to_device(X, device=wrong))
        self.refused(names + "'gpu'", lambda: module(X, X, on="gpu"))
        self.assertEqual("host", module.to_device(X, "host").device)

    def test_values(self):
        module = pair("local://0")
        self.refused("argument 0 'a' has element type f32, got f64", lambda: module(module.to_device(X.astype(numpy.float64)), X))
        self.refused("argument 0 'a' has 1 dimensions, got 2", lambda: module(module.to_device(X[None]), X))
        self.refused("give equal sizes", lambda: module(module.to_device(X), X[:2]))
        self.refused("a type that Heddle does not have", lambda: module.to_device(numpy.array(["a"])))
        self.refused("takes an array, got an object of type list", lambda: module.to_device([1, 2]))
        self.refused("dimension 0 has the size -2", lambda: module.empty([-2], "float32"))
        self.refused("a tensor has at most 16 dimensions", lambda: module.empty([1] * 17, "float32"))
        self.refused("complex64 is a type that Heddle does not have", lambda: module.empty([1], "complex64"))
        self.refused("becomes an array by a copy", lambda: module.to_device(X).__array__(copy=False), ValueError)
        self.refused("len", lambda: len(module.to_device(numpy.float32(3))), TypeError)

    def test_dlpack_of_a_device_that_is_not_there(self):
        class Elsewhere:
            def __init__(self, kind):
                self.kind = kind

            def __dlpack_device__(self):
                return self.kind, 0

            def __dlpack__(self, **named):
                raise BufferError("the library says no")

        module = pair("local://0")
        self.refused("the library says no", lambda: module(Elsewhere(2), X), BufferError)


# product(a: 4x4, b: 4x4) of runtime/test on the fake of CUDA's library: arguments as another library would give them.
ON_CUDA = """
import heddle, numpy, sys
module = heddle.load(sys.argv[1], "cuda")
class Other:
    def __init__(self, tensor):
        self.tensor, self.streams = tensor, []
    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()
    def __dlpack__(self, *, stream, **named):
        self.streams.append(stream)
        return self.tensor.__dlpack__(stream=stream, **named)
class Older(Other):
    def __dlpack__(self, stream):
        return super().__dlpack__(stream=stream)
x = numpy.arange(16, dtype=numpy.float32).reshape(4, 4)
a, b = Other(module.to_device(x)), Older(module.to_device(2 * numpy.eye(4, dtype=numpy.float32)))
assert a.__dlpack_device__() == (2, 0), a.__dlpack_device__()
c = module.product(a, b, on=0)
assert module.product.boundary_bytes == 0 and c.__dlpack_device__() == (2, 0)
assert a.streams == [1], a.streams
out = module.empty([4, 4], "float32")
assert module.product(c, b, out=out) is out and module.product.boundary_bytes == 0
numpy.testing.assert_array_equal(4 * x, out.numpy())
numpy.testing.assert_array_equal(2 * x, module.product(a, b))
assert module.product.boundary_bytes == 64
try:
    heddle.load(sys.argv[1], "local").product(a, b)
except heddle.InvalidArgumentError as error:
    assert "'a': the tensor is in memory of a device" in str(error), error
else:
    raise AssertionError("taken")
"""


class Dlpack(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("HEDDLE_FAKE_CUDA"), "the fake of CUDA's library is not here")
    def test_memory_of_cuda(self):
        environment = {**os.environ, "LD_LIBRARY_PATH": os.environ["HEDDLE_FAKE_CUDA"]}
        done = subprocess.run([sys.executable, "-c", ON_CUDA, os.environ["HEDDLE_BUFFERS"]], env=environment, text=True,
                              capture_output=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_numpy_takes_results_without_a_copy(self):
        module = pair("local://0")
        total = module(X, X, on=0)[0]
        array = numpy.from_dlpack(total)
        numpy.testing.assert_array_equal(2 * X, array)
        module.main(X, 9 * X, out=(total, None))
        numpy.testing.assert_array_equal(10 * X, array)
        self.assertEqual((1, 0), tuple(int(part) for part in total.__dlpack_device__()))
        del total, module
        gc.collect()
        numpy.testing.assert_array_equal(10 * X, array)

    def test_capsules_that_nobody_takes_free_their_tensors(self):
        module = pair("local://0")
        for version in (None, (0, 8), (1, 0)):
            for _ in range(100):
                module(X, X, on=0)[0].__dlpack__(max_version=version)
        gc.collect()

    def test_memory_of_a_device_has_no_words(self):
        tensor = pair("local://0?discrete=yes").to_device(X)
        for ask in (tensor.__dlpack__, tensor.__dlpack_device__):
            with self.assertRaisesRegex(heddle.UnsupportedError, "DLPack has no device type for memory of the device"):
                ask()

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_torch(self):
        for device in DEVICES:
            with self.subTest(device):
                module, x = pair(device), torch.tensor([1.0, 2.0, 3.0])
                total, _ = module(x, x)
                self.assertEqual(0 if device == "local://0" else 4 * 12, module.main.boundary_bytes)
                numpy.testing.assert_array_equal(2 * X, total)
                if device != "local://0":
                    continue
                kept = module(x, x, on=0)[0]
                tensor = torch.from_dlpack(kept)
                module(x, 4 * x, out=(kept, None))
                self.assertEqual([5.0, 10.0, 15.0], tensor.tolist())
                self.assertEqual(0, module.main.boundary_bytes)


if __name__ == "__main__":
    unittest.main()
