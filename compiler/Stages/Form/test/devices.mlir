// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-regions --form-capture-sizes --form-outline-executables --split-input-file | FileCheck %s

// A product and its epilogue share a region, but not across devices: the epilogue's own affinity keeps it apart.

#id = affine_map<(d0, d1) -> (d0, d1)>
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @epilogue
// CHECK: %[[P:.*]] = flow.dispatch @[[MATMUL:.*]](%arg0, %arg1) {heddle.affinity = #device.affinity<@a>, heddle.placed_by = "follows its operands"}
// CHECK: flow.dispatch @{{.*}}(%[[P]]) {heddle.affinity = #device.affinity<@b>, heddle.placed_by = "explicit"}
func.func @epilogue(%x: tensor<4x4xf32> {heddle.affinity = #device.affinity<@a>}, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"],
                       heddle.affinity = #device.affinity<@b>} ins(%0 : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
// CHECK-NOT: heddle.affinity

// -----

// Equal ops on two devices are one executable; nothing is known of the last: stage `place` says where it runs.

#id = affine_map<(d0) -> (d0)>
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @shared
// CHECK: %[[A:.*]] = flow.dispatch @[[E:.*]](%arg0) {heddle.affinity = #device.affinity<@a>
// CHECK: %[[T:.*]] = flow.transfer
// CHECK: %[[B:.*]] = flow.dispatch @[[E]](%[[T]]) {heddle.affinity = #device.affinity<@b>
// CHECK: flow.dispatch @[[E]](%arg1) : (tensor<4xf32>)
func.func @shared(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %1 = flow.transfer %0 : tensor<4xf32> to #device.affinity<@b>
  %2 = linalg.exp ins(%1 : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.exp ins(%y : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  return %0, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
