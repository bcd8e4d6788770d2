// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{has no dimension 2: 'tensor<6x4xf32>'}}
  %0 = flow.all_gather %x dim 2 over @m["x"] : tensor<6x4xf32> -> tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{has no dimension -1: 'tensor<6x4xf32>'}}
  %0 = flow.reduce_scatter %x sum dim -1 over @m["x"] : tensor<6x4xf32> -> tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{has no dimension 0: 'tensor<f32>'}}
  %0 = flow.all_gather %x dim 0 over @m["x"] : tensor<f32> -> tensor<f32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{keeps the number of dimensions}}
  %0 = flow.all_gather %x dim 0 over @m["x"] : tensor<6x4xf32> -> tensor<2x6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{keeps dimension 1, got 'tensor<6x4xf32>' and 'tensor<12x8xf32>'}}
  %0 = flow.all_gather %x dim 0 over @m["x"] : tensor<6x4xf32> -> tensor<12x8xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{has 2 members, so dimension 0 of its result is that many times its operand's, got 14 and 6}}
  %0 = flow.all_gather %x dim 0 over @m["x"] : tensor<6x4xf32> -> tensor<14x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{cuts dimension 0 of its result, 13, into 2 equal parts, which leaves a rest of 1}}
  %0 = flow.gather %x dim 0 root 0 over @m["x"] : tensor<6x4xf32> -> tensor<13x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{cuts dimension 1 of its operand, 4, into 3 equal parts, which leaves a rest of 1}}
  %0 = flow.reduce_scatter %x sum dim 1 over @m["y"] : tensor<6x4xf32> -> tensor<6x?xf32>{%d}
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{has 3 members, so dimension 0 of its operand is that many times its result's, got 6 and 3}}
  %0 = flow.scatter %x dim 0 root 0 over @m["y"] : tensor<6x4xf32> -> tensor<3x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{has 6 members, so dimension 0 of its operand is that many times its result's, got 6 and 2}}
  %0 = flow.all_to_all %x split 0 concat 1 over @m["x", "y"] : tensor<6x4xf32> -> tensor<2x24xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{has 6 members, so dimension 1 of its result is that many times its operand's, got 12 and 4}}
  %0 = flow.all_to_all %x split 0 concat 1 over @m["x", "y"] : tensor<6x4xf32> -> tensor<1x12xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{cuts dimension 1 of its operand, 4, into 3 equal parts}}
  %0 = flow.all_to_all %x split 1 concat 1 over @m["y"] : tensor<6x4xf32> -> tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{keeps the type where it splits and concatenates one dimension}}
  %0 = flow.all_to_all %x split 0 concat 0 over @m["y"] : tensor<6x4xf32> -> tensor<2x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{over mesh @m, [x = 2, y = 3]: root 2 is not in a group of 2 members}}
  %0 = flow.broadcast %x root 2 over @m["x"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{root -1 is not in a group of 3 members}}
  %0 = flow.gather %x dim 0 root -1 over @m["y"] : tensor<6x4xf32> -> tensor<18x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{root 1 is not in a group of 1 members}}
  %0 = flow.broadcast %x root 1 over @m groups [[0, 1], [2]] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{position 2 of a pair is not in a group of 2 members}}
  %0 = flow.permute %x pairs [[0, 2]] over @m["x"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{position 0 sends twice}}
  %0 = flow.permute %x pairs [[0, 1], [0, 2]] over @m["y"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{position 1 receives twice}}
  %0 = flow.permute %x pairs [[0, 1], [2, 1]] over @m["y"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{a pair is [from, to], got 3 positions}}
  %0 = flow.permute %x pairs [[0, 1, 2]] over @m["y"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{pairs are two positions each, got 3 positions}}
  %0 = "flow.permute"(%x) <{mesh = @m, axes = ["x"], pairs = array<i64: 0, 1, 1>, shift = 0 : i64}> : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{it has pairs and a shift}}
  %0 = "flow.permute"(%x) <{mesh = @m, axes = ["x"], pairs = array<i64: 0, 1>, shift = 1 : i64}> : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{has groups that are no lists of ranks}}
  %0 = "flow.permute"(%x) <{mesh = @m, axes = [], groups = [1], shift = 1 : i64}> : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}
