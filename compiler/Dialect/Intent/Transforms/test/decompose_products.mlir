// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --intent-decompose-products | FileCheck %s

// CHECK-DAG: #[[EVEN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2 * 32 + d3 * 2)>
// CHECK-DAG: #[[ODD:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2 * 32 + d3 * 2 + 1)>
// CHECK-DAG: #[[CODES:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
// CHECK-DAG: #[[BLOCKS:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d1)>

// Blocks of two codes a byte: the scale is the sum's, all ops have the product's affinity.
// CHECK-LABEL: func @blocks
// CHECK: linalg.fill {heddle.affinity = #device.affinity<@d>}
// CHECK: linalg.generic {indexing_maps = [#[[EVEN]], #[[ODD]], #[[CODES]], #[[BLOCKS]], #[[BLOCKS]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
// CHECK-SAME: ins(%[[X:.*]], %[[X]], %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) {{.*}}attrs = {heddle.affinity = #device.affinity<@d>, intent.code = ui4}
// CHECK: arith.andi
// CHECK: arith.shrui
// CHECK: %[[P:.*]] = arith.addf
// CHECK: %[[S:.*]] = arith.mulf %[[P]]
// CHECK: arith.addf %{{.*}}, %[[S]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @blocks(%x: tensor<?x64xf32>, %codes: tensor<2x16x48xi8>, %s: tensor<2x48xf32>, %z: tensor<2x48xi8>) -> tensor<?x48xf32> {
  %y = intent.quantized_product %x, %codes as ui4 scales %s zeros %z {heddle.affinity = #device.affinity<@d>} : (tensor<?x64xf32>, tensor<2x16x48xi8>, tensor<2x48xf32>, tensor<2x48xi8>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}

// CHECK-LABEL: func @one_scale
// CHECK: linalg.generic {indexing_maps = [{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<3x7xf32>, tensor<f32>)
func.func @one_scale(%x: tensor<3x15xf32>, %codes: tensor<15x7xi8>, %s: tensor<f32>) -> tensor<3x7xf32> {
  %y = intent.quantized_product %x, %codes as i8 scales %s : (tensor<3x15xf32>, tensor<15x7xi8>, tensor<f32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

// Scales of columns follow the sum; a zero of all codes is a constant of the body.
// CHECK-LABEL: func @columns
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<3x15xf32>, tensor<15x7xi8>)
// CHECK-DAG: %[[Z:.*]] = arith.constant 1.280000e+02
// CHECK-DAG: %[[C:.*]] = arith.uitofp
// CHECK: arith.subf %[[C]], %[[Z]]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: arith.mulf
func.func @columns(%x: tensor<3x15xf32>, %codes: tensor<15x7xi8>, %s: tensor<7xf32>) -> tensor<3x7xf32> {
  %z = arith.constant dense<-128> : tensor<i8>
  %y = intent.quantized_product %x, %codes as ui8 scales %s zeros %z : (tensor<3x15xf32>, tensor<15x7xi8>, tensor<7xf32>, tensor<i8>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}
