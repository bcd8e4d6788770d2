// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --stage-encode | FileCheck %s

// A value that a concatenation reads, and a gather beside it, whose place in a value it captured is turned with the rest:
// the depthwise convolution wants its channels last.
// CHECK-LABEL: func.func @gather_beside_concat
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: %[[G:.*]] = linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 2
// CHECK: %[[K:.*]] = flow.checked_index
// CHECK: tensor.extract %[[A]][%[[I]], %[[K]], %[[J]]] : tensor<2x16x17xf32>
// CHECK: tensor.concat dim(1) %[[A]], %[[G]]
func.func @gather_beside_concat(%x: tensor<2x17x16xf32>, %w: tensor<17x3xf32>) -> tensor<2x18xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %places = arith.constant dense<[9, 7]> : tensor<2xi64>
  %e = tensor.empty() : tensor<2x17x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x17x16xf32>) outs(%e : tensor<2x17x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<2x17x16xf32>
  %f = tensor.empty() : tensor<2x17x2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%places : tensor<2xi64>) outs(%f : tensor<2x17x2xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.index_cast %in : i64 to index
    %s = flow.checked_index %k, %c16
    %v = tensor.extract %a[%i, %j, %s] : tensor<2x17x16xf32>
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  } -> tensor<2x17x2xf32>
  %concat = tensor.concat dim(2) %a, %g : (tensor<2x17x16xf32>, tensor<2x17x2xf32>) -> tensor<2x17x18xf32>
  %padded = tensor.pad %concat low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x17x18xf32> to tensor<2x17x20xf32>
  %h = tensor.empty() : tensor<2x18xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%h : tensor<2x18xf32>) -> tensor<2x18xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 + d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<2x17x20xf32>, tensor<17x3xf32>) outs(%zeros : tensor<2x18xf32>) {
  ^bb0(%in: f32, %q: f32, %out: f32):
    %m = arith.mulf %in, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x18xf32>
  return %r : tensor<2x18xf32>
}

// Elements that a body reads side by side stay so: a transpose that would cancel another one does not move through.
// CHECK-LABEL: func.func @samples_channels_last
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<2x16x5xf32>)
// CHECK: tensor.extract %[[T]][%{{.*}}, %{{.*}}, %[[C:.*]]] : tensor<2x5x16xf32>
// CHECK: linalg.transpose
func.func @samples_channels_last(%x: tensor<2x16x5xf32>, %places: tensor<2x7xindex>) -> tensor<2x16x7xf32> {
  %e0 = tensor.empty() : tensor<2x5x16xf32>
  %t = linalg.transpose ins(%x : tensor<2x16x5xf32>) outs(%e0 : tensor<2x5x16xf32>) permutation = [0, 2, 1]
  %e1 = tensor.empty() : tensor<2x7x16xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(n, p, c) -> (n, p)>, affine_map<(n, p, c) -> (n, p, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%places : tensor<2x7xindex>) outs(%e1 : tensor<2x7x16xf32>) {
  ^bb0(%place: index, %out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 2 : index
    %v = tensor.extract %t[%n, %place, %c] : tensor<2x5x16xf32>
    linalg.yield %v : f32
  } -> tensor<2x7x16xf32>
  %e2 = tensor.empty() : tensor<2x16x7xf32>
  %r = linalg.transpose ins(%g : tensor<2x7x16xf32>) outs(%e2 : tensor<2x16x7xf32>) permutation = [0, 2, 1]
  return %r : tensor<2x16x7xf32>
}
