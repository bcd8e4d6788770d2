// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-compile-programs))' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-compile-programs))' | %python %S/Inputs/object.py > %t.spv
// RUN: spirv-val --target-env vulkan1.2 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s --check-prefix=CODE

// A tensor of 100 bytes where descriptors reach 99: all are reached by addresses, and the argument block is binding 0.
// CHECK: kernel.features = ["shaderInt8", "shaderInt64", "storageBuffer8BitAccess", "bufferDeviceAddress"]

// CODE: OpCapability PhysicalStorageBufferAddresses
// CODE: OpCapability StorageBuffer8BitAccess
// CODE: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// CODE: OpDecorate %[[ARGS:.*]] Binding 0
// CODE-NOT: Binding
// CODE-DAG: %[[LOW:.*]] = OpConstant %uint 4
// CODE-DAG: %[[HIGH:.*]] = OpConstant %uint 5
// CODE: OpAccessChain %{{.*}} %[[ARGS]] %uint_0 %[[HIGH]]
// CODE: OpAccessChain %{{.*}} %[[ARGS]] %uint_0 %[[LOW]]
// CODE: %[[WORD:.*]] = OpBitwiseOr %ulong
// CODE: %[[X:.*]] = OpConvertUToPtr %{{.*}} %[[WORD]]
// CODE: %[[AT:.*]] = OpAccessChain %{{.*}} %[[X]] %uint_0
// CODE: OpLoad %uchar %[[AT]] Aligned 1
// CODE: OpStore %{{.*}} %{{.*}} Aligned 4
kernel.program @p of @e for #device.executable<"spirv", {maxStorageBufferRange = 99}> {
  func.func @kernel(%x: tensor<100xi8>) -> tensor<100xf32> {
    %r = arith.sitofp %x : tensor<100xi8> to tensor<100xf32>
    return %r : tensor<100xf32>
  }
}
