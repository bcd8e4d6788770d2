// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' --split-input-file | FileCheck %s

// Dimensions that every operand walks alike are one where the call says so: the workgroups are those of the joined
// rows, and a stretched operand has one element for all of a row, by a condition of the whole row.

// CHECK-LABEL: kernel.program @factor
// CHECK-SAME: kernel.strategy = "elements, width 32, 0 dimensions as one, rows of up to 3 by the call's sizes; of up to 8 elements without loops; of up to 32 elements without loops"
// CHECK: func.func @workgroups
// CHECK: arith.cmpi eq
// CHECK: arith.select
// CHECK: func.func @kernel()
// CHECK-NOT: vector.gather
// CHECK: scf.if {{.*}} -> (vector<32xf32>)
// CHECK: memref.load
// CHECK: vector.broadcast
// CHECK: } else {
// CHECK: vector.load
kernel.program @factor of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: index, %h: index, %w: index, %bc: index, %bh: index, %bw: index) -> tensor<?x?x?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one0 = arith.cmpi eq, %bc, %c1 : index
    %one1 = arith.cmpi eq, %bh, %c1 : index
    %one2 = arith.cmpi eq, %bw, %c1 : index
    %e = tensor.empty(%c, %h, %w) : tensor<?x?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %k = linalg.index 2 : index
      %p = arith.select %one0, %c0, %i : index
      %q = arith.select %one1, %c0, %j : index
      %s = arith.select %one2, %c0, %k : index
      %y = tensor.extract %b[%p, %q, %s] : tensor<?x?x?xf32>
      %m = arith.mulf %x, %y : f32
      linalg.yield %m : f32
    } -> tensor<?x?x?xf32>
    return %r : tensor<?x?x?xf32>
  }
}

// -----

// Of a concatenation the dimensions behind its own.

// CHECK-LABEL: kernel.program @concat
// CHECK-SAME: rows of up to 2 by the call's sizes
kernel.program @concat of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %c: index, %h: index, %w: index, %d: index, %h1: index, %w1: index) -> tensor<?x?x?xf32> {
    %r = tensor.concat dim(0) %a, %b : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    return %r : tensor<?x?x?xf32>
  }
}

// -----

// An index that is more than a place keeps its dimension.

// CHECK-LABEL: kernel.program @position
// CHECK-SAME: kernel.strategy = "elements, width 32, 0 dimensions as one; of up to 8 elements without loops; of up to 32 elements without loops"
kernel.program @position of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?xf32>, %h: index, %w: index) -> tensor<?x?xf32> {
    %e = tensor.empty(%h, %w) : tensor<?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %j = linalg.index 1 : index
      %t = arith.index_cast %j : index to i32
      %f = arith.sitofp %t : i32 to f32
      %m = arith.mulf %x, %f : f32
      linalg.yield %m : f32
    } -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}

// -----

// Columns: what stands behind the reduced dimension is one row of lanes.

// CHECK-LABEL: kernel.program @columns
// CHECK-SAME: kernel.strategy = "columns, 1 steps, width 32, rows of 2"
kernel.program @columns of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?x?xf32>, %c: index, %h: index, %w: index) -> tensor<?x?xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%h, %w) : tensor<?x?xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(j, k, i) -> (i, j, k)>, affine_map<(j, k, i) -> (j, k)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a : tensor<?x?x?xf32>) outs(%f : tensor<?x?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.addf %o, %x : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}

// -----

// A transpose to channels last: squares over all positions of a map.

// CHECK-LABEL: kernel.program @channels_last
// CHECK-SAME: kernel.strategy = "transpose, squares of 16 in blocks of 1024x64, rows of 1 and 2"
kernel.program @channels_last of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?x?xf32>, %c: index, %h: index, %w: index) -> tensor<?x?x?xf32> {
    %e = tensor.empty(%h, %w, %c) : tensor<?x?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(h, w, c) -> (c, h, w)>, affine_map<(h, w, c) -> (h, w, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<?x?x?xf32>
    return %r : tensor<?x?x?xf32>
  }
}

// -----

// Rows of as many elements as the call says: those of at most one vector have no loops, two of them side by side.

// CHECK-LABEL: kernel.program @short_rows
// CHECK-SAME: kernel.strategy = "rows, 1 steps, width 32; of up to 16 elements without loops; of up to 32 elements without loops; of up to 64 elements without loops"
// CHECK: func.func @kernel()
// CHECK: scf.if
// CHECK: vector.maskedload {{.*}} vector<16xf32>
// CHECK: vector.reduction <maximumf>
// CHECK: vector.reduction <maximumf>
// CHECK: vector.maskedstore {{.*}} vector<16xf32>
// CHECK: } else {
kernel.program @short_rows of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
    %z = arith.constant 0xFF800000 : f32
    %e = tensor.empty(%n) : tensor<?xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.maximumf %o, %x : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    %e2 = tensor.empty(%n, %m) : tensor<?x?xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %r : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.subf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    return %q : tensor<?x?xf32>
  }
}
