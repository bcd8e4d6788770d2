// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-convert-unsigned | FileCheck %s

// CHECK-LABEL: func.func @main(%arg0: tensor<?xi8> {heddle.element_type = ui8}, %arg1: tensor<2xi16>)
// CHECK-SAME: -> (tensor<?xi8>, tensor<2xi32> {heddle.element_type = ui32})
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<[1, -1]> : tensor<2xi32>
// CHECK-NEXT: %[[X:.*]] = call @g(%arg0) : (tensor<?xi8>) -> tensor<?xi8>
// CHECK-NEXT: return %[[X]], %[[C]]
func.func @main(%x: tensor<?xui8>, %y: tensor<2xsi16>) -> (tensor<?xi8>, tensor<2xui32>) {
  %c = arith.constant dense<[1, 4294967295]> : tensor<2xui32>
  %g = call @g(%x) : (tensor<?xui8>) -> tensor<?xui8>
  %z = tensor.bitcast %g : tensor<?xui8> to tensor<?xi8>
  return %z, %c : tensor<?xi8>, tensor<2xui32>
}

// Codes are bytes; integers among them keep their sign.
// CHECK-LABEL: func.func @codes(%arg0: tensor<4x?xi8> {heddle.element_type = f8E4M3FN}, %arg1: tensor<2xi8> {heddle.element_type = i4})
// CHECK-SAME: -> (tensor<?x4xi8> {heddle.element_type = f8E4M3FN}, tensor<3xi8> {heddle.element_type = i4}, tensor<2xi8> {heddle.element_type = ui2}, tensor<2xi8> {heddle.element_type = f8E5M2})
// CHECK: arith.constant dense<[-8, -1, 7]> : tensor<3xi8>
// CHECK: arith.constant dense<[0, 3]> : tensor<2xi8>
// CHECK: arith.constant dense<[60, -64]> : tensor<2xi8>
// CHECK: linalg.transpose ins(%arg0 : tensor<4x?xi8>)
func.func @codes(%x: tensor<4x?xf8E4M3FN>, %y: tensor<2xi4>) -> (tensor<?x4xf8E4M3FN>, tensor<3xi4>, tensor<2xui2>, tensor<2xf8E5M2>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf8E4M3FN>
  %i = arith.constant dense<[-8, -1, 7]> : tensor<3xi4>
  %u = arith.constant dense<[0, 3]> : tensor<2xui2>
  %f = arith.constant dense<[1.0, -2.0]> : tensor<2xf8E5M2>
  %empty = tensor.empty(%n) : tensor<?x4xf8E4M3FN>
  %t = linalg.transpose ins(%x : tensor<4x?xf8E4M3FN>) outs(%empty : tensor<?x4xf8E4M3FN>) permutation = [1, 0]
  return %t, %i, %u, %f : tensor<?x4xf8E4M3FN>, tensor<3xi4>, tensor<2xui2>, tensor<2xf8E5M2>
}

// What nobody calls from outside has no attribute.
// CHECK-LABEL: func.func private @g(%arg0: tensor<?xi8>) -> tensor<?xi8>
func.func private @g(%x: tensor<?xui8>) -> tensor<?xui8> {
  return %x : tensor<?xui8>
}

// The type that codes of weights mean stays.
// CHECK-LABEL: func.func @weights
// CHECK: intent.quantized_product %{{.*}}, %{{.*}} as ui4 scales
func.func @weights(%x: tensor<?x64xf32>, %codes: tensor<32x48xi8>, %s: tensor<f32>) -> tensor<?x48xf32> {
  %y = intent.quantized_product %x, %codes as ui4 scales %s : (tensor<?x64xf32>, tensor<32x48xi8>, tensor<f32>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}
