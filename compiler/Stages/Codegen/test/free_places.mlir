// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' --split-input-file | FileCheck %s

// Rows that may be no more than a vector have code without loops, under one mask; a function's polynomial is not there
// twice.

// CHECK-LABEL: kernel.program @columns
// CHECK-SAME: kernel.strategy = "elements, width 32, 0 dimensions as one; of up to 8 elements without loops; of up to 32 elements without loops"
// CHECK: func.func @kernel()
// CHECK: arith.cmpi sle, %{{.*}}, %c8
// CHECK: scf.if
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK: } else {
// CHECK: vector.store
kernel.program @columns of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %n: index, %w: index, %m: index, %v: index) -> tensor<?x?xf32> {
    %r = tensor.concat dim(1) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}

// -----

// CHECK-LABEL: kernel.program @function
// CHECK-NOT: without loops
// CHECK: func.func @workgroups
kernel.program @function of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?xf32>, %n: index, %w: index) -> tensor<?x?xf32> {
    %z = arith.constant 0.0 : f32
    %p = tensor.pad %a low[0, 1] high[0, 2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %z : f32
    } : tensor<?x?xf32> to tensor<?x?xf32>
    %r = math.exp %p : tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}

// -----

// Positions are divided by a size of the call in f64: once its reciprocal, and no quotient of integers in a vector.

// CHECK-LABEL: kernel.program @divided
// CHECK: func.func @kernel()
// CHECK: arith.divf %{{.*}}, %{{.*}} : f64
// CHECK-NOT: arith.divui {{.*}} : vector
// CHECK-NOT: arith.remui {{.*}} : vector
// CHECK: arith.cmpf olt, {{.*}} : vector<32xf64>
kernel.program @divided of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %n: index, %w: index, %m: index) -> tensor<?xf32> {
    %e = tensor.empty(%m) : tensor<?xf32>
    %c = tensor.collapse_shape %a [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%c, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}

// -----

// Data that a body divides may be any 64 bits: those of 2^52 and more are divided as integers.

// CHECK-LABEL: kernel.program @any
// CHECK: func.func @kernel()
// CHECK: %[[LARGE:.*]] = vector.reduction <or>
// CHECK: scf.if %[[LARGE]] -> (vector<{{.*}}xindex>)
// CHECK: arith.remui {{.*}} : vector
// CHECK: } else {
// CHECK: arith.cmpf olt
kernel.program @any of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?xi64>, %n: index, %m: index) -> tensor<?xi64> {
    %e = tensor.empty(%n) : tensor<?xi64>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<?xi64>) outs(%e : tensor<?xi64>) {
    ^bb0(%x: i64, %o: i64):
      %i = arith.index_cast %x : i64 to index
      %q = arith.remui %i, %m : index
      %y = arith.index_cast %q : index to i64
      linalg.yield %y : i64
    } -> tensor<?xi64>
    return %r : tensor<?xi64>
  }
}

// -----

// A place between constant bounds is narrowed before it is a vector, by its base.

// CHECK-LABEL: kernel.program @clamped
// CHECK: func.func @kernel()
// CHECK: %[[LOW:.*]] = arith.maxsi %{{.*}}, %c-32{{.*}} : index
// CHECK: %[[BASE:.*]] = arith.minsi %[[LOW]], %c37{{.*}} : index
// CHECK: arith.index_cast %[[BASE]] : index to i32
// CHECK: arith.maxsi {{.*}} : vector<32xi32>
// CHECK: arith.minsi {{.*}} : vector<32xi32>
// CHECK-NOT: vector<32xi64>
kernel.program @clamped of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %e = tensor.empty(%n) : tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %i = linalg.index 0 : index
      %left = arith.subi %n, %i : index
      %low = arith.maxsi %left, %c0 : index
      %in = arith.minsi %low, %c5 : index
      %w = arith.index_cast %in : index to i32
      %f = arith.sitofp %w : i32 to f32
      %y = arith.divf %x, %f : f32
      linalg.yield %y : f32
    } -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
