// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-regions | FileCheck %s

#whole = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>

// A row that is all there is shares a dispatch as rows of many do, where it may be computed in parts or is short.

// CHECK-LABEL: @softmax
// CHECK-COUNT-1: flow.region
// CHECK-NOT: flow.region
// CHECK: return
func.func @softmax(%x: tensor<151936xf32>) -> tensor<151936xf32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<f32>
  %e = tensor.empty() : tensor<151936xf32>
  %fm = linalg.fill ins(%least : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %fs = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %m = linalg.generic {indexing_maps = [#whole, #one], iterator_types = ["reduction"], heddle.split = "default"}
      ins(%x : tensor<151936xf32>) outs(%fm : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.maximumf %a, %o : f32
      linalg.yield %r : f32
    } -> tensor<f32>
  %p = linalg.generic {indexing_maps = [#whole, #one, #whole], iterator_types = ["parallel"]}
      ins(%x, %m : tensor<151936xf32>, tensor<f32>) outs(%e : tensor<151936xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %d = arith.subf %a, %b : f32
      %r = math.exp %d : f32
      linalg.yield %r : f32
    } -> tensor<151936xf32>
  %t = linalg.generic {indexing_maps = [#whole, #one], iterator_types = ["reduction"], heddle.split = "default"}
      ins(%p : tensor<151936xf32>) outs(%fs : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %o : f32
      linalg.yield %r : f32
    } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#whole, #one, #whole], iterator_types = ["parallel"]}
      ins(%p, %t : tensor<151936xf32>, tensor<f32>) outs(%e : tensor<151936xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32
    } -> tensor<151936xf32>
  return %y : tensor<151936xf32>
}

// What one sum is read for may be longer: one workgroup would compute all of it.

// CHECK-LABEL: @another_length
// CHECK-COUNT-2: flow.region
func.func @another_length(%x: tensor<100xf32>, %z: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<f32>
  %e = tensor.empty() : tensor<1000000xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [#whole, #one], iterator_types = ["reduction"]} ins(%x : tensor<100xf32>) outs(%fs : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %o : f32
      linalg.yield %r : f32
    } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#whole, #one, #whole], iterator_types = ["parallel"]}
      ins(%z, %t : tensor<1000000xf32>, tensor<f32>) outs(%e : tensor<1000000xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32
    } -> tensor<1000000xf32>
  return %y : tensor<1000000xf32>
}

// A long row that stays whole keeps its elements on all cores.

// CHECK-LABEL: @kept_whole
// CHECK-COUNT-2: flow.region
func.func @kept_whole(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<f32>
  %e = tensor.empty() : tensor<1000000xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [#whole, #one], iterator_types = ["reduction"]} ins(%x : tensor<1000000xf32>) outs(%fs : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %o : f32
      linalg.yield %r : f32
    } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#whole, #one, #whole], iterator_types = ["parallel"]}
      ins(%x, %t : tensor<1000000xf32>, tensor<f32>) outs(%e : tensor<1000000xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32
    } -> tensor<1000000xf32>
  return %y : tensor<1000000xf32>
}
