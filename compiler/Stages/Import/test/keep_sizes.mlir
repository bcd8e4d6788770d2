// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-keep-sizes --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @same
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[N]]) : tensor<?x4xi32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} outs(%[[EMPTY]] : tensor<?x4xi32>) attrs = {heddle.affinity = #device.promise<@b>}
// CHECK: arith.xori %{{.*}} : i32
// CHECK: arith.cmpi sle, %{{.*}} : i32
func.func @same(%x: tensor<?x4xi32>) -> (tensor<?x4xi32>, tensor<?x4xi1>) {
  %0 = arith.xori %x, %x {heddle.affinity = #device.promise<@b>} : tensor<?x4xi32>
  %1 = arith.cmpi sle, %x, %x : tensor<?x4xi32>
  return %0, %1 : tensor<?x4xi32>, tensor<?x4xi1>
}

// Where the sizes are known the constant is right; other ops stay as they are.
// CHECK-LABEL: func.func @others
// CHECK-NOT: linalg
// CHECK: arith.subi
func.func @others(%x: tensor<4xi32>, %y: tensor<?xi32>) -> (tensor<4xi32>, tensor<?xi32>) {
  %0 = arith.xori %x, %x : tensor<4xi32>
  %1 = arith.subi %y, %y : tensor<?xi32>
  return %0, %1 : tensor<4xi32>, tensor<?xi32>
}
