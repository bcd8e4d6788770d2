// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-name-dimensions | FileCheck %s

// CHECK: func.func @main(%arg0: tensor<?x4xf32> {heddle.dims = ["arg0_d0", ""], heddle.name = "arg0"},
// CHECK-SAME: %arg1: tensor<?x?xf32> {heddle.dims = ["m", "arg1_d1"], heddle.name = "y"})
// CHECK-SAME: -> (tensor<?x4xf32> {heddle.name = "result0"})
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x?xf32> {heddle.name = "y", heddle.dims = ["m", ""]})
    -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// Names of locations, as JAX writes them; each names one argument.
// CHECK-LABEL: func.func @located
// CHECK-SAME: %arg0: tensor<f32> {heddle.dims = [], heddle.name = "params['w']"}
// CHECK-SAME: %arg1: tensor<f32> {heddle.dims = [], heddle.name = "z"}
// CHECK-SAME: %arg2: tensor<f32> {heddle.dims = [], heddle.name = "arg2"}
// CHECK-SAME: %arg3: tensor<f32> {heddle.dims = [], heddle.name = "arg3"}
// CHECK-SAME: %arg4: tensor<f32> {heddle.dims = [], heddle.name = "y"}
// CHECK-SAME: %arg5: tensor<f32> {heddle.dims = [], heddle.name = "arg5"}
func.func @located(%x: tensor<f32> loc("params['w']"), %z: tensor<f32> {heddle.name = "z"} loc("other"),
                   %twice: tensor<f32> loc("params['w']"), %taken: tensor<f32> loc("z"), %y: tensor<f32> loc("y"("x":1:2)), %of: tensor<f32> loc("arg2"))
    -> tensor<f32> {
  return %x : tensor<f32>
}
