// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-outline-executables --verify-diagnostics --split-input-file

func.func @main(%x: tensor<f32>) -> tensor<4xf32> {
  %f = tensor.extract %x[] : tensor<f32>
  // expected-error @+1 {{a dispatch takes tensors, integers and index values, got 'f32'}}
  %r = flow.region -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %s = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    flow.return %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{captures a tensor of dynamic size that is not among its captures: run form-capture-sizes first}}
  %r = flow.region -> (tensor<4xf32>) {
    %s = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
    flow.return %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
