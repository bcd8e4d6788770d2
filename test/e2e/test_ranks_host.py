# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of many ranks from tensors to threads: their values, collectives in loops and branches, what an artifact has
of a mesh, and which collectives are refused."""
import json
import unittest

import numpy
import support

DEVICE = """device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = SIZE]
"""
VULKAN = """device.global @a = #device.target<"vulkan", [#device.executable<"spirv", {}>]>
device.mesh @m = [x = SIZE]
"""
SUM = """
func.func @main(%x: tensor<?x16xf32> {heddle.name = "x", heddle.dims = ["n", ""]}) -> (tensor<?x16xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %a = linalg.exp ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %r = flow.all_reduce %a sum over @m["x"] : tensor<?x16xf32>{%n}
  %b = linalg.negf ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.add ins(%r, %b : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
"""
# Rounds of a ring: after as many as there are members each has seen all.
RING = """
func.func @main(%x: tensor<4xf32> {heddle.name = "x"}) -> (tensor<4xf32> {heddle.name = "y"}) {
  %c1 = arith.constant 1 : index
  %n = flow.mesh_size @m "x"
  %r:2 = scf.for %i = %c1 to %n step %c1 iter_args(%sum = %x, %at = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %next = flow.permute %at shift 1 over @m["x"] : tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %more = linalg.add ins(%sum, %next : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %more, %next : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}
"""
# Doubled by all together until one of the sums is large.
UNTIL = """
func.func @main(%x: tensor<1xi32> {heddle.name = "x"}) -> (tensor<1xi32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 1000 : i32
  %first = flow.all_reduce %x sum over @m["x"] : tensor<1xi32>
  %y = scf.while (%a = %first) : (tensor<1xi32>) -> tensor<1xi32> {
    %v = tensor.extract %a[%c0] : tensor<1xi32>
    %more = arith.cmpi slt, %v, %limit : i32
    scf.condition(%more) %a : tensor<1xi32>
  } do {
  ^bb0(%b: tensor<1xi32>):
    %next = flow.all_reduce %b sum over @m["x"] : tensor<1xi32>
    scf.yield %next : tensor<1xi32>
  }
  return %y : tensor<1xi32>
}
"""
# Each rank multiplies with its rows of a parameter.
SHARDED = """
flow.parameter private @w : tensor<4x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]>
func.func @main(%x: tensor<1x2xf32> {heddle.name = "x"}) -> (tensor<1x2xf32> {heddle.name = "y"}) {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %i = flow.coordinate @m "x"
  %row = arith.muli %i, %c2 : index
  %w = flow.parameter.load @w : tensor<4x2xf32>
  %own = tensor.extract_slice %w[%row, 0] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %p = linalg.matmul ins(%x, %own : tensor<1x2xf32>, tensor<2x2xf32>) outs(%f : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = flow.all_reduce %p sum over @m["x"] : tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
"""
# Rows in turn on two streams.
STREAMS = """
func.func @main(%x: tensor<4x8xf32> {heddle.name = "x"}) -> (tensor<4x8xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%whole = %e) -> (tensor<4x8xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %sum = flow.all_reduce %row sum over @m["x"] : tensor<1x8xf32>
    %next = tensor.insert_slice %sum into %whole[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    scf.yield %next : tensor<4x8xf32>
  }MARK
  return %y : tensor<4x8xf32>
}
"""


class RanksTest(support.EndToEnd):
    def compile(self, text, size, device=DEVICE):
        source, artifact = self.folder / "program.mlir", self.folder / f"program_{size}.heddle"
        source.write_text(device.replace("SIZE", str(size)) + text)
        result = support.heddle("compile", source, "-o", artifact)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def run_ranks(self, artifact, inputs, *options):
        """The results of all ranks, each with an input of its own."""
        for rank, value in enumerate(inputs):
            numpy.save(self.folder / f"x{rank}.npy", value)
        result = support.heddle("run", artifact, f"--input=@{self.folder}/x{{rank}}.npy",
                                f"--output=@{self.folder}/y{{rank}}.npy", *options)
        self.assertEqual(0, result.returncode, result.stderr)
        return [numpy.load(self.folder / f"y{rank}.npy") for rank in range(len(inputs))]

    def test_sum(self):
        random = numpy.random.default_rng(1)
        for size, rows in ((1, 3), (2, 5), (4, 1), (3, 0)):
            with self.subTest(size=size, rows=rows):
                xs = [random.standard_normal((rows, 16), numpy.float32) for _ in range(size)]
                total = sum(numpy.exp(x.astype(numpy.float64)) for x in xs)
                for x, y in zip(xs, self.run_ranks(self.compile(SUM, size), xs)):
                    numpy.testing.assert_allclose(y, total - x, rtol=1e-5, atol=1e-5)

    def test_ring_of_a_size_told_at_load(self):
        artifact = self.compile(RING, "?")
        for size in (1, 2, 3):
            xs = [numpy.full(4, 10.0 ** rank, numpy.float32) for rank in range(size)]
            for y in self.run_ranks(artifact, xs, f"--mesh=x={size}"):
                numpy.testing.assert_array_equal(sum(xs), y)

    def test_loop_until_all_have_enough(self):
        xs = [numpy.array([rank + 1], numpy.int32) for rank in range(3)]
        for y in self.run_ranks(self.compile(UNTIL, 3), xs):
            self.assertEqual(1458, y[0])

    def test_rows_of_a_parameter(self):
        """All that a device with memory of its own gets; a view of the file elsewhere."""
        xs = [numpy.array([[1, 1]], numpy.float32), numpy.array([[1, 10]], numpy.float32)]
        for device, given in ((DEVICE, "local"), (DEVICE, "local://0?discrete=yes"), (VULKAN, "vulkan")):
            with self.subTest(device=given):
                artifact = self.compile(SHARDED, 2, device)
                for y in self.run_ranks(artifact, xs, f"--device={given}"):
                    numpy.testing.assert_array_equal([[1 + 3 + 5 + 70, 2 + 4 + 6 + 80]], y)
                host = json.loads(support.heddle("inspect", artifact, "--json").stdout)["host"]
                ops = [instruction["op"] for instruction in host]
                self.assertEqual(1, ops.count("parameter_slice"))
                self.assertEqual(0, ops.count("view") + ops.count("parameter"))

    def test_artifacts_differ_in_the_mesh_only(self):
        small, large = (self.compile(SUM, size) for size in (2, 256))
        # The size's digits may begin another page.
        self.assertLessEqual(abs(small.stat().st_size - large.stat().st_size), 4096)
        texts = []
        for artifact in (small, large):
            described = json.loads(support.heddle("inspect", artifact, "--json").stdout)
            self.assertEqual(["x"], [axis["name"] for axis in described["meshes"][0]["axes"]])
            self.assertEqual(1, len(described["collectives"]))
            del described["meshes"], described["report"], described["file_bytes"]
            described["certificate"] = [program["proved"] for program in described["certificate"]["programs"]]
            texts.append(json.dumps(described))
        self.assertEqual(*texts)

    def test_loops_over_streams(self):
        """The same as a plain loop; more in test_ranks_streams."""
        x = numpy.arange(32, dtype=numpy.float32).reshape(4, 8)
        for mark in ("", " {heddle.streams = #flow.streams<2>}"):
            for y in self.run_ranks(self.compile(STREAMS.replace("MARK", mark), 2), [x, 2 * x]):
                numpy.testing.assert_array_equal(3 * x, y)


if __name__ == "__main__":
    unittest.main()
