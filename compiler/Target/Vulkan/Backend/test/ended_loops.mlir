// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(kernel.program(vulkan-convert-to-spirv))' | FileCheck %s

// As many rounds as only the call knows: the kernel ends in a loop of 2 or 3 rounds, and status 2 where it had fewer.
// CHECK-LABEL: spirv.module
// CHECK: spirv.mlir.loop
// CHECK: spirv.BitwiseAnd
// CHECK: %[[END:.*]] = spirv.BitwiseOr
// CHECK: spirv.mlir.loop
// CHECK: spirv.mlir.merge
// CHECK: %[[ENDED:.*]] = spirv.ULessThan %{{.*}}, %[[END]]
// CHECK: spirv.BranchConditional %[[ENDED]]
// CHECK: spirv.Store "StorageBuffer" %{{.*}}, %cst2_i32
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @kernel() attributes {kernel.bindings = 1 : i64, kernel.constants = 1 : i64} {
    %y = kernel.binding 0 written : memref<?xf32>
    %n = kernel.constant 0
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3.0 : f32
    scf.for %i = %c0 to %n step %c1 {
      memref.store %c3, %y[%i] : memref<?xf32>
    }
    return
  }
}

// -----

// 100 * 300 rounds, and what entering the loops counts, are below 32,768: no such loop.
// CHECK-LABEL: spirv.module
// CHECK-COUNT-2: spirv.mlir.loop
// CHECK-NOT: spirv.mlir.loop
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @kernel() attributes {kernel.bindings = 1 : i64, kernel.constants = 1 : i64} {
    %y = kernel.binding 0 written : memref<?xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %c300 = arith.constant 300 : index
    %c3 = arith.constant 3.0 : f32
    scf.for %i = %c0 to %c100 step %c1 {
      scf.for %j = %c0 to %c300 step %c1 {
        memref.store %c3, %y[%j] : memref<?xf32>
      }
    }
    return
  }
}

// -----

// 200 * 200 rounds.
// CHECK-LABEL: spirv.module
// CHECK-COUNT-3: spirv.mlir.loop
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @kernel() attributes {kernel.bindings = 1 : i64, kernel.constants = 1 : i64} {
    %y = kernel.binding 0 written : memref<?xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c200 = arith.constant 200 : index
    %c3 = arith.constant 3.0 : f32
    scf.for %i = %c0 to %c200 step %c1 {
      scf.for %j = %c0 to %c200 step %c1 {
        memref.store %c3, %y[%j] : memref<?xf32>
      }
    }
    return
  }
}
