// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-verify --split-input-file --verify-diagnostics

func.func @channels_first(%x: tensor<4x76xf32>, %w: tensor<4x70xf32>, %init: tensor<4x7xf32>) -> tensor<4x7xf32> {
  // expected-error@+1 {{a convolution whose channels are not last after stage 'encode'}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(c, o, k) -> (c, o + k)>, affine_map<(c, o, k) -> (c, k)>, affine_map<(c, o, k) -> (c, o)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x76xf32>, tensor<4x70xf32>) outs(%init : tensor<4x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// -----

func.func @back_and_forth(%x: tensor<4x9xf32>, %a: tensor<9x4xf32>, %b: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %0 = linalg.transpose ins(%x : tensor<4x9xf32>) outs(%a : tensor<9x4xf32>) permutation = [1, 0]
  // expected-error@+1 {{a transpose of a transpose after stage 'encode'}}
  %1 = linalg.transpose ins(%0 : tensor<9x4xf32>) outs(%b : tensor<4x9xf32>) permutation = [1, 0]
  return %1 : tensor<4x9xf32>
}

// -----

// expected-error @+1 {{a public function takes and gives plain tensors, got 'tensor<4xf32, #encoding.identity>'}}
func.func @public(%x: tensor<4xf32, #encoding.identity>) {
  return
}

// -----

func.func @undone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = encoding.set %x : tensor<4xf32> -> tensor<4xf32, #encoding.identity>
  // expected-error @+1 {{undoes the 'encoding.set' before it after stage 'encode'; encode-cancel-encodings folds the two}}
  %1 = encoding.unset %0 : tensor<4xf32, #encoding.identity> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
