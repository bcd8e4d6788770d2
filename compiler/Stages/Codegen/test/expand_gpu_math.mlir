// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --pass-pipeline='builtin.module(kernel.program(codegen-expand-gpu-math))' | FileCheck %s

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

// -----

// A driver may fuse and estimate, so the quotient may end below 1: 1 is chosen.

// CHECK-LABEL: @tangent
// CHECK-NOT: math.tanh
// CHECK: %[[QUOTIENT:.+]] = arith.divf
// CHECK: %[[ONE:.+]] = math.copysign %{{.+}}, %arg0
// CHECK: arith.select %{{.+}}, %[[ONE]], %[[QUOTIENT]]
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @tangent(%x: f32) -> f32 {
    %a = math.tanh %x : f32
    return %a : f32
  }
}

// -----

// bf16 by its bits, by way of f32.

// CHECK-LABEL: @wide
// CHECK-NOT: bf16 to f64
// CHECK: arith.shli
// CHECK: arith.extf %{{.+}} : f32 to f64
kernel.program @p of @e for #device.executable<"spirv", {}> {
  func.func @wide(%x: bf16) -> f64 {
    %r = arith.extf %x : bf16 to f64
    return %r : f64
  }
}
