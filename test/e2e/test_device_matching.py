# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of the machine's devices a program's devices get, the plan as JSON, and packed weights on whichever it is."""
import json
import os
import unittest
import unittest.mock

import numpy
import onnx
import onnx.parser
import runtime
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


def mapping_of(path):
    """The lines of /proc/self/smaps on mappings of the file."""
    lines, inside = [], False
    with open("/proc/self/smaps", encoding="utf-8") as smaps:
        for line in smaps:
            if "-" in line.split()[0]:
                inside = line.rstrip().endswith(str(path))
            elif inside:
                lines.append(line)
    return lines


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

    def test_a_processor_that_shares_no_memory_with_the_host(self):
        self.check_weights(self.compile(WEIGHTS, "--target-device=local,vulkan"), "local://0?discrete=yes")

    def test_what_was_packed_is_not_resident_twice(self):
        """The pages of the file from which weights were packed, or whose packed copy the cache has, are let go."""
        weights = numpy.random.default_rng(1).standard_normal((1024, 1024)).astype(numpy.float32)
        model, artifact = self.folder / "m.onnx", self.folder / "m.heddle"
        proto = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
            g (float[4,1024] x) => (float[4,1024] y) { y = MatMul (x, w) }""")
        proto.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
        onnx.save(proto, model)
        result = heddle("compile", model, "-o", artifact, "--target-device=local,vulkan")
        self.assertEqual(0, result.returncode, result.stderr)
        x = numpy.eye(4, 1024, dtype=numpy.float32)
        with unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_DIR=str(self.folder / "cache")):
            for state in ("cold", "from the cache"):
                with self.subTest(state=state):
                    program = runtime.Program(artifact)
                    self.addCleanup(program.close)
                    resident = sum(int(line.split()[1]) for line in mapping_of(artifact) if line.startswith("Rss:"))
                    self.assertLess(resident, 1024, "KiB of a file of 4 MiB of weights")
                    (y,) = program("main", x)
                    self.assertTrue(numpy.allclose(y, weights[:4], atol=1e-6))

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
