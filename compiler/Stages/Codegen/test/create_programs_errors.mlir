// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --codegen-create-programs --verify-diagnostics --split-input-file

device.global @gpu = #device.target<"vulkan", [#device.executable<"spirv", {features = ["shaderInt64"]}>]>

// expected-error @+1 {{cannot be compiled for @gpu (vulkan): a tensor of 160000000 bytes (tensor<40000000xf32>) is larger than the 134217728 bytes that a kernel reaches at once; if the device reaches more, its target says so by maxStorageBufferRange, or has the features bufferDeviceAddress and shaderInt64}}
flow.executable private @large {
  func.func @large(%x: tensor<40000000xf32>) -> tensor<40000000xf32> { return %x : tensor<40000000xf32> }
}

// -----

device.global @gpu = #device.target<"vulkan", [#device.executable<"spirv", {features = ["shaderInt8"]}>]>

// expected-error @+1 {{cannot be compiled for @gpu (vulkan): elements of type f64 need the feature shaderFloat64}}
flow.executable private @double {
  func.func @double(%x: tensor<4xf64>) -> tensor<4xf64> { return %x : tensor<4xf64> }
}
