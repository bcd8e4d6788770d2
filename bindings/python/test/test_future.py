# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that are started: futures, asyncio, cancellation."""
import asyncio
import gc
import unittest

import heddle
import numpy

from support import compiled, onnx_model, pair

# A tenth of a second of work or more, in many dispatches, between which a call may end.
LONG = ("f (float[512,512] a) => (float[512,512] y) { x0 = MatMul (a, a) "
        + " ".join(f"x{i} = MatMul (x{i - 1}, a)" for i in range(1, 60)) + " y = Neg (x59) }")
ZERO = numpy.zeros((512, 512), numpy.float32)


def three(value):
    return numpy.full(3, value, numpy.float32)


class Futures(unittest.TestCase):
    def test_result(self):
        module = pair()
        future = module.start(three(1), b=three(2))
        total, scaled = future.result(timeout=30)
        numpy.testing.assert_array_equal(three(3), total)
        numpy.testing.assert_array_equal(three(2), scaled)
        self.assertTrue(future.done())
        self.assertIs(total, future.result()[0])
        self.assertFalse(future.cancel())

    def test_many_at_once(self):
        module = pair()
        futures = [module.main.start(three(i), three(i)) for i in range(50)]
        for i, future in enumerate(futures):
            numpy.testing.assert_array_equal(three(2 * i), future.result()[0])

    def test_arguments_and_module_live_until_the_end(self):
        future = heddle.load(heddle.compile(onnx_model(LONG))).start(ZERO + 0)
        gc.collect()
        numpy.testing.assert_array_equal(ZERO, future.result())

    def test_out_and_after(self):
        module, out, last = pair(), three(0), three(0)
        first = module.start(three(1), three(2), out=[out, None])
        second = module.start(out, out, out=[last, None], after=first)
        self.assertIs(last, second.result()[0])
        numpy.testing.assert_array_equal(three(6), last)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "after takes futures of start"):
            module.start(out, out, after=[3])
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "'main' has no argument 'after'"):
            module(out, out, after=first)

    def test_a_future_keeps_what_it_waits_for(self):
        module = compiled(LONG)
        numpy.testing.assert_array_equal(ZERO, module.start(ZERO, after=module.start(ZERO)).result())
        future = None
        for _ in range(5):
            future = module.start(ZERO, after=future)
        numpy.testing.assert_array_equal(ZERO, future.result())

    def test_result_waits_no_longer_than_it_is_told(self):
        future = compiled(LONG).start(ZERO)
        with self.assertRaisesRegex(heddle.DeadlineExceededError, "the call still runs; wait longer, or cancel"):
            future.result(timeout=0)
        self.assertTrue(future.cancel())
        with self.assertRaises(heddle.CancelledError):
            future.result(timeout=60)

    def test_timeout_of_the_call(self):
        future = compiled(LONG).start(ZERO, timeout=0.001)
        with self.assertRaises(heddle.DeadlineExceededError):
            future.result()
        with self.assertRaises(heddle.DeadlineExceededError):
            future.result()

    def test_dropped_futures_end_their_calls(self):
        module = compiled(LONG)
        for _ in range(3):
            module.start(ZERO)
        numpy.testing.assert_array_equal(ZERO, module(ZERO))

    def test_failure(self):
        future = pair().refuse.start(three(0))
        with self.assertRaises(heddle.KernelFailedError):
            future.result()
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "'b' is missing"):
            pair().start(three(0))


class Asyncio(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        compiled(LONG)

    async def test_await(self):
        module = pair()
        total, _ = await module.start(three(1), three(2))
        numpy.testing.assert_array_equal(three(3), total)
        results = await asyncio.gather(*(wait(module, i) for i in range(20)))
        self.assertEqual([2.0 * i for i in range(20)], results)

    async def test_the_loop_runs_meanwhile(self):
        future, ticks = compiled(LONG).start(ZERO), 0
        task = asyncio.ensure_future(as_coroutine(future))
        while not task.done():
            await asyncio.sleep(0.001)
            ticks += 1
        numpy.testing.assert_array_equal(ZERO, await task)
        self.assertGreater(ticks, 3)

    async def test_a_cancelled_task_cancels_its_call(self):
        future = compiled(LONG).start(ZERO)
        task = asyncio.ensure_future(as_coroutine(future))
        await asyncio.sleep(0.01)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        with self.assertRaises(heddle.CancelledError):
            future.result(timeout=60)

    async def test_failure(self):
        with self.assertRaises(heddle.KernelFailedError):
            await pair().refuse.start(three(0))


async def as_coroutine(future):
    return await future


async def wait(module, value):
    return float((await module.start(three(value), three(value)))[0][0])


if __name__ == "__main__":
    unittest.main()
