// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --intent-decompose-attention | FileCheck %s

// One query: the heads that share one of keys are the rows of a product, and keys are read as they lie. It is the last
// one, so being causal asks nothing.
// CHECK-LABEL: @step(
// CHECK-NOT: intent.attention
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1 : tensor<1x3x3x64xf32>, tensor<1x3x40x64xf32>) outs(%{{.*}} : tensor<1x3x3x40xf32>)
// CHECK-NOT: arith.cmpi
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x3x3x64xf32>) attrs = {flow.affinity = @d}
func.func @step(%q: tensor<1x9x1x64xf32>, %k: tensor<1x3x40x64xf32>) -> tensor<1x9x1x64xf32> {
  %c39 = arith.constant 39 : index
  %y = intent.attention %q, %k, %k offset %c39 causal scale 0.125 {flow.affinity = @d}
      : (tensor<1x9x1x64xf32>, tensor<1x3x40x64xf32>, tensor<1x3x40x64xf32>, index) -> tensor<1x9x1x64xf32>
  return %y : tensor<1x9x1x64xf32>
}

// Keys of many queries are transposed once, with what transposed them before.
// CHECK-LABEL: @prompt(
// CHECK: %[[FLAT:.*]] = tensor.expand_shape %arg1
// CHECK: linalg.transpose ins(%[[FLAT]] : tensor<2x64x2x8xf32>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2x64x64xf32>)
// CHECK: arith.cmpi sle
func.func @prompt(%q: tensor<2x2x64x8xf32>, %flat: tensor<2x64x16xf32>, %v: tensor<2x2x64x8xf32>) -> tensor<2x2x64x8xf32> {
  %apart = tensor.expand_shape %flat [[0], [1], [2, 3]] output_shape [2, 64, 2, 8] : tensor<2x64x16xf32> into tensor<2x64x2x8xf32>
  %e = tensor.empty() : tensor<2x2x64x8xf32>
  %k = linalg.transpose ins(%apart : tensor<2x64x2x8xf32>) outs(%e : tensor<2x2x64x8xf32>) permutation = [0, 2, 1, 3]
  %c0 = arith.constant 0 : index
  %y = intent.attention %q, %k, %v offset %c0 causal scale 1.0
      : (tensor<2x2x64x8xf32>, tensor<2x2x64x8xf32>, tensor<2x2x64x8xf32>, index) -> tensor<2x2x64x8xf32>
  return %y : tensor<2x2x64x8xf32>
}

// Lengths and windows are comparisons; a sink that is a constant is one of the body; the step before is a result.
// CHECK-LABEL: @rules(
// CHECK: math.tanh
// CHECK: arith.index_cast %{{.*}} : i64 to index
// CHECK-COUNT-3: arith.cmpi
// CHECK: math.exp
// CHECK: arith.constant -2.000000e+00 : f32
func.func @rules(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x9x4xf32>, %l: tensor<2xi64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x9xf32>) {
  %s = arith.constant dense<-2.0> : tensor<2xf32>
  %y, %w = intent.attention %q, %k, %k lengths %l sinks %s causal window 5 scale 1.0 softcap 2.0 gives "masked"
      : (tensor<2x2x3x4xf32>, tensor<2x2x9x4xf32>, tensor<2x2x9x4xf32>, tensor<2xi64>, tensor<2xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x9xf32>)
  return %y, %w : tensor<2x2x3x4xf32>, tensor<2x2x3x9xf32>
}
