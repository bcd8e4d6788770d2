// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-reductions --split-input-file | FileCheck %s

// Where a device may be a GPU the parts are as many more, and as much smaller, as a unit works on workgroups.
device.global @gpu = #device.target<"vulkan", [<"spirv", {features = [], workgroup = 128 : i64}>]>

// CHECK-LABEL: @sum
// CHECK-DAG: %[[UNITS:.*]] = flow.units of 0
// CHECK-DAG: %[[SHARED:.*]] = flow.units workgroups of 0
// CHECK: arith.muli %{{.*}}, %[[SHARED]]
// CHECK: scf.forall
func.func @sum(%a: tensor<20000xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %0 = flow.region -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %m = linalg.reduce {arith.addf} ins(%a : tensor<20000xf32>) outs(%f : tensor<f32>) dimensions = [0] {heddle.split = "default"}
    flow.return %m : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// On a processor a part of that length is not worth its merge.
device.global @cpu = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64-v3"}>]>

// CHECK-LABEL: @whole
// CHECK-NOT: workgroups of
// CHECK-NOT: scf
func.func @whole(%a: tensor<20000xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %0 = flow.region -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %m = linalg.reduce {arith.addf} ins(%a : tensor<20000xf32>) outs(%f : tensor<f32>) dimensions = [0] {heddle.split = "default"}
    flow.return %m : tensor<f32>
  }
  return %0 : tensor<f32>
}
