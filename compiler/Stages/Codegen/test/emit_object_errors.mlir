// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-emit-object))' --verify-diagnostics

// expected-error @+1 {{undefined symbol: sinh}}
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  llvm.func @sinh(f64) -> f64
  llvm.func @kernel(%x: f64) -> f64 {
    %r = llvm.call @sinh(%x) : (f64) -> f64
    llvm.return %r : f64
  }
}
