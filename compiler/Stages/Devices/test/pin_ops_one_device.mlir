// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-pin-ops --split-input-file | FileCheck %s

// With one device there is nothing to pin.
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64">]>
// CHECK-LABEL: @f
// CHECK-NEXT: arith.negf %{{.*}} : tensor<2xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.negf %x {heddle.affinity = #device.affinity<@cpu>} : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// But its queues: the pin is a transfer, which copies nothing.
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64">]>
// CHECK-LABEL: @queues
// CHECK-NEXT: %[[T:.*]] = flow.transfer %arg0 {{.*}}<@cpu, [1]>
// CHECK-NEXT: arith.negf %[[T]] : tensor<2xf32>
func.func @queues(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.negf %x {heddle.affinity = #device.affinity<@cpu, [1]>} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
