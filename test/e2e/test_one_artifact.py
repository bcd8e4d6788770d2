# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One artifact on whatever devices there are, and what runs without any. Behaviours by their number in the specification of
multi-device programs (docs/design/multi-device-tests.md has the table)."""
import json
import os
import unittest

import support
from support import heddle

NO_DISPATCH = """func.func @main(%x: tensor<4xi32> {heddle.name = "x"}) -> (tensor<4xi32> {heddle.name = "y"}) {
  return %x : tensor<4xi32>
}
"""

# @gpu and @cpu, there and back.
PAIR = """func.func @main(%x: tensor<4xi32> {heddle.name = "x", heddle.affinity = #device.promise<@cpu>})
    -> (tensor<4xi32> {heddle.name = "y", heddle.affinity = #device.promise<@cpu>}) {
  %0 = flow.transfer %x : tensor<4xi32> to #device.promise<@gpu>
  %1 = arith.muli %0, %0 : tensor<4xi32>
  %2 = flow.transfer %1 : tensor<4xi32> to #device.promise<@cpu>
  %3 = arith.addi %2, %x : tensor<4xi32>
  return %3 : tensor<4xi32>
}
"""

# A constant that both read, and a splat.
CONSTANTS = """func.func @main(%x: tensor<4xi32> {heddle.name = "x", heddle.affinity = #device.promise<@a>})
    -> (tensor<4xi32> {heddle.name = "y", heddle.affinity = #device.promise<@b>}) {
  %w = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %s = arith.constant dense<5> : tensor<4xi32>
  %0 = arith.muli %x, %w : tensor<4xi32>
  %1 = arith.addi %0, %s : tensor<4xi32>
  %2 = flow.transfer %1 : tensor<4xi32> to #device.promise<@b>
  %3 = arith.muli %2, %w : tensor<4xi32>
  %4 = arith.subi %3, %s : tensor<4xi32>
  return %4 : tensor<4xi32>
}
"""

ONE = """func.func @main(%x: tensor<4xi32> {heddle.name = "x"}) -> (tensor<4xi32> {heddle.name = "y"}) {
  %0 = arith.muli %x, %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}
"""

# A machine whose Vulkan loader finds no driver.
NO_VULKAN = os.environ | {"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}


class OneArtifactTest(support.EndToEnd):
    def compile(self, text, *devices, flags=()):
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        source.write_text(text)
        result = heddle("compile", source, "-o", artifact, f"--stats={self.folder / 'stats.json'}",
                        *(f"--target-device={device}" for device in devices), *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        self.transfers = json.loads((self.folder / "stats.json").read_text())["transfers"]
        return artifact

    def check(self, artifact, want, *devices, **kwargs):
        """On [1, 2, 3, -4]."""
        result = heddle("run", artifact, *(f"--device={uri}" for uri in devices), "--input=4xi32=1,2,3,-4", **kwargs)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(f"result 'y': 4xi32=[{' '.join(map(str, want))}]", result.stdout.strip(), devices)

    def test_no_dispatch_needs_no_device(self):
        """Behaviour 1."""
        artifact = self.compile(NO_DISPATCH)
        self.check(artifact, [1, 2, 3, -4])
        self.assertEqual([], json.loads(heddle("inspect", artifact, "--json").stdout)["executables"])

    def test_a_device_that_is_one_of_two(self):
        """Behaviours 4 and 5: one artifact, whichever there is; what Vulkan would be asked for is not there."""
        artifact = self.compile(ONE, "gpu=vulkan,local")
        content = artifact.read_bytes()
        for devices in (["local://0"], ["vulkan"], ["local://0", "vulkan"], ["vulkan", "local://0"], []):
            self.check(artifact, [1, 4, 9, 16], *devices)
        self.check(artifact, [1, 4, 9, 16], env=NO_VULKAN)
        self.assertEqual(content, artifact.read_bytes())
        planned = heddle("run", artifact, "--dry-run", env=NO_VULKAN)
        self.assertIn("gpu = local", planned.stdout + planned.stderr)

    def test_none_of_its_devices(self):
        """Behaviour 4: the error names the device, what it asked for, and why each one there is refused."""
        artifact = self.compile(ONE, "gpu=vulkan,cuda")
        result = heddle("run", artifact, "--device=local://0", "--input=4xi32=1,2,3,-4")
        self.assertEqual(1, result.returncode)
        for text in ("'gpu'", "vulkan", "cuda", "local"):
            self.assertIn(text, result.stderr)

    def test_a_fallback_taken_or_not(self):
        """Behaviours 5 and 15."""
        artifact = self.compile(PAIR, "cpu=local", "gpu=vulkan,fallback(@cpu)")
        self.assertEqual(2, self.transfers)
        content = artifact.read_bytes()
        for devices in (["local://0"], ["local://0", "vulkan"], ["vulkan", "local://0"]):
            self.check(artifact, [2, 6, 12, 12], *devices)
        self.check(artifact, [2, 6, 12, 12], env=NO_VULKAN)
        self.assertEqual(content, artifact.read_bytes())
        self.compile(PAIR, "cpu=local", "gpu=vulkan,fallback(@cpu)")
        self.assertEqual(content, artifact.read_bytes(), "the same compilation twice")

    def test_constants_are_where_they_are_read(self):
        """Behaviour 7: only the computed value crosses."""
        artifact = self.compile(CONSTANTS, "a=local", "b=local")
        self.assertEqual(1, self.transfers)
        for devices in (["local://0", "local://1"], ["local://0"]):
            self.check(artifact, [1, 13, 37, -49], *devices)

    def test_topology(self):
        """Behaviour 11: two of a kind share nothing unless a link says so."""
        devices = ("cpu=local[0]", "gpu=local[1]")
        self.compile(PAIR, *devices)
        self.assertEqual(2, self.transfers)
        topology = self.folder / "topology.json"
        links = [{"from": a, "to": b, "unified": True} for a, b in (("local[0]", "local[1]"), ("local[1]", "local[0]"))]
        topology.write_text(json.dumps({"version": 1, "devices": [{"name": "local[0]"}, {"name": "local[1]"}], "links": links}))
        artifact = self.compile(PAIR, *devices, flags=[f"--topology={topology}"])
        self.assertEqual(0, self.transfers)
        self.check(artifact, [2, 6, 12, 12], "local://0", "local://1")

    def test_names_are_all_or_none(self):
        """Behaviour 3."""
        source = self.folder / "program.mlir"
        source.write_text(ONE)
        result = heddle("compile", source, "-o", self.folder / "a", "--target-device=gpu=vulkan", "--target-device=local")
        self.assertEqual(2, result.returncode)
        self.assertIn("name", result.stderr)


if __name__ == "__main__":
    unittest.main()
