// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-decide-randomly=seed=3 | FileCheck %s
// RUN: heddle-opt %s --ranks-decide-randomly=seed=3 -o %t && heddle-opt %s --ranks-decide-randomly=seed=3 | diff %t -

device.mesh @m = [x = 2]

// Of a whole program something is drawn, and the same for one seed.
// CHECK-LABEL: @whole
// CHECK: heddle.shard_loops = #flow.sharding<@m, {{.*}}["x"]
func.func @whole(%x0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %x = flow.shard %x0 as <@m, [["x"], []]> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.tanh ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.abs ins(%b : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// CHECK-LABEL: @byHand
// CHECK-NOT: heddle.shard_loops
// CHECK: return
func.func @byHand(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a : tensor<4x4xf32>
}
