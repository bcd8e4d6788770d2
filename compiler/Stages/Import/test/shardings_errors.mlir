// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings that would need a partitioner, and manual computations that do not fit their meshes. None is dropped.
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --verify-diagnostics --split-input-file

module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @argument(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("params")) -> tensor<8x16xf32> {
    // expected-error @+1 {{op stablehlo.add reads argument 0 (params), which is cut by #sdy.sharding<@mesh, [{"x"}, {}]>; values are not partitioned by shardings here: cut them with jax.shard_map, or keep them whole on each rank}}
    %0 = stablehlo.add %x, %x : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  // expected-error @+1 {{result 0: the sharding #sdy.sharding<@mesh, [{"y"}, {}]> cuts a value of 'tensor<8x16xf32>', unevenly or not as a manual computation does; values are not partitioned by shardings here}}
  func.func @result(%x: tensor<8x16xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = stablehlo.add %x, %x : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @constraint(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.sharding_constraint: the sharding #sdy.sharding<@"mesh", [{"x"}]> cuts the value; values are not partitioned by shardings here}}
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @gspmd(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op stablehlo.custom_call: the sharding "{devices=[2]<=[2]}" cuts a value; values are not partitioned by shardings here}}
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
    // expected-error @+1 {{the target 'SPMDFullToShardShape' cuts or joins values for another partitioner, which is not supported; lower the program with Shardy, as jax does without jax_use_shardy_partitioner=False}}
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<8xf32>) -> tensor<4xf32>
    // expected-error @+1 {{op stablehlo.custom_call: the sharding #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>: the mesh that stands in the attribute is none of the module's; declare it as sdy.mesh}}
    %2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<mesh<[\22x\22=2]>, [{\22x\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.add: the sharding "{devices=[2]<=[2]}" cuts a value}}
    %3 = stablehlo.add %x, %x {mhlo.sharding = "{devices=[2]<=[2]}"} : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  // expected-error @+1 {{argument 0: the sharding is "{devices=[2]<=[2]}"; values are not partitioned by shardings here}}
  func.func @gspmd_argument(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<8xf32> {
    %0 = stablehlo.add %x, %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @uneven(%x: tensor<7xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.manual_computation: operand 0 does not have as many elements in each dimension as the ranks of its axes together, each with what the body's argument has}}
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      sdy.return %p : tensor<4xf32>
    } : (tensor<7xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @returned(%x: tensor<8xf32>) -> tensor<6xf32> {
    // expected-error @+1 {{op sdy.manual_computation: result 0 does not have as many elements in each dimension as the ranks of its axes together, each with what the body returns}}
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      sdy.return %p : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @axes(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.manual_computation: the sharding of operand 0 cuts along 'y', which is not one of its manual axes; values are not partitioned by shardings here}}
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      sdy.return %p : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @part_of_axis(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.manual_computation: the sharding of operand 0: a part of the axis 'x' is not supported; make two axes of it}}
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x":(1)2}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      sdy.return %p : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @unknown_mesh(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.manual_computation: the sharding of operand 0: there is no mesh @other of all ranks}}
    %0 = sdy.manual_computation(%x) in_shardings=[<@other, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      sdy.return %p : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @nested(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      // expected-error @+1 {{op sdy.manual_computation: the axis 'x' is manual around it already}}
      %1 = sdy.manual_computation(%p) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%q: tensor<2xf32>) {
        sdy.return %q : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @malformed(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.manual_computation: needs in_shardings, out_shardings and manual_axes, one sharding for each operand and each result, and a region with the operands' parts that ends in sdy.return}}
    %0 = sdy.manual_computation(%x) in_shardings=[] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      sdy.return %p : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
