// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --split-input-file | FileCheck %s

// A broadcast is a map of what reads it; the call is inlined; attributes of other tools go.
// CHECK: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK: module {
// CHECK: func.func @main(%[[X:.*]]: tensor<3x4xf32>, %[[B:.*]]: tensor<4xf32>) -> tensor<3x4xf32>
// CHECK-NOT: func.call
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #[[ROW]], #{{.*}}]{{.*}} ins(%[[X]], %[[B]]
// CHECK: arith.addf
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<3x4xf32>)
// CHECK: arith.maximumf %{{.*}}, %[[ZERO]]
// CHECK-NOT: func.func private
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main"}> ({
  ^bb0(%x: tensor<3x4xf32>, %b: tensor<4xf32>):
    %0 = "stablehlo.broadcast_in_dim"(%b) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<3x4xf32>
    %1 = "stablehlo.add"(%x, %0) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %2 = "func.call"(%1) <{callee = @relu}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%2) : (tensor<3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<3x4xf32>, sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%x: tensor<3x4xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x4xf32>
    %2 = "stablehlo.maximum"(%x, %1) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%2) : (tensor<3x4xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32} : () -> ()

// -----

// A loop that counts to a constant is an scf.for; what it does not change is not carried.
// CHECK-LABEL: func.func @counted(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c7 step %c1 iter_args(%{{.*}} = %[[X]]) -> (tensor<4xf32>)
// CHECK: linalg.generic {{.*}} %[[W]] :
// CHECK: heddle.keeps_shapes
func.func @counted(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:3 = "stablehlo.while"(%zero, %x, %w) ({
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>, %v: tensor<4xf32>):
    %limit = "stablehlo.constant"() <{value = dense<7> : tensor<i32>}> : () -> tensor<i32>
    %more = "stablehlo.compare"(%i, %limit) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%more) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>, %v: tensor<4xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %z = "stablehlo.multiply"(%y, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%next, %z, %v) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}

// -----

// A sum of i1 is no next number.
// CHECK-LABEL: func.func @flag_counter(
// CHECK: scf.while
func.func @flag_counter(%x: tensor<f32>) -> tensor<f32> {
  %no = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
  %yes = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
  %r:2 = "stablehlo.while"(%no, %x) ({
  ^bb0(%i: tensor<i1>, %y: tensor<f32>):
    %more = "stablehlo.compare"(%i, %yes) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "stablehlo.return"(%more) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i1>, %y: tensor<f32>):
    %next = "stablehlo.add"(%i, %yes) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %z = "stablehlo.add"(%y, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%next, %z) : (tensor<i1>, tensor<f32>) -> ()
  }) : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>)
  return %r#1 : tensor<f32>
}

// -----

// Branches are chosen by halves; what is no branch's number, negative ones too, chooses the last.
// CHECK-LABEL: func.func @branches(
// CHECK: arith.cmpi ult, %[[I:.*]], %c2_i32
// CHECK: scf.if
// CHECK:   arith.cmpi ult, %[[I]], %c1_i32
// CHECK:   scf.if
// CHECK: } else {
// CHECK:   arith.cmpi ult, %[[I]], %c3_i32
// CHECK:   scf.if
// CHECK:     scf.yield
// CHECK:   } else {
// CHECK:     arith.cmpi ult, %[[I]], %c4_i32
func.func @branches(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%y) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%y) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Operands of a product are turned to [b, m, k] and [b, k, n]; one batch is none.
// CHECK-LABEL: func.func @products(
// CHECK: linalg.matmul
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1]
// CHECK: linalg.batch_matmul
func.func @products(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<2x3x5xf32>, %d: tensor<2x7x5xf32>) -> (tensor<3x7xf32>, tensor<2x3x7xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>]}> : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %1 = "stablehlo.dot_general"(%c, %d) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>}> : (tensor<2x3x5xf32>, tensor<2x7x5xf32>) -> tensor<2x3x7xf32>
  return %0, %1 : tensor<3x7xf32>, tensor<2x3x7xf32>
}

// -----

// Unsigned elements keep their type at the entry point; ops know it.
// CHECK-LABEL: func.func @unsigned(%arg0: tensor<4xui8>) -> tensor<4xui8>
// CHECK: builtin.unrealized_conversion_cast %arg0 : tensor<4xui8> to tensor<4xi8>
// CHECK: arith.shrui
// CHECK: arith.maxui
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<4xui8>}> : () -> tensor<4xui8>
  %0 = "stablehlo.shift_right_logical"(%x, %one) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = "stablehlo.maximum"(%0, %one) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %1 : tensor<4xui8>
}

// -----

// What the caller donates: the argument whose memory is a result's, by its index. Without a result it says nothing.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: tensor<4xf32> {heddle.donated = 1 : i64}, %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<2xf32>)
func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %y: tensor<4xf32> {jax.buffer_donor = true},
                %z: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.multiply"(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Integers of 32 bits wrap where the counter's bounds do not show that they fit.
// CHECK-LABEL: func.func @wraps
// CHECK: scf.for %[[I:arg[0-9]+]] =
// CHECK: %[[S:.*]] = arith.addi %{{.*}}, %[[I]] : index
// CHECK: %[[LOW:.*]] = arith.andi %[[S]], %{{.*}} : index
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[LOW]], %[[SIGN:.*]] : index
// CHECK: %[[WRAPPED:.*]] = arith.subi %[[FLIPPED]], %[[SIGN]] : index
// CHECK: arith.cmpi slt, %[[WRAPPED]]
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %[[I]] : index
// CHECK-NOT: arith.andi %[[NEXT]]
// CHECK: arith.cmpi slt, %[[NEXT]]
func.func @wraps(%x: tensor<i1>, %y: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %z = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %o = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %t = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
  %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
  %big = "stablehlo.constant"() <{value = dense<2147483646> : tensor<i32>}> : () -> tensor<i32>
  %0:3 = "stablehlo.while"(%z, %x, %y) ({
  ^bb0(%i: tensor<i32>, %a: tensor<i1>, %b: tensor<i1>):
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<i1>, %b: tensor<i1>):
    %s = "stablehlo.add"(%i, %big) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %neg = "stablehlo.compare"(%s, %z) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %j = "stablehlo.add"(%i, %o) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %few = "stablehlo.compare"(%j, %t) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%j, %neg, %few) : (tensor<i32>, tensor<i1>, tensor<i1>) -> ()
  }) : (tensor<i32>, tensor<i1>, tensor<i1>) -> (tensor<i32>, tensor<i1>, tensor<i1>)
  return %0#1, %0#2 : tensor<i1>, tensor<i1>
}

// -----

// Unsigned starts are large, not negative: they are moved to the last one.
// CHECK-LABEL: func.func @unsigned_starts
// CHECK: %[[AT:.*]] = arith.index_castui
// CHECK: %[[LARGE:.*]] = arith.cmpi slt, %[[AT]]
// CHECK: %[[PLACE:.*]] = arith.select %[[LARGE]], %{{.*}}, %[[AT]]
// CHECK: arith.minsi %[[PLACE]]
// CHECK: %[[INDEX:.*]] = arith.index_castui
// CHECK: arith.cmpi slt, %[[INDEX]]
// CHECK: arith.minsi
func.func @unsigned_starts(%x: tensor<9xf32>, %i: tensor<ui64>, %j: tensor<3x1xui64>) -> (tensor<2xf32>, tensor<3x2xf32>) {
  %0 = "stablehlo.dynamic_slice"(%x, %i) <{slice_sizes = array<i64: 2>}> : (tensor<9xf32>, tensor<ui64>) -> tensor<2xf32>
  %1 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2>}> : (tensor<9xf32>, tensor<3x1xui64>) -> tensor<3x2xf32>
  return %0, %1 : tensor<2xf32>, tensor<3x2xf32>
}

// -----

// Affinities stay with what an op becomes, and transfers are passed through.
// CHECK-LABEL: func.func @affinity
// CHECK-SAME: %{{.*}}: tensor<4xf32> {heddle.affinity = #device.promise<@a>}
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: heddle.affinity = #device.promise<@b>
// CHECK: %[[THERE:.*]] = flow.transfer %[[SUM]] : tensor<4xf32> to #device.promise<@c>
// CHECK: linalg.generic {{.*}} ins(%[[THERE]], %arg1
// CHECK-NOT: heddle.affinity
// CHECK: return
func.func @affinity(%x: tensor<4xf32> {heddle.affinity = #device.promise<@a>}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.add"(%x, %y) {heddle.affinity = #device.promise<@b>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = flow.transfer %0 : tensor<4xf32> to #device.promise<@c>
  %2 = "stablehlo.subtract"(%1, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Special functions are arithmetic of the op's body: gamma's family by series around 2 and Stirling's, zeta with a loop
// over its first terms.
// CHECK-LABEL: func.func @special(
// CHECK: linalg.generic
// CHECK: math.log
// CHECK: math.sin
// CHECK: linalg.generic
// CHECK: math.tan
// CHECK: linalg.generic
// CHECK: scf.for
// CHECK: math.powf
// CHECK: linalg.generic
// CHECK: math.copysign
func.func @special(%x: tensor<4xf32>, %q: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "chlo.lgamma"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "chlo.digamma"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "chlo.zeta"(%x, %q) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "chlo.bessel_i1e"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Factorizations are scalar code: a row for each matrix of a batch, and for blocks of columns of right sides.
// CHECK-LABEL: func.func @factor(
// CHECK: flow.rows %c6 -> (tensor<6x4x4xf32>, tensor<6xi32>)
// CHECK: math.sqrt
// CHECK: flow.rows %c12 -> (tensor<6x4x70xf32>)
func.func @factor(%a: tensor<2x3x4x4xf32>, %b: tensor<2x3x4x70xf32>) -> tensor<2x3x4x70xf32> {
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x4x4xf32>, tensor<2x3x4x70xf32>) -> tensor<2x3x4x70xf32>
  return %1 : tensor<2x3x4x70xf32>
}

// -----

// Floats of 8 bits are bytes, decoded and encoded around arithmetic.
// CHECK-LABEL: func.func @float8(
// CHECK: linalg.generic {{.*}} tensor<4xi8>
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: linalg.yield %{{.*}} : i8
func.func @float8(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}
