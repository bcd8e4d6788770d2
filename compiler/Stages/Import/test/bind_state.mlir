// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-bind-state="states=past.*.key=present.*.key,count=count_out donations=x" | FileCheck %s

// CHECK-DAG: flow.global private @past.0.key : tensor<?x4xf32>
// CHECK-DAG: flow.global private @past.1.key : tensor<?x4xf32>
// CHECK-DAG: flow.global private @count : tensor<i64>

// State comes last, the caller's values in their order. The donated argument has the first free result of its type.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2xf32> {heddle.donated = 1 : i64, heddle.name = "x"}
// CHECK-SAME: %[[K0:[a-z0-9]+]]: tensor<?x4xf32> {heddle.dims = ["t", ""], heddle.name = "past.0.key", heddle.state = @past.0.key}
// CHECK-SAME: %[[K1:[a-z0-9]+]]: tensor<?x4xf32> {heddle.dims = ["t", ""], heddle.name = "past.1.key", heddle.state = @past.1.key}
// CHECK-SAME: %[[N:[a-z0-9]+]]: tensor<i64> {heddle.name = "count", heddle.state = @count}
// CHECK-SAME: -> (tensor<f32> {heddle.name = "y"}, tensor<2xf32> {heddle.name = "z"}, tensor<i64> {heddle.name = "count_out", heddle.state = @count}, tensor<?x4xf32>
func.func @main(%k0: tensor<?x4xf32> {heddle.name = "past.0.key", heddle.dims = ["t", ""]},
                %x: tensor<2xf32> {heddle.name = "x"},
                %k1: tensor<?x4xf32> {heddle.name = "past.1.key", heddle.dims = ["t", ""]},
                %n: tensor<i64> {heddle.name = "count"})
    -> (tensor<f32> {heddle.name = "y"}, tensor<i64> {heddle.name = "count_out"}, tensor<?x4xf32> {heddle.name = "present.1.key"},
        tensor<2xf32> {heddle.name = "z"}, tensor<?x4xf32> {heddle.name = "present.0.key"}) {
  %y = arith.constant dense<0.0> : tensor<f32>
  // CHECK: return %{{.*}}, %[[X]], %[[N]], %[[K1]], %[[K0]]
  return %y, %n, %k1, %x, %k0 : tensor<f32>, tensor<i64>, tensor<?x4xf32>, tensor<2xf32>, tensor<?x4xf32>
}

// Without the input: it only writes.
// CHECK-LABEL: func.func @first(
// CHECK-SAME: -> (tensor<i64> {heddle.name = "count_out", heddle.state = @count})
func.func @first() -> (tensor<i64> {heddle.name = "count_out"}) {
  %0 = arith.constant dense<0> : tensor<i64>
  return %0 : tensor<i64>
}
