// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --devices-declare-globals

// expected-error @+1 {{unknown default device 'cup'; declared: @gpu, @cpu; did you mean '@cpu'?}}
module attributes {device.default = "cup", device.targets = [#device.named<"gpu", #device.alias<"vulkan">>, #device.named<"cpu", #device.alias<"local">>]} {
}

// -----

// expected-error @+1 {{unknown default device 2: there are 2, counted from 0; declared: @device_0, @device_1}}
module attributes {device.default = 2, device.targets = [#device.alias<"local">, #device.alias<"local">]} {
}

// -----

// expected-error @+1 {{device.targets is a dictionary, which has no order: say with device.default which of its devices is the default}}
module attributes {device.targets = {a = #device.alias<"local">, b = #device.alias<"local">}} {
}

// -----

// expected-error @+1 {{device.targets names some devices and others not, got #device.named<"a", #device.alias<"local">> and #device.alias<"local">: name all, or none}}
module attributes {device.targets = [#device.named<"a", #device.alias<"local">>, #device.alias<"local">]} {
}

// -----

// expected-error @+1 {{device.targets gives a device two names, "a" and "b"}}
module attributes {device.targets = {a = #device.named<"b", #device.alias<"local">>}} {
}

// -----

// expected-error @+1 {{device.targets declares @main, a name that is taken}}
module attributes {device.targets = [#device.named<"main", #device.alias<"local">>]} {
  // expected-note @+1 {{by this}}
  func.func @main() { return }
}

// -----

// expected-note @+1 {{device.targets is [#device.alias<"null">]}}
module attributes {device.targets = [#device.alias<"null">]} {
  // expected-error @+1 {{the module declares this device, and device.targets declares more: give them in one place}}
  device.global @a = #device.alias<"local">
}
