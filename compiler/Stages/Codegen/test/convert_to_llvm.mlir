// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-convert-to-llvm))' | FileCheck %s

// CHECK: llvm.func @kernel(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> i32
// CHECK: llvm.call @body
// CHECK: llvm.func internal @body(%[[CONSTANTS:.*]]: !llvm.ptr {llvm.noalias}, %[[BEGIN:.*]]: i64, %{{.*}}: i64, %[[SCRATCH:.*]]: !llvm.ptr {llvm.noalias}, %[[A:.*]]: !llvm.ptr {llvm.noalias}, %[[R:.*]]: !llvm.ptr {llvm.noalias}) -> i32
// CHECK: %[[STATUS:.*]] = llvm.alloca %{{.*}} x i32
// CHECK: llvm.store %{{.*}}, %[[STATUS]]
// CHECK: llvm.getelementptr %[[CONSTANTS]][2]
// CHECK: llvm.getelementptr {{.*}} -> !llvm.ptr, f32
// CHECK: llvm.load {{.*}} -> f32
// CHECK: llvm.store %{{.*}}, %[[STATUS]]
// CHECK: %[[S:.*]] = llvm.load %[[STATUS]]
// CHECK: llvm.return %[[S]]
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel() {
    %a = kernel.binding 0 : memref<?xf32>
    %r = kernel.binding 1 written : memref<?xf32>
    %n = kernel.constant 2
    %begin, %end = kernel.range
    %x = memref.load %a[%n] : memref<?xf32>
    memref.store %x, %r[%begin] : memref<?xf32>
    kernel.fail 1
    return
  }
}

// What lies over an operand is no pointer of its own; all others are.
// CHECK-LABEL: kernel.program @over
// CHECK: llvm.func internal @body(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr) -> i32
kernel.program @over of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {flow.overwrites = [array<i64: 0, 2>]} {
  func.func @kernel() {
    %a = kernel.binding 0 : memref<?xf32>
    %b = kernel.binding 1 : memref<?xf32>
    %r = kernel.binding 2 written : memref<?xf32>
    %begin, %end = kernel.range
    %x = memref.load %a[%begin] : memref<?xf32>
    %y = memref.load %b[%begin] : memref<?xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %r[%begin] : memref<?xf32>
    return
  }
}
