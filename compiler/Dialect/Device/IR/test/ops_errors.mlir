// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{a device target needs the name of a runtime driver}}
device.global @d = #device.target<"", [#device.executable<"elf-x86_64">]>

// -----

// expected-error @+1 {{a device's ordinal counts from 0 (any device without one), got -2}}
device.global @d = #device.target<"local", {ordinal = -2}, [#device.executable<"elf-x86_64">]>

// -----

// expected-error @+1 {{a device's given counts from 0 (any device without one), got "b"}}
device.global @d = #device.target<"local", {given = "b"}, [#device.executable<"elf-x86_64">]>

// -----

// expected-error @+1 {{a device has an ordinal among those that match, or a position among all given, got both: {given = 1 : i64, ordinal = 0 : i64}}}
device.global @d = #device.target<"local", {ordinal = 0, given = 1}, [#device.executable<"elf-x86_64">]>

// -----

// expected-error @+1 {{a device target needs at least one #device.executable}}
device.global @d = #device.target<"local", {ordinal = 0}, []>

// -----

// expected-error @+1 {{an executable target needs a format, such as "elf-x86_64" or "spirv"}}
device.global @d = #device.target<"local", [#device.executable<"">]>

// -----

// expected-error @+1 {{a device alias needs a name, such as "local"}}
device.global @d = #device.alias<"">

// -----

// expected-error @+1 {{a device's ordinal counts from 0, got -3}}
device.global @d = #device.alias<"local"[-3]>

// -----

// expected-error @+1 {{a device's ordinal counts from 0, got -1}}
device.global @d = #device.ordinal<-1>

// -----

// expected-error @+1 {{a #device.select needs at least one device to select from}}
device.global @d = #device.select<[]>

// -----

// expected-error @+1 {{a #device.select takes what a device can be, such as #device.target, #device.alias or #device.fallback, got "gpu"}}
device.global @d = #device.select<["gpu"]>

// -----

// expected-error @+1 {{must be set to what a device can be, such as #device.target, #device.alias or #device.select, got 7 : i32}}
device.global @d = 7 : i32

// -----

// expected-error @+1 {{queues of an affinity count from 0 and stand in increasing order, each once, got 1 after 1}}
func.func private @f() attributes {test.affinity = #device.affinity<@d, [1, 1]>}

// -----

// expected-error @+1 {{queues of an affinity count from 0 and stand in increasing order, each once, got -1}}
func.func private @f() attributes {test.affinity = #device.affinity<@d, [-1]>}
