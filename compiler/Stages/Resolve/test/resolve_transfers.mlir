// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A crossing moves the producer's bytes and lays them out anew on the consumer's device, once; rows where these are fewer.
// RUN: heddle-opt %s --split-input-file "--resolve-encodings=resolver=one=blocked:2x2,two=blocked:4x4" | FileCheck %s
// RUN: heddle-opt %s --split-input-file "--resolve-encodings=resolver=one=blocked:8x16,two=blocked:4x4" | FileCheck %s --check-prefix=PADDED
// RUN: heddle-opt %s --split-input-file "--resolve-encodings=resolver=blocked:2x2" | FileCheck %s --check-prefix=SAME
// RUN: heddle-opt %s --split-input-file "--resolve-encodings=resolver=one=blocked:2x2,two=identity" | FileCheck %s --check-prefix=ROWS

#e = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>
device.global @one = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @two = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.executable private @make {
  func.func @make(%x: tensor<4x4xf32>) -> tensor<4x4xf32, #e> {
    %r = encoding.set %x : tensor<4x4xf32> -> tensor<4x4xf32, #e>
    return %r : tensor<4x4xf32, #e>
  }
}
flow.executable private @use {
  func.func @use(%x: tensor<4x4xf32, #e>) -> tensor<4x4xf32> {
    %r = encoding.unset %x : tensor<4x4xf32, #e> -> tensor<4x4xf32>
    return %r : tensor<4x4xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = flow.dispatch @make(%{{.*}}) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32>) -> (tensor<4x4xf32, [[ONE:#encoding.layout<.*inner_tiles = \[2, 2\].*>]]>)
// CHECK-NEXT: %[[T:.*]] = flow.transfer %[[A]] : tensor<4x4xf32, [[ONE]]> to #device.affinity<@two>
// CHECK-NEXT: %[[E:.*]] = flow.dispatch @encode_0(%[[T]]) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32, [[ONE]]>) -> (tensor<4x4xf32, [[TWO:#encoding.layout<.*inner_tiles = \[4, 4\].*>]]>)
// CHECK-NEXT: flow.dispatch @use(%[[E]]) {heddle.affinity = #device.affinity<@two>}

// PADDED-LABEL: func.func @main
// PADDED: %[[A:.*]] = flow.dispatch @make
// PADDED-NEXT: %[[P:.*]] = flow.dispatch @encode_{{.}}(%[[A]]) {heddle.affinity = #device.affinity<@one>}
// PADDED-NEXT: %[[T:.*]] = flow.transfer %[[P]] : tensor<4x4xf32> to #device.affinity<@two>
// PADDED-NEXT: %[[E:.*]] = flow.dispatch @encode_{{.}}(%[[T]]) {heddle.affinity = #device.affinity<@two>}
// PADDED-NEXT: flow.dispatch @use(%[[E]])

// SAME-LABEL: func.func @main
// SAME: %[[A:.*]] = flow.dispatch @make
// SAME-NEXT: %[[T:.*]] = flow.transfer %[[A]] : tensor<4x4xf32, [[ONE:#encoding.layout<.*>]]> to #device.affinity<@two>
// SAME-NEXT: flow.dispatch @use(%[[T]])

// The relayout on @two is all there is to do: one dispatch.
// ROWS-LABEL: func.func @main
// ROWS: %[[A:.*]] = flow.dispatch @make
// ROWS-NEXT: %[[T:.*]] = flow.transfer %[[A]]
// ROWS-NEXT: %[[E:.*]] = flow.dispatch @encode_0(%[[T]]) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32, #encoding.layout<{{.*}}>>) -> (tensor<4x4xf32>)
// ROWS-NEXT: flow.dispatch @use(%[[E]])
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = flow.dispatch @make(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32>) -> (tensor<4x4xf32, #e>)
  %t = flow.transfer %a : tensor<4x4xf32, #e> to #device.affinity<@two>
  %r = flow.dispatch @use(%t) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
  return %r : tensor<4x4xf32>
}

// -----

// What is plain again after the crossing is made plain in the one relayout.
#e = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>
device.global @one = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @two = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.executable private @make {
  func.func @make(%x: tensor<4x4xf32>) -> tensor<4x4xf32, #e> {
    %r = encoding.set %x : tensor<4x4xf32> -> tensor<4x4xf32, #e>
    return %r : tensor<4x4xf32, #e>
  }
}
// CHECK-LABEL: func.func @plain
// CHECK: %[[T:.*]] = flow.transfer
// CHECK-NEXT: %[[R:.*]] = flow.dispatch @encode_0(%[[T]]) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32, #encoding.layout<{{.*}}>>) -> (tensor<4x4xf32>)
// CHECK-NEXT: return %[[R]]
func.func @plain(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = flow.dispatch @make(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32>) -> (tensor<4x4xf32, #e>)
  %t = flow.transfer %a : tensor<4x4xf32, #e> to #device.affinity<@two>
  %r = flow.encode %t : tensor<4x4xf32, #e> -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// Loops that hand a value from device to device and back: the carried value keeps its own layout.
#e = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>
device.global @one = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @two = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.executable private @step {
  func.func @step(%x: tensor<4x4xf32, #e>) -> tensor<4x4xf32, #e> {
    return %x : tensor<4x4xf32, #e>
  }
}
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (tensor<4x4xf32, [[ONE:#encoding.layout<.*inner_tiles = \[2, 2\].*>]]>)
// CHECK-NEXT: %[[T:.*]] = flow.transfer %[[C]] : tensor<4x4xf32, [[ONE]]> to #device.affinity<@two>
// CHECK-NEXT: %[[E:.*]] = flow.dispatch @encode_{{.}}(%[[T]]) {heddle.affinity = #device.affinity<@two>}
// CHECK-NEXT: %[[Y:.*]] = flow.dispatch @step(%[[E]])
// CHECK-NEXT: %[[U:.*]] = flow.transfer %[[Y]] : tensor<4x4xf32, [[TWO:#encoding.layout<.*>]]> to #device.affinity<@one>
// CHECK-NEXT: %[[F:.*]] = flow.dispatch @encode_{{.}}(%[[U]]) {heddle.affinity = #device.affinity<@one>}
// CHECK-NEXT: scf.yield %[[F]] : tensor<4x4xf32, [[ONE]]>
func.func @loop(%x: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = flow.encode %x {heddle.affinity = #device.affinity<@one>} : tensor<4x4xf32> -> tensor<4x4xf32, #e>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %a) -> (tensor<4x4xf32, #e>) {
    %t = flow.transfer %c : tensor<4x4xf32, #e> to #device.affinity<@two>
    %y = flow.dispatch @step(%t) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32, #e>)
    %u = flow.transfer %y : tensor<4x4xf32, #e> to #device.affinity<@one>
    scf.yield %u : tensor<4x4xf32, #e>
  }
  %p = flow.encode %r : tensor<4x4xf32, #e> -> tensor<4x4xf32>
  return %p : tensor<4x4xf32>
}

// -----

// Memory that both can read needs no transfer; the layout is still another one.
#e = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>
device.global @one = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @two = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.executable private @step {
  func.func @step(%x: tensor<?x4xf32, #e>, %m: index) -> tensor<?x4xf32, #e> {
    return %x : tensor<?x4xf32, #e>
  }
}
// CHECK-LABEL: func.func @unified
// CHECK: %[[A:.*]] = flow.dispatch @step
// CHECK: %[[M:.*]] = tensor.dim %[[A]]
// CHECK-NEXT: %[[E:.*]] = flow.dispatch @encode_{{.}}(%[[A]]) [%[[M]]] {heddle.affinity = #device.affinity<@two>}
// CHECK-NEXT: flow.dispatch @step(%[[E]])
func.func @unified(%x: tensor<?x4xf32>, %m: index) -> tensor<?x4xf32> {
  %e = flow.encode %x {heddle.affinity = #device.affinity<@one>} : tensor<?x4xf32>{%m} -> tensor<?x4xf32, #e>
  %a = flow.dispatch @step(%e)[%m] {heddle.affinity = #device.affinity<@one>} : (tensor<?x4xf32, #e>{%m}) -> (tensor<?x4xf32, #e>{%m})
  %b = flow.dispatch @step(%a)[%m] {heddle.affinity = #device.affinity<@two>} : (tensor<?x4xf32, #e>{%m}) -> (tensor<?x4xf32, #e>{%m})
  %r = flow.encode %b {heddle.affinity = #device.affinity<@two>} : tensor<?x4xf32, #e>{%m} -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
