// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-emit-object))' | FileCheck %s

// CHECK: kernel.program @p of @e for {{.*}} object(dense_resource<p> : tensor<{{[0-9]+}}xi8>)
// CHECK: dialect_resources
// An ELF file, at the 64 bytes' alignment that the first four bytes say.
// CHECK: p: "0x400000007F454C46
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  llvm.func @kernel() -> i32 {
    %r = llvm.mlir.constant(0 : i32) : i32
    llvm.return %r : i32
  }
}
