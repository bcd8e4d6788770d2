// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three products: on @a, on @b, on @a again. A flow.transfer says where a value goes and, with it, what follows.
//
//   heddle compile three_products.mlir -o x.heddle --target-device=a=local --target-device='b=vulkan,fallback(@a)'
func.func @main(%x: tensor<64x64xf32> {heddle.name = "x", heddle.affinity = #device.promise<@a>},
                %w: tensor<64x64xf32> {heddle.name = "w"}) -> (tensor<64x64xf32> {heddle.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32> loc("first")
  %1 = flow.transfer %0 : tensor<64x64xf32> to #device.promise<@b>
  %2 = linalg.matmul ins(%1, %1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32> loc("second")
  %3 = flow.transfer %2 : tensor<64x64xf32> to #device.promise<@a>
  %4 = linalg.matmul ins(%3, %0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32> loc("third")
  return %4 : tensor<64x64xf32>
}
