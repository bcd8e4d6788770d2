// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-lower-to-invocations,vulkan-convert-to-spirv,spirv.module(spirv-lower-abi-attrs,spirv-update-vce),vulkan-serialize-spirv))' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-compile-programs))' | %python %S/Inputs/object.py > %t.spv
// RUN: spirv-val --target-env vulkan1.2 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s --check-prefix=CODE

// What the code needs beyond Vulkan 1.2, and nothing else.
// CHECK: kernel.program @p of @e for {{.*}} object(dense_resource<p> : tensor<{{[0-9]+}}xi8>) attributes {kernel.features = ["shaderInt8", "storageBuffer8BitAccess"], {{.*}}}
// CHECK-NOT: spirv.module

// CODE: OpCapability Shader
// CODE: OpEntryPoint GLCompute %{{.*}} "kernel"
// CODE: OpExecutionMode %kernel LocalSize 64 1 1
// CODE-DAG: OpDecorate %{{.*}} DescriptorSet 0
// CODE-DAG: OpDecorate %{{.*}} Binding 2
// Sums are what they say.
// CODE-DAG: OpDecorate %[[SUM:.*]] NoContraction
// CODE: %[[SUM]] = OpFAdd
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @kernel(%x: tensor<100xi8>) -> tensor<100xf32> {
    %r = arith.sitofp %x : tensor<100xi8> to tensor<100xf32>
    %s = arith.addf %r, %r : tensor<100xf32>
    return %s : tensor<100xf32>
  }
}

// Limits above those that every device keeps are asked for.
// CHECK: kernel.program @wide {{.*}} attributes {kernel.features = ["maxComputeSharedMemorySize>=16512", "maxComputeWorkGroupInvocations>=256", "subgroupSize>=16"]
kernel.program @wide of @e for #device.executable<"spirv", {maxComputeSharedMemorySize = 65536, requires = ["subgroupSize>=16"], subgroupSize = 32, workgroup = 256}> {
  func.func @kernel(%x: tensor<521x67xf32>, %w: tensor<67x1025xf32>, %b: tensor<521x1025xf32>) -> tensor<521x1025xf32> {
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<521x67xf32>, tensor<67x1025xf32>) outs(%b : tensor<521x1025xf32>) {
    ^bb0(%a: f32, %c: f32, %d: f32):
      %p = arith.mulf %a, %c : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    } -> tensor<521x1025xf32>
    return %r : tensor<521x1025xf32>
  }
}
