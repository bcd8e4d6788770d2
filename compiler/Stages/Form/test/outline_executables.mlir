// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-outline-executables --split-input-file | FileCheck %s

// Equal regions share one executable; a size that two tensors share is one value inside.

// CHECK-LABEL: @main
// CHECK: %[[M:.*]] = flow.dimension "m"
// CHECK: %[[A:.*]] = flow.dispatch @elementwise_0(%arg0, %arg1) [%[[M]], %[[M]]] : (tensor<?xf32>{%[[M]]}, tensor<?xf32>{%[[M]]}) -> (tensor<?xf32>{%[[M]]})
// CHECK: %[[B:.*]] = flow.dispatch @elementwise_0(%[[A]], %arg1) [%[[M]], %[[M]]]
// CHECK: return %[[B]]
// CHECK: flow.executable private @elementwise_0
// CHECK: func.func @elementwise_0(%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[N:.*]]: index, %{{.*}}: index) -> tensor<?xf32>
// CHECK: tensor.empty(%[[N]])
// CHECK-NOT: flow.executable
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?xf32> {heddle.dims = ["m"]}, %y: tensor<?xf32> {heddle.dims = ["m"]}) -> tensor<?xf32> {
  %m = flow.dimension "m"
  %a = flow.region captured(%x, %y) : (tensor<?xf32>{%m}, tensor<?xf32>{%m}) -> (tensor<?xf32>{%m}) {
    %e = tensor.empty(%m) : tensor<?xf32>
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%v: f32, %w: f32, %o: f32):
      %r = arith.addf %v, %w : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    flow.return %s : tensor<?xf32>
  }
  %b = flow.region captured(%a, %y) : (tensor<?xf32>{%m}, tensor<?xf32>{%m}) -> (tensor<?xf32>{%m}) {
    %e = tensor.empty(%m) : tensor<?xf32>
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%v: f32, %w: f32, %o: f32):
      %r = arith.addf %v, %w : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    flow.return %s : tensor<?xf32>
  }
  return %b : tensor<?xf32>
}

// -----

// Many regions that differ in nothing but where their slices begin share an executable, which is told; few do not.

// CHECK-LABEL: @parts
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: flow.dispatch @extract_slice_0(%arg0) [%[[FOUR]]]
// CHECK: %[[LAST:.*]] = arith.constant 36 : index
// CHECK: flow.dispatch @extract_slice_0(%arg0) [%[[LAST]]]
// CHECK: flow.dispatch @extract_slice_2(%arg0) :
// CHECK: flow.dispatch @extract_slice_3(%arg0) :
// CHECK: flow.executable private @extract_slice_0
// CHECK: func.func @extract_slice_0(%[[X:.*]]: tensor<2x40xf32>, %[[AT:.*]]: index)
// CHECK: tensor.extract_slice %[[X]][0, %[[AT]]] [2, 4] [1, 1]
func.func @parts(%x: tensor<2x40xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
  %0 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 0] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %1 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 4] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %2 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 8] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %3 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 12] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %4 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 16] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %5 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 20] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %6 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 24] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %7 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 28] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %8 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 32] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %9 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x4xf32>) {
    %s = tensor.extract_slice %x[0, 36] [2, 4] [1, 1] : tensor<2x40xf32> to tensor<2x4xf32>
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.exp ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    flow.return %y : tensor<2x4xf32>
  }
  %f0 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x5xf32>) {
    %s = tensor.extract_slice %x[0, 0] [2, 5] [1, 1] : tensor<2x40xf32> to tensor<2x5xf32>
    flow.return %s : tensor<2x5xf32>
  }
  %f1 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x5xf32>) {
    %s = tensor.extract_slice %x[0, 4] [2, 5] [1, 1] : tensor<2x40xf32> to tensor<2x5xf32>
    flow.return %s : tensor<2x5xf32>
  }
  %f2 = flow.region captured(%x) : (tensor<2x40xf32>) -> (tensor<2x5xf32>) {
    %s = tensor.extract_slice %x[0, 8] [2, 5] [1, 1] : tensor<2x40xf32> to tensor<2x5xf32>
    flow.return %s : tensor<2x5xf32>
  }
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %f0, %f1, %f2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}

// -----

// Parts of a reduction are called so.

// CHECK-LABEL: @reduction
// CHECK: flow.dispatch @parts_0(%arg0)
// CHECK: flow.executable private @parts_0
func.func @reduction(%x: tensor<8xf32>) -> tensor<2xf32> {
  %p = flow.region captured(%x) : (tensor<8xf32>) -> (tensor<2xf32>) {
    %e = tensor.empty() : tensor<2xf32>
    %r = scf.forall (%s) in (2) shared_outs(%o = %e) -> (tensor<2xf32>) {
      %k = affine.apply affine_map<(d0) -> (d0 * 4)>(%s)
      %a = tensor.extract_slice %x[%k] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %b = tensor.extract_slice %o[%s] [1] [1] : tensor<2xf32> to tensor<f32>
      %c = linalg.reduce {arith.addf} ins(%a : tensor<4xf32>) outs(%b : tensor<f32>) dimensions = [0]
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %c into %o[%s] [1] [1] : tensor<f32> into tensor<2xf32>
      }
    }
    flow.return %r : tensor<2xf32>
  }
  return %p : tensor<2xf32>
}
