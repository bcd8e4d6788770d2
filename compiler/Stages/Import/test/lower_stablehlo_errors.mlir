// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --verify-diagnostics --split-input-file

// Everything that is not supported by its name or types is reported at once.
func.func @names(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{op stablehlo.tridiagonal is not supported in a StableHLO program}}
  %0 = "stablehlo.tridiagonal"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{op stablehlo.negate: a result of type 'tensor<?xf32>' is not supported; shapes must be fixed, of at most 2^47 elements, elements floats of 8 (f8E4M3FN, f8E5M2 and their FNUZ forms) to 64 bits, complex numbers of them from 32 on, or integers of 1, 2, 4 and 8 to 64}}
  %1 = "stablehlo.negate"(%0) : (tensor<4xf32>) -> tensor<?xf32>
  // expected-error @+1 {{op stablehlo.convert: a result of type 'tensor<4xcomplex<f16>>' is not supported; shapes must be fixed}}
  %2 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xcomplex<f16>>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0 of type 'tensor<?xf32>' is not supported}}
func.func @dynamic(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.negate"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @endless(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    // expected-error @+1 {{a region ends in op stablehlo.negate, it must end in stablehlo.return}}
    %1 = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  }, {
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// So is everything that an op's lowering refuses.
func.func @malformed(%x: tensor<3x4xf32>, %y: tensor<4xf32>, %i: tensor<3xi32>, %s: tensor<f32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{op stablehlo.add: operand 1 does not have the shape of the result}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  // expected-error @+1 {{op stablehlo.broadcast_in_dim: needs the attribute broadcast_dimensions}}
  %1 = "stablehlo.broadcast_in_dim"(%y) : (tensor<4xf32>) -> tensor<3x4xf32>
  // expected-error @+1 {{op stablehlo.broadcast_in_dim: broadcast_dimensions names dimension 2 of a tensor of rank 2}}
  %2 = "stablehlo.broadcast_in_dim"(%y) <{broadcast_dimensions = array<i64: 2>}> : (tensor<4xf32>) -> tensor<3x4xf32>
  // expected-error @+1 {{op stablehlo.compare: needs the attribute comparison_direction, one of EQ, NE, LT, LE, GT, GE}}
  %3 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction WORSE>}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  // expected-error @+1 {{op stablehlo.sine: needs floats}}
  %4 = "stablehlo.sine"(%i) : (tensor<3xi32>) -> tensor<3xi32>
  // expected-error @+1 {{op stablehlo.reshape: operand and result have different numbers of elements}}
  %5 = "stablehlo.reshape"(%x) : (tensor<3x4xf32>) -> tensor<5xf32>
  // expected-error @+1 {{op stablehlo.slice: dimension 0 of size 4 has no part 2:9:1}}
  %6 = "stablehlo.slice"(%y) <{limit_indices = array<i64: 9>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<7xf32>
  // expected-error @+1 {{op stablehlo.dot_general: needs the attribute dot_dimension_numbers, #stablehlo.dot<name = [integers], …>}}
  %7 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = one>}> : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  // expected-error @+1 {{op stablehlo.dot_general: dimension 0 of the left operand and dimension 0 of the right one differ in size}}
  %8 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{op stablehlo.transpose: permutation names dimension 0 twice}}
  %9 = "stablehlo.transpose"(%x) <{permutation = array<i64: 0, 0>}> : (tensor<3x4xf32>) -> tensor<3x3xf32>
  // expected-error @+1 {{op stablehlo.custom_call: the target 'mine_sgetrf' is not known; custom calls are code of another compiler}}
  %10 = "stablehlo.custom_call"(%x) <{call_target_name = "mine_sgetrf"}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  // expected-error @+1 {{op stablehlo.reduce: the region needs 2 arguments of rank 0}}
  %11 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  // expected-error @+1 {{op stablehlo.slice: result 0 is declared as tensor<3x5xf32> but has elements of type f32 in the shape of tensor<3x4xf32>}}
  %12 = "stablehlo.slice"(%x) <{limit_indices = array<i64: 3, 4>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<3x4xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @attributes(%x: tensor<3x4xf32>, %i: tensor<2xi32>) -> tensor<3x4xi1> {
  // expected-error @+1 {{op stablehlo.compare: the attribute compare_type must be one of FLOAT, TOTALORDER, SIGNED, UNSIGNED}}
  %0 = "stablehlo.compare"(%x, %x) <{compare_type = #stablehlo<comparison_type TOTAL>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  // expected-error @+1 {{op stablehlo.gather: attribute dimension_numbers has a field 'offset_dim'; known: offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map, index_vector_dim}}
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dim = [0, 1], start_index_map = [0, 1]>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<1x2xf32>
  // expected-error @+1 {{op stablehlo.gather: index_vector_dim must be one integer}}
  %2 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = []>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<1x2xf32>
  // expected-error @+1 {{op stablehlo.dot_general: attribute dot_dimension_numbers has a field 'precision'; known: lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions}}
  %3 = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], precision = [1]>}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<3x4xi1>
}

// -----

func.func @region(%x: tensor<3x4xf32>, %s: tensor<f32>) -> tensor<3xf32> {
  // expected-error @+1 {{op stablehlo.reduce: the region op stablehlo.iota: is not supported here}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func private @again(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{op func.call: the function @again calls itself, or calls nest too deeply}}
  %0 = "func.call"(%x) <{callee = @again}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.negate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "func.call"(%x) <{callee = @again}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @order(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @+1 {{op stablehlo.add reads a value that is defined after it, or in another region}}
    %c = "stablehlo.add"(%a, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %d = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @wrong_end(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a function ends in op stablehlo.return, it must end in func.return}}
  "stablehlo.return"() : () -> ()
}

// -----

// Numbers as great as there are.
func.func @great(%x: tensor<4xf32>, %y: tensor<1xf32>, %p: tensor<f32>) -> (tensor<1xf32>, tensor<4xf32>, tensor<4x4xf32>) {
  %0 = "stablehlo.slice"(%x) <{limit_indices = array<i64: 4>, start_indices = array<i64: 0>, strides = array<i64: 9223372036854775807>}> : (tensor<4xf32>) -> tensor<1xf32>
  %1 = "stablehlo.pad"(%y, %p) <{edge_padding_high = array<i64: 2>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 9223372036854775807>}> : (tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = dense<1> : tensor<1xindex>}> : (tensor<4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<1xf32>, tensor<4xf32>, tensor<4x4xf32>
}

// -----

func.func @least(%y: tensor<1xf32>, %p: tensor<f32>) -> tensor<4xf32> {
  // expected-error @+1 {{op stablehlo.pad: the padding of dimension 0 does not give the result's size}}
  %0 = "stablehlo.pad"(%y, %p) <{edge_padding_high = array<i64: 2>, edge_padding_low = array<i64: -9223372036854775808>, interior_padding = array<i64: 0>}> : (tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @huge(%x: tensor<4xf32>, %p: tensor<f32>) -> tensor<3xf32> {
  // expected-error @+1 {{op stablehlo.iota: a result of type 'tensor<9223372036854775807xf32>' is not supported; shapes must be fixed, of at most 2^47 elements}}
  %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<9223372036854775807xf32>
  // expected-error @+1 {{op stablehlo.iota: a result of type 'tensor<0x4294967296x4294967296xf32>' is not supported}}
  %1 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<0x4294967296x4294967296xf32>
  %2 = "stablehlo.slice"(%0) <{limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<9223372036854775807xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----

func.func @wide(%x: tensor<1099511627776xf32>, %k: tensor<1x1x1099511627776xf32>, %p: tensor<f32>) -> (tensor<3xf32>, tensor<1x1x3xf32>) {
  // expected-error @+1 {{op stablehlo.reduce_window: the padded operand is larger than any memory}}
  %0 = "stablehlo.reduce_window"(%x, %p) <{window_dimensions = array<i64: 3>, base_dilations = array<i64: 16777216>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<3xf32>
  // expected-error @+1 {{op stablehlo.convolution: the window is larger than the padded operand in spatial dimension 0}}
  %2 = "stablehlo.convolution"(%k, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, rhs_dilation = array<i64: 16777216>, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>}> : (tensor<1x1x1099511627776xf32>, tensor<1x1x1099511627776xf32>) -> tensor<1x1x3xf32>
  return %0, %2 : tensor<3xf32>, tensor<1x1x3xf32>
}

// -----

func.func @region_types(%x: tensor<4xf32>, %p: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  // expected-error @+1 {{op stablehlo.sort: the region must return i1 as value 0}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{op stablehlo.reduce: argument 0 of the region must have the element type f32}}
  %1 = "stablehlo.reduce"(%x, %p) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %2 = "stablehlo.convert"(%a) : (tensor<i32>) -> tensor<f32>
    "stablehlo.return"(%2) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<4xf32>, tensor<f32>
}

// -----

func.func @indices(%i: tensor<i8>, %x: tensor<6xf32>, %s: tensor<2xf32>, %p: tensor<f32>) -> (tensor<f32>, tensor<6xf32>, tensor<f32>) {
  // expected-error @+1 {{op stablehlo.case: needs an index of type tensor<i32>}}
  %0 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) : (tensor<i8>) -> tensor<f32>
  // expected-error @+1 {{op stablehlo.select_and_scatter: has no dilations}}
  %1 = "stablehlo.select_and_scatter"(%x, %s, %p) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, window_dilations = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%2) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%2) : (tensor<f32>) -> ()
  }) : (tensor<6xf32>, tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
  // expected-error @+1 {{op stablehlo.reduce_precision: needs the attributes exponent_bits, at least 1, and mantissa_bits, at least 0, of type i32}}
  %3 = "stablehlo.reduce_precision"(%p) <{exponent_bits = 0 : i32, mantissa_bits = 7 : i32}> : (tensor<f32>) -> tensor<f32>
  return %0, %1, %3 : tensor<f32>, tensor<6xf32>, tensor<f32>
}

// -----

// What floats of 8 bits are not supported in.
func.func @float8(%x: tensor<4xf8E4M3FN>, %s: tensor<f8E4M3FN>, %e: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  // expected-error @+1 {{op chlo.next_after: floats of 8 bits are not supported here; convert them to f32}}
  %0 = "chlo.next_after"(%x, %e) : (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  // expected-error @+1 {{op stablehlo.compare: floats of 8 bits are not supported here; convert them to f32}}
  %1 = "stablehlo.compare"(%x, %e) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) -> tensor<4xi1>
  // expected-error @+1 {{op chlo.top_k: floats of 8 bits are not supported here; convert them to f32}}
  %2:2 = "chlo.top_k"(%x) <{k = 2 : i64}> : (tensor<4xf8E4M3FN>) -> (tensor<2xf8E4M3FN>, tensor<2xi32>)
  // expected-error @+1 {{op stablehlo.reduce: floats of 8 bits are not supported here; convert them to f32}}
  %3 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>):
    %4 = "stablehlo.maximum"(%a, %b) : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
    "stablehlo.return"(%4) : (tensor<f8E4M3FN>) -> ()
  }) : (tensor<4xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  return %x : tensor<4xf8E4M3FN>
}

// -----

// As jax.pure_callback is written: the mesh of one device, whose sharding names no dimension, is no fault.
module {
  sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
  func.func @callback(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
    // expected-error @+1 {{op stablehlo.custom_call: the target 'xla_ffi_python_cpu_callback' calls back into Python (jax.pure_callback, io_callback, jax.debug.print), and an artifact has no Python; take it out of the function}}
    %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}

// -----

// Routines of LAPACK: what they are called with is checked, and those that are not there are named.
func.func @lapack(%a: tensor<4x4xf32>, %w: tensor<3x4xf32>, %i: tensor<4x4xi32>, %t: tensor<5xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{op stablehlo.custom_call: the target 'lapack_sgeev_ffi' is not supported; of LAPACK there are potrf, getrf, geqrf, orgqr, syevd, gesdd and trsm, on f32 and f64}}
  %0 = "stablehlo.custom_call"(%a) <{call_target_name = "lapack_sgeev_ffi"}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{op stablehlo.custom_call: needs the option uplo of the call, one of the letters LU as a number}}
  %1:2 = "stablehlo.custom_call"(%a) <{call_target_name = "lapack_spotrf_ffi"}> {mhlo.backend_config = {uplo = 78 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  // expected-error @+1 {{op stablehlo.custom_call: needs square matrices}}
  %2:2 = "stablehlo.custom_call"(%w) <{call_target_name = "lapack_spotrf_ffi"}> {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<i32>)
  // expected-error @+1 {{op stablehlo.custom_call: operand 0 must be matrices of f32 or f64, all operands of one type and batch}}
  %3:3 = "stablehlo.custom_call"(%i) <{call_target_name = "lapack_sgetrf_ffi"}> : (tensor<4x4xi32>) -> (tensor<4x4xi32>, tensor<4xi32>, tensor<i32>)
  // expected-error @+1 {{op stablehlo.custom_call: result 1 is declared as tensor<3xi32> but has elements of type i32 in the shape of tensor<1x4xi32>}}
  %4:3 = "stablehlo.custom_call"(%a) <{call_target_name = "lapack_sgetrf_ffi"}> : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<3xi32>, tensor<i32>)
  // expected-error @+1 {{op stablehlo.custom_call: needs matrices with at most as many columns as rows, and at most one reflection for each, at least one}}
  %5 = "stablehlo.custom_call"(%a, %t) <{call_target_name = "lapack_sorgqr_ffi"}> : (tensor<4x4xf32>, tensor<5xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{op stablehlo.custom_call: the sizes of the matrix and of the right side differ}}
  %6 = "stablehlo.custom_call"(%a, %w) <{call_target_name = "lapack_strsm_ffi"}> {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // expected-error @+1 {{op stablehlo.triangular_solve: the attribute transpose_a must be one of NO_TRANSPOSE, TRANSPOSE, ADJOINT}}
  %7 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TURNED>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{op stablehlo.custom_call: has 5 results, got 4}}
  %8:4 = "stablehlo.custom_call"(%a) <{call_target_name = "lapack_sgesdd_ffi"}> {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
  return %a : tensor<4x4xf32>
}

// -----

// An argument is called what the text calls it.
// expected-error @+2 {{argument 0 (params['w']) of type 'tensor<?xf32>' is not supported}}
// expected-error @+1 {{argument 1 (x) of type 'tensor<4x?xi32>' is not supported}}
func.func @named(%x: tensor<?xf32> loc("params['w']"), %y: tensor<4x?xi32> {jax.arg_info = "x"}, %z: tensor<4xf32> loc("z")) -> tensor<4xf32> {
  %0 = stablehlo.negate %z : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @narrow_integers(%x: tensor<4xi4>, %y: tensor<4xui2>, %i: tensor<i4>) -> tensor<i4> {
  // expected-error @+1 {{op stablehlo.popcnt is not supported on integers of 2 and 4 bits; convert them to i8 before}}
  %0 = stablehlo.popcnt %x : tensor<4xi4>
  // expected-error @+1 {{op stablehlo.shift_right_logical is not supported on integers of 2 and 4 bits}}
  %1 = stablehlo.shift_right_logical %y, %y : tensor<4xui2>
  // expected-error @+1 {{op stablehlo.reduce is not supported on integers of 2 and 4 bits}}
  %2 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<4xi4>, tensor<i4>) -> tensor<i4>
  return %2 : tensor<i4>
}

// -----

func.func @computed_sizes(%x: tensor<4xi32>, %p: tensor<i32>, %n: tensor<1xi64>) -> tensor<8xi32> {
  %c = stablehlo.constant dense<2> : tensor<1xi64>
  // expected-error @+1 {{op stablehlo.dynamic_pad: operand 2, the padding before, must be a constant: sizes that are computed are not supported}}
  %0 = stablehlo.dynamic_pad %x, %p, %n, %c, %c : (tensor<4xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

func.func @map(%x: tensor<4xi32>, %f: tensor<4xi1>) -> (tensor<4xi32>, tensor<4xi1>) {
  // expected-error @+1 {{op stablehlo.map: dimensions must be all of the result's, in order}}
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) {dimensions = array<i64>} : (tensor<4xi32>) -> tensor<4xi32>
  // expected-error @+1 {{op stablehlo.power: needs floats or integers of more than one bit}}
  %1 = stablehlo.power %f, %f : tensor<4xi1>
  return %0, %1 : tensor<4xi32>, tensor<4xi1>
}

// -----

// Carried values must have the initial values' types.
func.func @scan(%x: tensor<4xi32>, %s: tensor<i64>) -> tensor<4xi32> {
  // expected-error @+1 {{op chlo.scan is not supported in a StableHLO program}}
  %0:2 = chlo.scan(%x) inits(%s) dimension=0 {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1, %1 : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i64>) -> (tensor<4xi32>, tensor<i64>)
  return %0#0 : tensor<4xi32>
}
