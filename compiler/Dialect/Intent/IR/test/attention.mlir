// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --flow-resolve-dims | FileCheck %s --check-prefix=SIZES

// CHECK-LABEL: @plain(
// CHECK: intent.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 : (tensor<1x2x3x64xf32>, tensor<1x2x5x64xf32>, tensor<1x2x5x8xf32>) -> tensor<1x2x3x8xf32>
func.func @plain(%q: tensor<1x2x3x64xf32>, %k: tensor<1x2x5x64xf32>, %v: tensor<1x2x5x8xf32>) -> tensor<1x2x3x8xf32> {
  %y = intent.attention %q, %k, %v scale 0.125
      : (tensor<1x2x3x64xf32>, tensor<1x2x5x64xf32>, tensor<1x2x5x8xf32>) -> tensor<1x2x3x8xf32>
  return %y : tensor<1x2x3x8xf32>
}

// CHECK-LABEL: @step(
// CHECK: intent.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} begins %{{.*}} lengths %{{.*}} sinks %{{.*}} causal window 4 scale 5.000000e-01 softcap 3.000000e+00 heads 6 :
func.func @step(%q: tensor<2x1x48xf32>, %k: tensor<2x2x9x8xf32>, %m: tensor<1x9xi1>, %l: tensor<2xi64>, %s: tensor<6xf32>) -> tensor<2x1x48xf32> {
  %y = intent.attention %q, %k, %k mask %m begins %l lengths %l sinks %s causal window 4 scale 0.5 softcap 3.0 heads 6
      : (tensor<2x1x48xf32>, tensor<2x2x9x8xf32>, tensor<2x2x9x8xf32>, tensor<1x9xi1>, tensor<2xi64>, tensor<2xi64>, tensor<6xf32>)
      -> tensor<2x1x48xf32>
  return %y : tensor<2x1x48xf32>
}

// Sizes that stand beside the op are its results'.
// CHECK-LABEL: @scores(
// CHECK: offset %{{.*}} causal scale 1.000000e+00 softmax f64 gives "weights" sizes(%{{.*}}, %{{.*}}, %{{.*}}) :
// SIZES-LABEL: @scores(
// SIZES-SAME: %[[N:[^:]*]]: index, %[[M:[^:]*]]: index
// SIZES-NOT: tensor.dim
// SIZES: return %[[N]], %[[M]]
func.func @scores(%q: tensor<1x2x?x4xf32>, %k: tensor<1x2x?x4xf32>, %n: index, %m: index) -> (index, index) {
  %y, %w = intent.attention %q, %k, %k offset %n causal scale 1.0 softmax f64 gives "weights" sizes(%n, %m, %m)
      : (tensor<1x2x?x4xf32>, tensor<1x2x?x4xf32>, tensor<1x2x?x4xf32>, index, index, index, index)
      -> (tensor<1x2x?x4xf32>, tensor<1x2x?x?xf32>)
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = tensor.dim %y, %c2 : tensor<1x2x?x4xf32>
  %b = tensor.dim %w, %c3 : tensor<1x2x?x?xf32>
  return %a, %b : index, index
}
