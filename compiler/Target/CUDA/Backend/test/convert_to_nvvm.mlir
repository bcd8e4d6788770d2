// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(cuda-convert-to-nvvm))' | FileCheck %s

// CHECK: llvm.mlir.global internal @shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
// CHECK: llvm.func @kernel(%{{.*}}: !llvm.ptr<1>, %[[ARGS:.*]]: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>}
// Constant 0 of a dispatch with one tensor: words 3 and 4.
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[ARGS]][3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
// CHECK: llvm.load %[[AT]] {alignment = 4 : i64} : !llvm.ptr<1> -> i64
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: %[[STATUS:.*]] = llvm.getelementptr %[[ARGS]][0]
// CHECK: llvm.store %{{.*}}, %[[STATUS]] : i32, !llvm.ptr<1>
kernel.program @p of @e for #device.executable<"ptx", {}> {
  func.func @kernel() attributes {kernel.bindings = 1 : i64, kernel.constants = 1 : i64} {
    %i = kernel.invocation
    %w = kernel.workgroup
    %y = kernel.binding 0 written : memref<?xf32>
    %n = kernel.constant 0
    %shared = kernel.shared : memref<64xf32>
    %inside = arith.cmpi ult, %w, %n : index
    scf.if %inside {
      kernel.barrier
      %g = memref.load %shared[%i] : memref<64xf32>
      memref.store %g, %y[%i] : memref<?xf32>
      kernel.fail 1
    }
    return
  }
}
