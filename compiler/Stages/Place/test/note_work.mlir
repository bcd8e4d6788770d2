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

// -----

// In a loop by what its first iteration computes: 8 rows, the most.
module attributes {heddle.expect = {rows = 100}} {
// CHECK: flow.executable private @g attributes {heddle.work = array<i64: 128, 1024>}
flow.executable private @g {
  func.func @g(%x: tensor<?x16xf32>, %n: index) -> tensor<?x16xf32> {
    %i = tensor.empty(%n) : tensor<?x16xf32>
    %0 = linalg.exp ins(%x : tensor<?x16xf32>) outs(%i : tensor<?x16xf32>) -> tensor<?x16xf32>
    return %0 : tensor<?x16xf32>
  }
}
func.func @main(%x: tensor<?x16xf32> {heddle.dims = ["rows", ""]}) -> tensor<?x16xf32> {
  %rows = flow.dimension "rows"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %trips = arith.ceildivsi %rows, %c8 : index
  %e = tensor.empty(%rows) : tensor<?x16xf32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %e) -> (tensor<?x16xf32>) {
    %at = arith.muli %i, %c8 : index
    %rest = arith.subi %rows, %at : index
    %n = arith.minsi %rest, %c8 : index
    %s = tensor.extract_slice %x[%at, 0] [%n, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
    %0 = flow.dispatch @g(%s)[%n] : (tensor<?x16xf32>{%n}) -> (tensor<?x16xf32>{%n})
    %u = tensor.insert_slice %0 into %a[%at, 0] [%n, 16] [1, 1] : tensor<?x16xf32> into tensor<?x16xf32>
    scf.yield %u : tensor<?x16xf32>
  }
  return %r : tensor<?x16xf32>
}
}

// -----

// Booleans and 4-bit integers take a byte each: 4 rows of 16, read and written.

module attributes {heddle.expect = {rows = 4}} {
// CHECK: flow.executable private @flags attributes {heddle.work = array<i64: {{[0-9]+}}, 128>}
flow.executable private @flags {
  func.func @flags(%x: tensor<?x16xi1>, %n: index) -> tensor<?x16xi1> {
    %0 = arith.xori %x, %x : tensor<?x16xi1>
    return %0 : tensor<?x16xi1>
  }
}
// CHECK: flow.executable private @nibbles attributes {heddle.work = array<i64: {{[0-9]+}}, 128>}
flow.executable private @nibbles {
  func.func @nibbles(%x: tensor<?x16xi4>, %n: index) -> tensor<?x16xi4> {
    %0 = arith.xori %x, %x : tensor<?x16xi4>
    return %0 : tensor<?x16xi4>
  }
}
func.func @main(%x: tensor<?x16xi1> {heddle.dims = ["rows", ""]}, %y: tensor<?x16xi4> {heddle.dims = ["rows", ""]}) {
  %n = flow.dimension "rows"
  %0 = flow.dispatch @flags(%x)[%n] : (tensor<?x16xi1>{%n}) -> (tensor<?x16xi1>{%n})
  %1 = flow.dispatch @nibbles(%y)[%n] : (tensor<?x16xi4>{%n}) -> (tensor<?x16xi4>{%n})
  return
}
}
