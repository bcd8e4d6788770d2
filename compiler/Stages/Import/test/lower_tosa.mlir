// RUN: heddle-opt %s --import-lower-tosa --import-name-dimensions --import-verify | FileCheck %s

// CHECK-LABEL: @main
// CHECK: linalg.batch_matmul
// CHECK: math.tanh
// CHECK-NOT: tosa
func.func @main(%a: tensor<1x4x8xf32>, %b: tensor<1x8x4xf32>) -> tensor<1x4x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %a, %b, %z, %z : (tensor<1x4x8xf32>, tensor<1x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4xf32>
  %t = tosa.tanh %m : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  return %t : tensor<1x4x4xf32>
}
