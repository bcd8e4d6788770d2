// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-convert-globals | FileCheck %s

// CHECK: flow.global private @count : tensor<i64> = dense<7> : tensor<i64>
ml_program.global private mutable @count(dense<7> : tensor<i64>) : tensor<i64>
// CHECK: flow.global private @log : tensor<?xi64>
ml_program.global private mutable @log : tensor<?xi64>
// CHECK: flow.parameter private @step : tensor<i64> = dense<2>
ml_program.global private @step(dense<2> : tensor<i64>) : tensor<i64>

// CHECK-LABEL: func.func @straight(
// CHECK-SAME: %[[X:.*]]: tensor<i64>, %[[OLD:.*]]: tensor<i64> {heddle.dims = [], heddle.name = "count", heddle.state = @count})
// CHECK-SAME: -> (tensor<i64>, tensor<i64> {heddle.name = "count", heddle.state = @count})
func.func @straight(%x: tensor<i64>) -> tensor<i64> {
  %0 = ml_program.global_load @count : tensor<i64>
  // CHECK: %[[STEP:.*]] = flow.parameter.load @step
  %1 = ml_program.global_load @step : tensor<i64>
  // CHECK: %[[A:.*]] = arith.addi %[[OLD]], %[[X]]
  %2 = arith.addi %0, %x : tensor<i64>
  ml_program.global_store @count = %2 : tensor<i64>
  %3 = ml_program.global_load @count : tensor<i64>
  // CHECK: %[[B:.*]] = arith.addi %[[A]], %[[STEP]]
  %4 = arith.addi %3, %1 : tensor<i64>
  ml_program.global_store @count = %4 : tensor<i64>
  // CHECK: return %[[A]], %[[B]]
  return %3 : tensor<i64>
}

// CHECK-LABEL: func.func @only_read(
// CHECK-SAME: %[[L:.*]]: tensor<?xi64> {heddle.dims = ["log_d0"], heddle.name = "log", heddle.state = @log}) -> tensor<?xi64>
func.func @only_read() -> tensor<?xi64> {
  %0 = ml_program.global_load @log : tensor<?xi64>
  return %0 : tensor<?xi64>
}

// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[C:.*]]: i1, %[[OLD:.*]]: tensor<i64>
func.func @branches(%c: i1) {
  %0 = ml_program.global_load @count : tensor<i64>
  // CHECK: %[[NEW:.*]] = scf.if %[[C]] -> (tensor<i64>) {
  scf.if %c {
    // CHECK: %[[A:.*]] = arith.addi %[[OLD]], %[[OLD]]
    %1 = arith.addi %0, %0 : tensor<i64>
    ml_program.global_store @count = %1 : tensor<i64>
    // CHECK: scf.yield %[[A]]
    // CHECK: } else {
    // CHECK: scf.yield %[[OLD]]
  }
  // CHECK: return %[[NEW]]
  return
}

// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[N:.*]]: index, %[[OLD:.*]]: tensor<i64>
func.func @loops(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[NEW:.*]] = scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[OLD]])
  scf.for %i = %c0 to %n step %c1 {
    %0 = ml_program.global_load @count : tensor<i64>
    // CHECK: %[[A:.*]] = arith.addi %[[CARRIED]], %[[CARRIED]]
    %1 = arith.addi %0, %0 : tensor<i64>
    ml_program.global_store @count = %1 : tensor<i64>
    // CHECK: scf.yield %[[A]]
  }
  // CHECK: return %[[NEW]]
  return
}

// CHECK-LABEL: func.func @until(
// CHECK-SAME: %[[C:.*]]: i1, %[[N:.*]]: index, %[[OLD:.*]]: tensor<i64>
func.func @until(%c: i1, %n: index) -> (index, tensor<i64>) {
  // CHECK: %[[NEW:.*]]:2 = scf.while (%[[I:.*]] = %[[N]], %[[BEFORE:.*]] = %[[OLD]]) : (index, tensor<i64>) -> (index, tensor<i64>) {
  %last = scf.while (%i = %n) : (index) -> index {
    // CHECK: %[[A:.*]] = arith.addi %[[BEFORE]], %[[BEFORE]]
    %0 = ml_program.global_load @count : tensor<i64>
    %1 = arith.addi %0, %0 : tensor<i64>
    ml_program.global_store @count = %1 : tensor<i64>
    // CHECK: scf.condition(%[[C]]) %[[I]], %[[A]]
    scf.condition(%c) %i : index
  } do {
  // CHECK: ^bb0(%[[J:.*]]: index, %[[CARRIED:.*]]: tensor<i64>):
  ^bb0(%j: index):
    // CHECK: %[[B:.*]] = arith.muli %[[CARRIED]], %[[CARRIED]]
    %2 = ml_program.global_load @count : tensor<i64>
    %3 = arith.muli %2, %2 : tensor<i64>
    ml_program.global_store @count = %3 : tensor<i64>
    // CHECK: scf.yield %[[J]], %[[B]]
    scf.yield %j : index
  }
  // CHECK: return %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#1
  %4 = ml_program.global_load @count : tensor<i64>
  return %last, %4 : index, tensor<i64>
}
