// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{goes along dimension 2 of 'tensor<4x8xf32>', which has no such}}
  %p = intent.sort %x dim 2 : (tensor<4x8xf32>) -> tensor<4x8xi64>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{gives the operands' shape, with at most as many along dimension 1, got 'tensor<4x9xi64>'}}
  %p = intent.sort %x dim 1 : (tensor<4x8xf32>) -> tensor<4x9xi64>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{orders by value one operand, got 2; for several say by a region which come first}}
  %p = intent.sort %x, %x dim 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi64>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{needs a region that takes ('f32', 'f32'), got ('f32')}}
  %p = intent.sort %x dim 0 by {
  ^bb0(%a: f32):
    %t = arith.constant true
    intent.yield %t : i1
  } : (tensor<8xf32>) -> tensor<8xi64>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %n: index) {
  // expected-error @+1 {{has one size for each dynamic dimension, 1, or none, got 2}}
  %p = intent.sort %x dim 1 sizes(%n, %n) : (tensor<?x8xf32>, index, index) -> tensor<?x8xi64>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{begins with 0 : i32 where the state is 'f32'}}
  %p = intent.scan %x dim 0 from [0 : i32] in {
  ^bb0(%i: index, %s: f32, %a: f32):
    intent.yield %a : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{is associative where states are of the operands' types, one for each}}
  %p = intent.scan %x dim 0 associative from [0 : i64] in {
  ^bb0(%i: index, %s: i64, %a: f32):
    intent.yield %s : i64
  } : (tensor<8xf32>) -> tensor<8xi64>
  return
}

// -----

func.func @f(%x: tensor<8xi64>) {
  // expected-error @+1 {{is associative, so its region has no use for the position}}
  %p = intent.scan %x dim 0 associative from [0 : i64] in {
  ^bb0(%i: index, %s: i64, %a: i64):
    %j = arith.index_cast %i : index to i64
    intent.yield %j : i64
  } : (tensor<8xi64>) -> tensor<8xi64>
  return
}

// -----

func.func @f(%u: tensor<20x9xf32>, %x: tensor<100x7xf32>, %p: tensor<20xi64>) {
  // expected-error @+1 {{needs updates of no more along dimension 1 than the data, got 'tensor<20x9xf32>' for 'tensor<100x7xf32>'}}
  %r = intent.scatter %u into %x at %p dim 0 : (tensor<20x9xf32>, tensor<100x7xf32>, tensor<20xi64>) -> tensor<100x7xf32>
  return
}

// -----

func.func @f(%u: tensor<20x7xf32>, %x: tensor<100x7xf32>, %p: tensor<19xi64>) {
  // expected-error @+1 {{needs places of the updates' shape, or of their first 1 dimensions, got 'tensor<19xi64>' for 'tensor<20x7xf32>'}}
  %r = intent.scatter %u into %x at %p dim 0 : (tensor<20x7xf32>, tensor<100x7xf32>, tensor<19xi64>) -> tensor<100x7xf32>
  return
}

// -----

func.func @f(%u: tensor<20x7xf32>, %x: tensor<100x7xf32>, %p: tensor<20xi64>) {
  // expected-error @+1 {{has nothing that is associative: the last update stays}}
  %r = intent.scatter %u into %x at %p dim 0 associative : (tensor<20x7xf32>, tensor<100x7xf32>, tensor<20xi64>) -> tensor<100x7xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{intent.of stands on a flow.rows and is the name of an op}}
  %c = arith.constant {intent.of = "sort"} 1 : index
  return
}
