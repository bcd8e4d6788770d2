// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-reference %s --input=2x3xf32=1,1,1,0,0,1 | FileCheck %s
// RUN: heddle-opt %s --stage-devices --stage-simplify --stage-form --stage-place -o %t.mlir
// RUN: heddle-reference %t.mlir --input=x=2x3xf32=1,1,1,0,0,1 | FileCheck %s
// RUN: heddle-reference %t.mlir --input=2x3xf32=1,1,1,0,0,1 --trace 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: heddle-reference %s --input=2x3xf32=1,1,1,0,0,1 --output=y=@%t.npy
// RUN: %python -c "import numpy, sys; print(numpy.load(sys.argv[1]).tolist())" %t.npy | FileCheck %s --check-prefix=NPY
// RUN: not heddle-reference %s --input=2x4xf32=1 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not heddle-reference %s --input=z=2x3xf32=1 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not heddle-reference %s --dim=n=4 2>&1 | FileCheck %s --check-prefix=DIM

// CHECK: y: 2x2xf32={{\[\[}}9 12][5 6]]
// TRACE: matmul_0
// TRACE-NEXT: 2x2xf32={{\[\[}}9 12][5 6]]
// NPY: {{\[\[}}9.0, 12.0], [5.0, 6.0]]
// SHAPE: heddle-reference: dimension 1 of argument 'x' is 3, got 4
// NAME: heddle-reference: the model has no input 'z'
// DIM: heddle-reference: the model has no dimension 'n'

flow.parameter private @w : tensor<3x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]>
func.func @main(%x: tensor<?x3xf32> {heddle.name = "x", heddle.dims = ["m", ""]}) -> (tensor<?x2xf32> {heddle.name = "y"}) {
  %m = flow.dimension "m"
  %w = flow.parameter.load @w : tensor<3x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x2xf32>) outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
