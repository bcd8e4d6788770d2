// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --streams-verify | FileCheck %s

// CHECK-LABEL: @kept
func.func @kept(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  } {heddle.streams = #flow.streams<2>} loc(fused<#flow.streams<2>>["a"])
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}
