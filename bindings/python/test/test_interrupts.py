# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C in a call: it ends the call where it would raise KeyboardInterrupt, and only there."""
import os
import signal
import subprocess
import threading
import time
import unittest

import heddle
import numpy
from heddle import _tools

# A loop of `count` dispatches, long enough for a few seconds.
LOOP = """
func.func @main(%n: tensor<i64> {heddle.name = "count"}, %x: tensor<262144xf32> {heddle.name = "x"}) -> (tensor<262144xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %k : i64 to index
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<262144xf32>) {
    %s = tosa.sin %a : (tensor<262144xf32>) -> tensor<262144xf32>
    scf.yield %s : tensor<262144xf32>
  }
  return %r : tensor<262144xf32>
}"""
AFTER_S = 0.3  # from when the signal comes
LONG_S = 8.0   # a call takes without it


class Interrupts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = heddle.load(heddle.compile(LOOP))
        cls.x = numpy.ones(262144, numpy.float32)
        cls.module(numpy.int64(10), cls.x)
        begin = time.monotonic()
        cls.module(numpy.int64(300), cls.x)
        cls.each_s = (time.monotonic() - begin) / 300

    def count(self, seconds):
        return numpy.int64(max(1, int(seconds / self.each_s)))

    def interrupt(self, call):
        """Seconds from the signal to the call's end, and whether it was interrupted."""
        timer = threading.Timer(AFTER_S, lambda: os.kill(os.getpid(), signal.SIGINT))
        begin = time.monotonic()
        timer.start()
        try:
            call()
            interrupted = False
        except KeyboardInterrupt:
            interrupted = True
        timer.join()
        return time.monotonic() - begin - AFTER_S, interrupted

    def assert_interrupted(self, call):
        late_s, interrupted = self.interrupt(call)
        self.assertTrue(interrupted)
        self.assertLess(late_s, LONG_S / 4)  # measured: 0.01

    def test_a_call_ends_and_the_next_works(self):
        for _ in range(2):
            self.assert_interrupted(lambda: self.module(self.count(LONG_S), self.x))
            numpy.testing.assert_allclose(self.module(numpy.int64(1), self.x), numpy.sin(self.x), rtol=1e-6)

    def test_of_a_session_and_a_profile(self):
        session = heddle.Session(self.module)
        self.assert_interrupted(lambda: session.run(None, {"count": self.count(LONG_S), "x": self.x}))
        self.assert_interrupted(lambda: self.module.profile(self.count(LONG_S), self.x))
        self.assertEqual((262144,), session.run(None, {"count": 1, "x": self.x})[0].shape)

    def test_a_handler_of_the_program_lets_the_call_go_on(self):
        seen = []
        before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
        try:
            _, interrupted = self.interrupt(lambda: self.module(self.count(2 * AFTER_S), self.x))
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertFalse(interrupted)
        self.assertEqual([signal.SIGINT], seen)
        time.sleep(0.03)  # Python has put its own handler back; ours comes with a later call
        self.assert_interrupted(lambda: self.module(self.count(LONG_S), self.x))

    def test_calls_of_other_threads_go_on(self):
        results = []
        thread = threading.Thread(target=lambda: results.append(self.module(self.count(3 * AFTER_S), self.x)))
        thread.start()
        _, interrupted = self.interrupt(lambda: time.sleep(2 * AFTER_S))
        thread.join()
        self.assertTrue(interrupted)
        self.assertEqual(1, len(results))

    def test_a_tool_ends(self):
        tool = subprocess.Popen([_tools.BIN / "heddle-run", self.module.artifact.path, f"--input=i64={self.count(5 * LONG_S)}",
                                 "--input=262144xf32=1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(4 * AFTER_S)
        begin = time.monotonic()
        tool.send_signal(signal.SIGINT)
        self.assertEqual((None, b""), tool.communicate())
        self.assertEqual(-signal.SIGINT, tool.returncode)
        self.assertLess(time.monotonic() - begin, LONG_S / 4)

    def test_in_the_child_of_a_fork(self):
        self.module(numpy.int64(1), self.x)
        child = os.fork()
        if not child:
            status = 1
            try:
                late_s, interrupted = self.interrupt(lambda: self.module(self.count(LONG_S), self.x))
                status = 0 if interrupted and late_s < LONG_S / 4 else 2
            finally:
                os._exit(status)
        self.assertEqual(0, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        self.assert_interrupted(lambda: self.module(self.count(LONG_S), self.x))


if __name__ == "__main__":
    unittest.main()
