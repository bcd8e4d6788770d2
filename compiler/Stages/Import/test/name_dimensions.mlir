// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-name-dimensions | FileCheck %s

// CHECK: func.func @main(%arg0: tensor<?x4xf32> {heddle.dims = ["arg0_d0", ""], heddle.name = "arg0"},
// CHECK-SAME: %arg1: tensor<?x?xf32> {heddle.dims = ["m", "arg1_d1"], heddle.name = "y"})
// CHECK-SAME: -> (tensor<?x4xf32> {heddle.name = "result0"})
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x?xf32> {heddle.name = "y", heddle.dims = ["m", ""]})
    -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}
