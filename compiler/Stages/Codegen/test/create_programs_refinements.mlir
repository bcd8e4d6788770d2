// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable targets that a target refines: a variant of their own, where code for them gains something.
// RUN: heddle-opt %s --codegen-create-programs | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(codegen-create-programs,kernel.program(codegen-compile-programs),codegen-create-variants)' | FileCheck %s --check-prefix=VARIANTS

device.global @gpu = #device.target<"vulkan", [#device.executable<"spirv", {maxComputeSharedMemorySize = 16384}>]>
device.global @known = #device.target<"vulkan", {ordinal = 1}, [#device.executable<"spirv", {subgroupSize = 8}>]>

// The target first; what it says of its subgroups stands.
// CHECK: kernel.program @large_spirv_{{[0-9a-f]+}} of @large for <"spirv", {maxComputeSharedMemorySize = 16384 : i64}> {
// CHECK: kernel.program @large_spirv_{{[0-9a-f]+}} of @large for <"spirv", {maxComputeSharedMemorySize = 32768 : i64, requires = ["subgroupSize>=16"], subgroupSize = 32 : i64, workgroup = 128 : i64}> attributes {kernel.refinement} {
// CHECK: kernel.program @large_spirv_{{[0-9a-f]+}} of @large for <"spirv", {subgroupSize = 8 : i64}> {

// VARIANTS: flow.executable private @large
// VARIANTS: flow.variant @{{.*}} target("vulkan") {{.*}} features([]) {{.*}} {kernel.strategy = "tiles of
// VARIANTS: flow.variant @{{.*}} target("vulkan{subgroupSize=32}") {{.*}} features(["subgroupSize>=16"]) {{.*}} {kernel.strategy = "blocks of
// VARIANTS: flow.variant @{{.*}} target("vulkan{subgroupSize=8}") {{.*}} features([]) {{.*}} {kernel.strategy = "tiles of
// VARIANTS-NOT: flow.variant
flow.executable private @large {
  func.func @large(%x: tensor<521x67xf32>, %w: tensor<67x517xf32>, %b: tensor<521x517xf32>) -> tensor<521x517xf32> {
    %r = linalg.matmul ins(%x, %w : tensor<521x67xf32>, tensor<67x517xf32>) outs(%b : tensor<521x517xf32>) -> tensor<521x517xf32>
    return %r : tensor<521x517xf32>
  }
}

// Too small for blocks: the refinement's program ends without a variant.
// CHECK-COUNT-3: kernel.program @small_
// VARIANTS: flow.executable private @small
// VARIANTS-COUNT-2: flow.variant
// VARIANTS-NOT: flow.variant
// VARIANTS: flow.executable private @copy
flow.executable private @small {
  func.func @small(%x: tensor<16x67xf32>, %w: tensor<67x33xf32>, %b: tensor<16x33xf32>) -> tensor<16x33xf32> {
    %r = linalg.matmul ins(%x, %w : tensor<16x67xf32>, tensor<67x33xf32>) outs(%b : tensor<16x33xf32>) -> tensor<16x33xf32>
    return %r : tensor<16x33xf32>
  }
}

// No product at all.
// CHECK-COUNT-2: kernel.program @copy_
// CHECK-NOT: kernel.program
flow.executable private @copy {
  func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
