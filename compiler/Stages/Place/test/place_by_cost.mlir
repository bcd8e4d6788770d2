// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-by-cost --place-assign-affinities --place-verify --split-input-file --verify-diagnostics | FileCheck %s

// Two branches of work are shared by two devices: 1000 x 1000 x 1000 products twice, and the second one's result moves.

// expected-remark @+2 {{placed by cost: 21.022 ms expected with @a 2 @b 1 dispatches, 1 transfer, 3.8 MiB; 40.603 ms with @a alone}}
// CHECK: heddle.placement = {estimate_us = 2.102{{.*}}, single_device = "a", single_us = 4.060{{.*}}}
module {
device.global @a = #device.target<"null", {gflops = 100, memory_gbps = 20}, [#device.executable<"null">]>
device.global @b = #device.target<"null", {gflops = 100, memory_gbps = 20}, [#device.executable<"null">]>
// CHECK-LABEL: func @branches
// CHECK-COUNT-2: {heddle.affinity = #device.affinity<@{{[ab]}}>, heddle.placed_by = "cost model"}
// CHECK: flow.transfer
// CHECK: flow.dispatch @join
func.func @branches(%x: tensor<1000x1000xf32>, %y: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %0 = flow.dispatch @product(%x) : (tensor<1000x1000xf32>) -> (tensor<1000x1000xf32>)
  %1 = flow.dispatch @product(%y) : (tensor<1000x1000xf32>) -> (tensor<1000x1000xf32>)
  %2 = flow.dispatch @join(%0, %1) : (tensor<1000x1000xf32>, tensor<1000x1000xf32>) -> (tensor<1000x1000xf32>)
  return %2 : tensor<1000x1000xf32>
}
flow.executable private @product {
  func.func @product(%x: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
    %e = tensor.empty() : tensor<1000x1000xf32>
    %0 = linalg.matmul ins(%x, %x : tensor<1000x1000xf32>, tensor<1000x1000xf32>) outs(%e : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
    return %0 : tensor<1000x1000xf32>
  }
}
flow.executable private @join {
  func.func @join(%x: tensor<1000x1000xf32>, %y: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
    return %x : tensor<1000x1000xf32>
  }
}
}

// -----

// Parameters of 40 KB each do not fit one device of 64 KiB: one on each.

// expected-remark @+1 {{; no device has memory for it alone}}
module {
device.global @a = #device.target<"null", {memory = "64KiB"}, [#device.executable<"null">]>
device.global @b = #device.target<"null", {memory = 65536}, [#device.executable<"null">]>
flow.parameter private @v : tensor<10000xf32> = dense<1.0>
flow.parameter private @w : tensor<10000xf32> = dense<2.0>
// CHECK-LABEL: func @split
// CHECK: flow.dispatch @e({{.*}}) {heddle.affinity = #device.affinity<@a>, heddle.placed_by = "cost model"}
// CHECK: flow.transfer
// CHECK: flow.dispatch @e({{.*}}) {heddle.affinity = #device.affinity<@b>, heddle.placed_by = "cost model"}
func.func @split(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v = flow.parameter.load @v : tensor<10000xf32>
  %w = flow.parameter.load @w : tensor<10000xf32>
  %0 = flow.dispatch @e(%x, %v) : (tensor<4xf32>, tensor<10000xf32>) -> (tensor<4xf32>)
  %1 = flow.dispatch @e(%0, %w) : (tensor<4xf32>, tensor<10000xf32>) -> (tensor<4xf32>)
  return %1 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>, %w: tensor<10000xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
}
