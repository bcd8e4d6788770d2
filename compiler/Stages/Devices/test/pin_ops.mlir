// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-pin-ops | FileCheck %s
// RUN: heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/place.txt | FileCheck %s --check-prefix=FILE

device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64">]>
device.global @gpu = #device.target<"null", [#device.executable<"elf-x86_64">]>

// CHECK: heddle.reasons = {
// CHECK-SAME: "pin gpu decoder/exp" = "pinned by heddle.affinity"
// FILE: heddle.reasons = {
// FILE-SAME: "pin cpu encoder/mul" = "pinned by place.txt:{{[0-9]+}}"
// CHECK-LABEL: @pins
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>
func.func @pins(%x: tensor<?xf32>) -> tensor<?xf32> {
  // A constant needs no transfer: it is put where it is used.
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%size) : tensor<?xf32>
  // CHECK: tensor.empty
  // CHECK: %[[D:.*]] = tensor.dim %[[X]]
  // CHECK: %[[T:.*]] = flow.transfer %[[X]]{%[[D]]} : tensor<?xf32> to #device.affinity<@gpu, [1]>
  // CHECK: linalg.exp ins(%[[T]] : tensor<?xf32>) outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.exp {heddle.affinity = #device.affinity<@gpu, [1]>} ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32> loc("decoder/exp")
  // Without a pin it follows its operands.
  // CHECK-NEXT: arith.mulf
  // FILE: %[[M:.*]] = flow.transfer %{{.*}} : tensor<?xf32> to #device.affinity<@cpu> {heddle.placed_by = "pinned by place.txt:{{[0-9]+}}"}
  // FILE: arith.mulf %[[M]], %[[M]]
  %1 = arith.mulf %0, %0 : tensor<?xf32> loc("encoder/mul")
  // FILE: %[[A:.*]] = flow.transfer %{{.*}} : tensor<?xf32> to #device.affinity<@gpu>
  // FILE: flow.transfer %{{.*}} : tensor<?xf32> to #device.affinity<@gpu>
  // FILE: arith.addf
  %2 = arith.addf %1, %x : tensor<?xf32> loc(fused["encoder/add", "encoder/more"])
  // It is there already.
  // CHECK: flow.transfer %{{.*}} : tensor<?xf32> to #device.affinity<@cpu>
  // CHECK-NEXT: arith.negf
  %at = flow.transfer %2{%size} : tensor<?xf32> to #device.affinity<@cpu>
  %3 = arith.negf %at {heddle.affinity = #device.affinity<@cpu>} : tensor<?xf32> loc("decoder/neg")
  // It follows a pin, through an op without one.
  // CHECK-NOT: flow.transfer
  // CHECK: return
  %4 = arith.negf %3 : tensor<?xf32> loc("decoder/neg2")
  %5 = arith.negf %4 {heddle.affinity = #device.affinity<@cpu>} : tensor<?xf32> loc("decoder/neg3")
  return %5 : tensor<?xf32>
}

// A constant is where it is read; branches keep their attribute.
// CHECK-LABEL: @kept
func.func @kept(%x: tensor<2xf32>, %p: i1) -> (tensor<2xf32>, tensor<2xf32>) {
  %w = arith.constant dense<1.0> : tensor<2xf32>
  // CHECK: arith.negf %{{.*}} : tensor<2xf32>
  %0 = arith.negf %w {heddle.affinity = #device.affinity<@gpu>} : tensor<2xf32>
  // CHECK: scf.if
  %1 = scf.if %p -> tensor<2xf32> {
    scf.yield %x : tensor<2xf32>
  } else {
    %2 = arith.negf %x : tensor<2xf32>
    scf.yield %2 : tensor<2xf32>
  // CHECK: } {heddle.affinity = #device.affinity<@gpu>}
  } {heddle.affinity = #device.affinity<@gpu>}
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// What a region reads crosses as operands do; an op that reads in its region only is no constant.
// CHECK-LABEL: @captures
// CHECK-SAME: (%[[X:.*]]: tensor<64x8xf32>, %[[I:.*]]: tensor<8xindex>)
func.func @captures(%x: tensor<64x8xf32>, %i: tensor<8xindex>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: %[[TI:.*]] = flow.transfer %[[I]] : tensor<8xindex> to #device.affinity<@gpu>
  // CHECK: %[[TX:.*]] = flow.transfer %[[X]] : tensor<64x8xf32> to #device.affinity<@gpu>
  // CHECK: linalg.generic {{.*}} ins(%[[TI]] : tensor<8xindex>) outs(
  // CHECK-NOT: heddle.affinity
  // CHECK: tensor.extract %[[TX]]
  %empty = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<8xindex>) outs(%empty : tensor<8x8xf32>)
      attrs = {heddle.affinity = #device.affinity<@gpu>} {
  ^bb0(%row: index, %out: f32):
    %column = linalg.index 1 : index
    %element = tensor.extract %x[%row, %column] : tensor<64x8xf32>
    linalg.yield %element : f32
  } -> tensor<8x8xf32>
  // CHECK: %[[CX:.*]] = flow.transfer %[[X]] : tensor<64x8xf32> to #device.affinity<@cpu>
  // CHECK: tensor.generate
  // CHECK: tensor.extract %[[CX]]
  %1 = tensor.generate {
  ^bb0(%row: index, %column: index):
    %element = tensor.extract %x[%row, %column] : tensor<64x8xf32>
    tensor.yield %element : f32
  } {heddle.affinity = #device.affinity<@cpu>} : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// What is inside of a flow.rows, whose node's name it bears, is where that is.
// FILE-LABEL: @rows
func.func @rows(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  // FILE: %[[X:.*]] = flow.transfer %{{.*}} : tensor<4xf32> to #device.affinity<@gpu>
  // FILE: flow.rows
  // FILE-NOT: flow.transfer
  // FILE: return
  %c1 = arith.constant 1 : index
  %y = flow.rows %c1 -> (tensor<4xf32>) {
  ^bb0(%row: index, %out: tensor<4xf32>):
    %v = tensor.extract %x[%c0] : tensor<4xf32>
    %done = tensor.insert %v into %out[%c0] : tensor<4xf32> loc("encoder/sort")
    flow.yield %done : tensor<4xf32>
  } loc("encoder/sort")
  return %y : tensor<4xf32>
}
