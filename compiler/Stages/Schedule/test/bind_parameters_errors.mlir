// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-bind-parameters --verify-diagnostics

#x86 = #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>
#arm = #device.executable<"elf-aarch64", {cpu = "generic", features = ""}>
#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [2], swizzle = []>
device.global @d = #device.select<[#device.target<"local", [#x86]>, #device.target<"local", [#arm]>]>
device.global @e = #device.target<"local", [#x86]>
flow.parameter private @w : tensor<2x4xf32, #encoding.by_device<@d, [#panels, #encoding.identity]>> = dense<1.0> : tensor<2x4xf32>
host.func @main(%s: !host.stream) arguments([]) results([]) symbols([]) {
  // expected-error @+1 {{'host.parameter' op loads @w on @e, but its layout is that of @d}}
  %w = host.parameter @w on @e
  host.return shape()
}
