// RUN: heddle-opt %s --split-input-file --encode-group-columns | FileCheck %s

// Columns of a constant go to panels of 16 with four k side by side, both padded.

// CHECK-DAG: #[[GROUPS:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2 floordiv 4, d1 mod 16, d2 mod 4)>
// CHECK-LABEL: @matmul
// CHECK: %[[W:.*]] = flow.parameter.load
// CHECK: %[[PAD:.*]] = tensor.pad %[[W]] low[0, 0] high[2, 8]
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[PAD]] {{\[}}[0, 1], [2, 3]] output_shape [16, 4, 3, 16]
// CHECK: %[[P:.*]] = linalg.transpose ins(%[[SPLIT]] : {{.*}}) outs({{.*}} : tensor<3x16x16x4xi8>) permutation = [2, 0, 3, 1]
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[GROUPS]], #{{.*}}]
// CHECK-SAME: ins(%{{.*}}, %[[P]] : tensor<8x62xi8>, tensor<3x16x16x4xi8>)
flow.parameter private @w : tensor<62x40xi8> = dense<1>
func.func @matmul(%x: tensor<8x62xi8>, %init: tensor<8x40xi32>) -> tensor<8x40xi32> {
  %w = flow.parameter.load @w : tensor<62x40xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x62xi8>, tensor<62x40xi8>) outs(%init : tensor<8x40xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %x0 = arith.extui %a : i8 to i32
    %y0 = arith.extsi %b : i8 to i32
    %p = arith.muli %x0, %y0 : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<8x40xi32>
  return %r : tensor<8x40xi32>
}

// -----

// A convolution's taps stay outside its channels. What is not constant stays as it is.

// CHECK-DAG: affine_map<(d0, d1, d2, d3, d4) -> (d2 floordiv 16, d3, d4 floordiv 4, d2 mod 16, d4 mod 4)>
// CHECK-LABEL: @taps
// CHECK: linalg.generic {{.*}} tensor<2x3x2x16x4xi8>
// CHECK: linalg.generic {{.*}} tensor<3x8x32xi8>
flow.parameter private @w : tensor<3x8x32xi8> = dense<1>
func.func @taps(%x: tensor<1x9x8xi8>, %v: tensor<3x8x32xi8>, %init: tensor<1x7x32xi32>) -> (tensor<1x7x32xi32>, tensor<1x7x32xi32>) {
  %w = flow.parameter.load @w : tensor<3x8x32xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(n, o, f, k, c) -> (n, o + k, c)>, affine_map<(n, o, f, k, c) -> (k, c, f)>,
                                        affine_map<(n, o, f, k, c) -> (n, o, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x9x8xi8>, tensor<3x8x32xi8>) outs(%init : tensor<1x7x32xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %x0 = arith.extui %a : i8 to i32
    %y0 = arith.extsi %b : i8 to i32
    %p = arith.muli %x0, %y0 : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<1x7x32xi32>
  %q = linalg.generic {indexing_maps = [affine_map<(n, o, f, k, c) -> (n, o + k, c)>, affine_map<(n, o, f, k, c) -> (k, c, f)>,
                                        affine_map<(n, o, f, k, c) -> (n, o, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %v : tensor<1x9x8xi8>, tensor<3x8x32xi8>) outs(%init : tensor<1x7x32xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %x0 = arith.extui %a : i8 to i32
    %y0 = arith.extsi %b : i8 to i32
    %p = arith.muli %x0, %y0 : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<1x7x32xi32>
  return %r, %q : tensor<1x7x32xi32>, tensor<1x7x32xi32>
}

// A sum over taps only: no operand but the columns has the tap as an index of its own, so nothing would tell how many
// there are.
// CHECK-LABEL: @oneChannel
// CHECK: linalg.generic {{.*}} tensor<8x32xi8>
flow.parameter private @u : tensor<8x32xi8> = dense<1>
func.func @oneChannel(%x: tensor<1x30xi8>, %init: tensor<1x12x32xi32>) -> tensor<1x12x32xi32> {
  %w = flow.parameter.load @u : tensor<8x32xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(n, o, f, k) -> (n, o * 2 + k)>, affine_map<(n, o, f, k) -> (k, f)>,
                                        affine_map<(n, o, f, k) -> (n, o, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x30xi8>, tensor<8x32xi8>) outs(%init : tensor<1x12x32xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %x0 = arith.extui %a : i8 to i32
    %y0 = arith.extsi %b : i8 to i32
    %p = arith.muli %x0, %y0 : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<1x12x32xi32>
  return %r : tensor<1x12x32xi32>
}
