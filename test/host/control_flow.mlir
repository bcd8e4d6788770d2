// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and branches on tensors, from MLIR to numbers: what the host program carries, copies and frees, and its jumps.
// RUN: heddle compile %s -o %t.heddle
// RUN: heddle run %t.heddle --function=main --input=5xi32=1,2,3,4,5 --input=i64=0 | FileCheck %s --check-prefix=ZERO
// RUN: heddle run %t.heddle --function=main --input=5xi32=1,2,3,4,5 --input=i64=1 | FileCheck %s --check-prefix=ONE
// RUN: heddle run %t.heddle --function=main --input=5xi32=1,2,3,4,5 --input=i64=17 | FileCheck %s --check-prefix=MANY
// RUN: heddle run %t.heddle --function=fibonacci --input=i64=10 | FileCheck %s --check-prefix=FIBONACCI

// ZERO: 'looped': 5xi32=[1 2 3 4 5]
// ZERO: 'chosen': 5xi32=[2 4 6 8 10]
// ZERO: 'count': i64=0
// ONE: 'looped': 5xi32=[2 4 6 8 10]
// ONE: 'chosen': 5xi32=[1 2 3 4 5]
// ONE: 'count': i64=1
// MANY: 'looped': 5xi32=[131072 262144 393216 524288 655360]
// MANY: 'chosen': 5xi32=[131073 262146 393219 524292 655365]
// MANY: 'count': i64=5
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xi32> {heddle.name = "x", heddle.dims = ["n"]}, %trips: tensor<i64> {heddle.name = "trips"})
    -> (tensor<?xi32> {heddle.name = "looped"}, tensor<?xi32> {heddle.name = "chosen"}, tensor<i64> {heddle.name = "count"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i64 = arith.constant 1 : i64
  %c100 = arith.constant 100 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %t = tensor.extract %trips[] : tensor<i64>
  %ti = arith.index_cast %t : i64 to index
  %looped = scf.for %i = %c0 to %ti step %c1 iter_args(%a = %x) -> (tensor<?xi32>) {
    %e = tensor.empty(%n) : tensor<?xi32>
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<?xi32>) outs(%e : tensor<?xi32>) {
    ^bb0(%in: i32, %out: i32):
      %v = arith.addi %in, %in : i32
      linalg.yield %v : i32
    } -> tensor<?xi32>
    scf.yield %0 : tensor<?xi32>
  }
  %isSmall = arith.cmpi slt, %t, %c100 : i64
  %isOne = arith.cmpi eq, %t, %c1_i64 : i64
  %chosen = scf.if %isOne -> tensor<?xi32> {
    scf.yield %x : tensor<?xi32>
  } else {
    %e = tensor.empty(%n) : tensor<?xi32>
    %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %looped : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) {
    ^bb0(%in: i32, %b: i32, %out: i32):
      %v = arith.addi %in, %b : i32
      linalg.yield %v : i32
    } -> tensor<?xi32>
    scf.yield %0 : tensor<?xi32>
  }
  %zero = arith.constant 0 : i64
  %s0 = tensor.from_elements %zero : tensor<i64>
  %count = scf.while (%c = %s0) : (tensor<i64>) -> tensor<i64> {
    %v = tensor.extract %c[] : tensor<i64>
    %sq = arith.muli %v, %v : i64
    %more = arith.cmpi slt, %sq, %t : i64
    scf.condition(%more) %c : tensor<i64>
  } do {
  ^bb0(%c: tensor<i64>):
    %v = tensor.extract %c[] : tensor<i64>
    %next = arith.addi %v, %c1_i64 : i64
    %r = tensor.from_elements %next : tensor<i64>
    scf.yield %r : tensor<i64>
  }
  return %looped, %chosen, %count : tensor<?xi32>, tensor<?xi32>, tensor<i64>
}

// Two values of static shape that change places in every iteration.
// FIBONACCI: 'last': 2xi32=[55 110]
// FIBONACCI: 'next': 2xi32=[89 178]
func.func @fibonacci(%trips: tensor<i64> {heddle.name = "trips"})
    -> (tensor<2xi32> {heddle.name = "last"}, tensor<2xi32> {heddle.name = "next"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %t = tensor.extract %trips[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %first = tensor.from_elements %zero, %zero : tensor<2xi32>
  %second = tensor.from_elements %one, %two : tensor<2xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first, %b = %second) -> (tensor<2xi32>, tensor<2xi32>) {
    %e = tensor.empty() : tensor<2xi32>
    %sum = linalg.add ins(%a, %b : tensor<2xi32>, tensor<2xi32>) outs(%e : tensor<2xi32>) -> tensor<2xi32>
    scf.yield %b, %sum : tensor<2xi32>, tensor<2xi32>
  }
  return %r#0, %r#1 : tensor<2xi32>, tensor<2xi32>
}
