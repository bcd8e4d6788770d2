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
