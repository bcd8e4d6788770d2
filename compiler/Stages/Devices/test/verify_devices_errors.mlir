// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-verify --verify-diagnostics --split-input-file

// expected-error @+1 {{unknown driver 'gpu'; known: local}}
device.global @a = #device.target<"gpu", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>

// -----

// expected-error @+1 {{unknown executable format 'elv-x86_64'}}
device.global @a = #device.target<"local", [#device.executable<"elv-x86_64">]>

// -----

// expected-error @+1 {{#device.executable<"spirv", {workgroup = 96 : i64}>: workgroup is a power of two from 1 to 1024, got 96 : i64}}
device.global @a = #device.target<"local", [#device.executable<"spirv", {workgroup = 96}>]>

// -----

// expected-error @+1 {{workgroup is a power of two from 1 to 1024, got 0 : i64}}
device.global @a = #device.target<"local", [#device.executable<"spirv", {workgroup = 0}>]>

// -----

// expected-error @+1 {{workgroup is a power of two from 1 to 1024, got 2048 : i64}}
device.global @a = #device.target<"local", [#device.executable<"ptx", {arch = "sm_80", workgroup = 2048}>]>

// -----

// expected-error @+1 {{workgroup is a power of two from 1 to 1024, got "64"}}
device.global @a = #device.target<"local", [#device.executable<"spirv", {workgroup = "64"}>]>

// -----

// expected-error @+1 {{maxComputeSharedMemorySize is positive, got -1 : i64}}
device.global @a = #device.target<"local", [#device.executable<"spirv", {maxComputeSharedMemorySize = -1}>]>

// -----

// expected-error @+1 {{names the device @b, which is not declared; declared: @a}}
module attributes {device.default = #device.affinity<@b>} {
  device.global @a = #device.target<"null", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
}

// -----

// expected-error @+1 {{names the device @bcd, which is not declared; declared: @a, @bce; did you mean '@bce'?}}
module attributes {device.topology = #device.topology<[#device.link<@a -> @bcd>]>} {
  device.global @a = #device.target<"null", [#device.executable<"elf-x86_64">]>
  device.global @bce = #device.target<"null", [#device.executable<"elf-x86_64">]>
}

// -----

device.global @a = #device.target<"null", [#device.executable<"elf-x86_64">]>
// expected-error @+1 {{names the device @b, which is not declared; declared: @a}}
func.func private @f(tensor<2xf32> {heddle.affinity = #device.affinity<@b>})

// -----

device.global @a = #device.target<"null", [#device.executable<"elf-x86_64">]>
// expected-error @+1 {{is still promised a device, #device.promise<@a>: run devices-resolve-promises first}}
func.func private @f() attributes {test.on = [#device.promise<@a>]}

// -----

// expected-error @+1 {{is still an alias, #device.alias<"local">: run devices-expand-aliases first}}
device.global @a = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64">]>, #device.alias<"local">]>

// -----

// expected-error @+1 {{falls back to @b, which is not declared; declared: @a}}
device.global @a = #device.fallback<@b>

// -----

// expected-error @+1 {{has no executable target: no code can be made for it; give the module a device that says what it is, such as #device.alias<"local">}}
device.global @a = #device.fallback<@a>

// -----

// expected-error @+1 {{is still known by its position alone, #device.ordinal<1>: run devices-expand-ordinals first}}
device.global @a = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64">]>, #device.ordinal<1>]>

// -----

// A fallback has the queues of what it falls back to; of alternatives the one with most counts.
device.global @a = #device.target<"local", {queues = 2 : i64}, [#device.executable<"elf-x86_64">]>
device.global @b = #device.select<[#device.target<"null", {queues = 3 : i64}, [#device.executable<"elf-x86_64">]>, #device.fallback<@a>]>
func.func private @fits() attributes {heddle.affinity = #device.affinity<@b, [0, 2]>}
// expected-error @+1 {{names queue 3 of @b, whose targets state 3 queues; name queues from 0 to 2}}
func.func private @f() attributes {heddle.affinity = #device.affinity<@b, [3]>}

// -----

device.global @a = #device.target<"null", [#device.executable<"elf-x86_64">]>
func.func private @fits() attributes {heddle.affinity = #device.affinity<@a, [63]>}
// expected-error @+1 {{names queue 64 of @a; name queues from 0 to 63}}
func.func private @f() attributes {heddle.affinity = #device.affinity<@a, [64]>}
