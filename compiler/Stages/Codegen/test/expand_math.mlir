// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-expand-math))' --split-input-file | FileCheck %s

// CHECK-LABEL: @functions
// CHECK-NOT: math.exp
// CHECK-NOT: math.erf
// CHECK: math.floor
// CHECK: arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: math.fma
kernel.program @p of @e for #device.executable<"elf-x86_64", cpu = "x86-64-v4", features = ""> {
  func.func @functions(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
    %a = math.exp %x : vector<16xf32>
    %b = math.erf %x : vector<16xf32>
    return %a, %b : vector<16xf32>, vector<16xf32>
  }
}

// -----

// Which zero a maximum gives does not matter.

// CHECK-LABEL: @maximum
// CHECK: arith.maximumf {{.*}} fastmath<nsz,contract> : f32
kernel.program @p of @e for #device.executable<"elf-x86_64", cpu = "x86-64-v4", features = ""> {
  func.func @maximum(%x: f32, %y: f32) -> f32 {
    %a = arith.maximumf %x, %y : f32
    return %a : f32
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

// -----

// Nor one with fused multiply-add, nor with conversions of f16: op by op in f32, and integer arithmetic.

// CHECK-LABEL: @half
// CHECK-NOT: arith.extf
// CHECK-NOT: math.fma
// CHECK: arith.extui {{.*}} : i16 to i32
// CHECK: arith.mulf {{.*}} : f32
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci {{.*}} : i32 to i16
kernel.program @p of @e for #device.executable<"elf-x86_64", cpu = "x86-64", features = ""> {
  func.func @half(%x: f16) -> f16 {
    %a = arith.mulf %x, %x : f16
    return %a : f16
  }
}

// -----

// Rounded once: a neighbour with the last bit set stands between. What is exact is not contracted.

// CHECK-LABEL: @doubles
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK: arith.cmpf one
// CHECK: arith.ori
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CHECK: arith.subf %{{[0-9]+}}, %{{[a-z0-9_]+}} : f64
// CHECK: scf.if
// CHECK-NOT: math.sin
// CHECK: return
kernel.program @p of @e for #device.executable<"elf-x86_64", cpu = "x86-64-v3", features = ""> {
  func.func @doubles(%x: f64) -> (bf16, f64) {
    %a = arith.truncf %x : f64 to bf16
    %b = math.sin %x : f64
    return %a, %b : bf16, f64
  }
}

// -----

// CHECK-LABEL: @remainder
// CHECK: vector.reduction <maxsi>
// CHECK: scf.for
// CHECK-NOT: arith.remf
// CHECK: return
kernel.program @p of @e for #device.executable<"elf-x86_64", cpu = "x86-64-v3", features = ""> {
  func.func @remainder(%x: vector<8xf32>) -> vector<8xf32> {
    %a = arith.remf %x, %x : vector<8xf32>
    return %a : vector<8xf32>
  }
}
