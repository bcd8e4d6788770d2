// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics
// Pieces that need not be of one size.

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{is cut by 4 values (granules, positions of a granule, the first part, parts), got 3}}
  %0 = flow.all_gather %x dim 0 cut(%c7, %c1, %c0) over @m["y"] : tensor<?x4xf32>{%d} -> tensor<7x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{is cut by 8 values (granules, positions of a granule, the first part, parts; of 'split', then of 'concat'), got 4}}
  %0 = flow.all_to_all %x split 0 concat 1 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<?x4xf32>{%d} -> tensor<?x4xf32>{%d}
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{cuts pieces that need not be of one size over lists of ranks; name axes}}
  %0 = flow.all_gather %x dim 0 cut(%c7, %c1, %c0, %c3) over @m groups [[0, 1, 2]] : tensor<?x4xf32>{%d} -> tensor<7x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{cuts and joins one dimension, 0, in pieces that need not be of one size}}
  %0 = flow.all_to_all %x split 0 concat 0 cut(%c7, %c1, %c0, %c3, %c7, %c1, %c0, %c3) over @m["y"] : tensor<?x4xf32>{%d} -> tensor<?x4xf32>{%d}
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{cuts dimension 0 of its result into parts of 7 positions, got 8}}
  %0 = flow.all_gather %x dim 0 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<?x4xf32>{%d} -> tensor<8x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %y = tensor.cast %x : tensor<?x4xf32> to tensor<2x4xf32>
  // expected-error @+1 {{gives member 2 3 positions of dimension 0, but its operand has 2 on each member}}
  %0 = flow.all_gather %y dim 0 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<2x4xf32> -> tensor<7x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{cuts dimension 0: 3 members have no parts from 1 on of 3}}
  %0 = flow.all_gather %x dim 0 cut(%c7, %c1, %c1, %c3) over @m["y"] : tensor<?x4xf32>{%d} -> tensor<7x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{cuts dimension 0: there are no 7 granules of 0 positions}}
  %0 = flow.all_gather %x dim 0 cut(%c7, %c0, %c0, %c3) over @m["y"] : tensor<?x4xf32>{%d} -> tensor<7x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{cuts dimension 0: there are from 1 to 1048576 parts, got 0}}
  %0 = flow.reduce_scatter %x sum dim 0 cut(%c7, %c1, %c0, %c0) over @m["y"] : tensor<?x4xf32>{%d} -> tensor<?x4xf32>{%d}
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?x4xf32>, %d: index) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{keeps dimension 1, got}}
  %0 = flow.scatter %x dim 0 root 0 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<?x4xf32>{%d} -> tensor<?x5xf32>{%d}
  return
}
