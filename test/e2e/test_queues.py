# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queues of an affinity: what may be issued side by side on one device. `sim` shows the overlap, `local` the values."""
import json
import pathlib
import unittest

import numpy
import support

EXECUTABLE = '#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>'
DEVICE = f'device.global @a = #device.target<"local", [{EXECUTABLE}]>\n'
OTHER = f'device.global @b = #device.target<"local", [{EXECUTABLE}]>\n'
SIZE = 128

# Two chains of two products and their sum; LEFT, RIGHT and SUM are attributes.
CHAINS = """
func.func @main(%x: tensor<128x128xf32> {heddle.name = "x"}, %w: tensor<128x128xf32> {heddle.name = "w"})
    -> (tensor<128x128xf32> {heddle.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %0 = linalg.matmul LEFT ins(%x, %w : tensor<128x128xf32>, tensor<128x128xf32>) outs(%z : tensor<128x128xf32>) -> tensor<128x128xf32>
  %1 = linalg.matmul LEFT ins(%0, %w : tensor<128x128xf32>, tensor<128x128xf32>) outs(%z : tensor<128x128xf32>) -> tensor<128x128xf32>
  %2 = linalg.matmul RIGHT ins(%w, %x : tensor<128x128xf32>, tensor<128x128xf32>) outs(%z : tensor<128x128xf32>) -> tensor<128x128xf32>
  %3 = linalg.matmul RIGHT ins(%2, %x : tensor<128x128xf32>, tensor<128x128xf32>) outs(%z : tensor<128x128xf32>) -> tensor<128x128xf32>
  %4 = arith.addf %1, %3 SUM : tensor<128x128xf32>
  return %4 : tensor<128x128xf32>
}
"""

# Both queues in a loop that the caller counts, and in the branches of an if.
LOOP = """
func.func @main(%x: tensor<4xi32> {heddle.name = "x"}, %n: tensor<i64> {heddle.name = "n"}) -> (tensor<4xi32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %trips : i64 to index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%v = %x) -> (tensor<4xi32>) {
    %0 = arith.addi %v, %x {heddle.affinity = #device.affinity<@a, [0]>} : tensor<4xi32>
    %1 = arith.muli %v, %v {heddle.affinity = #device.affinity<@a, [1]>} : tensor<4xi32>
    %is = arith.cmpi eq, %i, %c1 : index
    %2 = scf.if %is -> (tensor<4xi32>) {
      %a = arith.subi %0, %1 {heddle.affinity = #device.affinity<@a, [1]>} : tensor<4xi32>
      scf.yield %a : tensor<4xi32>
    } else {
      %a = arith.addi %0, %1 {heddle.affinity = #device.affinity<@a, [2]>} : tensor<4xi32>
      scf.yield %a : tensor<4xi32>
    }
    scf.yield %2 : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}
"""


def on(*queues, device="a"):
    return f"{{heddle.affinity = #device.affinity<@{device}, {list(queues)}>}}"


class QueuesTest(support.EndToEnd):
    def compile(self, text, left="", right="", total=""):
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        source.write_text(text.replace("LEFT", left).replace("RIGHT", right).replace("SUM", total))
        # What nobody names a queue for stays on one.
        result = support.heddle("compile", source, "-o", artifact, "--strategy=streams:off")
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def trace(self, artifact, *devices):
        """Dispatches as (device, lane, begin, end), and the time from the first begin to the last end."""
        path = self.folder / "trace.json"
        result = support.heddle("trace", artifact, *[f"--device={device}" for device in devices],
                                f"--input={SIZE}x{SIZE}xf32=1", f"--input={SIZE}x{SIZE}xf32=1", "-o", path)
        self.assertEqual(0, result.returncode, result.stderr)
        work = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("cat") == "dispatch"]
        spans = [(event["pid"], event["tid"], event["ts"], event["ts"] + event["dur"]) for event in work]
        return spans, max(span[3] for span in spans) - min(span[2] for span in spans)

    def check_chains(self, artifact, *devices):
        x, w = (numpy.random.default_rng(seed).standard_normal((SIZE, SIZE), numpy.float32) for seed in (1, 2))
        result = support.heddle("run", artifact, *[f"--device={device}" for device in devices],
                                f"--input={self.save('x', x)}", f"--input={self.save('w', w)}", f"--output=@{self.file('y')}")
        self.assertEqual(0, result.returncode, result.stderr)
        want = (x @ w) @ w + (w @ x) @ x
        self.assert_close(numpy.load(self.file("y")), want, support.error_bound([SIZE, SIZE], float(numpy.abs(want).max())))

    def test_two_queues_overlap(self):
        one = self.compile(DEVICE + CHAINS)
        spans, serial = self.trace(one, "sim?gflops=1&queues=2")
        self.assertEqual(1, len({lane for _, lane, _, _ in spans}))
        spans, side_by_side = self.trace(self.compile(DEVICE + CHAINS, on(0), on(1)), "sim?gflops=1&queues=2")
        self.assertEqual(2, len({lane for _, lane, _, _ in spans}))
        product = 2 * SIZE**3 * 1e-3 + 1  # us at 1 gflops, and the launch
        self.assertAlmostEqual(2 * product, serial - side_by_side, delta=0.01 * product)
        # The device has but one: right, and no faster.
        _, alone = self.trace(self.folder / "program.heddle", "sim?gflops=1")
        self.assertAlmostEqual(serial, alone, delta=0.01 * serial)

    def test_a_set_is_spread(self):
        """What may be issued on either of two queues goes where less has been issued, and stays where its operands are."""
        spans, _ = self.trace(self.compile(DEVICE + CHAINS, on(1, 3), on(1, 3)), "sim?gflops=1&queues=4")
        lanes = [lane for _, lane, _, _ in sorted(spans, key=lambda span: span[2])]
        self.assertEqual(2, len(set(lanes)))

    def test_values(self):
        for queues in [(on(0), on(1), ""), (on(1), on(2), on(2)), (on(5), "", on(5)), (on(0, 1), on(1, 2), on(0, 2))]:
            artifact = self.compile(DEVICE + CHAINS, *queues)
            for device in ("local", "local://0", "local://0?discrete=yes", "sim?queues=2"):
                with self.subTest(queues=queues, device=device):
                    self.check_chains(artifact, device)

    def test_queues_of_another_device(self):
        artifact = self.compile(DEVICE + OTHER + CHAINS, on(1, device="b"), on(0, device="b"), on(1, device="a"))
        for devices in (("local://0", "local://1"), ("local://0", "local://1?discrete=yes"), ("sim://a", "sim://b?queues=2")):
            with self.subTest(devices):
                self.check_chains(artifact, *devices)

    def test_loops_and_branches(self):
        artifact = self.compile(DEVICE + LOOP)
        for trips in (0, 1, 2, 5):
            x = numpy.array([1, 2, -3, 4], numpy.int32)
            want = x
            for i in range(trips):
                want = want + x - want * want if i == 1 else want + x + want * want
            for device in ("local://0", "sim?queues=3"):
                result = support.heddle("run", artifact, f"--device={device}", f"--input={self.save('x', x)}", f"--input=i64={trips}")
                self.assertEqual(0, result.returncode, result.stderr)
                self.assertEqual(f"result 'y': 4xi32=[{' '.join(map(str, want))}]", result.stdout.strip(), device)

    def test_vulkan(self):
        source = CHAINS.replace("LEFT", on(0)).replace("RIGHT", on(1)).replace("SUM", "").replace("<@a", "<@a")
        source = source.replace("#device.affinity", "#device.promise")
        path, artifact = pathlib.Path(self.folder) / "v.mlir", self.folder / "v.heddle"
        path.write_text(source)
        result = support.heddle("compile", path, "-o", artifact, "--target-device=a=vulkan")
        self.assertEqual(0, result.returncode, result.stderr)
        self.check_chains(artifact, "vulkan")

    def test_explained(self):
        artifact = self.compile(DEVICE + CHAINS, on(0), on(1))
        result = support.heddle("explain", artifact)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("queue 1", result.stdout)

    def test_more_than_the_target_has(self):
        device = f'device.global @a = #device.target<"local", {{queues = 2 : i64}}, [{EXECUTABLE}]>\n'
        self.compile(device + CHAINS, on(0), on(1))
        for text, queue, message in ((device, 2, "names queue 2 of @a, whose targets state 2 queues; name queues from 0 to 1"),
                                     (DEVICE, 64, "names queue 64 of @a; name queues from 0 to 63")):
            source = self.folder / "wrong.mlir"
            source.write_text(text + CHAINS.replace("LEFT", on(queue)).replace("RIGHT", "").replace("SUM", ""))
            self.assert_fails(1, message, "compile", source, "-o", self.folder / "wrong.heddle")


if __name__ == "__main__":
    unittest.main()
