// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --split-input-file | FileCheck %s

// Complex numbers are two tensors inside, and a last dimension of two at the boundary. Calls pass both on.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>, %[[R:.*]]: tensor<4xf32>) -> (tensor<4x2xf32>, tensor<4xf32>)
// CHECK: tensor.extract_slice %[[X]][0, 0] [4, 1] [1, 1]
// CHECK: tensor.extract_slice %[[X]][0, 1] [4, 1] [1, 1]
// CHECK-DAG: arith.mulf
// CHECK-DAG: arith.subf
// CHECK-NOT: complex
func.func @main(%x: tensor<4xcomplex<f32>>, %r: tensor<4xf32>) -> (tensor<4xcomplex<f32>>, tensor<4xf32>) {
  %0 = call @scaled(%x, %r) : (tensor<4xcomplex<f32>>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %1 = "stablehlo.imag"(%0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %0, %1 : tensor<4xcomplex<f32>>, tensor<4xf32>
}
func.func private @scaled(%x: tensor<4xcomplex<f32>>, %r: tensor<4xf32>) -> tensor<4xcomplex<f32>> {
  %0 = "stablehlo.complex"(%r, %r) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %1 = "stablehlo.multiply"(%x, %0) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %1 : tensor<4xcomplex<f32>>
}

// -----

// Of real numbers, the parts are themselves and 0.
// CHECK-LABEL: func.func @real(%arg0: tensor<4xf32>)
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<4xf32>)
// CHECK: return %arg0, %[[ZERO]]
func.func @real(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.real"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.imag"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A public function is called with its pairs; the argument stays donated.
// CHECK-LABEL: func.func @helper(%{{.*}}: tensor<4x2xf32> {heddle.donated = 0 : i64}) -> tensor<4x2xf32>
// CHECK-LABEL: func.func @main(%{{.*}}: tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK-NOT: call
func.func @helper(%x: tensor<4xcomplex<f32>> {tf.aliasing_output = 0 : i32}) -> tensor<4xcomplex<f32>> {
  %0 = "stablehlo.negate"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = call @helper(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// A sum is a sum of each part; any other reduction sees both.
// CHECK-LABEL: func.func @sums(
// CHECK-COUNT-2: outs(%{{[0-9]+}} : tensor<f64>) {
// CHECK: outs(%{{[0-9]+}}, %{{[0-9]+}} : tensor<f64>, tensor<f64>) {
func.func @sums(%x: tensor<4xcomplex<f64>>) -> (tensor<complex<f64>>, tensor<complex<f64>>) {
  %0 = "stablehlo.constant"() <{value = dense<(0.0, 0.0)> : tensor<complex<f64>>}> : () -> tensor<complex<f64>>
  %1 = "stablehlo.reduce"(%x, %0) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
    %3 = "stablehlo.add"(%a, %b) : (tensor<complex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
    "stablehlo.return"(%3) : (tensor<complex<f64>>) -> ()
  }) : (tensor<4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  %2 = "stablehlo.reduce"(%x, %1) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
    %3 = "stablehlo.multiply"(%a, %b) : (tensor<complex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
    "stablehlo.return"(%3) : (tensor<complex<f64>>) -> ()
  }) : (tensor<4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  return %1, %2 : tensor<complex<f64>>, tensor<complex<f64>>
}

// -----

// A transform is a product with a matrix of roots of one.
// CHECK-LABEL: func.func @spectrum(%{{.*}}: tensor<3x8xf32>) -> tensor<3x5x2xf32>
// CHECK: linalg.matmul
func.func @spectrum(%x: tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>> {
  %0 = "stablehlo.fft"(%x) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}
