// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-lower-collectives --cse --canonicalize | FileCheck %s
// RUN: heddle-opt %s --ranks-resolve-meshes --ranks-lower-collectives --ranks-verify -o /dev/null

device.mesh @m = [x = 2, y = 3]
device.mesh @free = [x = ?, y = 3]

// Already in leading form.
// CHECK-LABEL: func @leading
// CHECK-NEXT: flow.all_reduce
// CHECK-NEXT: flow.all_gather %{{.*}} dim 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: flow.reduce_scatter %{{.*}} sum dim 0 over @m["x"] : tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: flow.all_to_all %{{.*}} split 0 concat 0 over @m["x"] : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return
func.func @leading(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<4x8xf32>
  %1 = flow.all_gather %0 dim 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x8xf32>
  %2 = flow.reduce_scatter %1 sum dim 0 over @m["x"] : tensor<8x8xf32> -> tensor<4x8xf32>
  %3 = flow.all_to_all %2 split 0 concat 0 over @m["x"] : tensor<4x8xf32> -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// CHECK-LABEL: func @gather_columns
func.func @gather_columns(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  // CHECK: %[[G:.*]] = flow.all_gather %arg0 dim 0 over @m["x"] {heddle.affinity = #device.affinity<@d>} : tensor<4x8xf32> -> tensor<8x8xf32>
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[G]] {{\[\[}}0, 1], [2]] output_shape [2, 4, 8]
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[E]] : tensor<2x4x8xf32>) outs(%{{.*}} : tensor<4x2x8xf32>) permutation = [1, 0, 2]
  // CHECK: %[[R:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0], [1, 2]] : tensor<4x2x8xf32> into tensor<4x16xf32>
  // CHECK: return %[[R]]
  %0 = flow.all_gather %x dim 1 over @m["x"] {heddle.affinity = #device.affinity<@d>} : tensor<4x8xf32> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// No element moves where the dimensions in front have size 1.
// CHECK-LABEL: func @gather_behind_ones
// CHECK-NOT: linalg.transpose
func.func @gather_behind_ones(%x: tensor<1x1x8xi1>) -> tensor<1x1x24xi1> {
  %0 = flow.gather %x dim 2 root 2 over @m["y"] : tensor<1x1x8xi1> -> tensor<1x1x24xi1>
  return %0 : tensor<1x1x24xi1>
}

// CHECK-LABEL: func @scatter_columns
func.func @scatter_columns(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK: %[[E:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [4, 3, 2]
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[E]] : tensor<4x3x2xf32>) outs(%{{.*}} : tensor<3x4x2xf32>) permutation = [1, 0, 2]
  // CHECK: %[[C:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0, 1], [2]] : tensor<3x4x2xf32> into tensor<12x2xf32>
  // CHECK: flow.reduce_scatter %[[C]] max dim 0 over @m["y"] : tensor<12x2xf32> -> tensor<4x2xf32>
  %0 = flow.reduce_scatter %x max dim 1 over @m["y"] : tensor<4x6xf32> -> tensor<4x2xf32>
  // CHECK: flow.scatter %{{.*}} dim 0 root 1 over @m["y"] : tensor<12x2xf32> -> tensor<4x2xf32>
  %1 = flow.scatter %x dim 1 root 1 over @m["y"] : tensor<4x6xf32> -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func @exchange
func.func @exchange(%x: tensor<4x8xf32>) -> (tensor<2x16xf32>, tensor<8x4xf32>, tensor<4x8xf32>) {
  // CHECK: %[[R0:.*]] = flow.all_to_all %arg0 split 0 concat 0 over @m["x"] : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: tensor.expand_shape %[[R0]] {{\[\[}}0, 1], [2]] output_shape [2, 2, 8]
  // CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2]
  // CHECK: tensor.collapse_shape {{.*}} : tensor<2x2x8xf32> into tensor<2x16xf32>
  %0 = flow.all_to_all %x split 0 concat 1 over @m["x"] : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK: linalg.transpose ins(%{{.*}} : tensor<4x2x4xf32>) outs(%{{.*}} : tensor<2x4x4xf32>) permutation = [1, 0, 2]
  // CHECK: flow.all_to_all %{{.*}} split 0 concat 0 over @m["x"] : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK-NOT: linalg.transpose
  %1 = flow.all_to_all %x split 1 concat 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x4xf32>
  // The exchange of the third is that of the second.
  // CHECK: linalg.transpose
  // CHECK-NOT: flow.all_to_all
  %2 = flow.all_to_all %x split 1 concat 1 over @m["x"] : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<2x16xf32>, tensor<8x4xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func @free_sizes
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[D:.*]]: index, %[[E:.*]]: index
func.func @free_sizes(%x: tensor<?x8xf32>, %d: index, %e: index) -> (tensor<?x8xf32>, tensor<?x?xf32>) {
  // CHECK: %[[N:.*]] = flow.mesh_size @free "x"
  // CHECK: %[[M:.*]] = arith.muli %[[N]], %{{.*}} : index
  // CHECK: %[[W:.*]] = arith.muli %[[M]], %[[D]] : index
  // CHECK: %[[OK:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
  // CHECK: flow.check %[[OK]], "flow.all_gather: dimension 0 of its result is not as many parts as its group has members"
  // CHECK: flow.all_gather %[[X]] dim 0 over @free["x", "y"] : tensor<?x8xf32>{%[[D]]} -> tensor<?x8xf32>{%[[W]]}
  %0 = flow.all_gather %x dim 0 over @free["x", "y"] : tensor<?x8xf32>{%d} -> tensor<?x8xf32>{%e}
  // CHECK: flow.check %{{.*}}, "flow.reduce_scatter: dimension 1 of its operand is not as many parts as its group has members"
  // CHECK: flow.reduce_scatter %{{.*}} sum dim 0 over @free["x"] : tensor<?x?xf32>{%{{.*}}, %[[E]]} -> tensor<?x?xf32>{%[[D]], %[[E]]}
  %1 = flow.reduce_scatter %x sum dim 1 over @free["x"] : tensor<?x8xf32>{%d} -> tensor<?x?xf32>{%d, %e}
  return %0, %1 : tensor<?x8xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func @nobody_sends
// CHECK-NOT: flow.permute
// CHECK: linalg.fill
func.func @nobody_sends(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.permute %x pairs [] over @m["x"] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Without elements there is nothing to move, whatever the sizes of the mesh.
// CHECK-LABEL: func @no_elements
// CHECK-NOT: = flow.
// CHECK: return
func.func @no_elements(%x: tensor<0x6xi32>, %d: index) -> (tensor<0x6xi32>, tensor<0x6xi32>, tensor<?x6xi32>) {
  %0 = flow.all_to_all %x split 1 concat 1 over @free["x", "y"] : tensor<0x6xi32> -> tensor<0x6xi32>
  %1 = flow.gather %x dim 0 root 3 over @m["x", "y"] : tensor<0x6xi32> -> tensor<0x6xi32>
  %2 = flow.scatter %1 dim 0 root 3 over @m["x", "y"] : tensor<0x6xi32> -> tensor<0x6xi32>
  %3 = flow.all_gather %x dim 0 over @m["x"] : tensor<0x6xi32> -> tensor<?x6xi32>{%d}
  return %0, %2, %3 : tensor<0x6xi32>, tensor<0x6xi32>, tensor<?x6xi32>
}
