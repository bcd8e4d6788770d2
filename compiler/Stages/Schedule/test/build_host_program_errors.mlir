// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-build-host-program --split-input-file --verify-diagnostics

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// expected-error @+1 {{'func.func' op argument "x" has dynamic dimension 0 without a name; name it in heddle.dims}}
func.func @main(%x: tensor<?xf32> {heddle.name = "x"}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'flow.dimension' op names no dimension of the entry point's arguments: "m"}}
  %m = flow.dimension "m"
  %c1 = arith.constant 1 : index
  %ok = arith.cmpi sge, %m, %c1 : index
  flow.check %ok, "m"
  return %x : tensor<4xf32>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tensor.extract' op reads 'f32' on the host, which computes with integers only}}
  %0 = tensor.extract %x[%c0] : tensor<4xf32>
  %1 = tensor.from_elements %0 : tensor<f32>
  return %1 : tensor<f32>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{'tensor.extract_slice' op is not contiguous in memory; form it into a dispatch}}
  %0 = tensor.extract_slice %x[0, 0] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.sin' op cannot run on the host, which takes dispatches, transfers, checks, reshapes, scf and integer arithmetic; form it into a dispatch}}
  %0 = math.sin %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// expected-error @+1 {{'func.func' op takes and gives ranked tensors of integers or floats at its boundary, got 'tensor<4xi3>'}}
func.func @main(%x: tensor<4xi3>) -> tensor<4xi3> {
  return %x : tensor<4xi3>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @e = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'flow.dispatch' op runs on @e and reads a value of @d; bring it there by a flow.transfer}}
  %0 = flow.dispatch @f(%x) {heddle.affinity = #device.affinity<@e>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'flow.transfer' op belongs on @e, which is not a device.global}}
  %0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@e>
  return %0 : tensor<4xf32>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'flow.transfer' op needs one device after placement, got affinity "e"}}
  %0 = flow.transfer %x : tensor<4xf32> to "e"
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{schedule needs a device: the module has no device.global}}
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// expected-error @+1 {{argument "x" has a default, so it cannot be state or donated}}
func.func @main(%x: tensor<4xf32> {heddle.name = "x", heddle.donated = 0 : i64, heddle.default = dense<1.0> : tensor<4xf32>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
