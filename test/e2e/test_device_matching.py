# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of the machine's devices a program's devices get, the plan as JSON, and packed weights on whichever it is."""
import json
import unittest

import support
from support import heddle

# A processor packs these weights. No two are equal, so rows that are read as panels show.
WEIGHTS = """flow.parameter private @w : tensor<3x33xf32> = dense<[%s]>
func.func @main(%%x: tensor<2x3xf32> {heddle.name = "x"}) -> (tensor<2x33xf32> {heddle.name = "y"}) {
  %%c = arith.constant 0.0 : f32
  %%e = tensor.empty() : tensor<2x33xf32>
  %%i = linalg.fill ins(%%c : f32) outs(%%e : tensor<2x33xf32>) -> tensor<2x33xf32>
  %%w = flow.parameter.load @w : tensor<3x33xf32>
  %%p = linalg.matmul ins(%%x, %%w : tensor<2x3xf32>, tensor<3x33xf32>) outs(%%i : tensor<2x33xf32>) -> tensor<2x33xf32>
  return %%p : tensor<2x33xf32>
}
""" % ", ".join(str([float(33 * k + n) for n in range(33)]) for k in range(3))
ROW = [float(sum(33 * k + n for k in range(3))) for n in range(33)]

# Squares four times: on @a, @b, @a.
PAIR = """func.func @main(%x: tensor<4xi32> {heddle.name = "x", heddle.affinity = #device.promise<@a>})
    -> (tensor<4xi32> {heddle.name = "y", heddle.affinity = #device.promise<@a>}) {
  %w = arith.muli %x, %x : tensor<4xi32>
  %0 = flow.transfer %w : tensor<4xi32> to #device.promise<@b>
  %1 = arith.muli %0, %0 : tensor<4xi32>
  %2 = flow.transfer %1 : tensor<4xi32> to #device.promise<@a>
  %3 = arith.muli %2, %2 : tensor<4xi32>
  return %3 : tensor<4xi32>
}
"""
DISCRETE = "local://0?cpu=%s&discrete=yes"


class MatchingTest(support.EndToEnd):
    def compile(self, text, *flags):
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        source.write_text(text)
        result = heddle("compile", source, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def plan(self, artifact, *devices):
        """The plan as JSON, by the names of the program's devices."""
        result = heddle("run", artifact, "--dry-run", "--json", *(f"--device={uri}" for uri in devices))
        self.assertEqual(0, result.returncode, result.stderr)
        plan = json.loads(result.stdout)
        return {device["name"]: device for device in plan["devices"]}, [one["device"] for one in plan["unused"]]

    def check_weights(self, artifact, *devices):
        result = heddle("run", artifact, *(f"--device={uri}" for uri in devices), "--input=2x3xf32=1",
                        f"--expected-output=2x33xf32={','.join(str(v) for v in ROW + ROW)}")
        self.assertEqual(0, result.returncode, f"{devices}: {result.stderr}{result.stdout}")

    def test_packed_weights_on_whatever_it_is(self):
        """The default device loads what it reads in rows as a parameter of its own, and packs the rest: both where its
        kernels can read it."""
        for flags, lists in (
                (["vulkan,local"], (["vulkan"], ["local://0"], ["local://0", "vulkan"], [])),
                (["local,vulkan"], (["vulkan"], ["local://0"], ["vulkan", "local://0"], [])),
                (["cuda,vulkan,local"], (["vulkan"], ["local://0"], [])),
                (["#device.ordinal<0>"], (["local://0"], ["local://0?discrete=yes"])),
                (["gpu=vulkan,fallback(@cpu)", "cpu=local"], (["vulkan", "local://0"], ["local://0"]))):
            artifact = self.compile(WEIGHTS, *(f"--target-device={flag}" for flag in flags))
            for devices in lists:
                with self.subTest(flags=flags, devices=devices):
                    self.check_weights(artifact, *devices)

    def test_packed_weights_behind_a_default_that_is_not_the_first(self):
        artifact = self.compile(WEIGHTS, "--target-device=cpu=local", "--target-device=gpu=vulkan,fallback(@cpu)",
                                "--default-device=gpu")
        for devices in (["local://0", "vulkan"], ["local://0"]):
            with self.subTest(devices=devices):
                self.check_weights(artifact, *devices)

    def test_levels_that_share_no_memory_with_the_host(self):
        artifact = self.compile(WEIGHTS, "--target-device=local{cpu=x86-64-v3},local{cpu=x86-64-v2}")
        for level in ("x86-64-v2", "x86-64-v3"):
            with self.subTest(level=level):
                self.check_weights(artifact, DISCRETE % level)

    def test_each_gets_one_of_its_own(self):
        """@b needs more than @a: it has the device that both could have, whatever the order."""
        artifact = self.compile(PAIR, "--target-device=a=local{cpu=x86-64-v2}", "--target-device=b=local{cpu=x86-64-v3}")
        large, small = "local://0?cpu=x86-64-v3", "local://1?cpu=x86-64-v2"
        for devices in ([large, small], [small, large]):
            got, unused = self.plan(artifact, *devices)
            self.assertEqual((small, large), (got["a"]["device"], got["b"]["device"]))
            self.assertEqual([], unused)
            self.assertFalse(got["a"]["copy"] or got["b"]["copy"])
        result = heddle("run", artifact, f"--device={large}", f"--device={small}", "--input=4xi32=1,2,-1,0")
        self.assertEqual("result 'y': 4xi32=[1 256 1 0]\n", result.stdout)

    def test_alike_devices_are_taken_in_order(self):
        artifact = self.compile(PAIR, "--target-device=a=local", "--target-device=b=local")
        got, unused = self.plan(artifact, "local://1", "local://0", "null")
        self.assertEqual(("local://1", "local://0"), (got["a"]["device"], got["b"]["device"]))
        self.assertEqual(["null"], unused)

    def test_a_later_alternative_before_a_copy(self):
        artifact = self.compile(PAIR, "--target-device=a=local,vulkan", "--target-device=b=local[0]")
        got, _ = self.plan(artifact, "local://0", "vulkan")
        self.assertTrue(got["a"]["device"].startswith("vulkan"), got)
        self.assertEqual((1, "local://0"), (got["a"]["alternative"], got["b"]["device"]))
        self.assertEqual("alternative 0 has no device left", got["a"]["note"])
        got, _ = self.plan(artifact, "local://0")
        self.assertTrue(got["a"]["copy"])

    def test_json_goes_with_dry_run(self):
        artifact = self.compile(PAIR, "--target-device=a=local", "--target-device=b=local")
        self.assert_fails(2, "--json goes with --dry-run", "run", artifact, "--json")


if __name__ == "__main__":
    unittest.main()
