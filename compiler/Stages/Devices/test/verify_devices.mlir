// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-verify | FileCheck %s

// CHECK: module
module attributes {device.default = #device.affinity<@gpu>, device.topology = #device.topology<[#device.link<@cpu -> @gpu>]>} {
  device.global @cpu = #device.target<"null", [#device.executable<"elf-x86_64">]>
  device.global @gpu = #device.select<[#device.target<"null", [#device.executable<"elf-x86_64">]>, #device.fallback<@cpu>]>
  func.func private @f(tensor<2xf32> {heddle.affinity = #device.affinity<@gpu>})
}
