// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-lower-to-invocations,cse))' | FileCheck %s

// A product in blocks: panels of both operands to shared memory, each element once for a block; then 2 x 2 sums in each
// invocation from it. The last step is as deep as is left: 67 is four times 16 and 3.
// CHECK: kernel.program @product {{.*}} attributes {kernel.strategy = "blocks of 16x16x16, tiles of 2x2, workgroups of 64"}
// CHECK-DAG: %[[X:.*]] = kernel.binding 0
// CHECK-DAG: %[[W:.*]] = kernel.binding 1
// CHECK-DAG: %[[A:.*]] = kernel.shared : memref<272xf32>
// CHECK-DAG: %[[B:.*]] = kernel.shared : memref<272xf32>
// CHECK: scf.for %[[STEP:.*]] = %c0{{.*}} to %c67{{.*}} step %c16{{.*}} -> (f32, f32, f32, f32)
// CHECK: scf.for {{.*}} to %c256 step %c64
// CHECK: memref.load %[[X]]
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: scf.for {{.*}} to %c256 step %c64
// CHECK: memref.load %[[W]]
// CHECK: memref.store %{{.*}}, %[[B]]
// CHECK: kernel.barrier
// CHECK: %[[LEFT:.*]] = arith.subi %c67, %[[STEP]]
// CHECK: %[[DEEP:.*]] = arith.minui %[[LEFT]], %c16
// CHECK: scf.for {{.*}} to %[[DEEP]]
// Four loads serve four products.
// CHECK-COUNT-2: memref.load %[[A]]
// CHECK-COUNT-2: memref.load %[[B]]
// CHECK-NOT: memref.load
// CHECK: scf.yield
// CHECK: kernel.barrier
// CHECK-NOT: kernel.barrier
// CHECK-COUNT-4: memref.store
kernel.program @product of @e for #device.executable<"spirv", {subgroupSize = 32}> {
  func.func @kernel(%x: tensor<130x67xf32>, %w: tensor<67x129xf32>, %b: tensor<130x129xf32>) -> tensor<130x129xf32> {
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<130x67xf32>, tensor<67x129xf32>) outs(%b : tensor<130x129xf32>) {
    ^bb0(%a: f32, %c: f32, %d: f32):
      %p = arith.mulf %a, %c : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    } -> tensor<130x129xf32>
    return %r : tensor<130x129xf32>
  }
}

// The body of this one asks where it is: each invocation reads by itself.
// CHECK: kernel.program @indexed {{.*}} attributes {kernel.strategy = "tiles of
kernel.program @indexed of @e for #device.executable<"spirv", {subgroupSize = 32}> {
  func.func @kernel(%x: tensor<130x67xf32>, %w: tensor<67x129xf32>, %b: tensor<130x129xf32>) -> tensor<130x129xf32> {
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<130x67xf32>, tensor<67x129xf32>) outs(%b : tensor<130x129xf32>) {
    ^bb0(%a: f32, %c: f32, %d: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %same = arith.cmpi eq, %i, %j : index
      %p = arith.mulf %a, %c : f32
      %q = arith.select %same, %a, %p : f32
      %s = arith.addf %d, %q : f32
      linalg.yield %s : f32
    } -> tensor<130x129xf32>
    return %r : tensor<130x129xf32>
  }
}
