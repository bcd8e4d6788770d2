// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --encode-verify-early

// One target on two devices is one target.
module {
  device.global @a = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
  device.global @b = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
}

// -----

// expected-error @+1 {{early data tiling lays operands out for one executable target, got 2 (x86-64-v4, x86-64-v3): compile for one of them with --target-cpu, or leave out --strategy=early-data-tiling}}
module {
  device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>, #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
}
