// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --devices-declare-globals | FileCheck %s

// CHECK: module attributes {device.default = #device.affinity<@device_0>} {
// CHECK-NEXT: device.global @device_0 = #device.alias<"vulkan">
// CHECK-NEXT: device.global @device_1 = #device.select<[#device.alias<"null">, #device.fallback<@device_0>]>
// CHECK-NEXT: func.func @main
module attributes {device.targets = [#device.alias<"vulkan">, #device.select<[#device.alias<"null">, #device.fallback<@device_0>]>]} {
  func.func @main() { return }
}

// -----

// CHECK: module attributes {device.default = #device.affinity<@cpu>} {
// CHECK-NEXT: device.global @gpu = #device.alias<"vulkan">
// CHECK-NEXT: device.global @cpu = #device.alias<"local">
module attributes {device.default = "cpu", device.targets = [#device.named<"gpu", #device.alias<"vulkan">>, #device.named<"cpu", #device.alias<"local">>]} {
}

// -----

// CHECK: module attributes {device.default = #device.affinity<@device_1>} {
module attributes {device.default = 1, device.targets = [#device.alias<"local">, #device.alias<"local">]} {
}

// -----

// A dictionary is sorted by name.
// CHECK: module attributes {device.default = #device.affinity<@b>} {
// CHECK-NEXT: device.global @a
// CHECK-NEXT: device.global @b
module attributes {device.default = "b", device.targets = {b = #device.alias<"local">, a = #device.alias<"null">}} {
}

// -----

// One needs none.
// CHECK: module attributes {device.default = #device.affinity<@only>} {
module attributes {device.targets = {only = #device.alias<"local">}} {
}

// -----

// Declared already: only the default is made an affinity.
// CHECK: module attributes {device.default = #device.affinity<@b>} {
// CHECK-NEXT: device.global @a
// CHECK-NEXT: device.global @b
module attributes {device.default = 1} {
  device.global @a = #device.alias<"local">
  device.global @b = #device.alias<"local">
}
