// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'flow.parameter' op needs a static shape, got 'tensor<?xf32>'}}
"flow.parameter"() <{sym_name = "w", type = tensor<?xf32>, value = dense<1.0> : tensor<2xf32>}> : () -> ()

// -----

// expected-error @+1 {{'flow.parameter' op has type 'tensor<3xf32>' but its value has type 'tensor<2xf32>'}}
"flow.parameter"() <{sym_name = "w", type = tensor<3xf32>, value = dense<1.0> : tensor<2xf32>}> : () -> ()

// -----

func.func @main() {
  // expected-error @+1 {{'flow.parameter.load' op names no flow.parameter: @w}}
  flow.parameter.load @w : tensor<2xf32>
  return
}

// -----

flow.parameter private @w : tensor<2xf32> = dense<1.0>
func.func @main() {
  // expected-error @+1 {{'flow.parameter.load' op has type 'tensor<3xf32>' but @w has type 'tensor<2xf32>'}}
  flow.parameter.load @w : tensor<3xf32>
  return
}

// -----

func.func @main(%x: tensor<?xf32>) {
  // expected-error @+1 {{'flow.region' op needs one size for each dynamic dimension of its results: 1, got 0}}
  flow.region -> (tensor<?xf32>) {
    flow.return %x : tensor<?xf32>
  }
  return
}

// -----

func.func @main(%x: tensor<3xf32>) {
  // expected-error @+1 {{'flow.region' op must end in a flow.return of its result types}}
  flow.region -> (tensor<2xf32>) {
    flow.return %x : tensor<3xf32>
  }
  return
}

// -----

// expected-error @+1 {{'flow.executable' op needs a func.func of its own name}}
flow.executable private @e {
  func.func @other() { return }
}

// -----

// expected-error @+1 {{'flow.executable' op holds only func.func and flow.variant, got builtin.module}}
flow.executable private @e {
  func.func @e() { return }
  builtin.module {}
}

// -----

flow.executable private @e {
  func.func @e() { return }
  // expected-error @+1 {{'flow.variant' op launch must be invocations along x, y and z, from 1 to 1024 together, and at most 1048576 shared bytes, got array<i64: 64, 0, 1, 16>}}
  flow.variant @v target("t") format("f") features([]) symbol("s") object(dense<0> : tensor<1xi8>) attributes {launch = array<i64: 64, 0, 1, 16>} {
  }
}

// -----

flow.executable private @e {
  func.func @e() { return }
  // expected-error @+1 {{'flow.variant' op launch must be invocations along x, y and z, from 1 to 1024 together, and at most 1048576 shared bytes, got array<i64: 64, 1, 1>}}
  flow.variant @v target("t") format("f") features([]) symbol("s") object(dense<0> : tensor<1xi8>) attributes {launch = array<i64: 64, 1, 1>} {
  }
}

// -----

flow.executable private @e {
  func.func @e() { return }
  // expected-error @+1 {{'flow.variant' op needs a function @scratch}}
  flow.variant @v target("t") format("f") features([]) symbol("s") object(dense<0> : tensor<1xi8>) {
    func.func @workgroups() -> index { %c1 = arith.constant 1 : index return %c1 : index }
  }
}

// -----

flow.executable private @e {
  func.func @e() { return }
  // expected-error @+1 {{'flow.variant' op @workgroups must take index values and give one, got '(i32) -> index'}}
  flow.variant @v target("t") format("f") features([]) symbol("s") object(dense<0> : tensor<1xi8>) {
    func.func @workgroups(%m: i32) -> index { %c1 = arith.constant 1 : index return %c1 : index }
    func.func @scratch() -> index { %c1 = arith.constant 1 : index return %c1 : index }
  }
}

// -----

func.func @main(%x: tensor<2xf32>) {
  // expected-error @+1 {{'flow.dispatch' op names no flow.executable: @e}}
  flow.dispatch @e(%x) : (tensor<2xf32>) -> (tensor<2xf32>)
  return
}

// -----

flow.executable private @e { func.func @e(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> } }
func.func @main(%x: tensor<3xf32>) {
  // expected-error @+1 {{'flow.dispatch' op passes ('tensor<3xf32>') to @e, which takes ('tensor<2xf32>')}}
  flow.dispatch @e(%x) : (tensor<3xf32>) -> (tensor<2xf32>)
  return
}

// -----

flow.executable private @e { func.func @e(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> } }
func.func @main(%x: tensor<2xf32>) {
  // expected-error @+1 {{'flow.dispatch' op expects ('tensor<3xf32>') from @e, which gives ('tensor<2xf32>')}}
  flow.dispatch @e(%x) : (tensor<2xf32>) -> (tensor<3xf32>)
  return
}

// -----

flow.executable private @e { func.func @e(%a: tensor<?xf32>) -> tensor<2xf32> { %0 = tensor.cast %a : tensor<?xf32> to tensor<2xf32> return %0 : tensor<2xf32> } }
func.func @main(%x: tensor<?xf32>) {
  // expected-error @+1 {{'flow.dispatch' op needs one size for each dynamic dimension of its operands: 1, got 0}}
  flow.dispatch @e(%x) : (tensor<?xf32>) -> (tensor<2xf32>)
  return
}

// -----

func.func @main(%x: tensor<?xf32>) {
  // expected-error @+1 {{'flow.transfer' op needs one size for each dynamic dimension of its operand: 1, got 0}}
  flow.transfer %x : tensor<?xf32> to #device.affinity<@d>
  return
}

// -----

#rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4]>
// expected-error @+1 {{but its value has type 'tensor<5xf32>'}}
flow.parameter private @w : tensor<4xf32, #rhs> = dense<1.0> : tensor<5xf32>

// -----

// expected-error @+1 {{'flow.parameter' op has type 'tensor<4xf32, #encoding.identity>' but its value has type 'tensor<4xf64>'}}
flow.parameter private @w : tensor<4xf32, #encoding.identity> = dense<1.0> : tensor<4xf64>

// -----

func.func @encode(%x: tensor<4xf32>) {
  // expected-error @+1 {{'flow.encode' op changes the encoding only, got 'tensor<4xf32>' to 'tensor<5xf32, #encoding.identity>'}}
  flow.encode %x : tensor<4xf32> -> tensor<5xf32, #encoding.identity>
  return
}

// -----

func.func @encode_sizes(%x: tensor<?xf32>) {
  // expected-error @+1 {{'flow.encode' op needs one size for each dynamic dimension of its operand: 1, got 0}}
  flow.encode %x : tensor<?xf32> -> tensor<?xf32, #encoding.identity>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'flow.import' op goes to a #device.affinity, #device.optimal or #device.promise, got "gpu"}}
  %0 = flow.import %x : tensor<4xf32> to "gpu"
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'flow.export' op goes to a #device.affinity, #device.optimal or #device.promise, got "gpu"}}
  %0 = flow.export %x : tensor<4xf32> to "gpu"
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{pitch of result 0 names an index argument of the function, got 0}}
flow.executable private @pitch_of_a_tensor {
  func.func @pitch_of_a_tensor(%x: tensor<8x4xf32>) -> (tensor<8x4xf32> {flow.pitch = {outer = 1 : i64, argument = 0 : i64}}) {
    return %x : tensor<8x4xf32>
  }
}

// -----

// expected-error @+1 {{pitch of result 0 has from 1 to 2 outer dimensions, got 3}}
flow.executable private @too_many_outer {
  func.func @too_many_outer(%x: tensor<8x4xf32>) -> (tensor<8x4xf32> {flow.pitch = {outer = 3 : i64, elements = 9 : i64}}) {
    return %x : tensor<8x4xf32>
  }
}

// -----

// expected-error @+1 {{pitch of result 0 is at least a run of 4 elements, got 3}}
flow.executable private @short_pitch {
  func.func @short_pitch(%x: tensor<8x4xf32>) -> (tensor<8x4xf32> {flow.pitch = {outer = 1 : i64, elements = 3 : i64}}) {
    return %x : tensor<8x4xf32>
  }
}

// -----

// expected-error @+1 {{pitch of result 0 is of elements that have bytes of their own}}
flow.executable private @half_bytes {
  func.func @half_bytes(%x: tensor<8x4xi4>) -> (tensor<8x4xi4> {flow.pitch = {outer = 1 : i64, elements = 8 : i64}}) {
    return %x : tensor<8x4xi4>
  }
}

// -----

// expected-error @+1 {{pitch of result 0 is of a tensor and has two numbers, outer and elements or argument}}
flow.executable private @no_distance {
  func.func @no_distance(%x: tensor<8x4xf32>) -> (tensor<8x4xf32> {flow.pitch = {outer = 1 : i64}}) {
    return %x : tensor<8x4xf32>
  }
}
