// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-expand-aliases --verify-diagnostics --split-input-file

// expected-error @+1 {{maxComputeSharedMemorySize is a number of bytes from 1 to 232448, which workgroups of some GPUs may share, got 232449 : i64}}
device.global @a = #device.alias<"cuda", {maxComputeSharedMemorySize = 232449}>

// -----

// expected-error @+1 {{maxComputeSharedMemorySize is a number of bytes from 1 to 232448, which workgroups of some GPUs may share, got "64KiB"}}
device.global @a = #device.alias<"cuda", {maxComputeSharedMemorySize = "64KiB"}>

// -----

// expected-error @+1 {{an architecture is one from sm_80 to sm_90a, which PTX 8.0 knows, got "sm_70"}}
device.global @a = #device.alias<"cuda", {arch = "sm_70"}>
