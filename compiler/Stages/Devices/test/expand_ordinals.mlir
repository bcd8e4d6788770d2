// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-expand-ordinals --split-input-file | FileCheck %s
// RUN: heddle-opt %s --devices-expand-ordinals --devices-verify --split-input-file | FileCheck %s

// One alternative for each driver, with all targets of it; its rates are not those of the devices that named them.
// CHECK: device.global @a = #device.target<"local", {gflops = 50 : i64}, [<"elf-x86_64", {cpu = "x86-64"}>]>
// CHECK: device.global @b = #device.select<[#device.target<"local", {given = 1 : i64}, [<"elf-x86_64", {cpu = "x86-64"}>, <"elf-x86_64", {cpu = "x86-64-v3"}>]>, #device.target<"null", {given = 1 : i64}, [<"elf-x86_64", {cpu = "x86-64"}>]>]>
// CHECK: device.global @c = #device.select<[#device.target<"local", {ordinal = 1 : i64}, [<"elf-x86_64", {cpu = "x86-64-v3"}>]>, #device.target<"local", {given = 0 : i64}
// CHECK-SAME: #device.target<"null", {given = 0 : i64}
// CHECK-SAME: #device.fallback<@a>
device.global @a = #device.target<"local", {gflops = 50}, [#device.executable<"elf-x86_64", {cpu = "x86-64"}>]>
device.global @b = #device.ordinal<1>
device.global @c = #device.select<[#device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3"}>]>, #device.ordinal<0>, #device.fallback<@a>]>
device.global @d = #device.target<"null", [#device.executable<"elf-x86_64", {cpu = "x86-64"}>]>

// -----

// Where the module names no target: what a module without devices is compiled for.
// CHECK: device.global @a = #device.target<"local", {given = 0 : i64}, [<"elf-{{.*}}
// CHECK: device.global @b = #device.target<"local", {given = 1 : i64}, [<"elf-{{.*}}
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
