// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-convert-unsigned --verify-diagnostics --split-input-file

func.func @f(%x: tensor<4xf8E4M3FN>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf8E4M3FN>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f8E4M3FN, %b: f32):
    // expected-error @+1 {{'arith.extf' op computes with 'f8E4M3FN', whose values can only be moved here: decode them as i8 by integer arithmetic, or import the model from ONNX, which has casts of this type}}
    %1 = arith.extf %a : f8E4M3FN to f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xi4>) -> tensor<4xi4> {
  // expected-error @+1 {{'arith.addi' op computes with 'i4', whose values can only be moved here}}
  %0 = arith.addi %x, %x : tensor<4xi4>
  return %0 : tensor<4xi4>
}
