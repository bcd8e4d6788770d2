// RUN: heddle-opt %s --schedule-build-host-program --split-input-file | FileCheck %s

device.global @device_0 = #device.target<"local", ordinal = -1, [#device.executable<"elf-x86_64", cpu = "x86-64-v3", features = "">]>
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
