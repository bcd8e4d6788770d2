// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' | FileCheck %s

// The greatest elements of windows and which taps they are: two results, combined by more than one operation, so that
// there are no partial results along a window. Vectors lie along the windows, two elements apart.

// CHECK-LABEL: kernel.program @places
// CHECK-SAME: kernel.strategy = "columns, 1 steps, width 32\0Acolumns, 1 steps, width 32"
// CHECK: scf.for {{.*}} -> (vector<32xf32>, vector<32xi32>)
// CHECK: vector.maskedload
kernel.program @places of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<3x?xf32>, %n: index, %m: index) -> (tensor<3x?xf32>, tensor<3x?xi32>) {
    %low = arith.constant 0xFF800000 : f32
    %none = arith.constant -1 : i32
    %taps = tensor.empty() : tensor<2xf32>
    %e = tensor.empty(%m) : tensor<3x?xf32>
    %i = tensor.empty(%m) : tensor<3x?xi32>
    %f = linalg.fill ins(%low : f32) outs(%e : tensor<3x?xf32>) -> tensor<3x?xf32>
    %g = linalg.fill ins(%none : i32) outs(%i : tensor<3x?xi32>) -> tensor<3x?xi32>
    %r:2 = linalg.generic {indexing_maps = [affine_map<(c, o, k) -> (c, o * 2 + k)>, affine_map<(c, o, k) -> (k)>, affine_map<(c, o, k) -> (c, o)>, affine_map<(c, o, k) -> (c, o)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %taps : tensor<3x?xf32>, tensor<2xf32>) outs(%f, %g : tensor<3x?xf32>, tensor<3x?xi32>) {
    ^bb0(%x: f32, %t: f32, %best: f32, %at: i32):
      %k = linalg.index 2 : index
      %tap = arith.index_cast %k : index to i32
      %better = arith.cmpf ogt, %x, %best : f32
      %value = arith.select %better, %x, %best : f32
      %place = arith.select %better, %tap, %at : i32
      linalg.yield %value, %place : f32, i32
    } -> (tensor<3x?xf32>, tensor<3x?xi32>)
    return %r#0, %r#1 : tensor<3x?xf32>, tensor<3x?xi32>
  }
}
