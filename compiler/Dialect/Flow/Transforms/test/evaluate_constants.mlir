// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --flow-evaluate-constants | FileCheck %s

// Only what the program reads becomes a parameter, once however often it is read. Old parameters nobody reads go.

// CHECK-NOT: @w
// CHECK: flow.parameter @exported
// CHECK-NEXT: flow.parameter private @[[T:folded]] : tensor<3x2xf32> = dense_resource<folded>
// CHECK-LABEL: @transposed_and_scaled
// CHECK-NEXT: %[[V:.*]] = flow.parameter.load @[[T]] : tensor<3x2xf32>
// CHECK-NEXT: return %[[V]], %[[V]]
// CHECK: folded: "0x010000000000003F00000040000000400000803F000080400000A040"
flow.parameter private @w : tensor<2x3xf32> = dense<[[0.25, 1.0, 2.0], [1.0, 0.5, 2.5]]>
flow.parameter @exported : tensor<2xf32> = dense<[1.0, 2.0]>
func.func @transposed_and_scaled() -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = flow.parameter.load @w : tensor<2x3xf32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%w : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t, %two : tensor<3x2xf32>, tensor<f32>) outs(%e : tensor<3x2xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  return %s, %s : tensor<3x2xf32>, tensor<3x2xf32>
}

// -----

// A broadcast stays (its operand is computed before it), and so does what has an argument in it.

// CHECK: flow.parameter private @folded : tensor<64xf32>
// CHECK-LABEL: @broadcast
// CHECK: %[[V:.*]] = flow.parameter.load @folded : tensor<64xf32>
// CHECK: linalg.broadcast ins(%[[V]]
// CHECK: linalg.add
flow.parameter private @row : tensor<8x8xf32> = dense_resource<row>
func.func @broadcast(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %row = flow.parameter.load @row : tensor<8x8xf32>
  %flat = tensor.collapse_shape %row [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %b = linalg.broadcast ins(%flat : tensor<64xf32>) outs(%e : tensor<64x64xf32>) dimensions = [0]
  %y = linalg.add ins(%x, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %b, %y : tensor<64x64xf32>, tensor<64x64xf32>
}
{-# dialect_resources: { builtin: { row: "0x010000000000803F0101803F0202803F0303803F0404803F0505803F0606803F0707803F0808803F0909803F0A0A803F0B0B803F0C0C803F0D0D803F0E0E803F0F0F803F1010803F1111803F1212803F1313803F1414803F1515803F1616803F1717803F1818803F1919803F1A1A803F1B1B803F1C1C803F1D1D803F1E1E803F1F1F803F2020803F2121803F2222803F2323803F2424803F2525803F2626803F2727803F2828803F2929803F2A2A803F2B2B803F2C2C803F2D2D803F2E2E803F2F2F803F3030803F3131803F3232803F3333803F3434803F3535803F3636803F3737803F3838803F3939803F3A3A803F3B3B803F3C3C803F3D3D803F3E3E803F3F3F803F" } } #-}

// -----

// Up to 4 KiB may be many times what they are made of.

// CHECK: flow.parameter private @folded : tensor<16x64xf32>
// CHECK-LABEL: @small_broadcast
// CHECK-NEXT: flow.parameter.load @folded
// CHECK-NEXT: return
flow.parameter private @row : tensor<64xf32> = dense_resource<row>
func.func @small_broadcast() -> tensor<16x64xf32> {
  %row = flow.parameter.load @row : tensor<64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %b = linalg.broadcast ins(%row : tensor<64xf32>) outs(%e : tensor<16x64xf32>) dimensions = [0]
  return %b : tensor<16x64xf32>
}
{-# dialect_resources: { builtin: { row: "0x010000000000803F0101803F0202803F0303803F0404803F0505803F0606803F0707803F0808803F0909803F0A0A803F0B0B803F0C0C803F0D0D803F0E0E803F0F0F803F1010803F1111803F1212803F1313803F1414803F1515803F1616803F1717803F1818803F1919803F1A1A803F1B1B803F1C1C803F1D1D803F1E1E803F1F1F803F2020803F2121803F2222803F2323803F2424803F2525803F2626803F2727803F2828803F2929803F2A2A803F2B2B803F2C2C803F2D2D803F2E2E803F2F2F803F3030803F3131803F3232803F3333803F3434803F3535803F3636803F3737803F3838803F3939803F3A3A803F3B3B803F3C3C803F3D3D803F3E3E803F3F3F803F" } } #-}

// -----

// Equal elements stay one element; a fill is not written out.

// CHECK-NOT: flow.parameter
// CHECK-LABEL: @splat
// CHECK-DAG: %[[THREE:.*]] = arith.constant dense<3.000000e+00> : tensor<1000x1000xf32>
// CHECK-DAG: %[[FILL:.*]] = linalg.fill
// CHECK: return %[[THREE]], %[[FILL]]
func.func @splat() -> (tensor<1000x1000xf32>, tensor<1000x1000xf32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant dense<2.0> : tensor<1000x1000xf32>
  %e = tensor.empty() : tensor<1000x1000xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  %s = linalg.add ins(%f, %two : tensor<1000x1000xf32>, tensor<1000x1000xf32>) outs(%e : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  return %s, %f : tensor<1000x1000xf32>, tensor<1000x1000xf32>
}

// -----

// What has no value fails at run time, as before.

// CHECK-LABEL: @out_of_range
// CHECK: linalg.generic
// CHECK: flow.checked_index
flow.parameter private @table : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @out_of_range() -> tensor<2xf32> {
  %table = flow.parameter.load @table : tensor<4xf32>
  %indices = arith.constant dense<[1, 4]> : tensor<2xi64>
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%indices : tensor<2xi64>) outs(%e : tensor<2xf32>) {
    ^bb0(%i: i64, %o: f32):
      %0 = arith.index_cast %i : i64 to index
      %1 = flow.checked_index %0, %c4
      %2 = tensor.extract %table[%1] : tensor<4xf32>
      linalg.yield %2 : f32
  } -> tensor<2xf32>
  return %g : tensor<2xf32>
}

// -----

// In a branch, too.

// CHECK-LABEL: @branch
// CHECK: scf.if
// CHECK: %[[V:.*]] = flow.parameter.load @folded : tensor<2xf32>
// CHECK: scf.yield %[[V]]
flow.parameter private @b : tensor<3xf32> = dense<[1.0, 2.0, 3.0]>
func.func @branch(%c: i1, %x: tensor<2xf32>) -> tensor<2xf32> {
  %b = flow.parameter.load @b : tensor<3xf32>
  %r = scf.if %c -> tensor<2xf32> {
    %s = tensor.extract_slice %b[1] [2] [1] : tensor<3xf32> to tensor<2xf32>
    scf.yield %s : tensor<2xf32>
  } else {
    scf.yield %x : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
