// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-note-work --split-input-file | FileCheck %s

// 4 and 8 rows of 16 elements of 4 bytes: one operation each, read and written, in the mean.

module attributes {heddle.expect = {rows = 4}} {
// CHECK: flow.executable private @e attributes {heddle.work = array<i64: 96, 768>}
flow.executable private @e {
  func.func @e(%x: tensor<?x16xf32>, %n: index) -> tensor<?x16xf32> {
    %i = tensor.empty(%n) : tensor<?x16xf32>
    %0 = linalg.exp ins(%x : tensor<?x16xf32>) outs(%i : tensor<?x16xf32>) -> tensor<?x16xf32>
    return %0 : tensor<?x16xf32>
  }
}
func.func @main(%x: tensor<?x16xf32> {heddle.dims = ["rows", ""]}, %y: tensor<?x16xf32> {heddle.dims = ["twice", ""]}) {
  %n = flow.dimension "rows"
  %c2 = arith.constant 2 : index
  %m = arith.muli %n, %c2 : index
  %0 = flow.dispatch @e(%x)[%n] : (tensor<?x16xf32>{%n}) -> (tensor<?x16xf32>{%n})
  %1 = flow.dispatch @e(%y)[%m] : (tensor<?x16xf32>{%m}) -> (tensor<?x16xf32>{%m})
  return
}
}

// -----

// Nothing expected, nothing noted.
// CHECK: flow.executable private @f {
flow.executable private @f {
  func.func @f(%x: tensor<?x16xf32>, %n: index) -> tensor<?x16xf32> {
    return %x : tensor<?x16xf32>
  }
}
func.func @main(%x: tensor<?x16xf32> {heddle.dims = ["rows", ""]}) {
  %n = flow.dimension "rows"
  %0 = flow.dispatch @f(%x)[%n] : (tensor<?x16xf32>{%n}) -> (tensor<?x16xf32>{%n})
  return
}
