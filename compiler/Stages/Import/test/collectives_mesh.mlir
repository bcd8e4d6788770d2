// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that does not say on how many processes it runs: a flag does.
// RUN: heddle-opt %s --import-lower-stablehlo=mesh=replica=2,partition=3 | FileCheck %s
// RUN: not heddle-opt %s --import-lower-stablehlo=mesh=partition=3,replica=2 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not heddle-opt %s --import-lower-stablehlo=mesh=replica=two 2>&1 | FileCheck %s --check-prefix=WORD

// CHECK: device.mesh @mesh = [replica = 2, partition = 3]
// CHECK: flow.all_gather %arg0 dim 0 over @mesh["replica"] : tensor<4xf32> -> tensor<8xf32>
// LAST: error: --mesh: the axis 'replica' of a StableHLO program's mesh must be the first one
// WORD: error: --mesh: expected axes with sizes, such as replica=2,partition=4, each once, got 'replica=two'
func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
