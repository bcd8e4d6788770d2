// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-resolve-promises | FileCheck %s

// CHECK: module attributes {device.default = #device.affinity<@b>}
module attributes {device.default = #device.promise<@b>} {
  device.global @a = #device.alias<"local">
  device.global @b = #device.alias<"local">
  // CHECK: func.func @main(%{{.*}}: tensor<2xf32> {heddle.affinity = #device.affinity<@a>}) -> (tensor<2xf32> {heddle.affinity = #device.affinity<@b, [0, 2]>})
  // CHECK-SAME: attributes {heddle.affinity = #device.optimal<[#device.affinity<@a>, #device.affinity<@b>]>, test.nested = [{x = [#device.affinity<@a>]}, 3 : i32]}
  func.func @main(%x: tensor<2xf32> {heddle.affinity = #device.promise<@a>}) -> (tensor<2xf32> {heddle.affinity = #device.promise<@b, [0, 2]>})
      attributes {heddle.affinity = #device.optimal<[#device.promise<@a>, #device.affinity<@b>]>, test.nested = [{x = [#device.promise<@a>]}, 3 : i32]} {
    // CHECK: arith.addf {{.*}} {heddle.affinity = #device.affinity<@a>}
    %0 = arith.addf %x, %x {heddle.affinity = #device.promise<@a>} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
