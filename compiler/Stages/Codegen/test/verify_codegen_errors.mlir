// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --codegen-verify --verify-diagnostics --split-input-file

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
// expected-error @+1 {{has no variant for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>}}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

// expected-error @+1 {{is left after codegen}}
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
}
