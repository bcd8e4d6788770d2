// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --flow-resolve-dims | FileCheck %s --check-prefix=SIZES

// CHECK-LABEL: @sort(
// CHECK: intent.sort %{{.*}} dim 1 first %{{.*}} descending unsigned : (tensor<?x100xi8>, index) -> tensor<?x?xi64>
// CHECK: intent.sort %{{.*}}, %{{.*}} dim 0 by {
// CHECK: intent.yield %{{.*}} : i1
// CHECK: } : (tensor<8xi32>, tensor<8xf32>) -> tensor<8xi64>
func.func @sort(%x: tensor<?x100xi8>, %k: index, %y: tensor<8xi32>, %z: tensor<8xf32>) -> (tensor<?x?xi64>, tensor<8xi64>) {
  %places = intent.sort %x dim 1 first %k descending unsigned : (tensor<?x100xi8>, index) -> tensor<?x?xi64>
  %order = intent.sort %y, %z dim 0 by {
  ^bb0(%y0: i32, %y1: i32, %z0: f32, %z1: f32):
    %less = arith.cmpi slt, %y0, %y1 : i32
    intent.yield %less : i1
  } : (tensor<8xi32>, tensor<8xf32>) -> tensor<8xi64>
  return %places, %order : tensor<?x?xi64>, tensor<8xi64>
}

// Sizes that stand beside the op are its results'.
// CHECK-LABEL: @scan(
// CHECK: intent.scan %{{.*}} dim 1 exclusive reverse associative sizes(%{{.*}}) from [0.000000e+00 : f32] in {
// SIZES-LABEL: @scan(
// SIZES-SAME: %[[N:[^:]*]]: index
// SIZES-NOT: tensor.dim
// SIZES: return %[[N]]
func.func @scan(%x: tensor<4x?xf32>, %n: index) -> index {
  %y = intent.scan %x dim 1 exclusive reverse associative sizes(%n) from [0.0 : f32] in {
  ^bb0(%i: index, %sum: f32, %element: f32):
    %next = arith.addf %sum, %element : f32
    intent.yield %next : f32
  } : (tensor<4x?xf32>, index) -> tensor<4x?xf32>
  %c1 = arith.constant 1 : index
  %d = tensor.dim %y, %c1 : tensor<4x?xf32>
  return %d : index
}

// CHECK-LABEL: @scatter(
// CHECK: intent.scatter %{{.*}} into %{{.*}} at %{{.*}} dim 0 : (tensor<20x7xf32>, tensor<100x7xf32>, tensor<20xi64>) -> tensor<100x7xf32>
// CHECK: intent.scatter %{{.*}} into %{{.*}} at %{{.*}} dim 0 associative sizes(%{{.*}}, %{{.*}}) by {
func.func @scatter(%u: tensor<20x7xf32>, %x: tensor<100x7xf32>, %p: tensor<20xi64>,
                   %v: tensor<?x7xf32>, %y: tensor<?x7xf32>, %q: tensor<?x7xi32>, %m: index, %n: index) -> (tensor<100x7xf32>, tensor<?x7xf32>) {
  %r = intent.scatter %u into %x at %p dim 0 : (tensor<20x7xf32>, tensor<100x7xf32>, tensor<20xi64>) -> tensor<100x7xf32>
  %s = intent.scatter %v into %y at %q dim 0 associative sizes(%m, %n) by {
  ^bb0(%before: f32, %update: f32):
    %after = arith.addf %before, %update : f32
    intent.yield %after : f32
  } : (tensor<?x7xf32>, tensor<?x7xf32>, tensor<?x7xi32>, index, index) -> tensor<?x7xf32>
  return %r, %s : tensor<100x7xf32>, tensor<?x7xf32>
}
