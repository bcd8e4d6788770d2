// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-reductions | FileCheck %s

// As many parts as were asked for: no choice at run time; bias and relu stand behind the merge.
// CHECK-LABEL: @asked
// CHECK: %[[P:.*]] = flow.region -> (tensor<7x3x4xf32>)
// CHECK: scf.forall (%[[S:.*]]) in (7)
// CHECK: %[[A:.*]] = tensor.extract_slice %arg0[0, %[[K:.*]]] [3, %[[L:.*]]] [1, 1]
// CHECK: %[[B:.*]] = tensor.extract_slice %arg1[%[[K]], 0] [%[[L]], 4] [1, 1]
// CHECK: linalg.matmul ins(%[[A]], %[[B]]
// CHECK: tensor.parallel_insert_slice {{.*}}[%[[S]], 0, 0] [1, 3, 4]
// CHECK: flow.region -> (tensor<3x4xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[P]]
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK-NOT: scf.if
func.func @asked(%a: tensor<3x1001xf32>, %b: tensor<1001x4xf32>) -> tensor<3x4xf32> {
  %z = arith.constant 0.0 : f32
  %0 = flow.region -> (tensor<3x4xf32>) {
    %e = tensor.empty() : tensor<3x4xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
    %m = linalg.matmul {heddle.split = 7 : i64} ins(%a, %b : tensor<3x1001xf32>, tensor<1001x4xf32>) outs(%f : tensor<3x4xf32>) -> tensor<3x4xf32>
    %r = linalg.map ins(%m : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) (%x: f32, %o: f32) {
      %y = arith.maximumf %x, %z : f32
      linalg.yield %y : f32
    }
    flow.return %r : tensor<3x4xf32>
  }
  return %0 : tensor<3x4xf32>
}

// The default asks the device: one part is the region as it was.
// CHECK-LABEL: @default
// CHECK: flow.units of 1
// CHECK: scf.if
// CHECK: linalg.reduce
// CHECK: else
// CHECK: scf.forall
// CHECK-NOT: heddle.split =
func.func @default(%a: tensor<5000017xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %0 = flow.region -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %m = linalg.reduce {arith.addf} ins(%a : tensor<5000017xf32>) outs(%f : tensor<f32>) dimensions = [0] {heddle.split = "default"}
    flow.return %m : tensor<f32>
  }
  return %0 : tensor<f32>
}

// Of no length that is worth two parts nothing is left but the region.
// CHECK-LABEL: @short
// CHECK-NOT: scf
// CHECK: flow.region -> (tensor<f32>)
// CHECK-NOT: {{flow.region|scf}}
// CHECK: return
func.func @short(%a: tensor<5000xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %0 = flow.region -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %m = linalg.reduce {arith.addf} ins(%a : tensor<5000xf32>) outs(%f : tensor<f32>) dimensions = [0] {heddle.split = "default"}
    flow.return %m : tensor<f32>
  }
  return %0 : tensor<f32>
}

// A body may use what the region has.
// CHECK-LABEL: @scaled
// CHECK: flow.region
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: scf.forall
// CHECK: arith.mulf %{{.*}}, %[[TWO]]
func.func @scaled(%a: tensor<5000xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %0 = flow.region -> (tensor<f32>) {
    %two = arith.constant 2.0 : f32
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"], heddle.split = 3 : i64}
        ins(%a : tensor<5000xf32>) outs(%f : tensor<f32>) {
      ^bb0(%x: f32, %o: f32):
        %y = arith.mulf %x, %two : f32
        %s = arith.addf %o, %y : f32
        linalg.yield %s : f32
    } -> tensor<f32>
    flow.return %m : tensor<f32>
  }
  return %0 : tensor<f32>
}

// Reductions that share a region and stand for each other's operands: one region for each part and merge, in their order; positions count from the
// begin of the whole.
// CHECK-LABEL: @position
// CHECK: scf.forall (%[[S:.*]]) in (7)
// CHECK: linalg.reduce { arith.maximumf }
// CHECK: %[[BEST:.*]] = flow.region
// CHECK: flow.region
// CHECK: scf.forall (%[[S:.*]]) in (7)
// CHECK: %[[BEGIN:.*]] = arith.divsi
// CHECK: linalg.generic {{.*}} ins({{.*}}, %[[BEST]]
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: arith.addi %[[I]], %[[BEGIN]]
// CHECK: flow.region
// CHECK: arith.minsi
func.func @position(%a: tensor<1001xf32>) -> tensor<i64> {
  %z = arith.constant 0xFF800000 : f32
  %far = arith.constant 9223372036854775807 : i64
  %0 = flow.region -> (tensor<i64>) {
    %e = tensor.empty() : tensor<f32>
    %ei = tensor.empty() : tensor<i64>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %fi = linalg.fill ins(%far : i64) outs(%ei : tensor<i64>) -> tensor<i64>
    %m = linalg.reduce {arith.maximumf} ins(%a : tensor<1001xf32>) outs(%f : tensor<f32>) dimensions = [0] {heddle.split = 7 : i64}
    %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"], heddle.split = 7 : i64}
        ins(%a, %m : tensor<1001xf32>, tensor<f32>) outs(%fi : tensor<i64>) {
      ^bb0(%x: f32, %best: f32, %o: i64):
        %i = linalg.index 0 : index
        %at = arith.index_cast %i : index to i64
        %is = arith.cmpf oeq, %x, %best : f32
        %s = arith.select %is, %at, %far : i64
        %r = arith.minsi %s, %o : i64
        linalg.yield %r : i64
    } -> tensor<i64>
    flow.return %p : tensor<i64>
  }
  return %0 : tensor<i64>
}

// A reduction that nobody asked to split keeps a region of its own; two that are chosen share one choice.
// CHECK-LABEL: @shared
// CHECK: flow.units of
// CHECK: scf.if
// CHECK: flow.region
// CHECK: linalg.reduce { arith.maximumf }
// CHECK: linalg.reduce { arith.addf }
// CHECK: heddle.split_note = "whole where one part is best
// CHECK: else
// CHECK: scf.forall
// CHECK: linalg.reduce { arith.maximumf }
// CHECK: heddle.split_note = "split into parts: 2 for each of the device's units
// CHECK: heddle.split_note = "merges the parts"
// CHECK: scf.forall
// CHECK: linalg.reduce { arith.addf }
// CHECK: heddle.split_note = "merges the parts"
func.func @shared(%a: tensor<5000017xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %0 = flow.region -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %m = linalg.reduce {arith.maximumf} ins(%a : tensor<5000017xf32>) outs(%f : tensor<f32>) dimensions = [0] {heddle.split = "default"}
    %s = linalg.reduce {arith.addf} ins(%a : tensor<5000017xf32>) outs(%f : tensor<f32>) dimensions = [0] {heddle.split = "default"}
    %d = linalg.sub ins(%m, %s : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
    flow.return %d : tensor<f32>
  }
  return %0 : tensor<f32>
}

// Operands that are larger than caches, and several workgroups that would each read all rows: parts of 2,048 steps,
// also on one unit. Of few results as many parts as units ask for.
// CHECK-LABEL: @again
// CHECK-DAG: %[[LEAST:.*]] = arith.constant 25 : index
// CHECK: arith.maxsi %{{.*}}, %[[LEAST]]
// CHECK: scf.if
func.func @again(%a: tensor<123x51234xf32>, %b: tensor<51234x456xf32>) -> tensor<123x456xf32> {
  %z = arith.constant 0.0 : f32
  %0 = flow.region -> (tensor<123x456xf32>) {
    %e = tensor.empty() : tensor<123x456xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<123x456xf32>) -> tensor<123x456xf32>
    %m = linalg.matmul {heddle.split = "default"} ins(%a, %b : tensor<123x51234xf32>, tensor<51234x456xf32>) outs(%f : tensor<123x456xf32>) -> tensor<123x456xf32>
    flow.return %m : tensor<123x456xf32>
  }
  return %0 : tensor<123x456xf32>
}
