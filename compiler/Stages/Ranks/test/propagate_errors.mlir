// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-propagate --split-input-file --verify-diagnostics

device.mesh @m = [x = 2]
func.func @granule(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-warning @+1 {{this sharding is not applied: it cuts dimension 0 of 'tensor<8xf32>' at multiples of 3, which does not divide 8}}
  %r = flow.shard %x as <@m, [["x"] by 3]> : tensor<8xf32>
  return %r : tensor<8xf32>
}
