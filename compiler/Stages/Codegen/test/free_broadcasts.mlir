// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' | FileCheck %s

// A size that is 1 or the other operand's, told at the call: a vector of neighbours or one element for all lanes, not a
// gather. The index of a whole row is chosen before.

// CHECK-LABEL: kernel.program @add
// CHECK: func.func @kernel()
// CHECK-NOT: vector.gather
// CHECK: scf.if %[[STRETCHED:.*]] -> (vector<32xf32>)
// CHECK: memref.load
// CHECK: vector.broadcast
// CHECK: } else {
// CHECK: vector.load
// CHECK-NOT: vector.gather
// CHECK: vector.store
kernel.program @add of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %n: index, %m: index, %rows: index, %columns: index) -> tensor<?x?xf32> {
    %c0 = arith.constant 0 : index
    %oneRow = arith.index_cast %rows : index to i1
    %oneColumn = arith.index_cast %columns : index to i1
    %e = tensor.empty(%n, %m) : tensor<?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %row = arith.select %oneRow, %c0, %i : index
      %column = arith.select %oneColumn, %c0, %j : index
      %y = tensor.extract %b[%row, %column] : tensor<?x?xf32>
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}
