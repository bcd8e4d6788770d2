// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{a device target needs the name of a runtime driver}}
device.global @d = #device.target<"", ordinal = -1, [#device.executable<"elf-x86_64", cpu = "x86-64", features = "">]>

// -----

// expected-error @+1 {{a device's ordinal counts from 0 (-1: any), got -2}}
device.global @d = #device.target<"local", ordinal = -2, [#device.executable<"elf-x86_64", cpu = "x86-64", features = "">]>

// -----

// expected-error @+1 {{a device target needs at least one #device.executable}}
"device.global"() <{sym_name = "d", target = #device.target<"local", ordinal = 0, []>}> : () -> ()
