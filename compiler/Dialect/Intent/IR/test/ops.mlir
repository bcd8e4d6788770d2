// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func @blocks
// CHECK: intent.quantized_product %{{.*}}, %{{.*}} as ui4 scales %{{.*}} zeros %{{.*}} : (tensor<?x64xf32>, tensor<2x16x48xi8>, tensor<2x48xf32>, tensor<2x48xi8>) -> tensor<?x48xf32>
func.func @blocks(%x: tensor<?x64xf32>, %codes: tensor<2x16x48xi8>, %s: tensor<2x48xf32>, %z: tensor<2x48xi8>) -> tensor<?x48xf32> {
  %y = intent.quantized_product %x, %codes as ui4 scales %s zeros %z : (tensor<?x64xf32>, tensor<2x16x48xi8>, tensor<2x48xf32>, tensor<2x48xi8>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}

// CHECK-LABEL: func @columns
// CHECK: as i8 scales %{{.*}} : (tensor<3x15xf32>, tensor<15x7xi8>, tensor<7xf16>) -> tensor<3x7xf32>
// CHECK: as f8E4M3FN scales %{{.*}} : (tensor<3x15xf32>, tensor<15x7xi8>, tensor<f32>) -> tensor<3x7xf32>
func.func @columns(%x: tensor<3x15xf32>, %codes: tensor<15x7xi8>, %s: tensor<7xf16>, %t: tensor<f32>) -> (tensor<3x7xf32>, tensor<3x7xf32>) {
  %y = intent.quantized_product %x, %codes as i8 scales %s : (tensor<3x15xf32>, tensor<15x7xi8>, tensor<7xf16>) -> tensor<3x7xf32>
  %z = intent.quantized_product %x, %codes as f8E4M3FN scales %t : (tensor<3x15xf32>, tensor<15x7xi8>, tensor<f32>) -> tensor<3x7xf32>
  return %y, %z : tensor<3x7xf32>, tensor<3x7xf32>
}

// CHECK: intent.quantized_product {{.*}} {rounded = 32 : i64}
func.func @rounded(%x: tensor<?x64xf32>, %c: tensor<2x16x48xi8>, %s: tensor<2x48xf32>) -> tensor<?x48xf32> {
  %y = intent.quantized_product %x, %c as ui4 scales %s {rounded = 32} : (tensor<?x64xf32>, tensor<2x16x48xi8>, tensor<2x48xf32>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}
