// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-expand-aliases | FileCheck %s

// CHECK: device.global @a = #device.target<"cuda", [<"ptx", {arch = "sm_80", maxComputeSharedMemorySize = 49152 : i64, {{.*}}}>]>
device.global @a = #device.alias<"cuda">
// CHECK: device.global @b = #device.target<"cuda", {ordinal = 1 : i64}, [<"ptx", {arch = "sm_90", maxComputeSharedMemorySize = 98304 : i64, {{.*}}}>]>
device.global @b = #device.alias<"cuda"[1], {arch = "sm_90", maxComputeSharedMemorySize = 98304}>
