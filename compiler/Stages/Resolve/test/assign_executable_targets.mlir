// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An executable is compiled for the devices that run it: {v3, v4} and {v4} are v3 once and v4 once.
// RUN: heddle-opt %s --resolve-assign-executable-targets | FileCheck %s
// RUN: heddle-opt %s --resolve-assign-executable-targets --codegen-create-programs | FileCheck %s --check-prefix=PROGRAMS

device.global @both = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>, #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @one = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @far = #device.select<[#device.target<"local", {ordinal = 2}, [#device.executable<"elf-aarch64", {cpu = "generic", features = ""}>]>, #device.fallback<@one>]>

// CHECK: flow.executable private @on_both attributes {targets = [#device.executable<"elf-x86_64", {cpu = "x86-64-v3"{{.*}}}>, #device.executable<"elf-x86_64", {cpu = "x86-64-v4"{{.*}}}>]}
// CHECK: flow.executable private @on_one attributes {targets = [#device.executable<"elf-x86_64", {cpu = "x86-64-v4"{{.*}}}>]}
// CHECK: flow.executable private @on_far attributes {targets = [#device.executable<"elf-x86_64", {cpu = "x86-64-v4"{{.*}}}>, #device.executable<"elf-aarch64", {{.*}}>]}
// CHECK: flow.executable private @everywhere {
// PROGRAMS: kernel.program @on_both_elf_x86_64_x86_64_v3 of @on_both
// PROGRAMS: kernel.program @on_both_elf_x86_64_x86_64_v4 of @on_both
// PROGRAMS-NOT: kernel.program @on_both
// PROGRAMS: kernel.program @on_one_elf_x86_64_x86_64_v4 of @on_one
// PROGRAMS-NOT: kernel.program @on_one
// PROGRAMS: kernel.program @on_far_elf_x86_64_x86_64_v4 of @on_far
// PROGRAMS: kernel.program @on_far_elf_aarch64_generic of @on_far
flow.executable private @on_both { func.func @on_both(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> } }
flow.executable private @on_one { func.func @on_one(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> } }
flow.executable private @on_far { func.func @on_far(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> } }
flow.executable private @everywhere { func.func @everywhere(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> } }
func.func @main(%x: tensor<4xf32>) {
  %0 = flow.dispatch @on_both(%x) {heddle.affinity = #device.affinity<@both>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.dispatch @on_both(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = flow.dispatch @on_one(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = flow.dispatch @on_far(%x) {heddle.affinity = #device.affinity<@far>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = flow.dispatch @everywhere(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = flow.dispatch @everywhere(%x) {heddle.affinity = #device.affinity<@far>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
