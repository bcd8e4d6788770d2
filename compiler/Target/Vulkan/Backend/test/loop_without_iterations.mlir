// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(vulkan-convert-to-spirv))' | FileCheck %s

// What a loop carries has its initial value before the loop: it may run no time.
// CHECK: %[[VAR:.*]] = spirv.Variable : {{.*}}x f32>
// CHECK: %[[INITIAL:.*]] = spirv.Constant 0xFF800000 : f32
// CHECK: %[[AT:.*]] = spirv.AccessChain %[[VAR]]
// CHECK: spirv.Store "Function" %[[AT]], %[[INITIAL]]
// CHECK: spirv.mlir.loop
// CHECK: spirv.mlir.merge
// CHECK: %[[AFTER:.*]] = spirv.AccessChain %[[VAR]]
// CHECK: spirv.Load "Function" %[[AFTER]]
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @kernel() attributes {kernel.bindings = 1 : i64, kernel.constants = 1 : i64} {
    %y = kernel.binding 0 written : memref<?xf32>
    %n = kernel.constant 0
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant 0xFF800000 : f32
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%a = %low) -> f32 {
      %v = memref.load %y[%i] : memref<?xf32>
      %b = arith.maximumf %a, %v : f32
      scf.yield %b : f32
    }
    memref.store %m, %y[%c0] : memref<?xf32>
    return
  }
}
