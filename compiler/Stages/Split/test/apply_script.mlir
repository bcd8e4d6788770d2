// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-apply-script=file=%S/Inputs/split_script.mlir | FileCheck %s

device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>

// By name; by length, with a figure of the target; by kind. What speaks last counts, and what is not named stays as it is.
// CHECK-LABEL: @main
// CHECK: linalg.matmul {heddle.split = {by = "split_script.mlir:19", parts = 13 : i64}}
// CHECK: linalg.matmul {heddle.split = {by = "split_script.mlir:17", size = 4096 : i64}}
// CHECK: linalg.reduce {{.*}} {heddle.split = {by = "split_script.mlir:21", loop = 0 : i64, parts = 2 : i64, per_unit}}
// CHECK: linalg.matmul {heddle.split = {by = "split_script.mlir:23", parts = 1 : i64}}
// CHECK: linalg.matmul ins
func.func @main(%a: tensor<8x9000xf32>, %b: tensor<9000x8xf32>, %c: tensor<8x8xf32>, %d: tensor<8x100xf32>, %e: tensor<100x8xf32>, %f: tensor<9000xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<9000xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x9000xf32>, tensor<9000x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32> loc("encoder/layer.0/MatMul")
  %1 = linalg.matmul ins(%a, %b : tensor<8x9000xf32>, tensor<9000x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32> loc("decoder/MatMul")
  %2 = linalg.reduce {arith.addf} ins(%a : tensor<8x9000xf32>) outs(%f : tensor<9000xf32>) dimensions = [0]
  %3 = linalg.matmul ins(%d, %e : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32> loc("whole1")
  %4 = linalg.matmul ins(%d, %e : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32> loc("other")
  return %0, %1, %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<9000xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
