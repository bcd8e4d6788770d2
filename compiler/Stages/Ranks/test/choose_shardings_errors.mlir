// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-choose-shardings --verify-diagnostics

// expected-error @+1 {{--shard=auto shares the work of the ranks of a mesh, and the program has none; --mesh=x=2 makes one of two ranks}}
module {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
