// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-expand-aliases | FileCheck %s

// CHECK: device.global @cpu = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64-v3", features = "+sse2,{{.*}}+avx2,+bmi2"}>]>
device.global @cpu = #device.alias<"local", {cpu = "x86-64-v3"}>
// CHECK: device.global @several = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64-v3", {{[^>]*}}>, <"elf-aarch64", {cpu = "generic", features = "+neon"}>, <"elf-riscv64", {cpu = "generic-rv64", features = "+m,+a,+f,+d,+c,+v"}>]>
device.global @several = #device.alias<"local", {cpu = ["x86-64-v3", "aarch64:generic", "x86-64-v3", "riscv64:generic+v"]}>
// CHECK: device.global @second = #device.target<"null", {memory = 536870912 : i64, ordinal = 1 : i64}, [
device.global @second = #device.alias<"null"[1], {memory = "512MiB"}>
// CHECK: device.global @third = #device.target<"null", {gflops = 1.000000e+03 : f64, memory = 2500000000 : i64, ordinal = 2 : i64}, [
device.global @third = #device.alias<"null"[2], {memory = "2.5GB", gflops = 1.0e3}>
// CHECK: device.global @fourth = #device.target<"null", {memory = 2199023255552 : i64, ordinal = 3 : i64}, [
device.global @fourth = #device.alias<"null"[3], {memory = "2TiB"}>
// CHECK: device.global @sim = #device.target<"sim", {gflops = 50 : i64, launch_us = 1.500000e+00 : f64, memory = 4096 : i64}, [
device.global @sim = #device.alias<"sim", {memory = 4096, gflops = 50, launch_us = 1.5}>
// CHECK: device.global @counted = #device.target<"local", {queues = 64 : i64, units = 8 : i64}, [
device.global @counted = #device.alias<"local", {queues = 64, units = 8, cpu = "x86-64-v3"}>
// A select in a select, and twice the same: one list.
// CHECK: device.global @flat = #device.select<[#device.target<"null", [<"elf-aarch64", {cpu = "generic", features = "+neon"}>]>, #device.ordinal<3>, #device.fallback<@cpu>]>
device.global @flat = #device.select<[#device.select<[#device.alias<"null", {cpu = "aarch64:generic"}>, #device.ordinal<3>]>, #device.ordinal<3>, #device.fallback<@cpu>, #device.fallback<@cpu>]>
// CHECK: device.global @same = #device.fallback<@flat>
device.global @same = #device.select<[#device.fallback<@flat>]>
