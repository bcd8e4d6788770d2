// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-expand-math))' --split-input-file | FileCheck %s

// CHECK-LABEL: @functions
// CHECK-NOT: math.exp
// CHECK-NOT: math.erf
// CHECK: math.fma
// CHECK: arith.shli {{.*}} : vector<8xi32>
// CHECK: arith.mulf {{.*}} fastmath<contract> : vector<8xf32>
// CHECK: math.fma
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @functions(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
    %a = math.exp %x : vector<8xf32>
    %b = math.erf %x : vector<8xf32>
    return %a, %b : vector<8xf32>, vector<8xf32>
  }
}

// -----

// Where the processor scales by powers of two: register by register, and scalars as before.

// CHECK-LABEL: @scaling
// CHECK-NOT: math.exp
// CHECK-NOT: arith.shli
// CHECK: kernel.scale %{{.*}}, %{{.*}} : vector<32xf32>
// CHECK: kernel.scale %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: arith.shli {{.*}} : i32
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @scaling(%x: vector<32xf32>, %y: vector<8xf32>, %z: f32) -> (vector<32xf32>, vector<8xf32>, f32) {
    %a = math.exp %x : vector<32xf32>
    %b = math.exp %y : vector<8xf32>
    %c = math.exp %z : f32
    return %a, %b, %c : vector<32xf32>, vector<8xf32>, f32
  }
}

// -----

// LLVM may not estimate quotients.

// CHECK-LABEL: @quotient
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<contract> : vector<16xf32>
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @quotient(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
    %a = arith.divf %x, %y fastmath<arcp> : vector<16xf32>
    return %a : vector<16xf32>
  }
}

// -----

// Which zero a maximum gives does not matter.

// CHECK-LABEL: @maximum
// CHECK: arith.maximumf {{.*}} fastmath<nsz,contract> : f32
// CHECK: vector.reduction <minimumf>, {{.*}} fastmath<nsz,contract> : vector<16xf32>
// CHECK: vector.reduction <add>, {{.*}} fastmath<contract> : vector<16xf32>
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @maximum(%x: f32, %y: f32, %z: vector<16xf32>) -> (f32, f32, f32) {
    %a = arith.maximumf %x, %y : f32
    %b = vector.reduction <minimumf>, %z : vector<16xf32> into f32
    %c = vector.reduction <add>, %z : vector<16xf32> into f32
    return %a, %b, %c : f32, f32, f32
  }
}

// -----

// A processor without rounding instructions.

// CHECK-LABEL: @rounding
// CHECK-NOT: math.floor
// CHECK: arith.fptosi
// CHECK: math.copysign
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}> {
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
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}> {
  func.func @half(%x: f16) -> f16 {
    %a = arith.mulf %x, %x : f16
    return %a : f16
  }
}

// -----

// Rounded once: a neighbour with the last bit set stands between. What is exact is not contracted. Without an
// instruction bf16 is rounded as an integer.

// CHECK-LABEL: @doubles
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK: arith.cmpf one
// CHECK: arith.ori
// CHECK-NOT: arith.truncf {{.*}} : f32 to bf16
// CHECK: arith.trunci {{.*}} : i32 to i16
// CHECK: arith.bitcast {{.*}} : i16 to bf16
// CHECK: arith.subf %{{[0-9]+}}, %{{[a-z0-9_]+}} : f64
// CHECK: scf.if
// CHECK-NOT: math.sin
// CHECK: return
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
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
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @remainder(%x: vector<8xf32>) -> vector<8xf32> {
    %a = arith.remf %x, %x : vector<8xf32>
    return %a : vector<8xf32>
  }
}

// -----

// A quotient by a constant: the reciprocal's product, corrected by its remainder unless that is no number.

// CHECK-LABEL: @quotient
// CHECK-NOT: arith.divf
// CHECK: %[[Q:.*]] = arith.mulf %arg0, %[[Y:.*]] fastmath<contract> : f32
// CHECK: %[[R:.*]] = math.fma %[[Q]], %{{.*}}, %arg0 fastmath<contract> : f32
// CHECK: %[[Z:.*]] = math.fma %[[R]], %[[Y]], %[[Q]] fastmath<contract> : f32
// CHECK: %[[FINITE:.*]] = arith.cmpf ord, %[[Z]], %[[Z]]
// CHECK: %[[S:.*]] = arith.select %[[FINITE]], %[[Z]], %[[Q]]
// CHECK: math.roundeven %[[S]]
// CHECK-LABEL: @not_rounded
// CHECK-COUNT-2: math.fma
// CHECK-LABEL: @not_rounded_large
// CHECK: arith.divf
// CHECK-LABEL: @exact
// CHECK: arith.divf
// CHECK-LABEL: @extreme
// CHECK: arith.divf
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @quotient(%x: f32) -> f32 {
    %scale = arith.constant 3.0e-2 : f32
    %q = arith.divf %x, %scale : f32
    %r = math.roundeven %q : f32
    return %r : f32
  }
  func.func @not_rounded(%x: f32) -> f32 {
    %scale = arith.constant 3.0e-2 : f32
    %q = arith.divf %x, %scale : f32
    return %q : f32
  }
  func.func @not_rounded_large(%x: f32) -> f32 {
    %scale = arith.constant 3.0e+20 : f32
    %q = arith.divf %x, %scale : f32
    return %q : f32
  }
  func.func @exact(%x: f32) -> f32 {
    %scale = arith.constant 0.25 : f32
    %q = arith.divf %x, %scale : f32
    return %q : f32
  }
  func.func @extreme(%x: f32) -> f32 {
    %scale = arith.constant 1.0e-38 : f32
    %q = arith.divf %x, %scale : f32
    %r = math.roundeven %q : f32
    return %r : f32
  }
}

// -----

// Quantised and at once taken back: it stays a float. Not where the byte would wrap.

// CHECK-LABEL: @requantize
// CHECK-COUNT-2: arith.select
// CHECK-NEXT: %[[Z:.*]] = arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK-NEXT: return %[[Z]]
// CHECK-LABEL: @wraps
// CHECK: arith.fptosi
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @requantize(%x: f32) -> f32 {
    %low = arith.constant 0.0 : f32
    %high = arith.constant 255.0 : f32
    %zero = arith.constant 122 : i32
    %r = math.roundeven %x : f32
    %c0 = arith.cmpf olt, %low, %r : f32
    %s0 = arith.select %c0, %r, %low : f32
    %c1 = arith.cmpf olt, %s0, %high : f32
    %s1 = arith.select %c1, %s0, %high : f32
    %i = arith.fptosi %s1 : f32 to i32
    %b = arith.trunci %i : i32 to i8
    %w = arith.extui %b : i8 to i32
    %d = arith.subi %w, %zero : i32
    %f = arith.sitofp %d : i32 to f32
    return %f : f32
  }
  func.func @wraps(%x: f32) -> f32 {
    %low = arith.constant 0.0 : f32
    %high = arith.constant 256.0 : f32
    %r = math.roundeven %x : f32
    %c0 = arith.cmpf olt, %low, %r : f32
    %s0 = arith.select %c0, %r, %low : f32
    %c1 = arith.cmpf olt, %s0, %high : f32
    %s1 = arith.select %c1, %s0, %high : f32
    %i = arith.fptosi %s1 : f32 to i32
    %b = arith.trunci %i : i32 to i8
    %w = arith.extui %b : i8 to i32
    %f = arith.sitofp %w : i32 to f32
    return %f : f32
  }
}

// -----

// Rounding to a narrower type stays, also where the value is widened at once.

// CHECK-LABEL: @round
// CHECK: arith.truncf %{{[a-z0-9]+}} : f32 to f16
// CHECK: arith.extf %{{[a-z0-9]+}} : f16 to f32
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @round(%x: f32) -> f32 {
    %a = arith.truncf %x : f32 to f16
    %b = arith.extf %a : f16 to f32
    return %b : f32
  }
}

// -----

// An integer becomes bf16 without LLVM's library call, also where a conversion by f32 had been folded into one.

// CHECK-LABEL: @integers
// CHECK: %[[F:.+]] = arith.sitofp %{{.+}} : vector<8xi8> to vector<8xf32>
// CHECK: arith.bitcast %[[F]] : vector<8xf32> to vector<8xi32>
// CHECK: arith.bitcast %{{.+}} : vector<8xi16> to vector<8xbf16>
// CHECK: arith.uitofp %{{.+}} : i1 to f32
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @integers(%x: vector<8xi8>, %y: i1) -> (vector<8xbf16>, bf16) {
    %a = arith.sitofp %x : vector<8xi8> to vector<8xbf16>
    %b = arith.uitofp %y : i1 to bf16
    return %a, %b : vector<8xbf16>, bf16
  }
}

// -----

// A step of a quantisation, as a float and as a byte: its dividend is clamped, adding 1.5 * 2^23 rounds,
// and the maximum with 0 is part of the clamp where the zero point is 0. Not where an end is no integer.

// CHECK-LABEL: @step
// CHECK: %[[C0:.+]] = arith.cmpf olt, %[[LOW:.+]], %arg0
// CHECK: %[[X0:.+]] = arith.select %[[C0]], %arg0, %[[LOW]]
// CHECK: %[[C1:.+]] = arith.cmpf olt, %[[X0]], %[[HIGH:.+]] fastmath
// CHECK: %[[X:.+]] = arith.select %[[C1]], %[[X0]], %[[HIGH]]
// CHECK: %[[Q:.+]] = arith.mulf %[[X]], %[[R:.+]] fastmath
// CHECK: %[[REST:.+]] = math.fma %[[Q]], %{{.+}}, %[[X]]
// CHECK: %[[EXACT:.+]] = math.fma %[[REST]], %[[R]], %[[Q]]
// CHECK: %[[T:.+]] = arith.addf %[[EXACT]], %[[ROUNDER:.+]] fastmath
// CHECK-NEXT: %[[F:.+]] = arith.subf %[[T]], %[[ROUNDER]]
// CHECK-NEXT: return %[[F]]
// CHECK-LABEL: @step_to_byte
// CHECK-NOT: arith.maximumf
// CHECK-NOT: math.roundeven
// CHECK-NOT: arith.fptosi
// CHECK: %[[BITS:.+]] = arith.bitcast %{{.+}} : vector<16xf32> to vector<16xi32>
// CHECK: arith.trunci
// CHECK-LABEL: @no_step
// CHECK: math.roundeven
// CHECK: arith.fptosi
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @step(%x: f32) -> f32 {
    %scale = arith.constant 3.0e-2 : f32
    %low = arith.constant 0.0 : f32
    %high = arith.constant 255.0 : f32
    %zero = arith.constant 122.0 : f32
    %izero = arith.constant 122 : i32
    %q = arith.divf %x, %scale : f32
    %r = math.roundeven %q : f32
    %s = arith.addf %r, %zero : f32
    %c0 = arith.cmpf olt, %low, %s : f32
    %s0 = arith.select %c0, %s, %low : f32
    %c1 = arith.cmpf olt, %s0, %high : f32
    %s1 = arith.select %c1, %s0, %high : f32
    %i = arith.fptosi %s1 : f32 to i32
    %b = arith.trunci %i : i32 to i8
    %w = arith.extui %b : i8 to i32
    %d = arith.subi %w, %izero : i32
    %f = arith.sitofp %d : i32 to f32
    return %f : f32
  }
  func.func @step_to_byte(%v: vector<16xf32>) -> vector<16xi8> {
    %scale = arith.constant dense<3.0e-2> : vector<16xf32>
    %low = arith.constant dense<0.0> : vector<16xf32>
    %high = arith.constant dense<255.0> : vector<16xf32>
    %x = arith.maximumf %v, %low : vector<16xf32>
    %q = arith.divf %x, %scale : vector<16xf32>
    %r = math.roundeven %q : vector<16xf32>
    %c0 = arith.cmpf olt, %low, %r : vector<16xf32>
    %s0 = arith.select %c0, %r, %low : vector<16xi1>, vector<16xf32>
    %c1 = arith.cmpf olt, %s0, %high : vector<16xf32>
    %s1 = arith.select %c1, %s0, %high : vector<16xi1>, vector<16xf32>
    %i = arith.fptosi %s1 : vector<16xf32> to vector<16xi32>
    %b = arith.trunci %i : vector<16xi32> to vector<16xi8>
    return %b : vector<16xi8>
  }
  func.func @no_step(%x: f32) -> i8 {
    %scale = arith.constant 3.0e-2 : f32
    %low = arith.constant 0.5 : f32
    %high = arith.constant 255.0 : f32
    %q = arith.divf %x, %scale : f32
    %r = math.roundeven %q : f32
    %c0 = arith.cmpf olt, %low, %r : f32
    %s0 = arith.select %c0, %r, %low : f32
    %c1 = arith.cmpf olt, %s0, %high : f32
    %s1 = arith.select %c1, %s0, %high : f32
    %i = arith.fptosi %s1 : f32 to i32
    %b = arith.trunci %i : i32 to i8
    return %b : i8
  }
}

// -----

// Integers in vectors divide as floats; by constants LLVM multiplies.

// CHECK-LABEL: @quotients
// CHECK: %[[X:.*]] = arith.sitofp %arg0 : vector<16xi32> to vector<16xf64>
// CHECK: %[[Y:.*]] = arith.sitofp %arg1 : vector<16xi32> to vector<16xf64>
// CHECK: %[[Q:.*]] = arith.divf %[[X]], %[[Y]]
// CHECK: arith.fptosi %[[Q]] : vector<16xf64> to vector<16xi32>
// CHECK: %[[U:.*]] = arith.divf {{.*}} : vector<16xf32>
// CHECK: %[[W:.*]] = arith.fptoui %[[U]] : vector<16xf32> to vector<16xi16>
// CHECK: %[[P:.*]] = arith.muli %[[W]], %arg3
// CHECK: arith.subi %arg2, %[[P]]
// CHECK: arith.divsi %arg0, %{{.*}} : vector<16xi32>
// CHECK: arith.divsi %arg4, %arg4 : i32
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %arg5
// CHECK: %[[GUARDED:.*]] = arith.select %[[ZERO]], %{{.*}}, %arg5
// CHECK: arith.divui %arg5, %[[GUARDED]] : vector<8xi64>
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @quotients(%x: vector<16xi32>, %y: vector<16xi32>, %u: vector<16xi16>, %v: vector<16xi16>, %s: i32, %w: vector<8xi64>)
      -> (vector<16xi32>, vector<16xi16>, vector<16xi32>, i32, vector<8xi64>) {
    %seven = arith.constant dense<7> : vector<16xi32>
    %a = arith.divsi %x, %y : vector<16xi32>
    %b = arith.remui %u, %v : vector<16xi16>
    %c = arith.divsi %x, %seven : vector<16xi32>
    %d = arith.divsi %s, %s : i32
    %e = arith.divui %w, %w : vector<8xi64>
    return %a, %b, %c, %d, %e : vector<16xi32>, vector<16xi16>, vector<16xi32>, i32, vector<8xi64>
  }
}

// -----

// What LLVM would call a library for.

// CHECK-LABEL: @pairs
// CHECK-NOT: math.sincos
// CHECK-NOT: math.sin
// CHECK-NOT: math.cos
// CHECK-NOT: math.clampf
// CHECK-NOT: math.cbrt
// CHECK-NOT: math.atan2
// CHECK-NOT: math.erfc
// CHECK: return
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @pairs(%x: vector<8xf32>, %y: vector<4xf64>) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<8xf32>) {
    %a, %b = math.sincos %x : vector<8xf32>
    %c = math.clampf %x to [%a, %b] : vector<8xf32>
    %d = math.cbrt %y : vector<4xf64>
    %e = math.atan2 %y, %d : vector<4xf64>
    %f = math.erfc %y : vector<4xf64>
    %g = math.erfc %x : vector<8xf32>
    return %a, %b, %c, %d, %e, %f, %g : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<8xf32>
  }
}
