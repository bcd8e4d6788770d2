// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-propagate --split-input-file --verify-diagnostics

device.mesh @m = [x = 2]
func.func @granule(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-warning @+1 {{this sharding is not applied: it cuts dimension 0 of 'tensor<8xf32>' at multiples of 3, which does not divide 8}}
  %r = flow.shard %x as <@m, [["x"] by 3]> : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Whole rows of the weight are wanted where the rows of the activations are cut, since these are more.
device.mesh @m = [x = 2]
func.func @weight(%x: tensor<64x16xf32>, %i: tensor<16x4xf32>) -> (tensor<64x4xf32>, tensor<16x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<"0x000000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C0410000C8410000D0410000D8410000E0410000E8410000F0410000F84100000042000004420000084200000C4200001042000014420000184200001C4200002042000024420000284200002C4200003042000034420000384200003C4200004042000044420000484200004C4200005042000054420000584200005C4200006042000064420000684200006C4200007042000074420000784200007C42"> : tensor<16x4xf32>
  %s1 = flow.shard %x as <@m, [["x"], []]> : tensor<64x16xf32>
  // expected-warning @+1 {{this sharding is not applied: matmul of 'up' reads all of it, which moves less, and each rank loads that}}
  %s2 = flow.shard %w as <@m, [[], ["x"]]> : tensor<16x4xf32>
  %e = tensor.empty() : tensor<64x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x4xf32>) -> tensor<64x4xf32>
  %r = linalg.matmul ins(%s1, %s2 : tensor<64x16xf32>, tensor<16x4xf32>) outs(%f : tensor<64x4xf32>) -> tensor<64x4xf32> loc("up")
  %t = tensor.empty() : tensor<16x4xf32>
  %o = linalg.add ins(%s2, %i : tensor<16x4xf32>, tensor<16x4xf32>) outs(%t : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %r, %o : tensor<64x4xf32>, tensor<16x4xf32>
}

// -----

// A reader that takes a smaller part than was asked for keeps to it.
device.mesh @m = [x = 2, y = 2]
func.func @smaller(%x: tensor<64x16xf32>) -> tensor<64x4xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<"0x000000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C0410000C8410000D0410000D8410000E0410000E8410000F0410000F84100000042000004420000084200000C4200001042000014420000184200001C4200002042000024420000284200002C4200003042000034420000384200003C4200004042000044420000484200004C4200005042000054420000584200005C4200006042000064420000684200006C4200007042000074420000784200007C42"> : tensor<16x4xf32>
  %s1 = flow.shard %x as <@m, [[], ["y"]]> : tensor<64x16xf32>
  %s2 = flow.shard %w as <@m, [?, ["x"]]> : tensor<16x4xf32>
  %e = tensor.empty() : tensor<64x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x4xf32>) -> tensor<64x4xf32>
  %r = linalg.matmul ins(%s1, %s2 : tensor<64x16xf32>, tensor<16x4xf32>) outs(%f : tensor<64x4xf32>) -> tensor<64x4xf32>
  return %r : tensor<64x4xf32>
}

// -----

// Every rank has all of the value, and nobody reads the part of it: what is merged is cut along the outer one alone.
device.mesh @m = [x = 2]
func.func @unread(%x: tensor<3x4xf32>) -> tensor<12xf32> {
  %0 = flow.shard %x as <@m, [[], []]> : tensor<3x4xf32>
  // expected-warning @+1 {{this sharding is not applied: collapse_shape reads all of it, which moves less}}
  %1 = flow.shard %0 as <@m, [[], ["x"]]> : tensor<3x4xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  return %2 : tensor<12xf32>
}
