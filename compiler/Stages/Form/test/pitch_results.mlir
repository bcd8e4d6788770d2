// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-pitch-results | FileCheck %s

// The distance is known: a constant of the code. What the place is computed of moves before the dispatch.
// CHECK: func.func @one(%{{.*}}: tensor<8x4xf32>) -> (tensor<8x4xf32> {flow.pitch = {elements = 16 : i64, outer = 1 : i64}})
flow.executable private @one {
  func.func @one(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    return %x : tensor<8x4xf32>
  }
}
// Dispatches whose distances differ tell them by an argument.
// CHECK: func.func @two(%{{.*}}: tensor<8x4xf32>, %{{.*}}: index) -> (tensor<8x4xf32> {flow.pitch = {argument = 1 : i64, outer = 1 : i64}})
flow.executable private @two {
  func.func @two(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    return %x : tensor<8x4xf32>
  }
}
// A dispatch whose result is read as it is keeps the executable; the others get a copy.
// CHECK: func.func @three(%{{.*}}: tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
flow.executable private @three {
  func.func @three(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    return %x : tensor<2x3x4xf32>
  }
}
// CHECK-LABEL: func.func @columns
func.func @columns(%x: tensor<8x4xf32>, %trips: index) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8x16xf32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %e) -> tensor<8x16xf32> {
    // CHECK: %[[AT:.*]] = arith.muli
    // CHECK-NEXT: %[[PART:.*]] = flow.dispatch @one
    // CHECK-NEXT: tensor.insert_slice %[[PART]] into %{{.*}}[0, %[[AT]]]
    %part = flow.dispatch @one(%x) : (tensor<8x4xf32>) -> (tensor<8x4xf32>)
    %at = arith.muli %i, %c4 : index
    %n = tensor.insert_slice %part into %a[0, %at] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x16xf32>
    scf.yield %n : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @distances
func.func @distances(%x: tensor<8x4xf32>, %trips: index, %w: index) -> (tensor<8x16xf32>, tensor<8x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x16xf32>
  %f = tensor.empty(%w) : tensor<8x?xf32>
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %e, %b = %f) -> (tensor<8x16xf32>, tensor<8x?xf32>) {
    // CHECK: flow.dispatch @two(%{{.*}}) [%c16{{.*}}]
    %p = flow.dispatch @two(%x) : (tensor<8x4xf32>) -> (tensor<8x4xf32>)
    // CHECK: %[[WIDTH:.*]] = tensor.dim %{{.*}}, %c1
    // CHECK: flow.dispatch @two(%{{.*}}) [%[[WIDTH]]]
    %q = flow.dispatch @two(%x) : (tensor<8x4xf32>) -> (tensor<8x4xf32>)
    %na = tensor.insert_slice %p into %a[0, %i] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x16xf32>
    %nb = tensor.insert_slice %q into %b[0, %i] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x?xf32>
    scf.yield %na, %nb : tensor<8x16xf32>, tensor<8x?xf32>
  }
  return %r#0, %r#1 : tensor<8x16xf32>, tensor<8x?xf32>
}

// CHECK-LABEL: func.func @both
func.func @both(%x: tensor<2x3x4xf32>, %trips: index) -> (tensor<2x9x4xf32>, tensor<2x3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: flow.dispatch @three(
  %first = flow.dispatch @three(%x) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %e = tensor.empty() : tensor<2x9x4xf32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %e) -> tensor<2x9x4xf32> {
    // CHECK: flow.dispatch @three_pitch(
    %part = flow.dispatch @three(%first) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
    %n = tensor.insert_slice %part into %a[0, %i, 0] [2, 3, 4] [1, 1, 1] : tensor<2x3x4xf32> into tensor<2x9x4xf32>
    scf.yield %n : tensor<2x9x4xf32>
  }
  return %r, %first : tensor<2x9x4xf32>, tensor<2x3x4xf32>
}
// CHECK: func.func @three_pitch(%{{.*}}) -> (tensor<2x3x4xf32> {flow.pitch = {elements = 36 : i64, outer = 1 : i64}})
