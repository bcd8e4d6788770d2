// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --codegen-mark-cold='least=3 percent=10' | FileCheck %s
// RUN: heddle-opt %s --codegen-mark-cold='least=4 percent=10' | FileCheck %s --check-prefix=FEW
// RUN: heddle-opt %s --codegen-mark-cold='least=3 percent=0' | FileCheck %s --check-prefix=FEW

#cpu = #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = "+avx512f"}>
device.global @d = #device.target<"local", {ordinal = 0}, [#cpu]>

// 4 elements are a small part of the time of a million; once more in a loop, and they may be all of it.
// CHECK: kernel.program @little of @small {{.*}} attributes {kernel.cold}
// CHECK: kernel.program @most of @large for
// CHECK-NOT: kernel.cold
// CHECK: kernel.program @repeated of @looped for
// CHECK-NOT: kernel.cold
// FEW-NOT: kernel.cold
flow.executable private @small {
  func.func @small(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
flow.executable private @large {
  func.func @large(%x: tensor<1048576xf32>) -> tensor<1048576xf32> { return %x : tensor<1048576xf32> }
}
flow.executable private @looped {
  func.func @looped(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
kernel.program @little of @small for #cpu {}
kernel.program @most of @large for #cpu {}
kernel.program @repeated of @looped for #cpu {}

func.func @main(%s: !host.stream, %x: !host.buffer, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  host.dispatch %s, @small(%x, %x) access(["r", "w"])
  host.dispatch %s, @large(%x, %x) access(["r", "w"])
  scf.for %i = %zero to %n step %one {
    host.dispatch %s, @looped(%x, %x) access(["r", "w"])
  }
  return
}
