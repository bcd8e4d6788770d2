// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-lower-to-loops))' --verify-diagnostics --split-input-file

kernel.program @p of @e for #device.executable<"elf-x86_64", cpu = "x86-64-v4", features = ""> {
  func.func @kernel(%a: tensor<4xf32>, %i: tensor<4x1xindex>) -> tensor<4xf32> {
    // expected-error @+1 {{the CPU code generator does not support this op in a dispatch}}
    %r = tensor.gather %a[%i] gather_dims([0]) : (tensor<4xf32>, tensor<4x1xindex>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// -----

kernel.program @p of @e for #device.executable<"elf-x86_64", cpu = "x86-64-v4", features = ""> {
  // expected-error @+1 {{needs an index argument for each dynamic dimension of its tensors}}
  func.func @kernel(%a: tensor<?xf32>) -> tensor<?xf32> {
    return %a : tensor<?xf32>
  }
}

// -----

// expected-error @+1 {{the CPU code generator makes formats 'elf-…', got 'spirv'}}
kernel.program @p of @e for #device.executable<"spirv", cpu = "", features = ""> {
  func.func @kernel(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
