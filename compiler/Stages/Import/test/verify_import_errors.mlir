// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-verify --verify-diagnostics --split-input-file

func.func @main(%x: memref<4xf32>) {
  // expected-error @-1 {{argument 0 must be a ranked tensor, got 'memref<4xf32>'}}
  // expected-error @+1 {{op memref.dealloc is not supported; models are func, linalg, tensor, arith, math, scf and TOSA ops}}
  memref.dealloc %x : memref<4xf32>
  return
}

// -----

// expected-error @+1 {{dimension 0 of argument 0 has no name}}
func.func @main(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error @+1 {{the module has no public function to compile}}
module {
  func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{result 0 must be a ranked tensor, got 'f32'}}
func.func @main(%x: tensor<f32>) -> f32 {
  %0 = tensor.extract %x[] : tensor<f32>
  return %0 : f32
}

// -----

// expected-error @+1 {{argument 0 has 17 dimensions, it may have 16}}
func.func @main(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  return
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the call of @external cannot be inlined: the module has no body for it; functions that other code gives cannot be called}}
  %0 = func.call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{the call of @endless cannot be inlined: it calls itself; write a loop (scf.while)}}
  %1 = func.call @endless(%0) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{the call of @kept cannot be inlined: it is marked no_inline, and a program is one function; remove the mark}}
  %2 = func.call @kept(%1) {no_inline} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func private @endless(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the call of @endless cannot be inlined: it calls itself}}
  %0 = func.call @endless(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<8x6xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x6xf32>) {
  %e = tensor.empty() : tensor<8x6xf32>
  // expected-error @+1 {{loop 1 is a reduction, and result 1 has a value for each of its positions; a loop that all results have is parallel, and results that differ in it are ops of their own}}
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%b, %e : tensor<8xf32>, tensor<8x6xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %u = arith.addf %s, %q : f32
    linalg.yield %u, %q : f32, f32
  } -> (tensor<8xf32>, tensor<8x6xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8x6xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{has the attribute flow.parts_apart, which the compiler sets itself; leave it out}}
  %y = scf.forall (%i) in (4) shared_outs(%o = %e) -> tensor<4xf32> {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {flow.parts_apart}
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{has the attribute heddle.winograd, which the compiler sets itself; leave it out}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"], heddle.winograd = "output"}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
