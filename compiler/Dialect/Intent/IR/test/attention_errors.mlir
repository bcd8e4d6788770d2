// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @f(%q: tensor<1x3x32xf32>, %k: tensor<1x2x5x8xf32>) {
  // expected-error @+1 {{needs queries [batch, heads, n, depth], or [batch, n, heads * depth] and their `heads`, got 'tensor<1x3x32xf32>'}}
  %y = intent.attention %q, %k, %k scale 1.0 : (tensor<1x3x32xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x3x32xf32>
  return
}

// -----

func.func @f(%q: tensor<1x3x7x8xf32>, %k: tensor<1x2x5x8xf32>) {
  // expected-error @+1 {{needs keys and values [batch, shared heads, m, depth], whose heads divide the queries', got}}
  %y = intent.attention %q, %k, %k scale 1.0 : (tensor<1x3x7x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x3x7x8xf32>
  return
}

// -----

func.func @f(%q: tensor<1x2x7x8xf32>, %k: tensor<1x2x5x8xf32>, %m: tensor<7x4xi1>) {
  // expected-error @+1 {{needs a mask of booleans or floats that broadcasts to batch, heads, queries and keys, got 'tensor<7x4xi1>'}}
  %y = intent.attention %q, %k, %k mask %m scale 1.0 : (tensor<1x2x7x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<7x4xi1>) -> tensor<1x2x7x8xf32>
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>, %l: tensor<3xi64>) {
  // expected-error @+1 {{needs begins and lengths [batch], got 'tensor<3xi64>'}}
  %y = intent.attention %q, %k, %k lengths %l scale 1.0 : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>, tensor<3xi64>) -> tensor<2x2x7x8xf32>
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>, %l: tensor<2xi64>, %o: index) {
  // expected-error @+1 {{has one offset, or begins for each batch, not both}}
  %y = intent.attention %q, %k, %k offset %o begins %l causal scale 1.0 : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>, index, tensor<2xi64>) -> tensor<2x2x7x8xf32>
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>, %o: index) {
  // expected-error @+1 {{has an offset or begins where it is causal}}
  %y = intent.attention %q, %k, %k offset %o scale 1.0 : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>, index) -> tensor<2x2x7x8xf32>
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>) {
  // expected-error @+1 {{is causal by an offset, begins or lengths}}
  %y = intent.attention %q, %k, %k causal scale 1.0 : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>) -> tensor<2x2x7x8xf32>
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>) {
  // expected-error @+1 {{has a window of at least one key where it is causal}}
  %y = intent.attention %q, %k, %k window 3 scale 1.0 : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>) -> tensor<2x2x7x8xf32>
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{needs sinks [heads], or one, got 'tensor<3xf32>'}}
  %y = intent.attention %q, %k, %k sinks %s scale 1.0 : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>, tensor<3xf32>) -> tensor<2x2x7x8xf32>
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>) {
  // expected-error @+1 {{computes rows in floats, got 'i32'}}
  %y = intent.attention %q, %k, %k scale 1.0 softmax i32 : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>) -> tensor<2x2x7x8xf32>
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>) {
  // expected-error @+1 {{gives an output that lies as the queries do, with the values' depth, got 'tensor<2x7x16xf32>'}}
  %y = intent.attention %q, %k, %k scale 1.0 : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>) -> tensor<2x7x16xf32>
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>) {
  // expected-error @+1 {{gives scores that are scaled, capped, masked or weights, got "raw"}}
  %y, %s = intent.attention %q, %k, %k scale 1.0 gives "raw" : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>) -> (tensor<2x2x7x8xf32>, tensor<2x2x7x5xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x2x7x8xf32>, %k: tensor<2x2x5x8xf32>) {
  // expected-error @+1 {{gives scores [batch, heads, n, m] where `gives` says which, got}}
  %y, %s = intent.attention %q, %k, %k scale 1.0 : (tensor<2x2x7x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>) -> (tensor<2x2x7x8xf32>, tensor<2x2x7x5xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x2x?x8xf32>, %k: tensor<2x2x5x8xf32>, %n: index) {
  // expected-error @+1 {{has one size for each dynamic dimension, 1, or none, got 2}}
  %y = intent.attention %q, %k, %k scale 1.0 sizes(%n, %n) : (tensor<2x2x?x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>, index, index) -> tensor<2x2x?x8xf32>
  return
}
