// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data tiling and dispatch formation: the same dispatches with and without it.
// RUN: heddle-opt %s --encode-set-encodings --encode-cancel-encodings --encode-hoist-encodings --cse --stage-form --encoding-verify | FileCheck %s
// RUN: heddle-opt %s --encode-set-encodings --encode-cancel-encodings --encode-hoist-encodings --cse --stage-form --encoding-erase-encodings --flow-merge-executables --canonicalize --cse > %t.on
// RUN: heddle-opt %s --stage-form > %t.off
// RUN: diff %t.on %t.off

flow.parameter private @w0 : tensor<64x128xf32> = dense_resource<w0>
flow.parameter private @w1 : tensor<128x32xf32> = dense_resource<w1>
flow.parameter private @b0 : tensor<128xf32> = dense_resource<b0>

// Entry encode, product with its epilogue that leaves what the next product wants, product that leaves plain rows.
// CHECK-LABEL: func.func @layers
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32> {heddle.dims = ["m", ""]})
// CHECK-DAG: %[[M:.*]] = flow.dimension "m"
// CHECK-DAG: %[[W0:.*]] = flow.parameter.load @w0 : tensor<64x128xf32, #encoding.contraction<role = rhs, {{.*}}, constant>>
// CHECK: %[[A:.*]] = flow.encode %[[X]] : tensor<?x64xf32>{%[[M]]} -> tensor<?x64xf32, #encoding.contraction<role = lhs, {{.*}}>>
// CHECK: %[[H:.*]] = flow.dispatch @matmul_0(%[[A]], %[[W0]], %{{.*}}) [%[[M]]] : {{.*}} -> (tensor<?x128xf32, #encoding.contraction<role = lhs, {{.*}}, sizes = [?, 32, 128]>>{%[[M]]})
// CHECK: %[[W1:.*]] = flow.parameter.load @w1 : tensor<128x32xf32, #encoding.contraction<role = rhs, {{.*}}, constant>>
// CHECK: %[[Y:.*]] = flow.dispatch @matmul_1(%[[H]], %[[W1]]) [%[[M]]] : {{.*}} -> (tensor<?x32xf32>{%[[M]]})
// CHECK: return %[[Y]]
func.func @layers(%x: tensor<?x64xf32> {heddle.dims = ["m", ""]}) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %w0 = flow.parameter.load @w0 : tensor<64x128xf32>
  %b0 = flow.parameter.load @b0 : tensor<128xf32>
  %e0 = tensor.empty(%m) : tensor<?x128xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %0 = linalg.matmul ins(%x, %w0 : tensor<?x64xf32>, tensor<64x128xf32>) outs(%f0 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%0, %b0 : tensor<?x128xf32>, tensor<128xf32>) outs(%e0 : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x128xf32>
  %w1 = flow.parameter.load @w1 : tensor<128x32xf32>
  %e1 = tensor.empty(%m) : tensor<?x32xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %2 = linalg.matmul ins(%1, %w1 : tensor<?x128xf32>, tensor<128x32xf32>) outs(%f1 : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %2 : tensor<?x32xf32>
}

// A product read by a reduction that is a dispatch of its own: it reads the encoded value. Read by the host, too, it is plain.
// CHECK-LABEL: func.func @read_by_reduction
// CHECK: %[[P:.*]] = flow.dispatch @matmul_2({{.*}} -> (tensor<8x32xf32, #encoding.contraction<role = acc, {{.*}}>>)
// CHECK: %[[S:.*]] = flow.dispatch @reduce_3(%[[P]])
// CHECK: return %[[S]]
// CHECK-LABEL: func.func @read_by_host
// CHECK: %[[P:.*]] = flow.dispatch @matmul_2{{.*}} -> (tensor<8x32xf32>)
// CHECK: %[[S:.*]] = flow.dispatch @reduce_3{{.*}}(%[[P]])
// CHECK: return %[[P]], %[[S]]
func.func @read_by_reduction(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %e1 = tensor.empty() : tensor<32xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<8x32xf32>) outs(%f1 : tensor<32xf32>) dimensions = [0]
  return %1 : tensor<32xf32>
}
func.func @read_by_host(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> (tensor<8x32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %e1 = tensor.empty() : tensor<32xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<8x32xf32>) outs(%f1 : tensor<32xf32>) dimensions = [0]
  return %0, %1 : tensor<8x32xf32>, tensor<32xf32>
}

// Executables take and give encoded tensors; what is inside stays there.
// CHECK: flow.executable private @matmul_0 {
// CHECK-NEXT: func.func @matmul_0(%{{.*}}: tensor<?x64xf32, #encoding.contraction<role = lhs, {{.*}}>>, %{{.*}}: tensor<64x128xf32, #encoding.contraction<role = rhs, {{.*}}>>, %{{.*}}: tensor<128xf32>, %{{.*}}: index) -> tensor<?x128xf32, #encoding.contraction<role = lhs,
// CHECK: linalg.matmul
// CHECK: encoding.unset
// CHECK: linalg.generic
// CHECK: encoding.set

{-# dialect_resources: { builtin: { w0: "0x0400000000000000", w1: "0x0400000000000000", b0: "0x0400000000000000" } } #-}
