// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-pad-channels | FileCheck %s

#x = affine_map<(s, f, k, c) -> (s * 2 + k, c)>
#w = affine_map<(s, f, k, c) -> (k, c, f)>
#y = affine_map<(s, f, k, c) -> (s, f)>

// The pad that is there gives a fourth channel, the weights have zeros for it.

// CHECK-LABEL: func.func @three
// CHECK-SAME: %[[X:.*]]: tensor<9x3xi8>
// CHECK: %[[P:.*]] = tensor.pad %[[X]] low[1, 0] high[1, 1]
// CHECK: tensor<9x3xi8> to tensor<11x4xi8>
// CHECK: %[[W:.*]] = tensor.pad %{{.*}} low[0, 0, 0] high[0, 1, 0]
// CHECK: tensor<3x3x5xi8> to tensor<3x4x5xi8>
// CHECK: linalg.generic {{.*}}ins(%[[P]], %[[W]] : tensor<11x4xi8>, tensor<3x4x5xi8>)
func.func @three(%x: tensor<9x3xi8>, %init: tensor<5x5xi32>) -> tensor<5x5xi32> {
  %w = arith.constant dense<1> : tensor<3x3x5xi8>
  %zero = arith.constant 7 : i8
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : i8
  } : tensor<9x3xi8> to tensor<11x3xi8>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<11x3xi8>, tensor<3x3x5xi8>) outs(%init : tensor<5x5xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %1 = arith.extui %a : i8 to i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %c, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<5x5xi32>
  return %0 : tensor<5x5xi32>
}

// An operand that is not padded would have to be copied.

// CHECK-LABEL: func.func @not_padded
// CHECK-NOT: tensor.pad
func.func @not_padded(%x: tensor<11x3xi8>, %init: tensor<5x5xi32>) -> tensor<5x5xi32> {
  %w = arith.constant dense<1> : tensor<3x3x5xi8>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<11x3xi8>, tensor<3x3x5xi8>) outs(%init : tensor<5x5xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %1 = arith.extui %a : i8 to i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %c, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<5x5xi32>
  return %0 : tensor<5x5xi32>
}

// Floats are summed one by one.

// CHECK-LABEL: func.func @floats
// CHECK: tensor.pad %{{.*}} low[1, 0] high[1, 0]
// CHECK-NOT: tensor.pad
func.func @floats(%x: tensor<9x3xf32>, %init: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %w = arith.constant dense<1.0> : tensor<3x3x5xf32>
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<9x3xf32> to tensor<11x3xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<11x3xf32>, tensor<3x3x5xf32>) outs(%init : tensor<5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

// A weight of zero would count.

// CHECK-LABEL: func.func @weights_from_five
// CHECK: tensor.pad %{{.*}} low[1, 0] high[1, 0]
// CHECK-NOT: tensor.pad
func.func @weights_from_five(%x: tensor<9x3xi8>, %init: tensor<5x5xi32>) -> tensor<5x5xi32> {
  %w = arith.constant dense<1> : tensor<3x3x5xi8>
  %zero = arith.constant 7 : i8
  %five = arith.constant 5 : i32
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : i8
  } : tensor<9x3xi8> to tensor<11x3xi8>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<11x3xi8>, tensor<3x3x5xi8>) outs(%init : tensor<5x5xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %1 = arith.extui %a : i8 to i32
    %2 = arith.extsi %b : i8 to i32
    %5 = arith.subi %2, %five : i32
    %3 = arith.muli %1, %5 : i32
    %4 = arith.addi %c, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<5x5xi32>
  return %0 : tensor<5x5xi32>
}
