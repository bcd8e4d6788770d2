// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --codegen-emit-microkernels --mlir-elide-resource-strings-if-larger=16 | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(codegen-emit-microkernels,kernel.program(codegen-emit-object))' \
// RUN:   --mlir-elide-resource-strings-if-larger=16 | FileCheck %s --check-prefix=OBJECT

#v4 = #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = "+avx512f"}>
#v3 = #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = "+avx2"}>
#form = {row = f32, column = f32, sum = f32, result = f32, rows = 2 : i64, vectors = 1 : i64, width = 16 : i64, panel = 16 : i64, loops = 1 : i64, operands = []}
#doubled = {row = f32, column = f32, sum = f32, result = f32, rows = 2 : i64, vectors = 1 : i64, width = 16 : i64, panel = 16 : i64, loops = 1 : i64, operands = [], epilogue = @twice}

// Programs for one processor are linked to one object, those for another to another. An epilogue is part of what is
// called, and no longer of the program.
// CHECK: kernel.program @a {{.*}} attributes {kernel.microkernels = [dense_resource<[[SAME:.*]]> : tensor<{{.*}}xi8>]} {
// CHECK: kernel.program @b {{.*}} attributes {kernel.microkernels = [dense_resource<[[SAME]]> : tensor<{{.*}}xi8>]} {
// CHECK-NOT: kernel.microkernels = [dense_resource<[[SAME]]>
// CHECK: kernel.program @c {{.*}} attributes {kernel.microkernels = [dense_resource<{{.*}}> : tensor<{{.*}}xi8>]} {
// CHECK-NOT: llvm.func @twice
// CHECK: kernel.program @d
// CHECK-NOT: kernel.microkernels

// OBJECT-COUNT-4: object(dense_resource
kernel.program @a of @ea for #v4 {
  llvm.func hidden @microkernel_f32_f32_f32_2x1x16_p16_l1(i64, !llvm.ptr, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64) attributes {dso_local, kernel.microkernel = #form}
  llvm.func @kernel(%x: !llvm.ptr, %n: i64) {
    llvm.call @microkernel_f32_f32_f32_2x1x16_p16_l1(%n, %x, %n, %x, %n, %n, %x, %n) : (i64, !llvm.ptr, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64) -> ()
    llvm.return
  }
}
kernel.program @b of @eb for #v4 {
  llvm.func hidden @microkernel_f32_f32_f32_2x1x16_p16_l1(i64, !llvm.ptr, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64) attributes {dso_local, kernel.microkernel = #form}
  llvm.func @kernel(%x: !llvm.ptr, %n: i64) {
    llvm.call @microkernel_f32_f32_f32_2x1x16_p16_l1(%n, %x, %n, %x, %n, %n, %x, %n) : (i64, !llvm.ptr, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64) -> ()
    llvm.return
  }
}
kernel.program @c of @ec for #v3 {
  llvm.func hidden @microkernel_f32_f32_f32_2x1x16_p16_l1_twice(i64, !llvm.ptr, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64) attributes {dso_local, kernel.microkernel = #doubled}
  llvm.func @twice(%sum: vector<16xf32>) -> vector<16xf32> {
    %0 = llvm.fadd %sum, %sum : vector<16xf32>
    llvm.return %0 : vector<16xf32>
  }
  llvm.func @kernel(%x: !llvm.ptr, %n: i64) {
    llvm.call @microkernel_f32_f32_f32_2x1x16_p16_l1_twice(%n, %x, %n, %x, %n, %n, %x, %n) : (i64, !llvm.ptr, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64) -> ()
    llvm.return
  }
}
kernel.program @d of @ed for #v4 {
  llvm.func @kernel() {
    llvm.return
  }
}
