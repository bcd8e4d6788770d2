# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over streams from tensors to devices: their values, and on `sim` how long they take, to the nanosecond."""
import copy
import json
import threading
import unittest

import numpy
import runtime
import support

DEVICE = 'device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>\n'
WIDTH = 64

# Parts of STEP rows, the last one ragged, or of columns. OPS are one or two dispatches in a row; a trip for each part.
PROGRAM = """
#id = affine_map<(r, c) -> (r, c)>
func.func @main(%x: tensor<ROWSxWIDTHxf32> {heddle.name = "x"}) -> (tensor<ROWSxWIDTHxf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant STEP : index
  %rows = arith.constant ROWS : index
  %trips = arith.constant TRIPS : index
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<ROWSxWIDTHxf32>
  %y = scf.for %i = %c0 to %trips step %c1 iter_args(%whole = %e) -> (tensor<ROWSxWIDTHxf32>) {
    %begin = arith.muli %i, %step : index
    %left = arith.subi %rows, %begin : index
    %size = arith.minsi %left, %step : index
    %from = tensor.extract_slice %x[%begin, 0] [%size, WIDTH] [1, 1] : tensor<ROWSxWIDTHxf32> to tensor<?xWIDTHxf32>
    %init = tensor.empty(%size) : tensor<?xWIDTHxf32>
    %part = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%from : tensor<?xWIDTHxf32>) outs(%init : tensor<?xWIDTHxf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = arith.mulf %in, %three : f32
      linalg.yield %s : f32
    } -> tensor<?xWIDTHxf32>
    %next = tensor.insert_slice %part into %whole[%begin, 0] [%size, WIDTH] [1, 1]
        : tensor<?xWIDTHxf32> into tensor<ROWSxWIDTHxf32>
    scf.yield %next : tensor<ROWSxWIDTHxf32>
  } {heddle.streams = #flow.streams<STREAMS>}
  return %y : tensor<ROWSxWIDTHxf32>
}
"""

# Rows, rows of a part, streams, ordered.
SHAPES = [
    (1, 1, 1, False),
    (4, 1, 1, False),
    (4, 1, 4, False),
    (8, 1, 4, False),
    (7, 1, 4, False),
    (7, 2, 2, False),  # ragged
    (13, 4, 3, False),  # ragged, and a stream that no second part takes
    (3, 1, 4, False),  # fewer trips than streams
    (6, 1, 3, True),
    (100, 3, 4, False),
]


class StreamForTest(support.EndToEnd):
    def compile(self, rows, step, streams, ordered=False):
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        text = PROGRAM.replace("STREAMS", f"{streams}, ordered" if ordered else str(streams))
        for name, value in (("STEP", step), ("ROWS", rows), ("TRIPS", -(-rows // step)), ("WIDTH", WIDTH)):
            text = text.replace(name, str(value))
        source.write_text(DEVICE + text)
        result = support.heddle("compile", source, "-o", artifact)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def trace(self, artifact, rows, device):
        """Dispatches of a call as (begin, end) in nanoseconds, in the order of their issue, with their lanes."""
        path = self.folder / "trace.json"
        result = support.heddle("trace", artifact, f"--device={device}", f"--input={rows}x{WIDTH}xf32=1", "-o", path)
        self.assertEqual(0, result.returncode, result.stderr)
        work = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("cat") == "dispatch"]
        return [(round(1000 * event["ts"]), round(1000 * (event["ts"] + event["dur"])), event["tid"]) for event in work]

    def check(self, rows, step, streams, ordered=False):
        spans = self.trace(self.compile(rows, step, streams, ordered), rows, "sim?queues=4&gflops=1&memory_gbps=1")
        trips = -(-rows // step)
        self.assertEqual(trips, len(spans))
        # The cost of a kernel is one number for all of its calls, so iterations take the same time.
        took = {end - begin for begin, end, _ in spans}
        self.assertEqual(1, len(took))
        lanes = min(trips, streams)
        rounds = trips if ordered else max(-(-(trips - lane) // lanes) for lane in range(lanes))
        makespan = max(end for _, end, _ in spans) - min(begin for begin, _, _ in spans)
        self.assertEqual(rounds * took.pop(), makespan)
        self.assertEqual(lanes, len({lane for _, _, lane in spans}))

    def test_makespans(self):
        for shape in SHAPES:
            with self.subTest(shape):
                self.check(*shape)

    def test_values(self):
        for rows, step, streams, ordered in SHAPES:
            artifact = self.compile(rows, step, streams, ordered)
            x = numpy.random.default_rng(rows).standard_normal((rows, WIDTH), numpy.float32)
            for device in ("local", "local://0", "local://0?discrete=yes", "sim?queues=4", "sim"):
                with self.subTest(rows=rows, step=step, streams=streams, device=device):
                    result = support.heddle("run", artifact, f"--device={device}", f"--input={self.save('x', x)}",
                                            f"--output=@{self.file('y')}")
                    self.assertEqual(0, result.returncode, result.stderr)
                    numpy.testing.assert_array_equal(x * numpy.float32(3), numpy.load(self.file("y")))

    def test_calls_wait_for_their_own_streams(self):
        """Two threads with an invocation each of one module: every call gives the parts of its own argument."""
        program = runtime.Program(self.compile(50, 7, 4))
        twin = copy.copy(program)
        twin.calls = {}
        wrong = []

        def call(own, seed):
            random = numpy.random.default_rng(seed)
            for _ in range(50):
                x = random.standard_normal((50, WIDTH), numpy.float32)
                got, = own("main", x)
                if not numpy.array_equal(got, x * numpy.float32(3)):
                    wrong.append(seed)

        threads = [threading.Thread(target=call, args=each) for each in ((program, 1), (twin, 2))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], wrong)
        # Streams were made once, and the result is the only memory that a call asks for.
        self.assertLessEqual(program.statistics("main").allocations, 1)
        for invocation, _ in twin.calls.values():
            program.lib.heddle_invocation_release(invocation)
        program.close()

    def test_as_many_streams_as_the_device_has(self):
        artifact = self.compile(8, 1, "?")
        for queues in (1, 2, 4):
            spans = self.trace(artifact, 8, f"sim?queues={queues}&gflops=1")
            self.assertEqual(queues, len({lane for _, _, lane in spans}))


if __name__ == "__main__":
    unittest.main()
