// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --codegen-create-variants | FileCheck %s

// CHECK: flow.executable private @e
// CHECK: func.func @e
// CHECK: flow.variant @elf_x86_64_x86_64_v4_{{[0-9a-f]+}} target("x86-64-v4") format("elf-x86_64") features(["fma"]) symbol("kernel") object(dense<1> : tensor<4xi8>) attributes {kernel.strategy = "elements"} {
// CHECK-NEXT: func.func @workgroups
// CHECK: func.func @scratch
// CHECK-NOT: kernel.program
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = "+fma,-sse4a"}> object(dense<1> : tensor<4xi8>) attributes {kernel.strategy = "elements"} {
  func.func @workgroups() -> index {
    %c = arith.constant 1 : index
    return %c : index
  }
  func.func @scratch() -> index {
    %c = arith.constant 0 : index
    return %c : index
  }
}

// Programs with another's code take the objects made for them, in order.
// CHECK: flow.executable private @first
// CHECK: object(dense<2> : tensor<4xi8>) {
// CHECK: flow.executable private @second
// CHECK: object(dense<3> : tensor<4xi8>) attributes {kernel.code_of = @first}
// CHECK: flow.executable private @third
// CHECK: object(dense<4> : tensor<4xi8>) attributes {kernel.code_of = @first}
flow.executable private @first {
  func.func @first(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
flow.executable private @second {
  func.func @second(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
flow.executable private @third {
  func.func @third(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
kernel.program @one of @first for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = "+fma,-sse4a"}> object(dense<2> : tensor<4xi8>) attributes {kernel.objects = [dense<2> : tensor<4xi8>, dense<3> : tensor<4xi8>, dense<4> : tensor<4xi8>]} {
  func.func @workgroups() -> index {
    %c = arith.constant 1 : index
    return %c : index
  }
  func.func @scratch() -> index {
    %c = arith.constant 0 : index
    return %c : index
  }
}
kernel.program @two of @second for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = "+fma,-sse4a"}> attributes {kernel.code_of = @one} {
  func.func @workgroups() -> index {
    %c = arith.constant 1 : index
    return %c : index
  }
  func.func @scratch() -> index {
    %c = arith.constant 0 : index
    return %c : index
  }
}
kernel.program @three of @third for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = "+fma,-sse4a"}> attributes {kernel.code_of = @one} {
  func.func @workgroups() -> index {
    %c = arith.constant 1 : index
    return %c : index
  }
  func.func @scratch() -> index {
    %c = arith.constant 0 : index
    return %c : index
  }
}
