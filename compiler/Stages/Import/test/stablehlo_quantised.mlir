// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --split-input-file | FileCheck %s

// Constants of bytes that are converted, shifted and scaled stay bytes for the product that reads them.
// CHECK-LABEL: func.func @columns(
// CHECK: intent.quantized_product %{{.*}}, %{{.*}} as i8 scales %{{.*}} zeros %{{.*}} : (tensor<3x4xf32>, tensor<4x2xi8>, tensor<2xf32>, tensor<i8>) -> tensor<3x2xf32>
// CHECK-NOT: linalg.
func.func @columns(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %w = stablehlo.constant dense<[[1, -2], [3, 4], [-128, 127], [0, 5]]> : tensor<4x2xi8>
  %z = stablehlo.constant dense<3.0> : tensor<4x2xf32>
  %s = stablehlo.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %f = stablehlo.convert %w : (tensor<4x2xi8>) -> tensor<4x2xf32>
  %d = stablehlo.subtract %f, %z : tensor<4x2xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %r = stablehlo.multiply %d, %b : tensor<4x2xf32>
  %y = stablehlo.dot_general %x, %r, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Codes of 4 bits with a scale for each block of rows of a column, two a byte, behind a reshape; of transposed weights
// on the left, too.
// CHECK-LABEL: func.func @blocks(
// CHECK: intent.quantized_product %{{.*}}, %{{.*}} as ui4 scales %{{.*}} zeros %{{.*}} : (tensor<3x4xf32>, tensor<2x1x2xi8>, tensor<2x2xf32>, tensor<i8>) -> tensor<3x2xf32>
// CHECK: intent.quantized_product %{{.*}}, %{{.*}} as ui4 scales %{{.*}} zeros %{{.*}} : (tensor<3x4xf32>, tensor<2x2xi8>, tensor<2xf32>, tensor<i8>) -> tensor<3x2xf32>
// CHECK: linalg.transpose
func.func @blocks(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %w = stablehlo.constant dense<[[[1, -2], [3, 4]], [[-8, 7], [0, 5]]]> : tensor<2x2x2xi4>
  %s = stablehlo.constant dense<[[[0.5, 0.25]], [[2.0, 4.0]]]> : tensor<2x1x2xf32>
  %f = stablehlo.convert %w : (tensor<2x2x2xi4>) -> tensor<2x2x2xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<2x1x2xf32>) -> tensor<2x2x2xf32>
  %r = stablehlo.multiply %b, %f : tensor<2x2x2xf32>
  %m = stablehlo.reshape %r : (tensor<2x2x2xf32>) -> tensor<4x2xf32>
  %y = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %v = stablehlo.constant dense<[[1, -2, 3, 4], [-8, 7, 0, 5]]> : tensor<2x4xi4>
  %g = stablehlo.convert %v : (tensor<2x4xi4>) -> tensor<2x4xf32>
  %t = stablehlo.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %c = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %n = stablehlo.multiply %g, %c : tensor<2x4xf32>
  %o = stablehlo.dot_general %n, %x, contracting_dims = [1] x [1] : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return %y, %o : tensor<3x2xf32>, tensor<2x3xf32>
}

// -----

// Scales along the rows are no product's: the weights are made floats.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: intent.quantized_product
// CHECK: linalg.matmul
func.func @rows(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %w = stablehlo.constant dense<[[1, -2], [3, 4], [-128, 127], [0, 5]]> : tensor<4x2xi8>
  %s = stablehlo.constant dense<[0.5, 0.25, 1.0, 2.0]> : tensor<4xf32>
  %f = stablehlo.convert %w : (tensor<4x2xi8>) -> tensor<4x2xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x2xf32>
  %r = stablehlo.multiply %f, %b : tensor<4x2xf32>
  %y = stablehlo.dot_general %x, %r, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Quantised types are integers; ops are done on floats, but for what only moves elements. Weights of such a type stay
// narrow.
// CHECK-LABEL: func.func @types(
// CHECK-SAME: tensor<3x4xi8>{{.*}}-> (tensor<3x2xi8>{{.*}}, tensor<4x3xi8>
// CHECK: arith.sitofp
// CHECK: intent.quantized_product %{{.*}}, %{{.*}} as i8 scales %{{.*}} : (tensor<3x4xf32>, tensor<4x2xi8>, tensor<2xf32>) -> tensor<3x2xf32>
// CHECK: math.roundeven
// CHECK: linalg.transpose ins(%{{.*}} : tensor<3x4xi8>)
func.func @types(%x: tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<3x2x!quant.uniform<i8:f32, 0.25:-1>>, tensor<4x3x!quant.uniform<i8:f32, 0.5:3>>) {
  %w = stablehlo.constant() {value = dense<[[1, -2], [3, 4], [-127, 127], [0, 5]]> : tensor<4x2xi8>} : () -> tensor<4x2x!quant.uniform<i8<-127:127>:f32:1, {0.1, 0.2}>>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x2x!quant.uniform<i8<-127:127>:f32:1, {0.1, 0.2}>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.25:-1>>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x3x!quant.uniform<i8:f32, 0.5:3>>
  return %y, %t : tensor<3x2x!quant.uniform<i8:f32, 0.25:-1>>, tensor<4x3x!quant.uniform<i8:f32, 0.5:3>>
}
