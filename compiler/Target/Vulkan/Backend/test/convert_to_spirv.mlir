// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(kernel.program(vulkan-convert-to-spirv))' | FileCheck %s

// Two bindings and the argument block, whose word 2 says where in its descriptor the first tensor starts, in bytes.
// CHECK: spirv.module {{.*}} Logical GLSL450
// CHECK: spirv.GlobalVariable @[[SHARED:.*]] : !spirv.ptr<!spirv.struct<(!spirv.array<64 x f32>)>, Workgroup>
// CHECK: spirv.func @kernel(%[[X:.*]]: !spirv.ptr<{{.*}}rtarray<i8, stride=1>{{.*}}<(0, 0)>{{.*}}, %[[Y:.*]]: !spirv.ptr<{{.*}}rtarray<f32, stride=4>{{.*}}<(0, 1)>{{.*}}, %[[ARGS:.*]]: {{.*}}<(0, 2)>
// CHECK-SAME: workgroup_size = [64, 1, 1]
// CHECK: %[[AT:.*]] = spirv.AccessChain %[[ARGS]][%{{.*}}, %cst2_i32]
// CHECK: %[[START:.*]] = spirv.Load "StorageBuffer" %[[AT]] : i32
// CHECK: %[[I:.*]] = spirv.IAdd %{{.*}}, %[[START]] : i32
// CHECK: spirv.AccessChain %[[X]][%{{.*}}, %[[I]]]
// CHECK: spirv.Store "Workgroup"
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>
// CHECK: spirv.AccessChain %[[Y]]
// A status goes to word 0.
// CHECK: %[[STATUS:.*]] = spirv.AccessChain %[[ARGS]][%{{.*}}, %cst0_i32{{.*}}]
// CHECK: spirv.Store "StorageBuffer" %[[STATUS]], %cst1_i32
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @kernel() attributes {kernel.bindings = 2 : i64, kernel.constants = 1 : i64} {
    %w = kernel.workgroup
    %i = kernel.invocation
    %x = kernel.binding 0 : memref<?xi8>
    %y = kernel.binding 1 written : memref<?xf32>
    %n = kernel.constant 0
    %shared = kernel.shared : memref<64xf32>
    %inside = arith.cmpi ult, %w, %n : index
    scf.if %inside {
      %v = memref.load %x[%i] : memref<?xi8>
      %f = arith.sitofp %v : i8 to f32
      memref.store %f, %shared[%i] : memref<64xf32>
      kernel.barrier
      %g = memref.load %shared[%w] : memref<64xf32>
      memref.store %g, %y[%i] : memref<?xf32>
      kernel.fail 1
    }
    return
  }
}

// -----

// The remainder of magnitudes, and the dividend's sign by comparing it with 0: the least number is its own magnitude.
// CHECK: spirv.func @kernel
// CHECK-NOT: spirv.GL.SAbs
// CHECK: %[[SIGN:.*]] = spirv.SLessThan %[[A:.*]], %cst0_i32{{.*}} : i32
// CHECK: %[[REST:.*]] = spirv.UMod %{{.*}}, %{{.*}} : i32
// CHECK: %[[NEGATED:.*]] = spirv.ISub %cst0_i32{{.*}}, %[[REST]] : i32
// CHECK: spirv.Select %[[SIGN]], %[[NEGATED]], %[[REST]] : i1, i32
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @kernel() attributes {kernel.bindings = 2 : i64, kernel.constants = 0 : i64} {
    %i = kernel.invocation
    %x = kernel.binding 0 : memref<?xi32>
    %y = kernel.binding 1 written : memref<?xi32>
    %a = memref.load %x[%i] : memref<?xi32>
    %b = memref.load %y[%i] : memref<?xi32>
    %r = arith.remsi %a, %b : i32
    memref.store %r, %y[%i] : memref<?xi32>
    return
  }
}

// -----

// A product with 0 is NaN where the other factor is infinite or none: drivers may not decide it.
// CHECK: spirv.func @kernel
// CHECK-NOT: spirv.FMul
// CHECK: %[[BITS:.*]] = spirv.Bitcast %{{.*}} : f32 to i32
// CHECK: %[[MAGNITUDE:.*]] = spirv.BitwiseAnd %[[BITS]]
// CHECK: %[[FINITE:.*]] = spirv.ULessThan %[[MAGNITUDE]]
// CHECK: %[[RESULT:.*]] = spirv.Select %[[FINITE]]
// CHECK: spirv.Bitcast %[[RESULT]] : i32 to f32
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @kernel() attributes {kernel.bindings = 1 : i64, kernel.constants = 0 : i64} {
    %i = kernel.invocation
    %x = kernel.binding 0 written : memref<?xf32>
    %zero = arith.constant 0.0 : f32
    %a = memref.load %x[%i] : memref<?xf32>
    %r = arith.mulf %a, %zero : f32
    memref.store %r, %x[%i] : memref<?xf32>
    return
  }
}
