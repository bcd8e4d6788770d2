// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --simplify-fuse-elementwise | FileCheck %s

// Two ops of forty operands each, all different, stay two; a consumer of few is taken in.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: @many
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
func.func @many(%x0: tensor<8xf32>, %x1: tensor<8xf32>, %x2: tensor<8xf32>, %x3: tensor<8xf32>, %x4: tensor<8xf32>, %x5: tensor<8xf32>, %x6: tensor<8xf32>, %x7: tensor<8xf32>, %x8: tensor<8xf32>, %x9: tensor<8xf32>, %x10: tensor<8xf32>, %x11: tensor<8xf32>, %x12: tensor<8xf32>, %x13: tensor<8xf32>, %x14: tensor<8xf32>, %x15: tensor<8xf32>, %x16: tensor<8xf32>, %x17: tensor<8xf32>, %x18: tensor<8xf32>, %x19: tensor<8xf32>, %x20: tensor<8xf32>, %x21: tensor<8xf32>, %x22: tensor<8xf32>, %x23: tensor<8xf32>, %x24: tensor<8xf32>, %x25: tensor<8xf32>, %x26: tensor<8xf32>, %x27: tensor<8xf32>, %x28: tensor<8xf32>, %x29: tensor<8xf32>, %x30: tensor<8xf32>, %x31: tensor<8xf32>, %x32: tensor<8xf32>, %x33: tensor<8xf32>, %x34: tensor<8xf32>, %x35: tensor<8xf32>, %x36: tensor<8xf32>, %x37: tensor<8xf32>, %x38: tensor<8xf32>, %x39: tensor<8xf32>, %y1: tensor<8xf32>, %y2: tensor<8xf32>, %y3: tensor<8xf32>, %y4: tensor<8xf32>, %y5: tensor<8xf32>, %y6: tensor<8xf32>, %y7: tensor<8xf32>, %y8: tensor<8xf32>, %y9: tensor<8xf32>, %y10: tensor<8xf32>, %y11: tensor<8xf32>, %y12: tensor<8xf32>, %y13: tensor<8xf32>, %y14: tensor<8xf32>, %y15: tensor<8xf32>, %y16: tensor<8xf32>, %y17: tensor<8xf32>, %y18: tensor<8xf32>, %y19: tensor<8xf32>, %y20: tensor<8xf32>, %y21: tensor<8xf32>, %y22: tensor<8xf32>, %y23: tensor<8xf32>, %y24: tensor<8xf32>, %y25: tensor<8xf32>, %y26: tensor<8xf32>, %y27: tensor<8xf32>, %y28: tensor<8xf32>, %y29: tensor<8xf32>, %y30: tensor<8xf32>, %y31: tensor<8xf32>, %y32: tensor<8xf32>, %y33: tensor<8xf32>, %y34: tensor<8xf32>, %y35: tensor<8xf32>, %y36: tensor<8xf32>, %y37: tensor<8xf32>, %y38: tensor<8xf32>, %y39: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %first = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15, %x16, %x17, %x18, %x19, %x20, %x21, %x22, %x23, %x24, %x25, %x26, %x27, %x28, %x29, %x30, %x31, %x32, %x33, %x34, %x35, %x36, %x37, %x38, %x39 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %a9: f32, %a10: f32, %a11: f32, %a12: f32, %a13: f32, %a14: f32, %a15: f32, %a16: f32, %a17: f32, %a18: f32, %a19: f32, %a20: f32, %a21: f32, %a22: f32, %a23: f32, %a24: f32, %a25: f32, %a26: f32, %a27: f32, %a28: f32, %a29: f32, %a30: f32, %a31: f32, %a32: f32, %a33: f32, %a34: f32, %a35: f32, %a36: f32, %a37: f32, %a38: f32, %a39: f32, %o: f32):
      %s1 = arith.addf %a0, %a1 : f32
      %s2 = arith.addf %s1, %a2 : f32
      %s3 = arith.addf %s2, %a3 : f32
      %s4 = arith.addf %s3, %a4 : f32
      %s5 = arith.addf %s4, %a5 : f32
      %s6 = arith.addf %s5, %a6 : f32
      %s7 = arith.addf %s6, %a7 : f32
      %s8 = arith.addf %s7, %a8 : f32
      %s9 = arith.addf %s8, %a9 : f32
      %s10 = arith.addf %s9, %a10 : f32
      %s11 = arith.addf %s10, %a11 : f32
      %s12 = arith.addf %s11, %a12 : f32
      %s13 = arith.addf %s12, %a13 : f32
      %s14 = arith.addf %s13, %a14 : f32
      %s15 = arith.addf %s14, %a15 : f32
      %s16 = arith.addf %s15, %a16 : f32
      %s17 = arith.addf %s16, %a17 : f32
      %s18 = arith.addf %s17, %a18 : f32
      %s19 = arith.addf %s18, %a19 : f32
      %s20 = arith.addf %s19, %a20 : f32
      %s21 = arith.addf %s20, %a21 : f32
      %s22 = arith.addf %s21, %a22 : f32
      %s23 = arith.addf %s22, %a23 : f32
      %s24 = arith.addf %s23, %a24 : f32
      %s25 = arith.addf %s24, %a25 : f32
      %s26 = arith.addf %s25, %a26 : f32
      %s27 = arith.addf %s26, %a27 : f32
      %s28 = arith.addf %s27, %a28 : f32
      %s29 = arith.addf %s28, %a29 : f32
      %s30 = arith.addf %s29, %a30 : f32
      %s31 = arith.addf %s30, %a31 : f32
      %s32 = arith.addf %s31, %a32 : f32
      %s33 = arith.addf %s32, %a33 : f32
      %s34 = arith.addf %s33, %a34 : f32
      %s35 = arith.addf %s34, %a35 : f32
      %s36 = arith.addf %s35, %a36 : f32
      %s37 = arith.addf %s36, %a37 : f32
      %s38 = arith.addf %s37, %a38 : f32
      %s39 = arith.addf %s38, %a39 : f32
      linalg.yield %s39 : f32
  } -> tensor<8xf32>
  %second = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%first, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9, %y10, %y11, %y12, %y13, %y14, %y15, %y16, %y17, %y18, %y19, %y20, %y21, %y22, %y23, %y24, %y25, %y26, %y27, %y28, %y29, %y30, %y31, %y32, %y33, %y34, %y35, %y36, %y37, %y38, %y39 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %a9: f32, %a10: f32, %a11: f32, %a12: f32, %a13: f32, %a14: f32, %a15: f32, %a16: f32, %a17: f32, %a18: f32, %a19: f32, %a20: f32, %a21: f32, %a22: f32, %a23: f32, %a24: f32, %a25: f32, %a26: f32, %a27: f32, %a28: f32, %a29: f32, %a30: f32, %a31: f32, %a32: f32, %a33: f32, %a34: f32, %a35: f32, %a36: f32, %a37: f32, %a38: f32, %a39: f32, %o: f32):
      %s1 = arith.addf %a0, %a1 : f32
      %s2 = arith.addf %s1, %a2 : f32
      %s3 = arith.addf %s2, %a3 : f32
      %s4 = arith.addf %s3, %a4 : f32
      %s5 = arith.addf %s4, %a5 : f32
      %s6 = arith.addf %s5, %a6 : f32
      %s7 = arith.addf %s6, %a7 : f32
      %s8 = arith.addf %s7, %a8 : f32
      %s9 = arith.addf %s8, %a9 : f32
      %s10 = arith.addf %s9, %a10 : f32
      %s11 = arith.addf %s10, %a11 : f32
      %s12 = arith.addf %s11, %a12 : f32
      %s13 = arith.addf %s12, %a13 : f32
      %s14 = arith.addf %s13, %a14 : f32
      %s15 = arith.addf %s14, %a15 : f32
      %s16 = arith.addf %s15, %a16 : f32
      %s17 = arith.addf %s16, %a17 : f32
      %s18 = arith.addf %s17, %a18 : f32
      %s19 = arith.addf %s18, %a19 : f32
      %s20 = arith.addf %s19, %a20 : f32
      %s21 = arith.addf %s20, %a21 : f32
      %s22 = arith.addf %s21, %a22 : f32
      %s23 = arith.addf %s22, %a23 : f32
      %s24 = arith.addf %s23, %a24 : f32
      %s25 = arith.addf %s24, %a25 : f32
      %s26 = arith.addf %s25, %a26 : f32
      %s27 = arith.addf %s26, %a27 : f32
      %s28 = arith.addf %s27, %a28 : f32
      %s29 = arith.addf %s28, %a29 : f32
      %s30 = arith.addf %s29, %a30 : f32
      %s31 = arith.addf %s30, %a31 : f32
      %s32 = arith.addf %s31, %a32 : f32
      %s33 = arith.addf %s32, %a33 : f32
      %s34 = arith.addf %s33, %a34 : f32
      %s35 = arith.addf %s34, %a35 : f32
      %s36 = arith.addf %s35, %a36 : f32
      %s37 = arith.addf %s36, %a37 : f32
      %s38 = arith.addf %s37, %a38 : f32
      %s39 = arith.addf %s38, %a39 : f32
      linalg.yield %s39 : f32
  } -> tensor<8xf32>
  %third = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%second : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.negf %a : f32
      linalg.yield %n : f32
  } -> tensor<8xf32>
  return %third : tensor<8xf32>
}
