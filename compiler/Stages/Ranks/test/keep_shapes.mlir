// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-keep-shapes | FileCheck %s

device.mesh @m = [x = 2]

// Through named sizes, branches, and a loop inside.
// CHECK-LABEL: func @kept
// CHECK-COUNT-2: } {heddle.keeps_shapes}
func.func @kept(%x: tensor<?x4xf32> {heddle.dims = ["d", ""]}, %n: index, %b: i1) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<?x4xf32> {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%in = %acc) -> tensor<?x4xf32> {
      %0 = flow.all_reduce %in sum over @m["x"] : tensor<?x4xf32>{%d}
      %1 = scf.if %b -> tensor<?x4xf32> {
        scf.yield %0 : tensor<?x4xf32>
      } else {
        %2 = flow.permute %0 shift 1 over @m["x"] : tensor<?x4xf32>{%d}
        scf.yield %2 : tensor<?x4xf32>
      }
      scf.yield %0 : tensor<?x4xf32>
    }
    %t = flow.broadcast %s root 0 over @m["x"] : tensor<?x4xf32>{%d}
    scf.yield %t : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// Sizes that grow, or that nothing is known of; loops without collectives are left alone.
// CHECK-LABEL: func @not_kept
// CHECK-NOT: heddle.keeps_shapes
func.func @not_kept(%x: tensor<?xf32> {heddle.dims = ["d"]}, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<?xf32> {
    %d = tensor.dim %acc, %c0 : tensor<?xf32>
    %w = arith.muli %d, %c2 : index
    %0 = flow.all_gather %acc dim 0 over @m["x"] : tensor<?xf32>{%d} -> tensor<?xf32>{%w}
    scf.yield %0 : tensor<?xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<?xf32> {
    scf.yield %acc : tensor<?xf32>
  }
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}
