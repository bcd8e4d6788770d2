// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops))' --verify-diagnostics --split-input-file

kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<4xf32>, %i: tensor<4x1xindex>) -> tensor<4xf32> {
    // expected-error @+1 {{the CPU code generator does not support this op in a dispatch}}
    %r = tensor.gather %a[%i] gather_dims([0]) : (tensor<4xf32>, tensor<4x1xindex>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// -----

kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  // expected-error @+1 {{needs an index argument for each dynamic dimension of its tensors}}
  func.func @kernel(%a: tensor<?xf32>) -> tensor<?xf32> {
    return %a : tensor<?xf32>
  }
}

// -----

// expected-error @+1 {{the CPU code generator makes formats 'elf-…', got 'spirv'}}
kernel.program @p of @e for #device.executable<"spirv", {cpu = "", features = ""}> {
  func.func @kernel(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{kernel.tile holds rows and block as array<i64: …>, vectors as an integer and next as a truth value, got tiles = 4 : i64}}
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {kernel.tile = {tiles = 4}} {
  func.func @kernel(%a: tensor<64x16xf32>, %b: tensor<16x40xf32>) -> tensor<64x40xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x40xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32>
    %r = linalg.matmul ins(%a, %b : tensor<64x16xf32>, tensor<16x40xf32>) outs(%f : tensor<64x40xf32>) -> tensor<64x40xf32>
    return %r : tensor<64x40xf32>
  }
}

// -----

// expected-error @+1 {{kernel.tile is a dictionary, got 3 : i64}}
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {kernel.tile = 3} {
  func.func @kernel(%a: tensor<64x16xf32>, %b: tensor<16x40xf32>) -> tensor<64x40xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x40xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32>
    %r = linalg.matmul ins(%a, %b : tensor<64x16xf32>, tensor<16x40xf32>) outs(%f : tensor<64x40xf32>) -> tensor<64x40xf32>
    return %r : tensor<64x40xf32>
  }
}

// -----

kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {kernel.tile = {rows = array<i64: 2, 2>}} {
  func.func @kernel(%a: tensor<64x16xf32>, %b: tensor<16x40xf32>) -> tensor<64x40xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x40xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32>
    // expected-error @+1 {{kernel.tile needs one number for each of the 1 dimensions of rows, got 2*2}}
    %r = linalg.matmul ins(%a, %b : tensor<64x16xf32>, tensor<16x40xf32>) outs(%f : tensor<64x40xf32>) -> tensor<64x40xf32>
    return %r : tensor<64x40xf32>
  }
}

// -----

kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {kernel.tile = {block = array<i64: 0>}} {
  func.func @kernel(%a: tensor<64x16xf32>, %b: tensor<16x40xf32>) -> tensor<64x40xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x40xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32>
    // expected-error @+1 {{kernel.tile needs numbers of at least 1, got 0}}
    %r = linalg.matmul ins(%a, %b : tensor<64x16xf32>, tensor<16x40xf32>) outs(%f : tensor<64x40xf32>) -> tensor<64x40xf32>
    return %r : tensor<64x40xf32>
  }
}

// -----

kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {kernel.tile = {vectors = -1}} {
  func.func @kernel(%a: tensor<64x16xf32>, %b: tensor<16x40xf32>) -> tensor<64x40xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x40xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32>
    // expected-error @+1 {{kernel.tile needs at least one vector, got -1}}
    %r = linalg.matmul ins(%a, %b : tensor<64x16xf32>, tensor<16x40xf32>) outs(%f : tensor<64x40xf32>) -> tensor<64x40xf32>
    return %r : tensor<64x40xf32>
  }
}

// -----

kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {kernel.tile = {rows = array<i64: 16>, vectors = 2}} {
  func.func @kernel(%a: tensor<64x16xf32>, %b: tensor<16x40xf32>) -> tensor<64x40xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x40xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32>
    // expected-error @+1 {{kernel.tile needs a tile that fits 32 registers, got one that takes 35}}
    %r = linalg.matmul ins(%a, %b : tensor<64x16xf32>, tensor<16x40xf32>) outs(%f : tensor<64x40xf32>) -> tensor<64x40xf32>
    return %r : tensor<64x40xf32>
  }
}

// -----

kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {kernel.tile = {rows = array<i64: 8>, block = array<i64: 20>}} {
  func.func @kernel(%a: tensor<64x16xf32>, %b: tensor<16x40xf32>) -> tensor<64x40xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x40xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32>
    // expected-error @+1 {{kernel.tile needs blocks of whole tiles of 8 rows, got 20}}
    %r = linalg.matmul ins(%a, %b : tensor<64x16xf32>, tensor<16x40xf32>) outs(%f : tensor<64x40xf32>) -> tensor<64x40xf32>
    return %r : tensor<64x40xf32>
  }
}

// -----

kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {flow.overwrites = [array<i64: 0, 1>]} {
  // expected-error @+1 {{is to write binding 1 over binding 0, which its kernel does not read in time: a bug of the compiler}}
  func.func @kernel(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %e = tensor.empty() : tensor<16x16xf32>
    %r = linalg.transpose ins(%a : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) permutation = [1, 0]
    return %r : tensor<16x16xf32>
  }
}
