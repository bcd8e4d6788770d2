# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of jax.shard_map on 2, 4 and 8 ranks, as threads of one process, and on 4 that MPI starts, against JAX's results.

`make_rank_samples.py` writes the samples; a test needs no JAX. Inputs and results are whole arrays. Bounds are those of f32,
relative to the largest element of a result: sums over ranks come in another order here.
"""
import pathlib
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "interpreter"))

import run_ranks  # noqa: E402

INPUTS = pathlib.Path(__file__).parent / "RankInputs"
BY_MPI = ["sums_4", "exchanges_4", "scatters_4", "groups_4", "mlp_step_4", "loops_4", "branches_4", "attention_4", "permutes_2"]
ROUNDED = {("sums", "out7"): 3e-2}  # of bfloat16


class RanksTest(unittest.TestCase):
    def check(self, name, by_mpi=False):
        run_ranks.check_sample(self, INPUTS, name, ROUNDED, by_mpi)

    @unittest.skipUnless(run_ranks.MPICH.exists(), "there is no MPICH; scripts/setup.sh installs it")
    def test_by_mpi(self):
        for sample in BY_MPI:
            with self.subTest(sample):
                self.check(sample, by_mpi=True)


# What jax.lax.cond with a predicate that ranks need not share prints, with a sum in one branch.
BRANCH = """
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %c = stablehlo.compare GT, SUM, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %i = stablehlo.convert %c : (tensor<i1>) -> tensor<i32>
      %v = "stablehlo.case"(%i) ({
        stablehlo.return %p : tensor<4xf32>
      }, {
        %s = REDUCE(%p) : (tensor<4xf32>) -> tensor<4xf32>
        stablehlo.return %s : tensor<4xf32>
      }) : (tensor<i32>) -> tensor<4xf32>
      sdy.return %v : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
}
"""
REDUCE = """"stablehlo.all_reduce"(OPERAND) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  })"""


class ConditionsTest(unittest.TestCase):
    """Branches with collectives in them: the predicate must be the same on all ranks of the group."""

    def run_with(self, predicate, values):
        text = BRANCH.replace("SUM", predicate[0]).replace("REDUCE(%p)", REDUCE.replace("OPERAND", "%p"))
        text = text.replace("      %c = ", predicate[1] + "      %c = ")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "b.mlir").write_text(text)
            return run_ranks.run_whole(folder / "b.mlir", 2, {"in0": numpy.array(values, numpy.float32)}, ["out0"],
                                       folder)["out0"]

    def test_one_that_may_differ_is_refused(self):
        with self.assertRaisesRegex(run_ranks.tools.ToolError, r"b\.mlir:\d+:\d+: error: .*differ"):
            self.run_with(("%sum", ""), [1] * 8)

    def test_one_that_is_summed_before(self):
        total = "      %total = " + REDUCE.replace("OPERAND", "%sum") + " : (tensor<f32>) -> tensor<f32>\n"
        wanted = [5, 5, 5, 5, 5, 5, 5, 5]
        numpy.testing.assert_array_equal(self.run_with(("%total", total), [1, 1, 1, 1, 4, 4, 4, 4]), wanted)
        stay = [-9, 1, 1, 1, 1, 1, 1, 1]
        numpy.testing.assert_array_equal(self.run_with(("%total", total), stay), stay)


# A mesh that lists its devices in another order than they have: place p of it is device [2, 0, 3, 1][p].
ORDER = """
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[2, 0, 3, 1]>
  func.func public @main(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<8xi32>, tensor<4xi32>, tensor<4xi32>) {
    %r:4 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%p: tensor<1xi32>) {
      %i = stablehlo.partition_id : tensor<ui32>
      %n = stablehlo.convert %i : (tensor<ui32>) -> tensor<i32>
      %id = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %g = "stablehlo.all_gather"(%p) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [3, 2]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<1xi32>) -> tensor<2xi32>
      %c = "stablehlo.collective_permute"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[2, 0], [0, 3]]> : tensor<2x2xi64>}> : (tensor<1xi32>) -> tensor<1xi32>
      %s = "stablehlo.all_reduce"(%p) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %t = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %t : tensor<i32>
      }) : (tensor<1xi32>) -> tensor<1xi32>
      sdy.return %id, %g, %c, %s : tensor<1xi32>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>
    } : (tensor<4xi32>) -> (tensor<4xi32>, tensor<8xi32>, tensor<4xi32>, tensor<4xi32>)
    return %r#0, %r#1, %r#2, %r#3 : tensor<4xi32>, tensor<8xi32>, tensor<4xi32>, tensor<4xi32>
  }
}
"""


class OrderTest(unittest.TestCase):
    def test_ids_are_translated(self):
        names = ["out0", "out1", "out2", "out3"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "o.mlir").write_text(ORDER)
            got = run_ranks.run_whole(folder / "o.mlir", 4, {"in0": numpy.array([10, 20, 30, 40], numpy.int32)}, names, folder)
        # Devices 0, 1, 2, 3 have 20, 40, 10, 30.
        wanted = [[2, 0, 3, 1], [30, 10, 20, 40, 30, 10, 20, 40], [0, 10, 20, 0], [30, 30, 70, 70]]
        for key, want in zip(names, wanted):
            numpy.testing.assert_array_equal(got[key], want, key)


def add_test(name):
    setattr(RanksTest, f"test_{name}", lambda self: self.check(name))


for sample in sorted(INPUTS.glob("*.mlir")):
    add_test(sample.stem)

if __name__ == "__main__":
    unittest.main()
