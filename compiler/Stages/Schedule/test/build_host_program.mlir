// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-build-host-program --split-input-file | FileCheck %s

device.global @device_0 = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.parameter private @w : tensor<4x4xf32> = dense<1.0>
flow.executable private @mm { func.func @mm(%a: tensor<?x4xf32>, %b: tensor<4x4xf32>, %m: index) -> tensor<?x4xf32> { return %a : tensor<?x4xf32> } }

// A chain: the intermediate is allocated, the returned value lies in its result's buffer.
// CHECK-LABEL: host.func @main(%{{.*}}: !host.stream, %{{.*}}: !host.buffer, %{{.*}}: index)
// CHECK-SAME: arguments([#host.value<"x", tensor<?x4xf32>, ["m", ""]>]) results([#host.value<"y", tensor<?x4xf32>, ["m", ""]>]) symbols(["m"])
func.func @main(%x: tensor<?x4xf32> {heddle.name = "x", heddle.dims = ["m", ""]}) -> (tensor<?x4xf32> {heddle.name = "y", heddle.dims = ["m", ""]}) {
  %m = flow.dimension "m"
  // CHECK: %[[W:.*]] = host.parameter @w on @device_0
  %w = flow.parameter.load @w : tensor<4x4xf32>
  // CHECK: %[[BYTES:.*]] = arith.muli %[[M:.*]], %{{.*}}
  // CHECK: %[[T:.*]] = host.alloc on @device_0 size %[[BYTES]]
  // CHECK: host.dispatch %[[S:.*]], @mm(%[[X:.*]], %[[W]], %[[T]]) [%[[M]]] access(["r", "r", "w"])
  %0 = flow.dispatch @mm(%x, %w)[%m] : (tensor<?x4xf32>{%m}, tensor<4x4xf32>) -> (tensor<?x4xf32>{%m})
  // CHECK: %[[R:.*]] = host.result 0 on @device_0
  // CHECK: host.dispatch %[[S]], @mm(%[[T]], %[[W]], %[[R]]) [%[[M]]]
  %1 = flow.dispatch @mm(%0, %w)[%m] : (tensor<?x4xf32>{%m}, tensor<4x4xf32>) -> (tensor<?x4xf32>{%m})
  // CHECK: host.return %[[R]] shape(%[[M]], %{{.*}})
  return %1 : tensor<?x4xf32>
}
// CHECK-NOT: func.func @main

flow.executable private @f { func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }

// Only the value that a dispatch makes is written in place, once and through reshapes; what else is returned is copied:
// the same value again, an argument, a parameter, a slice.
// CHECK-LABEL: host.func @results(
// CHECK-SAME: %[[S:[^:]*]]: !host.stream, %[[X:[^:]*]]: !host.buffer)
func.func @results(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<2xf32>) {
  %w = flow.parameter.load @w : tensor<4x4xf32>
  // CHECK: %[[R0:.*]] = host.result 0
  // CHECK: host.dispatch %[[S]], @f(%[[X]], %[[R0]])
  %0 = flow.dispatch @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  // CHECK: %[[SLICE:.*]] = host.view %[[X]][%{{.*}}] size
  %2 = tensor.extract_slice %x[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
  // CHECK: %[[R1:.*]] = host.result 1
  // CHECK: host.copy %[[S]], %[[R1]][%{{.*}}] from %[[R0]]
  // CHECK: %[[R2:.*]] = host.result 2
  // CHECK: host.copy %[[S]], %[[R2]][%{{.*}}] from %[[X]]
  // CHECK: %[[R3:.*]] = host.result 3
  // CHECK: host.copy %[[S]], %[[R3]][%{{.*}}] from %{{.*}} size
  // CHECK: %[[R4:.*]] = host.result 4
  // CHECK: host.copy %[[S]], %[[R4]][%{{.*}}] from %[[SLICE]]
  // CHECK: host.return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]] shape
  return %1, %0, %x, %w, %2 : tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<2xf32>
}

// -----

// A block of a constant is a view: so many times the bytes of one, in panels of 4 columns 2 of which are padding.
// CHECK-LABEL: host.func @block(
// CHECK: %[[AT:.*]] = host.coordinate @m "x"
// CHECK: %[[ALL:.*]] = host.parameter @blocks
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 64 : index
// CHECK: %[[OFFSET:.*]] = arith.muli %[[AT]], %[[BYTES]] : index
// CHECK: %[[OWN:.*]] = host.view %[[ALL]][%[[OFFSET]]] size %[[BYTES]]
// CHECK: host.dispatch %{{.*}}, @g(%[[OWN]],
#one = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [4], swizzle = []>
#all = #encoding.layout<perm = [0, 2, 1], inner_dims = [2], inner_tiles = [4], swizzle = []>
module attributes {device.default = #device.affinity<@cpu>} {
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.mesh @m = [x = 4] of @cpu
flow.parameter private @blocks : tensor<4x2x6xf32, #all> = dense<0.0> : tensor<4x2x2x4xf32>
flow.executable private @g { func.func @g(%a: tensor<2x6xf32, #one>) -> tensor<4xf32> { %e = tensor.empty() : tensor<4xf32> return %e : tensor<4xf32> } }
func.func @block() -> tensor<4xf32> {
  %i = flow.coordinate @m "x"
  %w = flow.parameter.load @blocks : tensor<4x2x6xf32, #all>
  %own = flow.block %w[%i] : tensor<4x2x6xf32, #all> -> tensor<2x6xf32, #one>
  %0 = flow.dispatch @g(%own) : (tensor<2x6xf32, #one>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
}
