// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-lower-switches | FileCheck %s

// CHECK-LABEL: func.func @two_cases
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %arg1, %c3
// CHECK: %[[R:.*]] = scf.if %[[FIRST]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[S:.*]] = arith.mulf
// CHECK-NEXT: scf.yield %[[S]]
// CHECK: } else {
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %arg1, %c-7
// CHECK: %[[I:.*]] = scf.if %[[SECOND]] -> (tensor<4xf32>) {
// CHECK-NEXT: arith.negf
// CHECK: } else {
// CHECK-NEXT: scf.yield %arg0
// CHECK-NEXT: } {heddle.affinity = #device.promise<@b>}
// CHECK-NEXT: scf.yield %[[I]]
// CHECK-NEXT: } {heddle.affinity = #device.promise<@b>}
// CHECK-NEXT: return %[[R]]
func.func @two_cases(%x: tensor<4xf32>, %k: index) -> tensor<4xf32> {
  %r = scf.index_switch %k {heddle.affinity = #device.promise<@b>} -> tensor<4xf32>
  case 3 {
    %s = arith.mulf %x, %x : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  case -7 {
    %n = arith.negf %x : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  default {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Only a default, and one in the other.
// CHECK-LABEL: func.func @nested
// CHECK-NEXT: arith.negf
// CHECK: scf.if
// CHECK-NOT: index_switch
// CHECK: return
func.func @nested(%x: tensor<4xf32>, %k: index) -> tensor<4xf32> {
  %r = scf.index_switch %k -> tensor<4xf32>
  default {
    %n = arith.negf %x : tensor<4xf32>
    %i = scf.index_switch %k -> tensor<4xf32>
    case 1 {
      scf.yield %n : tensor<4xf32>
    }
    default {
      scf.yield %x : tensor<4xf32>
    }
    scf.yield %i : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
