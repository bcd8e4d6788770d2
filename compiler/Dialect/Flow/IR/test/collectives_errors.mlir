// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

device.mesh @m = [x = 2, y = 3]
func.func @f() {
  // expected-error @+1 {{'flow.coordinate' op names no device.mesh: @n}}
  %0 = flow.coordinate @n "x"
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f() {
  // expected-error @+1 {{'flow.coordinate' op names axis 'z', which mesh @m does not have; its axes: x, y}}
  %0 = flow.coordinate @m "z"
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f() {
  // expected-error @+1 {{names axis 'xx', which mesh @m does not have; its axes: x, y; did you mean 'x'?}}
  %0 = flow.mesh_size @m "xx"
  return
}

// -----

device.global @d = #device.ordinal<0>
func.func @f() {
  // expected-error @+1 {{'flow.member' op names no device.mesh: @d}}
  %0 = flow.member @d
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{'flow.all_reduce' op names no device.mesh: @n}}
  %0 = flow.all_reduce %x sum over @n["x"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{names axis 'z', which mesh @m does not have}}
  %0 = flow.all_reduce %x sum over @m["z"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{'flow.all_reduce' op names axis 'x' twice}}
  %0 = flow.all_reduce %x sum over @m["x", "y", "x"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{joins no ranks: name axes of mesh @m, [x = 2, y = 3]}}
  %0 = flow.all_reduce %x sum over @m[] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{joins the ranks of axes or of groups, one or more, got axes [] and groups []}}
  %0 = flow.all_reduce %x sum over @m groups [] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{over mesh @m, [x = 2, y = 3]: a group has no members}}
  %0 = flow.all_reduce %x sum over @m groups [[0], []] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{over mesh @m, [x = 2, y = 3]: rank 1 is in the groups twice}}
  %0 = flow.all_reduce %x sum over @m groups [[0, 1], [1, 2]] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{over mesh @m, [x = 2, y = 3]: rank 6 is not in the mesh of 6 ranks}}
  %0 = flow.all_reduce %x sum over @m groups [[0, 6]] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{rank -1 is not in the mesh of 6 ranks}}
  %0 = flow.all_reduce %x sum over @m groups [[0, -1]] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{groups of 2 and of 1 members; all must have as many pieces}}
  %0 = flow.all_gather %x dim 0 over @m groups [[0, 1], [2]] : tensor<6x4xf32> -> tensor<12x4xf32>
  return
}

// -----

device.mesh @m = [x = ?]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{lists groups of mesh @m, which has a free size, [x = ?]; name axes, or give the size (--mesh=)}}
  %0 = flow.all_reduce %x sum over @m groups [[0, 1]] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32, 1>) {
  // expected-error @+1 {{takes and gives plain tensors}}
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<6x4xf32, 1>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{keeps the element type, got 'tensor<6x4xf32>' and 'tensor<12x4xi32>'}}
  %0 = flow.all_gather %x dim 0 over @m["x"] : tensor<6x4xf32> -> tensor<12x4xi32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<4xindex>) {
  // expected-error @+1 {{moves numbers that a buffer can hold, got elements of 'index'}}
  %0 = flow.permute %x shift 1 over @m["x"] : tensor<4xindex>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{moves numbers that a buffer can hold, got elements of 'complex<f32>'}}
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<4xcomplex<f32>>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{over mesh @m, [x = 2, y = 3]: there is no 'and' of f32}}
  %0 = flow.all_reduce %x and over @m["x"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<4xi1>) {
  // expected-error @+1 {{there is no 'sum' of i1}}
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<4xi1>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<4xi4>) {
  // expected-error @+1 {{there is no 'sum' of i4; convert the elements to a wider type before}}
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<4xi4>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<4xf8E8M0FNU>) {
  // expected-error @+1 {{there is no 'max' of f8E8M0FNU; convert the elements to a wider type before}}
  %0 = flow.all_reduce %x max over @m["x"] : tensor<4xf8E8M0FNU>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<4xi1>) {
  // expected-error @+1 {{combines i1 by 'and', 'or' and 'xor', got 'min'}}
  %0 = flow.all_reduce %x min over @m["x"] : tensor<4xi1>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{umin is of unsigned integers, got elements of 'f32'}}
  %0 = flow.all_reduce %x umin over @m["x"] : tensor<6x4xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<4xui8>) {
  // expected-error @+1 {{min is of signed integers and floats; of unsigned ones it is umin}}
  %0 = flow.all_reduce %x min over @m["x"] : tensor<4xui8>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{needs one size for each dynamic dimension of its operand: 1, got 0}}
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<?xf32>
  return
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @f(%x: tensor<6x4xf32>, %d: index) {
  // expected-error @+1 {{needs one size for each dynamic dimension of its result: 1, got 0}}
  %0 = flow.all_gather %x dim 0 over @m["x"] : tensor<6x4xf32> -> tensor<?x4xf32>
  return
}
