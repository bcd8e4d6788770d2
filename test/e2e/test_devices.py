# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on several devices, end to end: two cores as two devices, and one core for everything. Behaviours by their
number in the specification of multi-device programs."""
import json
import platform
import unittest

import support

EXECUTABLE = '#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>'
A = f"device.global @a = #device.target<\"local\", [{EXECUTABLE}]>\n"
B = f"device.global @b = #device.target<\"local\", [{EXECUTABLE}]>\n"
B_OR_A = f"device.global @b = #device.select<[#device.target<\"local\", {{ordinal = 1}}, [{EXECUTABLE}]>, #device.fallback<@a>]>\n"
CORES = [["local://0", "local://1"], ["local://1", "local://0"], ["local://0"]]
# The same with memory that the host, and the other device, cannot see: everything is staged.
STAGED = [["local://0", "local://1?discrete=yes"], ["local://0?discrete=yes", "local://1"],
          ["local://0?discrete=yes", "local://1?discrete=yes"], ["local://0?discrete=yes"]]

# Ranks of dispatches on @a, then on @b: behaviour 10.
CHAIN = """
func.func @main() -> (tensor<4xi32> {heddle.name = "y"}) {
  %tens = arith.constant dense<[10, 11, 12, 13]> : tensor<4xi32>
  %low = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %high = arith.constant dense<[4, 5, 6, 7]> : tensor<4xi32>
  %0 = flow.transfer %tens : tensor<4xi32> to #device.affinity<@a>
  %1 = arith.muli %0, %low : tensor<4xi32>
  %2 = flow.transfer %1 : tensor<4xi32> to #device.affinity<@b>
  %3 = arith.muli %2, %high : tensor<4xi32>
  return %3 : tensor<4xi32>
}
"""

# There and back: behaviour 6. `x` twice on @b crosses once.
THERE_AND_BACK = """
func.func @main(%x: tensor<4xi32> {heddle.name = "x", heddle.affinity = #device.affinity<@a>})
    -> (tensor<4xi32> {heddle.name = "y", heddle.affinity = #device.affinity<@a>}) {
  %0 = flow.transfer %x : tensor<4xi32> to #device.affinity<@b>
  %1 = arith.muli %0, %0 : tensor<4xi32>
  %2 = flow.transfer %1 : tensor<4xi32> to #device.affinity<@a>
  return %2 : tensor<4xi32>
}
"""

# @a and back in each iteration, as many as the caller says: behaviour 8.
HOPS = """
func.func @main(%x: tensor<4xi32> {heddle.name = "x", heddle.affinity = #device.affinity<@a>}, %n: tensor<i64> {heddle.name = "n"})
    -> (tensor<4xi32> {heddle.name = "y", heddle.affinity = #device.affinity<@a>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %trips : i64 to index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%v = %x) -> (tensor<4xi32>) {
    %0 = arith.addi %v, %x : tensor<4xi32>
    %1 = flow.transfer %0 : tensor<4xi32> to #device.affinity<@b>
    %2 = arith.muli %1, %1 : tensor<4xi32>
    %3 = flow.transfer %2 : tensor<4xi32> to #device.affinity<@a>
    %4 = arith.subi %3, %x : tensor<4xi32>
    scf.yield %4 : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}
"""

# Out and back beside work that stays: behaviour 13. The source of the transfer is read again after the way back, so what
# @b does must not happen in place where @b is @a: behaviour 15.
DIAMOND = """
func.func @main(%x: tensor<4xi32> {heddle.name = "x", heddle.affinity = #device.affinity<@a>})
    -> (tensor<4xi32> {heddle.name = "y", heddle.affinity = #device.affinity<@a>}) {
  %0 = arith.addi %x, %x : tensor<4xi32>
  %1 = flow.transfer %0 : tensor<4xi32> to #device.affinity<@b>
  %2 = arith.muli %1, %1 : tensor<4xi32>
  %3 = arith.subi %0, %x : tensor<4xi32>
  %4 = flow.transfer %2 : tensor<4xi32> to #device.affinity<@a>
  %5 = arith.addi %4, %3 : tensor<4xi32>
  %6 = arith.addi %5, %0 : tensor<4xi32>
  return %6 : tensor<4xi32>
}
"""


# The caller's buffers are on @b; with flags, by promises.
BOUNDARY = """
func.func @main(%x: tensor<?xi32> {heddle.name = "x", heddle.dims = ["n"]}) -> (tensor<?xi32> {heddle.name = "y"}) {
  %0 = flow.import %x : tensor<?xi32> to #device.promise<@b>
  %1 = arith.addi %0, %0 : tensor<?xi32>
  %2 = flow.export %1 : tensor<?xi32> to #device.promise<@b>
  return %2 : tensor<?xi32>
}
"""


class DevicesTest(support.EndToEnd):
    def compile(self, text, *flags):
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        source.write_text(text)
        result = support.heddle("compile", source, "-o", artifact, f"--stats={self.folder / 'stats.json'}", *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def transfers(self):
        return json.loads((self.folder / "stats.json").read_text())["transfers"]

    def run_on(self, artifact, devices, *inputs):
        return support.heddle("run", artifact, *[f"--device={device}" for device in devices], *[f"--input={i}" for i in inputs])

    def check(self, artifact, devices, inputs, expected):
        result = self.run_on(artifact, devices, *inputs)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(f"result 'y': 4xi32=[{' '.join(map(str, expected))}]", result.stdout.strip(), devices)

    def bound_host(self, artifact, devices):
        """The ops that are left when the artifact is bound to the devices."""
        result = support.heddle("inspect", artifact, "--bound", "--json", *[f"--device={device}" for device in devices])
        self.assertEqual(0, result.returncode, result.stderr)
        return [entry["op"] for entry in json.loads(result.stdout)["host"]]

    def test_two_symbols(self):
        artifact = self.compile(A + B + CHAIN)
        for devices in CORES + STAGED:
            self.check(artifact, devices, [], [0, 55, 144, 273])

    def test_ordinals(self):
        artifact = self.compile(A.replace("[#device.exec", "{ordinal = 0}, [#device.exec") + B.replace("[#device.exec", "{ordinal = 1}, [#device.exec") + CHAIN)
        for devices in CORES[:2]:
            self.check(artifact, devices, [], [0, 55, 144, 273])
        result = self.run_on(artifact, ["local://0"])
        self.assertEqual(1, result.returncode)
        self.assertIn("'b'", result.stderr)

    def test_positions(self):
        """#device.ordinal<N> is the N-th device given, whatever it is, also beside devices that took others of a kind."""
        positions = ["--target-device=a=#device.ordinal<1>", "--target-device=b=#device.ordinal<0>"]
        artifact = self.compile(CHAIN, *positions)
        for devices in CORES[:2]:
            self.check(artifact, devices, [], [0, 55, 144, 273])
            plan = support.heddle("run", artifact, "--dry-run", *[f"--device={device}" for device in devices]).stdout
            self.assertIn(f"a = {devices[1]} (alternative 0 of 1: ordinal<1> as local)", plan)
            self.assertIn(f"b = {devices[0]} (alternative 0 of 1: ordinal<0> as local)", plan)
        result = self.run_on(artifact, ["local://0"])
        self.assertEqual(1, result.returncode)
        self.assertIn("the program's device 'a' needs ordinal<1> as local, got no device that fits", result.stderr)
        self.assertIn("ordinal<1> as local: there is 1 device, counted from 0: local://0", result.stderr)
        artifact = self.compile(CHAIN, "--target-device=a=local", "--target-device=b=#device.ordinal<1>,fallback(@a)")
        for devices in CORES:
            self.check(artifact, devices, [], [0, 55, 144, 273])
        self.assertIn("b: local at position 1 of the devices given (elf-x86_64), else the same as a",
                      support.heddle("inspect", artifact).stdout)

    def test_position_of_another_kind(self):
        """What stands at a position decides what it is taken for: code for each kind the program names is there."""
        artifact = self.compile(CHAIN, "--target-device=a=local", "--target-device=b=#device.ordinal<1>", "--target-device=c=vulkan")
        for second, kind in (("local://1", "local"), ("vulkan", "vulkan")):
            devices = ["local://0", second]
            self.check(artifact, devices, [], [0, 55, 144, 273])
            plan = support.heddle("run", artifact, "--dry-run", *[f"--device={device}" for device in devices]).stdout
            self.assertIn(f"b = {second} (alternative {['local', 'vulkan'].index(kind)} of 2: ordinal<1> as {kind})", plan)

    def test_there_and_back(self):
        artifact = self.compile(A + B + THERE_AND_BACK)
        self.assertEqual(2, self.transfers())
        for devices in CORES + STAGED:
            self.check(artifact, devices, ["4xi32=1,2,3,-4"], [1, 4, 9, 16])

    @unittest.skipUnless(platform.machine() == "x86_64", "hides features of x86-64")
    def test_a_device_that_runs_nothing_needs_no_executable(self):
        wide = A.replace('features = ""', 'features = "+avx512f"')
        devices = ["local://0?cpu=x86-64-v2"]
        artifact = self.compile(wide + B + THERE_AND_BACK)
        self.check(artifact, devices, ["4xi32=1,2,3,-4"], [1, 4, 9, 16])
        self.assertIn("runs no executable", support.heddle("run", artifact, "--dry-run", *(f"--device={d}" for d in devices)).stdout)
        busy = self.compile(wide + B + DIAMOND)
        refused = self.run_on(busy, devices, "4xi32=1,2,3,4")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("local://0?cpu=x86-64-v2 refused: it can run no executable", refused.stderr)

    def test_loop_hops(self):
        artifact = self.compile(A + B + HOPS)
        for devices in CORES + STAGED:
            self.check(artifact, devices, ["4xi32=1,2,3,4", "i64=0"], [1, 2, 3, 4])
            self.check(artifact, devices, ["4xi32=1,2,3,4", "i64=1"], [3, 14, 33, 60])
            self.check(artifact, devices, ["4xi32=1,2,3,4", "i64=3"], [255, 65534, 1679613, 16777212])

    def test_diamond(self):
        artifact = self.compile(A + B + DIAMOND)
        for devices in CORES + STAGED:
            self.check(artifact, devices, ["4xi32=1,2,3,4"], [7, 22, 45, 76])

    def test_callers_buffers(self):
        artifact = self.compile(BOUNDARY, "--target-device=a=local", "--target-device=b=local")
        self.assertEqual(0, self.transfers())
        for devices in CORES:
            self.check(artifact, devices, ["4xi32=1,2,3,4"], [2, 4, 6, 8])
        self.assertEqual(0, self.bound_host(artifact, CORES[0]).count("copy"))

    def test_alias(self):
        """flow.alias is the donation that the program states itself."""
        donated = self.compile(BOUNDARY.replace("?", "4").replace(', heddle.dims = ["n"]', ""), "--target-device=a=local",
                               "--target-device=b=local", "--donate=x=y").rename(self.folder / "donated.heddle")
        text = BOUNDARY.replace("?", "4").replace(', heddle.dims = ["n"]', "").replace("flow.export %1", "flow.alias %1 in %x")
        artifact = self.compile(text, "--target-device=a=local", "--target-device=b=local")
        for devices in CORES + STAGED:
            self.check(artifact, devices, ["4xi32=1,2,3,4"], [2, 4, 6, 8])
            self.assertEqual(self.bound_host(donated, devices), self.bound_host(artifact, devices))

    def test_donation_on_devices(self):
        """A result in the argument's storage, as flow.alias states it: computed there where both are on
        one device, and one transfer where they are not."""
        flags = ["--target-device=a=local", "--target-device=b=local", "--donate=x=y"]
        here = BOUNDARY.replace("?", "4").replace(', heddle.dims = ["n"]', "")
        there = here.replace("%0 = flow.import %x : tensor<4xi32> to #device.promise<@b>",
                             "%i = flow.import %x : tensor<4xi32> to #device.promise<@a>\n"
                             "  %0 = flow.transfer %i : tensor<4xi32> to #device.promise<@b>")
        for text, transfers in ((here, 0), (there, 1)):
            artifact = self.compile(text, *flags)
            self.assertEqual(transfers, self.transfers())
            for devices in CORES + STAGED:
                self.check(artifact, devices, ["4xi32=1,2,3,4"], [2, 4, 6, 8])
            ops = self.bound_host(artifact, CORES[0])
            self.assertEqual((transfers, transfers), (ops.count("copy"), ops.count("slab")))

    def test_fallback(self):
        artifact = self.compile(A + B_OR_A + DIAMOND)
        for devices in CORES + STAGED:
            self.check(artifact, devices, ["4xi32=1,2,3,4"], [7, 22, 45, 76])
        # Where @b is @a nothing is copied, not even to where the caller wants the result.
        self.assertEqual(2, self.bound_host(artifact, CORES[0]).count("copy"))
        self.assertEqual(0, self.bound_host(artifact, CORES[2]).count("copy"))


if __name__ == "__main__":
    unittest.main()
