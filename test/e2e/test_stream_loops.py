# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over streams, written by hand as host programs: what a loop carries of streams and events, from their text through
the artifact to a device. No pass makes such loops yet, so the program of a compiled model is replaced by one that has them.
"""
import json
import re
import subprocess
import unittest

import numpy
import support

DEVICE = 'device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>\n'
MODEL = """
func.func @main(%x: tensor<?xi32> {heddle.name = "x", heddle.dims = ["n"]}) -> (tensor<?xi32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %ten = arith.constant 10 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%in: i32, %out: i32):
    %s = arith.addi %in, %ten : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
"""
PART = 100000
HEAD = """  host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"]) {"""

# Parts of the vector in turn on two streams. BEFORE, AFTER: what orders them and the call's stream.
TURNS = """
  %t:2 = scf.for %i = %c0 to %n step %cpart iter_args(%mine = %s0, %other = %s1) -> (!host.stream, !host.stream) {
    %offset = arith.muli %i, %c4 : index
    %from = host.view %x[%offset] size %cbytes
    %to = host.view %y[%offset] size %cbytes
    host.dispatch %mine, @KERNEL(%from, %to) [%cpart] access(["r", "w"])
    scf.yield %other, %mine : !host.stream, !host.stream
  }
"""
EVENTS = ("""
  %start = host.record %s
  host.wait %s0, %start
  host.wait %s1, %start
""", """
  %end0 = host.record %t#0
  host.wait %s, %end0
  %end1 = host.record %t#1
  host.wait %s, %end1
""")
BARRIERS = ("  host.barrier %s, %s0, %s1\n", "  host.barrier %s, %t#0, %t#1\n")

# Each iteration adds to the whole vector and waits for the one before: the loop carries its event, too.
CHAIN = """
  %sum = host.slab on @a size %bytes
  host.copy %s, %y[%c0] from %x[%c0] size %bytes
  %first = host.record %s
  %t:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%mine = %s0, %other = %s1, %before = %first)
      -> (!host.stream, !host.stream, !host.event) {
    host.wait %mine, %before
    host.dispatch %mine, @KERNEL(%y, %sum) [%n] access(["r", "w"])
    host.copy %mine, %y[%c0] from %sum[%c0] size %bytes
    %done = host.record %mine
    scf.yield %other, %mine, %done : !host.stream, !host.stream, !host.event
  }
  host.wait %s, %t#2
"""


class StreamLoopsTest(support.EndToEnd):
    def package(self, body):
        """The model with `body` as its host program, verified, as an artifact."""
        source, program, artifact = (self.folder / name for name in ("model.mlir", "program.mlir", "program.heddle"))
        source.write_text(DEVICE + MODEL)
        result = support.heddle("compile", source, "--compile-to=codegen", "-o", program)
        self.assertEqual(0, result.returncode, result.stderr)
        text = program.read_text()
        kernel = re.search(r"host\.dispatch %\w+, @(\w+)\(", text).group(1)
        constants = {"c0": 0, "c1": 1, "c3": 3, "c4": 4, "cpart": PART, "cbytes": 4 * PART}
        lines = [HEAD, *(f"  %{name} = arith.constant {value} : index" for name, value in constants.items()),
                 "  %bytes = arith.muli %n, %c4 : index", "  %y = host.result 0 on @a size %bytes",
                 "  %s0 = host.stream on @a 0", "  %s1 = host.stream on @a 1", body.replace("KERNEL", kernel),
                 "  host.return %y shape(%n)", "  }"]
        text, count = re.subn(r"^  host\.func @main\(.*?^  } loc\(", lambda _: "\n".join(lines) + " loc(", text, flags=re.S | re.M)
        self.assertEqual(1, count)
        program.write_text(text)
        opt = support.BIN / "heddle-opt"
        result = subprocess.run([opt, program, "--schedule-verify-host", "--package-resolve-launches",
                                 f"--package-write-artifact=path={artifact}", "-o", "/dev/null"], capture_output=True, text=True)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def check(self, artifact, count, want):
        x = numpy.arange(count, dtype=numpy.int32)
        for device in ("local", "local://0", "local://0?discrete=yes", "sim?queues=2"):
            with self.subTest(device=device, count=count):
                result = support.heddle("run", artifact, f"--device={device}", f"--input={self.save('x', x)}",
                                        f"--output=@{self.file('y')}")
                self.assertEqual(0, result.returncode, result.stderr)
                numpy.testing.assert_array_equal(numpy.load(self.file("y")), want(x))

    def trace(self, artifact, device, count):
        path = self.folder / "trace.json"
        result = support.heddle("trace", artifact, f"--device={device}", f"--input={count}xi32=1", "-o", path)
        self.assertEqual(0, result.returncode, result.stderr)
        work = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("cat") == "dispatch"]
        return sorted((event["ts"], event["ts"] + event["dur"], event["tid"]) for event in work)

    def test_streams_take_turns(self):
        for before, after in (EVENTS, BARRIERS):
            artifact = self.package(before + TURNS + after)
            for parts in (0, 1, 2, 5):
                self.check(artifact, parts * PART, lambda x: x + 10)
            spans = self.trace(artifact, "sim?queues=2&memory_gbps=1", 6 * PART)
            self.assertEqual(6, len(spans))
            self.assertEqual(2, len({lane for _, _, lane in spans}))
            # In pairs at once: six parts take the time of three.
            length = spans[0][1] - spans[0][0]
            self.assertAlmostEqual(3 * length, max(end for _, end, _ in spans) - spans[0][0], delta=0.02 * length)
            one = self.trace(artifact, "sim?memory_gbps=1", 6 * PART)
            self.assertAlmostEqual(6 * length, max(end for _, end, _ in one) - one[0][0], delta=0.02 * length)

    def test_an_event_is_carried(self):
        artifact = self.package(CHAIN)
        for count in (0, 1, 1000):
            self.check(artifact, count, lambda x: x + 30)
        spans = self.trace(artifact, "sim?queues=2", PART)
        self.assertEqual(2, len({lane for _, _, lane in spans}))
        for (_, end, _), (begin, _, _) in zip(spans, spans[1:]):
            self.assertLessEqual(end, begin)


if __name__ == "__main__":
    unittest.main()
