// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-reductions --split-input-file --verify-diagnostics

func.func @size_of_its_own(%a: tensor<4x?xf32>, %n: index) -> tensor<4xf32> {
  %0 = flow.region -> (tensor<4xf32>) {
    %two = arith.constant 2 : index
    %half = arith.divui %n, %two : index
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %s = tensor.extract_slice %a[0, 0] [4, %half] [1, 1] : tensor<4x?xf32> to tensor<4x?xf32>
    // expected-error @+1 {{has heddle.split, but cannot be split: its sizes are computed in its dispatch}}
    %m = linalg.reduce {arith.addf} ins(%s : tensor<4x?xf32>) outs(%f : tensor<4xf32>) dimensions = [1] {heddle.split = 3 : i64}
    flow.return %m : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
