// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

device.mesh @m = [x = 2]
func.func @f(%x: tensor<4x3xf32>, %n: index) -> tensor<?x3xf32> {
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{says by 13 values how a dimension and a loop are cut (four each), scale, extent and first of its windows, and zeros in front and behind, got 1}}
  %r = flow.exchange %x dim 0 cut(%c8) over @m["x"] : tensor<4x3xf32> -> tensor<?x3xf32>{%n}
  return %r : tensor<?x3xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @f(%x: tensor<4x3xf32>, %n: index) -> tensor<?x3xf32> {
  // expected-error @+1 {{says by 13 values how a dimension and a loop are cut}}
  %r = flow.exchange %x dim 0 over @m["x"] : tensor<4x3xf32> -> tensor<?x3xf32>{%n}
  return %r : tensor<?x3xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @f(%x: tensor<4x3xf32>) -> tensor<6x3xf32> {
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m1 = arith.constant -1 : index
  // expected-error @+1 {{gives member 0 5 positions of dimension 0, but its result has 6 on each member}}
  %r = flow.exchange %x dim 0 cut(%c8, %c1, %c0, %c2, %c8, %c1, %c0, %c2, %c1, %c3, %m1, %c0, %c0) over @m["x"] : tensor<4x3xf32> -> tensor<6x3xf32>
  return %r : tensor<6x3xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @f(%x: tensor<3x3xf32>, %n: index) -> tensor<?x3xf32> {
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{takes of member 0 4 positions of dimension 0, but its operand has 3 on each member}}
  %r = flow.exchange %x dim 0 cut(%c8, %c1, %c0, %c2, %c8, %c1, %c0, %c2, %c1, %c1, %c0, %c0, %c0) over @m["x"] : tensor<3x3xf32> -> tensor<?x3xf32>{%n}
  return %r : tensor<?x3xf32>
}

// -----

device.mesh @m = [x = 2, y = 2]
func.func @f(%x: tensor<4x3xf32>, %n: index) -> tensor<?x3xf32> {
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{along dimension 0: an exchange is of all parts of a dimension, got 2 members from 0 on of 4}}
  %r = flow.exchange %x dim 0 cut(%c8, %c1, %c0, %c4, %c8, %c1, %c0, %c4, %c1, %c1, %c0, %c0, %c0) over @m["x"] : tensor<4x3xf32> -> tensor<?x3xf32>{%n}
  return %r : tensor<?x3xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @f(%x: tensor<4x3xf32>, %n: index) -> tensor<?x3xf32> {
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{over lists of ranks}}
  %r = flow.exchange %x dim 0 cut(%c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8) over @m groups [[0, 1]] : tensor<4x3xf32> -> tensor<?x3xf32>{%n}
  return %r : tensor<?x3xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @f(%x: tensor<4x3xf32>, %n: index) -> tensor<?x4xf32> {
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{keeps dimension 1}}
  %r = flow.exchange %x dim 0 cut(%c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8, %c8) over @m["x"] : tensor<4x3xf32> -> tensor<?x4xf32>{%n}
  return %r : tensor<?x4xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @f(%x: tensor<4x3xf32>) -> tensor<7x3xf32> {
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m1 = arith.constant -1 : index
  // Zeros in front and behind are given, too.
  // expected-error @+1 {{gives member 0 6 positions of dimension 0, but its result has 7 on each member}}
  %r = flow.exchange %x dim 0 cut(%c8, %c1, %c0, %c2, %c8, %c1, %c0, %c2, %c1, %c3, %m1, %c1, %c1) over @m["x"] : tensor<4x3xf32> -> tensor<7x3xf32>
  return %r : tensor<7x3xf32>
}
