// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --stage-schedule | FileCheck %s
// RUN: heddle-opt %s --stage-schedule --run-host -o /dev/null | FileCheck %s --check-prefix=RANK

// A rank's rows of a parameter, once for all calls, whatever the device: it gets no more than these.

device.global @gpu = #device.target<"vulkan", [#device.executable<"spirv", {}>]>
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
flow.parameter private @w : tensor<4x2xi32> = dense<[[1, 2], [3, 4], [5, 6], [7, 8]]>
flow.executable private @f attributes {host.fake = "add"} { func.func @f(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>) -> tensor<2x2xi32> { return %a : tensor<2x2xi32> } }

// CHECK-LABEL: host.func @__bind
// CHECK-DAG: %[[I:.*]] = host.coordinate @m "x"
// CHECK-DAG: %[[OFFSET:.*]] = arith.muli %[[I]], %c16
// CHECK: %[[P:.*]] = host.parameter_slice @w[%[[OFFSET]]] size %c16 on @gpu
// CHECK: host.bind "w.0" = %[[P]] : !host.buffer
// CHECK: host.parameter_slice @w[%{{.*}}] size %c16 on @cpu
// CHECK-LABEL: host.func @apart
// CHECK-NOT: host.parameter
// CHECK: %[[W:.*]] = host.bound "w.0" : !host.buffer
// CHECK: host.dispatch %{{.*}}, @f(%{{.*}}, %[[W]], %{{.*}})
// RANK: apart call 0:
// RANK-NEXT: rank 0: y = {{.*}}11, 12{{.*}}13, 14
// RANK-NEXT: rank 1: y = {{.*}}25, 26{{.*}}27, 28
func.func @apart(%x: tensor<2x2xi32> {heddle.name = "x", heddle.affinity = #device.affinity<@gpu>}) -> (tensor<2x2xi32> {heddle.name = "y"})
    attributes {host.inputs = [[[dense<10> : tensor<2x2xi32>], [dense<20> : tensor<2x2xi32>]]]} {
  %c2 = arith.constant 2 : index
  %i = flow.coordinate @m "x"
  %row = arith.muli %i, %c2 : index
  %w = flow.parameter.load @w {heddle.affinity = #device.affinity<@gpu>} : tensor<4x2xi32>
  %own = tensor.extract_slice %w[%row, 0] [2, 2] [1, 1] : tensor<4x2xi32> to tensor<2x2xi32>
  %y = flow.dispatch @f(%x, %own) {heddle.affinity = #device.affinity<@gpu>} : (tensor<2x2xi32>, tensor<2x2xi32>) -> (tensor<2x2xi32>)
  return %y : tensor<2x2xi32>
}

// CHECK-LABEL: host.func @here
// CHECK: %[[OWN:.*]] = host.bound "w.1" : !host.buffer
// CHECK: host.dispatch %{{.*}}, @f(%{{.*}}, %[[OWN]], %{{.*}})
// RANK: here call 0:
// RANK-NEXT: rank 0: y = {{.*}}11, 12{{.*}}13, 14
func.func @here(%x: tensor<2x2xi32> {heddle.name = "x", heddle.affinity = #device.affinity<@cpu>}) -> (tensor<2x2xi32> {heddle.name = "y"})
    attributes {host.inputs = [[[dense<10> : tensor<2x2xi32>], [dense<20> : tensor<2x2xi32>]]]} {
  %c2 = arith.constant 2 : index
  %i = flow.coordinate @m "x"
  %row = arith.muli %i, %c2 : index
  %w = flow.parameter.load @w {heddle.affinity = #device.affinity<@cpu>} : tensor<4x2xi32>
  %own = tensor.extract_slice %w[%row, 0] [2, 2] [1, 1] : tensor<4x2xi32> to tensor<2x2xi32>
  %y = flow.dispatch @f(%x, %own) {heddle.affinity = #device.affinity<@cpu>} : (tensor<2x2xi32>, tensor<2x2xi32>) -> (tensor<2x2xi32>)
  return %y : tensor<2x2xi32>
}
