// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --intent-decompose-lists | FileCheck %s
// RUN: heddle-opt %s --intent-decompose-lists=short-rows | FileCheck %s --check-prefix=SHORT

// One row of scalar code sorts a list; many merge sorted runs. What is made has the op's attributes.
// CHECK-LABEL: @sort(
// CHECK: flow.rows %c3 -> (tensor<3x5xi64>)
// CHECK: } {flow.affinity = @d, intent.of = "sort"}
// CHECK-NOT: intent.sort
// SHORT-LABEL: @sort(
// SHORT: flow.rows %c48{{.*}} -> (tensor<3x1000xi64>)
// SHORT: scf.while
// SHORT: flow.rows %c48{{.*}} -> (tensor<3x1000xi64>)
// SHORT: } {flow.affinity = @d, intent.of = "sort"}
func.func @sort(%x: tensor<3x1000xf32>) -> tensor<3x5xi64> {
  %p = intent.sort %x dim 1 descending {flow.affinity = @d} : (tensor<3x1000xf32>) -> tensor<3x5xi64>
  return %p : tensor<3x5xi64>
}

// Another dimension is turned; a comparison asks once, whether the later element comes before the earlier one.
// CHECK-LABEL: @by(
// CHECK: linalg.transpose
// CHECK: flow.rows %c4{{.*}}
// CHECK: %[[EARLY:.*]] = arith.cmpi slt, %[[X:.*]], %[[Y:.*]] : i64
// CHECK: %[[SWAPS:.*]] = arith.cmpi ult
// CHECK: arith.xori %[[EARLY]], %[[SWAPS]] : i1
func.func @by(%x: tensor<8x4xi32>) -> tensor<8x4xi64> {
  %p = intent.sort %x dim 0 by {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi ult, %a, %b : i32
    intent.yield %less : i1
  } : (tensor<8x4xi32>) -> tensor<8x4xi64>
  return %p : tensor<8x4xi64>
}

// Blocks of floats; integers one after the other; columns side by side.
// CHECK-LABEL: @scan(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK: flow.rows %c1{{.*}} -> (tensor<1x1000x1xi32>)
// CHECK: flow.rows %c1{{.*}} -> (tensor<1x1000x32xf32>)
// SHORT-LABEL: @scan(
// SHORT-NOT: flow.rows %c1{{.*}} -> (tensor<1x1000x1xi32>)
func.func @scan(%x: tensor<1000xf32>, %y: tensor<1000xi32>, %z: tensor<1000x32xf32>) -> (tensor<1000xf32>, tensor<1000xi32>, tensor<1000x32xf32>) {
  %0 = intent.scan %x dim 0 associative from [1.0 : f32] in {
  ^bb0(%i: index, %s: f32, %a: f32):
    %n = arith.mulf %s, %a : f32
    intent.yield %n : f32
  } : (tensor<1000xf32>) -> tensor<1000xf32>
  %1 = intent.scan %y dim 0 associative from [0 : i32] in {
  ^bb0(%i: index, %s: i32, %a: i32):
    %n = arith.addi %s, %a : i32
    intent.yield %n : i32
  } : (tensor<1000xi32>) -> tensor<1000xi32>
  %2 = intent.scan %z dim 0 associative from [0.0 : f32] in {
  ^bb0(%i: index, %s: f32, %a: f32):
    %n = arith.addf %s, %a : f32
    intent.yield %n : f32
  } : (tensor<1000x32xf32>) -> tensor<1000x32xf32>
  return %0, %1, %2 : tensor<1000xf32>, tensor<1000xi32>, tensor<1000x32xf32>
}

// A recurrence, h = a h + b, is walked; so are states with positions.
// CHECK-LABEL: @recurrence(
// CHECK: flow.rows %c12 -> (tensor<4x10x3xf32>)
// CHECK: math.fma
func.func @recurrence(%a: tensor<4x10x3xf32>, %b: tensor<4x10x3xf32>) -> tensor<4x10x3xf32> {
  %h = intent.scan %a, %b dim 1 from [0.0 : f32] in {
  ^bb0(%i: index, %s: f32, %x: f32, %y: f32):
    %n = math.fma %x, %s, %y : f32
    intent.yield %n : f32
  } : (tensor<4x10x3xf32>, tensor<4x10x3xf32>) -> tensor<4x10x3xf32>
  return %h : tensor<4x10x3xf32>
}

// Updates are written in their order; for short rows they are sorted, or each element looks at a few.
// CHECK-LABEL: @scatter(
// CHECK: flow.rows {{.*}} -> (tensor<1x700xf32>)
// CHECK: flow.rows {{.*}} -> (tensor<1x7000000xf32>)
// SHORT-LABEL: @scatter(
// SHORT: flow.rows {{.*}} -> (tensor<100x7xf32>)
// SHORT: scf.while
func.func @scatter(%u: tensor<8x7xf32>, %x: tensor<100x7xf32>, %p: tensor<8xi32>,
                   %v: tensor<500x7xf32>, %y: tensor<1000000x7xf32>, %q: tensor<500xi64>) -> (tensor<100x7xf32>, tensor<1000000x7xf32>) {
  %0 = intent.scatter %u into %x at %p dim 0 : (tensor<8x7xf32>, tensor<100x7xf32>, tensor<8xi32>) -> tensor<100x7xf32>
  %1 = intent.scatter %v into %y at %q dim 0 associative by {
  ^bb0(%b: f32, %c: f32):
    %s = arith.addf %b, %c : f32
    intent.yield %s : f32
  } : (tensor<500x7xf32>, tensor<1000000x7xf32>, tensor<500xi64>) -> tensor<1000000x7xf32>
  return %0, %1 : tensor<100x7xf32>, tensor<1000000x7xf32>
}

// Sizes that stand beside the op are equal where they are one value: nothing is cut, no size is asked for.
// CHECK-LABEL: @free(
// CHECK-NOT: tensor.dim
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @free(%u: tensor<?x5x?xf32>, %x: tensor<?x9x?xf32>, %p: tensor<?x5x?xi64>, %m: index, %n: index) -> tensor<?x9x?xf32> {
  %0 = intent.scatter %u into %x at %p dim 1 sizes(%m, %n, %m, %n) : (tensor<?x5x?xf32>, tensor<?x9x?xf32>, tensor<?x5x?xi64>, index, index, index, index) -> tensor<?x9x?xf32>
  return %0 : tensor<?x9x?xf32>
}

// What is not associative keeps its order: each element looks at all updates.
// CHECK-LABEL: @ordered(
// CHECK: flow.rows {{.*}} -> (tensor<1x700xf32>)
// SHORT-LABEL: @ordered(
// SHORT-NOT: flow.rows
// SHORT: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
func.func @ordered(%u: tensor<8x7xf32>, %x: tensor<100x7xf32>, %p: tensor<8xi32>) -> tensor<100x7xf32> {
  %0 = intent.scatter %u into %x at %p dim 0 by {
  ^bb0(%b: f32, %c: f32):
    %s = arith.subf %c, %b : f32
    intent.yield %s : f32
  } : (tensor<8x7xf32>, tensor<100x7xf32>, tensor<8xi32>) -> tensor<100x7xf32>
  return %0 : tensor<100x7xf32>
}
