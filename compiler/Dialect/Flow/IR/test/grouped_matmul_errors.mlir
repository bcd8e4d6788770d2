// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @groups(%x: tensor<9x4xf32>, %w: tensor<3x4x5xf32>, %s: tensor<2xi32>) -> tensor<9x5xf32> {
  // expected-error @below {{has weights of 3 groups and numbers of 2}}
  %y = flow.grouped_matmul %x, %w sizes %s : (tensor<9x4xf32>, tensor<3x4x5xf32>, tensor<2xi32>) -> tensor<9x5xf32>
  return %y : tensor<9x5xf32>
}

// -----

func.func @none(%x: tensor<9x4xf32>, %w: tensor<0x4x5xf32>, %s: tensor<0xi32>) -> tensor<9x5xf32> {
  // expected-error @below {{needs at least one group, which may be empty}}
  %y = flow.grouped_matmul %x, %w ends %s : (tensor<9x4xf32>, tensor<0x4x5xf32>, tensor<0xi32>) -> tensor<9x5xf32>
  return %y : tensor<9x5xf32>
}

// -----

func.func @depth(%x: tensor<9x4xf32>, %w: tensor<3x6x5xf32>, %s: tensor<3xi32>) -> tensor<9x5xf32> {
  // expected-error @below {{multiplies rows of 4 elements by matrices of 6 rows}}
  %y = flow.grouped_matmul %x, %w sizes %s : (tensor<9x4xf32>, tensor<3x6x5xf32>, tensor<3xi32>) -> tensor<9x5xf32>
  return %y : tensor<9x5xf32>
}

// -----

func.func @result(%x: tensor<9x4xf32>, %w: tensor<3x4x5xf32>, %s: tensor<3xi32>) -> tensor<9x4xf32> {
  // expected-error @below {{gives as many rows as it takes, with the columns of the weights}}
  %y = flow.grouped_matmul %x, %w sizes %s : (tensor<9x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}

// -----

func.func @types(%x: tensor<9x4xf32>, %w: tensor<3x4x5xf16>, %s: tensor<3xi32>) -> tensor<9x5xf32> {
  // expected-error @below {{has rows of 'f32' and weights of 'f16'; convert one of them}}
  %y = flow.grouped_matmul %x, %w sizes %s : (tensor<9x4xf32>, tensor<3x4x5xf16>, tensor<3xi32>) -> tensor<9x5xf32>
  return %y : tensor<9x5xf32>
}

// -----

func.func @sum(%x: tensor<9x4xi8>, %w: tensor<3x4x5xi8>, %s: tensor<3xi32>) -> tensor<9x5xf32> {
  // expected-error @below {{gives i32, not 'f32'}}
  %y = flow.grouped_matmul %x, %w sizes %s : (tensor<9x4xi8>, tensor<3x4x5xi8>, tensor<3xi32>) -> tensor<9x5xf32>
  return %y : tensor<9x5xf32>
}

// -----

func.func @rank(%x: tensor<9xf32>, %w: tensor<3x4x5xf32>, %s: tensor<3xi32>) -> tensor<9x5xf32> {
  // expected-error @below {{takes rows [m, k], weights [groups, k, n] and one number for each group, and gives [m, n]}}
  %y = flow.grouped_matmul %x, %w sizes %s : (tensor<9xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<9x5xf32>
  return %y : tensor<9x5xf32>
}
