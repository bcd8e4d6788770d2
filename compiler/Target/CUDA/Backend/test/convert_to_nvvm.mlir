// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(cuda-convert-to-nvvm))' --split-input-file | FileCheck %s

// The launch record: 64 invocations, two arrays of which the second begins at a multiple of 16 bytes.
// CHECK: kernel.program @p of @e {{.*}} attributes {kernel.launch = array<i64: 64, 1, 1, 276>}
// CHECK-NOT: kernel.features
// CHECK: llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// One tensor, one constant, the status.
// CHECK: llvm.func @kernel(%{{.*}}: !llvm.ptr<1>, %[[CONSTANT:.*]]: i64, %[[STATUS:.*]]: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>}
// CHECK-DAG: %[[BASE:.*]] = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
// CHECK-DAG: llvm.getelementptr %{{.*}}[272] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK: llvm.icmp "ult" %{{.*}}, %[[CONSTANT]] : i64
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: llvm.store %{{.*}}, %[[STATUS]] : i32, !llvm.ptr<1>
kernel.program @p of @e for #device.executable<"ptx", {}> {
  func.func @kernel() attributes {kernel.bindings = 1 : i64, kernel.constants = 1 : i64} {
    %i = kernel.invocation
    %w = kernel.workgroup
    %y = kernel.binding 0 written : memref<?xf32>
    %n = kernel.constant 0
    %shared = kernel.shared : memref<65xf32>
    %flags = kernel.shared : memref<4xi1>
    %inside = arith.cmpi ult, %w, %n : index
    scf.if %inside {
      kernel.barrier
      %g = memref.load %shared[%i] : memref<65xf32>
      memref.store %g, %y[%i] : memref<?xf32>
      kernel.fail 1
    }
    return
  }
}

// -----

// Above 48 KiB a device is asked for it.
// CHECK: kernel.program @large of @e {{.*}} attributes {kernel.features = ["sm_90", "ptx80", "convention2", "maxSharedMemoryPerBlockOptin>=65536"], kernel.launch = array<i64: 64, 1, 1, 65536>}
kernel.program @large of @e for #device.executable<"ptx", {arch = "sm_90", maxComputeSharedMemorySize = 65536}> {
  func.func @kernel() attributes {kernel.bindings = 1 : i64, kernel.constants = 0 : i64} {
    %i = kernel.invocation
    %y = kernel.binding 0 written : memref<?xf32>
    %shared = kernel.shared : memref<16384xf32>
    %g = memref.load %shared[%i] : memref<16384xf32>
    memref.store %g, %y[%i] : memref<?xf32>
    return
  }
}
