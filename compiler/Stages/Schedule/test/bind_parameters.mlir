// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter whose layout depends on what a device turns out to be is packed once, when it is known.
// RUN: heddle-opt %s --schedule-bind-parameters --schedule-verify-host | FileCheck %s

#x86 = #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>
#arm = #device.executable<"elf-aarch64", {cpu = "generic", features = ""}>
#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [2], swizzle = []>
device.global @d = #device.select<[#device.target<"local", [#x86]>, #device.target<"local", [#arm]>]>
flow.parameter private @plain : tensor<4xf32> = dense<1.0>
flow.parameter private @w : tensor<2x4xf32, #encoding.by_device<@d, [#panels, #encoding.identity]>> = dense<1.0> : tensor<2x4xf32>
flow.executable private @f { func.func @f() { return } }

// CHECK-LABEL: host.func @__bind(
// CHECK-NEXT: %[[A:.*]] = host.alternative @d
// CHECK-NEXT: scf.index_switch %[[A]]
// CHECK-NEXT: case 0 {
// CHECK-NEXT: %[[P:.*]] = host.pack @w layout(#encoding.layout<{{.*}}>) on @d
// CHECK-NEXT: host.bind "w" = %[[P]] : !host.buffer
// CHECK: default {
// CHECK-NEXT: %[[R:.*]] = host.parameter @w on @d
// CHECK-NEXT: host.bind "w" = %[[R]] : !host.buffer
// CHECK: host.return shape()
// CHECK-LABEL: host.func @main
// CHECK: %[[P:.*]] = host.parameter @plain on @d
// CHECK: %[[W:.*]] = host.bound "w" : !host.buffer
// CHECK: host.dispatch %{{.*}}, @f(%[[P]], %[[W]]
host.func @main(%s: !host.stream) arguments([]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %p = host.parameter @plain on @d
  %w = host.parameter @w on @d
  %y = host.result 0 on @d size %c16
  host.dispatch %s, @f(%p, %w, %y) access(["r", "r", "w"])
  host.return %y shape(%c4)
}
