// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --verify-diagnostics --split-input-file

// What complex numbers are not supported in is refused all at once; what reads it says nothing.
func.func @refused(%x: tensor<4xcomplex<f32>>, %z: tensor<4xcomplex<f64>>, %r: tensor<4xf32>, %i: tensor<1xi32>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{op stablehlo.cbrt: complex numbers are not supported here}}
  %0 = "stablehlo.cbrt"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %1 = "stablehlo.negate"(%0) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.add: needs complex operands of one type}}
  %2 = "stablehlo.add"(%x, %z) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.multiply: needs complex operands of one type}}
  %3 = "stablehlo.multiply"(%x, %r) : (tensor<4xcomplex<f32>>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.exponential: needs 1 operands and one result}}
  %4 = "stablehlo.exponential"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.abs: the result does not have the operands' type}}
  %5 = "stablehlo.abs"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.compare: complex numbers of one type can be compared for EQ and NE}}
  %6 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  // expected-error @+1 {{op stablehlo.complex: needs two operands of the type of the result's parts}}
  %7 = "stablehlo.complex"(%r, %r) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  // expected-error @+1 {{op stablehlo.pad: operand 1 does not have the type it needs for a complex result}}
  %8 = "stablehlo.pad"(%x, %r) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<4xcomplex<f32>>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.constant: needs the attribute value, dense elements of the result's type}}
  %9 = "stablehlo.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.custom_call: the target 'lapack_cgetrf_ffi' is not supported on complex numbers}}
  %10 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_cgetrf_ffi"}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.dot_general: needs two complex operands and a complex result, or none}}
  %11 = "stablehlo.dot_general"(%x, %r) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4xcomplex<f32>>, tensor<4xf32>) -> tensor<complex<f32>>
  // expected-error @+1 {{op stablehlo.scatter: of complex numbers can only set, add or subtract, one operand at a time}}
  %12 = "stablehlo.scatter"(%x, %i, %x) ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %13 = "stablehlo.multiply"(%a, %b) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    "stablehlo.return"(%13) : (tensor<complex<f32>>) -> ()
  }) : (tensor<4xcomplex<f32>>, tensor<1xi32>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %1 : tensor<4xcomplex<f32>>
}

// -----

func.func @transforms(%x: tensor<3x8xf32>, %z: tensor<3x8xcomplex<f32>>, %p: tensor<4194301xcomplex<f32>>) -> tensor<3x8xcomplex<f32>> {
  // expected-error @+1 {{op stablehlo.fft: needs a complex operand or result}}
  %0 = "stablehlo.fft"(%x) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
  // expected-error @+1 {{op stablehlo.fft: dimension 1 of the operand does not have the length that fft_length names}}
  %1 = "stablehlo.fft"(%z) <{fft_length = array<i64: 7>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.fft: transforms one to three dimensions of the operand, fft_length names 3}}
  %2 = "stablehlo.fft"(%z) <{fft_length = array<i64: 1, 3, 8>, fft_type = #stablehlo<fft_type IFFT>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.fft: the attribute fft_type must be one of FFT, IFFT, RFFT, IRFFT}}
  %3 = "stablehlo.fft"(%z) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type DCT>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.fft: the result does not have the type of such a transform}}
  %4 = "stablehlo.fft"(%x) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<3x8xf32>) -> tensor<3x8xcomplex<f32>>
  // expected-error @+1 {{op stablehlo.fft: a transform of length 4194301 is not supported: at most 2^24, and none with large prime factors from about 2^21 on; pad the signal to a power of two}}
  %5 = "stablehlo.fft"(%p) <{fft_length = array<i64: 4194301>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<4194301xcomplex<f32>>) -> tensor<4194301xcomplex<f32>>
  return %3 : tensor<3x8xcomplex<f32>>
}

// -----

// A loop whose body changes the type of what it carries.
func.func @loop(%x: tensor<complex<f32>>) -> tensor<complex<f32>> {
  // expected-error @+1 {{op stablehlo.while: operands, results and what the regions take and the body returns must have the same types}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<complex<f32>>):
    %1 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<complex<f32>>):
    %1 = "stablehlo.real"(%a) : (tensor<complex<f32>>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<complex<f32>>) -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}
