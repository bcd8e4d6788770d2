// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-expand-math))' --split-input-file | FileCheck %s

// A maximum across a vector is no instruction of bf16's.

// CHECK-LABEL: @across
// CHECK: vector.reduction <maximumf>, %{{.+}} : vector<16xf32> into f32
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @across(%x: vector<16xbf16>) -> bf16 {
    %a = vector.reduction <maximumf>, %x : vector<16xbf16> into bf16
    return %a : bf16
  }
}

// -----

// The bits of a subnormal number are an integer whose logarithm is taken; ends of the range are told by bits.

// CHECK-LABEL: @logarithm
// CHECK-NOT: math.log
// CHECK: %[[BITS:.+]] = arith.bitcast %arg0 : vector<8xf32> to vector<8xi32>
// CHECK: %[[SUBNORMAL:.+]] = arith.cmpi slt, %[[BITS]]
// CHECK: %[[REAL:.+]] = arith.sitofp %[[BITS]]
// CHECK: %[[MOVED:.+]] = arith.bitcast %[[REAL]]
// CHECK: arith.select %[[SUBNORMAL]], %[[MOVED]], %[[BITS]]
// CHECK: arith.cmpi eq
// CHECK: return
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @logarithm(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
    %a = math.log %x : vector<8xf32>
    %b = math.log2 %x : vector<8xf32>
    return %a, %b : vector<8xf32>, vector<8xf32>
  }
}

// -----

// Without fused multiply-add the operand ends where the quotient is 1.

// CHECK-LABEL: @tangent
// CHECK-NOT: math.tanh
// CHECK: arith.cmpf olt, %arg0, %{{.+}} : f32
// CHECK: arith.divf
// CHECK-NOT: math.copysign
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}> {
  func.func @tangent(%x: f32) -> f32 {
    %a = math.tanh %x : f32
    return %a : f32
  }
}
