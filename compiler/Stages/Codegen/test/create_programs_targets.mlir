// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each variant has the layouts of its target, and nothing where these are rows.
// RUN: heddle-opt %s --codegen-create-programs | FileCheck %s

#v4 = #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>
#v3 = #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>
#tiles = #encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [8, 16], swizzle = []>
#choice = #encoding.by_target<[#v4, #v3], [#tiles, #encoding.identity]>
device.global @both = #device.target<"local", {ordinal = 0}, [#v3, #v4]>
// CHECK: kernel.program @f_elf_x86_64_x86_64_v3 of @f
// CHECK-NEXT: func.func @kernel(%[[X:.*]]: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK-NEXT: return %[[X]]
// CHECK: kernel.program @f_elf_x86_64_x86_64_v4 of @f
// CHECK-NEXT: func.func @kernel(%[[X:.*]]: tensor<4x4xf32, #encoding.layout<{{.*}}>>) -> tensor<4x4xf32> {
// CHECK-NEXT: encoding.unset %[[X]]
flow.executable private @f {
  func.func @f(%x: tensor<4x4xf32, #choice>) -> tensor<4x4xf32> {
    %r = encoding.unset %x : tensor<4x4xf32, #choice> -> tensor<4x4xf32>
    return %r : tensor<4x4xf32>
  }
}
