// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x64xf32>, %c: tensor<64x48xi8>, %s: tensor<48xf32>) {
  // expected-error @+1 {{has codes of i8, ui8, ui2 to ui7 or floats of 8 or 4 bits, got 'i4'; signed codes of fewer bits are stored from 0 up, with a zero that is as much larger}}
  %y = intent.quantized_product %x, %c as i4 scales %s : (tensor<2x64xf32>, tensor<64x48xi8>, tensor<48xf32>) -> tensor<2x48xf32>
  return
}

// -----

func.func @f(%x: tensor<2x64xf32>, %c: tensor<?x48xi8>, %s: tensor<48xf32>) {
  // expected-error @+1 {{needs codes [k, n] or [blocks, k of a block, n] of known sizes, got 'tensor<?x48xi8>'}}
  %y = intent.quantized_product %x, %c as i8 scales %s : (tensor<2x64xf32>, tensor<?x48xi8>, tensor<48xf32>) -> tensor<2x48xf32>
  return
}

// -----

func.func @f(%x: tensor<2x64xf32>, %c: tensor<32x48xi8>, %s: tensor<48xf32>) {
  // expected-error @+1 {{needs a code for each of the 64 columns of the rows, one a byte, got 'tensor<32x48xi8>'}}
  %y = intent.quantized_product %x, %c as i8 scales %s : (tensor<2x64xf32>, tensor<32x48xi8>, tensor<48xf32>) -> tensor<2x48xf32>
  return
}

// -----

func.func @f(%x: tensor<2x64xf32>, %c: tensor<16x48xi8>, %s: tensor<48xf32>) {
  // expected-error @+1 {{needs a code for each of the 64 columns of the rows, one a byte or two, got 'tensor<16x48xi8>'}}
  %y = intent.quantized_product %x, %c as ui4 scales %s : (tensor<2x64xf32>, tensor<16x48xi8>, tensor<48xf32>) -> tensor<2x48xf32>
  return
}

// -----

func.func @f(%x: tensor<2x64xf32>, %c: tensor<2x16x48xi8>, %s: tensor<48xf32>) {
  // expected-error @+1 {{needs scales [blocks, n], got 'tensor<48xf32>'}}
  %y = intent.quantized_product %x, %c as ui4 scales %s : (tensor<2x64xf32>, tensor<2x16x48xi8>, tensor<48xf32>) -> tensor<2x48xf32>
  return
}

// -----

func.func @f(%x: tensor<2x64xf32>, %c: tensor<32x48xi8>, %s: tensor<2x48xf32>) {
  // expected-error @+1 {{needs scales of one element, or [n], got 'tensor<2x48xf32>'}}
  %y = intent.quantized_product %x, %c as ui4 scales %s : (tensor<2x64xf32>, tensor<32x48xi8>, tensor<2x48xf32>) -> tensor<2x48xf32>
  return
}

// -----

func.func @f(%x: tensor<2x64xf32>, %c: tensor<32x48xi8>, %s: tensor<48xf32>, %z: tensor<2x48xi8>) {
  // expected-error @+1 {{needs zeros of one element, [n], or [blocks, n] where codes have blocks, got 'tensor<2x48xi8>'}}
  %y = intent.quantized_product %x, %c as ui4 scales %s zeros %z : (tensor<2x64xf32>, tensor<32x48xi8>, tensor<48xf32>, tensor<2x48xi8>) -> tensor<2x48xf32>
  return
}

// -----

func.func @f(%x: tensor<2x64xf32>, %c: tensor<64x48xi8>, %s: tensor<48xf32>, %z: tensor<48xi8>) {
  // expected-error @+1 {{has codes that are floats, which have no zeros}}
  %y = intent.quantized_product %x, %c as f8E5M2 scales %s zeros %z : (tensor<2x64xf32>, tensor<64x48xi8>, tensor<48xf32>, tensor<48xi8>) -> tensor<2x48xf32>
  return
}

// -----

func.func @f(%x: tensor<2x64xf32>, %c: tensor<64x48xi8>, %s: tensor<48xf32>) {
  // expected-error @+1 {{gives a row of 48 columns for each of 'tensor<2x64xf32>', got 'tensor<3x48xf32>'}}
  %y = intent.quantized_product %x, %c as i8 scales %s : (tensor<2x64xf32>, tensor<64x48xi8>, tensor<48xf32>) -> tensor<3x48xf32>
  return
}

// -----

func.func @attribute(%x: tensor<2xf32>) {
  // expected-error @+1 {{unknown attribute "intent.codes"; known: intent.code, intent.of, intent.rounded}}
  %y = tensor.cast %x {intent.codes = ui4} : tensor<2xf32> to tensor<?xf32>
  return
}

// -----

func.func @place(%x: tensor<2xf32>) {
  // expected-error @+1 {{intent.code stands on a linalg.generic and is a type of codes, got ui4}}
  %y = tensor.cast %x {intent.code = ui4} : tensor<2xf32> to tensor<?xf32>
  return
}

// -----

func.func @rounded(%x: tensor<2xf32>) {
  // expected-error @+1 {{intent.rounded stands beside intent.code and is {block = an integer, zero = an f64}, got 8.000000e+00 : f64}}
  %y = tensor.cast %x {intent.rounded = 8.0 : f64} : tensor<2xf32> to tensor<?xf32>
  return
}

// -----

func.func @block(%x: tensor<2x64xf32>, %c: tensor<2x16x48xi8>, %s: tensor<2x48xf32>) {
  // expected-error @+1 {{rounds rows in blocks of unsigned codes, a power of two from 16 to 256, got 64 for 'tensor<2x16x48xi8>' of 'ui4'}}
  %y = intent.quantized_product %x, %c as ui4 scales %s {rounded = 64} : (tensor<2x64xf32>, tensor<2x16x48xi8>, tensor<2x48xf32>) -> tensor<2x48xf32>
  return
}
