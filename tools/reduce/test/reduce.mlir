// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-reduce %s -o %t.mlir --command='grep -q math.sin' 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: FileCheck %s < %t.mlir
// RUN: heddle-reduce %s -o %t.error.mlir --error='unknown target device' --with=--target-device=nothing 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: not heddle-reduce %s -o %t.mlir --crashes 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not heddle-reduce %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not heddle-reduce %s -o %t.mlir --crashes --diverges 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not heddle-reduce %s --crashes 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not heddle-reduce %s -o %t.mlir --command=true --with=-O0 2>&1 | FileCheck %s --check-prefix=WITH

// DONE: ops became
// CHECK: func.func @main(%{{.*}}: tensor<1x1xf32>
// CHECK-NOT: math.exp
// CHECK: math.sin
// CHECK-NOT: math.exp
// NOTHING: does not show the defect after import: there is nothing to reduce
// KIND: give one of --diverges, --crashes, --error=TEXT and --command=COMMAND, the defect to look for
// OUTPUT: where to write is missing: heddle reduce MODEL -o OUT.mlir
// WITH: --with goes with --diverges, --crashes and --error; write the flags into the command

#id = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<4x6xf32> {heddle.name = "x"}) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %e = tensor.empty() : tensor<4x6xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
    ^bb0(%v: f32, %o: f32):
      %r = math.exp %v : f32
      linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
    ^bb0(%v: f32, %o: f32):
      %r = math.sin %v : f32
      linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %a, %b : tensor<4x6xf32>, tensor<4x6xf32>
}
