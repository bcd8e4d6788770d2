// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-build-host-program --split-input-file | FileCheck %s

// A slice of state that nothing reads as it was is written where it lies, and the argument's buffer is the result.
// CHECK-LABEL: host.func @rows(
// CHECK-SAME: %[[S:.*]]: !host.stream, %[[ROWS:.*]]: !host.buffer, %[[CACHE:.*]]: !host.buffer)
// CHECK-SAME: #host.value<"cache", tensor<1x2x8x4xf32>, ["", "", "", ""] state(@cache)>
// CHECK-NOT: host.result
// CHECK: host.copy %[[S]], %[[CACHE]][%{{.*}}] from %[[ROWS]][%{{.*}}] size
// CHECK: host.copy %[[S]], %[[CACHE]][%{{.*}}] from %[[ROWS]][%{{.*}}] size
// CHECK-NOT: host.copy
// CHECK: host.return %[[CACHE]]
device.global @device_0 = #device.alias<"local">
flow.global private @cache : tensor<1x2x8x4xf32>
func.func @rows(%rows: tensor<1x2x3x4xf32> {heddle.name = "rows"},
                 %cache: tensor<1x2x8x4xf32> {heddle.name = "cache", heddle.state = @cache})
    -> (tensor<1x2x8x4xf32> {heddle.name = "cache", heddle.state = @cache}) {
  %0 = tensor.insert_slice %rows into %cache[0, 0, 5, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<1x2x3x4xf32> into tensor<1x2x8x4xf32>
  return %0 : tensor<1x2x8x4xf32>
}

// -----

// A source of lower rank lies in memory as the slice does.
// CHECK-LABEL: host.func @lower_rank(
// CHECK: host.copy
// CHECK: host.copy
// CHECK-NOT: host.copy
device.global @device_0 = #device.alias<"local">
flow.global private @cache : tensor<1x2x8x4xf32>
func.func @lower_rank(%rows: tensor<2x3x4xf32>, %cache: tensor<1x2x8x4xf32> {heddle.state = @cache})
    -> (tensor<1x2x8x4xf32> {heddle.state = @cache}) {
  %0 = tensor.insert_slice %rows into %cache[0, 0, 5, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<2x3x4xf32> into tensor<1x2x8x4xf32>
  return %0 : tensor<1x2x8x4xf32>
}

// -----

// The same for what the caller donates.
// CHECK-LABEL: host.func @donated(
// CHECK-SAME: %[[S:.*]]: !host.stream, %[[ROW:.*]]: !host.buffer, %[[X:.*]]: !host.buffer)
// CHECK-SAME: #host.value<"x", tensor<8x4xf32>, ["", ""] donated(0 : i64)>
// CHECK: host.copy %[[S]], %[[X]]
// CHECK-NOT: host.copy
// CHECK: host.return %[[X]]
device.global @device_0 = #device.alias<"local">
func.func @donated(%row: tensor<1x4xf32> {heddle.name = "row"}, %x: tensor<8x4xf32> {heddle.donated = 0 : i64, heddle.name = "x"})
    -> (tensor<8x4xf32> {heddle.name = "y"}) {
  %0 = tensor.insert_slice %row into %x[2, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A value that is returned as it came needs no copy; what goes to the caller does.
// CHECK-LABEL: host.func @same(
// CHECK-SAME: %[[S:.*]]: !host.stream, %[[X:.*]]: !host.buffer)
// CHECK: %[[R:.*]] = host.result 0
// CHECK: host.copy %[[S]], %[[R]][%{{.*}}] from %[[X]]
// CHECK-NOT: host.copy
// CHECK: host.return %[[R]], %[[X]]
device.global @device_0 = #device.alias<"local">
flow.global private @n : tensor<4xf32>
func.func @same(%x: tensor<4xf32> {heddle.name = "n", heddle.state = @n})
    -> (tensor<4xf32> {heddle.name = "y"}, tensor<4xf32> {heddle.name = "n", heddle.state = @n}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// What stands for an argument that the caller leaves out goes with it.
// CHECK-LABEL: host.func @defaults(
// CHECK-SAME: #host.value<"x", tensor<2xf32>, [""]>
// CHECK-SAME: #host.value<"w", tensor<2xf32>, [""] default(dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>)>
device.global @device_0 = #device.alias<"local">
func.func @defaults(%x: tensor<2xf32> {heddle.name = "x"},
                    %w: tensor<2xf32> {heddle.name = "w", heddle.default = dense<[3.0, 4.0]> : tensor<2xf32>}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}
