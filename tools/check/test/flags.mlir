// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-check %s --dim=n=5 --seed=3 | FileCheck %s
// RUN: heddle-check %s --input=x=2x2xf32=1,2,3,4 | FileCheck %s --check-prefix=GIVEN
// RUN: heddle-compile %s -o %t.heddle
// RUN: heddle-check %t.heddle --model=%s | FileCheck %s --check-prefix=ARTIFACT
// RUN: not heddle-check %t.heddle 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not heddle-check %s --model=%s 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not heddle-check %s --input=2x3xf32=1 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not heddle-check %s --dim=k=4 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: heddle-check %s --dim=x.0=5 --dim=x.1=2 --seed=3 2>&1 | FileCheck %s --check-prefix=CHECK
// RUN: not heddle-check %s --dim=x.1=3 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: not heddle-check %s --dim=x.2=3 2>&1 | FileCheck %s --check-prefix=NODIM
// RUN: not heddle-check %t.none.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: random inputs, --seed=3:
// CHECK-NEXT: x: 5x2xf32
// CHECK-NEXT: {{^}}import ok · devices ok · partition ok · simplify ok · encode ok · form ok · place ok · resolve ok · schedule ok · codegen ok · package ok{{$}}
// GIVEN-NOT: random
// GIVEN: package ok
// ARTIFACT: {{^}}artifact ok{{$}}
// MODEL: heddle check: an artifact is checked against its model; give it with --model=MODEL
// NEITHER: heddle check: --model goes with an artifact (.heddle), got
// SHAPE: the reference could not run the model: dimension 1 of argument 'x' is 2, got 3
// DIM: heddle check: the model has no dimension 'k'
// FIXED: heddle check: --dim=x.1=3: the program says that it is 2
// NODIM: heddle check: the model has no dimension 'x.2'; it has: 'n' (or INPUT.DIMENSION)
// NONE: none.mlir:0:0: error: cannot open input file

func.func @main(%x: tensor<?x2xf32> {heddle.name = "x", heddle.dims = ["n", ""]}) -> (tensor<?xf32> {heddle.name = "y", heddle.dims = ["n"]}) {
  %n = flow.dimension "n"
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x2xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}
