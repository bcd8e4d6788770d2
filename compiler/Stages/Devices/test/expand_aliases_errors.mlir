// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --devices-expand-aliases

// expected-error @+1 {{unknown target device 'loacl'; known: local}}
device.global @a = #device.select<[#device.alias<"loacl">, #device.alias<"local">]>

// -----

// expected-error @+1 {{unknown option 'cpus' of device 'local'; known: memory, gflops, memory_gbps, launch_us, from_host_gbps, from_host_us, to_host_gbps, to_host_us, queues, units, cpu; did you mean 'cpu'?}}
device.global @a = #device.alias<"local", {cpus = "host"}>

// -----

// expected-error @+1 {{unknown target CPU 'x86-64-v33'; did you mean 'x86-64-v3'?}}
device.global @a = #device.alias<"local", {cpu = "x86-64-v33"}>

// -----

// expected-error @+1 {{a processor is [ARCHITECTURE:]CPU[+FEATURE]…, such as x86-64-v3, got 3 : i64}}
device.global @a = #device.alias<"local", {cpu = [3]}>

// -----

// expected-error @+1 {{a device's memory is a number of bytes, or as in 512MiB or 2GB, got "2QB"}}
device.global @a = #device.alias<"local", {memory = "2QB"}>

// -----

// expected-error @+1 {{a device's gflops is a positive number, got "many"}}
device.global @a = #device.alias<"local", {gflops = "many"}>

// -----

// expected-error @+1 {{a device's queues are a whole number from 1 to 64, got 65 : i64}}
device.global @a = #device.alias<"local", {queues = 65}>

// -----

// expected-error @+1 {{a device's units are a whole number from 1 to 1048576, got 5.000000e-01 : f64}}
device.global @a = #device.alias<"local", {units = 0.5}>

// -----

// expected-error @+1 {{falls back to @c, which is not declared; declared: @a, @bb}}
device.global @a = #device.select<[#device.alias<"local">, #device.fallback<@c>]>
device.global @bb = #device.alias<"local">

// -----

// expected-error @+1 {{falls back to itself: @a -> @b -> @c -> @a; a fallback must end at a device that can be there}}
device.global @a = #device.select<[#device.alias<"local">, #device.fallback<@b>]>
device.global @b = #device.select<[#device.alias<"local">, #device.fallback<@d>, #device.fallback<@c>]>
device.global @c = #device.fallback<@a>
device.global @d = #device.alias<"local">

// -----

// expected-error @+1 {{falls back to itself: @a -> @a; a fallback must end at a device that can be there}}
device.global @a = #device.fallback<@a>
