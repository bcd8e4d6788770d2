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
