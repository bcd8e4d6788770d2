// RUN: heddle-opt %s --codegen-create-programs | FileCheck %s

// Two devices with three targets, one of them twice.
device.global @a = #device.target<"local", ordinal = 0, [#device.executable<"elf-x86_64", cpu = "x86-64-v4", features = "">, #device.executable<"elf-x86_64", cpu = "x86-64-v3", features = "">]>
device.global @b = #device.target<"local", ordinal = 1, [#device.executable<"elf-x86_64", cpu = "x86-64-v3", features = "">]>

// CHECK: flow.executable private @copy
// CHECK: kernel.program @copy_elf_x86_64_x86_64_v4 of @copy for <"elf-x86_64", cpu = "x86-64-v4", features = ""> {
// CHECK-NEXT: func.func @kernel(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK: kernel.program @copy_elf_x86_64_x86_64_v3 of @copy for <"elf-x86_64", cpu = "x86-64-v3", features = ""> {
// CHECK-NEXT: func.func @kernel(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NOT: kernel.program
flow.executable private @copy {
  func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
