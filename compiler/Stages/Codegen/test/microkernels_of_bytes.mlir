// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,codegen-convert-to-llvm))' | FileCheck %s --check-prefix=LLVM

// Dot products of bytes are left to functions that kernels share: sums go to the memory of a tile, where the epilogue
// reads them. Rows and columns are read where they lie; of bytes of two signs sums begin with 0.

// CHECK-LABEL: kernel.program @free
// CHECK: kernel.microkernel %{{.*}} rows %[[X:.*]][%{{.*}}] by %{{.*}} columns %{{.*}} steps(%c256) into
// CHECK-SAME: column_signed
// CHECK-NOT: first
// CHECK-NOT: kernel.dot
// LLVM-LABEL: kernel.program @free
// LLVM: llvm.func hidden @microkernel_i8_i8_i32_{{.*}}_unsigned_signed({{.*}}column_signed
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n floordiv 16, k floordiv 4, n mod 16, k mod 4)>
#groups_of_4 = #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4], swizzle = []>
#result = affine_map<(m, n, k) -> (m, n)>
kernel.program @free of @e for #device.executable<"elf-x86_64", {cpu = "cascadelake", features = ""}> {
  func.func @kernel(%a: tensor<?x1024xi8>, %b: tensor<4x256x16x4xi8>, %m: index) -> tensor<?x64xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x64xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x64xi32>) -> tensor<?x64xi32>
    %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #groups_of_4]}
        ins(%a, %b : tensor<?x1024xi8>, tensor<4x256x16x4xi8>) outs(%f : tensor<?x64xi32>) {
    ^bb0(%x: i8, %y: i8, %o: i32):
      %0 = arith.extui %x : i8 to i32
      %1 = arith.extsi %y : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<?x64xi32>
    return %r : tensor<?x64xi32>
  }
}

// Bytes of one sign: shifted rows lie in scratch, and sums begin with what the shift takes away.

// CHECK-LABEL: kernel.program @shifted
// CHECK: %[[SCRATCH:.*]] = kernel.scratch
// CHECK: kernel.microkernel %{{.*}} rows %[[SCRATCH]][%{{.*}}] {{.*}} first %{{.*}} : memref<?xi32> into
// CHECK-SAME: column_signed
// LLVM-LABEL: kernel.program @shifted
// LLVM: llvm.func hidden @microkernel_i8_i8_i32_{{.*}}_first_unsigned_signed({{.*}}column_signed
kernel.program @shifted of @e for #device.executable<"elf-x86_64", {cpu = "cascadelake", features = ""}> {
  func.func @kernel(%a: tensor<?x1024xi8>, %b: tensor<4x256x16x4xi8>, %m: index) -> tensor<?x64xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x64xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x64xi32>) -> tensor<?x64xi32>
    %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #groups_of_4]}
        ins(%a, %b : tensor<?x1024xi8>, tensor<4x256x16x4xi8>) outs(%f : tensor<?x64xi32>) {
    ^bb0(%x: i8, %y: i8, %o: i32):
      %0 = arith.extsi %x : i8 to i32
      %1 = arith.extsi %y : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<?x64xi32>
    return %r : tensor<?x64xi32>
  }
}
