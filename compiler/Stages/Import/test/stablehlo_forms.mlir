// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The short form of StableHLO is read and printed; it and the generic form say the same.
// RUN: heddle-opt %s > %t.short
// RUN: FileCheck %s < %t.short
// RUN: heddle-opt %s --mlir-print-op-generic > %t.generic
// RUN: FileCheck %s --check-prefix=GENERIC < %t.generic
// RUN: heddle-opt %t.generic > %t.again
// RUN: diff %t.short %t.again
// RUN: heddle-opt %t.short | diff %t.short -

// CHECK-LABEL: @elementwise
// GENERIC: "stablehlo.add"(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// GENERIC: "stablehlo.compare"(%{{.*}}, %{{.*}}) {compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}
func.func @elementwise(%x: tensor<4xf32>, %y: tensor<?xf32>, %c: tensor<4xi1>) -> tensor<4xf32> {
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.negate %{{.*}} {note = "kept"} : tensor<4xf32>
  %2 = stablehlo.negate %0 {note = "kept"} : tensor<4xf32>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xf64>
  %3 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xf64>
  // CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = stablehlo.compare LT, %x, %2, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare NE, %{{.*}}, %{{.*}} : (
  %5 = stablehlo.compare NE, %x, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %6 = stablehlo.select %4, %x, %2 : tensor<4xi1>, tensor<4xf32>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %7 = stablehlo.select %c, %6, %y : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %8 = stablehlo.clamp %0, %x, %7 : tensor<4xf32>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<4xf32>
  %9 = stablehlo.reduce_precision %8, format = e5m10 : tensor<4xf32>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<4xcomplex<f32>>
  %10 = stablehlo.complex %9, %x : tensor<4xcomplex<f32>>
  // CHECK: stablehlo.real %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %11 = stablehlo.real %10 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: chlo.erf %{{.*}} : tensor<4xf32> -> tensor<4xf32>
  %12 = chlo.erf %11 : tensor<4xf32> -> tensor<4xf32>
  // CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %13 = chlo.next_after %12, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: chlo.broadcast_add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %14 = chlo.broadcast_add %13, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: chlo.top_k(%{{.*}}, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %15:2 = chlo.top_k(%14, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %14 : tensor<4xf32>
}

// CHECK-LABEL: @shapes
// GENERIC: "stablehlo.slice"(%{{.*}}) {limit_indices = array<i64: 3, 8>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 2>}
func.func @shapes(%x: tensor<3x8xf32>, %s: tensor<f32>, %i: tensor<i32>, %n: tensor<2xi64>) -> tensor<2x4xf32> {
  // CHECK: stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: stablehlo.constant {note} dense<true> : tensor<i1>
  %1 = stablehlo.constant {note} dense<true> : tensor<i1>
  // CHECK: stablehlo.constant dense<7> : tensor<i8>
  %2 = stablehlo.constant() {value = dense<7> : tensor<i8>} : () -> tensor<i8>
  // CHECK: stablehlo.iota dim = 1 : tensor<2x3xui32>
  %3 = stablehlo.iota dim = 1 : tensor<2x3xui32>
  // CHECK: stablehlo.slice %{{.*}} [1:3, 0:8:2] : (tensor<3x8xf32>) -> tensor<2x4xf32>
  %4 = stablehlo.slice %x [1:3, 0:8:2] : (tensor<3x8xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.slice %{{.*}} [] : (tensor<f32>) -> tensor<f32>
  %5 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %6 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %7 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [0] : tensor<3x8xf32>
  %8 = stablehlo.reverse %x, dims = [0] : tensor<3x8xf32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [1, 0], high = [0, -1], interior = [2, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<8x7xf32>
  %9 = stablehlo.pad %x, %s, low = [1, 0], high = [0, -1], interior = [2, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<8x7xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<6x8xf32>
  %10 = stablehlo.concatenate %x, %8, dim = 0 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<6x8xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 4] : (tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %11 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : (tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  // CHECK: stablehlo.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (
  %12 = stablehlo.dynamic_update_slice %x, %11, %i, %i : (tensor<3x8xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  // CHECK: stablehlo.reshape %{{.*}} : (tensor<3x8xf32>) -> tensor<24xf32>
  %13 = stablehlo.reshape %12 : (tensor<3x8xf32>) -> tensor<24xf32>
  // CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [] : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  %14 = stablehlo.dynamic_broadcast_in_dim %s, %n, dims = [] : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: stablehlo.dynamic_iota %{{.*}}, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  %15 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  // CHECK: stablehlo.get_dimension_size %{{.*}}, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %16 = stablehlo.get_dimension_size %14, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  // CHECK: stablehlo.set_dimension_size %{{.*}}, %{{.*}}, dim = 1 : (tensor<3x8xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 8>>
  %17 = stablehlo.set_dimension_size %x, %16, dim = 1 : (tensor<3x8xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 8>>
  return %4 : tensor<2x4xf32>
}

// CHECK-LABEL: @products
// GENERIC: dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]
// GENERIC: dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1>, padding = dense<{{\[\[}}1, 0]]> : tensor<1x2xi64>, rhs_dilation = array<i64: 2>, window_reversal = array<i1: false>, window_strides = array<i64: 1>
func.func @products(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %z: tensor<2x3x4xf32>, %k: tensor<2x4x5xf32>, %c: tensor<16xcomplex<f32>>, %b: tensor<2xui64>) -> tensor<2x4xf32> {
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (
  %1 = stablehlo.dot_general %z, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3x4xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [] x [], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [] x [], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3x3x4xf32>
  // CHECK: stablehlo.dot %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = {{\[\[}}1, 0]], lhs_dilate = [1], rhs_dilate = [2], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (
  %4 = stablehlo.convolution(%z, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 0]], lhs_dilate = [1], rhs_dilate = [2], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x2x5xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64
  %5 = stablehlo.convolution(%z, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x2x5xf32>
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [16] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
  %6 = stablehlo.fft %c, type = FFT, length = [16] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<2x3xf32>
  %7 = stablehlo.cholesky %x, lower = true : tensor<2x3xf32>
  // CHECK: stablehlo.einsum %{{.*}}, %{{.*}}, config = "ab,bc->ac" : (
  %8 = stablehlo.einsum %x, %y, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.rng_bit_generator %{{.*}}, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %9:2 = stablehlo.rng_bit_generator %b, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @structure
// GENERIC: "stablehlo.reduce"(%{{.*}}, %{{.*}}) ({
// GENERIC-NEXT: ^bb0(%[[L:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>):
// GENERIC-NEXT: %[[S:.*]] = "stablehlo.add"(%[[L]], %[[R]]) : (tensor<f32>, tensor<f32>) -> tensor<f32>
// GENERIC-NEXT: "stablehlo.return"(%[[S]]) : (tensor<f32>) -> ()
// GENERIC-NEXT: }) {dimensions = array<i64: 1>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
func.func @structure(%x: tensor<3x4xf32>, %p: tensor<3x4xi32>, %s: tensor<f32>, %i: tensor<i32>) -> tensor<3xf32> {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [1] : (
  // CHECK-NEXT: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) (%[[C:.*]]: tensor<i32>, %[[D:.*]]: tensor<i32>) {
  // CHECK-NEXT: stablehlo.maximum %[[A]], %[[B]] : tensor<f32>
  // CHECK-NEXT: stablehlo.add %[[C]], %[[D]] : tensor<i32>
  // CHECK-NEXT: stablehlo.return %{{.*}}, %{{.*}} : tensor<f32>, tensor<i32>
  %1:2 = stablehlo.reduce(%x init: %s), (%p init: %i) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %m = stablehlo.maximum %a, %b : tensor<f32>
    %n = stablehlo.add %c, %d : tensor<i32>
    stablehlo.return %m, %n : tensor<f32>, tensor<i32>
  }
  // CHECK: stablehlo.while(%[[I:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) : tensor<i32>, tensor<3xf32>
  // CHECK-NEXT: cond {
  // CHECK-NEXT: stablehlo.compare LT, %[[I]], %{{.*}} : (
  // CHECK: } do {
  // CHECK-NEXT: stablehlo.add %[[Y]], %[[Y]] : tensor<3xf32>
  %2:2 = stablehlo.while(%j = %i, %y = %0) : tensor<i32>, tensor<3xf32>
  cond {
    %c = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %z = stablehlo.add %y, %y : tensor<3xf32>
    stablehlo.return %j, %z : tensor<i32>, tensor<3xf32>
  }
  // CHECK: "stablehlo.case"(%{{.*}}) ({
  // CHECK-NEXT: stablehlo.return %{{.*}} : tensor<3xf32>
  %3 = "stablehlo.case"(%i) ({
    stablehlo.return %2#1 : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  // CHECK: stablehlo.custom_call @"not-an-id"(%{{.*}}) {backend_config = "b", has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %4 = stablehlo.custom_call @"not-an-id"(%s) {backend_config = "b", has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.custom_call @none() : () -> ()
  stablehlo.custom_call @none() : () -> ()
  // CHECK: stablehlo.composite "my.op" %{{.*}} {decomposition = @elementwise} : (tensor<f32>) -> tensor<f32>
  %5 = stablehlo.composite "my.op" %s {decomposition = @elementwise} : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<f32>, tensor<i32>
  %6:2 = stablehlo.optimization_barrier %s, %i : tensor<f32>, tensor<i32>
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier()
  // CHECK: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<f32>, tensor<i32>>
  %7 = stablehlo.tuple %s, %i : tuple<tensor<f32>, tensor<i32>>
  // CHECK: stablehlo.get_tuple_element %{{.*}}[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  %8 = stablehlo.get_tuple_element %7[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  // CHECK: stablehlo.create_token : !stablehlo.token
  %9 = stablehlo.create_token : !stablehlo.token
  // CHECK: stablehlo.after_all %{{.*}}, %{{.*}} : !stablehlo.token
  %10 = stablehlo.after_all %9, %9 : !stablehlo.token
  // CHECK: stablehlo.partition_id : tensor<ui32>
  %11 = stablehlo.partition_id : tensor<ui32>
  return %3 : tensor<3xf32>
}
