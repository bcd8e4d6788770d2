// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel with tensors of free sizes has code twice: for descriptors, then by addresses for calls with a tensor that they do
// not reach. What it needs of a device is what the first needs; a static kernel, and a target without addresses, have one.
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-lower-to-invocations,vulkan-convert-to-spirv))' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-compile-programs))' | FileCheck %s --check-prefix=OBJECT
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-compile-programs))' | %python %S/Inputs/object.py > %t.spv
// RUN: %python %S/Inputs/second.py < %t.spv > %t.second.spv
// RUN: spirv-val --target-env vulkan1.2 %t.second.spv
// RUN: spirv-dis %t.second.spv | FileCheck %s --check-prefix=SECOND

// CHECK-LABEL: kernel.program @free
// CHECK: spirv.module {{.*}} Logical GLSL450
// CHECK: spirv.module {{.*}} PhysicalStorageBuffer64 GLSL450
// OBJECT: kernel.program @free {{.*}} {kernel.features = ["shaderInt8", "storageBuffer8BitAccess"]
// SECOND: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// SECOND: OpConvertUToPtr
kernel.program @free of @e for #device.executable<"spirv", {}> {
  func.func @kernel(%x: tensor<?xi8>, %n: index) -> tensor<?xi8> {
    %r = arith.addi %x, %x : tensor<?xi8>
    return %r : tensor<?xi8>
  }
}

// CHECK-LABEL: kernel.program @fixed
// CHECK-COUNT-1: spirv.module
// CHECK-NOT: spirv.module
kernel.program @fixed of @e for #device.executable<"spirv", {}> {
  func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
    %r = arith.addf %x, %x : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// CHECK-LABEL: kernel.program @nowhere
// CHECK-COUNT-1: spirv.module
// CHECK-NOT: spirv.module
kernel.program @nowhere of @e for #device.executable<"spirv", {features = ["shaderInt64"]}> {
  func.func @kernel(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
    %r = arith.addf %x, %x : tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
