// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-part-loops | FileCheck %s

// Two dimensions are one; rows shrink with the first and columns with the second, so the longest part comes last.
// CHECK-LABEL: @tiles
// CHECK: scf.forall (%[[S:.*]]) in (9) shared_outs
// CHECK-NOT: uneven
// CHECK: arith.remsi %[[S]]
// CHECK: linalg.matmul
// CHECK: tensor.parallel_insert_slice
func.func @tiles(%x: tensor<40x8xf32>, %w: tensor<8x70xf32>, %n: index) -> tensor<40x70xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x70xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (40, 70) step (16, 32) shared_outs(%o = %e) -> (tensor<40x70xf32>) {
    %rows = affine.min affine_map<(i) -> (16, 40 - i)>(%i)
    %columns = affine.min affine_map<(j) -> (32, 70 - j)>(%j)
    %a = tensor.extract_slice %x[%i, 0] [%rows, 8] [1, 1] : tensor<40x8xf32> to tensor<?x8xf32>
    %b = tensor.extract_slice %w[0, %j] [8, %columns] [1, 1] : tensor<8x70xf32> to tensor<8x?xf32>
    %p = tensor.empty(%rows, %columns) : tensor<?x?xf32>
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<?x?xf32>) -> tensor<?x?xf32>
    %t = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, %j] [%rows, %columns] [1, 1] : tensor<?x?xf32> into tensor<40x70xf32>
    }
  }
  return %r : tensor<40x70xf32>
}

// Parts along the last dimension are stored first, and what reads them reads them so.
// CHECK-LABEL: @turned
// CHECK: scf.forall {{.*}} -> (tensor<9x20xf32>)
// CHECK: linalg.copy
// CHECK: tensor.parallel_insert_slice {{.*}} : tensor<20xf32> into tensor<9x20xf32>
// CHECK: linalg.transpose {{.*}} permutation = [1, 0]
func.func @turned(%x: tensor<9x20xf32>) -> tensor<20x9xf32> {
  %e = tensor.empty() : tensor<20x9xf32>
  %r = scf.forall (%i) in (9) shared_outs(%o = %e) -> (tensor<20x9xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [1, 20] [1, 1] : tensor<9x20xf32> to tensor<20xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[0, %i] [20, 1] [1, 1] : tensor<20xf32> into tensor<20x9xf32>
    }
  }
  return %r : tensor<20x9xf32>
}

// Where only the call knows whether slices lie in their tensors the kernel looks.
// CHECK-LABEL: @checked
// CHECK: scf.forall
// CHECK: flow.checked_index
// CHECK: tensor.extract_slice
func.func @checked(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> (tensor<?xf32>) {
    %a = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// Sizes that neither grow nor shrink: nobody knows which part is the longest.
// CHECK-LABEL: @balanced
// CHECK: scf.forall
// CHECK: {flow.uneven_parts}
func.func @balanced(%x: tensor<?xf32>, %k: index, %n: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> (tensor<?xf32>) {
    %j = arith.addi %i, %c1 : index
    %ik = arith.muli %i, %k : index
    %jk = arith.muli %j, %k : index
    %begin = arith.divsi %ik, %n : index
    %end = arith.divsi %jk, %n : index
    %size = arith.subi %end, %begin : index
    %a = tensor.extract_slice %x[%begin] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %p = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<f32>) -> tensor<f32>
    %t = linalg.reduce { arith.addf } ins(%a : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [1] [1] : tensor<f32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// Two of four rows: the others are what the result began with, so the host runs the parts turn by turn.
// CHECK-LABEL: @some
// CHECK-NOT: scf.forall
// CHECK: scf.for
// CHECK: tensor.insert_slice
// CHECK: scf.yield
func.func @some(%x: tensor<2x5xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %init) -> (tensor<4x5xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<2x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  return %r : tensor<4x5xf32>
}
