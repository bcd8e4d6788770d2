// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK: device.global @any = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @any = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
// CHECK: device.global @second = #device.target<"local", {ordinal = 1 : i64}, [<"elf-x86_64", {cpu = "x86-64", features = "+avx2"}>, <"elf-x86_64">]>
device.global @second = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64", features = "+avx2"}>, #device.executable<"elf-x86_64">]>
// CHECK: device.global @ptx = #device.target<"cuda", {ordinal = 0 : i64}, [<"ptx", {arch = "sm_90"}>]>
device.global @ptx = #device.target<"cuda", {ordinal = 0}, [#device.executable<"ptx", {arch = "sm_90"}>]>
// CHECK: device.global @alias = #device.alias<"cuda">
device.global @alias = #device.alias<"cuda">
// CHECK: device.global @full_alias = #device.alias<"cuda"[2], {arch = ["sm_90"]}>
device.global @full_alias = #device.alias<"cuda"[2], {arch = ["sm_90"]}>
// CHECK: device.global @third = #device.ordinal<2>
device.global @third = #device.ordinal<2>
// CHECK: device.global @one_of = #device.select<[#device.alias<"vulkan">, #device.select<[#device.ordinal<1>]>, #device.fallback<@any>]>
device.global @one_of = #device.select<[#device.alias<"vulkan">, #device.select<[#device.ordinal<1>]>, #device.fallback<@any>]>
// CHECK: attributes {test.affinities = [#device.affinity<@any>, #device.affinity<@any, [0, 3]>]}
func.func private @f() attributes {test.affinities = [#device.affinity<@any>, #device.affinity<@any, [0, 3]>]}
// CHECK: attributes {test.promises = [#device.promise<@gpu>, #device.promise<@gpu, [1]>], test.which = #device.optimal<[#device.affinity<@any>, #device.affinity<@ptx, [0]>]>}
func.func private @g() attributes {test.promises = [#device.promise<@gpu>, #device.promise<@gpu, [1]>], test.which = #device.optimal<[#device.affinity<@any>, #device.affinity<@ptx, [0]>]>}
// CHECK: module attributes {device.default = 1 : i64, device.targets = [#device.named<"gpu", #device.alias<"vulkan">>], device.topology = #device.topology<[<@any -> @ptx, {bandwidth_gbps = 25 : i64, latency_us = 1.500000e+00 : f64}>, <@ptx -> @any, {unified}>, <@any -> @second>]>}
module attributes {device.default = 1, device.targets = [#device.named<"gpu", #device.alias<"vulkan">>],
                   device.topology = #device.topology<[#device.link<@any -> @ptx, {bandwidth_gbps = 25, latency_us = 1.5}>, #device.link<@ptx -> @any, {unified}>, #device.link<@any -> @second>]>} {
}
// CHECK: module attributes {device.default = #device.affinity<@any>, device.targets = {gpu = #device.alias<"vulkan">}, device.topology = #device.topology<[]>}
module attributes {device.default = #device.affinity<@any>, device.targets = {gpu = #device.alias<"vulkan">}, device.topology = #device.topology<[]>} {
}
