// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-choose-reductions=strategy=reproducible --form-regions --split-reductions | FileCheck %s
// RUN: heddle-opt %s --split-choose-reductions=strategy=default --form-regions --split-reductions | FileCheck %s --check-prefix=UNITS
// RUN: heddle-opt %s --split-choose-reductions=strategy=default | FileCheck %s --check-prefix=MARKS

#queries = affine_map<(h, n, k) -> (h, k)>
#keys = affine_map<(h, n, k) -> (h, n, k)>
#scores = affine_map<(h, n, k) -> (h, n)>
#values = affine_map<(h, d, n) -> (h, n, d)>
#weights = affine_map<(h, d, n) -> (h, n)>
#result = affine_map<(h, d, n) -> (h, d)>
#whole = affine_map<(h, n) -> (h, n)>
#row = affine_map<(h, n) -> (h)>

// One query of two heads: a dispatch of parts, which have a softmax of their own, and one that merges them. What stands
// at a position counts from the begin of the whole.

// MARKS: linalg.generic {{.*}} attrs = {heddle.split_scores}

// CHECK-LABEL: @decode
// CHECK-NOT: flow.region
// CHECK: %[[P:.*]]:3 = flow.region -> (tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2x64xf32>)
// CHECK: scf.forall (%[[S:.*]]) in (8)
// CHECK: %[[BEGIN:.*]] = arith.divsi
// CHECK: %[[K:.*]] = tensor.extract_slice %arg1[0, %[[BEGIN]], 0] [2, %[[N:.*]], 64] [1, 1, 1]
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[K]]
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: arith.addi %[[I]], %[[BEGIN]]
// CHECK: arith.maximumf
// CHECK: arith.constant -3.40282347E+38
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.constant 1.17549435E-38
// CHECK: arith.maximumf
// CHECK: arith.divf
// CHECK: tensor.extract_slice %arg2[0, %[[BEGIN]], 0] [2, %[[N]], 64] [1, 1, 1]
// CHECK: arith.mulf
// CHECK-COUNT-3: tensor.parallel_insert_slice
// CHECK: heddle.split_note = "split into parts along its positions: 2 for each of 8 units
// CHECK: flow.region -> (tensor<2x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[P]]#0
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%[[P]]#0, %[[P]]#1
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[P]]#0, %[[P]]#1, %[[P]]#2
// CHECK: arith.divf
// CHECK: heddle.split_note = "merges the parts by their peaks and sums"
// CHECK: return

// On one core it is what it would be without: scores, their softmax and the product, each with a dispatch.
// UNITS-LABEL: @decode
// UNITS: flow.units of
// UNITS: scf.if
// UNITS: flow.region -> (tensor<2x8192xf32>)
// UNITS: flow.region -> (tensor<2x8192xf32>)
// UNITS: flow.region -> (tensor<2x64xf32>)
// UNITS: else
// UNITS: flow.region -> (tensor<?x2xf32>{{.*}}, tensor<?x2xf32>{{.*}}, tensor<?x2x64xf32>
// UNITS: scf.forall
// UNITS: flow.region -> (tensor<2x64xf32>)
// UNITS-NOT: heddle.split_scores
func.func @decode(%q: tensor<2x64xf32>, %k: tensor<2x8192x64xf32>, %v: tensor<2x8192x64xf32>, %seen: index) -> tensor<2x64xf32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8192xf32>
  %er = tensor.empty() : tensor<2xf32>
  %ey = tensor.empty() : tensor<2x64xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8192xf32>) -> tensor<2x8192xf32>
  %s = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x64xf32>, tensor<2x8192x64xf32>) outs(%fs : tensor<2x8192xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %x = arith.mulf %a, %b : f32
      %r = arith.addf %o, %x : f32
      linalg.yield %r : f32
    } -> tensor<2x8192xf32>
  %masked = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<2x8192xf32>) outs(%es : tensor<2x8192xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 1 : index
      %c = arith.cmpi slt, %i, %seen : index
      %r = arith.select %c, %a, %least : f32
      linalg.yield %r : f32
    } -> tensor<2x8192xf32>
  %fm = linalg.fill ins(%least : f32) outs(%er : tensor<2xf32>) -> tensor<2xf32>
  %m = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]} ins(%masked : tensor<2x8192xf32>) outs(%fm : tensor<2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.maximumf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<2xf32>
  %p = linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%masked, %m : tensor<2x8192xf32>, tensor<2xf32>) outs(%es : tensor<2x8192xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %d = arith.subf %a, %b : f32
      %r = math.exp %d : f32
      linalg.yield %r : f32
    } -> tensor<2x8192xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<2xf32>) -> tensor<2xf32>
  %l = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<2x8192xf32>) outs(%fl : tensor<2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<2xf32>
  %w = linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%p, %l : tensor<2x8192xf32>, tensor<2xf32>) outs(%es : tensor<2x8192xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32
    } -> tensor<2x8192xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x64xf32>) -> tensor<2x64xf32>
  %y = linalg.generic {indexing_maps = [#weights, #values, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<2x8192xf32>, tensor<2x8192x64xf32>) outs(%fy : tensor<2x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %x = arith.mulf %a, %b : f32
      %r = arith.addf %o, %x : f32
      linalg.yield %r : f32
    } -> tensor<2x64xf32>
  return %y : tensor<2x64xf32>
}
