// RUN: heddle-opt %s --devices-pin-ops | FileCheck %s

// With one device there is nothing to pin.
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64">]>
// CHECK-LABEL: @f
// CHECK-NEXT: arith.negf %{{.*}} : tensor<2xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.negf %x {heddle.affinity = #device.affinity<@cpu>} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
