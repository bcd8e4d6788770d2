// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-resolve-meshes="sizes=x=2" | FileCheck %s
// RUN: heddle-opt %s --ranks-resolve-meshes | FileCheck %s --check-prefix=FREE
// RUN: heddle-opt %s --ranks-resolve-meshes="sizes=m.x=4,m.y=3,x=4" | FileCheck %s --check-prefix=FULL

device.global @cpu = #device.ordinal<0>
device.global @gpu = #device.ordinal<1>
// CHECK: device.mesh @m = [x = 2, y = 3, z = 1] of @cpu
// FREE: device.mesh @m = [x = ?, y = 3, z = 1] of @cpu
// FULL: device.mesh @m = [x = 4, y = 3, z = 1] of @cpu
device.mesh @m = [x = ?, y = 3, z = 1]
// CHECK: device.mesh @t = [x = 2] at 6 of @gpu
// FULL: device.mesh @t = [x = 4] at 6 of @gpu
device.mesh @t = [x = ?] at 6 of @gpu

// CHECK-LABEL: func @main
// FREE-LABEL: func @main
func.func @main(%x: tensor<4xf32>) -> (index, index, index, index, tensor<4xf32>) {
  // FREE: %[[X:.*]] = flow.mesh_size @m "x"
  %0 = flow.mesh_size @m "x"
  %1 = flow.mesh_size @m "y"
  %2 = flow.coordinate @m "y"
  %3 = flow.coordinate @m "z"
  // CHECK: flow.all_reduce %{{.*}} sum over @t["x"] {heddle.affinity = #device.affinity<@gpu>}
  %4 = flow.all_reduce %x sum over @t["x"] : tensor<4xf32>
  // Collectives run on the stream of communication, whatever queue is named.
  // CHECK: flow.all_reduce %{{.*}} sum over @m["y"] {heddle.affinity = #device.affinity<@cpu>}
  %5 = flow.all_reduce %4 sum over @m["y"] {heddle.affinity = #device.affinity<@cpu, [1]>} : tensor<4xf32>
  // CHECK: return %c2, %c3, %{{.*}}, %c0
  // FREE: return %[[X]], %c3, %{{.*}}, %c0
  return %0, %1, %2, %3, %5 : index, index, index, index, tensor<4xf32>
}
