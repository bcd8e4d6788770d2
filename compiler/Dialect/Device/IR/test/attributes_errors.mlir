// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{queues of an affinity count from 0 and stand in increasing order, each once, got 0 after 2}}
func.func private @f() attributes {test.promise = #device.promise<@d, [2, 0]>}

// -----

// expected-error @+1 {{a #device.optimal takes affinities, got @a}}
func.func private @f() attributes {test.optimal = #device.optimal<[@a]>}

// -----

// expected-error @+1 {{a #device.optimal names each device once, got @a again}}
func.func private @f() attributes {test.optimal = #device.optimal<[#device.affinity<@a>, #device.affinity<@a, [0]>]>}

// -----

// expected-error @+1 {{a #device.named names what a device can be, such as #device.target, #device.alias or #device.select, got #device.affinity<@a>}}
module attributes {device.targets = [#device.named<"gpu", #device.affinity<@a>>]} {}

// -----

// expected-error @+1 {{a #device.named needs a name}}
module attributes {device.targets = [#device.named<"", #device.alias<"local">>]} {}

// -----

// expected-error @+1 {{a link joins two devices, got @a twice: a device is unified with itself}}
func.func private @f() attributes {test.link = #device.link<@a -> @a>}

// -----

// expected-error @+1 {{a link's unified has no value, got true}}
func.func private @f() attributes {test.link = #device.link<@a -> @b, {unified = true}>}

// -----

// expected-error @+1 {{a link's bandwidth_gbps is a positive number, got 0 : i64}}
func.func private @f() attributes {test.link = #device.link<@a -> @b, {bandwidth_gbps = 0}>}

// -----

// expected-error @+1 {{a link knows unified, transparent, bandwidth_gbps and latency_us, got "bandwidth"}}
func.func private @f() attributes {test.link = #device.link<@a -> @b, {bandwidth = 3}>}

// -----

// expected-error @+1 {{a topology has one link for each direction, got two from @a to @b}}
module attributes {device.topology = #device.topology<[#device.link<@a -> @b>, #device.link<@b -> @a>, #device.link<@a -> @b, {unified}>]>} {}

// -----

// expected-error @+1 {{device.targets must be an array of devices, or a dictionary of names, got "local"}}
module attributes {device.targets = "local"} {}

// -----

// expected-error @+1 {{device.targets holds what a device can be, such as #device.target, #device.alias or #device.select, got "local"}}
module attributes {device.targets = ["local"]} {}

// -----

// expected-error @+1 {{device.default must be a #device.affinity, a device's name or its position, got @a}}
module attributes {device.default = @a} {}

// -----

// expected-error @+1 {{device.topology must be a #device.topology, got []}}
module attributes {device.topology = []} {}

// -----

// expected-error @+1 {{unknown attribute "device.defualt"; known: device.default, device.targets, device.topology}}
module attributes {device.defualt = 0} {}

// -----

// expected-error @+1 {{device.default stands on the module}}
func.func private @f() attributes {device.default = 0}
