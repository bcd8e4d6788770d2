// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-verify --verify-diagnostics

flow.executable private @part {
  func.func @part(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    return %x : tensor<8x16xf32>
  }
}
flow.executable private @reads {
  func.func @reads(%x: tensor<8x32xf32>) -> tensor<8x16xf32> {
    %s = tensor.extract_slice %x[0, 8] [8, 16] [1, 1] : tensor<8x32xf32> to tensor<8x16xf32>
    return %s : tensor<8x16xf32>
  }
}

func.func @early(%x: tensor<8x16xf32>) -> tensor<8x32xf32> {
  %m = tensor.empty() {flow.filled = 0 : i64} : tensor<8x32xf32>
  %a = flow.dispatch @part(%x) : (tensor<8x16xf32>) -> (tensor<8x16xf32>)
  %n = tensor.insert_slice %a into %m[0, 0] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<8x32xf32>
  // expected-error @+1 {{reads more of a tensor than the 16 positions along dimension 1 that are filled by then: a bug of the compiler}}
  %b = flow.dispatch @reads(%n) : (tensor<8x32xf32>) -> (tensor<8x16xf32>)
  %r = tensor.insert_slice %b into %n[0, 16] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
