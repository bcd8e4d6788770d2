// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt --resolve-pack-parameters %s | FileCheck %s
// RUN: heddle-opt --resolve-pack-parameters --resolve-pack-parameters %s | FileCheck %s

#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [2], swizzle = []>

// Equal value and layout: one parameter. Another layout of the same value is another one.
// CHECK-DAG: flow.parameter private @a : tensor<2x3xi8, #[[PANELS:.*]]> = dense_resource<[[A:.*]]> : tensor<2x2x2xi8>
// CHECK-NOT: @b :
flow.parameter private @a : tensor<2x3xi8, #panels> = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
flow.parameter private @b : tensor<2x3xi8, #panels> = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
// CHECK-DAG: flow.parameter private @rows : tensor<2x3xi8> = dense<{{.*}}>
flow.parameter private @rows : tensor<2x3xi8> = dense<[[1, 2, 3], [4, 5, 6]]>
// CHECK-NOT: @unused
flow.parameter private @unused : tensor<2x3xi8> = dense<1>
// One that is packed stays as it is.
// CHECK-DAG: flow.parameter private @packed : tensor<1x2xi8, #[[PANELS]]> = dense<{{.*}}> : tensor<1x1x2xi8>
flow.parameter private @packed : tensor<1x2xi8, #panels> = dense<[[[7, 8]]]> : tensor<1x1x2xi8>

// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = flow.parameter.load @a
// CHECK: %[[Y:.*]] = flow.parameter.load @a
// CHECK: return %[[X]], %[[Y]]
func.func @main() -> (tensor<2x3xi8, #panels>, tensor<2x3xi8, #panels>, tensor<2x3xi8>, tensor<1x2xi8, #panels>) {
  %a = flow.parameter.load @a : tensor<2x3xi8, #panels>
  %b = flow.parameter.load @b : tensor<2x3xi8, #panels>
  %r = flow.parameter.load @rows : tensor<2x3xi8>
  %p = flow.parameter.load @packed : tensor<1x2xi8, #panels>
  return %a, %b, %r, %p : tensor<2x3xi8, #panels>, tensor<2x3xi8, #panels>, tensor<2x3xi8>, tensor<1x2xi8, #panels>
}

// Panel 0: 1 2 | 4 5, panel 1: 3 and padding | 6 and padding.
// CHECK: [[A]]: "0x400000000102040503000600"
