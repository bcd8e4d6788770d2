// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: sed 's/RANKS/x = 4/' %s | heddle-opt --ranks-propagate --ranks-partition --cse --canonicalize | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: sed 's/RANKS/x = 1024/' %s | heddle-opt --ranks-propagate --ranks-partition --cse --canonicalize | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: sed 's/RANKS/x = 4/' %s | heddle-opt --ranks-resolve-meshes --ranks-propagate --ranks-partition --ranks-lower-collectives --ranks-verify -o /dev/null
// Windows along a cut dimension: one exchange, whose text does not grow with the mesh.

device.mesh @m = [RANKS]

// CHECK-LABEL: func.func @rows_below
// CHECK: %[[I:.*]] = flow.coordinate @m "x"
// FOUR: flow.exchange %{{.*}} dim 0 cut(%c8192, %c1, %c0, %c4, %c8190, %c1, %c0, %c4, %c1, %c1, %c2, %c0, %c0) over @m["x"] : tensor<2048x3xf32> -> tensor<?x3xf32>
// MANY: flow.exchange %{{.*}} dim 0 cut(%c8192, %c1, %c0, %c1024, %c8190, %c1, %c0, %c1024, %c1, %c1, %c2, %c0, %c0) over @m["x"] : tensor<8x3xf32> -> tensor<?x3xf32>
// CHECK-NOT: flow.permute
// CHECK-NOT: flow.all_gather
func.func @rows_below(%a: tensor<8192x3xf32>) -> tensor<8190x3xf32> attributes {heddle.whole_program} {
  %s = flow.shard %a as <@m, [["x"], []]> : tensor<8192x3xf32>
  %e = tensor.empty() : tensor<8192x3xf32>
  %x = linalg.abs ins(%s : tensor<8192x3xf32>) outs(%e : tensor<8192x3xf32>) -> tensor<8192x3xf32>
  %r = tensor.extract_slice %x[2, 0] [8190, 3] [1, 1] : tensor<8192x3xf32> to tensor<8190x3xf32>
  %t = flow.shard %r as <@m, [["x"], []]> : tensor<8190x3xf32>
  return %t : tensor<8190x3xf32>
}

// A padding by zeros in front of a window: one exchange brings rows and zeros, of one size on all ranks.
// CHECK-LABEL: func.func @padded_window
// FOUR: %[[R:.*]] = flow.exchange %{{.*}} dim 0 cut(%c8192, %c1, %c0, %c4, %c8192, %c1, %c0, %c4, %c1, %c3, %c-1, %c1, %c1) over @m["x"] : tensor<2048x3xf32> -> tensor<2050x3xf32>
// MANY: %[[R:.*]] = flow.exchange %{{.*}} dim 0 cut(%c8192, %c1, %c0, %c1024, %c8192, %c1, %c0, %c1024, %c1, %c3, %c-1, %c1, %c1) over @m["x"] : tensor<8x3xf32> -> tensor<10x3xf32>
// CHECK-NOT: tensor.pad
// CHECK-NOT: flow.exchange
// CHECK: linalg.generic {{.*}} ins(%[[R]], %
func.func @padded_window(%a: tensor<8192x3xf32>, %k: tensor<3xf32>) -> tensor<8192x3xf32> attributes {heddle.whole_program} {
  %zero = arith.constant 0.0 : f32
  %s = flow.shard %a as <@m, [["x"], []]> : tensor<8192x3xf32>
  %e = tensor.empty() : tensor<8192x3xf32>
  %x = linalg.abs ins(%s : tensor<8192x3xf32>) outs(%e : tensor<8192x3xf32>) -> tensor<8192x3xf32>
  %p = tensor.pad %x low[1, 0] high[1, 0] { ^bb0(%i: index, %j: index): tensor.yield %zero : f32 } : tensor<8192x3xf32> to tensor<8194x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8192x3xf32>) -> tensor<8192x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(r, c, k) -> (r + k, c)>, affine_map<(r, c, k) -> (k)>, affine_map<(r, c, k) -> (r, c)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %k : tensor<8194x3xf32>, tensor<3xf32>) outs(%f : tensor<8192x3xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %m = arith.mulf %u, %v : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<8192x3xf32>
  return %r : tensor<8192x3xf32>
}
