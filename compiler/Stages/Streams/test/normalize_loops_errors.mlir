// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --streams-normalize-loops --split-input-file --verify-diagnostics

func.func @accumulates(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{has heddle.streams, but hands value 0 from one iteration to the next: it must be changed by one tensor.insert_slice and read by nothing else}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<4xf32>) {
    %e = linalg.exp ins(%acc : tensor<4xf32>) outs(%acc : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } {heddle.streams = #flow.streams<2>}
  return %r : tensor<4xf32>
}

// -----

func.func @scalar(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{only tensors that iterations fill slice by slice can be carried}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (index) {
    %e = arith.addi %acc, %i : index
    scf.yield %e : index
  } {heddle.streams = #flow.streams<2>}
  return %r : index
}

// -----

func.func @read_again(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{what tensor.insert_slice makes of it must be what the iteration hands on, and be read by nothing else}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<8xf32>, tensor<8xf32>) {
    %s = tensor.empty() : tensor<1xf32>
    %p = tensor.insert_slice %s into %a[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    scf.yield %b, %p : tensor<8xf32>, tensor<8xf32>
  } {heddle.streams = #flow.streams<2>}
  return %r#0 : tensor<8xf32>
}

// -----

func.func @counts_in_i32(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{has heddle.streams, but counts in 'i32'; a loop over streams counts in index}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {heddle.streams = #flow.streams<2>}
  return
}

// -----

func.func @no_streams(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{heddle.streams stands on an scf.for and is a #flow.streams, got 2 : i64}}
  scf.for %i = %c0 to %n step %c1 {
  } {heddle.streams = 2 : i64}
  return
}
