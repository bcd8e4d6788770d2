// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --codegen-create-variants --verify-diagnostics --split-input-file

// expected-error @+1 {{is of no flow.executable: @nobody}}
kernel.program @p of @nobody for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
}

// -----

flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
// expected-error @+1 {{has no object; run codegen-emit-object first}}
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
}
