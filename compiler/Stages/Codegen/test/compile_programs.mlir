// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-compile-programs))' --mlir-elide-resource-strings-if-larger=16 | FileCheck %s

// Two targets beside each other, each by its own pipeline.
// CHECK: kernel.program @copy_v4 of @copy for {{.*}}x86-64-v4{{.*}} object(dense_resource<copy_v4> : tensor<{{[0-9]+}}xi8>) attributes {kernel.strategy = "elements, width 4
// CHECK: func.func @workgroups() -> index
// CHECK: func.func @scratch() -> index
kernel.program @copy_v4 of @copy for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
// CHECK: kernel.program @copy_rv of @copy for {{.*}}elf-riscv64{{.*}} object(dense_resource<copy_rv> : tensor<{{[0-9]+}}xi8>)
kernel.program @copy_rv of @copy for #device.executable<"elf-riscv64", {cpu = "generic-rv64", features = "+m,+a,+f,+d"}> {
  func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
