// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK: module {
module {
  // CHECK: func.func @main(%{{.*}}: tensor<?x2xf32> {heddle.affinity = #device.affinity<@d>, heddle.dims = ["m", ""], heddle.name = "x"}) -> (tensor<?xf32> {heddle.dims = ["m"], heddle.name = "y"})
  func.func @main(%x: tensor<?x2xf32> {heddle.affinity = #device.affinity<@d>, heddle.dims = ["m", ""], heddle.name = "x"})
      -> (tensor<?xf32> {heddle.dims = ["m"], heddle.name = "y"}) {
    // CHECK: tensor.extract_slice {{.*}} {heddle.affinity = #device.affinity<@d>}
    %m = flow.dimension "m"
    %0 = tensor.extract_slice %x[0, 0] [%m, 1] [1, 1] {heddle.affinity = #device.affinity<@d>} : tensor<?x2xf32> to tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
