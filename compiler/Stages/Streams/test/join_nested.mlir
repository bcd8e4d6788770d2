// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --streams-form-loops --streams-join-nested --streams-normalize-loops --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @rows_and_columns
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<7x5xf32>)
// CHECK: scf.for %[[I:[a-z0-9]+]] = {{.*}} iter_args(%[[ALL:.*]] = %{{.*}}) -> (tensor<7x5xf32>) {
// CHECK-NEXT: %[[R:.*]] = scf.for %[[J:[a-z0-9]+]] = {{.*}} iter_args(%[[ONE:.*]] = %[[ALL]]) -> (tensor<7x5xf32>) {
// CHECK-NEXT: tensor.extract_slice %[[X]][%[[I]], %[[J]]] [1, 1] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[ONE]][%[[I]], %[[J]]] [1, 1] [1, 1]
// CHECK: heddle.streams = #flow.streams<2>
// CHECK-NEXT: scf.yield %[[R]]
// CHECK-NEXT: heddle.streams = #flow.streams<3>
func.func @rows_and_columns(%x: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %y = linalg.exp {heddle.stream = [#flow.stream_axis<0, 3>, #flow.stream_axis<1, 2>]} ins(%x : tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

// Partial results of a reduced loop, each of which is computed in rows.
// CHECK-LABEL: @reduced_and_rows
// CHECK: scf.for %[[I:[a-z0-9]+]] = {{.*}} -> (tensor<3x4x8xf32>) {
// CHECK: scf.for %[[J:[a-z0-9]+]] = {{.*}} -> (tensor<3x4x8xf32>) {
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[I]], %[[J]], 0] [1, 1, 8] [1, 1, 1] : tensor<1x8xf32> into tensor<3x4x8xf32>
func.func @reduced_and_rows(%a: tensor<4x9xf32>, %b: tensor<9x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = linalg.matmul {heddle.stream = [#flow.stream_axis<reduced 0, 2, parts = 3>, #flow.stream_axis<0, 2>]} ins(%a, %b : tensor<4x9xf32>, tensor<9x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// What something else reads, too, stays a tensor of the iteration.
// CHECK-LABEL: @read_twice
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (tensor<1x5xf32>)
// CHECK: linalg.abs
func.func @read_twice(%x: tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %y = linalg.exp {heddle.stream = [#flow.stream_axis<0, 3>, #flow.stream_axis<1, 2>]} ins(%x : tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  %z = linalg.abs {heddle.stream = #flow.stream_axis<0, 3>} ins(%y : tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %y, %z : tensor<7x5xf32>, tensor<7x5xf32>
}
