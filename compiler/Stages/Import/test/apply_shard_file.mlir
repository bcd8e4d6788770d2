// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-apply-shard-file=file=%S/Inputs/apply_shard_file.shard | FileCheck %s

// CHECK: device.mesh @mesh = [tp = 2, dp = ?]

flow.parameter private @w : tensor<4x8xf32> = dense_resource<w>

// CHECK-LABEL: @main
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>
func.func @main(%x: tensor<?x4xf32> {heddle.name = "x", heddle.dims = ["n", ""]}, %n: index)
    -> (tensor<?x8xf32> {heddle.name = "y"}, tensor<?x8xf32> {heddle.name = "z"}) {
  // CHECK: %[[XS:.*]] = flow.shard %[[X]] as <@mesh, {{\[}}["dp"], []]>
  // CHECK: %[[W:.*]] = flow.parameter.load @w
  // CHECK: %[[WS:.*]] = flow.shard %[[W]] as <@mesh, {{\[}}[], ["tp"] by 4]>
  %w = flow.parameter.load @w : tensor<4x8xf32>
  // CHECK: %[[C:.*]] = arith.constant dense_resource<small>
  // CHECK: %[[CS:.*]] = flow.shard %[[C]] as <@mesh, {{\[}}["tp"]]>
  %c = arith.constant dense_resource<small> : tensor<8xf32>
  // What a node's own ops read among themselves is not its result.
  // CHECK: %[[E:.*]] = tensor.empty
  // CHECK: %[[M:.*]] = linalg.matmul ins(%[[XS]], %[[WS]] : {{.*}}) outs(%[[E]]
  // CHECK: %[[MS:.*]] = flow.shard %[[M]] as <@mesh, {{\[}}["dp"], ["tp", ?]]>
  %e = tensor.empty(%n) : tensor<?x8xf32> loc("mm")
  %m = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> loc("mm")
  // CHECK: %[[B:.*]] = linalg.broadcast ins(%[[CS]]
  %b = linalg.broadcast ins(%c : tensor<8xf32>) outs(%e : tensor<?x8xf32>) dimensions = [0]
  // CHECK: %[[A:.*]] = linalg.add ins(%[[MS]], %[[B]]
  %a = linalg.add ins(%m, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  // The result 'y' only, not 'z', which is the same value.
  // CHECK: %[[R:.*]] = flow.shard %[[A]] as <@mesh, {{\[}}["dp"], []], partial sum ["tp"]>
  // CHECK: return %[[R]], %[[A]]
  return %a, %a : tensor<?x8xf32>, tensor<?x8xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      small: "0x040000000000000000000000000000000000000000000000000000000000000000000000"
    }
  }
#-}
