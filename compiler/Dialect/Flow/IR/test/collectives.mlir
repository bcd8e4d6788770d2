// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s --check-prefix=KEEP

// CHECK: device.mesh @m = [x = 2, y = 3]
// CHECK: device.mesh @free = [x = ?, "a b" = 4] of @gpu
// CHECK: device.mesh @tail = [stage = 4] at 16 of @gpu
device.mesh @m = [x = 2, y = 3]
device.mesh @free = [x = ?, "a b" = 4] of @gpu
device.mesh @tail = [stage = 4] at 16 of @gpu

// CHECK-LABEL: func @places
func.func @places() -> (index, index, i1) {
  // CHECK: flow.coordinate @free "a b"
  // CHECK: flow.mesh_size @free "x"
  // CHECK: flow.member @tail
  %i = flow.coordinate @free "a b"
  %n = flow.mesh_size @free "x"
  %b = flow.member @tail
  return %i, %n, %b : index, index, i1
}

// CHECK-LABEL: func @collectives
// CHECK-SAME: heddle.sharding = #flow.sharding<@m, {{\[\[}}"x", "y"], []]>
// CHECK-SAME: heddle.sharding = #flow.sharding<@m, []>
func.func @collectives(%x: tensor<6x?xf32> {heddle.sharding = #flow.sharding<@m, [["x", "y"], []]>}, %d: index,
                       %s: tensor<i32> {heddle.sharding = #flow.sharding<@m, []>}) -> (tensor<?x?xf32>, tensor<i32>) {
  // CHECK: flow.all_reduce %{{.*}} sum over @m["x", "y"] : tensor<6x?xf32>{%{{.*}}}
  %0 = flow.all_reduce %x sum over @m["x", "y"] : tensor<6x?xf32>{%d}
  // CHECK: flow.all_reduce %{{.*}} umax over @m["x"] : tensor<i32>
  %1 = flow.all_reduce %s umax over @m["x"] : tensor<i32>
  // CHECK: flow.all_gather %{{.*}} dim 0 over @m["x"] : tensor<6x?xf32>{%{{.*}}} -> tensor<12x?xf32>{%{{.*}}}
  %2 = flow.all_gather %0 dim 0 over @m["x"] : tensor<6x?xf32>{%d} -> tensor<12x?xf32>{%d}
  // CHECK: flow.reduce_scatter %{{.*}} max dim 0 over @m["x"] : tensor<12x?xf32>{%{{.*}}} -> tensor<6x?xf32>{%{{.*}}}
  %3 = flow.reduce_scatter %2 max dim 0 over @m["x"] : tensor<12x?xf32>{%d} -> tensor<6x?xf32>{%d}
  // CHECK: flow.all_to_all %{{.*}} split 0 concat 1 over @m["x"] : tensor<6x?xf32>{%{{.*}}} -> tensor<3x?xf32>{%{{.*}}}
  %4 = flow.all_to_all %3 split 0 concat 1 over @m["x"] : tensor<6x?xf32>{%d} -> tensor<3x?xf32>{%d}
  // CHECK: flow.broadcast %{{.*}} root 5 over @m["x", "y"] : tensor<3x?xf32>{%{{.*}}}
  %5 = flow.broadcast %4 root 5 over @m["x", "y"] : tensor<3x?xf32>{%d}
  // CHECK: flow.permute %{{.*}} pairs {{\[\[}}0, 2], [1, 0]] over @m["y"]
  %6 = flow.permute %5 pairs [[0, 2], [1, 0]] over @m["y"] : tensor<3x?xf32>{%d}
  // CHECK: flow.permute %{{.*}} pairs [] over @m["y"]
  %7 = flow.permute %6 pairs [] over @m["y"] : tensor<3x?xf32>{%d}
  // CHECK: flow.permute %{{.*}} shift -1 over @free["x"]
  %8 = flow.permute %7 shift -1 over @free["x"] : tensor<3x?xf32>{%d}
  // CHECK: flow.gather %{{.*}} dim 0 root 1 over @m groups {{\[\[}}0, 1], [2, 3], [4, 5]] : tensor<3x?xf32>{%{{.*}}} -> tensor<6x?xf32>{%{{.*}}}
  %9 = flow.gather %8 dim 0 root 1 over @m groups [[0, 1], [2, 3], [4, 5]] : tensor<3x?xf32>{%d} -> tensor<6x?xf32>{%d}
  // CHECK: flow.scatter %{{.*}} dim 0 root 0 over @free["x"] : tensor<6x?xf32>{%{{.*}}} -> tensor<?x?xf32>{%{{.*}}, %{{.*}}}
  %10 = flow.scatter %9 dim 0 root 0 over @free["x"] : tensor<6x?xf32>{%d} -> tensor<?x?xf32>{%d, %d}
  return %10, %1 : tensor<?x?xf32>, tensor<i32>
}

// Pieces that need not be of one size: 66 rows over 2, 7 columns over 3 and over a mesh of any size.
// CHECK-LABEL: func @cuts
// CHECK-SAME: %[[X:.*]]: tensor<?x7xf32>, %[[D:.*]]: index, %[[E:.*]]: index, %[[N:.*]]: index
func.func @cuts(%x: tensor<?x7xf32>, %d: index, %e: index, %n: index) -> (tensor<?x7xf32>, tensor<66x?xf32>) {
  %c66 = arith.constant 66 : index
  %c33 = arith.constant 33 : index
  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  // CHECK: %[[A:.*]] = flow.all_gather %[[X]] dim 0 cut(%c33, %c2, %c0, %c2) over @m["x"] : tensor<?x7xf32>{%[[D]]} -> tensor<66x7xf32>
  %0 = flow.all_gather %x dim 0 cut(%c33, %c2, %c0, %c2) over @m["x"] : tensor<?x7xf32>{%d} -> tensor<66x7xf32>
  // CHECK: flow.reduce_scatter %[[A]] sum dim 1 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<66x7xf32> -> tensor<66x?xf32>{%[[E]]}
  %1 = flow.reduce_scatter %0 sum dim 1 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<66x7xf32> -> tensor<66x?xf32>{%e}
  // CHECK: flow.all_to_all %{{.*}} split 0 concat 1 cut(%c66, %c1, %c0, %c3, %c7, %c1, %c0, %c3) over @m["y"]
  %2 = flow.all_to_all %1 split 0 concat 1 cut(%c66, %c1, %c0, %c3, %c7, %c1, %c0, %c3) over @m["y"]
      : tensor<66x?xf32>{%e} -> tensor<?x7xf32>{%d}
  // The second and third part of four.
  // CHECK: flow.gather %{{.*}} dim 0 root 1 cut(%c66, %c1, %c1, %{{.*}}) over @m["x"]
  %c4 = arith.constant 4 : index
  %3 = flow.gather %2 dim 0 root 1 cut(%c66, %c1, %c1, %c4) over @m["x"] : tensor<?x7xf32>{%d} -> tensor<33x7xf32>
  // CHECK: flow.scatter %{{.*}} dim 0 root 1 cut(%c33, %c1, %c0, %[[N]]) over @free["x"] : tensor<33x7xf32> -> tensor<?x7xf32>{%[[D]]}
  %4 = flow.scatter %3 dim 0 root 1 cut(%c33, %c1, %c0, %n) over @free["x"] : tensor<33x7xf32> -> tensor<?x7xf32>{%d}
  return %4, %1 : tensor<?x7xf32>, tensor<66x?xf32>
}

// A collective that nobody reads goes, one in a loop or a branch stays there.
// KEEP-LABEL: func @effects
func.func @effects(%x: tensor<4xf32>, %n: index, %b: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // KEEP-NOT: product
  %dead = flow.all_reduce %x product over @m["x"] : tensor<4xf32>
  // KEEP-NOT: flow.all_reduce
  // KEEP: scf.for
  // KEEP-NEXT: flow.all_reduce %arg0 sum
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<4xf32> {
    %same = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>
    %next = arith.addf %acc, %same : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  // KEEP: scf.if
  // KEEP: flow.all_reduce %arg0 max
  // KEEP: else
  %1 = scf.if %b -> tensor<4xf32> {
    %then = flow.all_reduce %x max over @m["x"] : tensor<4xf32>
    scf.yield %then : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Narrow elements move as they are; there is no tensor that is too small.
// CHECK-LABEL: func @types
func.func @types(%a: tensor<0x4xi4>, %b: tensor<4xf8E4M3FN>, %c: tensor<2xi1>, %d: tensor<2xui8>) -> tensor<0x8xi4> {
  %0 = flow.all_gather %a dim 1 over @m["x"] : tensor<0x4xi4> -> tensor<0x8xi4>
  %1 = flow.permute %b shift 1 over @m["y"] : tensor<4xf8E4M3FN>
  %2 = flow.all_reduce %c xor over @m["y"] : tensor<2xi1>
  %3 = flow.all_reduce %d umin over @m["y"] : tensor<2xui8>
  return %0 : tensor<0x8xi4>
}
