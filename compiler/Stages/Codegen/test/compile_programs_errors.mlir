// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-compile-programs))' --verify-diagnostics

// expected-error @+1 {{unknown executable format 'abacus'; known: elf-x86_64, elf-aarch64, elf-riscv64}}
kernel.program @p of @e for #device.executable<"abacus", {cpu = "", features = ""}> {
  func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
