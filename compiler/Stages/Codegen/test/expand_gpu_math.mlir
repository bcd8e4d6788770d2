// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-expand-gpu-math))' | FileCheck %s

// CHECK: kernel.program
// CHECK-NOT: math.erf
// CHECK-NOT: math.fma
// CHECK: arith.mulf
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @kernel(%x: f32) -> f32 {
    %r = math.erf %x : f32
    return %r : f32
  }
}
