// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings that fit no mesh, and manual computations that do not fit theirs.
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --verify-diagnostics --split-input-file

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @gspmd(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op stablehlo.custom_call: a border between whole values and parts needs an operand, a result, and a sharding of the whole value by @Sharding or mhlo.sharding}}
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.custom_call: the sharding "{devices=[2]<=[2]}" does not cut 'tensor<8xf32>' to 'tensor<3xf32>'}}
    %2 = stablehlo.custom_call @SPMDFullToShardShape(%1) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<3xf32>
    return %x : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  // expected-error @+1 {{argument 0: the sharding "{devices=[2,1]<=[2]}" does not cut a value of 1 dimensions by axes of the devices, or is not a sharding}}
  func.func @gspmd_argument(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}) -> tensor<8xf32> {
    %0 = stablehlo.negate %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @inlined(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.sharding_constraint: the sharding: the mesh that stands in the attribute is none of the module's; declare it as sdy.mesh}}
    %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<mesh<[\22x\22=4]>, [{\22x\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op sdy.sharding_constraint: the sharding "{devices=[2]0,0}" does not cut a value of 1 dimensions by axes of the devices, or is not a sharding}}
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[2]0,0}"} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

// Parts of an axis that cut it at places of which none divides the other.
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=6]>
  func.func @parts_of_axis(%x: tensor<12xf32>) -> tensor<12xf32> {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x":(1)2}]> : tensor<12xf32>
    // expected-error @+1 {{op sdy.sharding_constraint: the sharding: the part (1)3 of the axis 'x' cuts it elsewhere than other shardings do}}
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x":(1)3}]> : tensor<12xf32>
    return %1 : tensor<12xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @forms(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.sharding_constraint: the sharding: the axis 'x' is named twice}}
    %0 = sdy.sharding_constraint %x <@mesh, [{"x", "x"}]> : tensor<8xf32>
    // expected-error @+1 {{op sdy.sharding_constraint: the sharding: the axis 'z' is none of @mesh}}
    %1 = sdy.sharding_constraint %x <@mesh, [{"z"}]> : tensor<8xf32>
    // expected-error @+1 {{op sdy.sharding_constraint: the sharding has 2 dimensions, and the value 1}}
    %2 = sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<8xf32>
    // expected-error @+1 {{op sdy.sharding_constraint needs an operand, a tensor, and a result of its type}}
    %3 = "sdy.sharding_constraint"(%x) {sharding = #sdy.sharding<@mesh, [{"x"}]>} : (tensor<8xf32>) -> tensor<4xf32>
    // expected-error @+1 {{op sdy.sharding_constraint needs the attribute sharding}}
    %4 = "sdy.sharding_constraint"(%x) : (tensor<8xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op sdy.sharding_group needs an operand, a tensor, and the attribute group_id}}
    "sdy.sharding_group"(%x) : (tensor<8xf32>) -> ()
    return %x : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @order(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.manual_computation: the sharding of operand 0 cuts along 'y', which is not one of its manual axes, before one that is}}
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"y", "x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      sdy.return %p : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @made(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.part_of_rank is not supported in a StableHLO program}}
    %0 = "sdy.part_of_rank"(%x) : (tensor<8xf32>) -> tensor<8xf32>
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
    // expected-error @+1 {{op sdy.manual_computation: operand 0 does not have as many elements in each dimension as the ranks of its axes together, each with what the body's argument has}}
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
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

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @rank_ops(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    // expected-error @+1 {{op stablehlo.partition_id stands outside of the manual computations of a program with shardings, where values are those of all ranks together; put it into jax.shard_map}}
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.add %x, %2 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}

// -----

// expected-error @+1 {{attribute xla.sdy.meshes is not a list of meshes, such as {mesh = #sdy.mesh<["x"=2]>}}}
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "mesh"}} {
  func.func @texts(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
