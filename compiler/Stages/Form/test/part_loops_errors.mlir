// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-part-loops --split-input-file --verify-diagnostics

func.func @overlap(%x: tensor<4x6xf32>) -> tensor<6x6xf32> {
  %e = tensor.empty() : tensor<6x6xf32>
  // expected-error @below {{parts (1) and (2) write the same elements of result 0; give each part elements of its own, or write scf.for}}
  %r = scf.forall (%i) in (3) shared_outs(%o = %e) -> (tensor<6x6xf32>) {
    %at = affine.apply affine_map<(i) -> (i + i floordiv 2)>(%i)
    %to = affine.apply affine_map<(i) -> (2 * i - i floordiv 2)>(%i)
    %a = tensor.extract_slice %x[0, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%to, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<6x6xf32>
    }
  }
  return %r : tensor<6x6xf32>
}

// -----

func.func @all(%x: tensor<?x6xf32>, %n: index) -> tensor<1x6xf32> {
  %e = tensor.empty() : tensor<1x6xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> (tensor<1x6xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [1, 6] [1, 1] : tensor<?x6xf32> to tensor<1x6xf32>
    scf.forall.in_parallel {
      // expected-error @below {{all parts along dimension 0 of the loop write the same elements; give each part elements of its own}}
      tensor.parallel_insert_slice %a into %o[0, 0] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<1x6xf32>
    }
  }
  return %r : tensor<1x6xf32>
}

// -----

func.func @beyond(%x: tensor<10xf32>) -> tensor<12xf32> {
  %e = tensor.empty() : tensor<12xf32>
  %r = scf.forall (%i) = (0) to (12) step (4) shared_outs(%o = %e) -> (tensor<12xf32>) {
    // expected-error @below {{part (8) of the loop is at elements 8 to 12 of dimension 0, which has 10; give the last parts fewer elements (affine.min)}}
    %a = tensor.extract_slice %x[%i] [4] [1] : tensor<10xf32> to tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i] [4] [1] : tensor<4xf32> into tensor<12xf32>
    }
  }
  return %r : tensor<12xf32>
}

// -----

func.func @mapped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{says with a mapping what runs each part, which is the compiler's choice; leave the mapping out}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4xf32>) {
    %a = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<4xf32>
}

// -----

func.func @elsewhere(%x: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %z = arith.constant 0.0 : f32
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4xf32>) {
    // expected-error @below {{does more than computing a value, in the body of an scf.forall, whose parts run in any order and at the same time; write scf.for}}
    memref.store %z, %m[%i] : memref<4xf32>
    %a = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %r : tensor<4xf32>
}

// -----

func.func @twice(%x: tensor<4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<8xf32>) {
    %j = affine.apply affine_map<(i) -> (i + 4)>(%i)
    %a = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      // expected-error @below {{inserts into a result that the part has written already; give each insertion a result of its own}}
      tensor.parallel_insert_slice %a into %o[%j] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @forgotten(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{inserts nothing into result 1; leave it out of shared_outs}}
  %r:2 = scf.forall (%i) in (4) shared_outs(%o = %e, %p = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %a = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has no results, and a loop's parts write into its results only; give it shared_outs}}
  scf.forall (%i) in (4) {
    scf.forall.in_parallel {}
  }
  return %x : tensor<4xf32>
}
