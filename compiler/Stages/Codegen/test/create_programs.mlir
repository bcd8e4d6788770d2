// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --codegen-create-programs | FileCheck %s

// Two devices with three targets, one of them twice.
device.global @a = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>, #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.global @b = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>

// CHECK: flow.executable private @copy
// CHECK: kernel.program @copy_elf_x86_64_x86_64_v4 of @copy for <"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
// CHECK-NEXT: func.func @kernel(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK: kernel.program @copy_elf_x86_64_x86_64_v3 of @copy for <"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
// CHECK-NEXT: func.func @kernel(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
flow.executable private @copy {
  func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// What a tuner set is handed on.
// CHECK: kernel.program @tuned_elf_x86_64_x86_64_v4 of @tuned for {{.*}} attributes {kernel.tile = {vectors = 2 : i64}} {
// CHECK: kernel.program @tuned_elf_x86_64_x86_64_v3 of @tuned for {{.*}} attributes {kernel.tile = {vectors = 2 : i64}} {
// CHECK-NOT: kernel.program
flow.executable private @tuned attributes {kernel.tile = {vectors = 2}} {
  func.func @tuned(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
