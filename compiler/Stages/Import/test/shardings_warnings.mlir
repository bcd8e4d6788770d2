// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Annotations that nothing here applies: each is a warning that names it, and the program goes on.
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --verify-diagnostics --split-input-file

// expected-warning @+1 {{attribute mhlo.spmd_parameters_shardings is not applied: how values are shared follows from what ops compute and from shardings of values}}
module attributes {mhlo.num_partitions = 4 : i32, mhlo.spmd_parameters_shardings = ["{devices=[4]<=[4]}"]} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @several(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-warning @+1 {{the sharding "{maximal device=1}" is not applied: no value is on one rank alone, each rank has all of it}}
    %2 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{maximal device=1}"} : (tensor<8xf32>) -> tensor<8xf32>
    // expected-warning @+1 {{attribute sdy.sharding_rule is not applied}}
    %3 = stablehlo.negate %2 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
    // expected-warning @+1 {{attribute xla.sdy.manual_axes is not applied}}
    %4 = stablehlo.negate %3 {mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : tensor<8xf32>
    %5 = stablehlo.exponential %4 : tensor<8xf32>
    // expected-warning @+1 {{op sdy.sharding_group of group 3 is not applied: no sharding is asked for any of its members that fits this one}}
    sdy.sharding_group %5 group_id=3 : tensor<8xf32>
    return %5 : tensor<8xf32>
  }
}

// -----

// In a manual computation: along axes that it leaves alone each rank computes all of it.
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @inside(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x", ?}]>] out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      // expected-warning @+1 {{the sharding #sdy.sharding<@"mesh", [{"y"}]> is not applied: in a manual computation each rank has all that its manual axes do not cut}}
      %1 = sdy.sharding_constraint %p <@mesh, [{"y"}]> : tensor<4xf32>
      %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    // expected-warning @+1 {{op sdy.manual_computation: the sharding of result 0 is applied along the manual axes only}}
    %3 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      sdy.return %p : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}

// -----

// Meshes of one device, and those that list devices in another order.
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @one = <[], device_ids=[1]>
  // expected-warning @+1 {{op sdy.mesh: the order of devices of @turned is not applied: it is that of @mesh, so that values that both cut alike stay where they are}}
  sdy.mesh @turned = <["x"=4], device_ids=[1, 2, 3, 0]>
  // expected-warning @+1 {{argument 0: the sharding #sdy.sharding<@one, []> is not applied: no value is on one rank alone, each rank has all of it}}
  func.func @meshes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.negate %x : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@turned, [{"x"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
