// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-expand-math))' --split-input-file | FileCheck %s

// CHECK-LABEL: @functions
// CHECK-NOT: math.exp
// CHECK-NOT: math.erf
// CHECK-NOT: math.fma
// CHECK: arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: math.floor
kernel.program @p of @e for #device.executable<"elf-x86_64", cpu = "x86-64-v4", features = ""> {
  func.func @functions(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
    %a = math.exp2 %x : vector<16xf32>
    %b = math.erf %x : vector<16xf32>
    return %a, %b : vector<16xf32>, vector<16xf32>
  }
}

// -----

// A processor without rounding instructions.

// CHECK-LABEL: @rounding
// CHECK-NOT: math.floor
// CHECK: arith.fptosi
// CHECK: math.copysign
kernel.program @p of @e for #device.executable<"elf-x86_64", cpu = "x86-64", features = ""> {
  func.func @rounding(%x: f32) -> f32 {
    %a = math.floor %x : f32
    return %a : f32
  }
}
