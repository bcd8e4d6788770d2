// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --simplify-decompose-softmax | FileCheck %s

// The largest of a row, exponents of what lies below it, their sum, a quotient.
// CHECK-LABEL: @rows
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.max{{.*}}f
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK-NOT: linalg.softmax
func.func @rows(%x: tensor<?x7xf32>, %e: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x7xf32>) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %y : tensor<?x7xf32>
}
